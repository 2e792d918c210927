//! Passkeys: adding, using and removing them, what is refused, doing without mailed codes, and platform administrators.

use std::net::{IpAddr, Ipv4Addr};

use futures_util::future::join_all;
use local::Options;
use reqwest::Method;
use serde_json::{Value, json};
use shared::db::counters::Caller as Counted;
use shared::limits::model::PASSKEY_ATTEMPTS;
use shared::team::model::passkey::{Enrolment, EnrolmentCode};
use shared::team::model::team::AdministratorsBy;
use world::shop::with;
use world::{ApiResponse, Authenticator, Browser, Caller, System, error_code, outcomes};

const PASSKEYS: &str = "/api/auth/passkeys";
const OPTIONS: &str = "/api/auth/passkeys/options";
const CHALLENGE: &str = "/api/auth/passkeys/challenge";
const SESSION: &str = "/api/auth/session";
const SESSIONS: &str = "/api/auth/sessions";
const USER: &str = "/api/auth/session/user";
const MERCHANTS: &str = "/api/admin/merchants";
const ANNA: &str = "admin@aurora.example";
const ROOT: &str = "root@portal.example";

type Lie = fn(&mut Authenticator);

async fn options(caller: &Caller) -> ApiResponse {
    caller.post(OPTIONS, &json!({})).await.ok()
}

/// The request that adds a passkey which an authenticator has just made.
async fn new_passkey(caller: &Caller, authenticator: &mut Authenticator, name: &str) -> Value {
    let options = options(caller).await;
    let credential = authenticator.make(options.at("/data/options"));
    json!({"challengeId": options.text("/data/challengeId"), "name": name, "credential": credential})
}

async fn with_passkey(system: &System, user: &str) -> (Authenticator, String) {
    let mut authenticator = Authenticator::of(system).await;
    let id = authenticator.add(&system.sign_in(user).await, "Phone").await;
    (authenticator, id)
}

async fn challenge(system: &System) -> ApiResponse {
    system.anonymous().post(CHALLENGE, &json!({})).await.ok()
}

fn attempt(challenge: &ApiResponse, credential: &Value) -> Value {
    json!({"challengeId": challenge.text("/data/challengeId"), "credential": credential, "transport": "bearer"})
}

async fn signed_in(system: &System, authenticator: &mut Authenticator) -> Caller {
    system.with_token(&authenticator.sign_in(system).await.text("/data/token"))
}

/// The subjects of the mails to an address since the first `known` ones.
async fn subjects(system: &System, known: usize) -> Vec<String> {
    system.drain().await;
    system.emails().await[known..].iter().map(|mail| mail["subject"].as_str().unwrap().to_owned()).collect()
}

const INVALID: (u16, &str) = (400, "PASSKEY_INVALID");

#[tokio::test]
async fn a_passkey_is_added_and_signs_in() {
    let (system, _clock) = System::at("2026-05-28T20:26:40Z").await;
    let anna = system.sign_in("u-admin").await;
    let mut phone = Authenticator::of(&system).await;
    phone.flags |= Authenticator::BACKED_UP;
    insta::assert_json_snapshot!("options", options(&anna).await.body["data"]["options"], {
        ".challenge" => "[challenge]", ".user.id" => "[handle]", ".rp.id" => "[host]",
    });
    let body = new_passkey(&anna, &mut phone, " Phone ").await;
    let added = anna.post(PASSKEYS, &body).await;
    insta::assert_json_snapshot!("added", added, {".body.data.id" => "[id]"});
    assert_eq!(anna.get(PASSKEYS).await.at("/data/0"), added.at("/data"));
    assert_eq!(subjects(&system, 0).await, ["A passkey was added"]);

    let asked = challenge(&system).await;
    insta::assert_json_snapshot!("challenge", asked.body["data"]["options"], {".challenge" => "[challenge]", ".rpId" => "[host]"});
    let session = phone.sign_in(&system).await;
    assert_eq!((session.status, session.text("/data/user/email")), (200, ANNA.to_owned()));
    assert_eq!((session.text("/data/signedInWith"), session.at("/data/till")), ("PASSKEY".to_owned(), &Value::Null));
    let caller = system.with_token(&session.text("/data/token"));
    assert_eq!(caller.get(PASSKEYS).await.text("/data/0/lastUsedAt"), "2026-05-28T20:26:40.000Z");
    let methods = caller.get(SESSIONS).await.each("/data", "signedInWith");
    assert_eq!((methods.len(), methods.contains(&json!("CODE")), methods.contains(&json!("PASSKEY"))), (2, true, true));
}

