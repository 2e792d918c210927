//! The merchant's profile: reading it, its logo, changing it. What a change sets off is in `jobs`.

use futures_util::future::join_all;
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::support::{Answer, Caller, Hands, System};

const MERCHANT: &str = "/api/bff/merchant";
const STATS: &str = "/api/bff/merchant/stats";

/// A fault of the table: every call of this operation fails.
fn table_fault(operation: &str) -> Value {
    json!([{"target": "dynamodb", "match": operation, "kind": "status", "times": "always", "value": 500}])
}

fn refusal(message: &str) -> Value {
    json!({"ok": false, "error": {"message": message}})
}

/// Merchants without a logo of their own, each with an administrator: one whose account has a logo, one whose
/// account has none, one whose account the network does not know, and one without an account.
async fn merchants_without_logo(system: &System) {
    let merchant = |id: &str, account: Value| json!({"id": id, "networkMerchantId": account});
    let user = |id: &str, merchant: &str| json!({"id": id, "email": format!("{id}@x.example"), "merchantId": merchant});
    system
        .load(&json!({
            "merchants": [
                merchant("m-logo", json!("2001")), merchant("m-plain", json!("2002")),
                merchant("m-unknown", json!("2003")), merchant("m-none", Value::Null),
            ],
            "users": [
                user("u-logo", "m-logo"), user("u-plain", "m-plain"),
                user("u-unknown", "m-unknown"), user("u-none", "m-none"),
            ],
            "cardNetwork": {"merchants": [
                {"merchantId": "2001", "logoUrl": "https://network.example/logo.png"}, {"merchantId": "2002"},
            ]},
        }))
        .await;
}

async fn logo(caller: &Caller<'_>) -> Value {
    let profile = caller.get(MERCHANT).await;
    assert_eq!(profile.status, 200, "{profile:?}");
    profile.at("/data/brand/logoUrl").clone()
}

/// How often the network was asked for accounts.
async fn account_look_ups(system: &System) -> usize {
    let calls = system.network_calls().await;
    calls.iter().filter(|call| call["method"] == "GET").count()
}

#[tokio::test]
async fn the_profile_says_all_that_is_known() {
    let system = System::start().await;
    assert_json_snapshot!("profile", system.user("u-admin").await.get(MERCHANT).await);
}

#[tokio::test]
async fn what_nobody_has_said_yet_is_empty_and_the_verifiers_fields_are_null() {
    let system = System::start().await;
    system
        .load(&json!({
            "merchants": [{"id": "m-fresh", "status": "DRAFT"}],
            "users": [{"id": "u-fresh", "email": "fresh@x.example", "merchantId": "m-fresh"}],
        }))
        .await;
    assert_json_snapshot!("profile_of_a_fresh_merchant", system.user("u-fresh").await.get(MERCHANT).await);
}

#[tokio::test]
async fn the_profile_says_what_the_verifier_said() {
    let system = System::start().await;
    system
        .load(&json!({
            "merchants": [{"id": "m-seen", "status": "KYB_IN_PROGRESS", "verifierKybStatus": "submitted",
                           "verifierCompanyId": "c-1", "verifierSessionUrl": "https://verifier.example/s"}],
            "users": [{"id": "u-seen", "email": "seen@x.example", "merchantId": "m-seen"}],
        }))
        .await;
    let profile = system.user("u-seen").await.get(MERCHANT).await;
    let company = profile.at("/data/company");
    assert_eq!(company["status"], "KYB_IN_PROGRESS");
    assert_eq!(company["verifierKybStatus"], "submitted");
    assert_eq!(company["verifierCompanyId"], "c-1");
    assert_eq!(company["verifierSessionUrl"], "https://verifier.example/s");
}

#[tokio::test]
async fn a_user_without_a_merchant_learns_whether_an_invitation_is_open() {
    let system = System::start().await;
    let invite = |to: &str, verified_at: Option<&str>, verification_ends: &str, ends: &str| {
        json!({"challengeId": format!("c-{to}-{ends}"), "merchantId": "m-aurora", "email": to, "verifiedAt": verified_at,
               "verificationExpiresAt": verification_ends, "expiresAt": ends})
    };
    let users = ["open", "late", "verified", "ended", "both"]
        .map(|name| json!({"id": format!("u-{name}"), "email": format!("{name}@x.example")}));
    system
        .load(&json!({
            "users": users,
            "invites": [
                invite("Open@X.Example", None, "now+1h", "now+7d"),
                invite("late@x.example", None, "now-1h", "now+7d"),
                invite("verified@x.example", Some("now-2h"), "now-1h", "now+7d"),
                invite("ended@x.example", Some("now-8d"), "now-8d", "now-1d"),
                invite("both@x.example", Some("now-8d"), "now-8d", "now-1d"),
                invite("both@x.example", None, "now+1h", "now+7d"),
            ],
        }))
        .await;
    assert_json_snapshot!("without_a_merchant", system.user("u-nobody").await.get(MERCHANT).await);
    for (user, pending) in [
        ("u-open", true),
        ("u-late", false),
        ("u-verified", true),
        ("u-ended", false),
        ("u-both", true),
        ("u-nobody", false),
        ("u-root", false),
    ] {
        let answer = system.user(user).await.get(MERCHANT).await;
        assert_eq!(answer.at("/meta/pendingTeamInvite"), &json!(pending), "{user}: {answer:?}");
    }
}

