//! The merchant profile: reads, the logo lookup, and changes. The jobs of a change are tested in `jobs`.

use futures_util::future::join_all;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use world::shop::with;
use world::{ApiResponse, Caller, System, refusal};

const MERCHANT: &str = "/api/bff/merchant";
const STATS: &str = "/api/bff/merchant/stats";

/// Returns the names of the identity fields that changed after the submission, oldest change first.
pub(crate) async fn changed_fields(system: &System, merchant: &str) -> Vec<String> {
    let changes = system.merchant(merchant).await.value.identity_changes;
    let fields = changes.iter().map(|change| serde_json::to_value(&change.field).unwrap());
    fields.map(|field| field.as_str().unwrap().to_owned()).collect()
}

/// Loads merchants without a stored logo, each with one user. The network account of `m-logo` has a logo, that of
/// `m-plain` has none, that of `m-unknown` does not exist, and `m-none` has no account.
async fn load_merchants_without_logo(system: &System) {
    for (name, account) in [("logo", Some("2001")), ("plain", Some("2002")), ("unknown", Some("2003")), ("none", None)] {
        load(system, name, &json!({"networkMerchantId": account})).await;
    }
    let accounts = json!([{"merchantId": "2001", "logoUrl": "https://network.example/logo.png"}, {"merchantId": "2002"}]);
    system.load_fixtures(&json!({"cardNetwork": {"merchants": accounts}})).await;
}

/// A merchant `m-{name}` with these fields, whose only member is `u-{name}`.
async fn load(system: &System, name: &str, fields: &Value) -> Caller {
    let (merchant, user) = (format!("m-{name}"), format!("u-{name}"));
    let fixtures = json!({
        "merchants": [with(json!({"id": merchant}), fields)],
        "users": [{"id": user, "email": format!("{name}@x.example"), "merchantId": merchant}],
    });
    system.load_fixtures(&fixtures).await;
    system.sign_in(&user).await
}

async fn logo(caller: &Caller) -> Value {
    caller.get(MERCHANT).await.ok().at("/data/brand/logoUrl").clone()
}

async fn count_account_lookups(system: &System) -> usize {
    let calls = system.network_calls().await;
    calls.iter().filter(|call| call["method"] == "GET").count()
}

#[tokio::test]
async fn returns_every_field_of_the_profile() {
    let system = System::start().await;
    assert_json_snapshot!("profile", system.sign_in("u-admin").await.get(MERCHANT).await);
}

#[tokio::test]
async fn unset_fields_are_empty_and_verifier_fields_are_null() {
    let system = System::start().await;
    let fresh = load(&system, "fresh", &json!({"status": "DRAFT"})).await;
    assert_json_snapshot!("profile_of_a_fresh_merchant", fresh.get(MERCHANT).await);
}

#[tokio::test]
async fn profile_contains_no_link_that_could_run_a_script() {
    let system = System::start().await;
    let script = "javascript:alert(1)";
    let fields = json!({
        "verifierSessionUrl": script, "storefront": {"primaryColor": "url(x)"},
        "brand": {"logoUrl": script, "website": " Java\tscript:alert(1)", "facebook": "//a.example",
                  "twitter": "@links", "instagram": "https://a.example/'links'"},
        "documents": [{"type": "A", "url": script}, {"type": "B", "url": "https://a.example/b.pdf"}],
    });
    let profile = load(&system, "links", &fields).await.get(MERCHANT).await;
    let expected = json!({
        "logoUrl": "", "website": "", "facebook": "", "twitter": "@links",
        "instagram": "https://a.example/%27links%27", "category": "", "descriptor": "", "primaryColor": "",
    });
    assert_eq!(profile.at("/data/brand"), &expected);
    assert_eq!(profile.at("/data/company/verifierSessionUrl"), &Value::Null);
    for documents in ["/data/company/documents", "/data/kyb/documents"] {
        let expected = json!([{"type": "A", "url": ""}, {"type": "B", "url": "https://a.example/b.pdf"}]);
        assert_eq!(profile.at(documents), &expected);
    }
}

#[tokio::test]
async fn profile_includes_the_verification_status() {
    let system = System::start().await;
    let status = json!({
        "status": "KYB_IN_PROGRESS", "verifierKybStatus": "submitted", "verifierCompanyId": "c-1",
        "verifierSessionUrl": "https://verifier.example/s",
    });
    let profile = load(&system, "seen", &status).await.get(MERCHANT).await;
    for (field, value) in status.as_object().unwrap() {
        assert_eq!(&profile.at("/data/company")[field], value, "{field}");
    }
}

