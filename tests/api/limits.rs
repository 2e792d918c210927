//! What a member and its merchant can use up within an hour.

use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::db::counters::{Member, Who};
use shared::limits::model::{OFFER_CHANGES, PAIRING_CODES, REPORTS, RateLimit, SEARCHES, STORE_CHANGES};
use shared::values::{MerchantId, UserId};
use world::{ApiResponse, ManualClock, System, default_code, error_body, outcomes};

const SEARCH: &str = "/api/bff/merchant-orders?q=anna";
const LIST: &str = "/api/bff/merchant-orders";
const STATUS: &str = "/api/bff/offers/501/status";
const STORE: &str = "/api/bff/retail-store";
const TILLS: &str = "/api/auth/tills";

async fn system() -> (System, ManualClock) {
    System::at("2026-03-01T10:21:00Z").await
}

/// Uses what Aurora has, as this many requests of the user would.
async fn use_up(system: &System, clock: &Clock, limit: RateLimit, user: &str, cost: u32) {
    let (merchant, user) = (MerchantId::new("m-aurora"), UserId::new(user));
    let member = Member { merchant: &merchant, who: Who::User(&user) };
    let used = system.store().use_up(&member.within(limit), cost, clock.now()).await.unwrap();
    assert_eq!(used, Ok(()), "{}", limit.what);
}

fn of_member(limit: RateLimit) -> String {
    format!("You have reached your limit of {} {} an hour.", limit.share().max, limit.what)
}

fn of_merchant(limit: RateLimit) -> String {
    format!("Your team has reached its limit of {} {} an hour.", limit.max, limit.what)
}

/// Checks a refusal in the format of the reports and the orders.
fn assert_refused(response: &ApiResponse, sentence: &str, seconds: &str, wait: &str) {
    assert_eq!((response.status, response.header("retry-after")), (429, Some(seconds)), "{response:?}");
    let message = format!("{sentence} Please try again in {wait}.");
    assert_eq!(response.body, json!({"ok": false, "error": message}));
}

#[tokio::test]
async fn a_member_has_its_searches_until_the_last_one_of_the_hour() {
    let (system, clock) = system().await;
    let admin = system.sign_in("u-admin").await;
    use_up(&system, &clock.clock(), SEARCHES, "u-admin", SEARCHES.share().max - 1).await;
    assert_eq!(admin.get(SEARCH).await.status, 200);
    assert_refused(&admin.get(SEARCH).await, &of_member(SEARCHES), "3600", "60 minutes");
    // What costs little stays.
    for page in [LIST, "/api/bff/merchant-orders?q=", "/api/bff/merchant-orders?q=%20&page=2", "/api/bff/analytics/sales"] {
        assert!(matches!(admin.get(page).await.status, 200 | 403), "{page}");
    }
    // Others have theirs.
    assert_eq!(system.sign_in("u-viewer").await.get(SEARCH).await.status, 200);
    assert_eq!(system.sign_in("u-rival").await.get(SEARCH).await.status, 200);

    clock.advance(60 * 60 - 1);
    assert_refused(&admin.get(SEARCH).await, &of_member(SEARCHES), "1", "1 second");
    clock.advance(1);
    assert_eq!(admin.get(SEARCH).await.status, 200);
}

#[tokio::test]
async fn a_team_has_the_searches_of_its_merchant_and_no_other_merchant_notices() {
    let (system, clock) = system().await;
    let mut left = SEARCHES.max - 1;
    for user in ["u-admin", "u-full", "u-unset"] {
        let used = left.min(SEARCHES.share().max - 1);
        use_up(&system, &clock.clock(), SEARCHES, user, used).await;
        left -= used;
    }
    assert_eq!(left, 0);
    let viewer = system.sign_in("u-viewer").await;
    assert_eq!(viewer.get(SEARCH).await.status, 200);
    assert_refused(&viewer.get(SEARCH).await, &of_merchant(SEARCHES), "3600", "60 minutes");
    assert_refused(&system.sign_in("u-admin").await.get(SEARCH).await, &of_merchant(SEARCHES), "3600", "60 minutes");
    assert_eq!(system.sign_in("u-rival").await.get(SEARCH).await.status, 200);
    clock.advance(60 * 60);
    assert_eq!(viewer.get(SEARCH).await.status, 200);
}

