//! Lists and reports made of tallies, compared with those that are made of all rows.

use serde_json::{Value, json};
use shared::cards::model::order::{FraudCheck, GiftCardStatus, OrderStatus, PaymentStatus};
use shared::db::{Job, Range, Task, Write, item_key, keys};
use shared::merchants::model::merchant::Merchant;
use shared::projections::calendars::{FollowedRelease, follow_release};
use shared::projections::compare::{Drift, compare};
use shared::projections::model::tally::{Family, Series};
use shared::settlements::model::settlement::SettlementStatus;
use shared::values::{Calendar, Calendars, MerchantId, OrderId, SettlementId, release};
use world::{ManualClock, SeededRandom, System};

use crate::all_rows::AllRows;

/// It lies in the future: the embedded DynamoDB deletes expired visits by the system's time.
const NOW: &str = "2050-03-30T10:07:30Z";
const STATUSES: [&str; 4] = ["COMPLETED", "ISSUE_FAILED", "PENDING_PAYMENT", "REFUNDED"];
const PAYMENT_STATUSES: [&str; 3] = ["PAYMENT_CAPTURE_SUCCEEDED", "PAYMENT_CREATED", "PAYMENT_FAILED"];

/// A time of the last minutes, of the last day, of the last months, or long ago.
fn time(random: &mut SeededRandom) -> String {
    let minutes = match random.below(8) {
        0 => random.below(4),
        1 | 2 => random.below(24 * 60),
        3 => random.below(500) * 24 * 60,
        _ => random.below(190 * 24 * 60),
    };
    format!("now-{minutes}m")
}

/// As [`time`], or as long from now.
fn eligible_time(random: &mut SeededRandom) -> String {
    let time = time(random);
    if random.percent(50) { time } else { time.replace("now-", "now+") }
}

/// Up to three cards, of which one has no code.
fn gift_cards(order: usize, random: &mut SeededRandom) -> Vec<Value> {
    let cards = (0..random.below(4)).map(|card| {
        json!({
            "id": format!("g-{order}-{card}"), "qrCode": if card == 2 { Value::Null } else { json!(format!("QR-{order}-{card}")) },
            "status": random.pick(&["ISSUED", "ISSUED", "CANCELLED", "PENDING"]), "valueMinor": random.below(50_000),
            "currency": random.pick(&["SEK", "SEK", "EUR"]),
        })
    });
    cards.collect()
}

fn history(random: &mut SeededRandom, rows: usize) -> Value {
    let (mut orders, mut redemptions, mut settlements, mut visits) = (vec![], vec![], vec![], vec![]);
    for number in 0..rows {
        let at = time(random);
        let flagged = random.pick(&["PASSED", "NOT_CHECKED", "PASSED", "REVIEW", "BLOCKED"]);
        orders.push(json!({
            "id": format!("o-{number}"), "merchantId": "m-aurora", "createdAt": at,
            "status": random.pick(&STATUSES), "paymentStatus": random.pick(&PAYMENT_STATUSES),
            "currency": random.pick(&["SEK", "SEK", "EUR"]), "totalAmountMinor": random.below(100_000),
            "buyerName": random.pick(&["Åsa", "Bo", "Cy"]),
            "giftCards": gift_cards(number, random),
            "fraud": {"status": flagged, "reasonCode": "VELOCITY", "decidedAt": time(random)},
        }));
        redemptions.push(json!({
            "id": format!("r-{number}"), "merchantId": "m-aurora", "occurredAt": time(random),
            "status": random.pick(&["SUCCEEDED", "SUCCEEDED", "FAILED", "PENDING"]),
            "storeName": random.pick(&["Main street", "Harbour", "", " Harbour "]), "source": random.pick(&["POS", "WEB"]),
            "qrCode": format!("QR-{}-{}", random.below(i64::try_from(rows).unwrap()), random.below(2)),
            "currency": random.pick(&["SEK", "SEK", "EUR"]), "amountMinor": random.below(100_000),
        }));
        settlements.push(json!({
            "id": format!("s-{number}"), "merchantId": "m-aurora",
            "sourceType": random.pick(&["ORDER", "REDEMPTION"]), "sourceId": format!("o-{number}"),
            "grossAmountMinor": random.below(100_000), "currency": random.pick(&["SEK", "SEK", "EUR"]),
            "status": random.pick(&["PENDING", "IN_BATCH", "PAID", "VOID"]),
            "eligibleAt": eligible_time(random),
        }));
        visits.push(json!({
            "merchantId": "m-aurora", "sessionId": format!("v-{number}"), "startedAt": time(random),
            "embed": random.pick(&["Widget", "Checkout", ""]), "entry": random.pick(&["/", "/a", "/b"]),
        }));
    }
    json!({"orders": orders, "redemptions": redemptions, "settlements": settlements, "analyticsSessions": visits})
}

