//! Calendars that follow other time zone data: the sweep is interrupted at each point, runs twice at once, and pages.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{Task, Write, keys};
use shared::projections::calendars::{FollowedRelease, follow_release};
use shared::values::{Calendar, Calendars, MerchantId, release};

use crate::harness::{Harness, load_fixtures};

/// By the older data, Havana had the days of Toronto. Those of Stockholm are the same by both.
const ZONES: [&str; 2] = ["America/Havana", "Europe/Stockholm"];

fn merchant_id(number: usize) -> MerchantId {
    MerchantId::new(format!("m-{number:04}"))
}

/// A harness with merchants of both zones in turn.
async fn harness_of(merchants: usize) -> Harness {
    let harness = Harness::new().await;
    for first in (0..merchants).step_by(100) {
        let record = |number| json!({"id": merchant_id(number), "slug": merchant_id(number), "timeZone": ZONES[number % 2]});
        let records: Vec<Value> = (first..merchants.min(first + 100)).map(record).collect();
        load_fixtures(&harness.app, &json!({"merchants": records}), None).await;
    }
    for number in 0..merchants {
        count_by_older_data(&harness.app, number).await;
    }
    harness
}

async fn count_by_older_data(app: &App, number: usize) {
    let merchant = app.store.merchant(&merchant_id(number)).await.unwrap().unwrap();
    let zone = if number.is_multiple_of(2) { "America/Toronto" } else { ZONES[1] };
    let older = Calendars::new(zone);
    let serving = Calendar { time_zone: merchant.time_zone.clone(), release: "2026e".to_owned(), ..older.serving };
    let mut changed = merchant.value.clone();
    changed.calendars = Calendars { serving, ..older };
    app.store.commit(vec![Write::replace(&merchant, &changed).unwrap()]).await.unwrap();
}

/// This release has run alone for long enough.
async fn begin(app: &App) {
    let alone_since = app.clock.now() - SignedDuration::from_mins(30);
    let row = FollowedRelease { release: release().to_owned(), alone_since, after: None, finished_at: None };
    app.store.commit(vec![Write::put(&row).unwrap()]).await.unwrap();
}

async fn follow(app: App, has_time: impl Fn() -> bool) {
    follow_release(&app.store, app.clock.now(), &app.random, has_time).await.unwrap();
}

async fn is_finished(app: &App) -> bool {
    app.store.get::<FollowedRelease>(&keys::followed_release()).await.unwrap().unwrap().finished_at.is_some()
}

/// Each calendar names this release. Those whose days have moved are built, once.
async fn assert_all_follow(app: &App, merchants: usize) {
    assert!(is_finished(app).await);
    let jobs = app.store.due_jobs(jiff::Timestamp::MAX, u16::MAX).await.unwrap();
    for number in 0..merchants {
        let id = merchant_id(number);
        let merchant = app.store.merchant(&id).await.unwrap().unwrap();
        let calendars = &merchant.calendars;
        let expected = Calendars::new(&merchant.time_zone).serving;
        let is_of_merchant = |task: &Task| *task == Task::BuildCalendar;
        let builds = jobs.iter().filter(|job| job.merchant_id.as_ref() == Some(&id) && is_of_merchant(&job.task)).count();
        if number.is_multiple_of(2) {
            assert_eq!(calendars.building, Some(Calendar { generation: 2, ..expected }), "{id}");
            assert_eq!((calendars.newest_generation, builds), (2, 1), "{id}");
            assert_eq!(calendars.serving.release, "2026e", "{id}");
        } else {
            assert_eq!((&calendars.serving, &calendars.building, builds), (&expected, &None, 0), "{id}");
        }
    }
}

#[tokio::test]
async fn a_sweep_that_dies_anywhere_is_made_up_for_by_the_next_one() {
    const MERCHANTS: usize = 4;
    let harness = harness_of(MERCHANTS).await;
    let mut crashes = 0;
    loop {
        for job in harness.app.store.due_jobs(jiff::Timestamp::MAX, u16::MAX).await.unwrap() {
            harness.app.store.delete_if_unchanged(&job).await.unwrap();
        }
        for number in 0..MERCHANTS {
            count_by_older_data(&harness.app, number).await;
        }
        begin(&harness.app).await;
        let result = harness.run_until_crash(crashes, |_| None, follow(harness.instance("sweep"), || true)).await;
        if result.is_ok() {
            break;
        }
        crashes += 1;
        follow(harness.instance("next"), || true).await;
        assert_all_follow(&harness.app, MERCHANTS).await;
    }
    // A read and a transaction for each merchant and for the row of the release.
    assert_eq!(crashes, 3 * (MERCHANTS + 1));
    assert_all_follow(&harness.app, MERCHANTS).await;
}

#[tokio::test]
async fn two_sweeps_at_once_build_each_calendar_once() {
    const MERCHANTS: usize = 60;
    let harness = harness_of(MERCHANTS).await;
    begin(&harness.app).await;
    tokio::join!(follow(harness.instance("one"), || true), follow(harness.instance("other"), || true));
    follow(harness.instance("next"), || true).await;
    assert_all_follow(&harness.app, MERCHANTS).await;
}

#[tokio::test]
async fn sweeps_go_on_where_the_last_one_had_no_more_time() {
    const MERCHANTS: usize = 1_000;
    let harness = harness_of(MERCHANTS).await;
    begin(&harness.app).await;
    let mut sweeps = 0;
    while !is_finished(&harness.app).await {
        let pages = Cell::new(0);
        let has_time = || pages.replace(pages.get() + 1) < 15;
        follow(harness.app.clone(), has_time).await;
        sweeps += 1;
    }
    assert_eq!(sweeps, 3, "40 pages or 41");
    assert_all_follow(&harness.app, MERCHANTS).await;

    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    harness.faults.decide(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        None
    });
    follow(harness.app.clone(), || true).await;
    assert_eq!(calls.load(Ordering::SeqCst), 1, "one read if there is nothing to do");
}
