//! Onboarding: drafts and documents, handing in, verification and its decisions, and the public check.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use hmac::{Hmac, Mac};
use insta::assert_json_snapshot;
use jiff::SignedDuration;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::Sha256;
use shared::clock::Clock;
use shared::domain::ids::{MerchantId, UserId};
use shared::domain::merchant::{Merchant, MerchantStatus};
use shared::store::Write;
use shared::store::jobs::{Job, Task};

use crate::support::{Answer, Caller, Hands, System, client};

const SUBMIT: &str = "/api/onboarding/submit";
const UPLOAD: &str = "/api/onboarding/upload";
const DOCUMENT: &str = "/api/onboarding/document";
const CHECK: &str = "/api/public/merchant/onboarding-check";
const DECISION: &str = "/api/public/merchant/kyb-decision";
const PROFILE: &str = "/api/bff/merchant";

/// What the local system keeps the verifier's keys under, and the key that it signs with.
const SECRET: &str = "portal/verifier";
const SIGNING_KEY: &str = "local-verifier-signing-key";

const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\nendobj\n";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// The world, with merchants at the beginning of their onboarding.
async fn system() -> System {
    let system = System::start().await;
    system.load(&applicants()).await;
    system
}

fn applicants() -> Value {
    let draft = json!({"id": "m-new", "slug": "nordic-tea", "status": "DRAFT", "name": "Nordic Tea"});
    let asked = json!({
        "id": "m-asked", "slug": "asked", "status": "WAITING_FOR_INFO", "name": "Asked & <Again>",
        "legalName": "Asked Again AB", "registrationNumber": "1", "currency": "SEK", "numberOfLocations": 3,
        "directors": [{"name": "Before", "role": "CEO"}],
    });
    let odd = json!({"id": "../m-new/å #?", "slug": "odd", "status": "DRAFT", "name": "Odd"});
    let user = |id: &str, merchant: &str| {
        json!({"id": id, "email": format!("{id}@example.com"), "firstName": "Nora", "merchantId": merchant,
               "merchantTeamRole": "ADMIN"})
    };
    json!({
        "merchants": [draft, asked, odd],
        "users": [user("u-new", "m-new"), user("u-asked", "m-asked"), user("u-odd", "../m-new/å #?")],
    })
}

/// Everything that has to be there to be verified.
fn complete() -> Value {
    json!({
        "registrationNumber": "556677-8899", "vatNumber": "SE556677889901",
        "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
        "directors": [{"name": "Nora Lind", "role": "CEO"}],
        "termsAccepted": true, "privacyAccepted": true,
    })
}

fn draft(mut body: Value) -> Value {
    body["isDraft"] = json!(true);
    body
}

fn settled() -> Value {
    json!({"pending": 0, "dead": 0})
}

async fn company(caller: &Caller<'_>) -> Value {
    caller.get(PROFILE).await.at("/data/company").clone()
}

async fn status(caller: &Caller<'_>) -> Value {
    company(caller).await["status"].clone()
}

/// Hands in and waits for what follows.
async fn handed_in(system: &System, caller: &Caller<'_>) {
    let handed_in = caller.post(SUBMIT, &complete()).await;
    assert_eq!((handed_in.status, handed_in.body), (200, json!({"ok": true})));
    assert_eq!(system.settle().await, settled());
}

async fn verifier_calls(system: &System) -> Vec<Value> {
    let calls = system.anonymous().get("/__local/upstream-calls").await.body;
    calls.as_array().unwrap().iter().filter(|call| call["target"] == "verifier").cloned().collect()
}

/// How often a call such as `POST /v1/sessions` was made.
async fn made(system: &System, method: &str) -> usize {
    verifier_calls(system).await.iter().filter(|call| call["method"] == method).count()
}

async fn verifier_fault(system: &System, kind: &str, times: &Value) {
    let fault = json!({"target": "verifier", "match": "*", "kind": kind, "times": times, "value": 503});
    system.faults(json!([fault])).await;
}

/// The merchant as it is stored.
async fn stored(system: &System, id: &str) -> shared::store::Stored<Merchant> {
    system.local.app().store.merchant(&MerchantId::new(id)).await.unwrap().unwrap()
}

/// Changes the merchant behind the API's back.
async fn change(system: &System, id: &str, change: impl FnOnce(&mut Merchant)) {
    let merchant = stored(system, id).await;
    let mut changed = merchant.value.clone();
    change(&mut changed);
    system.local.app().store.commit(vec![Write::replace(&merchant, &changed).unwrap()]).await.unwrap();
}