/// The paths of every kind of page, filter, search and report.
fn paths(rows: usize) -> Vec<String> {
    let mut paths = Vec::new();
    for filter in [
        "",
        "&status=COMPLETED",
        "&paymentStatus=PAYMENT_CREATED",
        "&status=PAID",
        "&q=bo",
        "&q=nobody",
        "&status=REFUNDED&paymentStatus=PAYMENT_FAILED",
        "&status=COMPLETED&q=o-1",
        "&from=2050-03-30",
        "&from=2050-01-15&to=2050-03-30&status=COMPLETED",
        "&from=2050-02-01&to=2050-02-28&paymentStatus=PAYMENT_CREATED",
        "&to=2050-03-29",
        "&to=2050-01-07&q=o-1",
        "&from=2050-03-29&q=bo&status=COMPLETED",
        "&from=2050-03-02&to=2050-03-01",
        "&from=2050-04-01",
    ] {
        for (size, page) in [(50, 1), (7, 2), (1, rows / 2), (20, rows / 40), (13, rows / 13 + 1), (50, 1000)] {
            paths.push(format!("/api/bff/merchant-orders?pageSize={size}&page={page}{filter}"));
        }
    }
    for (take, skip) in [(200, 0), (3, 5), (50, rows / 3), (1, rows), (10, rows * 2)] {
        paths.push(format!("/api/bff/settlements?take={take}&skip={skip}"));
    }
    paths.push("/api/bff/settlements/summary".to_owned());
    for months in [1, 3, 36] {
        paths.push(format!("/api/bff/settlements/outstanding?months={months}"));
    }
    for report in ["overview", "sales", "redemptions", "fraud"] {
        for days in [7, 14, 30, 90] {
            paths.push(format!("/api/bff/analytics/{report}?days={days}"));
        }
    }
    paths
}

/// Compares each response with the one that is made of all rows.
async fn assert_equal_to_rows(system: &System, rows: usize) {
    assert_eq!(system.merchant("m-aurora").await.calendars.building, None);
    let (caller, all_rows) = (system.sign_in("u-admin").await, AllRows::read(system, "m-aurora").await);
    for path in paths(rows) {
        let response = caller.get(&path).await;
        assert_eq!(response.status, 200, "{path}: {response:?}");
        assert_eq!(response.body, all_rows.response(&path), "{path}");
    }
}

/// Walks through lists by their cursors. Each page is compared with the one of all rows.
async fn assert_walks_equal_rows(system: &System) {
    let (caller, all_rows) = (system.sign_in("u-admin").await, AllRows::read(system, "m-aurora").await);
    for path in [
        "/api/bff/merchant-orders?page=2&pageSize=7",
        "/api/bff/merchant-orders?page=2&pageSize=7&paymentStatus=PAYMENT_CREATED",
        "/api/bff/merchant-orders?page=2&pageSize=7&status=COMPLETED&from=2049-12-24&to=2050-03-30",
        "/api/bff/merchant-orders?page=2&pageSize=7&to=2050-03-29",
        "/api/bff/merchant-orders?page=2&pageSize=7&q=bo",
        "/api/bff/merchant-orders?page=2&pageSize=7&q=o-&from=2050-02-01",
        "/api/bff/settlements?skip=2&take=9",
    ] {
        let mut after = String::new();
        loop {
            let path = format!("{path}&after={after}");
            let response = caller.get(&path).await;
            assert_eq!(response.body, all_rows.response(&path), "{path}");
            let next = [response.at("/data/nextCursor"), response.at("/nextCursor")];
            match next.into_iter().find_map(Value::as_str) {
                Some(next) => next.clone_into(&mut after),
                None => break,
            }
        }
    }
}

async fn drift(system: &System) -> Drift {
    let merchant = system.merchant("m-aurora").await;
    let calendars: Vec<_> = merchant.calendars.all().cloned().collect();
    let app = system.local.app();
    compare(&app.store, &merchant.id, &calendars, app.clock.now()).await.unwrap()
}

