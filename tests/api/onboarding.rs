//! Onboarding: drafts, documents, submission, verification decisions, and the public onboarding check.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use hmac::{Hmac, KeyInit, Mac};
use insta::assert_json_snapshot;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Sha256;
use shared::aws::Aws;
use shared::base::clock::Clock;
use shared::db::{Job, Task, Write};
use shared::merchants::model::merchant::{Director, Merchant, MerchantStatus};
use shared::values::UserId;
use world::shop::with;
use world::{ApiResponse, Caller, PNG, System, client, part, refusal};

use crate::merchant::changed_fields;

pub(crate) const SUBMIT: &str = "/api/onboarding/submit";
const UPLOAD: &str = "/api/onboarding/upload";
const DOCUMENT: &str = "/api/onboarding/document";
const CHECK: &str = "/api/public/merchant/onboarding-check";
const DECISION: &str = "/api/public/merchant/kyb-decision";
const PROFILE: &str = "/api/bff/merchant";

const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\nendobj\n";
const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// Starts a system with the base fixtures and merchants that can submit an application.
async fn system() -> System {
    let system = System::start().await;
    system.load_fixtures(&applicant_fixtures()).await;
    system
}

/// The same system, and the administrator of a draft.
async fn applicant() -> (System, Caller) {
    let system = system().await;
    let caller = system.sign_in("u-new").await;
    (system, caller)
}

/// The same, after the application was sent.
async fn applied() -> (System, Caller) {
    let (system, caller) = applicant().await;
    submit(&system, &caller).await;
    (system, caller)
}

pub(crate) fn applicant_fixtures() -> Value {
    let draft = json!({"id": "m-new", "slug": "nordic-tea", "status": "DRAFT", "name": "Nordic Tea"});
    let waiting_for_info = json!({
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
        "merchants": [draft, waiting_for_info, odd],
        "users": [user("u-new", "m-new"), user("u-asked", "m-asked"), user("u-odd", "../m-new/å #?")],
    })
}

pub(crate) fn complete_submission() -> Value {
    json!({
        "registrationNumber": "556677-8899", "vatNumber": "SE556677889901",
        "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
        "directors": [{"name": "Nora Lind", "role": "CEO"}],
        "termsAccepted": true, "privacyAccepted": true,
    })
}

fn as_draft(body: Value) -> Value {
    with(body, &json!({"isDraft": true}))
}

async fn company(caller: &Caller) -> Value {
    caller.get(PROFILE).await.at("/data/company").clone()
}

async fn status(caller: &Caller) -> Value {
    company(caller).await["status"].clone()
}

/// Where the user verifies the company.
async fn page(caller: &Caller) -> String {
    company(caller).await["verifierSessionUrl"].as_str().unwrap().to_owned()
}

async fn submit(system: &System, caller: &Caller) {
    assert_eq!(caller.post(SUBMIT, &complete_submission()).await.reply(), (200, json!({"ok": true})));
    system.finish_work().await;
}

async fn count_verifier_calls(system: &System, method: &str) -> usize {
    system.calls_to("verifier").await.iter().filter(|call| call["method"] == method).count()
}

async fn assert_one_session_and_one_mail(system: &System) {
    assert_eq!((count_verifier_calls(system, "POST").await, system.emails().await.len()), (1, 1));
}

async fn assert_nobody_was_told(system: &System) {
    assert_eq!((system.calls_to("verifier").await, system.emails().await), (vec![], vec![]));
}

#[tokio::test]
async fn merchant_passes_from_draft_to_decision() {
    let (system, caller) = applicant().await;

    let first_draft = as_draft(json!({"registrationNumber": "556677-8899", "legalAddress": {"city": "Stockholm"}}));
    assert_eq!(caller.post(SUBMIT, &first_draft).await.body, json!({"ok": true}));
    let uploaded = caller.upload(UPLOAD, "registration.pdf", PDF).await;
    let documents = json!({"documents": [{"type": "REGISTRATION", "url": uploaded.text("/url"), "name": "registration.pdf"}]});
    assert_eq!(caller.post(SUBMIT, &as_draft(documents)).await.status, 200);
    assert_json_snapshot!("draft", company(&caller).await, {".documents[].url" => "[url]"});
    assert_nobody_was_told(&system).await;

    submit(&system, &caller).await;
    assert_json_snapshot!("submitted", company(&caller).await, {
        ".documents[].url" => "[url]", ".verifierCompanyId" => "[id]", ".verifierSessionUrl" => "[url]",
    });
    let calls = system.calls_to("verifier").await;
    let [call] = &calls[..] else { panic!("{calls:?}") };
    assert_eq!(call["headers"]["x-hmac-signature"].as_str().unwrap().len(), 64);
    assert_json_snapshot!("what_the_verifier_is_asked", call["body"], {".verification.callback" => "[below]"});
    let callback = format!("{}{DECISION}", system.local.listening.api);
    assert_eq!(call["body"]["verification"]["callback"], callback);

    let emails = system.emails().await;
    let [email] = &emails[..] else { panic!("{emails:?}") };
    let page = page(&caller).await;
    let shown = |form: &str| email[form].as_str().unwrap().replace(&page, "https://verifier.example/sessions/1");
    assert_eq!((&email["to"], &email["subject"]), (&json!(["u-new@example.com"]), &json!("Verify your company to continue")));
    insta::assert_snapshot!("mail_as_text", shown("text"));
    insta::assert_snapshot!("mail_as_html", shown("html"));

    for (decision, status_after) in
        [("started", "KYB_IN_PROGRESS"), ("submitted", "KYB_IN_PROGRESS"), ("approved", "DECISION_PENDING")]
    {
        decide(&page, decision).await;
        let company = company(&caller).await;
        assert_eq!((&company["verifierKybStatus"], &company["status"]), (&json!(decision), &json!(status_after)));
    }
    decide(&page, "declined").await;
    assert_eq!(status(&caller).await, "DECISION_PENDING", "later verifier decisions have no effect");
    assert_eq!(caller.post(SUBMIT, &complete_submission()).await.status, 403);
    system.finish_work().await;
    assert_one_session_and_one_mail(&system).await;
}

/// Decides a verification session on the simulated verifier's page, which then calls the portal.
async fn decide(page: &str, status: &str) {
    let form = client().post(format!("{page}/decision"));
    let form = form.header("content-type", "application/x-www-form-urlencoded").body(format!("status={status}"));
    let shown = form.send().await.unwrap().text().await.unwrap();
    assert!(shown.contains("answered 200"), "{shown}");
}

#[tokio::test]
async fn accepts_submissions_only_in_draft_or_waiting_for_info() {
    let system = system().await;
    for (status, is_accepted) in [
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
        let fixtures = json!({
            "merchants": [{"id": merchant, "slug": merchant, "status": status, "tradingName": "Before"}],
            "users": [{"id": user, "email": format!("{user}@example.com"), "merchantId": merchant}],
        });
        system.load_fixtures(&fixtures).await;
        let caller = system.sign_in(&user).await;
        let saved = caller.post(SUBMIT, &as_draft(json!({"tradingName": "After"}))).await;
        let company = company(&caller).await;
        assert_eq!(saved.status, if is_accepted { 200 } else { 403 }, "{status}: {saved:?}");
        assert_eq!(company["tradingName"], if is_accepted { "After" } else { "Before" }, "{status}");
        assert_eq!(company["status"], status, "a draft does not change the status");
        let checked = check_onboarding(&system, &format!("{user}@example.com")).await;
        assert_eq!(checked.at("/data/merchantStatus"), status);
        assert_eq!(checked.at("/data/activated"), status == "ACTIVE");
        if !is_accepted {
            for text in ["no JSON", "{}"] {
                let rejected = caller.post_text(SUBMIT, text).await;
                assert_eq!(rejected.status, 403, "the status is checked before the body: {rejected:?}");
            }
            assert_json_snapshot!("submit_refused", saved);
        }
    }
}

