//! Settlements: list, summary, and lookup by order or redemption.

use insta::assert_json_snapshot;
use serde_json::{Value, json};
use world::shop::{self, with};
use world::{ApiResponse, Caller, ManualClock, System};

const SETTLEMENTS: &str = "/api/bff/settlements";
const SUMMARY: &str = "/api/bff/settlements/summary";

const NOW: &str = "2026-03-30T10:00:00Z";

async fn system() -> System {
    System::with_clock(ManualClock::at(NOW).clock()).await
}

/// Returns a settlement of a redemption, with `fields` applied. Its merchant `m-rival` has no settlement mode and sees
/// all settlements.
fn settlement(id: &str, eligible_at: &str, net: i64, fields: &Value) -> Value {
    with(shop::settlement(id, eligible_at, net, &json!({"merchantId": "m-rival"})), fields)
}

fn by_source_path(query: &str) -> String {
    format!("{SETTLEMENTS}/by-source?{query}")
}

fn ids(listing: &ApiResponse) -> Vec<String> {
    listing.list("/rows").iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

async fn find_by_source(caller: &Caller, query: &str) -> Value {
    let response = caller.get(&by_source_path(query)).await;
    assert_eq!((response.status, response.at("/ok")), (200, &json!(true)), "{query}: {response:?}");
    assert!(response.body.get("settlement").is_some(), "{query}: {response:?}");
    response.at("/settlement/id").clone()
}

#[tokio::test]
async fn lists_all_fields_and_omits_void_settlements() {
    let system = system().await;
    let of_order = json!({"sourceType": "ORDER", "sourceId": "o-1", "orderId": "o-1", "redemptionId": null});
    let all_fields = json!({
        "sourceType": "REDEMPTION", "sourceId": "r-1", "orderId": "o-2", "giftCardId": "g-2", "redemptionId": "r-1",
        "grossAmountMinor": 10_000, "feeAmountMinor": 350, "netAmountMinor": 9_650, "status": "IN_BATCH",
        "feeSnapshot": {"percentBps": 250, "fixedMinor": 100}, "payoutBatchId": "batch-1",
        "createdAt": "2026-03-01T08:00:00Z", "updatedAt": "2026-03-09T08:00:00.5Z",
    });
    let fixtures = json!({"settlements": [
        settlement("s-paid", "2026-03-07T08:00:00Z", 1_000, &json!({"status": "PAID"})),
        settlement("s-void", "2026-03-09T08:00:00Z", 1_000, &json!({"status": "VOID"})),
        settlement("s-whole", "2026-03-08T08:00:00Z", 0, &all_fields),
        settlement("s-order", "2026-04-30T08:00:00Z", 1_000, &of_order),
    ]});
    system.load_fixtures(&fixtures).await;
    assert_json_snapshot!("list", system.sign_in("u-rival").await.get(SETTLEMENTS).await);
}

#[tokio::test]
async fn settlement_mode_decides_which_settlements_are_listed() {
    let system = system().await;
    for (user, merchant, listed) in [
        ("u-yen", "m-yen", vec!["s-order"]),
        ("u-admin", "m-aurora", vec!["s-redemption"]),
        ("u-rival", "m-rival", vec!["s-redemption", "s-order"]),
    ] {
        let with_merchant = |fields: Value| with(fields, &json!({"merchantId": merchant}));
        let fixtures = json!({"settlements": [
            settlement("s-order", "2026-03-07T08:00:00Z", 1_000, &with_merchant(json!({"sourceType": "ORDER",
                "orderId": "o-1"}))),
            settlement("s-redemption", "2026-03-08T08:00:00Z", 1_000, &with_merchant(json!({"sourceType": "REDEMPTION"}))),
            settlement("s-void", "2026-03-08T08:00:00Z", 1_000, &with_merchant(json!({"status": "VOID"}))),
        ]});
        system.load_fixtures(&fixtures).await;
        let caller = system.sign_in(user).await;
        let listing = caller.get(SETTLEMENTS).await;
        assert_eq!(ids(&listing), listed, "{user}");
        assert_eq!(listing.at("/total"), &json!(listed.len()), "{user}");
        // The summary and the lookup ignore the settlement mode: it may have changed since, and the merchant is still owed.
        assert_eq!(caller.get(SUMMARY).await.at("/unsettledCount"), &json!(2), "{user}");
        assert_eq!(find_by_source(&caller, "orderId=o-1").await, json!("s-order"), "{user}");
    }
}

#[tokio::test]
async fn pages_contain_every_settlement_once() {
    let system = system().await;
    let same_time = "2026-03-08T08:00:00.123Z";
    let rows: Vec<Value> = (1..=7)
        .map(|number| settlement(&format!("s-{number}"), same_time, 100, &json!({})))
        .chain([
            settlement("s-0-later", "2026-03-08T08:00:00.124Z", 100, &json!({})),
            settlement("s-9-earlier", "2026-03-08T08:00:00.122Z", 100, &json!({})),
            settlement("s-5-void", same_time, 100, &json!({"status": "VOID"})),
        ])
        .collect();
    system.load_fixtures(&json!({"settlements": rows})).await;
    let rival = system.sign_in("u-rival").await;
    let all = ["s-0-later", "s-7", "s-6", "s-5", "s-4", "s-3", "s-2", "s-1", "s-9-earlier"];
    for take in 1..=all.len() + 1 {
        let mut seen = Vec::new();
        for skip in (0..all.len()).step_by(take) {
            let page = rival.get(&format!("{SETTLEMENTS}?take={take}&skip={skip}")).await;
            assert_eq!(page.at("/total"), &json!(all.len()));
            seen.extend(ids(&page));
        }
        assert_eq!(seen, all, "take={take}");
    }
    let cursor = rival.get(&format!("{SETTLEMENTS}?take=4")).await.text("/nextCursor");
    let after = rival.get(&format!("{SETTLEMENTS}?skip=1&take=2&after={cursor}")).await;
    assert_eq!(ids(&after), ["s-4", "s-3"], "a cursor comes before a number");
    let beyond = rival.get(&format!("{SETTLEMENTS}?skip={}", all.len())).await;
    assert_eq!(beyond.body, json!({"ok": true, "rows": [], "total": all.len(), "nextCursor": null}));
}

#[tokio::test]
async fn clamps_take_and_skip() {
    let system = system().await;
    let rows: Vec<Value> =
        (0..202).map(|number| settlement(&format!("s-{number:03}"), "2026-03-08T08:00:00Z", 100, &json!({}))).collect();
    system.load_fixtures(&json!({"settlements": rows})).await;
    let rival = system.sign_in("u-rival").await;
    for (query, rows, first) in [
        ("", 50, "s-201"),
        ("take=1", 1, "s-201"),
        ("take=0", 50, "s-201"),
        ("take=-1", 50, "s-201"),
        ("take=ten", 50, "s-201"),
        ("take=1.5", 50, "s-201"),
        ("take=", 50, "s-201"),
        ("take=199", 199, "s-201"),
        ("take=200", 200, "s-201"),
        ("take=201", 200, "s-201"),
        ("take=99999999999999999999", 200, "s-201"),
        ("skip=1", 50, "s-200"),
        ("skip=-1", 50, "s-201"),
        ("skip=two", 50, "s-201"),
        ("skip=201&take=200", 1, "s-000"),
    ] {
        let listing = rival.get(&format!("{SETTLEMENTS}?{query}")).await;
        let ids = ids(&listing);
        assert_eq!((ids.len(), ids[0].as_str()), (rows, first), "{query}");
        assert_eq!(listing.at("/total"), &json!(202), "{query}");
    }
    let first = rival.get(&format!("{SETTLEMENTS}?take=2")).await;
    let after_first = format!("{SETTLEMENTS}?skip=3&take=1&after={}", first.text("/nextCursor"));
    assert_eq!(ids(&rival.get(&after_first).await), ["s-199"], "a cursor comes before what is skipped");
    let beyond = rival.get(&format!("{SETTLEMENTS}?skip=99999999999999999999")).await;
    assert_eq!((ids(&beyond).len(), beyond.at("/total")), (0, &json!(202)));
}

#[tokio::test]
async fn summary_totals_pending_settlements_and_those_paid_this_month() {
    let system = system().await;
    let fixtures = json!({"settlements": [
        settlement("s-pending", "2025-01-01T00:00:00Z", 1, &json!({})),
        settlement("s-due-later", "2026-12-01T00:00:00Z", 20, &json!({})),
        settlement("s-in-batch", "2026-03-08T08:00:00Z", 300, &json!({"status": "IN_BATCH"})),
        settlement("s-elsewhere", "2026-03-08T08:00:00Z", 4_000, &json!({"currency": "EUR"})),
        settlement("s-void", "2026-03-08T08:00:00Z", 50_000, &json!({"status": "VOID"})),
        settlement("s-paid-first", "2026-03-01T00:00:00Z", 1, &json!({"status": "PAID"})),
        settlement("s-paid-later", "2026-04-01T00:00:00Z", 20, &json!({"status": "PAID"})),
        settlement("s-paid-before", "2026-02-28T23:59:59.999Z", 300, &json!({"status": "PAID"})),
        settlement("s-paid-elsewhere", "2026-03-08T08:00:00Z", 4_000, &json!({"status": "PAID", "currency": "EUR"})),
    ]});
    system.load_fixtures(&fixtures).await;
    assert_json_snapshot!("summary", system.sign_in("u-rival").await.get(SUMMARY).await);
    assert_json_snapshot!("summary_without_settlements_or_currency", system.sign_in("u-bare").await.get(SUMMARY).await);
}

#[tokio::test]
async fn finds_a_settlement_by_order_or_redemption() {
    let system = system().await;
    let of_order = |id: &str| json!({"sourceType": "ORDER", "sourceId": id, "orderId": id, "redemptionId": null});
    let of_redemption = |id: &str, order: &str, fields: Value| {
        let own = json!({"sourceType": "REDEMPTION", "sourceId": id, "redemptionId": id, "orderId": order});
        with(own, &fields)
    };
    let at = "2026-03-08T08:00:00Z";
    let void = json!({"status": "VOID"});
    let fixtures = json!({"settlements": [
        settlement("s-1", at, 100, &of_order("o-1")),
        settlement("s-2", "2026-03-09T08:00:00Z", 200, &of_redemption("r-2", "o-1", json!({"status": "PAID"}))),
        settlement("s-3", "2026-03-07T08:00:00Z", 300, &of_redemption("r-3", "o-3", json!({}))),
        settlement("s-4", at, 400, &of_redemption("r-4", "o-3", json!({}))),
        settlement("s-5", "2026-03-09T08:00:00Z", 500, &of_redemption("r-5", "o-3", void.clone())),
        settlement("s-6", at, 600, &of_redemption("r-6", "o-6", void)),
        settlement("s-7", at, 700, &json!({"sourceType": "ORDER", "sourceId": "o-7", "redemptionId": null})),
    ]});
    system.load_fixtures(&fixtures).await;
    let rival = system.sign_in("u-rival").await;
    assert_json_snapshot!("by_source", rival.get(&by_source_path("redemptionId=r-2")).await);
    for (query, id) in [
        ("orderId=o-1", json!("s-1")),
        ("redemptionId=r-2&orderId=o-1", json!("s-1")),
        ("orderId=o-3", json!("s-4")),
        ("redemptionId=r-3", json!("s-3")),
        ("orderId=&redemptionId=r-3", json!("s-3")),
        ("orderId=%20&redemptionId=r-3", json!("s-3")),
        ("orderId=o-7", json!("s-7")),
        ("redemptionId=r-5", Value::Null),
        ("orderId=o-6", Value::Null),
        ("orderId=unknown", Value::Null),
        ("orderId=unknown&redemptionId=r-2", Value::Null),
        ("redemptionId=o-1", Value::Null),
    ] {
        assert_eq!(find_by_source(&rival, query).await, id, "{query}");
    }
    let long = "x".repeat(3000);
    assert_eq!(find_by_source(&rival, &format!("orderId={long}")).await, Value::Null);
    assert_eq!(rival.get(&by_source_path("orderId=unknown")).await.body, json!({"ok": true, "settlement": null}));
    for query in ["", "orderId=", "redemptionId=", "orderId=%20&redemptionId=%20", "order=o-1"] {
        let rejected = rival.get(&by_source_path(query)).await;
        assert_eq!(rejected.reply(), (400, json!({"error": "orderId or redemptionId required"})), "{query}");
    }
}

#[tokio::test]
async fn redemption_at_the_till_creates_a_settlement() {
    let system = system().await;
    let till = system.sign_in("u-till").await;
    let redemption = till.redeem("QR-SOLD", 100).await.text("/redemptionId");
    system.drain().await;

    let viewer = system.sign_in("u-viewer").await;
    let settlement = viewer.get(&by_source_path(&format!("redemptionId={redemption}"))).await;
    assert_eq!(settlement.at("/settlement/netAmountMinor"), &json!(9_650));
    assert_eq!(settlement.at("/settlement/currency"), &json!("SEK"));
    assert_eq!(settlement.body, viewer.get(&by_source_path("orderId=o-sold")).await.body);

    let listing = viewer.get(SETTLEMENTS).await;
    assert_json_snapshot!("of_a_redemption", listing, {
        ".body.rows[].id" => "[id]", ".body.rows[].redemptionId" => "[id]", ".body.rows[].sourceId" => "[id]",
    });
    assert_eq!(listing.at("/rows/0/redemptionId"), &json!(redemption));
    assert_eq!(listing.at("/rows/0/id"), settlement.at("/settlement/id"));
}

#[tokio::test]
async fn never_returns_another_merchants_settlements() {
    let system = system().await;
    for merchant in ["m-rival", "m-bare2", "m-bare#", "M-BARE", "m-bar"] {
        let fields = json!({"merchantId": merchant, "orderId": "o-1", "redemptionId": "r-1"});
        system.load_fixtures(&json!({"settlements": [settlement("s-1", "2026-03-08T08:00:00Z", 100, &fields)]})).await;
    }
    let (bare, rival) = (system.sign_in("u-bare").await, system.sign_in("u-rival").await);
    assert_eq!(bare.get(SETTLEMENTS).await.body, json!({"ok": true, "rows": [], "total": 0, "nextCursor": null}));
    assert_eq!(bare.get(SUMMARY).await.at("/unsettledCount"), &json!(0));
    for (foreign, unknown) in [("orderId=o-1", "orderId=o-2"), ("redemptionId=r-1", "redemptionId=r-2")] {
        let (foreign, unknown) = (bare.get(&by_source_path(foreign)).await, bare.get(&by_source_path(unknown)).await);
        assert_eq!(foreign.comparable(), unknown.comparable());
    }
    assert_eq!(find_by_source(&rival, "orderId=o-1").await, json!("s-1"));
}