#[tokio::test]
async fn from_a_draft_to_a_decision() {
    let system = system().await;
    let caller = system.user("u-new").await;

    let begun = draft(json!({"registrationNumber": "556677-8899", "legalAddress": {"city": "Stockholm"}}));
    assert_eq!(caller.post(SUBMIT, &begun).await.body, json!({"ok": true}));
    let uploaded = upload(&caller, "registration.pdf", PDF).await;
    let papers = json!({"documents": [{"type": "REGISTRATION", "url": uploaded.text("/url"), "name": "registration.pdf"}]});
    assert_eq!(caller.post(SUBMIT, &draft(papers)).await.status, 200);
    assert_json_snapshot!("draft", company(&caller).await, {".documents[].url" => "[url]"});
    assert!(verifier_calls(&system).await.is_empty() && system.mails().await.is_empty());

    handed_in(&system, &caller).await;
    assert_json_snapshot!("submitted", company(&caller).await, {
        ".documents[].url" => "[url]", ".verifierCompanyId" => "[id]", ".verifierSessionUrl" => "[url]",
    });
    let calls = verifier_calls(&system).await;
    let [call] = &calls[..] else { panic!("{calls:?}") };
    assert_eq!(call["headers"]["x-hmac-signature"].as_str().unwrap().len(), 64);
    assert_json_snapshot!("what_the_verifier_is_asked", call["body"], {".verification.callback" => "[below]"});
    let callback = format!("{}{DECISION}", system.local.listening.api);
    assert_eq!(call["body"]["verification"]["callback"], callback);

    let mails = system.mails().await;
    let [mail] = &mails[..] else { panic!("{mails:?}") };
    let page = company(&caller).await["verifierSessionUrl"].as_str().unwrap().to_owned();
    let shown =
        |form: &str| mail[form].as_str().unwrap().replace(&page, "https://verifier.example/sessions/1");
    assert_eq!(
        (&mail["to"], &mail["subject"]),
        (&json!(["u-new@example.com"]), &json!("Verify your company to continue"))
    );
    insta::assert_snapshot!("mail_as_text", shown("text"));
    insta::assert_snapshot!("mail_as_html", shown("html"));

    for (word, status_after) in
        [("started", "KYB_IN_PROGRESS"), ("submitted", "KYB_IN_PROGRESS"), ("approved", "DECISION_PENDING")]
    {
        decide(&page, word).await;
        let company = company(&caller).await;
        assert_eq!((&company["verifierKybStatus"], &company["status"]), (&json!(word), &json!(status_after)));
    }
    decide(&page, "declined").await;
    assert_eq!(status(&caller).await, "DECISION_PENDING", "a person decides now");
    assert_eq!(caller.post(SUBMIT, &complete()).await.status, 403);
    assert_eq!(system.settle().await, settled());
    assert_eq!((made(&system, "POST").await, system.mails().await.len()), (1, 1));
}

/// Decides a session on the verifier's own page, which tells the portal.
async fn decide(page: &str, word: &str) {
    let form = client().post(format!("{page}/decision"));
    let form =
        form.header("content-type", "application/x-www-form-urlencoded").body(format!("status={word}"));
    let shown = form.send().await.unwrap().text().await.unwrap();
    assert!(shown.contains("answered 200"), "{shown}");
}

#[tokio::test]
async fn only_a_merchant_that_still_writes_can_submit() {
    let system = system().await;
    for (status, takes) in [
        ("DRAFT", true),
        ("SUBMITTED", false),
        ("WAITING_FOR_INFO", true),
        ("KYB_IN_PROGRESS", false),
        ("DECISION_PENDING", false),
        ("ACTIVE", false),
        ("INACTIVE", false),
        ("SUSPENDED", false),
        ("DECLINED", false),
    ] {
        let (merchant, user) = (format!("m-{status}"), format!("u-{status}"));
        let world = json!({
            "merchants": [{"id": merchant, "slug": merchant, "status": status, "tradingName": "Before"}],
            "users": [{"id": user, "email": format!("{user}@example.com"), "merchantId": merchant}],
        });
        system.load(&world).await;
        let caller = system.user(&user).await;
        let saved = caller.post(SUBMIT, &draft(json!({"tradingName": "After"}))).await;
        let company = company(&caller).await;
        assert_eq!(saved.status, if takes { 200 } else { 403 }, "{status}: {saved:?}");
        assert_eq!(company["tradingName"], if takes { "After" } else { "Before" }, "{status}");
        assert_eq!(company["status"], status, "a draft leaves the status alone");
        if !takes {
            for text in ["no JSON", "{}"] {
                let refused = caller.post_text(SUBMIT, text).await;
                assert_eq!(refused.status, 403, "the status comes before the input: {refused:?}");
            }
            assert_json_snapshot!("submit_refused", saved);
        }
    }
}

#[tokio::test]
async fn a_draft_keeps_what_it_is_given_and_nothing_else() {
    let system = system().await;
    let caller = system.user("u-asked").await;
    let before = company(&caller).await;
    assert_eq!(caller.post(SUBMIT, &draft(json!({}))).await.status, 200);
    assert_eq!(company(&caller).await, before);

    let given = json!({
        "vatNumber": "SE1", "currency": "NOK", "numberOfLocations": "12", "legalAddress": {"line1": "A", "state": "B"},
        "directors": [{"name": "", "role": ""}], "termsAccepted": false, "unheardOf": 1,
    });
    assert_eq!(caller.post(SUBMIT, &draft(given)).await.status, 200);
    let mut expected = before;
    expected["taxNumber"] = json!("SE1");
    expected["vatNumber"] = json!("SE1");
    expected["currency"] = json!("NOK");
    expected["numberOfLocations"] = json!(12);
    expected["legalAddress"]["line1"] = json!("A");
    expected["legalAddress"]["state"] = json!("B");
    expected["directors"] = json!([{"name": "", "role": ""}]);
    assert_eq!(company(&caller).await, expected);
    assert_eq!(system.settle().await, settled());
    assert!(verifier_calls(&system).await.is_empty() && system.mails().await.is_empty());
}