#[tokio::test]
async fn a_browser_gets_a_cookie_and_the_session_before_ends() {
    let system = System::start().await;
    let (mut phone, _) = with_passkey(&system, "u-admin").await;
    let mut browser = Browser::signed_in(&system, 1, ANNA).await;
    let before = system.with_token(browser.cookie("__Host-portal_session").unwrap());
    let challenge = challenge(&system).await;
    let credential = phone.sign(challenge.at("/data/options"));
    let body = json!({"challengeId": challenge.text("/data/challengeId"), "credential": credential});
    browser.send(Method::POST, SESSION, Some(&body)).await.ok();
    assert_eq!(browser.get(SESSION).await.text("/data/signedInWith"), "PASSKEY");
    assert_eq!(before.get(SESSION).await.status, 401);
}

/// Whatever is wrong, the response is the same, and the passkey works with the next challenge.
#[tokio::test]
async fn an_answer_that_is_wrong_in_any_way_signs_nobody_in() {
    let system = System::start().await;
    let (mut phone, _) = with_passkey(&system, "u-admin").await;
    let (mut others, _) = with_passkey(&system, "u-full").await;
    let mut unknown = Authenticator::of(&system).await;
    unknown.make(options(&system.sign_in("u-admin").await).await.at("/data/options"));
    let lies: [(&str, Lie); 9] = [
        ("another site", |it| it.origin = "https://evil.example".to_owned()),
        ("a host that only ends like ours", |it| it.origin = it.origin.replace("://", "://evil-")),
        ("another relying party", |it| it.rp_id = Some("evil.example".to_owned())),
        ("a frame in a page of others", |it| it.in_frame_of_others = true),
        ("a user whom nobody has verified", |it| it.flags &= !Authenticator::USER_VERIFIED),
        ("a user who is not there", |it| it.flags &= !Authenticator::USER_PRESENT),
        ("what is signed to make a passkey", |it| it.signs_type = Some("webauthn.create")),
        ("what was a copy from the start", |it| it.flags |= Authenticator::BACKED_UP),
        ("nothing of the kind", |it| it.origin = "null".to_owned()),
    ];
    for (what, lie) in lies {
        lie(&mut phone);
        assert_eq!(error_code(&phone.sign_in(&system).await), INVALID, "{what}");
        (phone.origin, phone.rp_id, phone.signs_type) = (others.origin.clone(), None, None);
        (phone.in_frame_of_others, phone.flags) = (false, others.flags);
    }

    let asked = challenge(&system).await;
    let good = phone.sign(asked.at("/data/options"));
    let theirs = others.sign(asked.at("/data/options"));
    let strangers = unknown.sign(asked.at("/data/options"));
    let other = challenge(&system).await;
    let with = |pointer: &str, value: Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        changed
    };
    let with_handle = |handle: Value| with("/response/userHandle", handle);
    for (what, challenge, credential) in [
        ("the answer to another challenge", &other, good.clone()),
        ("another signature", &asked, with("/response/signature", theirs["response"]["signature"].clone())),
        ("the signature of somebody else's passkey", &challenge(&system).await, with("/rawId", theirs["rawId"].clone())),
        ("a handle of somebody else", &challenge(&system).await, with_handle(theirs["response"]["userHandle"].clone())),
        ("no handle", &challenge(&system).await, with_handle(Value::Null)),
        ("a handle of nobody", &challenge(&system).await, with_handle(json!("AAAAAAAAAAAAAAAAAAAAAA"))),
        ("a handle that is none", &challenge(&system).await, with_handle(json!("AA"))),
        ("no object", &challenge(&system).await, json!("passkey")),
        ("an empty object", &challenge(&system).await, json!({})),
    ] {
        let refused = system.anonymous().post(SESSION, &attempt(challenge, &credential)).await;
        assert_eq!(error_code(&refused), INVALID, "{what}");
    }
    // The challenge of `asked` was used up by the attempt with another signature.
    for credential in [&good, &strangers] {
        assert_eq!(error_code(&system.anonymous().post(SESSION, &attempt(&asked, credential)).await), INVALID);
    }
    for id in ["", "none", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        let body = json!({"challengeId": id, "credential": good, "transport": "bearer"});
        assert_eq!(error_code(&system.anonymous().post(SESSION, &body).await), INVALID, "{id}");
    }
    assert_eq!(error_code(&unknown.sign_in(&system).await), INVALID);
    assert_eq!(phone.sign_in(&system).await.status, 200);
}