#[tokio::test]
async fn user_without_a_merchant_sees_whether_an_invitation_is_pending() {
    let system = System::start().await;
    let invite = |to: &str, verified_at: Option<&str>, verification_ends: &str, ends: &str| {
        json!({"challengeId": format!("c-{to}-{ends}"), "merchantId": "m-aurora", "email": to, "verifiedAt": verified_at,
               "verificationExpiresAt": verification_ends, "expiresAt": ends})
    };
    let invites = json!([
        invite("Open@X.Example", None, "now+1h", "now+7d"),
        invite("late@x.example", None, "now-1h", "now+7d"),
        invite("verified@x.example", Some("now-2h"), "now-1h", "now+7d"),
        invite("ended@x.example", Some("now-8d"), "now-8d", "now-1d"),
        invite("both@x.example", Some("now-8d"), "now-8d", "now-1d"),
        invite("both@x.example", None, "now+1h", "now+7d"),
    ]);
    let users = ["open", "late", "verified", "ended", "both"]
        .map(|name| json!({"id": format!("u-{name}"), "email": format!("{name}@x.example")}));
    system.load_fixtures(&json!({"users": users, "invites": invites})).await;
    assert_json_snapshot!("without_a_merchant", system.sign_in("u-nobody").await.get(MERCHANT).await);
    for (user, pending) in [
        ("u-open", true),
        ("u-late", false),
        ("u-verified", true),
        ("u-ended", false),
        ("u-both", true),
        ("u-nobody", false),
        ("u-root", false),
    ] {
        let response = system.sign_in(user).await.get(MERCHANT).await;
        assert_eq!(response.at("/meta/pendingTeamInvite"), &json!(pending), "{user}: {response:?}");
    }
}

#[tokio::test]
async fn missing_logo_is_looked_up_after_the_response() {
    let system = System::start().await;
    load_merchants_without_logo(&system).await;
    for (user, found) in [("u-logo", "https://network.example/logo.png"), ("u-plain", ""), ("u-unknown", ""), ("u-none", "")] {
        let caller = system.sign_in(user).await;
        assert_eq!(logo(&caller).await, "", "{user}");
        system.finish_work().await;
        assert_eq!(logo(&caller).await, found, "{user}");
    }
}

#[tokio::test]
async fn removed_logo_is_not_looked_up() {
    let (system, manual_clock) = System::at("2026-03-01T10:00:00Z").await;
    load_merchants_without_logo(&system).await;
    let caller = system.sign_in("u-logo").await;
    logo(&caller).await;
    system.drain().await;
    assert_eq!(logo(&caller).await, "https://network.example/logo.png");
    let remove = json!({"brand": {"logoUrl": ""}});
    for _ in 0..2 {
        assert_eq!(caller.put(MERCHANT, &remove).await.reply(), (200, json!({"ok": true, "data": remove})));
    }
    for _ in 0..2 {
        manual_clock.advance(25 * 3600);
        assert_eq!(logo(&system.sign_in("u-logo").await).await, "");
        system.finish_work().await;
        assert_eq!(count_account_lookups(&system).await, 1);
    }
    assert_eq!(system.emails().await.len(), 1);

    let caller = system.sign_in("u-logo").await;
    caller.put(MERCHANT, &json!({"brand": {"logoUrl": "https://own.example/logo.png"}})).await;
    assert_eq!(logo(&caller).await, "https://own.example/logo.png");
}

#[tokio::test]
async fn lookup_that_waits_does_not_replace_a_logo_that_was_set_or_removed_meanwhile() {
    for logo_urls in [&["https://own.example/logo.png"][..], &["https://own.example/logo.png", ""]] {
        let system = System::start().await;
        load_merchants_without_logo(&system).await;
        let caller = system.sign_in("u-logo").await;
        system.set_network_fault("GET *", "drop", Value::Null).await;
        logo(&caller).await;
        system.drain().await;
        for logo_url in logo_urls {
            caller.put(MERCHANT, &json!({"brand": {"logoUrl": logo_url}})).await;
        }
        // Until it is told of the change, the network has a logo.
        system.set_network_fault("PATCH *", "drop", Value::Null).await;
        system.drain().await;
        assert_eq!(logo(&caller).await, *logo_urls.last().unwrap());
        system.set_faults(json!([])).await;
        system.finish_work().await;
        assert_eq!(logo(&caller).await, *logo_urls.last().unwrap());
    }
}