#[tokio::test]
async fn draft_changes_only_the_fields_sent() {
    let system = system().await;
    let caller = system.sign_in("u-asked").await;
    let before = company(&caller).await;
    assert_eq!(caller.post(SUBMIT, &as_draft(json!({}))).await.status, 200);
    assert_eq!(company(&caller).await, before);

    let body = json!({
        "vatNumber": "SE1", "currency": "NOK", "numberOfLocations": "012", "legalAddress": {"line1": "A", "state": "B"},
        "registrationNumber": " ", "tradingName": "",
        "directors": [{"name": "", "role": ""}, {"name": "Nora"}, {"role": null}, {}],
        "documents": [{"type": "ID"}, {"name": "a.pdf", "url": ""}, {"url": "https://files.example/a.pdf"}],
        "termsAccepted": false, "unheardOf": 1,
    });
    assert_eq!(caller.post(SUBMIT, &as_draft(body)).await.status, 200);
    let changed = json!({"taxNumber": "SE1", "vatNumber": "SE1", "currency": "NOK", "numberOfLocations": 12});
    let mut expected = with(before, &changed);
    expected["legalAddress"] = with(expected["legalAddress"].clone(), &json!({"line1": "A", "state": "B"}));
    let unnamed = json!({"name": "", "role": ""});
    expected["directors"] = json!([unnamed, {"name": "Nora", "role": ""}, unnamed, unnamed]);
    expected["documents"] = json!([
        {"type": "ID", "url": ""}, {"type": "", "url": "", "name": "a.pdf"},
        {"type": "", "url": "https://files.example/a.pdf"},
    ]);
    assert_eq!(company(&caller).await, expected);
    assert_eq!(caller.post(SUBMIT, &as_draft(json!({"directors": [], "registrationNumber": " 1 "}))).await.status, 200);
    (expected["directors"], expected["registrationNumber"], expected["orgNumber"]) = (json!([]), json!(" 1 "), json!(" 1 "));

    let blank = json!({
        "vatNumber": "", "currency": " ", "numberOfLocations": "", "legalAddress": {"line1": " ", "state": null},
    });
    assert_eq!(caller.post(SUBMIT, &as_draft(blank)).await.status, 200);
    assert_eq!(company(&caller).await, expected, "blank fields count as missing");

    assert_eq!(caller.post(SUBMIT, &as_draft(json!({"directors": [], "numberOfLocations": "007"}))).await.status, 200);
    expected["directors"] = json!([]);
    expected["numberOfLocations"] = json!(7);
    assert_eq!(company(&caller).await, expected, "a list replaces the one before");
    system.finish_work().await;
    assert_nobody_was_told(&system).await;
}

#[tokio::test]
async fn a_verification_that_practically_never_ends_is_one() {
    let (system, caller) = applicant().await;
    let url = "https://verifier.example/endless";
    let answer = json!({"status": "success", "verification": {
        "id": "s-endless", "companyId": "c-1", "url": url, "status": "created", "expiresAt": "9999-12-31T23:59:59.999Z",
    }});
    system.set_fault("verifier", "POST /v1/sessions", "body", answer.to_string()).await;
    submit(&system, &caller).await;
    assert_eq!(page(&caller).await, url);
}

#[tokio::test]
async fn rejects_missing_or_invalid_fields_by_name() {
    let (system, caller) = applicant().await;
    let but = |field: &str, value: Value| with(complete_submission(), &json!({field: value}));
    let nothing = "registrationNumber, vatNumber, legalAddress.line1, legalAddress.city, legalAddress.postalCode, \
                   legalAddress.country, directors: missing. termsAccepted, privacyAccepted: must be accepted.";
    let address = json!({"line1": "x", "city": "", "country": "SE"});
    let unnamed = json!([{"name": "A", "role": "B"}, {"name": " ", "role": ""}]);
    let untyped = json!([{"name": "a.pdf"}, {"type": "ID", "url": " "}]);
    let invisible = "\u{202e}x";
    let invisible_director = json!({"directors": [{"name": "O"}, {"name": invisible, "role": "CEO"}]});
    for (body, message) in [
        (json!({}), nothing),
        (json!({"isDraft": null}), nothing),
        (json!({"isDraft": false}), nothing),
        (but("registrationNumber", json!(null)), "registrationNumber: missing."),
        (but("vatNumber", json!("  ")), "vatNumber: missing."),
        (but("legalAddress", address), "legalAddress.city, legalAddress.postalCode: missing."),
        (but("directors", json!([])), "directors: missing."),
        (but("directors", json!([{"role": "CEO"}])), "directors[0].name: missing."),
        (but("directors", unnamed), "directors[1].name, directors[1].role: missing."),
        (but("documents", untyped), "documents[0].type, documents[0].url, documents[1].url: missing."),
        (but("termsAccepted", json!(false)), "termsAccepted: must be accepted."),
        (but("privacyAccepted", json!(null)), "privacyAccepted: must be accepted."),
        (as_draft(json!({"tradingName": invisible})), "tradingName: must not contain control or invisible characters."),
        (as_draft(invisible_director.clone()), "directors[1].name: must not contain control or invisible characters."),
        (as_draft(json!({"numberOfLocations": "many"})), "numberOfLocations: must be a whole number in digits."),
        (as_draft(json!({"currency": "ABC"})), "currency: must be an ISO 4217 currency code."),
        (as_draft(json!({"currency": "hrk"})), "currency: must be a currency that is in use today."),
        (as_draft(json!({"documents": [{}, {"url": "javascript:alert(1)"}]})), "documents[1].url: must be an http or https URL."),
        (as_draft(json!({"documents": [{"url": "a.pdf"}]})), "documents[0].url: must be an http or https URL."),
    ] {
        assert_eq!(caller.post(SUBMIT, &body).await.reply(), refusal(400, message), "{body}");
    }
    for (body, field) in [
        (json!({"isDraft": "true"}), "isDraft"),
        (json!({"registrationNumber": 5_566}), "registrationNumber"),
        (json!({"vatNumber": "å".repeat(201)}), "vatNumber"),
        (json!({"currency": "XAU"}), "currency"),
        (json!({"numberOfLocations": 4}), "numberOfLocations"),
        (json!({"numberOfLocations": "+4"}), "numberOfLocations"),
        (json!({"numberOfLocations": "-4"}), "numberOfLocations"),
        (json!({"numberOfLocations": "4.0"}), "numberOfLocations"),
        (json!({"numberOfLocations": "4294967296"}), "numberOfLocations"),
        (json!({"legalAddress": []}), "legalAddress"),
        (json!({"legalAddress": {"city": 1}}), "legalAddress.city"),
        (json!({"directors": {}}), "directors"),
        (json!({"directors": [{"name": 1}]}), "directors[0].name"),
        (json!({"directors": [["A", "B"]]}), "directors[0]"),
        (json!({"directors": vec![json!({}); 51]}), "directors"),
        (json!({"documents": [{"url": "ftp://a.example/b"}]}), "documents[0].url"),
        (json!({"documents": vec![json!({}); 41]}), "documents"),
        (json!({"termsAccepted": "yes"}), "termsAccepted"),
    ] {
        caller.post(SUBMIT, &body).await.assert_invalid(&format!("{field}: "));
    }
    for text in ["", "no JSON", "[]", "null"] {
        assert_eq!(caller.post_text(SUBMIT, text).await.status, 400, "{text}");
    }
    // What is stored already stops no other change.
    let odd_names = |merchant: &mut Merchant| {
        invisible.clone_into(&mut merchant.trading_name);
        merchant.directors = vec![Director { name: invisible.to_owned(), role: "CEO".to_owned() }];
    };
    system.change_merchant("m-new", odd_names).await;
    for body in [json!({"tradingName": invisible}), invisible_director] {
        assert_eq!(caller.post(SUBMIT, &as_draft(body)).await.status, 200);
    }
    assert_eq!(status(&caller).await, "DRAFT");
    system.finish_work().await;
    assert_nobody_was_told(&system).await;
}

