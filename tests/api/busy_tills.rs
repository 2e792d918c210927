//! Lists while tills sell and redeem for the same merchant.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::projections::compare::{Drift, compare};

use crate::support::{Caller, System, stored_merchant};

const TILLS: usize = 16;
const SALES_PER_TILL: usize = 5;
/// Rows that exist before.
const EXISTING: usize = 130;

fn existing() -> Value {
    let rows = || (0..EXISTING).map(|number| (number, format!("now-{}m", number * number)));
    let orders = rows().map(|(number, at)| {
        json!({"id": format!("o-{number}"), "merchantId": "m-aurora", "createdAt": at,
               "status": "COMPLETED", "currency": "SEK", "totalAmountMinor": 100})
    });
    let settlements = rows().map(|(number, at)| {
        json!({"id": format!("s-{number}"), "merchantId": "m-aurora", "sourceType": "REDEMPTION",
               "sourceId": format!("r-{number}"), "grossAmountMinor": 100, "currency": "SEK", "eligibleAt": at})
    });
    json!({"orders": orders.collect::<Vec<_>>(), "settlements": settlements.collect::<Vec<_>>()})
}

/// Sells cards and redeems each.
async fn sell(till: &Caller<'_>) {
    for _ in 0..SALES_PER_TILL {
        let sale = json!({"value": 100, "deliveryDetails": {"deliveryType": "QR"}});
        let sold = till.post("/api/bff/pos/issue", &sale).await;
        assert_eq!(sold.status, 200, "{sold:?}");
        let payment = json!({"qrCode": sold.text("/data/qrCode"), "redeemAmount": 40, "purchaseAmount": 40});
        let redeemed = till.post("/api/bff/pos/redeem", &payment).await;
        assert_eq!(redeemed.status, 200, "{redeemed:?}");
    }
}

/// Reads all pages of a list, and returns the ids of each page.
async fn pages(caller: &Caller<'_>, page: impl Fn(usize) -> String, rows: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    loop {
        let response = caller.get(&page(pages.len())).await;
        let ids: Vec<String> = response
            .at(rows)
            .as_array()
            .unwrap_or_else(|| panic!("{response:?}"))
            .iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect();
        if ids.is_empty() {
            return pages;
        }
        pages.push(ids);
    }
}

/// New rows push the existing ones down, so that the end of a page can be repeated on the next one. Nothing else may repeat
/// or be missing.
fn assert_complete(pages: &[Vec<String>], prefix: &str) {
    let is_existing = |id: &String| {
        id.strip_prefix(prefix)
            .and_then(|number| number.parse::<usize>().ok())
            .filter(|number| *number < EXISTING)
    };
    let mut next = 0;
    for page in pages {
        let existing: Vec<usize> = page.iter().filter_map(is_existing).collect();
        let Some(first) = existing.first().copied() else { continue };
        let end = first + existing.len();
        assert_eq!(existing, (first..end).collect::<Vec<_>>(), "a page is a part of the list");
        assert!(first <= next, "{next} to {first} are skipped");
        assert!(next - first <= 2 * TILLS * SALES_PER_TILL, "{first} to {next} are repeated");
        next = next.max(end);
    }
    assert_eq!(next, EXISTING);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_neither_skip_nor_repeat_rows_while_tills_sell() {
    let system = System::start().await;
    system.load_fixtures(&existing()).await;
    let (till, admin) = (system.sign_in("u-till").await, system.sign_in("u-admin").await);
    let (is_done, mut rounds) = (AtomicBool::new(false), 0);
    let sell_all = async {
        join_all((0..TILLS).map(|_| sell(&till))).await;
        is_done.store(true, Ordering::Relaxed);
    };
    let read = async {
        while !is_done.load(Ordering::Relaxed) {
            let orders = |page| format!("/api/bff/merchant-orders?pageSize=20&page={}", page + 1);
            let settlements = |page| format!("/api/bff/settlements?take=20&skip={}", page * 20);
            let (orders, settlements) =
                tokio::join!(pages(&admin, orders, "/data/orders"), pages(&admin, settlements, "/rows"),);
            assert_complete(&orders, "o-");
            assert_complete(&settlements, "s-");
            rounds += 1;
        }
    };
    tokio::join!(sell_all, read);
    assert!(rounds > 0);

    assert_eq!(system.settle().await, json!({"pending": 0, "dead": 0}));
    let merchant = stored_merchant(&system, "m-aurora").await;
    let calendars: Vec<_> = merchant.calendars.all().cloned().collect();
    let app = system.local.app();
    let drift = compare(&app.store, &merchant.id, &calendars, app.clock.now()).await.unwrap();
    assert_eq!(drift, Drift::new());
    let orders = admin.get("/api/bff/merchant-orders?q=POS").await;
    let sold = TILLS * SALES_PER_TILL;
    assert!(orders.at("/data/total").as_u64().unwrap() >= sold as u64, "{orders:?}");
}
