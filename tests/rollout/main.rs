//! Plays a gradual rollout and its rollback: two builds of the functions serve requests and do the due work over the same
//! table, in turns.
//!
//! Not part of CI, because it needs two builds. `tests/rollout/run` makes them from the current commit and from
//! `next.patch`, and runs the test. The patch is an example of what releases add: an attribute of the merchant
//! (`profile_changed_at`) and of the order (`channel`), enum values (`LINK`, `FULFILMENT_SENT`), a job
//! (`RecordSale`) and a row in the merchant's partition (`LAST_SALE`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod build;
mod reconciliation;
mod requests;
mod system;
mod work;

use std::collections::BTreeMap;
use std::path::PathBuf;

use build::{Build, FUNCTIONS, Request, Response};
use serde_json::Value;
use shared::domain::ids::MerchantId;
use shared::store::keys::{self, Key};
use system::System;

/// The share of requests that the new build serves, in percent.
const PHASES: [(&str, u32); 5] = [("all old", 0), ("10% new", 10), ("half new", 50), ("all new", 100), ("rolled back", 0)];
const ROUNDS: usize = 10;
const MERCHANT: &str = "m-aurora";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    Old,
    New,
}

/// A successful sale or redemption.
#[derive(Debug, Clone)]
struct Done {
    request: Request,
    /// The body of the first response.
    body: Value,
    /// The build that received the first request.
    by: Version,
    has_key: bool,
}

struct Rollout {
    system: System,
    builds: BTreeMap<Version, Build>,
    /// The share of the new build in the current phase, in percent.
    share: u32,
    /// Requests in the current phase.
    requests: BTreeMap<Version, u32>,
    /// Calls of [`Rollout::next`] in the current phase.
    turns: u32,
    /// Batches of new jobs and of records for the projections, and sweeps, so far.
    batches: usize,
    projected_batches: usize,
    sweeps: usize,
    /// For values that must be unique.
    last_number: u32,
    sales: Vec<Done>,
    redemptions: Vec<Done>,
    /// The payment references of all sales, including those without a response.
    receipts: Vec<String>,
    team: Option<Value>,
    /// The number of orders in the reports before the first sale.
    placed_before: Option<u64>,
    /// New jobs that the old build received and did not change.
    skipped_jobs: u32,
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs two builds of the functions: run tests/rollout/run"]
async fn a_rollout_and_its_rollback_fail_no_request_and_lose_no_sale() {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(old), Some(new)) = (folder("OLD_BINARIES"), folder("NEW_BINARIES")) else {
        panic!("run tests/rollout/run, or set OLD_BINARIES and NEW_BINARIES to folders with {FUNCTIONS:?}");
    };
    let system = System::start().await;
    let mut builds = BTreeMap::new();
    for (version, folder) in [(Version::Old, old), (Version::New, new)] {
        builds.insert(version, Build::start(&folder, &system.environment).await);
    }
    let mut rollout = Rollout::new(system, builds);
    for (name, share) in PHASES {
        rollout.play(name, share).await;
    }
    rollout.close_open_operations().await;
    rollout.check_balances().await;
    rollout.check_all_orders().await;
    reconciliation::reconcile(&rollout.system, &rollout.receipts, rollout.redemptions.len()).await;
    println!("{} sales, {} redemptions: each once", rollout.receipts.len(), rollout.redemptions.len());
    rollout.finish_jobs().await;
    for (version, build) in rollout.builds {
        for (error, count) in build.stop() {
            println!("log of {version:?}: {count} × {error}");
        }
    }
}

impl Rollout {
    fn new(system: System, builds: BTreeMap<Version, Build>) -> Self {
        Self {
            system,
            builds,
            share: 0,
            requests: BTreeMap::new(),
            turns: 0,
            batches: 0,
            projected_batches: 0,
            sweeps: 0,
            last_number: 0,
            sales: Vec::new(),
            redemptions: Vec::new(),
            receipts: Vec::new(),
            team: None,
            placed_before: None,
            skipped_jobs: 0,
        }
    }

    async fn play(&mut self, name: &str, share: u32) {
        self.share = share;
        self.turns = 0;
        self.requests.clear();
        let (first_sale, first_redemption) = (self.sales.len(), self.redemptions.len());
        self.repeat_requests_of_earlier_phases().await;
        for _ in 0..ROUNDS {
            self.change_profile().await;
            self.sell(false).await;
            self.sell(true).await;
            self.look_up_and_redeem(false).await;
            self.look_up_and_redeem(true).await;
            self.read_reports().await;
            self.work().await;
        }
        self.lose_responses().await;
        self.cancel().await;
        if self.live().len() == 2 {
            self.sell_through_both_builds_at_once().await;
        }
        for version in self.live() {
            self.check_orders(version, first_sale).await;
            let by = self.sales[first_sale..].iter().filter(|sale| sale.by == version).count();
            assert_ne!(by, 0, "{name}: {version:?}");
            println!("{name}: {version:?} served {} requests, {by} sales", self.requests[&version]);
        }
        println!("{name}: {} redemptions", self.redemptions.len() - first_redemption);
    }

    /// Returns the builds that serve requests in this phase.
    fn live(&self) -> Vec<Version> {
        match self.share {
            0 => vec![Version::Old],
            100 => vec![Version::New],
            _ => vec![Version::Old, Version::New],
        }
    }

    /// Returns the build of the next request, by its share.
    fn next(&mut self) -> Version {
        let before = self.turns * self.share / 100;
        self.turns += 1;
        if self.turns * self.share / 100 > before { Version::New } else { Version::Old }
    }

    /// Returns the other build if it serves requests, otherwise the same one.
    fn other(&self, version: Version) -> Version {
        self.live().into_iter().find(|live| *live != version).unwrap_or(version)
    }

    fn number(&mut self) -> u32 {
        self.last_number += 1;
        self.last_number
    }

    /// Sends a request that must get this status.
    async fn send(&mut self, version: Version, request: &Request, status: u64) -> Response {
        *self.requests.entry(version).or_default() += 1;
        let response = self.builds[&version].send(request).await;
        assert_eq!(response.status, status, "{version:?}: {request:?}: {response:?}");
        response
    }

    /// Returns an item of the merchant's partition.
    async fn merchant_item(&self, sort_key: &str) -> Value {
        let pk = keys::merchant_partition(&MerchantId::new(MERCHANT));
        self.system.item(&Key { pk, sk: sort_key.to_owned() }).await
    }
}
