//! Signing in with a mailed code, sessions, and what guessing and asking for codes can do.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use world::{ApiResponse, Browser, Caller, System, error_code, refusal};

const CODE: &str = "/api/auth/code";
const SESSION: &str = "/api/auth/session";
const SESSIONS: &str = "/api/auth/sessions";
const ANNA: &str = "admin@aurora.example";
const SESSION_COOKIE: &str = "__Host-portal_session";
const DEVICE_COOKIE: &str = "__Host-portal_device";

#[tokio::test]
async fn a_mailed_code_signs_in_once() {
    let (system, _clock) = System::at("2026-05-28T20:26:40Z").await;
    let mut browser = Browser::at(&system, 1);
    let challenge = browser.challenge(" ADMIN@Aurora.example").await;
    let code = system.code_mailed_to(ANNA).await;
    let typed = code.to_lowercase().replace('-', " ");
    let signed_in = browser.exchange(&challenge, &typed).await;
    insta::assert_json_snapshot!("signed_in", signed_in);
    let cookies: Vec<&str> = signed_in.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap()).collect();
    let attributes = |cookie: &str| cookie.split_once("; ").unwrap().1.to_owned();
    assert_eq!(attributes(cookies[0]), "Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200");
    assert_eq!(attributes(cookies[1]), "Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=15552000");
    assert!(browser.cookie(SESSION_COOKIE).is_some() && browser.cookie(DEVICE_COOKIE).is_some());
    assert_eq!(browser.get(SESSION).await.reply(), signed_in.reply());
    assert_eq!(error_code(&browser.exchange(&challenge, &code).await), (400, "CODE_INVALID"));
}

#[tokio::test]
async fn a_bearer_gets_the_token_and_no_session_cookie() {
    let system = System::start().await;
    let mut program = Browser::at(&system, 1);
    let (challenge, code) = program.mailed_code(ANNA).await;
    let body = json!({"challengeId": challenge, "code": code, "transport": "bearer"});
    let signed_in = program.send(Method::POST, SESSION, Some(&body)).await;
    assert_eq!(program.cookie(SESSION_COOKIE), None);
    let caller = system.with_token(&signed_in.text("/data/token"));
    assert_eq!(caller.get(SESSION).await.text("/data/user/email"), ANNA);
}

#[tokio::test]
async fn the_mail_has_the_code_alone_on_a_line_and_the_subject_has_none() {
    let (system, _clock) = System::at("2026-05-28T20:26:40Z").await;
    let (_, code) = Browser::at(&system, 1).mailed_code(ANNA).await;
    let mail = system.emails().await.pop().unwrap();
    assert_eq!(mail["subject"], "Your sign-in code");
    let text = mail["text"].as_str().unwrap().replace(&code, "[code]");
    let host = system.local.listening.api.split("://").nth(1).unwrap();
    insta::assert_snapshot!("code_mail", text.replace(host, "[host]"));
    assert!(mail["html"].as_str().unwrap().contains(&code));
}

#[tokio::test]
async fn an_address_that_nobody_has_becomes_a_user_by_its_code() {
    let system = System::start().await;
    let mut browser = Browser::at(&system, 1);
    let challenge = browser.challenge("new@stranger.example").await;
    let before = system.anonymous();
    let check = json!({"email": "new@stranger.example"});
    let path = "/api/public/merchant/onboarding-check";
    assert_eq!(before.post(path, &check).await.at("/data/recognized"), &json!(false));
    let code = system.code_mailed_to("new@stranger.example").await;
    let signed_in = browser.exchange(&challenge, &code).await;
    assert_eq!((signed_in.status, signed_in.at("/data/merchant")), (200, &Value::Null));
    assert_eq!(signed_in.at("/data/user/emailVerified"), &json!(true));
    assert_eq!(before.post(path, &check).await.at("/data/recognized"), &json!(true));
    // The first sign-in of a user is not told by mail, and a second one from the same browser is not either.
    let mails = system.emails().await.len();
    browser.sign_in("new@stranger.example").await;
    system.drain().await;
    assert_eq!(system.emails().await.len(), mails + 1, "the code alone");
    Browser::at(&system, 1).sign_in("new@stranger.example").await;
    system.drain().await;
    let told = system.emails().await.pop().unwrap();
    assert_eq!(told["subject"], "You signed in with a new browser");
    assert!(told["text"].as_str().unwrap().contains("Firefox, Linux"), "{told}");
}

#[tokio::test]
async fn every_address_gets_the_same_answer() {
    let system = System::start().await;
    let mut browser = Browser::at(&system, 1);
    let (known, unknown) = (browser.request_code(ANNA).await, browser.request_code("nobody@nowhere.example").await);
    let without_id = |response: &ApiResponse| {
        let id = response.text("/data/challengeId");
        (response.status, response.body.to_string().replace(&id, "[id]"))
    };
    assert_eq!(without_id(&known), without_id(&unknown));
    for invalid in ["", "anna", "åsa@example.com", "Anna <admin@aurora.example>", &format!("{}@a.example", "a".repeat(250))] {
        let refused = browser.request_code(invalid).await;
        assert_eq!(refused.reply(), refusal(400, "email: must be a valid e-mail address."));
    }
}

