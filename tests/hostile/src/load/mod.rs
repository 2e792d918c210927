//! Load: tills, dashboards, exports, payouts and webhooks at once, against a card network that fails. Afterwards the records are
//! compared with what the card network has carried out, with what each till was told, and with what arrived at the webhook.
//!
//! The portal runs in a process of its own, so that its memory can be measured and so that it can be killed.

mod books;
mod dashboard;
mod exports;
mod fixtures;
mod network;
mod office;
mod portal;
mod shift;
mod till;
mod trends;

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;
use world::{Receiver, SeededRandom};

use crate::Effort;
use crate::report::Report;
use books::Books;
use fixtures::MERCHANTS;
use network::Network;
use portal::Portal;
pub(crate) use portal::{Serve, serve};
use shift::Shift;
use till::Till;

const TILLS_OF_A_MERCHANT: usize = 2;

/// How long the load lasts, and what happens meanwhile.
#[derive(Debug, Clone, Copy)]
struct Plan {
    duration: Duration,
    /// When the card network is down, and for how long.
    outage: (Duration, Duration),
    payouts_every: Duration,
    exports_every: Duration,
    /// How often the portal is killed with SIGKILL, and started again on the same data.
    kill_every: Option<Duration>,
}

impl Plan {
    fn of(effort: Effort, kills: bool) -> Self {
        let minute = Duration::from_mins(1);
        let full = Self {
            duration: minute * effort.minutes,
            // While what is measured warms up: requests that fail cost less.
            outage: (minute * 10, minute * 5),
            payouts_every: minute * 5,
            exports_every: minute * 5,
            kill_every: kills.then_some(minute * 2),
        };
        let second = Duration::from_secs(1);
        let quick = Self {
            duration: second * 45,
            outage: (second * 15, second * 8),
            payouts_every: second * 12,
            exports_every: second * 15,
            kill_every: kills.then_some(second * 12),
        };
        effort.choose(quick, full)
    }
}

/// Plays the load for this time, with kills or without.
pub(crate) async fn run(effort: Effort, kills: bool) -> Report {
    let plan = Plan::of(effort, kills);
    let mut random = effort.random();
    let folder = tempfile::tempdir().unwrap();
    let network = Network::start(random.fork()).await;
    let receiver = Receiver::start().await;
    let mut portal = Portal::start(folder.path(), &network.url()).await;
    let shift = Shift::new(portal.url("api"), portal.process_id());
    for merchant in MERCHANTS {
        let endpoint = json!({"url": receiver.url, "events": ["gift_card.issued", "gift_card.redeemed"]});
        let administrator = shift.signed_in(&merchant.administrator()).await;
        administrator.repeat(Method::POST, "/api/bff/webhooks", None, &endpoint).await.ok();
    }

    let mut tills = JoinSet::new();
    let mut others = JoinSet::new();
    for merchant in MERCHANTS {
        for number in 0..TILLS_OF_A_MERCHANT {
            tills.spawn(Till::open(&shift, merchant, number, random.fork()).await.run());
        }
        others.spawn(dashboard::run(shift.clone(), merchant, random.fork()));
        others.spawn(exports::run(shift.clone(), merchant, plan.exports_every));
    }
    others.spawn(office::run(shift.clone(), plan.payouts_every));
    let memory = tokio::spawn(trends::sample_memory(shift.clone()));
    let costs = tokio::spawn(trends::sample_costs(shift.clone()));
    let kills = play(&plan, &shift, &network, &mut portal, random).await;
    shift.end();
    let completed: Vec<_> = tills.join_all().await.into_iter().flatten().collect();
    others.join_all().await;

    let report = Report::new("differences and unexplained errors");
    report.figure(format!("{} s", plan.duration.as_secs()));
    if plan.kill_every.is_some() {
        report.count(kills, "kills");
    }
    report.count(completed.iter().filter(|completed| completed.moved).count(), "sales and redemptions carried out");
    report.count(shift.limited(), "refused by a limit");
    let trends = [trends::memory(&memory.await.unwrap())].into_iter().chain(trends::costs(&costs.await.unwrap()));
    for trend in shift.response_times().into_iter().chain(trends) {
        if trend.grows {
            report.breach(format!("grows: {}: {:.0?}", trend.figure, trend.windows));
        }
        report.figure(trend.figure);
    }
    Books::close(&portal, &shift, &network, &receiver, completed, &report).await.compare().await;
    for error in shift.unexplained() {
        report.breach(error);
    }
    report
}

/// Lets the time of the plan pass: the outage of the card network, and the kills. Returns the number of kills.
async fn play(plan: &Plan, shift: &Shift, network: &Network, portal: &mut Portal, mut random: SeededRandom) -> usize {
    let (outage, length) = plan.outage;
    let mut kills = 0;
    let mut next_kill = plan.kill_every;
    while shift.elapsed() < plan.duration {
        network.set_down(shift.elapsed() >= outage && shift.elapsed() < outage + length);
        if next_kill.is_some_and(|at| shift.elapsed() >= at) {
            // At any moment, and not always at the same one of something that happens regularly.
            tokio::time::sleep(Duration::from_millis(random.below(1_000).unsigned_abs())).await;
            shift.interrupt();
            portal.restart().await;
            shift.resume(portal.url("api"), portal.process_id());
            kills += 1;
            next_kill = plan.kill_every.map(|every| shift.elapsed() + every);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    network.set_down(false);
    kills
}