#[tokio::test]
async fn a_logo_is_looked_for_after_the_answer_and_there_the_next_time() {
    let system = System::start().await;
    merchants_without_logo(&system).await;
    for (user, found) in
        [("u-logo", "https://network.example/logo.png"), ("u-plain", ""), ("u-unknown", ""), ("u-none", "")]
    {
        let caller = system.user(user).await;
        assert_eq!(logo(&caller).await, "", "{user}");
        assert_eq!(system.settle().await, json!({"pending": 0, "dead": 0}), "{user}");
        assert_eq!(logo(&caller).await, found, "{user}");
    }
}

#[tokio::test]
async fn a_merchant_that_has_a_logo_keeps_it() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    assert_eq!(logo(&caller).await, "https://aurora.example/logo.png");
    system.settle().await;
    assert_eq!(account_look_ups(&system).await, 0);
    assert_eq!(logo(&caller).await, "https://aurora.example/logo.png");
}

#[tokio::test]
async fn a_logo_that_is_given_while_one_is_looked_for_stays() {
    let system = System::start().await;
    merchants_without_logo(&system).await;
    let caller = system.user("u-logo").await;
    system.network_fault("GET *", "drop", Value::Null).await;
    logo(&caller).await;
    system.settle().await;
    caller.put(MERCHANT, &json!({"brand": {"logoUrl": "https://own.example/logo.png"}})).await;
    system.faults(json!([])).await;
    assert_eq!(system.settle().await, json!({"pending": 0, "dead": 0}));
    assert_eq!(logo(&caller).await, "https://own.example/logo.png");
}

#[tokio::test]
async fn many_reads_at_once_look_for_a_logo_once() {
    let system = System::start().await;
    merchants_without_logo(&system).await;
    let caller = system.user("u-plain").await;
    join_all((0..8).map(|_| logo(&caller))).await;
    system.settle().await;
    assert_eq!(account_look_ups(&system).await, 1);
}

#[tokio::test]
async fn a_logo_that_was_not_found_is_looked_for_again_a_day_later() {
    let hands = Hands::at("2026-03-01T22:00:00Z");
    let system = System::with_clock(hands.clock()).await;
    merchants_without_logo(&system).await;
    for (passed, look_ups) in [(0, 1), (3600, 1), (3 * 3600, 1), (24 * 3600 - 4 * 3600 - 1, 1), (1, 2)] {
        hands.turn(passed);
        logo(&system.user("u-plain").await).await;
        system.settle().await;
        assert_eq!(account_look_ups(&system).await, look_ups, "{}", system.local.app().clock.now());
    }
}

#[tokio::test]
async fn a_network_that_fails_fails_no_read_and_the_logo_comes_once_it_is_back() {
    let system = System::start().await;
    merchants_without_logo(&system).await;
    let caller = system.user("u-logo").await;
    system.network_fault("*", "status", json!(503)).await;
    assert_eq!(logo(&caller).await, "");
    assert_eq!(system.settle().await, json!({"pending": 1, "dead": 0}));
    assert_eq!(logo(&caller).await, "");
    system.faults(json!([])).await;
    assert_eq!(system.settle().await, json!({"pending": 0, "dead": 0}));
    assert_eq!(logo(&caller).await, "https://network.example/logo.png");
}

#[tokio::test]
async fn a_search_for_a_logo_that_was_given_up_is_taken_up_the_next_day() {
    let hands = Hands::at("2026-03-01T10:00:00Z");
    let system = System::with_clock(hands.clock()).await;
    merchants_without_logo(&system).await;
    system.network_fault("*", "status", json!(403)).await;
    logo(&system.user("u-logo").await).await;
    while system.settle().await["dead"] == 0 {}
    system.faults(json!([])).await;

    logo(&system.user("u-logo").await).await;
    system.settle().await;
    assert_eq!(logo(&system.user("u-logo").await).await, "", "given up for today");
    hands.turn(14 * 3600);
    logo(&system.user("u-logo").await).await;
    system.settle().await;
    assert_eq!(logo(&system.user("u-logo").await).await, "https://network.example/logo.png");
}