#[tokio::test]
async fn currency_defaults_to_eur() {
    let system = system().await;
    for (user, sent, currency) in
        [("u-new", json!(null), "EUR"), ("u-asked", json!(null), "SEK"), ("u-odd", json!(" dkk "), "DKK")]
    {
        let caller = system.sign_in(user).await;
        assert_eq!(caller.post(SUBMIT, &with(complete_submission(), &json!({"currency": sent}))).await.status, 200);
        assert_eq!(company(&caller).await["currency"], currency, "{user}");
    }
}

#[tokio::test]
async fn one_of_several_concurrent_submissions_succeeds() {
    let (system, caller) = applicant().await;
    let body = complete_submission();
    let responses = join_all((0..5).map(|_| caller.post(SUBMIT, &body))).await;
    let mut statuses: Vec<u16> = responses.iter().map(|response| response.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403, 403, 403, 403]);
    system.finish_work().await;
    assert_one_session_and_one_mail(&system).await;
    let accepted = system.merchant("m-new").await.value.terms_accepted.unwrap();
    assert_eq!(accepted.user_id, UserId::new("u-new"));
}

#[tokio::test]
async fn submission_succeeds_while_the_verifier_is_down() {
    let (system, caller) = applicant().await;
    for kind in ["status", "drop", "timeout"] {
        system.set_fault("verifier", "*", kind, 503).await;
        if kind == "status" {
            assert_eq!(caller.post(SUBMIT, &complete_submission()).await.reply(), (200, json!({"ok": true})));
        }
        assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}), "{kind}");
        let company = company(&caller).await;
        assert_eq!((&company["status"], &company["verifierSessionUrl"]), (&json!("SUBMITTED"), &Value::Null));
        assert!(system.emails().await.is_empty());
    }
    system.set_faults(json!([])).await;
    system.finish_work().await;
    assert_eq!(company(&caller).await["verifierKybStatus"], "created");
    assert!(system.emails().await[0]["text"].as_str().unwrap().contains(&page(&caller).await));
}

#[tokio::test]
async fn lost_verifier_response_leads_to_one_stored_verification_session() {
    let (system, caller) = applicant().await;
    system.set_faults(json!([{"target": "verifier", "match": "*", "kind": "after", "times": 1}])).await;
    submit(&system, &caller).await;
    let calls = system.calls_to("verifier").await;
    assert_eq!(calls.iter().map(|call| &call["status"]).collect::<Vec<_>>(), [&Value::Null, &json!(201)]);
    assert_eq!(system.emails().await.len(), 1);
}

#[tokio::test]
async fn failed_email_opens_no_second_verification_session() {
    let (system, caller) = applicant().await;
    system.set_fault("ses", "SendEmail", "status", 500).await;
    assert_eq!(caller.post(SUBMIT, &complete_submission()).await.status, 200);
    assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}));
    system.set_faults(json!([])).await;
    system.finish_work().await;
    assert_one_session_and_one_mail(&system).await;
}

#[tokio::test]
async fn repeated_job_changes_nothing() {
    let system = system().await;
    submit(&system, &system.sign_in("u-new").await).await;
    let merchant = system.merchant("m-new").await;
    let session_job_id = merchant.verification.session_job_id.clone().unwrap();
    let app = system.local.app();
    let task = Task::VerifyMerchant { user_id: UserId::new("u-new") };
    let again = Job::with_id(session_job_id, merchant.id.clone(), task, app.clock.now());
    app.store.commit(vec![Write::create(&again).unwrap()]).await.unwrap();
    system.finish_work().await;
    assert_eq!((system.calls_to("verifier").await.len(), system.emails().await.len()), (1, 1));
    assert_eq!(system.merchant("m-new").await.value, merchant.value);
}

#[tokio::test]
async fn keeps_an_open_verification_session_and_sends_its_url_again() {
    let (system, caller) = applied().await;
    let page = company(&caller).await["verifierSessionUrl"].clone();
    system.change_merchant("m-new", |merchant| merchant.status = MerchantStatus::WaitingForInfo.into()).await;
    submit(&system, &caller).await;
    assert_eq!(company(&caller).await["verifierSessionUrl"], page);
    assert_eq!((count_verifier_calls(&system, "POST").await, count_verifier_calls(&system, "GET").await), (1, 1));
    let emails = system.emails().await;
    assert_eq!((emails.len(), &emails[0]["text"]), (2, &emails[1]["text"]));
}

#[tokio::test]
async fn replaces_an_ended_or_unknown_verification_session() {
    let (system, caller) = applied().await;
    let first = company(&caller).await;
    decide(first["verifierSessionUrl"].as_str().unwrap(), "resubmission_requested").await;
    assert_eq!(status(&caller).await, "WAITING_FOR_INFO");
    assert_eq!(caller.post(SUBMIT, &as_draft(json!({"vatNumber": "SE2"}))).await.status, 200);
    submit(&system, &caller).await;
    let second = company(&caller).await;
    assert_ne!(first["verifierSessionUrl"], second["verifierSessionUrl"]);
    assert_eq!(first["verifierCompanyId"], second["verifierCompanyId"]);
    assert_eq!((&second["verifierKybStatus"], &second["status"]), (&json!("created"), &json!("SUBMITTED")));

    decide(first["verifierSessionUrl"].as_str().unwrap(), "approved").await;
    assert_eq!(company(&caller).await, second, "a decision about the replaced verification session has no effect");

    let forget = |merchant: &mut Merchant| {
        merchant.status = MerchantStatus::WaitingForInfo.into();
        merchant.verification.session_id = Some("forgotten".to_owned());
    };
    system.change_merchant("m-new", forget).await;
    submit(&system, &caller).await;
    assert_ne!(company(&caller).await["verifierSessionUrl"], second["verifierSessionUrl"]);
    assert_eq!(system.emails().await.len(), 3);
}

