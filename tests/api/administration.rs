//! Merchants as platform administrators see and change them.

use futures_util::future;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use shared::aws::files::FileType;
use shared::db::{Stored, Write};
use shared::merchants::model::audit::{AuditAction, AuditEntry};
use shared::merchants::model::merchant::MerchantStatus;
use shared::values::{MerchantId, UserId};
use world::shop::{ISSUE, REDEEM, payment, sale, with};
use world::{ApiResponse, Caller, PNG, System, error_code, outcomes, refusal};

const MERCHANTS: &str = "/api/admin/merchants";
const NOW: &str = "2026-03-01T10:00:00Z";

fn path(merchant: &str) -> String {
    format!("{MERCHANTS}/{merchant}")
}

async fn patch(caller: &Caller, merchant: &str, change: Value) -> ApiResponse {
    caller.patch(&path(merchant), &with(json!({"reason": "agreed"}), &change)).await
}

/// A platform administrator who is a member of this merchant.
async fn join(system: &System, merchant: &str) -> Caller {
    system.join("u-both", merchant, &json!({"isAdmin": true, "emailVerified": true, "merchantTeamRole": "VIEWER"})).await
}

async fn add_accounts(system: &System, ids: &[&str]) {
    let accounts: Vec<Value> = ids.iter().map(|id| json!({"merchantId": id, "name": id})).collect();
    system.load_fixtures(&json!({"cardNetwork": {"merchants": accounts}})).await;
}

async fn audit_trail(system: &System, merchant: &str) -> Vec<AuditEntry> {
    let entries = system.store().latest_audit_entries(&MerchantId::new(merchant), 100).await;
    entries.unwrap().into_iter().map(|Stored { value, .. }| value).collect()
}

/// The ids of a page, and its cursor.
async fn list(caller: &Caller, query: &str) -> (Vec<String>, Value) {
    let page = caller.get(&format!("{MERCHANTS}?{query}")).await.ok();
    let ids = page.list("/data/merchants").iter().map(|merchant| merchant["id"].as_str().unwrap().to_owned());
    (ids.collect(), page.at("/data/next").clone())
}