#[tokio::test]
async fn a_challenge_is_good_once_and_for_five_minutes() {
    let (system, clock) = System::at("2026-05-28T20:26:40Z").await;
    let (mut phone, _) = with_passkey(&system, "u-admin").await;
    let asked = challenge(&system).await;
    let body = attempt(&asked, &phone.sign(asked.at("/data/options")));
    let anybody = system.anonymous();
    // A code and a passkey do not go together.
    for body in [json!({"challengeId": "c"}), json!({"challengeId": "c", "code": "ABCD-EFGH", "credential": {}})] {
        assert_eq!(error_code(&anybody.post(SESSION, &body).await), (400, "INVALID_REQUEST"), "{body}");
    }
    let answers = join_all((0..6).map(|_| anybody.post(SESSION, &body))).await;
    assert_eq!(outcomes(&answers), [vec![(200, "")], vec![INVALID; 5]].concat(), "of six at once");
    assert_eq!(error_code(&anybody.post(SESSION, &body).await), INVALID, "repeated");
    for (seconds, status) in [(299, 200), (300, 400)] {
        let asked = challenge(&system).await;
        let body = attempt(&asked, &phone.sign(asked.at("/data/options")));
        clock.advance(seconds);
        assert_eq!(anybody.post(SESSION, &body).await.status, status, "after {seconds} seconds");
    }
}

#[tokio::test]
async fn a_counter_that_does_not_grow_is_refused_and_told() {
    let system = System::start().await;
    let mut key = Authenticator::of(&system).await;
    key.counter = 7;
    key.add(&system.sign_in("u-admin").await, "Key").await;
    assert_eq!(key.sign_in(&system).await.status, 200);
    let mails = subjects(&system, 0).await.len();
    key.counter = 7;
    assert_eq!(error_code(&key.sign_in(&system).await), INVALID, "the same number again");
    assert_eq!(subjects(&system, mails).await, ["A passkey was refused"]);
    assert_eq!(key.sign_in(&system).await.status, 200, "nothing else has changed");
}

#[tokio::test]
async fn a_new_passkey_is_for_its_session_its_challenge_and_a_verified_user() {
    let (system, clock) = System::at("2026-05-28T20:26:40Z").await;
    let anna = system.sign_in("u-admin").await;
    let lies: [(&str, Lie); 5] = [
        ("another site", |it| it.origin = "https://evil.example".to_owned()),
        ("another relying party", |it| it.rp_id = Some("evil.example".to_owned())),
        ("a frame in a page of others", |it| it.in_frame_of_others = true),
        ("a user whom nobody has verified", |it| it.flags &= !Authenticator::USER_VERIFIED),
        ("what is signed to sign in", |it| it.signs_type = Some("webauthn.get")),
    ];
    for (what, lie) in lies {
        let mut phone = Authenticator::of(&system).await;
        lie(&mut phone);
        let body = new_passkey(&anna, &mut phone, "Phone").await;
        assert_eq!(error_code(&anna.post(PASSKEYS, &body).await), INVALID, "{what}");
    }

    let mut phone = Authenticator::of(&system).await;
    let body = new_passkey(&anna, &mut phone, "Phone").await;
    for (what, caller) in [("another session", system.sign_in("u-admin").await), ("another user", system.sign_in("u-full").await)]
    {
        assert_eq!(error_code(&caller.post(PASSKEYS, &body).await), INVALID, "{what}");
    }
    assert_eq!(error_code(&anna.post(PASSKEYS, &with(body.clone(), &json!({"name": " "}))).await), (400, "INVALID_REQUEST"));
    let added = join_all((0..4).map(|_| anna.post(PASSKEYS, &body))).await;
    assert_eq!(added.iter().filter(|answer| answer.status == 201).count(), 1, "{added:?}");
    let again = anna.post(PASSKEYS, &body).await;
    assert!([INVALID, (409, "PASSKEY_KNOWN")].contains(&error_code(&again)), "{again:?}");
    assert_eq!(options(&anna).await.list("/data/options/excludeCredentials").len(), 1);
    let body = new_passkey(&anna, &mut phone, "Again").await;
    assert_eq!(error_code(&anna.post(PASSKEYS, &body).await), (409, "PASSKEY_KNOWN"));

    let mut late = Authenticator::of(&system).await;
    let body = new_passkey(&anna, &mut late, "Late").await;
    clock.advance(5 * 60);
    assert_eq!(error_code(&anna.post(PASSKEYS, &body).await), INVALID);
    clock.advance(10 * 60 + 1);
    assert_eq!(error_code(&anna.post(OPTIONS, &json!({})).await), (403, "SIGN_IN_AGAIN"));
}