#[tokio::test]
async fn a_read_succeeds_where_the_search_for_a_logo_cannot_be_written_down() {
    let system = System::start().await;
    merchants_without_logo(&system).await;
    let caller = system.user("u-logo").await;
    system.faults(table_fault("TransactWriteItems")).await;
    assert_eq!(logo(&caller).await, "");
}

#[tokio::test]
async fn a_change_is_echoed_kept_where_it_is_kept_and_ignored_elsewhere() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let sent = json!({
        "company": {
            "status": "SUSPENDED", "legalName": "Aurora Holding AB", "orgNumber": "111111-2222", "taxNumber": "SE111111222201",
            "country": "NO", "currency": "NOK", "tradeName": "Aurora Trade", "externalMerchantId": "ext-9",
            "timeZone": "Europe/Oslo",
        },
        "brand": {
            "logoUrl": "https://cdn.example/Logo.png?v=2", "category": "Tea", "descriptor": "D", "website": "https://new.example",
            "facebook": "f", "twitter": "t", "instagram": "i",
        },
    });
    let changed = caller.put(MERCHANT, &sent).await;
    assert_eq!((changed.status, &changed.body), (200, &json!({"ok": true, "data": sent})));
    assert_json_snapshot!("profile_after_a_change", caller.get(MERCHANT).await);
}

#[tokio::test]
async fn what_is_left_out_stays_and_what_is_unknown_is_not_echoed() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let before = caller.get(MERCHANT).await;
    for (sent, echo) in [
        (json!({}), json!({})),
        (json!({"company": {}, "brand": {}}), json!({"company": {}, "brand": {}})),
        (json!({"slug": "mine", "company": {"vatNumber": "1", "legalAddress": {}}}), json!({"company": {}})),
    ] {
        let changed = caller.put(MERCHANT, &sent).await;
        assert_eq!((changed.status, &changed.body), (200, &json!({"ok": true, "data": echo})), "{sent}");
    }
    assert_eq!(caller.get(MERCHANT).await.body, before.body);

    caller.put(MERCHANT, &json!({"company": {"taxNumber": ""}, "brand": {"website": ""}})).await;
    let mut expected = before.body;
    for path in
        ["/data/company/taxNumber", "/data/company/vatNumber", "/data/kyb/vatNumber", "/data/brand/website"]
    {
        *expected.pointer_mut(path).unwrap() = json!("");
    }
    assert_eq!(caller.get(MERCHANT).await.body, expected);
}

#[tokio::test]
async fn the_merchants_name_follows_the_legal_name_else_the_trade_name() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for (company, name) in [
        (json!({"legalName": "Legal", "tradeName": "Trade"}), "Legal"),
        (json!({"tradeName": "Another trade"}), "Another trade"),
        (json!({"legalName": " "}), "Another trade"),
    ] {
        caller.put(MERCHANT, &json!({"company": company})).await;
        system.settle().await;
        let mail = system.mails().await.pop().unwrap();
        assert!(mail["text"].as_str().unwrap().contains(&format!("details of {name} were")), "{mail}");
    }
}

