//! Lists while the tallies trail the rows, and while rows change between the calls of a request.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use local::Options;
use serde_json::{Value, json};
use shared::app::App;
use shared::cards::model::order::{Order, OrderEntry, OrderFilter, OrderStatus, PaymentStatus};
use shared::db::{Page, PageRequest, PageStart, Write, keys};
use shared::merchants::model::merchant::Merchant;
use shared::projections::lists;
use shared::projections::model::tally::{Family, SettlementKind};
use shared::projections::recount::recount;
use shared::projections::search::Writer;
use shared::settlements::model::settlement::Settlement;
use shared::settlements::rows::create_settlement;
use shared::values::{Currency, MerchantId, Minor, Minute, Money, OrderId};
use world::{ApiResponse, Caller, Histories, ManualClock, SeededRandom, System, poll_up_to};

const NOW: &str = "2026-03-30T10:00:30Z";
const ORDERS: &str = "/api/bff/merchant-orders";
const SETTLEMENTS: &str = "/api/bff/settlements";
const STEPS: u64 = 40;
/// More than are found without tallies.
const EXISTING: i64 = 230;
/// How long at most the tallies trail the rows, in seconds: less than what is counted from the rows.
const MAX_LAG: i64 = 59;
const STATUSES: [OrderStatus; 3] = [OrderStatus::Paid, OrderStatus::Completed, OrderStatus::IssueFailed];
const PAYMENT_STATUSES: [PaymentStatus; 2] = [PaymentStatus::PaymentCaptureSucceeded, PaymentStatus::PaymentFailed];