#[tokio::test]
async fn of_parallel_searches_no_more_are_admitted_than_are_left() {
    let (system, clock) = system().await;
    let admin = system.sign_in("u-admin").await;
    use_up(&system, &clock.clock(), SEARCHES, "u-admin", SEARCHES.share().max - 25).await;
    let found = join_all((0..30).map(|_| admin.get(SEARCH))).await;
    let statuses: Vec<u16> = outcomes(&found).iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [vec![200; 25], vec![429; 5]].concat());
}

#[tokio::test]
async fn a_long_report_uses_up_more() {
    let (system, clock) = system().await;
    let admin = system.sign_in("u-admin").await;
    let report = |name: &str, days: u32| format!("/api/bff/analytics/{name}?days={days}");
    use_up(&system, &clock.clock(), REPORTS, "u-admin", REPORTS.share().max - 7).await;
    for (name, days, status) in [
        ("overview", 90, 200),
        // Three are left.
        ("overview", 90, 429),
        ("redemptions", 90, 429),
        ("redemptions", 30, 200),
        ("fraud", 30, 429),
        ("fraud", 7, 200),
        ("redemptions", 7, 429),
        ("overview", 14, 429),
        // It is not shown, and uses up nothing.
        ("sales", 90, 403),
    ] {
        let response = admin.get(&report(name, days)).await;
        assert_eq!(response.status, status, "{name} {days}: {response:?}");
        if status == 429 {
            assert_refused(&response, &of_member(REPORTS), "3600", "60 minutes");
        }
    }
    assert_eq!(system.sign_in("u-viewer").await.get(&report("overview", 90)).await.status, 200);
    assert_eq!(system.sign_in("u-yen").await.get(&report("sales", 90)).await.status, 200);
    clock.advance(60 * 60);
    assert_eq!(admin.get(&report("fraud", 90)).await.status, 200);
}