#[tokio::test]
async fn identity_changes_are_recorded_until_the_verifier_gets_them() {
    let (system, caller) = applicant().await;
    let recorded = async || changed_fields(&system, "m-new").await;
    submit(&system, &caller).await;
    assert!(recorded().await.is_empty(), "the first application is new to everybody");

    assert_eq!(caller.put(PROFILE, &json!({"company": {"legalName": "Other AB"}})).await.status, 200);
    decide(&page(&caller).await, "resubmission_requested").await;
    let address = json!({"legalAddress": {"city": "Lund"}, "documents": [{"name": "new.pdf"}]});
    assert_eq!(caller.post(SUBMIT, &as_draft(address)).await.status, 200);
    assert_eq!(recorded().await, ["legalName", "legalAddress", "documents"]);

    // A change while the verifier is sent the application is unknown to it.
    system.set_fault("verifier", "*", "status", 503).await;
    assert_eq!(caller.post(SUBMIT, &complete_submission()).await.status, 200);
    system.drain().await;
    assert_eq!(recorded().await, ["legalName", "documents", "legalAddress"], "the verifier has not got them");
    system.set_faults(json!([])).await;
    system.finish_work().await;
    assert!(recorded().await.is_empty(), "a new verification session has them");

    // A session that is still open is kept, and verifies the company as it was.
    system.change_merchant("m-new", |merchant| merchant.status = MerchantStatus::WaitingForInfo.into()).await;
    let resubmission = with(complete_submission(), &json!({"vatNumber": "SE2"}));
    assert_eq!(caller.post(SUBMIT, &resubmission).await.status, 200);
    system.finish_work().await;
    assert_eq!(recorded().await, ["vatNumber"]);
    decide(&page(&caller).await, "approved").await;
    assert_eq!((status(&caller).await, recorded().await), (json!("DECISION_PENDING"), vec!["vatNumber".to_owned()]));
}

fn sign(key: &str, body: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap().chain_update(body);
    hex::encode(mac.finalize().into_bytes())
}

async fn decision(system: &System, merchant: &str, status: &str, decided_at: &str) -> Value {
    let verification = system.merchant(merchant).await.value.verification;
    json!({"verification": {
        "id": verification.session_id, "vendorData": merchant, "companyId": verification.company_id,
        "status": status, "reason": null, "decidedAt": decided_at,
    }})
}

async fn post_decision(system: &System, body: &str, signature: Option<&str>) -> ApiResponse {
    let mut call = system.anonymous().request(Method::POST, DECISION).header("content-type", "application/json");
    if let Some(signature) = signature {
        call = call.header("x-hmac-signature", signature);
    }
    Caller::send_request(call.body(body.to_owned())).await
}

async fn post_signed(system: &System, body: &str) -> ApiResponse {
    post_decision(system, body, Some(&sign(&signing_key(system).await, body))).await
}

/// Sends a decision about the current verification session of m-new, which is accepted.
async fn decide_at(system: &System, status: &str, decided_at: &str) {
    let body = decision(system, "m-new", status, decided_at).await.to_string();
    assert_eq!(post_signed(system, &body).await.reply(), (200, json!({"ok": true})), "{status} at {decided_at}");
}

/// The secret with the verifier's keys.
async fn verifier_keys(system: &System) -> Value {
    let settings = &system.local.app().settings;
    let secrets = Aws::new(settings.aws.clone()).secrets_manager();
    let secret = secrets.get_secret_value().secret_id(&settings.verifier_secret_id).send().await.unwrap();
    serde_json::from_str(secret.secret_string().unwrap()).unwrap()
}

