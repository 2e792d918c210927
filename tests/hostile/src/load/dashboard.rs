//! A merchant who reads all day: pages, walks through lists, searches and reports.

use std::collections::BTreeSet;
use std::time::Duration;

use world::SeededRandom;

use super::fixtures::Merchant;
use super::shift::{Session, Shift};

const MAX_PAUSE_MILLISECONDS: i64 = 2_000;
/// The walk is given up after this many pages, and another begins. A merchant of an hour has enough rows for them after some minutes, so
/// that walks cost the same from then on.
const MAX_PAGES: usize = 5;

/// Lists that are read to their ends by cursors: their paths, and where the rows and the next cursor are.
const LISTS: [(&str, &str, &str); 3] = [
    ("/api/bff/merchant-orders?pageSize=50", "/data/orders", "/data/nextCursor"),
    ("/api/bff/merchant-orders?pageSize=50&status=COMPLETED", "/data/orders", "/data/nextCursor"),
    ("/api/bff/settlements?take=200", "/rows", "/nextCursor"),
];

pub(super) async fn run(shift: Shift, merchant: Merchant, mut random: SeededRandom) {
    let session = shift.signed_in(&merchant.administrator()).await;
    while !shift.has_ended() {
        if random.percent(10) {
            walk(&shift, &session, *random.pick(&LISTS)).await;
        } else {
            let (what, path) = next_read(merchant, &mut random);
            session.read(what, &path).await;
        }
        tokio::time::sleep(Duration::from_millis(random.below(MAX_PAUSE_MILLISECONDS).unsigned_abs())).await;
    }
}

fn next_read(merchant: Merchant, random: &mut SeededRandom) -> (&'static str, String) {
    let days = *random.pick(&[7, 14, 30, 90]);
    let page = 1 + random.below(5);
    let sale = random.below(500);
    let card = random.pick(&merchant.cards()).clone();
    let all = [
        ("order pages", format!("/api/bff/merchant-orders?page={page}")),
        ("order pages", format!("/api/bff/merchant-orders?page={page}&pageSize=50&status=ISSUE_FAILED")),
        ("settlement pages", format!("/api/bff/settlements?skip={}&take=50", (page - 1) * 50)),
        ("payouts", "/api/bff/payouts".to_owned()),
        ("activity", "/api/bff/merchant/activity".to_owned()),
        ("card histories", format!("/api/bff/cards/{card}/history")),
        ("summaries", "/api/bff/settlements/summary".to_owned()),
        ("searches", format!("/api/bff/merchant-orders?q={}-0-{sale}", merchant.id)),
        ("reports", format!("/api/bff/analytics/overview?days={days}")),
        ("reports", format!("/api/bff/analytics/redemptions?days={days}")),
        ("reports", format!("/api/bff/analytics/fraud?days={days}")),
        ("sessions", "/api/auth/session".to_owned()),
    ];
    random.pick(&all).clone()
}

/// Reads a list to its end, or for some pages. No row may be shown twice.
async fn walk(shift: &Shift, session: &Session, (path, rows, next): (&str, &str, &str)) {
    let mut seen = BTreeSet::new();
    let mut after = String::new();
    for _ in 0..MAX_PAGES {
        let Some(page) = session.read("walks", &format!("{path}&after={after}")).await else { return };
        for id in page.list(rows).iter().filter_map(|row| row["id"].as_str()) {
            if !seen.insert(id.to_owned()) {
                shift.unexplained_error(format!("{path} shows {id} twice"));
            }
        }
        let Some(next) = page.at(next).as_str() else { return };
        next.clone_into(&mut after);
    }
}