#[tokio::test]
async fn what_is_missing_or_does_not_read_is_named() {
    let system = system().await;
    let caller = system.user("u-new").await;
    let mut unaccepted = complete();
    unaccepted["termsAccepted"] = json!(false);
    let mut blank = complete();
    blank["legalAddress"]["postalCode"] = json!(" ");
    blank["directors"] = json!([]);
    for (body, message) in [
        (unaccepted, "termsAccepted: must be accepted."),
        (blank, "legalAddress.postalCode, directors: missing."),
        (draft(json!({"numberOfLocations": "many"})), "numberOfLocations: must be a whole number in digits"),
        (draft(json!({"currency": "ABC"})), "currency: must be an ISO 4217 currency code"),
        (draft(json!({"directors": [{"role": "CEO"}]})), "directors[0].name: is missing."),
    ] {
        let refused = caller.post(SUBMIT, &body).await;
        let expected = json!({"ok": false, "error": {"message": message}});
        assert_eq!((refused.status, refused.body), (400, expected), "{body}");
    }
    for text in ["", "no JSON", "[]", "null"] {
        assert_eq!(caller.post_text(SUBMIT, text).await.status, 400, "{text}");
    }
    assert_eq!(status(&caller).await, "DRAFT");
    assert_eq!(system.settle().await, settled());
    assert!(verifier_calls(&system).await.is_empty());
}

#[tokio::test]
async fn the_currency_is_euro_only_where_there_is_none() {
    let system = system().await;
    for (user, given, currency) in
        [("u-new", json!(null), "EUR"), ("u-asked", json!(null), "SEK"), ("u-odd", json!("DKK"), "DKK")]
    {
        let caller = system.user(user).await;
        let mut body = complete();
        body["currency"] = given;
        assert_eq!(caller.post(SUBMIT, &body).await.status, 200);
        assert_eq!(company(&caller).await["currency"], currency, "{user}");
    }
}

#[tokio::test]
async fn of_many_who_hand_in_at_once_one_does() {
    let system = system().await;
    let caller = system.user("u-new").await;
    let body = complete();
    let answers = join_all((0..5).map(|_| caller.post(SUBMIT, &body))).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403, 403, 403, 403]);
    assert_eq!(system.settle().await, settled());
    assert_eq!((made(&system, "POST").await, system.mails().await.len()), (1, 1));
    let accepted = stored(&system, "m-new").await.value.terms_accepted.unwrap();
    assert_eq!(accepted.user_id, UserId::new("u-new"));
}

#[tokio::test]
async fn a_verifier_that_is_down_holds_nobody_up() {
    let system = system().await;
    let caller = system.user("u-new").await;
    for kind in ["status", "drop", "timeout"] {
        verifier_fault(&system, kind, &json!("always")).await;
        if kind == "status" {
            let handed_in = caller.post(SUBMIT, &complete()).await;
            assert_eq!((handed_in.status, handed_in.body), (200, json!({"ok": true})));
        }
        assert_eq!(system.settle().await, json!({"pending": 1, "dead": 0}), "{kind}");
        let company = company(&caller).await;
        assert_eq!((&company["status"], &company["verifierSessionUrl"]), (&json!("SUBMITTED"), &Value::Null));
        assert!(system.mails().await.is_empty());
    }
    system.faults(json!([])).await;
    assert_eq!(system.settle().await, settled());
    let company = company(&caller).await;
    assert_eq!(company["verifierKybStatus"], "created");
    assert!(
        system.mails().await[0]["text"]
            .as_str()
            .unwrap()
            .contains(company["verifierSessionUrl"].as_str().unwrap())
    );
}

#[tokio::test]
async fn of_two_sessions_the_one_that_is_stored_counts() {
    let system = system().await;
    let caller = system.user("u-new").await;
    verifier_fault(&system, "after", &json!(1)).await;
    handed_in(&system, &caller).await;
    let calls = verifier_calls(&system).await;
    assert_eq!(calls.iter().map(|call| &call["status"]).collect::<Vec<_>>(), [&Value::Null, &json!(201)]);
    assert_eq!(system.mails().await.len(), 1);
}

#[tokio::test]
async fn a_mail_that_fails_opens_no_second_session() {
    let system = system().await;
    let caller = system.user("u-new").await;
    system.faults(json!([{"target": "ses", "match": "SendEmail", "kind": "status", "times": "always", "value": 500}])).await;
    assert_eq!(caller.post(SUBMIT, &complete()).await.status, 200);
    assert_eq!(system.settle().await, json!({"pending": 1, "dead": 0}));
    system.faults(json!([])).await;
    assert_eq!(system.settle().await, settled());
    assert_eq!((made(&system, "POST").await, system.mails().await.len()), (1, 1));
}