#[tokio::test]
async fn a_user_has_ten_passkeys_at_most() {
    let (system, anna) = System::signed_in("u-admin").await;
    for number in 0..9 {
        Authenticator::of(&system).await.add(&anna, &format!("Phone {number}")).await;
    }
    let last_two = join_all((0..2).map(|_| async {
        let body = new_passkey(&anna, &mut Authenticator::of(&system).await, "Last").await;
        anna.post(PASSKEYS, &body).await
    }))
    .await;
    assert_eq!(outcomes(&last_two), [(201, ""), (409, "PASSKEY_LIMIT")], "two at once");
    assert_eq!(anna.get(PASSKEYS).await.list("/data").len(), 10);
}

#[tokio::test]
async fn removing_a_passkey_ends_every_session() {
    let (system, clock) = System::at("2026-05-28T20:26:40Z").await;
    let (mut phone, id) = with_passkey(&system, "u-admin").await;
    let (caller, other) = (signed_in(&system, &mut phone).await, system.sign_in("u-admin").await);
    let path = format!("{PASSKEYS}/{id}");
    assert_eq!(system.sign_in("u-full").await.delete(&path).await.status, 404, "of somebody else");
    clock.advance(15 * 60 + 1);
    assert_eq!(error_code(&caller.delete(&path).await), (403, "SIGN_IN_AGAIN"));
    let caller = signed_in(&system, &mut phone).await;
    let mails = subjects(&system, 0).await.len();
    caller.delete(&path).await.ok();
    for ended in [&caller, &other] {
        assert_eq!(ended.get(SESSION).await.status, 401);
    }
    assert_eq!(subjects(&system, mails).await, ["A passkey was removed"]);
    assert_eq!(error_code(&phone.sign_in(&system).await), INVALID);
    let again = system.sign_in("u-admin").await;
    assert_eq!((again.delete(&path).await.status, again.get(PASSKEYS).await.list("/data").len()), (404, 0));
}