#[tokio::test]
async fn every_address_costs_the_same_calls() {
    let system = System::start().await;
    let mut usage = Vec::new();
    for (host, address) in [(1, ANNA), (2, "nadim@aurora.example")] {
        let mut browser = Browser::at(&system, host);
        for _first_and_second in 0..2 {
            system.drain().await;
            system.reset_usage().await;
            assert_eq!(browser.request_code(address).await.status, 202);
            usage.push(system.usage().await["accounts"].clone());
        }
    }
    assert!(usage[0].is_object(), "{usage:?}");
    assert_eq!(usage[..2], usage[2..], "of an address with an account, and of one without");
}

#[tokio::test]
async fn a_code_is_good_for_ten_minutes_to_the_second_and_for_five_attempts() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let mut browser = Browser::at(&system, 1);
    let (challenge, code) = browser.mailed_code(ANNA).await;
    manual_clock.advance(10 * 60 - 1);
    assert_eq!(browser.exchange(&challenge, "2222-2222").await.status, 400);
    assert_eq!(browser.exchange(&challenge, &code).await.status, 200);
    let (challenge, code) = browser.mailed_code(ANNA).await;
    manual_clock.advance(10 * 60);
    assert_eq!(error_code(&browser.exchange(&challenge, &code).await), (400, "CODE_INVALID"));
    let (challenge, code) = browser.mailed_code(ANNA).await;
    for _ in 0..5 {
        assert_eq!(error_code(&browser.exchange(&challenge, "2222-2222").await), (400, "CODE_INVALID"));
    }
    assert_eq!(error_code(&browser.exchange(&challenge, &code).await), (400, "CODE_INVALID"));
}

#[tokio::test]
async fn racing_guesses_are_all_counted_and_racing_exchanges_have_one_winner() {
    let system = System::start().await;
    let mut browser = Browser::at(&system, 1);
    let (challenge, code) = browser.mailed_code(ANNA).await;
    let anonymous = system.anonymous();
    let exchange = async |challenge: &str, code: String| {
        anonymous.post(SESSION, &json!({"challengeId": challenge, "code": code})).await.status
    };
    let statuses = join_all((0..4).map(|_| exchange(&challenge, code.clone()))).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");

    let challenge = browser.challenge(ANNA).await;
    join_all((0..8).map(|number| exchange(&challenge, format!("2222-{:04}", 2222 + number)))).await;
    let code = system.code_mailed_to(ANNA).await;
    assert_eq!(error_code(&browser.exchange(&challenge, &code).await), (400, "CODE_INVALID"), "no attempt is left");
}

#[tokio::test]
async fn challenges_at_the_same_time_do_not_disturb_each_other() {
    let system = System::start().await;
    let (mut one, mut other) = (Browser::at(&system, 1), Browser::at(&system, 2));
    let (first, first_code) = one.mailed_code(ANNA).await;
    let (second, second_code) = other.mailed_code(ANNA).await;
    assert_ne!(first_code, second_code);
    for _ in 0..5 {
        assert_eq!(other.exchange(&second, &first_code).await.status, 400);
    }
    assert_eq!(other.exchange(&second, &second_code).await.status, 400);
    assert_eq!(one.exchange(&first, &first_code).await.status, 200);
}

#[tokio::test]
async fn codes_are_limited_for_address_and_client_and_nobody_is_locked_out() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let mut anna = Browser::at(&system, 1);
    assert_eq!(anna.sign_in(ANNA).await.status, 200);

    // One code was hers. Strangers use up all codes of the address: five for each of their addresses, twenty in all.
    let mut statuses = Vec::new();
    for host in 10..15 {
        let mut stranger = Browser::at(&system, host);
        for _ in 0..6 {
            statuses.push(stranger.request_code(ANNA).await.status);
        }
    }
    assert_eq!(statuses.iter().filter(|status| **status == 202).count(), 19, "{statuses:?}");
    assert_eq!(statuses[5], 429);
    let refused = Browser::at(&system, 20).request_code(ANNA).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("3600")));

    // Her browser has codes of its own.
    for _ in 0..5 {
        assert_eq!(anna.request_code(ANNA).await.status, 202);
    }
    assert_eq!(anna.request_code(ANNA).await.status, 429);
    // Its cookie is of no use for another address.
    assert_eq!(anna.request_code("bo@aurora.example").await.status, 202);

    manual_clock.advance(3600);
    assert_eq!(Browser::at(&system, 20).request_code(ANNA).await.status, 202);
}

#[tokio::test]
async fn a_client_gets_sixty_codes_an_hour_for_all_addresses() {
    let (system, _clock) = System::at("2026-05-28T20:26:40Z").await;
    let mut browser = Browser::at(&system, 1);
    for number in 0..60 {
        assert_eq!(browser.request_code(&format!("a{number}@a.example")).await.status, 202, "{number}");
    }
    assert_eq!(browser.request_code("a60@a.example").await.status, 429);
}