fn ids(response: &ApiResponse, rows: &str) -> Vec<String> {
    let rows = response.at(rows).as_array().unwrap_or_else(|| panic!("{response:?}"));
    rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// Settlements that become eligible before any new one, oldest first.
fn settlements(count: usize) -> Value {
    let rows = (0..count).map(|number| {
        json!({"id": format!("s-{number}"), "merchantId": "m-aurora", "sourceType": "REDEMPTION",
               "sourceId": format!("r-{number}"), "grossAmountMinor": 1000, "currency": "SEK",
               "eligibleAt": format!("now-{}m", count - number)})
    });
    json!({"settlements": rows.collect::<Vec<_>>()})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_is_listed_and_summed_before_it_is_counted() {
    let system = System::start().await;
    system.load_fixtures(&settlements(3)).await;
    let (till, admin) = (system.sign_in("u-till").await, system.sign_in("u-admin").await);
    let redeem = async || format!("settlement-{}", till.redeem("QR-SOLD", 100).await.text("/redemptionId"));
    let before = admin.get(&format!("{SETTLEMENTS}/summary")).await;
    let uncounted = system
        .local
        .pause(async {
            let (first, second) = (redeem().await, redeem().await);
            let listed = admin.get(SETTLEMENTS).await;
            assert_eq!(ids(&listed, "/rows"), [&second, &first, "s-2", "s-1", "s-0"]);
            assert_eq!(listed.at("/total"), &json!(5));
            // Page after page, none is repeated and none is missing.
            let pages = [0, 2, 4].map(|skip| format!("{SETTLEMENTS}?take=2&skip={skip}"));
            let mut paged = Vec::new();
            for path in &pages {
                let page = admin.get(path).await;
                assert_eq!(page.at("/total"), &json!(5), "{path}");
                paged.extend(ids(&page, "/rows"));
            }
            assert_eq!(paged, ids(&listed, "/rows"));
            let summary = admin.get(&format!("{SETTLEMENTS}/summary")).await;
            let unsettled = |summary: &ApiResponse| summary.at("/unsettledCount").as_u64().unwrap();
            let pending = |summary: &ApiResponse| summary.at("/pendingNetMinor").as_i64().unwrap();
            assert_eq!(unsettled(&summary), unsettled(&before) + 2);
            assert_eq!(pending(&summary), pending(&before) + 2 * 9_650);
            [listed.body, summary.body]
        })
        .await;
    system.drain().await;
    let counted = [admin.get(SETTLEMENTS).await.body, admin.get(&format!("{SETTLEMENTS}/summary")).await.body];
    assert_eq!(counted, uncounted);
}

/// Returns the damaged file. `None` if it is lost.
type Damage = fn(Vec<u8>) -> Option<Vec<u8>>;

/// What can become of the file that says how far the stream was read.
const DAMAGES: [(&str, Damage); 8] = [
    ("kept", Some),
    ("lost", |_| None),
    ("empty", |_| Some(Vec::new())),
    ("cut", |file| Some(file[..10].to_vec())),
    ("text", |_| Some(b"no number".to_vec())),
    ("not UTF-8", |_| Some(vec![0xff, 0xfe])),
    ("six changes later", |file| Some(later(&file, 6))),
    ("of a table that is far ahead", |file| Some(later(&file, 1_000_000))),
];

/// The file with a larger number.
fn later(file: &[u8], changes: u128) -> Vec<u8> {
    let file = std::str::from_utf8(file).unwrap();
    let number = file.split(' ').next().unwrap();
    let changed = format!("{:0width$}", number.parse::<u128>().unwrap() + changes, width = number.len());
    file.replacen(number, &changed, 1).into_bytes()
}

/// On one thread, so that nothing works in the background between the redemption and the end of the system.
#[tokio::test]
async fn what_was_not_counted_when_the_system_stopped_is_counted_by_the_next() {
    for (damage, damaged) in DAMAGES {
        let (clock, data) = (ManualClock::at(NOW), tempfile::tempdir().unwrap());
        let options = || Options { clock: clock.clock(), data: Some(data.path().to_owned()), ..Options::default() };
        let system = System::with_options(options()).await;
        let (till, admin) = (system.sign_in("u-till").await, system.sign_in("u-admin").await);
        system.drain().await;
        let before = unsettled(&admin).await;
        system.local.pause(till.redeem("QR-SOLD", 100)).await;
        drop(system);
        let file = data.path().join("stream-checkpoint");
        match damaged(std::fs::read(&file).unwrap()) {
            Some(damaged) => std::fs::write(file, damaged).unwrap(),
            None => std::fs::remove_file(file).unwrap(),
        }

        // Long after the time that is counted from the rows.
        clock.advance(3_600);
        let system = System::without_fixtures(options()).await;
        system.drain().await;
        assert_eq!(unsettled(&system.sign_in("u-admin").await).await, before + 1, "{damage}");
    }
}

async fn unsettled(admin: &Caller) -> u64 {
    admin.get(&format!("{SETTLEMENTS}/summary")).await.at("/unsettledCount").as_u64().unwrap()
}

/// The next start counts it, wherever the load was interrupted.
#[tokio::test]
async fn fixtures_whose_load_was_killed_are_counted_by_the_next_start() {
    let settlement = json!({
        "id": "s-loaded", "merchantId": "m-aurora", "sourceType": "REDEMPTION", "sourceId": "r-loaded", "grossAmountMinor": 100,
        "currency": "SEK", "eligibleAt": "2026-03-01T10:00:00Z", "createdAt": "2026-03-01T10:00:00Z",
    });
    let document = json!({"settlements": [settlement]});
    let mut loaded = 0;
    for polls in [0, 10, 20, 30, 40, 60, 100] {
        let (clock, data) = (ManualClock::at(NOW), tempfile::tempdir().unwrap());
        let options = || Options { clock: clock.clock(), data: Some(data.path().to_owned()), ..Options::default() };
        let system = System::with_options(options()).await;
        system.drain().await;
        let before = unsettled(&system.sign_in("u-admin").await).await;
        poll_up_to(&mut Box::pin(system.load_fixtures(&document)), polls).await;
        drop(system);

        let system = System::without_fixtures(options()).await;
        let admin = system.sign_in("u-admin").await;
        let listed = admin.get(SETTLEMENTS).await.list("/rows").iter().any(|row| row["id"] == "s-loaded");
        loaded += u64::from(listed);
        assert_eq!(unsettled(&admin).await, before + u64::from(listed), "after {polls} polls");
    }
    assert!(loaded > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_list_loses_rows_while_nothing_is_counted_for_long() {
    let (system, clock) = System::at(NOW).await;
    let (store, merchant) = (&system.store(), MerchantId::new("m-aurora"));
    let admin = system.sign_in("u-admin").await;
    let listed = async |path: &str, rows: &str| {
        let page = admin.get(path).await;
        let (ids, total) = (ids(&page, rows), page.at("/data/total").as_u64().or(page.at("/total").as_u64()));
        assert!(total.unwrap() >= ids.len() as u64, "{path}: {page:?}");
        ids.len()
    };
    let create = async |number: i64| {
        let now = clock.clock().now();
        let order = new_order(&merchant, &format!("o-{number}"), now);
        let mut writes = vec![Write::create(&order).unwrap()];
        writes.extend(create_settlement(&new_settlement(&merchant, number, now)).unwrap());
        store.commit(writes).await.unwrap();
    };
    system
        .local
        .pause(async {
            for number in 0..30 {
                create(number).await;
                clock.advance(60);
                let expected = usize::try_from(number).unwrap() + 1;
                // The fixtures have an order of their own.
                assert_eq!(listed(&format!("{ORDERS}?pageSize=50"), "/data/orders").await, expected + 1);
                assert_eq!(listed(SETTLEMENTS, "/rows").await, expected);
                let (mut walked, mut after) = (0, String::new());
                loop {
                    let page = admin.get(&format!("{ORDERS}?pageSize=7&after={after}")).await;
                    walked += ids(&page, "/data/orders").len();
                    let Some(next) = page.at("/data/nextCursor").as_str() else { break };
                    next.clone_into(&mut after);
                }
                assert_eq!(walked, expected + 1);
            }
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_changes_its_status_stays_in_the_lists_that_it_belongs_to() {
    let (system, clock) = System::at(NOW).await;
    let orders = [3, 2, 1].map(|hours| {
        json!({"id": format!("o-{hours}"), "merchantId": "m-aurora", "createdAt": format!("now-{hours}h"), "status": "PAID",
               "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "currency": "SEK", "totalAmountMinor": 100})
    });
    system.load_fixtures(&json!({"orders": orders})).await;
    let admin = system.sign_in("u-admin").await;
    system
        .local
        .pause(async {
            let (store, merchant) = (&system.store(), MerchantId::new("m-aurora"));
            let order = store.order(&merchant, &OrderId::new("o-2")).await.unwrap().unwrap();
            let changed =
                Order { status: OrderStatus::IssueFailed.into(), updated_at: clock.clock().now(), ..order.value.clone() };
            store.commit(vec![Write::replace(&order, &changed).unwrap()]).await.unwrap();
            for (filter, expected) in [
                ("paymentStatus=PAYMENT_CAPTURE_SUCCEEDED&from=2026-03-30", vec!["o-1", "o-2", "o-3"]),
                ("status=ISSUE_FAILED", vec!["o-2"]),
                ("status=ISSUE_FAILED&paymentStatus=PAYMENT_CAPTURE_SUCCEEDED", vec!["o-2"]),
                ("status=PAID", vec!["o-1", "o-3"]),
                ("status=PAID&q=o-", vec!["o-1", "o-3"]),
            ] {
                let listed = admin.get(&format!("{ORDERS}?{filter}")).await;
                assert_eq!(ids(&listed, "/data/orders"), expected, "{filter}");
                assert!(listed.at("/data/total").as_u64().unwrap() >= expected.len() as u64, "{listed:?}");
                let mut walked = Vec::new();
                let mut after = String::new();
                loop {
                    let page = admin.get(&format!("{ORDERS}?{filter}&pageSize=1&after={after}")).await;
                    walked.extend(ids(&page, "/data/orders"));
                    let Some(next) = page.at("/data/nextCursor").as_str() else { break };
                    next.clone_into(&mut after);
                }
                assert_eq!(walked, expected, "{filter}");
            }
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shorter_payout_delay_adds_settlements_in_the_middle_of_the_list() {
    let (system, clock) = System::at(NOW).await;
    system.load_fixtures(&settlements(30)).await;
    let (store, merchant) = (&system.store(), MerchantId::new("m-aurora"));
    // Before and after the delay is changed from seven days to two.
    for number in 0..20 {
        let settlement = new_settlement(&merchant, number, clock.clock().now());
        store.commit(create_settlement(&settlement).unwrap()).await.unwrap();
        clock.advance(7 * 60 * 60);
    }
    system.drain().await;
    system.change_merchant("m-aurora", |merchant| merchant.payout_delay_days = 2).await;
    let admin = system.sign_in("u-admin").await;
    system
        .local
        .pause(async {
            let now = clock.clock().now();
            let new = Settlement { eligible_at: now + days(2), ..new_settlement(&merchant, 20, now) };
            store.commit(create_settlement(&new).unwrap()).await.unwrap();
            let mut walked = Vec::new();
            for skip in 0..52 {
                let page = admin.get(&format!("{SETTLEMENTS}?take=1&skip={skip}")).await;
                assert_eq!(page.at("/total"), &json!(51), "{skip}");
                walked.extend(ids(&page, "/rows"));
            }
            assert_eq!(walked.len(), 51);
            assert_eq!(walked.iter().collect::<BTreeSet<_>>().len(), 51);
            assert!(walked.contains(&"settlement-r-20".to_owned()));
            assert_eq!(ids(&admin.get(&format!("{SETTLEMENTS}?take=200")).await, "/rows"), walked);
            assert_eq!(admin.get(&format!("{SETTLEMENTS}/summary")).await.at("/unsettledCount"), &json!(51));
        })
        .await;
}

fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

fn amount() -> Money {
    Money::new(Minor::new(1000), Currency::EUR)
}

fn new_order(merchant: &MerchantId, id: &str, now: Timestamp) -> Order {
    let mut order = Order::new(OrderId::new(id), merchant.clone(), now, amount());
    order.status = OrderStatus::Paid.into();
    order.payment_status = PaymentStatus::PaymentCaptureSucceeded.into();
    order
}

/// As that of a redemption of a merchant whose payout delay is seven days.
fn new_settlement(merchant: &MerchantId, number: i64, now: Timestamp) -> Settlement {
    serde_json::from_value(json!({
        "id": format!("settlement-r-{number}"), "merchant_id": merchant, "source_type": "REDEMPTION",
        "source_id": format!("r-{number}"), "redemption_id": format!("r-{number}"), "gross": 1000, "fee": 0, "net": 1000,
        "currency": "SEK", "status": "PENDING", "hold": {"NotHeld": {"lifted_because": null}}, "hold_lifted": false,
        "eligible_at": now + days(7), "created_at": now, "updated_at": now,
    }))
    .unwrap()
}

/// A merchant's rows, and the minutes that are to be recounted.
struct History<'a> {
    app: &'a App,
    merchant: Merchant,
    clock: &'a ManualClock,
    random: SeededRandom,
    /// What the rows contain, by sort key.
    orders: BTreeMap<String, Order>,
    settlements: BTreeMap<String, Settlement>,
    /// Since when they are to be recounted.
    uncounted: BTreeMap<(Family, Minute), Timestamp>,
    created: i64,
}

const SETTLED: Family = Family::Settlements(SettlementKind::Redemption);

impl History<'_> {
    fn now(&self) -> Timestamp {
        self.clock.clock().now()
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.random.below(i64::try_from(bound).unwrap())).unwrap()
    }

    fn changed(&mut self, family: Family, at: Timestamp) {
        let now = self.now();
        self.uncounted.entry((family, Minute::of(at))).or_insert(now);
    }

    async fn sell(&mut self) {
        self.created += 1;
        let order = new_order(&self.merchant.id, &format!("o-{}", self.created), self.now());
        self.app.store.commit(vec![Write::create(&order).unwrap()]).await.unwrap();
        self.changed(Family::Orders, order.created_at);
        self.orders.insert(keys::entry_of_order(&OrderEntry::from(&order)), order);
    }

    async fn redeem(&mut self) {
        self.created += 1;
        let settlement = new_settlement(&self.merchant.id, self.created, self.now());
        self.app.store.commit(create_settlement(&settlement).unwrap()).await.unwrap();
        self.changed(SETTLED, settlement.eligible_at);
        self.settlements.insert(keys::entry_of_settlement(&settlement), settlement);
    }

    /// Changes the status of an order, most often of one of the newest.
    async fn change(&mut self) {
        let newest = if self.random.percent(70) { 20 } else { self.orders.len() };
        let place = self.below(newest.min(self.orders.len()));
        let Some(sort_key) = self.orders.keys().rev().nth(place).cloned() else { return };
        let (store, id) = (&self.app.store, self.orders[&sort_key].id.clone());
        let order = store.order(&self.merchant.id, &id).await.unwrap().unwrap();
        let changed = Order {
            status: (*self.random.pick(&STATUSES)).into(),
            payment_status: (*self.random.pick(&PAYMENT_STATUSES)).into(),
            updated_at: self.now(),
            ..order.value.clone()
        };
        store.commit(vec![Write::replace(&order, &changed).unwrap()]).await.unwrap();
        self.changed(Family::Orders, changed.created_at);
        self.orders.insert(sort_key, changed);
    }

    async fn recount(&mut self, percent: u64) {
        let latest = self.now() - SignedDuration::from_secs(MAX_LAG);
        let uncounted = std::mem::take(&mut self.uncounted);
        for ((family, minute), since) in uncounted {
            if since <= latest || self.random.percent(percent) {
                let minutes = BTreeSet::from([minute]);
                recount(&self.app.store, &self.merchant.id, family, &minutes).await.unwrap();
            } else {
                self.uncounted.insert((family, minute), since);
            }
        }
    }

    async fn renew_segments(&self) {
        let (store, objects, random) = (&self.app.store, self.app.segments(), &self.app.random);
        let writer = Writer { store, objects, random, now: self.now() };
        writer.renew(&self.merchant.id).await.unwrap();
    }

    async fn act(&mut self) {
        match self.random.below(9) {
            0 | 1 => self.sell().await,
            2 | 3 => self.redeem().await,
            4 | 5 => self.change().await,
            6 => self.recount(40).await,
            7 => self.renew_segments().await,
            _ => {
                let seconds = *self.random.pick(&[0, 1, 7, 30, 55, 55, 400]);
                self.clock.advance(seconds);
                self.recount(0).await;
            }
        }
    }

    fn filter(&mut self) -> OrderFilter {
        OrderFilter {
            status: *self.random.pick(&[None, Some(OrderStatus::Completed), Some(OrderStatus::Paid)]),
            payment_status: *self.random.pick(&[None, Some(PaymentStatus::PaymentCaptureSucceeded)]),
            ..OrderFilter::default()
        }
    }

    async fn orders(&self, filter: &OrderFilter, page: &PageRequest) -> Page<OrderEntry> {
        let (store, segments) = (&self.app.store, self.app.segments());
        lists::orders(store, segments, &self.merchant, filter, page, self.now()).await.unwrap()
    }

    async fn settlements(&self, page: &PageRequest) -> Page<Settlement> {
        lists::settlements(&self.app.store, &self.merchant, page, self.now()).await.unwrap()
    }

    fn matching(&self, filter: &OrderFilter) -> Vec<String> {
        let matches = |order: &Order| filter.matches(&OrderEntry::from(order));
        let orders = self.orders.iter().rev().filter(|(_, order)| matches(order));
        orders.map(|(sort_key, _)| sort_key.clone()).collect()
    }

    /// A page of the rows as they are now.
    async fn assert_pages(&mut self) {
        let (offset, limit) = (self.below(self.orders.len() + 5), 1 + self.below(50));
        let page = PageRequest { start: PageStart::Offset(offset), limit };
        let on_page = |all: Vec<String>| (all.len(), all.into_iter().skip(offset).take(limit).collect::<Vec<_>>());
        for filter in [OrderFilter::default(), self.filter()] {
            let found = self.orders(&filter, &page).await;
            let rows = found.rows.iter().map(keys::entry_of_order).collect();
            assert_eq!((found.total, rows), on_page(self.matching(&filter)), "{filter:?}, {page:?}");
        }
        let found = self.settlements(&page).await;
        let rows = found.rows.iter().map(keys::entry_of_settlement).collect();
        let all = self.settlements.keys().rev().cloned().collect();
        assert_eq!((found.total, rows), on_page(all), "settlements, {page:?}");
    }

    /// A first page that is read while rows change.
    async fn assert_page_beside_changes(&mut self) {
        let filter = self.filter();
        let mut stayed = self.matching(&filter);
        let (app, merchant, now, asked) = (self.app, self.merchant.clone(), self.now(), filter.clone());
        let mut reading = Box::pin(async move {
            let page = PageRequest { start: PageStart::Offset(0), limit: 200 };
            lists::orders(&app.store, app.segments(), &merchant, &asked, &page, now).await.unwrap()
        });
        let mut found = None;
        for _ in 0..4 {
            found = poll_up_to(&mut reading, self.random.below(8)).await;
            if found.is_some() {
                break;
            }
            self.change().await;
            let matching = self.matching(&filter);
            stayed.retain(|sort_key| matching.contains(sort_key));
        }
        let found = match found {
            Some(found) => found,
            None => reading.await,
        };
        assert!(found.rows.iter().all(|order| filter.matches(order)), "{filter:?}");
        let rows: Vec<String> = found.rows.iter().map(keys::entry_of_order).collect();
        let unique: BTreeSet<&String> = rows.iter().collect();
        assert_eq!(unique.len(), rows.len(), "{filter:?}");
        assert!(found.total >= rows.len(), "{filter:?}");
        let last = rows.last().filter(|_| found.next.is_some()).cloned().unwrap_or_default();
        stayed.retain(|sort_key| *sort_key >= last && !unique.contains(sort_key));
        assert_eq!(stayed, Vec::<String>::new(), "missing: {filter:?}");
    }

    /// Walks through a list by its cursors while rows change.
    async fn assert_walk_beside_changes(&mut self) {
        let filter = self.filter();
        let limit = 5 + self.below(45);
        let mut stayed: BTreeSet<String> = self.matching(&filter).into_iter().collect();
        let (mut walked, mut start) = (Vec::new(), PageStart::Offset(0));
        loop {
            let page = self.orders(&filter, &PageRequest { start, limit }).await;
            walked.extend(page.rows.iter().map(keys::entry_of_order));
            let Some(next) = page.next else { break };
            start = PageStart::After(next);
            self.act().await;
            let matching: BTreeSet<String> = self.matching(&filter).into_iter().collect();
            stayed.retain(|sort_key| matching.contains(sort_key));
        }
        let unique: BTreeSet<String> = walked.iter().cloned().collect();
        assert_eq!(unique.len(), walked.len(), "{filter:?}");
        assert!(walked.is_sorted_by(|one, other| one > other), "{filter:?}");
        assert_eq!(stayed.difference(&unique).collect::<Vec<_>>(), Vec::<&String>::new(), "{filter:?}");
    }

    async fn run(&mut self) {
        for _ in 0..STEPS {
            self.act().await;
            match self.random.below(4) {
                0 => self.assert_page_beside_changes().await,
                1 => self.assert_walk_beside_changes().await,
                _ => self.assert_pages().await,
            }
        }
    }
}

/// Moves the clock to a time, also back.
fn set(clock: &ManualClock, time: Timestamp) {
    clock.advance_milliseconds(time.duration_since(clock.clock().now()).as_millis().try_into().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_equal_to_the_rows_whatever_is_counted() {
    let clock = ManualClock::at(NOW);
    let now = clock.clock().now();
    let system = System::with_clock(clock.clock()).await;
    let merchant = json!({"id": "m-lag", "slug": "lag", "name": "Lag", "currency": "EUR", "timeZone": "Europe/Stockholm",
                          "settlementMode": "SETTLEMENT_ON_REDEMPTION", "payoutDelayDays": 7});
    system.load_fixtures(&json!({"merchants": [merchant]})).await;
    let mut history = History {
        app: system.local.app(),
        merchant: system.merchant("m-lag").await.value,
        clock: &clock,
        random: SeededRandom::new(0),
        orders: BTreeMap::new(),
        settlements: BTreeMap::new(),
        uncounted: BTreeMap::new(),
        created: 0,
    };
    for number in 0..EXISTING {
        // Some of them in the same minute.
        set(&clock, now - SignedDuration::from_mins(10 * (number / 3) * (number / 3)) - SignedDuration::from_secs(number % 3));
        history.sell().await;
        history.redeem().await;
    }
    set(&clock, now);
    for begun in Histories::new("--test api lists_ahead_of_tallies::", 2).all() {
        system.drain().await;
        history.uncounted.clear();
        history.random = SeededRandom::new(begun.seed);
        system.local.pause(history.run()).await;
    }
}