#[tokio::test]
async fn only_a_missing_logo_is_looked_up_and_by_concurrent_reads_once() {
    let (system, admin) = System::signed_in("u-admin").await;
    for _ in 0..2 {
        assert_eq!(logo(&admin).await, "https://aurora.example/logo.png");
        system.drain().await;
        assert_eq!(count_account_lookups(&system).await, 0);
    }
    load_merchants_without_logo(&system).await;
    let caller = system.sign_in("u-plain").await;
    join_all((0..8).map(|_| logo(&caller))).await;
    system.drain().await;
    assert_eq!(count_account_lookups(&system).await, 1);
}

#[tokio::test]
async fn logo_that_was_not_found_is_looked_up_again_after_a_day() {
    let (system, manual_clock) = System::at("2026-03-01T22:00:00Z").await;
    load_merchants_without_logo(&system).await;
    for (seconds, lookups) in [(0, 1), (3600, 1), (3 * 3600, 1), (24 * 3600 - 4 * 3600 - 1, 1), (1, 2)] {
        manual_clock.advance(seconds);
        logo(&system.sign_in("u-plain").await).await;
        system.drain().await;
        assert_eq!(count_account_lookups(&system).await, lookups, "{}", system.local.app().clock.now());
    }
}

#[tokio::test]
async fn an_outage_delays_the_logo_and_fails_no_read() {
    let system = System::start().await;
    load_merchants_without_logo(&system).await;
    let caller = system.sign_in("u-logo").await;
    // The lookup cannot even be enqueued.
    system.set_fault("dynamodb", "TransactWriteItems", "status", 500).await;
    assert_eq!(logo(&caller).await, "");
    system.set_network_fault("*", "status", json!(503)).await;
    assert_eq!(logo(&caller).await, "");
    assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}));
    assert_eq!(logo(&caller).await, "");
    system.set_faults(json!([])).await;
    system.finish_work().await;
    assert_eq!(logo(&caller).await, "https://network.example/logo.png");
}

#[tokio::test]
async fn dead_logo_lookup_is_repeated_the_next_day() {
    let (system, manual_clock) = System::at("2026-03-01T10:00:00Z").await;
    load_merchants_without_logo(&system).await;
    system.set_network_fault("*", "status", json!(403)).await;
    let look = async || logo(&system.sign_in("u-logo").await).await;
    look().await;
    while system.drain().await["dead"] == 0 {}
    system.set_faults(json!([])).await;
    for (hours, found) in [(0, ""), (14, "https://network.example/logo.png")] {
        manual_clock.advance(hours * 3600);
        look().await;
        system.drain().await;
        assert_eq!(look().await, found, "after {hours} hours");
    }
}

#[tokio::test]
async fn change_is_echoed_and_stored_only_in_writable_fields() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let sent = json!({
        "company": {
            "status": "SUSPENDED", "legalName": "Aurora Holding AB", "orgNumber": "111111-2222", "taxNumber": "SE111111222201",
            "country": "NO", "currency": "NOK", "tradeName": "Aurora Trade", "externalMerchantId": "ext-9",
            "timeZone": "Europe/Oslo",
        },
        "brand": {
            "logoUrl": "https://cdn.example/Logo.png?v=2", "category": "Tea", "descriptor": "D", "website": "https://new.example",
            "facebook": "@aurora", "twitter": "https://x.example/aurora", "instagram": "aurora.coffee", "primaryColor": "#0A7f3c",
        },
    });
    assert_eq!(caller.put(MERCHANT, &sent).await.reply(), (200, json!({"ok": true, "data": sent})));
    assert_json_snapshot!("profile_after_a_change", caller.get(MERCHANT).await);
}

#[tokio::test]
async fn omitted_fields_stay_and_unknown_fields_are_not_echoed() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let before = caller.get(MERCHANT).await;
    for (sent, echo) in [
        (json!({}), json!({})),
        (json!({"company": {}, "brand": {}}), json!({"company": {}, "brand": {}})),
        (json!({"slug": "mine", "company": {"vatNumber": "1", "legalAddress": {}}}), json!({"company": {}})),
    ] {
        assert_eq!(caller.put(MERCHANT, &sent).await.reply(), (200, json!({"ok": true, "data": echo})), "{sent}");
    }
    assert_eq!(caller.get(MERCHANT).await.body, before.body);

    caller.put(MERCHANT, &json!({"company": {"taxNumber": ""}, "brand": {"website": "", "primaryColor": ""}})).await;
    let mut expected = before.body;
    for path in ["company/taxNumber", "company/vatNumber", "kyb/vatNumber", "brand/website", "brand/primaryColor"] {
        *expected.pointer_mut(&format!("/data/{path}")).unwrap() = json!("");
    }
    assert_eq!(caller.get(MERCHANT).await.body, expected);
}