async fn change_rows(system: &System, random: &mut SeededRandom, rows: usize) {
    let (store, merchant) = (&system.store(), MerchantId::new("m-aurora"));
    for number in (0..rows).step_by(3) {
        let order = store.order(&merchant, &OrderId::new(format!("o-{number}"))).await.unwrap().unwrap();
        let mut changed = order.value.clone();
        changed.status = OrderStatus::Completed.into();
        changed.payment_status = PaymentStatus::PaymentCaptureSucceeded.into();
        changed.fraud = FraudCheck::default();
        for card in &mut changed.gift_cards {
            card.status = random.pick(&[GiftCardStatus::Issued, GiftCardStatus::Cancelled]).to_owned().into();
        }
        store.commit(vec![Write::replace(&order, &changed).unwrap()]).await.unwrap();
        let settlement = store.settlement(&merchant, &SettlementId::new(format!("s-{number}"))).await.unwrap().unwrap();
        let mut changed = settlement.value.clone();
        match random.below(3) {
            0 => changed.status = SettlementStatus::Void.into(),
            1 => changed.status = SettlementStatus::Paid.into(),
            _ => changed.eligible_at = "2050-04-20T12:34:56Z".parse().unwrap(),
        }
        store.commit(vec![Write::replace(&settlement, &changed).unwrap()]).await.unwrap();
    }
}