#[tokio::test]
async fn who_goes_on_after_a_refusal_costs_the_check_of_the_session_alone() {
    let (system, clock) = system().await;
    let admin = system.sign_in("u-admin").await;
    let usage = async |function: &str| {
        let usage = system.usage().await;
        usage[function].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    for (limit, path, function) in [(SEARCHES, SEARCH, "orders"), (REPORTS, "/api/bff/analytics/overview?days=90", "analytics")] {
        use_up(&system, &clock.clock(), limit, "u-admin", limit.share().max).await;
        assert_eq!(admin.get(path).await.status, 429, "{path}");
        system.reset_usage().await;
        assert_eq!(admin.get(path).await.status, 429, "{path}");
        assert_eq!(usage(function).await, ["BatchGetItem"], "{path}");
    }
}

#[tokio::test]
async fn nothing_that_is_limited_is_done_uncounted_while_the_table_is_busy() {
    let (system, _) = system().await;
    let (admin, till) = (system.sign_in("u-admin").await, system.paired_till().await);
    let calls = system.network_calls().await.len();
    system.set_fault("dynamodb", "UpdateItem", "throttle", ()).await;
    for (caller, path) in [
        (&admin, SEARCH),
        (&admin, "/api/bff/analytics/overview?days=90"),
        (&admin, "/api/bff/cards/QR-500"),
        (&till, "/api/bff/pos/card/QR-500"),
    ] {
        let refused = caller.get(path).await;
        assert_eq!((refused.status, refused.header("retry-after").is_some()), (503, true), "{path}: {refused:?}");
    }
    assert_eq!(system.network_calls().await.len(), calls);
    assert_eq!(admin.get(LIST).await.status, 200);
}

#[tokio::test]
async fn platform_administrators_have_what_members_have() {
    let (system, clock) = system().await;
    // Without a merchant, there is nothing to search.
    assert_eq!(system.sign_in("u-root").await.get(SEARCH).await.at("/data/total"), &json!(0));
    let boss = system.join("u-boss", "m-aurora", &json!({"isAdmin": true})).await;
    use_up(&system, &clock.clock(), SEARCHES, "u-boss", SEARCHES.share().max - 1).await;
    assert_eq!(boss.get(SEARCH).await.status, 200);
    assert_refused(&boss.get(SEARCH).await, &of_member(SEARCHES), "3600", "60 minutes");
}

fn refusal(limit: RateLimit, is_nested: bool) -> Value {
    let message = format!("{} Please try again in 60 minutes.", of_member(limit));
    if is_nested { error_body(429, &message) } else { json!({"error": message, "code": default_code(429)}) }
}

#[tokio::test]
async fn changes_of_offers_and_stores_are_counted_before_the_card_network_is_called() {
    let (system, clock) = system().await;
    let admin = system.sign_in("u-admin").await;
    let hidden = json!({"status": "HIDDEN"});
    let store = json!({"name": "North", "externalId": "north"});
    for limit in [OFFER_CHANGES, STORE_CHANGES] {
        use_up(&system, &clock.clock(), limit, "u-admin", limit.share().max - 1).await;
    }
    // Invalid requests, and those for what the merchant does not have, are no changes.
    assert_eq!(admin.patch(STATUS, &json!({"status": "GONE"})).await.status, 400);
    assert_eq!(admin.put(STORE, &json!({})).await.status, 400);
    assert_eq!(admin.patch(STATUS, &hidden).await.status, 200);
    assert_eq!(admin.post(STORE, &store).await.status, 200);
    let calls = system.network_calls().await.len();
    for (response, limit) in [
        (admin.patch(STATUS, &hidden).await, OFFER_CHANGES),
        (admin.put("/api/bff/offers/501", &json!({"description": "new"})).await, OFFER_CHANGES),
        (admin.post("/api/bff/offers", &json!({"name": "A"})).await, OFFER_CHANGES),
        (admin.post(STORE, &store).await, STORE_CHANGES),
        (admin.put(STORE, &store).await, STORE_CHANGES),
    ] {
        assert_eq!((response.status, response.header("retry-after")), (429, Some("3600")), "{response:?}");
        assert!([refusal(limit, true), refusal(limit, false)].contains(&response.body), "{response:?}");
    }
    assert_eq!(system.network_calls().await.len(), calls);
    assert_eq!(admin.get("/api/bff/offers/501").await.status, 200);
    let other = system.sign_in("u-full").await;
    assert_eq!(other.patch(STATUS, &hidden).await.status, 200);
    assert_eq!(other.put(STORE, &store).await.status, 200);
    clock.advance(60 * 60);
    assert_eq!(admin.patch(STATUS, &hidden).await.status, 200);
    assert_eq!(admin.put(STORE, &store).await.status, 200);
}

#[tokio::test]
async fn a_member_makes_its_pairing_codes_until_the_last_one_of_the_hour() {
    let (system, clock) = system().await;
    let (admin, other) = (system.sign_in("u-admin").await, system.sign_in("u-unset").await);
    let till = json!({"name": "Counter", "retailStoreId": "101"});
    use_up(&system, &clock.clock(), PAIRING_CODES, "u-admin", PAIRING_CODES.share().max - 2).await;
    let created = admin.post(TILLS, &till).await.ok();
    let renew = format!("{TILLS}/{}/pairing", created.text("/data/id"));
    assert_eq!(admin.post_empty(&renew).await.status, 200);
    for refused in [admin.post(TILLS, &till).await, admin.post_empty(&renew).await] {
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("3600")), "{refused:?}");
        assert_eq!(refused.body, refusal(PAIRING_CODES, true));
    }
    assert_eq!(other.post_empty(&renew).await.status, 200);
    clock.advance(60 * 60);
    assert_eq!(admin.post(TILLS, &till).await.status, 201);
}
