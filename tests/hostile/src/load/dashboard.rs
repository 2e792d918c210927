//! A merchant who reads all day: pages, walks through lists, searches and reports.

use std::collections::BTreeSet;
use std::time::Duration;

use world::SeededRandom;

use super::fixtures::Merchant;
use super::shift::{Answer, Session, Shift};

const MAX_PAUSE_MILLISECONDS: i64 = 2_000;
/// The walk is given up after this many pages, and another begins. A merchant of an hour has enough rows for them after some minutes, so
/// that walks cost the same from then on.
const MAX_PAGES: usize = 5;

pub(super) struct Dashboard {
    shift: Shift,
    session: Session,
    merchant: Merchant,
    random: SeededRandom,
}

/// A list that is read to its end by cursors.
#[derive(Clone, Copy)]
struct List {
    path: &'static str,
    rows: &'static str,
    next: &'static str,
}

const LISTS: [List; 3] = [
    List { path: "/api/bff/merchant-orders?pageSize=50", rows: "/data/orders", next: "/data/nextCursor" },
    List { path: "/api/bff/merchant-orders?pageSize=50&status=COMPLETED", rows: "/data/orders", next: "/data/nextCursor" },
    List { path: "/api/bff/settlements?take=200", rows: "/rows", next: "/nextCursor" },
];

impl Dashboard {
    pub(super) async fn open(shift: &Shift, merchant: Merchant, random: SeededRandom) -> Self {
        let session = shift.signed_in(&merchant.administrator()).await;
        Self { shift: shift.clone(), session, merchant, random }
    }

    pub(super) async fn run(mut self) {
        while !self.shift.has_ended() {
            if self.random.percent(10) {
                let list = *self.random.pick(&LISTS);
                self.walk(list).await;
            } else {
                let (what, path) = self.next_read();
                self.session.read(what, &path).await;
            }
            tokio::time::sleep(Duration::from_millis(self.random.below(MAX_PAUSE_MILLISECONDS).unsigned_abs())).await;
        }
    }

    fn next_read(&mut self) -> (&'static str, String) {
        let days = *self.random.pick(&[7, 14, 30, 90]);
        let page = 1 + self.random.below(5);
        let sale = self.random.below(500);
        let card = self.random.pick(&self.merchant.cards()).clone();
        let all = [
            ("order pages", format!("/api/bff/merchant-orders?page={page}")),
            ("order pages", format!("/api/bff/merchant-orders?page={page}&pageSize=50&status=ISSUE_FAILED")),
            ("settlement pages", format!("/api/bff/settlements?skip={}&take=50", (page - 1) * 50)),
            ("payouts", "/api/bff/payouts".to_owned()),
            ("activity", "/api/bff/merchant/activity".to_owned()),
            ("card histories", format!("/api/bff/cards/{card}/history")),
            ("summaries", "/api/bff/settlements/summary".to_owned()),
            ("searches", format!("/api/bff/merchant-orders?q={}-0-{sale}", self.merchant.id)),
            ("reports", format!("/api/bff/analytics/overview?days={days}")),
            ("reports", format!("/api/bff/analytics/redemptions?days={days}")),
            ("reports", format!("/api/bff/analytics/fraud?days={days}")),
            ("sessions", "/api/auth/session".to_owned()),
        ];
        self.random.pick(&all).clone()
    }

    /// Reads a list to its end, or for some pages. No row may be shown twice.
    async fn walk(&self, list: List) {
        let mut seen = BTreeSet::new();
        let mut after = String::new();
        for _ in 0..MAX_PAGES {
            let Some(page) = self.session.read("walks", &format!("{}&after={after}", list.path)).await else { return };
            for id in ids(&page, list) {
                if !seen.insert(id.clone()) {
                    self.shift.unexplained_error(format!("{} shows {id} twice", list.path));
                }
            }
            let Some(next) = page.at(list.next).as_str() else { return };
            next.clone_into(&mut after);
        }
    }
}

fn ids(page: &Answer, list: List) -> impl Iterator<Item = String> {
    let rows = page.at(list.rows).as_array().into_iter().flatten();
    rows.filter_map(|row| row["id"].as_str().map(str::to_owned))
}