#[tokio::test]
async fn a_delivery_that_runs_again_changes_nothing() {
    let system = system().await;
    handed_in(&system, &system.user("u-new").await).await;
    let merchant = stored(&system, "m-new").await;
    let session_job_id = merchant.verification.session_job_id.clone().unwrap();

    let app = system.local.app();
    let task = Task::VerifyMerchant { user_id: UserId::new("u-new") };
    let again = Job::with_id(session_job_id, merchant.id.clone(), task, app.clock.now());
    app.store.commit(vec![Write::create(&again).unwrap()]).await.unwrap();
    assert_eq!(system.settle().await, settled());
    assert_eq!((verifier_calls(&system).await.len(), system.mails().await.len()), (1, 1));
    assert_eq!(stored(&system, "m-new").await.value, merchant.value);
}

#[tokio::test]
async fn an_open_session_is_kept_and_its_link_sent_again() {
    let system = system().await;
    let caller = system.user("u-new").await;
    handed_in(&system, &caller).await;
    let page = company(&caller).await["verifierSessionUrl"].clone();
    change(&system, "m-new", |merchant| merchant.status = MerchantStatus::WaitingForInfo).await;
    handed_in(&system, &caller).await;
    assert_eq!(company(&caller).await["verifierSessionUrl"], page);
    assert_eq!((made(&system, "POST").await, made(&system, "GET").await), (1, 1));
    let mails = system.mails().await;
    assert_eq!((mails.len(), &mails[0]["text"]), (2, &mails[1]["text"]));
}

#[tokio::test]
async fn a_session_that_is_over_or_unknown_is_replaced() {
    let system = system().await;
    let caller = system.user("u-new").await;
    handed_in(&system, &caller).await;
    let first = company(&caller).await;
    decide(first["verifierSessionUrl"].as_str().unwrap(), "resubmission_requested").await;
    assert_eq!(status(&caller).await, "WAITING_FOR_INFO");
    assert_eq!(caller.post(SUBMIT, &draft(json!({"vatNumber": "SE2"}))).await.status, 200);
    handed_in(&system, &caller).await;
    let second = company(&caller).await;
    assert_ne!(first["verifierSessionUrl"], second["verifierSessionUrl"]);
    assert_eq!(first["verifierCompanyId"], second["verifierCompanyId"]);
    assert_eq!((&second["verifierKybStatus"], &second["status"]), (&json!("created"), &json!("SUBMITTED")));

    decide(first["verifierSessionUrl"].as_str().unwrap(), "approved").await;
    assert_eq!(company(&caller).await, second, "the old session counts for nothing");

    change(&system, "m-new", |merchant| {
        merchant.status = MerchantStatus::WaitingForInfo;
        merchant.verification.session_id = Some("forgotten".to_owned());
    })
    .await;
    handed_in(&system, &caller).await;
    assert_ne!(company(&caller).await["verifierSessionUrl"], second["verifierSessionUrl"]);
    assert_eq!(system.mails().await.len(), 3);
}

fn sign(key: &str, body: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap().chain_update(body);
    hex::encode(mac.finalize().into_bytes())
}

/// A decision about the merchant's current session.
async fn about(system: &System, merchant: &str, word: &str, decided_at: &str) -> Value {
    let verification = stored(system, merchant).await.value.verification;
    json!({"verification": {
        "id": verification.session_id, "vendorData": merchant, "companyId": verification.company_id,
        "status": word, "reason": null, "decidedAt": decided_at,
    }})
}

async fn tell(system: &System, body: &str, signature: Option<&str>) -> Answer {
    let call = system.anonymous().request(Method::POST, DECISION).header("content-type", "application/json");
    let call = match signature {
        Some(signature) => call.header("x-hmac-signature", signature),
        None => call,
    };
    Caller::answer(call.body(body.to_owned())).await
}

async fn tell_signed(system: &System, body: &Value) -> Answer {
    let body = body.to_string();
    tell(system, &body, Some(&sign(SIGNING_KEY, &body))).await
}

#[tokio::test]
async fn a_decision_counts_only_with_the_verifiers_signature_over_every_byte() {
    let system = system().await;
    let caller = system.user("u-new").await;
    handed_in(&system, &caller).await;
    let before = company(&caller).await;
    let body = about(&system, "m-new", "declined", "2026-01-01T12:00:00Z").await.to_string();
    let signature = sign(SIGNING_KEY, &body);
    let spaced = format!("{body} ");
    for (body, signature) in [
        (&body, None),
        (&body, Some("")),
        (&body, Some("00")),
        (&body, Some(&*sign("another key", &body))),
        (&body, Some(&*signature.to_uppercase())),
        (&body, Some(&signature[1..])),
        (&spaced, Some(&*signature)),
        (&"no JSON".to_owned(), Some(&*signature)),
    ] {
        let refused = tell(&system, body, signature).await;
        assert_eq!(refused.status, 401, "{signature:?}");
        assert_json_snapshot!("decision_refused", refused);
        assert_eq!(company(&caller).await, before);
    }
    let taken = tell(&system, &body, Some(&signature)).await;
    assert_eq!((taken.status, taken.body), (200, json!({"ok": true})));
    assert_eq!(status(&caller).await, "DECLINED");
}