#[tokio::test]
async fn with_two_passkeys_codes_can_be_turned_off() {
    let (system, clock) = System::at("2026-05-28T20:26:40Z").await;
    let (mut phone, _) = with_passkey(&system, "u-admin").await;
    let (off, on) = (json!({"mailSignIn": false}), json!({"mailSignIn": true}));
    let by_code = system.sign_in("u-admin").await;
    assert_eq!(error_code(&by_code.patch(USER, &off).await), (403, "PASSKEY_REQUIRED"));
    let anna = signed_in(&system, &mut phone).await;
    assert_eq!(error_code(&anna.patch(USER, &off).await), (409, "SECOND_PASSKEY"));
    let key = Authenticator::of(&system).await.add(&anna, "Key").await;
    clock.advance(15 * 60 + 1);
    assert_eq!(error_code(&anna.patch(USER, &off).await), (403, "SIGN_IN_AGAIN"));

    let mut browser = Browser::at(&system, 1);
    let (challenge, code) = browser.mailed_code(ANNA).await;
    let anna = signed_in(&system, &mut phone).await;
    let mails = subjects(&system, 0).await.len();
    assert_eq!(anna.patch(USER, &off).await.at("/data/user/mailSignIn"), &json!(false));
    assert_eq!(subjects(&system, mails).await, ["Sign-in codes are off"]);
    assert_eq!(error_code(&browser.exchange(&challenge, &code).await), (400, "CODE_INVALID"), "mailed before");
    browser.challenge(ANNA).await;
    assert_eq!(subjects(&system, mails + 1).await, ["Your sign-in codes are off"]);
    let mail = system.emails().await.pop().unwrap();
    let dashboard = system.local.app().settings.dashboard_base_url.clone();
    insta::assert_snapshot!("codes_are_off", mail["text"].as_str().unwrap().replace(&dashboard, "[dashboard]"));

    // Any session turns them on, and so does the removal of what made them dispensable.
    assert_eq!(by_code.patch(USER, &on).await.at("/data/user/mailSignIn"), &json!(true));
    anna.patch(USER, &off).await.ok();
    anna.delete(&format!("{PASSKEYS}/{key}")).await.ok();
    let told = subjects(&system, mails + 2).await;
    assert_eq!(told, ["Sign-in codes are on", "Sign-in codes are off", "A passkey was removed"]);
    assert!(system.emails().await.pop().unwrap()["text"].as_str().unwrap().contains("e-mailed codes again"));
    assert_eq!(browser.sign_in(ANNA).await.status, 200);
}

#[tokio::test]
async fn one_passkey_that_is_backed_up_is_enough_to_do_without_codes() {
    let system = System::start().await;
    let mut phone = Authenticator::of(&system).await;
    phone.flags |= Authenticator::BACKED_UP;
    phone.add(&system.sign_in("u-admin").await, "Phone").await;
    let anna = signed_in(&system, &mut phone).await;
    anna.patch(USER, &json!({"mailSignIn": false})).await.ok();
    // A name can be changed meanwhile, and changes nothing else.
    assert_eq!(anna.patch(USER, &json!({"firstName": "Anna"})).await.at("/data/user/mailSignIn"), &json!(false));
}

#[tokio::test]
async fn failed_attempts_of_a_client_are_counted() {
    let system = System::start().await;
    let (mut phone, _) = with_passkey(&system, "u-admin").await;
    let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let limits = [(PASSKEY_ATTEMPTS, Counted::Address(Some(client)))];
    let now = system.local.app().clock.now();
    let reserved = system.store().reserve(&limits, PASSKEY_ATTEMPTS.max - 1, now).await.unwrap();
    assert!(reserved.is_ok());
    for _ in 0..3 {
        assert_eq!(phone.sign_in(&system).await.status, 200, "what succeeds does not count");
    }
    phone.origin = "https://evil.example".to_owned();
    assert_eq!(error_code(&phone.sign_in(&system).await), INVALID);
    let full = phone.sign_in(&system).await;
    assert_eq!(error_code(&full), (429, "TOO_MANY_REQUESTS"));
    assert!(full.header("retry-after").is_some());
}

