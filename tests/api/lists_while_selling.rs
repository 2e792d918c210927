//! Lists while tills sell and redeem for the same merchant.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::projections::compare::{Drift, compare};
use world::{Caller, System};

const TILLS: usize = 16;
const SALES_PER_TILL: usize = 5;
/// Rows that exist before.
const EXISTING: usize = 130;

fn existing() -> Value {
    let rows = || (0..EXISTING).map(|number| (number, format!("now-{}m", number * number)));
    let orders = rows().map(|(number, at)| {
        json!({"id": format!("o-{number}"), "merchantId": "m-aurora", "createdAt": at,
               "status": "COMPLETED", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "currency": "SEK",
               "totalAmountMinor": 100})
    });
    let settlements = rows().map(|(number, at)| {
        json!({"id": format!("s-{number}"), "merchantId": "m-aurora", "sourceType": "REDEMPTION",
               "sourceId": format!("r-{number}"), "grossAmountMinor": 100, "currency": "SEK", "eligibleAt": at})
    });
    json!({"orders": orders.collect::<Vec<_>>(), "settlements": settlements.collect::<Vec<_>>()})
}

/// Sells cards and redeems each.
async fn sell(till: &Caller) {
    for _ in 0..SALES_PER_TILL {
        let sold = till.sell(100).await;
        till.redeem(sold.text("/data/qrCode"), 40).await;
    }
}

/// A list that is read page by page.
struct List {
    path: &'static str,
    size: &'static str,
    rows: &'static str,
    total: &'static str,
    next: &'static str,
    prefix: &'static str,
}

const ORDERS: List = List {
    path: "/api/bff/merchant-orders?",
    size: "pageSize",
    rows: "/data/orders",
    total: "/data/total",
    next: "/data/nextCursor",
    prefix: "o-",
};
/// Sales keep this payment status while their status changes.
const PAID_ORDERS: List = List { path: "/api/bff/merchant-orders?paymentStatus=PAYMENT_CAPTURE_SUCCEEDED&", ..ORDERS };
const SETTLEMENTS: List =
    List { path: "/api/bff/settlements?", size: "take", rows: "/rows", total: "/total", next: "/nextCursor", prefix: "s-" };
const PAGE_SIZE: usize = 20;

impl List {
    /// The ids of a page, and the cursor of the next one. The list has at least as many rows as are known.
    async fn page(&self, caller: &Caller, start: &str, before: usize) -> (Vec<String>, Option<String>) {
        let response = caller.get(&format!("{}{}={PAGE_SIZE}&{start}", self.path, self.size)).await;
        let rows = response.at(self.rows).as_array().unwrap_or_else(|| panic!("{response:?}"));
        let ids: Vec<String> = rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        let total = response.at(self.total).as_u64().unwrap();
        assert!(ids.is_empty() || total >= (before + ids.len()) as u64, "{start}: {response:?}");
        (ids, response.at(self.next).as_str().map(str::to_owned))
    }

    /// All pages by their numbers.
    async fn by_page(&self, caller: &Caller) -> Vec<Vec<String>> {
        let mut pages = Vec::new();
        loop {
            let skip = pages.len() * PAGE_SIZE;
            let start = format!("page={}&skip={skip}", pages.len() + 1);
            let (ids, _) = self.page(caller, &start, skip).await;
            if ids.is_empty() {
                return pages;
            }
            pages.push(ids);
        }
    }

    /// All pages by their cursors.
    async fn by_cursor(&self, caller: &Caller) -> Vec<String> {
        let (mut walked, mut after) = (Vec::new(), String::new());
        loop {
            let (ids, next) = self.page(caller, &format!("after={after}"), walked.len()).await;
            walked.extend(ids);
            match next {
                Some(next) => after = next,
                None => return walked,
            }
        }
    }

    /// Reads all pages in both ways. Rows that have been `seen` are there again; a cursor repeats none.
    async fn assert_complete(&self, caller: &Caller, seen: &mut BTreeSet<String>) {
        let pages = self.by_page(caller).await;
        assert_complete(&pages, self.prefix);
        let paged: BTreeSet<String> = pages.into_iter().flatten().collect();
        assert_eq!(seen.difference(&paged).collect::<Vec<_>>(), Vec::<&String>::new(), "{} by page", self.path);
        seen.extend(paged);
        let walked = self.by_cursor(caller).await;
        let unique: BTreeSet<String> = walked.iter().cloned().collect();
        assert_eq!(unique.len(), walked.len(), "{} repeats rows by cursor", self.path);
        assert_eq!(seen.difference(&unique).collect::<Vec<_>>(), Vec::<&String>::new(), "{} by cursor", self.path);
        seen.extend(unique);
    }
}

/// New rows push the existing ones down, so that the end of a page can be repeated on the next one. Nothing else may repeat
/// or be missing.
fn assert_complete(pages: &[Vec<String>], prefix: &str) {
    let is_existing =
        |id: &String| id.strip_prefix(prefix).and_then(|number| number.parse::<usize>().ok()).filter(|number| *number < EXISTING);
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
        let mut seen = [const { BTreeSet::new() }; 3];
        let [orders, paid_orders, settlements] = &mut seen;
        while !is_done.load(Ordering::Relaxed) {
            tokio::join!(
                ORDERS.assert_complete(&admin, orders),
                PAID_ORDERS.assert_complete(&admin, paid_orders),
                SETTLEMENTS.assert_complete(&admin, settlements),
            );
            rounds += 1;
        }
    };
    tokio::join!(sell_all, read);
    assert!(rounds > 0);

    system.finish_work().await;
    let merchant = system.merchant("m-aurora").await;
    let calendars: Vec<_> = merchant.calendars.all().cloned().collect();
    let app = system.local.app();
    let drift = compare(&app.store, &merchant.id, &calendars, app.clock.now()).await.unwrap();
    assert_eq!(drift, Drift::new());
    let orders = admin.get("/api/bff/merchant-orders?q=POS").await;
    let sold = TILLS * SALES_PER_TILL;
    assert!(orders.at("/data/total").as_u64().unwrap() >= sold as u64, "{orders:?}");
}