async fn set_time_zone(system: &System, time_zone: &str) {
    let body = json!({"company": {"timeZone": time_zone}});
    system.sign_in("u-admin").await.put("/api/bff/merchant", &body).await.ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_and_reports_are_equal_to_those_that_are_made_of_every_row() {
    for (seed, rows, time_zone, first) in
        [(1, 80, "Asia/Kathmandu", Some("redemptions")), (2, 20, "America/New_York", Some("orders")), (3, 4, "UTC-03:07", None)]
    {
        let system = System::with_clock(ManualClock::at(NOW).clock()).await;
        system.change_merchant("m-aurora", |merchant| merchant.settlement_mode = None).await;
        let mut random = SeededRandom::new(seed);
        let history = history(&mut random, rows);
        // Redemptions before their cards, or after them, or at once.
        if let Some(first) = first {
            system.load_fixtures(&json!({first: history[first]})).await;
        }
        system.load_fixtures(&history).await;
        assert_equal_to_rows(&system, rows).await;

        change_rows(&system, &mut random, rows).await;
        system.drain().await;
        assert_equal_to_rows(&system, rows).await;

        set_time_zone(&system, time_zone).await;
        system.drain().await;
        assert_equal_to_rows(&system, rows).await;
        assert_walks_equal_rows(&system).await;
        assert_eq!(drift(&system).await, Drift::new());
    }
}

/// The merchant's days of Havana as if an older release had known of no summer time there.
async fn count_havana_by_older_data(system: &System) {
    set_time_zone(system, "UTC-05:00").await;
    finish_work(system).await;
    let havana = |merchant: &mut Merchant| {
        "America/Havana".clone_into(&mut merchant.time_zone);
        let serving = merchant.calendars.serving.clone();
        merchant.calendars.serving = Calendar { time_zone: merchant.time_zone.clone(), release: "2026e".to_owned(), ..serving };
    };
    system.change_merchant("m-aurora", havana).await;
}

/// A sweep of the older release.
async fn sweep_of_older_data(system: &System) {
    let (release, now) = ("2026e".to_owned(), system.local.app().clock.now());
    let row = FollowedRelease { release, alone_since: now, after: None, finished_at: Some(now) };
    system.store().commit(vec![Write::put(&row).unwrap()]).await.unwrap();
}

/// A drain is over after half a minute, however slow the machine is.
async fn finish_work(system: &System) {
    while system.drain().await["pending"] != 0 {}
}

async fn sweep(system: &System) {
    let app = system.local.app();
    follow_release(&app.store, app.clock.now(), &app.random, || true).await.unwrap();
}

/// An order, a redemption and a visit around midnights of Havana in summer, by the newer data and by the older one.
fn midnights() -> Value {
    let times = ["2050-03-20T04:30:00Z", "2050-03-20T05:30:00Z", "2050-03-28T03:30:00Z", "2050-03-28T04:30:00Z"];
    let rows =
        |row: fn(usize, &str) -> Value| -> Vec<Value> { times.iter().enumerate().map(|(number, at)| row(number, at)).collect() };
    let order = |number: usize, at: &str| {
        json!({"id": format!("o-{number}"), "merchantId": "m-aurora", "createdAt": at, "status": "COMPLETED",
               "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "currency": "SEK", "totalAmountMinor": 1_000})
    };
    let redemption = |number: usize, at: &str| {
        json!({"id": format!("r-{number}"), "merchantId": "m-aurora", "occurredAt": at, "status": "SUCCEEDED", "storeName": "Harbour",
               "source": "POS", "currency": "SEK", "amountMinor": 500})
    };
    let visit = |number: usize, at: &str| json!({"merchantId": "m-aurora", "sessionId": format!("v-{number}"), "startedAt": at});
    json!({"orders": rows(order), "redemptions": rows(redemption), "analyticsSessions": rows(visit)})
}

#[tokio::test(flavor = "multi_thread")]
async fn days_that_a_release_has_moved_are_counted_anew_once_the_older_one_does_not_run_any_more() {
    let (system, clock) = System::at(NOW).await;
    system.change_merchant("m-aurora", |merchant| merchant.settlement_mode = None).await;
    system.load_fixtures(&midnights()).await;
    count_havana_by_older_data(&system).await;
    let older = system.merchant("m-aurora").await.calendars.clone();

    sweep_of_older_data(&system).await;
    for sweeps_of_older_data in [true, true, false] {
        sweep(&system).await;
        clock.advance_milliseconds(29 * 60 * 1000);
        sweep(&system).await;
        assert_eq!(system.merchant("m-aurora").await.calendars, older);
        if sweeps_of_older_data {
            sweep_of_older_data(&system).await;
        }
    }
    let (caller, all_rows) = (system.sign_in("u-admin").await, AllRows::read(&system, "m-aurora").await);
    for report in ["overview", "sales", "redemptions"] {
        let path = format!("/api/bff/analytics/{report}?days=90");
        assert_ne!(caller.get(&path).await.ok().body, all_rows.response(&path), "{path}: by the older data");
    }

    clock.advance_milliseconds(60 * 1000);
    sweep(&system).await;
    finish_work(&system).await;
    let calendars = system.merchant("m-aurora").await.calendars.clone();
    assert_eq!((calendars.serving.release.as_str(), &calendars.building), (release(), &None));
    assert!(calendars.serving.can_be_counted() && calendars.serving.generation > older.serving.generation);
    let all_rows = AllRows::read(&system, "m-aurora").await;
    let lists = ["from=2050-03-20&to=2050-03-20", "to=2050-03-19", "from=2050-03-28", "from=2050-03-27&to=2050-03-28"];
    let lists = lists.map(|days| format!("/api/bff/merchant-orders?pageSize=1&page=1&{days}"));
    let reports = ["overview", "sales", "redemptions", "fraud"].map(|report| format!("/api/bff/analytics/{report}?days=90"));
    for path in lists.iter().chain(&reports) {
        assert_eq!(caller.get(path).await.ok().body, all_rows.response(path), "{path}");
    }
    assert_eq!(drift(&system).await, Drift::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_of_other_time_zone_data_is_not_built_by_this_one() {
    let (system, clock) = System::at(NOW).await;
    count_havana_by_older_data(&system).await;
    let to_build = |merchant: &mut Merchant| {
        let building = Some(Calendar { generation: 7, ..merchant.calendars.serving.clone() });
        merchant.calendars = Calendars { building, newest_generation: 7, ..Calendars::new("UTC") };
    };
    system.change_merchant("m-aurora", to_build).await;
    let app = system.local.app();
    let build = Job::new(MerchantId::new("m-aurora"), Task::BuildCalendar, app.clock.now(), &app.random);
    system.store().commit(vec![Write::create(&build).unwrap()]).await.unwrap();
    assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}));
    assert_eq!(system.merchant("m-aurora").await.calendars.serving.time_zone, "UTC");

    sweep_of_older_data(&system).await;
    sweep(&system).await;
    clock.advance_milliseconds(30 * 60 * 1000);
    sweep(&system).await;
    finish_work(&system).await;
    let calendars = system.merchant("m-aurora").await.calendars.clone();
    assert!(calendars.serving.can_be_counted());
    assert_eq!((calendars.serving.time_zone.as_str(), calendars.building), ("America/Havana", None));
}

/// Deletes the tallies of a day's minutes, as DynamoDB does when they expire.
async fn expire_minutes(system: &System, series: Series, date: &str) {
    let store = system.store();
    let tallies = keys::tallies(&MerchantId::new("m-aurora"), series);
    let of_day = Range::of_table(tallies).beginning_with(&format!("{}{date}", keys::QUARTERS));
    let rows = store.query_items(of_day).await.unwrap();
    assert_eq!(rows.len(), 1);
    store.remove(&item_key(&rows[0]).unwrap()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_are_compared_only_while_neither_they_nor_their_tallies_can_have_expired() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    let visits = [399, 401]
        .map(|days| json!({"merchantId": "m-aurora", "sessionId": format!("v-{days}"), "startedAt": format!("now-{days}d")}));
    system.load_fixtures(&json!({"analyticsSessions": visits})).await;
    assert_eq!(drift(&system).await, Drift::new());
    expire_minutes(&system, Series::Visits, "2049-02-22").await;
    assert_eq!(drift(&system).await, Drift::new());
    expire_minutes(&system, Series::Visits, "2049-02-24").await;
    assert_eq!(drift(&system).await[&Family::Visits].len(), 1);
}