#[tokio::test]
async fn a_user_ends_one_session() {
    let (system, [one, two]) = System::with_callers(["u-admin", "u-admin"]).await;
    let current =
        async |caller: &Caller| caller.get(SESSIONS).await.row("/data", "current", true)["id"].as_str().unwrap().to_owned();
    let (own, of_two) = (current(&one).await, current(&two).await);
    assert_eq!(system.sign_in("u-full").await.delete(&format!("{SESSIONS}/{of_two}")).await.status, 404, "somebody else's");
    one.delete(&format!("{SESSIONS}/{of_two}")).await.ok();
    assert_eq!((one.get(SESSION).await.status, two.get(SESSION).await.status), (200, 401));
    assert_eq!(one.delete(&format!("{SESSIONS}/{of_two}")).await.status, 404, "it is gone");
    assert!(one.delete(&format!("{SESSIONS}/{own}")).await.ok().header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(one.get(SESSION).await.status, 401);
}

/// A system as it is deployed.
async fn without_administrators_by_code() -> System {
    System::with_options(Options { administrators_by: AdministratorsBy::Passkey, ..Options::default() }).await
}

#[tokio::test]
async fn an_administrator_is_none_after_a_mailed_code() {
    let system = without_administrators_by_code().await;
    let root = system.sign_in("u-root").await;
    assert_eq!(error_code(&root.get(MERCHANTS).await), (403, "PASSKEY_REQUIRED"));
    let session = root.get(SESSION).await;
    assert_eq!((session.at("/data/user/isAdmin"), session.at("/data/permissions")), (&json!(true), &json!([])));
    assert_eq!(root.get("/api/bff/orders").await.status, 404);
    let sale = json!({"merchantId": "m-aurora", "amount": 100, "currency": "SEK", "paymentMethod": "CASH"});
    assert_eq!(root.post_with_key("/api/bff/pos/issue", "key-of-root-1", &sale).await.status, 404);
    // What is kept from an administrator is kept from them here as well.
    let founded = root.post("/api/auth/merchant", &json!({"name": "Own", "slug": "own-shop"})).await;
    assert_eq!(error_code(&founded), (409, "ALREADY_LINKED"));
    assert_eq!(error_code(&system.sign_in("u-admin").await.get(MERCHANTS).await), (403, "FORBIDDEN"));
}

#[tokio::test]
async fn an_administrator_adds_a_passkey_by_a_code_of_the_operator() {
    let system = without_administrators_by_code().await;
    let root = system.sign_in("u-root").await;
    let mut phone = Authenticator::of(&system).await;
    let mut body = new_passkey(&root, &mut phone, "Phone").await;
    for code in [None, Some(""), Some("00000000000000000000000000000000")] {
        body["enrolmentCode"] = json!(code.unwrap_or("none"));
        assert_eq!(error_code(&root.post(PASSKEYS, &body).await), (403, "ENROLMENT_REQUIRED"), "{code:?}");
    }

    let store = system.store();
    let [first, code] = [[1; 16], [2; 16]].map(EnrolmentCode::new);
    for code in [&first, &code] {
        let enrolment = Enrolment::new(code, system.local.app().clock.now());
        store.reset_platform_admin(ROOT, &enrolment).await.unwrap().unwrap();
    }
    assert_eq!(root.get(SESSION).await.status, 401, "the sessions have ended");
    let (first, code) = (first.expose(), code.expose());
    let root = system.sign_in("u-root").await;
    let mut body = new_passkey(&root, &mut phone, "Phone").await;
    body["enrolmentCode"] = json!(first);
    assert_eq!(error_code(&root.post(PASSKEYS, &body).await), (403, "ENROLMENT_REQUIRED"), "replaced by a newer one");
    // The page asks for the code once it knows that one is needed: the passkey that was made is still good.
    body["enrolmentCode"] = json!(code.to_uppercase());
    assert_eq!(root.post(PASSKEYS, &body).await.status, 201);
    let by_passkey = signed_in(&system, &mut phone).await;
    assert_eq!(by_passkey.get(MERCHANTS).await.status, 200);
    assert_eq!(by_passkey.get(SESSION).await.list("/data/permissions").len(), 8);

    let mut second = Authenticator::of(&system).await;
    let mut body = new_passkey(&by_passkey, &mut second, "Second").await;
    body["enrolmentCode"] = json!(code);
    assert_eq!(error_code(&by_passkey.post(PASSKEYS, &body).await), (403, "ENROLMENT_REQUIRED"), "used up");

    by_passkey.patch(USER, &json!({"firstName": "Root"})).await.ok();
    store.remove_platform_admin(ROOT).await.unwrap().unwrap();
    assert_eq!(by_passkey.get(SESSION).await.status, 401);
    assert_eq!(error_code(&phone.sign_in(&system).await), INVALID);
    assert_eq!(system.sign_in("u-root").await.get(PASSKEYS).await.list("/data").len(), 0);
}

#[tokio::test]
async fn the_demo_starts_where_administrators_need_a_passkey() {
    let system = System::with_data_of(Options { administrators_by: AdministratorsBy::Passkey, ..Options::default() }).await;
    assert_eq!(system.sign_in("u-root").await.get(SESSION).await.text("/data/signedInWith"), "CODE");
}