#[tokio::test]
async fn a_signed_body_that_is_no_decision_is_refused() {
    let system = system().await;
    for body in ["", "no JSON", "[]", "{}", r#"{"verification": {"id": "1"}}"#] {
        let refused = tell(&system, body, Some(&sign(SIGNING_KEY, body))).await;
        let expected = json!({"ok": false, "error": {"message": "The body is not a decision."}});
        assert_eq!((refused.status, refused.body), (400, expected), "{body}");
    }
}

#[tokio::test]
async fn decisions_lead_where_they_should_the_latest_last() {
    let system = system().await;
    let caller = system.user("u-new").await;
    handed_in(&system, &caller).await;
    for (word, decided_at, kyb_status, status) in [
        ("submitted", "2026-01-01T12:00:00.500Z", "submitted", "KYB_IN_PROGRESS"),
        ("started", "2026-01-01T12:00:00.499Z", "submitted", "KYB_IN_PROGRESS"),
        ("expired", "2026-01-01T12:00:00.499Z", "submitted", "KYB_IN_PROGRESS"),
        ("unheard_of", "2026-01-01T13:00:00Z", "submitted", "KYB_IN_PROGRESS"),
        ("started", "2026-01-01T12:00:00.500Z", "started", "KYB_IN_PROGRESS"),
        ("expired", "2026-01-01T12:30:00Z", "expired", "WAITING_FOR_INFO"),
        ("started", "2026-01-01T12:40:00Z", "started", "KYB_IN_PROGRESS"),
        ("resubmission_requested", "2026-01-01T14:45:00+02:00", "resubmission_requested", "WAITING_FOR_INFO"),
        ("approved", "2026-01-01T12:50:00Z", "approved", "DECISION_PENDING"),
        ("declined", "2026-01-01T12:55:00Z", "approved", "DECISION_PENDING"),
    ] {
        let told = tell_signed(&system, &about(&system, "m-new", word, decided_at).await).await;
        assert_eq!((told.status, told.body), (200, json!({"ok": true})), "{word}");
        let company = company(&caller).await;
        assert_eq!(
            (&company["verifierKybStatus"], &company["status"]),
            (&json!(kyb_status), &json!(status)),
            "{word} at {decided_at}"
        );
    }
}

#[tokio::test]
async fn a_decision_about_anything_else_arrives_and_changes_nothing() {
    let system = system().await;
    let caller = system.user("u-new").await;
    handed_in(&system, &caller).await;
    let before = company(&caller).await;
    let of_session = about(&system, "m-new", "approved", "2026-01-01T12:00:00Z").await;
    for (field, value) in
        [("id", "another"), ("vendorData", "m-asked"), ("vendorData", "nobody"), ("vendorData", "")]
    {
        let mut other = of_session.clone();
        other["verification"][field] = json!(value);
        assert_eq!(tell_signed(&system, &other).await.status, 200, "{field} {value}");
        assert_eq!(company(&caller).await, before);
    }
}

#[tokio::test]
async fn a_decision_that_comes_again_after_the_merchant_moved_on_does_not_move_it_back() {
    let system = system().await;
    let caller = system.user("u-new").await;
    handed_in(&system, &caller).await;
    let again = about(&system, "m-new", "resubmission_requested", "2026-01-01T12:00:00Z").await;
    assert_eq!(tell_signed(&system, &again).await.status, 200);
    verifier_fault(&system, "status", &json!("always")).await;
    assert_eq!(caller.post(SUBMIT, &complete()).await.status, 200);
    assert_eq!(tell_signed(&system, &again).await.status, 200);
    assert_eq!(status(&caller).await, "SUBMITTED");
}

#[tokio::test]
async fn decisions_that_arrive_at_once_leave_the_latest() {
    let system = system().await;
    let caller = system.user("u-new").await;
    handed_in(&system, &caller).await;
    let mut bodies = Vec::new();
    for second in 10..16 {
        let word = if second % 2 == 0 { "started" } else { "submitted" };
        bodies.push(about(&system, "m-new", word, &format!("2026-01-01T12:00:{second}Z")).await);
    }
    let answers = join_all(bodies.iter().map(|body| tell_signed(&system, body))).await;
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 500)), "{answers:?}");
    for body in &bodies {
        assert_eq!(tell_signed(&system, body).await.status, 200);
    }
    let verification = stored(&system, "m-new").await.value.verification;
    assert_eq!(verification.decided_at, Some("2026-01-01T12:00:15Z".parse().unwrap()));
    assert_eq!(verification.kyb_status.as_deref(), Some("submitted"));
}

#[tokio::test]
async fn keys_that_were_rotated_are_noticed() {
    let system = system().await;
    let caller = system.user("u-new").await;
    system.local.rotate_secret(SECRET, &json!({"apiKey": "wrong", "signingKey": "wrong"}));
    assert_eq!(caller.post(SUBMIT, &complete()).await.status, 200);
    assert_eq!(system.settle().await, json!({"pending": 1, "dead": 0}));
    system.local.rotate_secret(SECRET, &json!({"apiKey": "local-verifier-key", "signingKey": SIGNING_KEY}));
    assert_eq!(system.settle().await, settled());

    let body = about(&system, "m-new", "started", "2026-01-01T12:00:00Z").await;
    assert_eq!(tell_signed(&system, &body).await.status, 200);
    system.local.rotate_secret(SECRET, &json!({"apiKey": "local-verifier-key", "signingKey": "next"}));
    let body = about(&system, "m-new", "approved", "2026-01-01T13:00:00Z").await.to_string();
    assert_eq!(tell(&system, &body, Some(&sign("next", &body))).await.status, 200);
    assert_eq!(status(&caller).await, "DECISION_PENDING");
    assert_eq!(tell(&system, &body, Some(&sign(SIGNING_KEY, &body))).await.status, 401);
}