#[tokio::test]
async fn change_that_changes_nothing_sends_no_email() {
    let (system, caller) = System::signed_in("u-admin").await;
    let profile = caller.get(MERCHANT).await;
    let fields = |group: &str, names: &[&str]| {
        let value = |name: &&str| ((*name).to_owned(), profile.at(&format!("/data/{group}/{name}")).clone());
        Value::Object(names.iter().map(value).collect())
    };
    let company = ["legalName", "tradeName", "orgNumber", "taxNumber", "country", "currency", "timeZone"];
    let brand = ["logoUrl", "category", "descriptor", "website", "facebook", "twitter", "instagram"];
    for body in [
        json!({}),
        json!({"company": {}, "brand": {}}),
        json!({"company": fields("company", &company), "brand": fields("brand", &brand)}),
        json!({"company": {"status": "SUSPENDED", "country": "NO", "currency": "NOK"}, "brand": {"category": "Tea"}}),
    ] {
        assert_eq!(caller.put(MERCHANT, &body).await.reply(), (200, json!({"ok": true, "data": body})));
    }
    assert_eq!(caller.get(MERCHANT).await.body, profile.body);
    system.finish_work().await;
    assert!(system.emails().await.is_empty());

    // A merchant without a logo has none to remove.
    assert_eq!(system.sign_in("u-bare").await.put(MERCHANT, &json!({"brand": {"logoUrl": ""}})).await.status, 200);
    system.drain().await;
    assert!(system.emails().await.is_empty());
}

#[tokio::test]
async fn identity_changes_after_the_submission_are_recorded() {
    let system = System::start().await;
    for status in ["DRAFT", "SUBMITTED", "DECISION_PENDING", "ACTIVE"] {
        let merchant = format!("m-{status}");
        let caller = load(&system, status, &json!({"slug": merchant, "status": status})).await;
        let last = vec!["vatNumber", "registrationNumber", "legalName", "tradeName"];
        for (body, fields) in [
            (json!({"brand": {"website": "https://w.example"}, "company": {"timeZone": "UTC+01:00"}}), vec![]),
            (json!({"company": {"legalName": "AA", "taxNumber": "1"}}), vec!["legalName", "vatNumber"]),
            (json!({"company": {"legalName": "AA", "orgNumber": "2"}}), vec!["legalName", "vatNumber", "registrationNumber"]),
            (json!({"company": {"legalName": "BB", "tradeName": "CC"}}), last),
        ] {
            assert_eq!(caller.put(MERCHANT, &body).await.status, 200);
            let expected = if status == "DRAFT" { vec![] } else { fields };
            let stored = system.merchant(&merchant).await;
            assert_eq!(changed_fields(&system, &merchant).await, expected, "{status} {body}");
            let users = stored.identity_changes.iter().map(|change| change.user_id.to_string());
            assert!(users.into_iter().all(|user| user == format!("u-{status}")));
        }
    }
}

#[tokio::test]
async fn merchant_name_is_the_legal_name_or_else_the_trade_name() {
    let (system, caller) = System::signed_in("u-admin").await;
    for (company, name) in [
        (json!({"legalName": "Legal", "tradeName": "Trade"}), "Legal"),
        (json!({"tradeName": "Another trade"}), "Legal"),
        (json!({"legalName": " "}), "Another trade"),
        (json!({"legalName": "", "tradeName": ""}), "Another trade"),
    ] {
        caller.put(MERCHANT, &json!({"company": company})).await;
        system.drain().await;
        let email = system.emails().await.pop().unwrap();
        assert!(email["text"].as_str().unwrap().contains(&format!("details of \u{2068}{name}\u{2069} were")), "{email}");
    }
}