#[tokio::test]
async fn lists_merchants_by_id_page_by_page() {
    let (system, _clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    assert_json_snapshot!("merchants", root.get(MERCHANTS).await);
    let all = ["m-aurora", "m-bare", "m-dinar", "m-rival", "m-yen"];
    for limit in [1, 2, 4, 5, 6] {
        let walked = root.walk(MERCHANTS, "merchants", limit).await;
        let ids: Vec<&Value> = walked.iter().map(|merchant| &merchant["id"]).collect();
        assert_eq!(ids, all, "{limit} at a time");
    }
}

#[tokio::test]
async fn filters_merchants_by_text_and_status() {
    let (system, root) = System::signed_in("u-root").await;
    system.change_merchant("m-yen", |merchant| merchant.status = MerchantStatus::Suspended.into()).await;
    system.load_fixtures(&json!({"merchants": [{"id": "m#odd/å", "slug": "odd", "name": "Åre & Co"}]})).await;
    for (query, expected) in [
        ("q=AURORA", &["m-aurora"][..]),
        ("q=hinode", &["m-yen"]),
        ("q=souk", &["m-dinar"]),
        ("q=1002", &["m-rival"]),
        ("q=%20m-b%20", &["m-bare"]),
        ("q=%C3%A5re", &["m#odd/å", "m-bare"]),
        ("q=A%CC%8Are", &["m#odd/å", "m-bare"]),
        ("q=are%20%26", &["m#odd/å"]),
        ("q=nothing", &[]),
        ("status=SUSPENDED", &["m-yen"]),
        ("status=DRAFT", &["m#odd/å"]),
        ("status=ACTIVE&q=re", &["m-bare"]),
        ("status=suspended&q=1004", &["m-dinar"]),
        ("cursor=m-dinar&status=ACTIVE", &["m-rival"]),
        ("cursor=m-d&limit=2", &["m-dinar", "m-rival"]),
        ("cursor=zzz", &[]),
    ] {
        let (ids, next) = list(&root, query).await;
        assert_eq!(ids, expected, "{query}");
        assert_eq!(next.is_string(), query.contains("limit"), "{query}: {next}");
    }
    assert_eq!(list(&root, "limit=1").await, (vec!["m#odd/å".to_owned()], json!("m#odd/å")));
    let (ids, _) = list(&root, "limit=1&cursor=m%23odd%2F%C3%A5").await;
    assert_eq!(ids, ["m-aurora"]);
}

#[tokio::test]
async fn shows_a_merchant_and_records_who_read_it() {
    let (system, _clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    let shown = root.get(&path("m-aurora")).await;
    assert_json_snapshot!("merchant", shown, {".body.data.audit[].id" => "[id]"});
    let entry = &audit_trail(&system, "m-aurora").await[0];
    assert_eq!((entry.action.to_string(), entry.by.as_str()), ("MERCHANT_READ".to_owned(), "u-root"));
    let member = join(&system, "m-aurora").await;
    for path in [path("m-aurora"), format!("{}/audit", path("m-aurora"))] {
        let own = member.get(&path).await;
        assert_eq!(error_code(&own), (403, "OWN_MERCHANT"), "its audit trail is not for its members");
    }
    assert_eq!(audit_trail(&system, "m-aurora").await.len(), 1);
}

#[tokio::test]
async fn unknown_merchants_are_404_and_leave_no_trace() {
    let (system, root) = System::signed_in("u-root").await;
    for merchant in ["m-none", "%20", "m-aurora%23"] {
        for response in [
            root.get(&format!("{}/audit", path(merchant))).await,
            root.get(&path(merchant)).await,
            patch(&root, merchant, json!({"payoutDelayDays": 1})).await,
        ] {
            assert_eq!(response.reply(), refusal(404, "There is no such merchant."), "{merchant}");
        }
        assert_eq!(root.patch(&path(merchant), &json!({"nothing": 1})).await.status, 404, "{merchant}");
    }
    assert!(audit_trail(&system, "m-none").await.is_empty());
}

#[tokio::test]
async fn shows_only_the_latest_fifty_audit_entries() {
    let (system, clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    for days in 1..52 {
        clock.advance(1);
        assert_eq!(patch(&root, "m-bare", json!({"payoutDelayDays": days})).await.status, 200);
    }
    clock.advance(1);
    let shown = patch(&root, "m-bare", json!({"payoutDelayDays": 52})).await;
    let to = |entry: &Value| entry["changes"][0]["to"].as_str().unwrap_or_default().to_owned();
    let audit: Vec<String> = shown.list("/data/audit").iter().map(to).collect();
    let expected: Vec<String> = (3..=52).rev().map(|days| days.to_string()).collect();
    assert_eq!(audit, expected);
}

#[tokio::test]
async fn the_audit_trail_is_read_page_by_page_with_or_without_who_only_looked() {
    let (system, clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    for days in 1..=4 {
        clock.advance(1);
        assert_eq!(patch(&root, "m-bare", json!({"payoutDelayDays": days})).await.status, 200);
        clock.advance(1);
        assert_eq!(root.get(&path("m-bare")).await.status, 200);
    }
    // Each page is read a second later, and is an entry itself.
    let pages = async |query: &str| {
        let (mut entries, mut cursor) = (Vec::new(), String::new());
        loop {
            clock.advance(1);
            let page = root.get(&format!("{}/audit?{query}&cursor={cursor}", path("m-bare"))).await.ok();
            assert_eq!(page.at("/data/people/0/id"), "u-root");
            let shown = page.list("/data/audit");
            entries.extend(shown.iter().map(|entry| entry["changes"][0]["to"].as_str().unwrap_or("read").to_owned()));
            let Some(next) = page.at("/data/next").as_str() else { return entries };
            cursor = next.to_owned();
        }
    };
    for limit in 1..=5 {
        assert_eq!(pages(&format!("onlyChanges=true&limit={limit}")).await, ["4", "3", "2", "1"], "{limit} at a time");
    }
    for limit in [1, 3, 200] {
        let all = pages(&format!("limit={limit}")).await;
        let first = all.iter().position(|entry| entry != "read").unwrap();
        assert_eq!(all[first..], ["4", "read", "3", "read", "2", "read", "1"], "{limit} at a time");
    }
}

#[tokio::test]
async fn a_page_of_changes_ends_among_many_who_only_looked() {
    let (system, _clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    assert_eq!(patch(&root, "m-bare", json!({"payoutDelayDays": 1})).await.status, 200);
    let app = system.local.app();
    for number in 1..=1100 {
        let at = app.clock.now() + jiff::SignedDuration::from_secs(number);
        let read =
            app.store.new_audit_entry(&UserId::new("u-root"), Some(&MerchantId::new("m-bare")), AuditAction::MerchantRead, at);
        app.store.commit(vec![Write::create(&read).unwrap()]).await.unwrap();
    }
    let page = root.get(&format!("{}/audit?onlyChanges=true", path("m-bare"))).await;
    assert_eq!(page.at("/data/audit"), &json!([]), "five calls to the table are enough for a page");
    let next = page.text("/data/next");
    let page = root.get(&format!("{}/audit?onlyChanges=true&cursor={next}", path("m-bare"))).await;
    assert_eq!(page.at("/data/audit/0/changes/0/to"), "1");
    assert_eq!(page.at("/data/next"), &Value::Null);
    let wrong = root.get(&format!("{}/audit?cursor=first", path("m-bare"))).await;
    assert_eq!(error_code(&wrong), (400, "INVALID_REQUEST"));
}

#[tokio::test]
async fn changes_every_field_and_audits_who_what_and_why() {
    let (system, clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    add_accounts(&system, &["2001"]).await;
    system.change_merchant("m-bare", |merchant| merchant.status = MerchantStatus::DecisionPending.into()).await;
    let change = json!({
        "status": "ACTIVE", "slug": "bare-necessities", "networkMerchantId": "2001",
        "settlementMode": "SETTLEMENT_ON_SALE", "fees": {"percentBps": 10_000, "fixedMinor": 25},
        "payoutDelayDays": 365, "defaultOfferId": 901, "maxSaleMinor": 50_000, "reason": "  All is well  ",
    });
    let changed = root.patch(&path("m-bare"), &change).await;
    assert_json_snapshot!("merchant_changed", changed, {".body.data.audit[].id" => "[id]"});
    clock.advance(1);
    let read = root.get(&path("m-bare")).await;
    let without_audit = |response: &ApiResponse| {
        let mut data = response.at("/data").clone();
        data.as_object_mut().unwrap().remove("audit");
        data
    };
    assert_eq!(without_audit(&read), without_audit(&changed));

    clock.advance(1);
    let unset = json!({"networkMerchantId": null, "defaultOfferId": null, "maxSaleMinor": null});
    let changed = patch(&root, "m-bare", unset).await;
    assert_json_snapshot!("audit_of_unset_fields", changed.at("/data/audit/0/changes"));
    assert_eq!(changed.each("/data/audit", "action"), ["MERCHANT_CHANGED", "MERCHANT_READ", "MERCHANT_CHANGED"]);
}

#[tokio::test]
async fn invalid_values_name_their_field_and_change_nothing() {
    let (system, root) = System::signed_in("u-root").await;
    let before = system.merchant("m-rival").await.value;
    let long = |length| "x".repeat(length);
    for (body, message) in [
        (json!({"reason": "why"}), "body: must name at least one field to change besides the reason."),
        (json!({"payoutDelayDays": 7}), "reason: is missing."),
        (json!({"payoutDelayDays": 7, "reason": null}), "reason: must be a string."),
        (json!({"payoutDelayDays": 7, "reason": " "}), "reason: must have 1 to 500 characters on one line."),
        (json!({"payoutDelayDays": 7, "reason": long(501)}), "reason: must have 1 to 500 characters on one line."),
        (json!({"payoutDelayDays": 7, "reason": "a\nb"}), "reason: must have 1 to 500 characters on one line."),
    ] {
        assert_eq!(root.patch(&path("m-rival"), &body).await.reply(), refusal(400, message), "{body}");
    }
    let statuses = "status: must be DRAFT, SUBMITTED, WAITING_FOR_INFO, KYB_IN_PROGRESS, DECISION_PENDING, ACTIVE, \
                    INACTIVE, SUSPENDED or DECLINED.";
    let slug = "slug: must have 3 to 40 characters of a-z, 0-9 and single dashes between them.";
    let account = "networkMerchantId: must be null or a number of at most 20 digits.";
    let offer = "defaultOfferId: must be null or a number of at most 20 digits.";
    let scalar = |field: &str| format!("{field}: must be a string or a number.");
    let max_sale = "maxSaleMinor: must be a whole number of 1 or more.";
    for (change, message) in [
        (json!({"status": "active"}), statuses),
        (json!({"status": null}), "status: must be a string."),
        (json!({"status": 1}), "status: must be a string."),
        (json!({"slug": null}), "slug: must be a string."),
        (json!({"slug": ""}), slug),
        (json!({"slug": "ab"}), slug),
        (json!({"slug": long(41)}), slug),
        (json!({"slug": "Tea"}), slug),
        (json!({"slug": "tea--time"}), slug),
        (json!({"slug": "-tea"}), slug),
        (json!({"slug": "té-time"}), slug),
        (json!({"networkMerchantId": ""}), account),
        (json!({"networkMerchantId": "1e3"}), account),
        (json!({"networkMerchantId": -1}), account),
        (json!({"networkMerchantId": "01002"}), account),
        (json!({"networkMerchantId": "1".repeat(21)}), account),
        (json!({"networkMerchantId": ["1"]}), &scalar("networkMerchantId")),
        (json!({"settlementMode": "BOTH"}), "settlementMode: must be SETTLEMENT_ON_SALE or SETTLEMENT_ON_REDEMPTION."),
        (json!({"settlementMode": null}), "settlementMode: must be a string."),
        (json!({"fees": null}), "fees: must be an object."),
        (json!({"fees": {"percentBps": 1}}), "fees.fixedMinor: is missing."),
        (json!({"fees": {"fixedMinor": 1}}), "fees.percentBps: is missing."),
        (json!({"fees": {"percentBps": 10_001, "fixedMinor": 0}}), "fees.percentBps: must be at most 10000."),
        (json!({"fees": {"percentBps": -1, "fixedMinor": 0}}), "fees.percentBps: must be a whole number."),
        (json!({"fees": {"percentBps": 1.5, "fixedMinor": 0}}), "fees.percentBps: must be a whole number."),
        (json!({"fees": {"percentBps": 1, "fixedMinor": -1}}), "fees.fixedMinor: must be a whole number."),
        (json!({"payoutDelayDays": 366}), "payoutDelayDays: must be at most 365."),
        (json!({"payoutDelayDays": -1}), "payoutDelayDays: must be a whole number."),
        (json!({"payoutDelayDays": null}), "payoutDelayDays: must be a whole number."),
        (json!({"defaultOfferId": "gift"}), offer),
        (json!({"defaultOfferId": {}}), &scalar("defaultOfferId")),
        (json!({"maxSaleMinor": 0}), max_sale),
        (json!({"maxSaleMinor": -1}), max_sale),
        (json!({"maxSaleMinor": 9_007_199_254_740_992_i64}), max_sale),
        (json!({"maxSaleMinor": "100"}), "maxSaleMinor: must be a whole number."),
        (json!({"identityReviewed": -1}), "identityReviewed: must be a whole number."),
        (json!({"identityReviewed": null}), "identityReviewed: must be a whole number."),
        (
            json!({"country": "SE"}),
            "country: cannot be given here. The known fields are status, slug, networkMerchantId, settlementMode, fees, \
             payoutDelayDays, defaultOfferId, maxSaleMinor, identityReviewed and reason.",
        ),
    ] {
        assert_eq!(patch(&root, "m-rival", change.clone()).await.reply(), refusal(400, message), "{change}");
    }
    assert_eq!(system.merchant("m-rival").await.value, before);
    assert!(audit_trail(&system, "m-rival").await.is_empty());
}

#[tokio::test]
async fn a_status_follows_only_from_these() {
    let (system, root) = System::signed_in("u-root").await;
    let all = "DRAFT SUBMITTED WAITING_FOR_INFO KYB_IN_PROGRESS DECISION_PENDING ACTIVE INACTIVE SUSPENDED DECLINED";
    for from in all.split(' ') {
        let expected: &[&str] = match from {
            "DECISION_PENDING" => &["WAITING_FOR_INFO", "ACTIVE", "DECLINED"],
            "ACTIVE" => &["INACTIVE", "SUSPENDED"],
            "SUSPENDED" => &["ACTIVE", "INACTIVE"],
            "DECLINED" => &["WAITING_FOR_INFO"],
            _ => &[],
        };
        for to in all.split(' ') {
            let status: MerchantStatus = serde_json::from_value(json!(from)).unwrap();
            system.change_merchant("m-bare", |merchant| merchant.status = status.into()).await;
            let changed = patch(&root, "m-bare", json!({"status": to})).await;
            if expected.contains(&to) {
                assert_eq!((changed.status, changed.at("/data/status")), (200, &json!(to)), "{from} to {to}");
                let (listed, _) = list(&root, &format!("q=m-bare&status={to}")).await;
                assert_eq!(listed, ["m-bare"], "{from} to {to}");
            } else {
                assert_eq!(error_code(&changed), (409, "STATUS_CONFLICT"), "{from} to {to}");
                assert_eq!(system.merchant("m-bare").await.status, status, "{from} to {to}");
            }
        }
    }
    let conflict = patch(&root, "m-bare", json!({"status": "ACTIVE", "payoutDelayDays": 9})).await;
    assert_json_snapshot!("status_conflict", conflict);
    assert_ne!(system.merchant("m-bare").await.payout_delay_days, 9);
}

#[tokio::test]
async fn a_suspended_merchant_moves_no_money_until_it_is_active_again() {
    let (_system, [root, admin]) = System::with_callers(["u-root", "u-admin"]).await;
    for (status, expected) in [("SUSPENDED", 403), ("ACTIVE", 200), ("INACTIVE", 403)] {
        assert_eq!(patch(&root, "m-aurora", json!({"status": status})).await.status, 200);
        assert_eq!(admin.post(ISSUE, &sale(100)).await.status, expected, "{status}");
    }
}

#[tokio::test]
async fn limits_and_terms_count_for_later_sales_and_redemptions() {
    let (system, [root, admin]) = System::with_callers(["u-root", "u-admin"]).await;
    let change = json!({"maxSaleMinor": 9_999, "fees": {"percentBps": 1_000, "fixedMinor": 0}, "payoutDelayDays": 0});
    assert_eq!(patch(&root, "m-aurora", change).await.status, 200);
    assert_eq!(error_code(&admin.post(ISSUE, &sale(100)).await), (400, "SALE_LIMIT"));
    let redeemed = payment("QR-500", 10);
    assert_eq!(admin.post(REDEEM, &redeemed).await.status, 200);
    system.drain().await;
    let settlements = admin.get("/api/bff/settlements").await;
    assert_eq!(settlements.at("/rows/0/feeAmountMinor"), &json!(100), "{settlements:?}");
}

#[tokio::test]
async fn administrators_of_the_merchant_are_told_of_a_new_status_only() {
    let (system, _clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    assert_eq!(patch(&root, "m-aurora", json!({"payoutDelayDays": 9})).await.status, 200);
    system.finish_work().await;
    assert!(system.emails().await.is_empty());
    assert_eq!(patch(&root, "m-aurora", json!({"status": "SUSPENDED", "reason": "secret"})).await.status, 200);
    assert_eq!(system.told("").await, ["Unset@aurora.example", "admin@aurora.example"]);
    let emails = system.emails().await;
    assert!(emails.iter().all(|email| !email.to_string().contains("secret")), "the reason is not for the merchant");
    let to_anna = emails.iter().find(|email| email["to"] == json!(["admin@aurora.example"])).unwrap();
    let dashboard = &system.local.listening.clients.as_ref().unwrap().dashboard;
    let text = to_anna["text"].as_str().unwrap().replace(dashboard, "http://dashboard");
    insta::assert_snapshot!("status_mail", text);
}

#[tokio::test]
async fn a_slug_belongs_to_one_merchant_and_is_free_once_left() {
    let (system, root) = System::signed_in("u-root").await;
    for slug in ["aurora-coffee", "admin", "api", "www"] {
        let taken = patch(&root, "m-rival", json!({"slug": slug})).await;
        assert_eq!(error_code(&taken), (409, "SLUG_TAKEN"), "{slug}");
    }
    assert_eq!(patch(&root, "m-rival", json!({"slug": "rival-tea"})).await.status, 200, "its own");
    assert_eq!(patch(&root, "m-aurora", json!({"slug": "aurora"})).await.status, 200);
    let shop = async |slug: &str| system.anonymous().get(&format!("/api/merchants/{slug}")).await.status;
    assert_eq!((shop("aurora").await, shop("aurora-coffee").await), (200, 404));
    assert_eq!(patch(&root, "m-rival", json!({"slug": "aurora-coffee"})).await.status, 200);
    assert_eq!((shop("aurora-coffee").await, shop("rival-tea").await), (200, 404));
    assert_json_snapshot!("slug_taken", patch(&root, "m-rival", json!({"slug": "aurora"})).await);
}

#[tokio::test]
async fn an_account_at_the_card_network_belongs_to_one_merchant() {
    let (system, root) = System::signed_in("u-root").await;
    add_accounts(&system, &["2001"]).await;
    for account in [json!("1001"), json!(1001)] {
        let taken = patch(&root, "m-bare", json!({"networkMerchantId": account})).await;
        assert_eq!(error_code(&taken), (409, "NETWORK_ACCOUNT_TAKEN"));
    }
    assert_eq!(patch(&root, "m-aurora", json!({"networkMerchantId": "1001"})).await.status, 200, "its own");
    assert_eq!(patch(&root, "m-aurora", json!({"networkMerchantId": null})).await.status, 200);
    assert_eq!(patch(&root, "m-bare", json!({"networkMerchantId": "1001"})).await.status, 200);
    let taken = patch(&root, "m-aurora", json!({"networkMerchantId": "1001", "slug": "free"})).await;
    assert_json_snapshot!("network_account_taken", taken);
    assert_eq!(system.merchant("m-aurora").await.slug, "aurora-coffee", "nothing is changed");
    assert_eq!(patch(&root, "m-bare", json!({"networkMerchantId": "2001"})).await.status, 200);
    assert_eq!(patch(&root, "m-aurora", json!({"networkMerchantId": "1001", "slug": "free"})).await.status, 200);
}

#[tokio::test]
async fn an_account_has_to_exist_at_the_card_network() {
    let (system, root) = System::signed_in("u-root").await;
    let unknown = patch(&root, "m-bare", json!({"networkMerchantId": "2001"})).await;
    assert_eq!(error_code(&unknown), (400, "NO_SUCH_NETWORK_ACCOUNT"), "{unknown:?}");
    add_accounts(&system, &["2001"]).await;
    for (kind, value) in [("status", json!(503)), ("status", json!(401)), ("drop", Value::Null), ("body", json!("busy"))] {
        system.set_network_fault("GET /v1/merchants/2001", kind, value.clone()).await;
        let refused = patch(&root, "m-bare", json!({"networkMerchantId": "2001"})).await;
        assert_eq!(error_code(&refused), (502, "CARD_NETWORK_UNAVAILABLE"), "{kind} {value}: {refused:?}");
        let unrelated = patch(&root, "m-aurora", json!({"networkMerchantId": "1001", "payoutDelayDays": 3})).await;
        assert_eq!(unrelated.status, 200, "its own account is not asked for");
    }
    assert_eq!(system.merchant("m-bare").await.network_merchant_id, None);
    system.set_faults(json!([])).await;
    assert_eq!(patch(&root, "m-bare", json!({"networkMerchantId": "2001"})).await.status, 200);
}

#[tokio::test]
async fn documents_have_links_for_ten_minutes() {
    let (system, [root, admin]) = System::with_callers(["u-root", "u-bare"]).await;
    system.change_merchant("m-bare", |merchant| merchant.status = MerchantStatus::Draft.into()).await;
    let url = admin.upload("/api/onboarding/upload", "a.pdf", b"%PDF-1.7\n").await.text("/url");
    let foreign = url.replace("/m-bare/", "/m-rival/");
    let document = |url: &str| json!({"type": "REGISTRATION", "url": url, "name": "a.pdf"});
    let draft = json!({"isDraft": true,
        "documents": [document(&url), document(&foreign), document("https://files.example/a.pdf")]});
    assert_eq!(admin.post("/api/onboarding/submit", &draft).await.status, 200);
    let shown = root.get(&path("m-bare")).await;
    let link = |index: usize| shown.at(&format!("/data/profile/documents/{index}/link")).clone();
    let file = world::get(link(0).as_str().unwrap()).await;
    assert_eq!((file.status, file.content().as_str()), (200, "%PDF-1.7\n"));
    assert!(link(0).as_str().unwrap().contains("X-Amz-Expires=600"), "{}", link(0));
    assert_eq!([link(1), link(2)], [Value::Null, Value::Null]);

    // Whoever reads one is in the audit trail, and former members do not.
    let read = async |caller: &Caller| caller.get(&format!("/api/onboarding/document?url={url}")).await;
    assert_eq!(read(&root).await.status, 200);
    let entry = &audit_trail(&system, "m-bare").await[0];
    assert_eq!((entry.action.to_string(), entry.by.as_str()), ("DOCUMENT_READ".to_owned(), "u-root"));
    let member = join(&system, "m-bare").await;
    assert_eq!(read(&member).await.status, 200, "a member reads it as any other");
    member.delete("/api/auth/members/u-both").await.ok();
    assert_eq!(error_code(&read(&system.sign_in("u-both").await).await), (403, "OWN_MERCHANT"));
}

#[tokio::test]
async fn a_settlement_mode_is_set_once() {
    let (_system, root) = System::signed_in("u-root").await;
    let fixed = (409, "MODE_FIXED");
    for (merchant, mode, expected) in [
        ("m-aurora", "SETTLEMENT_ON_SALE", fixed),
        // What it has.
        ("m-aurora", "SETTLEMENT_ON_REDEMPTION", (200, "")),
        ("m-yen", "SETTLEMENT_ON_REDEMPTION", fixed),
        ("m-rival", "SETTLEMENT_ON_SALE", (200, "")),
        ("m-rival", "SETTLEMENT_ON_REDEMPTION", fixed),
    ] {
        let set = patch(&root, merchant, json!({"settlementMode": mode})).await;
        assert_eq!(error_code(&set), expected, "{merchant}: {mode}");
    }
    let conflict = patch(&root, "m-rival", json!({"settlementMode": "SETTLEMENT_ON_REDEMPTION"})).await;
    assert_json_snapshot!("mode_fixed", conflict);
}

#[tokio::test]
async fn of_two_decisions_at_once_one_is_refused() {
    let (system, root) = System::signed_in("u-root").await;
    for round in 0..5 {
        system.change_merchant("m-bare", |merchant| merchant.status = MerchantStatus::DecisionPending.into()).await;
        let decide = |status: &str| patch(&root, "m-bare", json!({"status": status}));
        let (accepted, declined) = future::join(decide("ACTIVE"), decide("DECLINED")).await;
        assert_eq!(outcomes([&accepted, &declined]), [(200, ""), (409, "STATUS_CONFLICT")], "round {round}");
    }
    assert_eq!(audit_trail(&system, "m-bare").await.len(), 5, "one entry for each decision that was taken");
}

#[tokio::test]
async fn concurrent_changes_of_different_fields_are_all_kept() {
    let (system, root) = System::signed_in("u-root").await;
    let fees = json!({"fees": {"percentBps": 300, "fixedMinor": 1}});
    let (fees, delay) = future::join(patch(&root, "m-bare", fees), patch(&root, "m-bare", json!({"payoutDelayDays": 30}))).await;
    assert_eq!((fees.status, delay.status), (200, 200));
    let merchant = system.merchant("m-bare").await;
    assert_eq!((merchant.fees.percent_bps, merchant.payout_delay_days), (300, 30));
}

#[tokio::test]
async fn of_two_merchants_that_claim_the_same_at_once_one_gets_it() {
    let (system, root) = System::signed_in("u-root").await;
    add_accounts(&system, &["300", "301", "302", "303", "304"]).await;
    for round in 0..5 {
        let claims = [
            (json!({"slug": format!("wanted-{round}")}), "SLUG_TAKEN"),
            (json!({"networkMerchantId": format!("30{round}")}), "NETWORK_ACCOUNT_TAKEN"),
        ];
        for (change, code) in claims {
            let (first, second) =
                future::join(patch(&root, "m-bare", change.clone()), patch(&root, "m-rival", change.clone())).await;
            assert_eq!(outcomes([&first, &second]), [(200, ""), (409, code)], "{change}");
        }
    }
}

#[tokio::test]
async fn nobody_administers_their_own_merchant() {
    let system = System::start().await;
    let member = join(&system, "m-aurora").await;
    let refused = patch(&member, "m-aurora", json!({"payoutDelayDays": 1})).await;
    assert_json_snapshot!("own_merchant", refused);
    let invalid = member.patch(&path("m-aurora"), &json!({})).await;
    assert_eq!(error_code(&invalid), (403, "OWN_MERCHANT"), "before the body is looked at");
    assert_eq!(patch(&member, "m-rival", json!({"payoutDelayDays": 1})).await.status, 200);
    assert!(audit_trail(&system, "m-aurora").await.is_empty());
}

#[tokio::test]
async fn changes_need_a_sign_in_of_the_last_fifteen_minutes() {
    let (system, clock) = System::at(NOW).await;
    let root = system.sign_in("u-root").await;
    let change = async |days: u32| patch(&root, "m-bare", json!({"payoutDelayDays": days})).await;
    clock.advance(15 * 60);
    assert_eq!(change(1).await.status, 200);
    clock.advance(1);
    assert_json_snapshot!("sign_in_again", change(2).await);
    assert_eq!(system.merchant("m-bare").await.payout_delay_days, 1);
    for read in [MERCHANTS.to_owned(), path("m-bare")] {
        assert_eq!(root.get(&read).await.status, 200, "{read}");
    }
    assert_eq!(patch(&system.sign_in("u-root").await, "m-bare", json!({"payoutDelayDays": 2})).await.status, 200);
}

#[tokio::test]
async fn bodies_are_json_and_pages_of_other_sites_are_refused() {
    let (_system, root) = System::signed_in("u-root").await;
    let body = json!({"payoutDelayDays": 3, "reason": "agreed"}).to_string();
    let request = || root.request(reqwest::Method::PATCH, &path("m-bare")).body(body.clone());
    let json = || request().header("content-type", "application/json");
    for (request, status) in [
        (request(), 415),
        (request().header("content-type", "text/plain"), 415),
        (json().header("origin", "https://evil.example"), 403),
        (json(), 200),
    ] {
        assert_eq!(Caller::send_request(request).await.status, status);
    }
}

#[tokio::test]
async fn who_is_no_longer_a_platform_administrator_is_refused_at_once() {
    let (system, root) = System::signed_in("u-root").await;
    let store = system.store();
    store.remove_platform_admin("ROOT@portal.example").await.unwrap();
    assert_eq!(root.get(MERCHANTS).await.status, 401, "its sessions have ended");
    assert_eq!(system.sign_in("u-root").await.get(MERCHANTS).await.status, 403);
}

const MEDIA: &str = "/api/admin/media";

/// Publishes an image of m-aurora, and returns its key.
async fn publish(system: &System) -> String {
    system.sign_in("u-admin").await.upload("/api/bff/offers/media", "card.png", PNG).await.text("/data/key")
}

async fn image_status(system: &System, key: &str) -> u16 {
    let path = format!("/api/public/gift-card-image?key={key}");
    system.anonymous().request(Method::GET, &path).send().await.unwrap().status().as_u16()
}

async fn take_down(caller: &Caller, key: &str) -> ApiResponse {
    caller.send(Method::DELETE, MEDIA, Some(&json!({"key": key, "reason": "Imitates a bank"}))).await
}

#[tokio::test]
async fn an_image_that_is_taken_down_is_gone_for_good() {
    let (system, root) = System::signed_in("u-root").await;
    let (key, other) = (publish(&system).await, publish(&system).await);
    let files = system.local.app().files();
    let merchant = MerchantId::new("m-aurora");
    let again = || files.put_image(&key, "\u{89}PNG".into(), FileType::Png, &merchant);
    again().await.unwrap();
    assert_eq!(image_status(&system, &key).await, 200);

    assert_eq!(take_down(&root, &key).await.reply(), (200, json!({"ok": true})));
    assert_eq!((image_status(&system, &key).await, image_status(&system, &other).await), (404, 200));
    system.finish_work().await;
    assert_eq!(files.image_owner(&key).await.unwrap(), None);
    let usage = system.usage().await;
    let deleted = usage["jobs"]["S3.DeleteObjectVersion"]["calls"].as_u64();
    assert_eq!(deleted, Some(2), "both versions are deleted, and no marker is left: {usage}");

    // A version that somebody restores, or an object under the same key, is not served either.
    again().await.unwrap();
    assert_eq!(image_status(&system, &key).await, 404);
    assert_eq!(take_down(&root, &key).await.status, 200);
    system.finish_work().await;
    assert_eq!(files.image_owner(&key).await.unwrap(), None);

    let trail = audit_trail(&system, "m-aurora").await;
    let [entry] = &trail[..] else { panic!("{trail:?}") };
    let entry = json!([entry.action, entry.subject, entry.reason, entry.by]);
    assert_eq!(entry, json!(["IMAGE_TAKEN_DOWN", key, "Imitates a bank", "u-root"]));
    assert_eq!(system.told("").await, ["Unset@aurora.example", "admin@aurora.example"]);
    let file_name = key.rsplit('/').next().unwrap();
    for mail in system.emails().await {
        let text = mail["text"].as_str().unwrap();
        assert!(text.contains(file_name) && !text.contains("bank"), "{text}");
    }
}

#[tokio::test]
async fn only_what_was_published_can_be_taken_down() {
    let (system, root) = System::signed_in("u-root").await;
    let key = publish(&system).await;
    for unknown in [
        "public/gift-cards/designs/0199c1f2-7a3b-7c4d-8e5f-0123456789ab-card.png",
        "public/gift-cards/designs/",
        "m-aurora/onboarding/documents/0199c1f2-7a3b-7c4d-8e5f-0123456789ab-card.png",
        "",
    ] {
        assert_eq!(take_down(&root, unknown).await.reply(), refusal(404, "There is no such image."));
    }
    for (body, message) in [
        (json!({"key": key}), "reason: is missing."),
        (json!({"key": key, "reason": " "}), "reason: must have 1 to 500 characters on one line."),
        (json!({"reason": "None"}), "key: is missing."),
    ] {
        assert_eq!(root.send(Method::DELETE, MEDIA, Some(&body)).await.reply(), refusal(400, message));
    }
    let member = join(&system, "m-aurora").await;
    assert_eq!(error_code(&take_down(&member, &key).await), (403, "OWN_MERCHANT"));
    assert_eq!(image_status(&system, &key).await, 200);
    assert!(audit_trail(&system, "m-aurora").await.is_empty());

    // The owner is known from before.
    assert_eq!(take_down(&root, &key).await.status, 200);
    assert_eq!(error_code(&take_down(&member, &key).await), (403, "OWN_MERCHANT"));
}

#[tokio::test]
async fn an_image_of_before_images_had_an_owner_is_taken_down_all_the_same() {
    let system = System::start().await;
    let key = "public/gift-cards/designs/0199c1f2-7a3b-7c4d-8e5f-0123456789ab-old.png";
    system.local.app().files().put_as(key, "\u{89}PNG".into(), FileType::Png.content_type()).await.unwrap();
    let (first, second) = (system.sign_in("u-root").await, system.sign_in("u-root").await);
    let (first, second) = future::join(take_down(&first, key), take_down(&second, key)).await;
    assert_eq!((first.status, second.status, image_status(&system, key).await), (200, 200, 404));
    system.finish_work().await;
    assert!(system.emails().await.is_empty());
}