#[tokio::test]
async fn signing_in_again_ends_the_session_of_the_cookie_and_so_does_signing_out_however_often() {
    let system = System::start().await;
    let mut browser = Browser::signed_in(&system, 1, ANNA).await;
    let first = browser.cookie(SESSION_COOKIE).unwrap().to_owned();
    browser.sign_in(ANNA).await;
    let token = browser.cookie(SESSION_COOKIE).unwrap().to_owned();
    assert_ne!(token, first);
    assert_eq!(system.with_token(&first).get(SESSION).await.status, 401);
    assert_eq!(browser.get(SESSION).await.status, 200);

    let first = browser.delete(SESSION).await;
    let expected = format!("{SESSION_COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
    assert_eq!((first.status, first.header("set-cookie")), (200, Some(expected.as_str())));
    assert_eq!(system.with_token(&token).get(SESSION).await.status, 401);
    assert_eq!(browser.delete(SESSION).await.reply(), first.reply());
}

#[tokio::test]
async fn all_sessions_are_listed_and_end_at_once() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let (mut one, mut other) = (Browser::at(&system, 1), Browser::at(&system, 2));
    one.sign_in(ANNA).await;
    manual_clock.advance(60);
    other.sign_in(ANNA).await;
    let listed = other.get(SESSIONS).await;
    let rows: Vec<_> = listed.list("/data").iter().map(|row| [&row["createdAt"], &row["current"]]).collect();
    assert_eq!(json!(rows), json!([["2026-05-28T20:27:40.000Z", true], ["2026-05-28T20:26:40.000Z", false]]));
    let id = listed.text("/data/1/id");
    assert_eq!(system.with_token(&id).get(SESSION).await.status, 401, "an id is no token");
    let tokens = [&one, &other].map(|browser| browser.cookie(SESSION_COOKIE).unwrap().to_owned());
    assert_eq!(other.delete(SESSIONS).await.status, 200);
    for token in tokens {
        assert_eq!(system.with_token(&token).get(SESSION).await.status, 401);
    }
    assert_eq!(other.sign_in(ANNA).await.status, 200);
    assert_eq!(other.get(SESSIONS).await.list("/data").len(), 1);
}

#[tokio::test]
async fn users_change_their_name_and_phone_and_nothing_else() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let path = "/api/auth/session/user";
    let body = json!({"firstName": " Anna ", "lastName": "Berg", "phonePrefix": "+46", "phone": "70 000 00 00"});
    let changed = caller.patch(path, &body).await;
    let fields = ["firstName", "lastName", "phonePrefix", "phone"].map(|field| changed.text(&format!("/data/user/{field}")));
    assert_eq!(fields, ["Anna", "Berg", "+46", "70 000 00 00"]);
    let cleared = caller.patch(path, &json!({"phone": null, "firstName": ""})).await;
    assert_eq!((cleared.at("/data/user/phone"), cleared.at("/data/user/firstName")), (&Value::Null, &json!("")));
    assert_eq!(cleared.at("/data/user/lastName"), "Berg");
    for (body, field) in [
        (json!({"email": "other@a.example"}), "email"),
        (json!({"firstName": "x".repeat(81)}), "firstName"),
        (json!({"lastName": "see https://evil.example"}), "lastName"),
        (json!({"lastName": null}), "lastName"),
        (json!({"phonePrefix": "46"}), "phonePrefix"),
        (json!({"phone": "call me"}), "phone"),
    ] {
        caller.patch(path, &body).await.assert_invalid(field);
    }
}

#[tokio::test]
async fn writes_come_from_own_pages_and_are_json_even_without_a_session() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    let body = json!({"email": ANNA}).to_string();
    let post = || anonymous.request(Method::POST, CODE).body(body.clone());
    let own = system.local.listening.api.as_str();
    for (request, status) in [
        (post().header("content-type", "application/json"), 202),
        (post().header("content-type", "application/json").header("origin", own), 202),
        (post().header("content-type", "application/json").header("origin", "https://evil.example"), 403),
        (post().header("content-type", "application/json").header("sec-fetch-site", "cross-site"), 403),
        (post().header("content-type", "text/plain"), 415),
        (post(), 415),
    ] {
        let request_line = format!("{request:?}");
        assert_eq!(Caller::send_request(request).await.status, status, "{request_line}");
    }
}

#[tokio::test]
async fn signing_out_ends_every_session_of_the_request() {
    let (system, [one, other]) = System::with_callers(["u-admin", "u-full"]).await;
    let cookie = format!("__Host-portal_session={}", other.token());
    let origin = system.local.listening.api.clone();
    let request = one.request(Method::DELETE, SESSION).header("cookie", cookie).header("origin", origin);
    assert_eq!(Caller::send_request(request).await.status, 200);
    assert_eq!((one.get(SESSION).await.status, other.get(SESSION).await.status), (401, 401));
}