#[tokio::test]
async fn a_change_that_does_not_read_is_refused_with_the_name_of_the_field() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let before = caller.get(MERCHANT).await;
    let not_text = |field: &str| {
        [
            (r"null", "null"),
            ("7", "integer `7`"),
            ("true", "boolean `true`"),
            ("[]", "sequence"),
            ("{}", "map"),
        ]
        .map(|(value, kind)| {
            let (group, name) = field.split_once('.').unwrap();
            let body = format!(r#"{{"{group}": {{"{name}": {value}}}}}"#);
            (body, format!("{field}: invalid type: {kind}, expected a string"))
        })
    };
    let fields = [
        "company.status",
        "company.legalName",
        "company.orgNumber",
        "company.taxNumber",
        "company.country",
        "company.currency",
        "company.tradeName",
        "company.externalMerchantId",
        "company.timeZone",
        "brand.logoUrl",
        "brand.category",
        "brand.descriptor",
        "brand.website",
        "brand.facebook",
        "brand.twitter",
        "brand.instagram",
    ];
    let mut refused: Vec<(String, String)> = fields.into_iter().flat_map(not_text).collect();
    for url in [
        "",
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
        let body = json!({"brand": {"logoUrl": url}}).to_string();
        refused.push((body, "brand.logoUrl: must be an http or https URL".to_owned()));
    }
    for (body, message) in [
        (r#"{"company": null}"#, "company: invalid type: null, expected an object"),
        (r#"{"company": []}"#, "company: invalid type: sequence, expected an object"),
        (r#"{"brand": "x"}"#, "brand: invalid type: string \"x\", expected an object"),
        ("[]", "The body is not a JSON object."),
        ("null", "The body is not a JSON object."),
        ("", "The body is not a JSON object."),
        ("{", "The body is not valid JSON."),
        ("{} {}", "The body is not valid JSON."),
    ] {
        refused.push((body.to_owned(), message.to_owned()));
    }
    for (body, message) in refused {
        let answer = put_text(&caller, &body).await;
        assert_eq!((answer.status, &answer.body), (400, &refusal(&message)), "{body}");
    }
    assert_eq!(caller.get(MERCHANT).await.body, before.body);
    system.settle().await;
    assert!(system.mails().await.is_empty());
}

async fn put_text(caller: &Caller<'_>, body: &str) -> Answer {
    Caller::answer(caller.request(reqwest::Method::PUT, MERCHANT).body(body.to_owned())).await
}

#[tokio::test]
async fn changes_at_the_same_moment_lose_nothing() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
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
        let value = |name: &str| format!("https://{name}.example/{round}");
        let bodies = changes.map(|(group, name, _)| json!({group: {name: value(name)}}));
        let answers = join_all(bodies.iter().map(|body| caller.put(MERCHANT, body))).await;
        assert!(answers.iter().all(|answer| answer.status == 200), "{answers:?}");

        let profile = caller.get(MERCHANT).await;
        for (_, name, path) in changes {
            assert_eq!(profile.at(path), &json!(value(name)), "{name}");
        }
    }
}

#[tokio::test]
async fn the_figures_are_all_zero_whatever_the_days() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let stats = caller.get(STATS).await;
    assert_json_snapshot!("stats", stats);
    for query in ["?days=7", "?days=-1", "?days=all&days=1", "?other"] {
        assert_eq!(caller.get(&format!("{STATS}{query}")).await.body, stats.body, "{query}");
    }
}

#[tokio::test]
async fn a_caller_who_may_not_is_told_why() {
    let system = System::start().await;
    let (stranger, nobody, till, viewer) = (
        system.anonymous(),
        system.user("u-nobody").await,
        system.user("u-till").await,
        system.user("u-viewer").await,
    );
    let (signed_out, unlinked, forbidden) = (
        "Sign in to do this.",
        "Your account is not linked to a merchant.",
        "You do not have permission to do this.",
    );
    for (answer, status, message) in [
        (stranger.get(MERCHANT).await, 401, signed_out),
        (stranger.put(MERCHANT, &json!(null)).await, 401, signed_out),
        (stranger.get(STATS).await, 401, signed_out),
        (nobody.put(MERCHANT, &json!(null)).await, 404, unlinked),
        (nobody.get(STATS).await, 403, unlinked),
        (till.get(MERCHANT).await, 403, forbidden),
        (till.put(MERCHANT, &json!(null)).await, 403, forbidden),
        (viewer.put(MERCHANT, &json!(null)).await, 403, forbidden),
    ] {
        assert_eq!((answer.status, &answer.body), (status, &refusal(message)));
    }
}

#[tokio::test]
async fn a_table_that_fails_is_said_in_one_sentence_that_tells_nothing_of_it() {
    let system = System::start().await;
    let (caller, nobody) = (system.user("u-admin").await, system.user("u-nobody").await);
    let usual = refusal("Something went wrong. Please try again.");

    system.faults(table_fault("TransactWriteItems")).await;
    let unsaved = caller.put(MERCHANT, &json!({"company": {"legalName": "Lost"}})).await;
    let sentence = refusal("Could not save the changes. Please try again.");
    assert_eq!((unsaved.status, unsaved.body), (500, sentence));
    assert_eq!(caller.get(MERCHANT).await.at("/data/company/legalName"), "Aurora Coffee AB");

    system.faults(table_fault("Query")).await;
    let unknown_invites = nobody.get(MERCHANT).await;
    assert_eq!((unknown_invites.status, &unknown_invites.body), (500, &usual));

    system.faults(table_fault("BatchGetItem")).await;
    for answer in
        [caller.get(MERCHANT).await, caller.get(STATS).await, caller.put(MERCHANT, &json!({})).await]
    {
        assert_eq!((answer.status, &answer.body), (500, &usual));
    }
}

#[tokio::test]
async fn an_answer_of_the_table_that_gets_lost_loses_and_doubles_nothing() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    system
        .faults(json!([{"target": "dynamodb", "match": "TransactWriteItems", "kind": "after", "times": 1}]))
        .await;
    let saved = caller.put(MERCHANT, &json!({"company": {"legalName": "Saved once"}})).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    assert_eq!(caller.get(MERCHANT).await.at("/data/company/legalName"), "Saved once");
    system.settle().await;
    assert_eq!(system.mails().await.len(), 1);
}