async fn signing_key(system: &System) -> String {
    verifier_keys(system).await["signingKey"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn rejects_decisions_without_a_valid_signature_over_the_exact_body() {
    let (system, caller) = applied().await;
    let before = company(&caller).await;
    let body = decision(&system, "m-new", "declined", "2026-01-01T12:00:00Z").await.to_string();
    let key = signing_key(&system).await;
    let signature = sign(&key, &body);
    let spaced = format!("{body} ");
    for (body, signature) in [
        (&body, None),
        (&body, Some("")),
        (&body, Some("00")),
        (&body, Some("\u{e9}")),
        (&body, Some(&*sign("", &body))),
        (&body, Some(&*sign(&key, ""))),
        (&body, Some(&*sign(&key, &format!("{body} ")))),
        (&body, Some(&*format!("{signature}0"))),
        (&body, Some(&*format!("sha256={signature}"))),
        (&body, Some(&*format!("{signature}, {signature}"))),
        (&body, Some(&*sign("another key", &body))),
        (&body, Some(&*signature.to_uppercase())),
        (&body, Some(&signature[1..])),
        (&spaced, Some(&*signature)),
        (&"no JSON".to_owned(), Some(&*signature)),
    ] {
        let rejected = post_decision(&system, body, signature).await;
        assert_eq!(rejected.status, 401, "{signature:?}");
        assert_json_snapshot!("decision_refused", rejected);
        assert_eq!(company(&caller).await, before);
    }
    assert_eq!(post_decision(&system, &body, Some(&signature)).await.reply(), (200, json!({"ok": true})));
    assert_eq!(status(&caller).await, "DECLINED");
}

#[tokio::test]
async fn rejects_a_signed_body_that_is_not_a_decision() {
    let (system, _) = applied().await;
    let decision_text = decision(&system, "m-new", "started", "2026-01-01T12:00:00Z").await.to_string();
    let of_levels = |levels: usize| {
        let mut deep = decision_text.clone();
        deep.insert_str(1, &format!(r#""unknown": {}{}, "#, "[".repeat(levels - 1), "]".repeat(levels - 1)));
        deep
    };
    assert_eq!(post_signed(&system, &of_levels(64)).await.status, 200);
    for body in ["", "no JSON", "[]", "{}", r#"{"verification": {"id": "1"}}"#, &of_levels(65), &of_levels(50_000)] {
        assert_eq!(post_signed(&system, body).await.reply(), refusal(400, "The body is not a decision."), "{body}");
    }
}

#[tokio::test]
async fn odd_decisions_change_nothing() {
    let (system, caller) = applied().await;
    let before = company(&caller).await;
    let valid = decision(&system, "m-new", "approved", "2026-01-01T12:00:00Z").await;
    let session = valid["verification"]["id"].as_str().unwrap().to_owned();
    let long = "x".repeat(100_000);
    let mut bodies = Vec::new();
    for (field, value) in [
        ("id", json!(null)),
        ("id", json!(1)),
        ("id", json!([session])),
        ("id", json!("")),
        ("id", json!(format!("{session} "))),
        ("id", json!(session.to_uppercase() + "x")),
        ("id", json!(long)),
        ("vendorData", json!(null)),
        ("vendorData", json!({"S": "m-new"})),
        ("vendorData", json!("m-new#x")),
        ("vendorData", json!("../m-new")),
        ("vendorData", json!("\0")),
        ("vendorData", json!(long)),
        ("status", json!(null)),
        ("status", json!(["approved"])),
        ("status", json!("APPROVED")),
        ("status", json!("ACTIVE")),
        ("status", json!("")),
        ("status", json!("approved\0")),
        ("status", json!("created")),
        ("status", json!(long)),
        ("decidedAt", json!(null)),
        ("decidedAt", json!(1_767_261_600)),
        ("decidedAt", json!("yesterday")),
        ("decidedAt", json!("")),
        ("decidedAt", json!("2026-01-01")),
        ("decidedAt", json!("99999-01-01T00:00:00Z")),
    ] {
        let mut odd = valid.clone();
        odd["verification"][field] = value;
        bodies.push(odd.to_string());
    }
    let text = valid.to_string();
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    bodies.extend([
        text[..text.len() / 2].to_owned(),
        text.repeat(2),
        format!("\u{feff}{text}"),
        text.replace('"', "'"),
        text.replacen('{', &format!(r#"{{"deep": {deep}, "#), 1),
        format!(r#"{{"verification": {deep}}}"#),
        deep,
        // No reader may take one of two for the decision.
        text.replacen(r#""status""#, r#""status": "declined", "status""#, 1),
        text.replacen(r#""verification""#, r#""verification": {}, "verification""#, 1),
    ]);
    bodies.extend([" ", "null", r#""""#, "1e999", "\0"].map(str::to_owned));
    bodies.extend(["null", "[]"].map(|inner| format!(r#"{{"verification": {inner}}}"#)));
    for body in &bodies {
        let response = post_signed(&system, body).await;
        assert!(matches!(response.status, 200 | 400 | 413), "{body:.200}: {response:?}");
    }
    // Of another verification session or merchant.
    for (field, value) in [("id", "another"), ("vendorData", "m-asked"), ("vendorData", "nobody"), ("vendorData", "")] {
        let mut other = valid.clone();
        other["verification"][field] = json!(value);
        assert_eq!(post_signed(&system, &other.to_string()).await.status, 200, "{field} {value}");
    }
    assert_eq!(company(&caller).await, before);
}

#[tokio::test]
async fn decisions_change_the_status_unless_they_are_outdated() {
    let (system, caller) = applied().await;
    for (verifier_status, decided_at, kyb_status, status) in [
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
        decide_at(&system, verifier_status, decided_at).await;
        let company = company(&caller).await;
        assert_eq!(
            [&company["verifierKybStatus"], &company["status"]],
            [kyb_status, status],
            "{verifier_status} at {decided_at}"
        );
    }
}

#[tokio::test]
async fn only_a_merchant_that_awaits_verification_changes() {
    let (system, caller) = applied().await;
    for (second, (before, changes)) in [
        ("DRAFT", false),
        ("SUBMITTED", true),
        ("WAITING_FOR_INFO", true),
        ("KYB_IN_PROGRESS", true),
        ("DECISION_PENDING", false),
        ("ACTIVE", false),
        ("INACTIVE", false),
        ("SUSPENDED", false),
    ]
    .into_iter()
    .enumerate()
    {
        let at_first: MerchantStatus = serde_json::from_value(json!(before)).unwrap();
        system.change_merchant("m-new", |merchant| merchant.status = at_first.into()).await;
        decide_at(&system, "declined", &format!("2026-01-01T12:00:0{second}Z")).await;
        assert_eq!(status(&caller).await, if changes { "DECLINED" } else { before });
    }
    system.change_merchant("m-new", |merchant| merchant.status = MerchantStatus::Declined.into()).await;
    decide_at(&system, "approved", "2026-01-01T12:00:08Z").await;
    assert_eq!(status(&caller).await, "DECLINED");
}

#[tokio::test]
async fn a_decision_of_the_future_changes_nothing() {
    let (system, _) = System::at("2026-05-01T12:00:00Z").await;
    system.load_fixtures(&applicant_fixtures()).await;
    let caller = system.sign_in("u-new").await;
    submit(&system, &caller).await;
    for decided_at in ["9999-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "2026-05-01T12:10:00.001Z"] {
        decide_at(&system, "approved", decided_at).await;
        assert_eq!(status(&caller).await, "SUBMITTED", "{decided_at}");
    }
    // The verifier's clock can be a little ahead.
    decide_at(&system, "started", "2026-05-01T12:10:00Z").await;
    assert_eq!(status(&caller).await, "KYB_IN_PROGRESS");
}

#[tokio::test]
async fn documents_are_stored_byte_for_byte() {
    let (_system, caller) = applicant().await;
    let jpeg = b"\xff\xd8\xff\xe1\0\x0bby Anna..\xff\xdb\0\x03t\xff\xd9".to_vec();
    let huge = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\0\0\0\x01\0\0\x08\x02\0\0\0CRC ";
    let pdf = b"%PDF-1.7 by Anna".to_vec();
    for content in [&jpeg[..], huge, &pdf, b"\xef\xbb\xbf%PDF-1.4", b"\r\n %PDF-1.4"] {
        let stored = caller.upload(UPLOAD, "scan", content).await;
        let (status, _, bytes) = download(&stored.text("/previewUrl")).await;
        assert_eq!((status, bytes.escape_ascii().to_string()), (200, content.escape_ascii().to_string()));
    }
    let late = [&[b' '; 1024][..], b"%PDF-1.4"].concat();
    assert_eq!(caller.upload(UPLOAD, "scan.pdf", &late).await.status, 415);
}

#[tokio::test]
async fn repeated_decision_does_not_revert_a_later_submission() {
    let (system, caller) = applied().await;
    let repeated = decision(&system, "m-new", "resubmission_requested", "2026-01-01T12:00:00Z").await.to_string();
    assert_eq!(post_signed(&system, &repeated).await.status, 200);
    system.set_fault("verifier", "*", "status", 503).await;
    assert_eq!(caller.post(SUBMIT, &complete_submission()).await.status, 200);
    assert_eq!(post_signed(&system, &repeated).await.status, 200);
    assert_eq!(status(&caller).await, "SUBMITTED");
}

#[tokio::test]
async fn latest_of_several_concurrent_decisions_wins() {
    let (system, _) = applied().await;
    let mut bodies = Vec::new();
    for second in 10..16 {
        let status = if second % 2 == 0 { "started" } else { "submitted" };
        bodies.push(decision(&system, "m-new", status, &format!("2026-01-01T12:00:{second}Z")).await.to_string());
    }
    let responses = join_all(bodies.iter().map(|body| post_signed(&system, body))).await;
    assert!(responses.iter().all(|response| matches!(response.status, 200 | 500)), "{responses:?}");
    for body in &bodies {
        assert_eq!(post_signed(&system, body).await.status, 200);
    }
    let verification = system.merchant("m-new").await.value.verification;
    assert_eq!(verification.decided_at, Some("2026-01-01T12:00:15Z".parse().unwrap()));
    assert_eq!(verification.kyb_status.as_deref(), Some("submitted"));
}

#[tokio::test]
async fn reloads_rotated_verifier_keys() {
    let (system, caller) = applicant().await;
    let (secret, keys) = (system.local.environment["VERIFIER_SECRET_ID"].as_str(), verifier_keys(&system).await);
    system.local.rotate_secret(secret, &json!({"apiKey": "wrong", "signingKey": "wrong"})).await.unwrap();
    assert_eq!(caller.post(SUBMIT, &complete_submission()).await.status, 200);
    assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}));
    system.local.rotate_secret(secret, &keys).await.unwrap();
    system.finish_work().await;
    decide_at(&system, "started", "2026-01-01T12:00:00Z").await;
    system.local.rotate_secret(secret, &json!({"apiKey": keys["apiKey"], "signingKey": "next"})).await.unwrap();
    let body = decision(&system, "m-new", "approved", "2026-01-01T13:00:00Z").await.to_string();
    assert_eq!(post_decision(&system, &body, Some(&sign("next", &body))).await.status, 200);
    assert_eq!(status(&caller).await, "DECISION_PENDING");
    let former = sign(keys["signingKey"].as_str().unwrap(), &body);
    assert_eq!(post_decision(&system, &body, Some(&former)).await.status, 401);
}

/// Downloads a presigned URL. Returns the status, the content type and the bytes.
async fn download(url: &str) -> (u16, String, Vec<u8>) {
    let response = client().get(url).send().await.unwrap();
    let content_type = response.headers().get("content-type").map(|value| value.to_str().unwrap().to_owned());
    (response.status().as_u16(), content_type.unwrap_or_default(), response.bytes().await.unwrap().to_vec())
}

async fn presign_document(caller: &Caller, url: &str) -> ApiResponse {
    let encoded = url.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    caller.get(&format!("{DOCUMENT}?url={encoded}")).await
}

#[tokio::test]
async fn a_member_uploads_at_most_100_documents_a_day_and_a_stranger_uses_up_none() {
    let (system, clock) = System::at("2026-03-01T10:00:00Z").await;
    system.load_fixtures(&applicant_fixtures()).await;
    let (caller, another) = (system.sign_in("u-new").await, system.sign_in("u-asked").await);
    for _ in 0..100 {
        assert_eq!(system.anonymous().upload(UPLOAD, "a.pdf", PDF).await.status, 401);
        assert_eq!(caller.upload(UPLOAD, "a.pdf", PDF).await.status, 200);
    }
    let refused = caller.upload(UPLOAD, "a.pdf", PDF).await;
    let message = "You have reached your limit of 100 document uploads a day. Please try again in 24 hours.";
    assert_eq!((refused.reply(), refused.header("retry-after")), (refusal(429, message), Some("86400")));
    assert_eq!(another.upload(UPLOAD, "a.pdf", PDF).await.status, 200);
    clock.advance(24 * 60 * 60);
    assert_eq!(system.sign_in("u-new").await.upload(UPLOAD, "a.pdf", PDF).await.status, 200);
}

#[tokio::test]
async fn stores_a_document_and_returns_presigned_urls() {
    let (_system, caller) = applicant().await;
    let uploaded = caller.upload(UPLOAD, "my passport (1).png", PNG).await;
    let filename = uploaded.text("/filename");
    let id = filename.strip_suffix("-mypassport1.png").unwrap();
    assert_eq!(id.len(), 36);
    let body = uploaded.body.to_string().replace(id, "[id]");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_json_snapshot!("upload", body, {".previewUrl" => "[link]"});

    let expected = (200, "image/png".to_owned(), PNG.to_vec());
    let preview = uploaded.text("/previewUrl");
    assert!(preview.contains("X-Amz-Expires=3600"), "{preview}");
    assert_eq!(download(&preview).await, expected);
    let url = uploaded.text("/url");
    for url in [url.clone(), url.replace(".eu-west-1.", "."), url.replace('-', "%2d")] {
        let url = url.replace("eu%2dwest%2d1", "eu-west-1").replace("portal%2dfiles", "portal-files");
        let presigned = presign_document(&caller, &url).await;
        let presigned_url = presigned.text("/url");
        assert_eq!((presigned.status, presigned.at("/ok")), (200, &json!(true)));
        assert!(presigned_url.contains("X-Amz-Expires=60&"), "{presigned_url}");
        assert_eq!(download(&presigned_url).await, expected);
        for (part, other) in
            [("m-new", "m-asked"), (".png", ".pdf"), ("Expires=60", "Expires=600"), ("image%2Fpng", "text%2Fhtml"), (id, "0")]
        {
            let (status, ..) = download(&presigned_url.replacen(part, other, 1)).await;
            assert_eq!(status, 403, "the signature covers the key and the expiry: {part}");
        }
    }
}

#[tokio::test]
async fn a_document_is_a_download_wherever_it_is_linked() {
    let (system, caller) = applicant().await;
    let uploaded = caller.upload(UPLOAD, "../paß\u{202e} 1.pdf", PDF).await;
    let documents = json!({"documents": [{"type": "REGISTRATION", "url": uploaded.text("/url"), "name": "passport"}]});
    assert_eq!(caller.post(SUBMIT, &as_draft(documents)).await.status, 200);
    let profile = system.sign_in("u-root").await.get("/api/admin/merchants/m-new").await;
    let filename = uploaded.text("/filename");
    assert!(filename.ends_with("-pass1.pdf"), "{filename}");
    for link in [
        uploaded.text("/previewUrl"),
        presign_document(&caller, &uploaded.text("/url")).await.text("/url"),
        profile.text("/data/profile/documents/0/link"),
    ] {
        let opened = client().get(&link).send().await.unwrap();
        let headers = ["content-type", "content-disposition"].map(|name| opened.headers()[name].to_str().unwrap());
        assert_eq!(headers, ["application/pdf", &format!("attachment; filename=\"{filename}\"")]);
        assert!(link.contains("response-content-type=application%2Fpdf"), "{link}");
        assert_eq!(client().get(link.replace("attachment", "inline")).send().await.unwrap().status(), 403);
    }
}

#[tokio::test]
async fn presigned_urls_expire_after_a_minute_and_previews_after_an_hour() {
    let ago = |seconds: i64| {
        let age = SignedDuration::from_secs(seconds);
        Clock::new(move || Clock::system().now().checked_sub(age).unwrap())
    };
    for (seconds, document_status, preview_status) in [(30, 200, 200), (61, 403, 200), (3570, 403, 200), (3601, 403, 403)] {
        let system = System::with_clock(ago(seconds)).await;
        let caller = system.sign_in("u-admin").await;
        let uploaded = caller.upload(UPLOAD, "a.pdf", PDF).await;
        let presigned = presign_document(&caller, &uploaded.text("/url")).await;
        assert_eq!(download(&presigned.text("/url")).await.0, document_status, "after {seconds} s");
        assert_eq!(download(&uploaded.text("/previewUrl")).await.0, preview_status, "after {seconds} s");
    }
}

#[tokio::test]
async fn detects_the_document_type_from_the_content_and_limits_the_size() {
    let (_system, caller) = applicant().await;
    let mut largest = PDF.to_vec();
    largest.resize(MAX_FILE_BYTES, b' ');
    let mut too_large = largest.clone();
    too_large.push(b' ');
    let webp = b"RIFF\x24\0\0\0WEBPVP8 ";
    for (name, content, status, ending) in [
        ("a.pdf", PDF, 200, "-a.pdf"),
        ("a.png", PNG, 200, "-a.png"),
        ("A.JPEG", b"\xff\xd8\xff\xe0", 200, "-A.JPEG"),
        ("a.jpg", b"\xff\xd8\xff\xe0", 200, "-a.jpg"),
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
        let response = caller.upload(UPLOAD, name, content).await;
        assert_eq!(response.status, status, "{name}: {response:?}");
        if status == 200 {
            assert!(response.text("/filename").ends_with(ending), "{response:?}");
            assert!(response.text("/key").starts_with("m-new/onboarding/documents/"), "{response:?}");
            assert_eq!(response.text("/originalName"), name);
        }
    }
    for (form, message) in [
        (caller.request_with_form(UPLOAD, &[part(r#"name="other"; filename="a.pdf""#, PDF)]), "file: is missing."),
        (caller.request_with_form(UPLOAD, &[part(r#"name="file""#, b"text")]), "file: is missing."),
        (caller.request(Method::POST, UPLOAD).body("{}"), "file: send it as multipart/form-data."),
    ] {
        assert_eq!(Caller::send_request(form).await.reply(), refusal(400, message));
    }
}

#[tokio::test]
async fn returns_the_file_name_as_sent_and_stores_it_in_ascii() {
    let (_system, caller) = applicant().await;
    for (disposition, original_name, stored) in [
        (r#"name="file"; filename="日本.pdf""#, "日本.pdf", "RiBen.pdf"),
        (r#"name="file"; filename="Års redovisning.pdf""#, "Års redovisning.pdf", "Arsredovisning.pdf"),
        (r#"name="file"; filename="=?UTF-8?Q?a?=.pdf""#, "=?UTF-8?Q?a?=.pdf", "UTF-8Qa.pdf"),
        (r#"name="file"; filename="../../other/a.pdf""#, "../../other/a.pdf", "a.pdf"),
        (r#"name="file"; filename="C:\scans\a.pdf""#, r"C:\scans\a.pdf", "a.pdf"),
        (r#"name="file"; filename="\"a\".pdf""#, r#""a".pdf"#, "a.pdf"),
        // Not a parameter of forms (RFC 7578).
        (r#"name="file"; filename="a.pdf"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.pdf"#, "a.pdf", "a.pdf"),
        (r#"name="file"; filename="☃︎.pdf""#, "☃︎.pdf", "snowman.pdf"),
        (r#"name="file"; filename="?!.pdf""#, "?!.pdf", "file.pdf"),
        (r#"name="file"; filename="""#, "", "file.pdf"),
        (r#"name="file""#, "", "file.pdf"),
    ] {
        let uploaded = Caller::send_request(caller.request_with_form(UPLOAD, &[part(disposition, PDF)])).await;
        assert_eq!(uploaded.status, 200, "{disposition}: {uploaded:?}");
        assert_eq!(uploaded.text("/originalName"), original_name, "{disposition}");
        let (filename, key) = (uploaded.text("/filename"), uploaded.text("/key"));
        assert_eq!(&filename[36..], format!("-{stored}"), "{disposition}");
        assert_eq!(key, format!("m-new/onboarding/documents/{filename}"), "{disposition}");
        assert_eq!(presign_document(&caller, &uploaded.text("/url")).await.status, 200, "{disposition}");
    }
}

#[tokio::test]
async fn returns_500_if_a_document_cannot_be_stored() {
    let (system, caller) = applicant().await;
    system.set_fault("s3", "PutObject", "status", 400).await;
    let failed = caller.upload(UPLOAD, "a.pdf", PDF).await;
    assert_json_snapshot!("upload_failed", failed);
}

/// As 4 MiB can be on their way, with little processing power.
#[tokio::test]
async fn a_document_that_is_stored_slowly_is_stored() {
    let (system, caller) = applicant().await;
    system.set_fault("s3", "PutObject", "delay", 2_500).await;
    caller.upload(UPLOAD, "a.pdf", PDF).await.ok();
}

#[tokio::test]
async fn only_the_merchant_and_platform_administrators_can_read_a_document() {
    let system = system().await;
    let (new, odd) = (system.sign_in("u-new").await, system.sign_in("u-odd").await);
    let new_document = new.upload(UPLOAD, "a.pdf", PDF).await;
    let odd_document = odd.upload(UPLOAD, "a.pdf", PDF).await;
    assert!(odd_document.text("/key").starts_with("..%2Fm-new%2F%C3%A5%20%23%3F/onboarding/documents/"), "{odd_document:?}");
    assert_eq!(download(&odd_document.text("/previewUrl")).await.0, 200);

    for (user, document, status) in [
        ("u-new", &new_document, 200),
        ("u-new", &odd_document, 403),
        ("u-odd", &odd_document, 200),
        ("u-odd", &new_document, 403),
        ("u-asked", &new_document, 403),
        ("u-root", &new_document, 200),
        ("u-root", &odd_document, 200),
        ("u-nobody", &new_document, 400),
    ] {
        let response = presign_document(&system.sign_in(user).await, &document.text("/url")).await;
        assert_eq!(response.status, status, "{user}: {response:?}");
        if status == 200 {
            assert_eq!(download(&response.text("/url")).await.2, PDF, "{user}");
        }
    }
    assert_eq!(presign_document(&system.anonymous(), &new_document.text("/url")).await.status, 401);
    assert_json_snapshot!("document_of_another", presign_document(&new, &odd_document.text("/url")).await);
}

#[tokio::test]
async fn presigns_only_urls_of_uploaded_documents() {
    let system = system().await;
    let (owner, root) = (system.sign_in("u-new").await, system.sign_in("u-root").await);
    let url = owner.upload(UPLOAD, "a.pdf", PDF).await.text("/url");
    let other_file = url.replace("/onboarding/documents/", "/private/");
    for (url, owner_status, root_status) in [
        (url.replace("https:", "http:"), 400, 400),
        (url.replace("portal-files", "other-files"), 400, 400),
        (url.replace("portal-files", "portal-images"), 400, 400),
        (url.replace("eu-west-1", "us-east-1"), 400, 400),
        (url.replace("amazonaws.com", "amazonaws.com.evil.example"), 400, 400),
        (url.replace("portal-files.s3.eu-west-1.amazonaws.com", "s3.eu-west-1.amazonaws.com/portal-files"), 400, 400),
        (url.replace("amazonaws.com", "amazonaws.com@evil.example"), 400, 400),
        (url.replace("amazonaws.com", "amazonaws.com:8443"), 400, 400),
        (url.replace("https://", "https://user@"), 400, 400),
        (url.replace("m-new", "%ff"), 400, 400),
        (url.replace("m-new", "m%252dnew"), 403, 400),
        (url.replace("m-new", "m new"), 403, 400),
        (url.replace("m-new", "m-new/m-new"), 403, 400),
        (format!("{url}?versionId=1"), 400, 400),
        (format!("{url}#a"), 400, 400),
        (format!("{url}/../b"), 400, 400),
        (url.replace("/documents/", "/documents/../documents/"), 400, 400),
        (url.replace("/documents/", "/documents/%2e%2e/documents/"), 400, 400),
        (url.replace(".pdf", ""), 200, 200),
        (url.replace("m-new", "m-asked"), 403, 200),
        (url.replace("m-new", "m-new/../m-asked"), 403, 400),
        (url.replace("m-new", "m-ne"), 403, 200),
        (url.replace("m-new", ""), 403, 400),
        (other_file, 403, 400),
        ("https://portal-files.s3.eu-west-1.amazonaws.com/".to_owned(), 400, 400),
        ("not a url".to_owned(), 400, 400),
        (" ".to_owned(), 400, 400),
    ] {
        assert_eq!(presign_document(&owner, &url).await.status, owner_status, "{url}");
        assert_eq!(presign_document(&root, &url).await.status, root_status, "{url} for a platform administrator");
    }
    assert_eq!(owner.get(DOCUMENT).await.status, 400);
    assert_eq!(owner.get(&format!("{DOCUMENT}?url=")).await.status, 400);
}

#[tokio::test]
async fn applications_and_documents_require_the_permission_for_the_profile() {
    let system = system().await;
    let member =
        |id: &str, access: Value| with(json!({"id": id, "email": format!("{id}@example.com"), "merchantId": "m-new"}), &access);
    let members = [
        member("u-new-full", json!({"merchantTeamRole": "FULL"})),
        member("u-new-viewer", json!({"merchantTeamRole": "VIEWER"})),
        member("u-new-unset", json!({})),
        member("u-new-till", json!({"permissions": ["portal.pos"]})),
        member("u-new-office", json!({"permissions": ["portal.information"]})),
        member("u-new-root", json!({"isAdmin": true, "permissions": []})),
    ];
    system.load_fixtures(&json!({"users": members})).await;
    let document = system.sign_in("u-new").await.upload(UPLOAD, "a.pdf", PDF).await.text("/url");

    for (user, draft, uploaded, read) in [
        ("u-new", 200, 200, 200),
        ("u-new-full", 200, 200, 200),
        ("u-new-unset", 200, 200, 200),
        ("u-new-office", 200, 200, 200),
        ("u-new-root", 200, 200, 200),
        ("u-new-viewer", 403, 403, 200),
        ("u-new-till", 403, 403, 403),
        ("u-root", 400, 400, 200),
        ("u-nobody", 400, 400, 400),
    ] {
        let caller = system.sign_in(user).await;
        let responses = [
            caller.post(SUBMIT, &as_draft(json!({"tradingName": user}))).await,
            caller.upload(UPLOAD, "a.pdf", PDF).await,
            presign_document(&caller, &document).await,
        ];
        for (response, expected) in responses.iter().zip([draft, uploaded, read]) {
            assert_eq!(response.status, expected, "{user}: {response:?}");
            assert_eq!(response.at("/error/message").is_string(), expected != 200, "{user}: {response:?}");
        }
    }
    // The permission is checked before the merchant's status and the body.
    let till = system.sign_in("u-till").await;
    for rejected in [till.post_text(SUBMIT, "no JSON").await, till.post_text(UPLOAD, "no form").await, till.get(DOCUMENT).await] {
        assert_eq!(rejected.reply(), refusal(403, "You do not have permission to do this."));
    }
}

async fn check_onboarding(system: &System, email: &str) -> ApiResponse {
    system.anonymous().post(CHECK, &json!({"email": email})).await
}

#[tokio::test]
async fn check_returns_the_onboarding_status() {
    let system = system().await;
    let at = |email: &'static str| check_onboarding(&system, email);
    assert_json_snapshot!("check_draft", at("u-new@example.com").await);
    assert_json_snapshot!("check_waiting", at(" U-ASKED@Example.com ").await);
    assert_json_snapshot!("check_active", at("unset@aurora.example").await);
    assert_json_snapshot!("check_no_merchant", at("nobody@example.com").await);
    assert_json_snapshot!("check_unknown", at("stranger@example.com").await);
    assert_eq!(at("root@portal.example").await.body, at("nobody@example.com").await.body);
}

#[tokio::test]
async fn check_rejects_invalid_email_addresses() {
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
        assert_eq!(system.anonymous().post(CHECK, &body).await.reply(), refusal(400, message), "{body}");
    }
    for body in [json!([]), json!({"email": 1}), json!({"email": {}})] {
        assert_eq!(system.anonymous().post(CHECK, &body).await.status, 400, "{body}");
    }
    assert_eq!(check_onboarding(&system, "a@example.com").await.status, 200, "invalid requests do not count toward the limit");
}

#[tokio::test]
async fn check_makes_the_same_dynamodb_calls_for_every_email_address() {
    let system = system().await;
    let mut distinct_calls = BTreeSet::new();
    for email in ["admin@aurora.example", "nobody@example.com", "root@portal.example", "stranger@example.com"] {
        system.reset_usage().await;
        assert_eq!(check_onboarding(&system, email).await.status, 200);
        let usage = system.usage().await;
        let calls = usage["onboarding"].as_object().unwrap().iter();
        distinct_calls.insert(calls.map(|(operation, usage)| format!("{operation} {}", usage["calls"])).collect::<Vec<_>>());
    }
    assert_eq!(distinct_calls.len(), 1, "{distinct_calls:?}");
}

#[tokio::test]
async fn check_is_limited_to_5_requests_per_email_address_in_10_minutes() {
    let (system, manual_clock) = System::at("2026-11-05T09:00:00Z").await;
    let email = "admin@aurora.example";
    for (seconds, status, retry_after) in [
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
        manual_clock.advance(seconds);
        let response = check_onboarding(&system, &email.to_uppercase()).await;
        assert_eq!((response.status, response.header("retry-after")), (status, retry_after), "after {seconds} s");
        if status == 429 {
            assert_json_snapshot!("check_too_often", response);
        }
    }
    assert_eq!(check_onboarding(&system, "stranger@example.com").await.status, 200, "the limit applies to each e-mail address");

    // The clock of another instance can be behind.
    for _ in 0..5 {
        check_onboarding(&system, email).await;
    }
    manual_clock.advance(-90);
    let rejected = check_onboarding(&system, email).await;
    assert_eq!((rejected.status, rejected.header("retry-after")), (429, Some("600")));
}

#[tokio::test]
async fn check_is_limited_to_20_requests_per_client_in_10_minutes() {
    let (system, manual_clock) = System::at("2026-11-05T09:00:00Z").await;
    for n in 0..20 {
        assert_eq!(check_onboarding(&system, &format!("{n}@example.com")).await.status, 200, "{n}");
        manual_clock.advance(1);
    }
    let rejected = check_onboarding(&system, "20@example.com").await;
    assert_eq!((rejected.status, rejected.header("retry-after")), (429, Some("580")));
    // `x-forwarded-for` does not change which client the request counts for.
    let request = system.anonymous().request(Method::POST, CHECK).header("x-forwarded-for", "192.0.2.1");
    assert_eq!(Caller::send_request(request.body(json!({"email": "20@example.com"}).to_string())).await.status, 429);
    manual_clock.advance(580);
    assert_eq!(check_onboarding(&system, "20@example.com").await.status, 200);
    assert_eq!(check_onboarding(&system, "20@example.com").await.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn concurrent_checks_stay_within_the_client_limit() {
    let system = System::start().await;
    let emails: Vec<String> = (0..30).map(|n| format!("{n}@example.com")).collect();
    let responses = join_all(emails.iter().map(|email| check_onboarding(&system, email))).await;
    let succeeded = responses.iter().filter(|response| response.status == 200).count();
    let limited = responses.iter().filter(|response| response.status == 429 && response.header("retry-after").is_some());
    assert_eq!((succeeded, limited.count()), (20, 10));
}

/// It would win over every other one until then.
#[tokio::test]
async fn a_stored_decision_of_the_future_counts_as_none() {
    let (system, _) = System::at("2026-05-01T12:00:00Z").await;
    system.load_fixtures(&applicant_fixtures()).await;
    let caller = system.sign_in("u-new").await;
    submit(&system, &caller).await;
    for (stored, status_after) in [("2026-05-01T12:10:00Z", "SUBMITTED"), ("9999-01-01T00:00:00Z", "DECISION_PENDING")] {
        let stored = stored.parse().unwrap();
        system.change_merchant("m-new", |merchant| merchant.verification.decided_at = Some(stored)).await;
        let body = decision(&system, "m-new", "approved", "2026-05-01T12:00:00Z").await;
        assert_eq!(post_signed(&system, &body.to_string()).await.status, 200);
        assert_eq!(status(&caller).await, status_after, "{stored}");
    }
}