#[tokio::test]
async fn rejects_an_invalid_change_and_names_the_field() {
    let (system, caller) = System::signed_in("u-admin").await;
    let before = caller.get(MERCHANT).await;
    let non_string_cases = |field: &str| {
        ["null", "7", "true", "[]", "{}"].map(|value| {
            let (group, name) = field.split_once('.').unwrap();
            let body = format!(r#"{{"{group}": {{"{name}": {value}}}}}"#);
            (body, format!("{field}: must be a string."))
        })
    };
    let fields = "company.status company.legalName company.orgNumber company.taxNumber company.country company.currency \
                  company.tradeName company.externalMerchantId company.timeZone brand.logoUrl brand.category brand.descriptor \
                  brand.website brand.facebook brand.twitter brand.instagram brand.primaryColor";
    let mut cases: Vec<(String, String)> = fields.split(' ').flat_map(non_string_cases).collect();
    for (field, link) in [
        ("website", "javascript:alert(1)"),
        ("website", "https://"),
        ("facebook", " JavaScript:alert(1)"),
        ("twitter", "data:text/html,x"),
        ("instagram", "ftp://a.example"),
    ] {
        let message = format!("brand.{field}: must be an http or https URL, or have no scheme.");
        cases.push((json!({"brand": {field: link}}).to_string(), message));
    }
    for url in [
        " ",
        "logo.png",
        "/logo.png",
        "aurora.example/logo.png",
        "javascript:alert(1)",
        "ftp://a.example/logo.png",
        "http://",
        "https:a.example/logo.png",
        " https://a.example/logo.png",
        "https://a.example/lo\ngo.png",
        r"https:\\a.example\logo.png",
    ] {
        cases.push((json!({"brand": {"logoUrl": url}}).to_string(), "brand.logoUrl: must be an http or https URL.".to_owned()));
    }
    for color in [" ", "teal", "#fff", "#12345g", "#1f4e5f;", "#1f4e5f00"] {
        let body = json!({"brand": {"primaryColor": color}}).to_string();
        cases.push((body, "brand.primaryColor: must be a color such as #1f4e5f.".to_owned()));
    }
    let too_long = json!({"company": {"country": "å".repeat(1001)}}).to_string();
    for (body, message) in [
        (&*too_long, "company.country: must have at most 1000 characters."),
        (r#"{"company": null}"#, "company: must be an object."),
        (r#"{"company": []}"#, "company: must be an object."),
        (r#"{"brand": "x"}"#, "brand: must be an object."),
        ("[]", "The body is not a JSON object."),
        ("null", "The body is not a JSON object."),
        ("", "The body is not a JSON object."),
        ("{", "The body is not valid JSON."),
        ("{} {}", "The body is not valid JSON."),
    ] {
        cases.push((body.to_owned(), message.to_owned()));
    }
    for (body, message) in cases {
        assert_eq!(put_text(&caller, &body).await.reply(), refusal(400, &message), "{body}");
    }
    assert_eq!(caller.get(MERCHANT).await.body, before.body);
    system.drain().await;
    assert!(system.emails().await.is_empty());
}

#[tokio::test]
async fn a_time_zone_is_known_or_stays_as_it_is() {
    let (system, caller) = System::signed_in("u-admin").await;
    let zone = |zone: &str| json!({"company": {"timeZone": zone}});
    for known in ["America/Havana", "UTC+05:30", "UTC-03:07", "UTC"] {
        assert_eq!(caller.put(MERCHANT, &zone(known)).await.status, 200, "{known}");
        assert_eq!(caller.get(MERCHANT).await.at("/data/company/timeZone"), known);
    }
    let message = "company.timeZone: must be an IANA time zone, or UTC±HH:MM.";
    for unknown in ["GMT+2", "Pacific Standard Time", "Mars/X", "UTC+5", "UTC+25:00", "Etc/Unknown", "+02:00"] {
        assert_eq!(caller.put(MERCHANT, &zone(unknown)).await.reply(), refusal(400, message), "{unknown}");
    }
    system.change_merchant("m-aurora", |merchant| merchant.time_zone = "GMT+2".to_owned()).await;
    let unchanged = json!({"company": {"timeZone": "GMT+2", "orgNumber": "1"}});
    assert_eq!(caller.put(MERCHANT, &unchanged).await.status, 200);
}

#[tokio::test]
async fn names_of_people_and_companies_have_one_rule() {
    const SESSION_USER: &str = "/api/auth/session/user";
    let (system, caller) = System::signed_in("u-admin").await;
    let company = |name: &str| json!({"company": {"legalName": name, "tradeName": name}});
    let user = |name: &str| json!({"firstName": name, "lastName": name});
    for name in ["李", "Å", "می\u{200c}نا", "ශ\u{dca}\u{200d}රී", "O'Neill", "A\u{30a}sa"] {
        let composed = if name == "A\u{30a}sa" { "Åsa" } else { name };
        let saved = caller.patch(SESSION_USER, &user(name)).await;
        assert_eq!((saved.status, saved.text("/data/user/firstName").as_str()), (200, composed), "{saved:?}");
        let status = if name.chars().count() < 2 { 400 } else { 200 };
        assert_eq!(caller.put(MERCHANT, &company(name)).await.status, status, "{name}");
        if status == 200 {
            assert_eq!(caller.get(MERCHANT).await.at("/data/company/legalName"), composed);
        }
    }
    for (name, problem) in [
        ("\u{202e}anna", "must not contain control or invisible characters."),
        ("Anna\u{200c}", "must not contain control or invisible characters."),
        ("see https://x.example", "must not contain a link."),
        ("--", "must contain a letter or a digit."),
        (&"x".repeat(81), "must have at most 80 characters."),
    ] {
        let refused = [caller.patch(SESSION_USER, &user(name)).await, caller.put(MERCHANT, &company(name)).await];
        for (response, field) in refused.iter().zip(["firstName", "company.legalName"]) {
            assert_eq!(response.reply(), refusal(400, &format!("{field}: {problem}")));
        }
        // What is stored already stops no other change.
        system.change_merchant("m-aurora", |merchant| name.clone_into(&mut merchant.legal_name)).await;
        let unchanged = json!({"company": {"legalName": name, "orgNumber": name.len().to_string()}});
        assert_eq!(caller.put(MERCHANT, &unchanged).await.status, 200, "{name:?}");
    }
}

async fn put_text(caller: &Caller, body: &str) -> ApiResponse {
    Caller::send_request(caller.request(reqwest::Method::PUT, MERCHANT).body(body.to_owned())).await
}

#[tokio::test]
async fn concurrent_changes_are_all_stored() {
    let (_system, caller) = System::signed_in("u-admin").await;
    for round in 0..5 {
        let changes = [
            ("company", "legalName", "/data/company/legalName"),
            ("company", "tradeName", "/data/company/tradeName"),
            ("company", "orgNumber", "/data/company/registrationNumber"),
            ("company", "taxNumber", "/data/company/vatNumber"),
            ("company", "timeZone", "/data/company/timeZone"),
            ("brand", "website", "/data/brand/website"),
            ("brand", "logoUrl", "/data/brand/logoUrl"),
        ];
        let value = |name: &str| match name {
            "legalName" | "tradeName" => format!("{name} {round}"),
            "timeZone" => format!("UTC+0{round}:00"),
            name => format!("https://{name}.example/{round}"),
        };
        let bodies = changes.map(|(group, name, _)| json!({group: {name: value(name)}}));
        let responses = join_all(bodies.iter().map(|body| caller.put(MERCHANT, body))).await;
        assert!(responses.iter().all(|response| response.status == 200), "{responses:?}");

        let profile = caller.get(MERCHANT).await;
        for (_, name, path) in changes {
            assert_eq!(profile.at(path), &json!(value(name)), "{name}");
        }
    }
}

#[tokio::test]
async fn stats_are_zero_for_any_period() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let stats = caller.get(STATS).await;
    assert_json_snapshot!("stats", stats);
    for query in ["?days=7", "?days=-1", "?days=all&days=1", "?other"] {
        assert_eq!(caller.get(&format!("{STATS}{query}")).await.body, stats.body, "{query}");
    }
}

#[tokio::test]
async fn a_change_that_cannot_be_stored_is_none() {
    let (system, caller) = System::signed_in("u-admin").await;
    system.set_fault("dynamodb", "TransactWriteItems", "status", 500).await;
    let unsaved = caller.put(MERCHANT, &json!({"company": {"legalName": "Lost"}})).await;
    assert_eq!(unsaved.reply(), refusal(500, "Could not save the changes. Please try again."));
    assert_eq!(caller.get(MERCHANT).await.at("/data/company/legalName"), "Aurora Coffee AB");
}

#[tokio::test]
async fn lost_dynamodb_response_neither_loses_nor_repeats_a_change() {
    let (system, caller) = System::signed_in("u-admin").await;
    system.set_faults(json!([{"target": "dynamodb", "match": "TransactWriteItems", "kind": "after", "times": 1}])).await;
    caller.put(MERCHANT, &json!({"company": {"legalName": "Saved once"}})).await.ok();
    assert_eq!(caller.get(MERCHANT).await.at("/data/company/legalName"), "Saved once");
    system.drain().await;
    assert_eq!(system.emails().await.len(), 1);
}