const BOUNDARY: &str = "a-boundary-of-the-test";

fn form(caller: &Caller<'_>, disposition: &str, content: &[u8]) -> RequestBuilder {
    let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n");
    let body = [head.as_bytes(), content, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
    let form = caller.request(Method::POST, UPLOAD);
    form.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}")).body(body)
}

async fn upload(caller: &Caller<'_>, name: &str, content: &[u8]) -> Answer {
    Caller::answer(form(caller, &format!(r#"name="file"; filename="{name}""#), content)).await
}

/// What a link shows: status, content type and bytes.
async fn open(link: &str) -> (u16, String, Vec<u8>) {
    let shown = client().get(link).send().await.unwrap();
    let content_type = shown.headers().get("content-type").map(|value| value.to_str().unwrap().to_owned());
    (shown.status().as_u16(), content_type.unwrap_or_default(), shown.bytes().await.unwrap().to_vec())
}

async fn link_to(caller: &Caller<'_>, url: &str) -> Answer {
    let encoded = url.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    caller.get(&format!("{DOCUMENT}?url={encoded}")).await
}

#[tokio::test]
async fn a_document_is_stored_shown_and_linked() {
    let system = system().await;
    let caller = system.user("u-new").await;
    let uploaded = upload(&caller, "my passport (1).png", PNG).await;
    let filename = uploaded.text("/filename");
    let id = filename.strip_suffix("-mypassport1.png").unwrap();
    assert_eq!(id.len(), 36);
    let body = uploaded.body.to_string().replace(id, "[id]");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_json_snapshot!("upload", body, {".previewUrl" => "[link]"});

    let shown = (200, "image/png".to_owned(), PNG.to_vec());
    let preview = uploaded.text("/previewUrl");
    assert!(preview.contains("X-Amz-Expires=3600"), "{preview}");
    assert_eq!(open(&preview).await, shown);
    let url = uploaded.text("/url");
    for url in [url.clone(), url.replace(".eu-west-1.", "."), url.replace('-', "%2d")] {
        let url = url.replace("eu%2dwest%2d1", "eu-west-1").replace("portal%2dfiles", "portal-files");
        let linked = link_to(&caller, &url).await;
        let link = linked.text("/url");
        assert_eq!((linked.status, linked.at("/ok")), (200, &json!(true)));
        assert!(link.contains("X-Amz-Expires=60&"), "{link}");
        assert_eq!(open(&link).await, shown);
        for (part, other) in
            [("m-new", "m-asked"), (".png", ".pdf"), ("Expires=60", "Expires=600"), (id, "0")]
        {
            let (status, ..) = open(&link.replacen(part, other, 1)).await;
            assert_eq!(status, 403, "a link is for one file and one minute: {part}");
        }
    }
}

#[tokio::test]
async fn a_link_ends_after_a_minute_and_a_preview_after_an_hour() {
    let ago = |seconds: i64| {
        let age = SignedDuration::from_secs(seconds);
        Clock::new(move || Clock::system().now().checked_sub(age).unwrap())
    };
    for (seconds, of_link, of_preview) in [(30, 200, 200), (61, 403, 200), (3570, 403, 200), (3601, 403, 403)]
    {
        let system = System::with_clock(ago(seconds)).await;
        let caller = system.user("u-admin").await;
        let uploaded = upload(&caller, "a.pdf", PDF).await;
        let link = link_to(&caller, &uploaded.text("/url")).await;
        assert_eq!(open(&link.text("/url")).await.0, of_link, "after {seconds} s");
        assert_eq!(open(&uploaded.text("/previewUrl")).await.0, of_preview, "after {seconds} s");
    }
}

#[tokio::test]
async fn a_document_is_told_by_its_content_and_has_its_bounds() {
    let system = system().await;
    let caller = system.user("u-new").await;
    let mut largest = PDF.to_vec();
    largest.resize(MAX_FILE_BYTES, b' ');
    let mut too_large = largest.clone();
    too_large.push(b' ');
    let webp = b"RIFF\x24\0\0\0WEBPVP8 ";
    for (name, content, status, ending) in [
        ("a.pdf", PDF, 200, "-a.pdf"),
        ("a.png", PNG, 200, "-a.png"),
        ("a.jpeg", b"\xff\xd8\xff\xe0", 200, "-a.jpeg"),
        ("a", b"GIF89a", 200, "-a.gif"),
        ("a.exe", webp, 200, "-a.exe.webp"),
        ("../../b/c.pdf", PDF, 200, "-c.pdf"),
        ("a.pdf", &largest, 200, "-a.pdf"),
        ("a.pdf", &too_large, 413, ""),
        ("a.pdf", b"MZ\x90\0", 415, ""),
        ("a.pdf", b"<html><script>", 415, ""),
        ("a.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", 415, ""),
        ("a.pdf", b"", 400, ""),
    ] {
        let answer = upload(&caller, name, content).await;
        assert_eq!(answer.status, status, "{name}: {answer:?}");
        if status == 200 {
            assert!(answer.text("/filename").ends_with(ending), "{answer:?}");
            assert!(answer.text("/key").starts_with("m-new/onboarding/documents/"), "{answer:?}");
            assert_eq!(answer.text("/originalName"), name);
        } else {
            assert!(answer.at("/error/message").is_string(), "{answer:?}");
        }
    }
    for (form, message) in [
        (form(&caller, r#"name="other"; filename="a.pdf""#, PDF), "file: is missing."),
        (form(&caller, r#"name="file""#, PDF), "file: is missing."),
        (caller.request(Method::POST, UPLOAD).body("{}"), "file: send it as multipart/form-data."),
    ] {
        let refused = Caller::answer(form).await;
        assert_eq!((refused.status, refused.at("/error/message")), (400, &json!(message)));
    }
}

#[tokio::test]
async fn a_document_that_cannot_be_stored_is_a_failure_of_ours() {
    let system = system().await;
    let caller = system.user("u-new").await;
    system.faults(json!([{"target": "s3", "match": "PutObject", "kind": "status", "times": "always", "value": 400}])).await;
    let failed = upload(&caller, "a.pdf", PDF).await;
    assert_json_snapshot!("upload_failed", failed);
}

#[tokio::test]
async fn nobody_sees_the_documents_of_others_but_administrators() {
    let system = system().await;
    let (new, odd) = (system.user("u-new").await, system.user("u-odd").await);
    let of_new = upload(&new, "a.pdf", PDF).await;
    let of_odd = upload(&odd, "a.pdf", PDF).await;
    assert!(
        of_odd.text("/key").starts_with("..%2Fm-new%2F%C3%A5%20%23%3F/onboarding/documents/"),
        "{of_odd:?}"
    );
    assert_eq!(open(&of_odd.text("/previewUrl")).await.0, 200);

    for (user, document, status) in [
        ("u-new", &of_new, 200),
        ("u-new", &of_odd, 403),
        ("u-odd", &of_odd, 200),
        ("u-odd", &of_new, 403),
        ("u-asked", &of_new, 403),
        ("u-root", &of_new, 200),
        ("u-root", &of_odd, 200),
        ("u-nobody", &of_new, 400),
    ] {
        let answer = link_to(&system.user(user).await, &document.text("/url")).await;
        assert_eq!(answer.status, status, "{user}: {answer:?}");
        if status == 200 {
            assert_eq!(open(&answer.text("/url")).await.2, PDF, "{user}");
        } else {
            assert!(answer.at("/error/message").is_string(), "{answer:?}");
        }
    }
    assert_eq!(link_to(&system.anonymous(), &of_new.text("/url")).await.status, 401);
    assert_json_snapshot!("document_of_another", link_to(&new, &of_odd.text("/url")).await);
}

#[tokio::test]
async fn only_what_an_upload_gave_is_linked_to() {
    let system = system().await;
    let (owner, root) = (system.user("u-new").await, system.user("u-root").await);
    let url = upload(&owner, "a.pdf", PDF).await.text("/url");
    let other_file = url.replace("/onboarding/documents/", "/private/");
    for (url, of_owner, of_root) in [
        (url.replace("https:", "http:"), 400, 400),
        (url.replace("portal-files", "other-files"), 400, 400),
        (url.replace("eu-west-1", "us-east-1"), 400, 400),
        (url.replace("amazonaws.com", "amazonaws.com.evil.example"), 400, 400),
        (
            url.replace("portal-files.s3.eu-west-1.amazonaws.com", "s3.eu-west-1.amazonaws.com/portal-files"),
            400,
            400,
        ),
        (format!("{url}?versionId=1"), 400, 400),
        (format!("{url}#a"), 400, 400),
        (format!("{url}/../b"), 400, 400),
        (url.replace("/documents/", "/documents/../documents/"), 400, 400),
        (url.replace("/documents/", "/documents/%2e%2e/documents/"), 400, 400),
        (url.replace(".pdf", ""), 200, 200),
        (url.replace("m-new", "m-asked"), 403, 200),
        (url.replace("m-new", "m-new/../m-asked"), 403, 400),
        (url.replace("m-new", "m-ne"), 403, 200),
        (other_file, 403, 400),
        ("https://portal-files.s3.eu-west-1.amazonaws.com/".to_owned(), 400, 400),
        ("not a url".to_owned(), 400, 400),
        (" ".to_owned(), 400, 400),
    ] {
        assert_eq!(link_to(&owner, &url).await.status, of_owner, "{url}");
        assert_eq!(link_to(&root, &url).await.status, of_root, "{url} for an administrator");
    }
    assert_eq!(owner.get(DOCUMENT).await.status, 400);
    assert_eq!(owner.get(&format!("{DOCUMENT}?url=")).await.status, 400);
}

async fn check(system: &System, email: &str) -> Answer {
    system.anonymous().post(CHECK, &json!({"email": email})).await
}

#[tokio::test]
async fn the_check_tells_how_far_an_onboarding_is() {
    let system = system().await;
    let at = |email: &'static str| check(&system, email);
    assert_json_snapshot!("check_draft", at("u-new@example.com").await);
    assert_json_snapshot!("check_waiting", at(" U-ASKED@Example.com ").await);
    assert_json_snapshot!("check_active", at("unset@aurora.example").await);
    assert_json_snapshot!("check_no_merchant", at("nobody@example.com").await);
    assert_json_snapshot!("check_unknown", at("stranger@example.com").await);
    assert_eq!(at("root@portal.example").await.body, at("nobody@example.com").await.body);
}

#[tokio::test]
async fn the_check_needs_a_valid_address() {
    let system = system().await;
    for (body, message) in [
        (json!({}), "email: is missing."),
        (json!({"email": null}), "email: is missing."),
        (json!({"email": ""}), "email: must be a valid e-mail address."),
        (json!({"email": "anna"}), "email: must be a valid e-mail address."),
        (json!({"email": "anna@"}), "email: must be a valid e-mail address."),
        (json!({"email": "anna@example"}), "email: must be a valid e-mail address."),
        (json!({"email": "Anna <anna@example.com>"}), "email: must be a valid e-mail address."),
        (json!({"email": "a".repeat(70) + "@example.com"}), "email: must be a valid e-mail address."),
    ] {
        let refused = system.anonymous().post(CHECK, &body).await;
        let expected = json!({"ok": false, "error": {"message": message}});
        assert_eq!((refused.status, refused.body), (400, expected), "{body}");
    }
    for body in [json!([]), json!({"email": 1}), json!({"email": {}})] {
        assert_eq!(system.anonymous().post(CHECK, &body).await.status, 400, "{body}");
    }
    assert_eq!(check(&system, "a@example.com").await.status, 200, "none of these counted");
}

#[tokio::test]
async fn the_check_costs_the_same_whoever_is_asked_about() {
    let system = system().await;
    let mut costs = BTreeSet::new();
    for email in ["admin@aurora.example", "nobody@example.com", "root@portal.example", "stranger@example.com"]
    {
        system.anonymous().send(Method::DELETE, "/__local/usage", None).await;
        assert_eq!(check(&system, email).await.status, 200);
        let usage = system.anonymous().get("/__local/usage").await.body;
        let calls = usage["onboarding"].as_object().unwrap().iter();
        costs.insert(
            calls.map(|(operation, usage)| format!("{operation} {}", usage["calls"])).collect::<Vec<_>>(),
        );
    }
    assert_eq!(costs.len(), 1, "{costs:?}");
}

#[tokio::test]
async fn an_address_can_be_asked_about_five_times_in_any_ten_minutes() {
    let hands = Hands::at("2026-11-05T09:00:00Z");
    let system = System::with_clock(hands.clock()).await;
    let email = "admin@aurora.example";
    for (turn, status, retry_after) in [
        (0, 200, None),
        (60, 200, None),
        (60, 200, None),
        (60, 200, None),
        (60, 200, None),
        (0, 429, Some("360")),
        (359, 429, Some("1")),
        (1, 200, None),
        (0, 429, Some("60")),
        (60, 200, None),
        (59, 429, Some("1")),
        (600, 200, None),
    ] {
        hands.turn(turn);
        let answer = check(&system, &email.to_uppercase()).await;
        assert_eq!((answer.status, answer.header("retry-after")), (status, retry_after), "after {turn} s");
        if status == 429 {
            assert_json_snapshot!("check_too_often", answer);
        }
    }
    assert_eq!(check(&system, "stranger@example.com").await.status, 200, "others are free to be asked about");
}

#[tokio::test]
async fn a_client_can_ask_twenty_times_in_any_ten_minutes() {
    let hands = Hands::at("2026-11-05T09:00:00Z");
    let system = System::with_clock(hands.clock()).await;
    for n in 0..20 {
        assert_eq!(check(&system, &format!("{n}@example.com")).await.status, 200, "{n}");
        hands.turn(1);
    }
    let refused = check(&system, "20@example.com").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("580")));
    // What a client says of itself changes nothing.
    let disguised = system.anonymous().request(Method::POST, CHECK).header("x-forwarded-for", "192.0.2.1");
    let disguised = Caller::answer(disguised.body(json!({"email": "20@example.com"}).to_string())).await;
    assert_eq!(disguised.status, 429);
    hands.turn(580);
    assert_eq!(check(&system, "20@example.com").await.status, 200);
    assert_eq!(check(&system, "20@example.com").await.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn however_many_ask_at_once_no_more_than_twenty_are_answered() {
    let system = System::start().await;
    let emails: Vec<String> = (0..30).map(|n| format!("{n}@example.com")).collect();
    let answers = join_all(emails.iter().map(|email| check(&system, email))).await;
    let answered = answers.iter().filter(|answer| answer.status == 200).count();
    let refused =
        answers.iter().filter(|answer| answer.status == 429 && answer.header("retry-after").is_some());
    assert_eq!((answered, refused.count()), (20, 10));
}
