//! The books after the load: what the card network has carried out, what the tills were told, what the merchant sees, what is to be
//! paid, what was paid, and what webhooks have told, compared with each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::Duration;

use reqwest::Client;
use serde_json::{Value, json};
use shared::app::App;
use shared::clock::Clock;
use shared::domain::ids::MerchantId;
use shared::projections::compare::compare;
use shared::random::Random;
use shared::settings::Settings;
use upstreams::simulators::card_network::{Operation, OperationKind};
use world::{Receiver, client};

use super::fixtures::{MERCHANTS, Merchant, PLATFORM_ADMINISTRATORS};
use super::network::Network;
use super::portal::Portal;
use super::shift::{Session, Shift};
use super::till::{Completed, Kind};
use crate::report::Report;

/// What a killed worker was sending is sent again after half a minute. Twice that is enough for all work.
const MAX_DRAINS: usize = 60;
const DRAIN_INTERVAL: Duration = Duration::from_secs(1);
/// Orders that are searched for, of each merchant.
const SEARCHES: usize = 20;

pub(super) struct Books<'a> {
    shift: &'a Shift,
    app: App,
    movements: Vec<Operation>,
    completed: Vec<Completed>,
    messages: Vec<Value>,
    payouts: Vec<Value>,
    report: &'a Report,
}

/// What a merchant sees.
struct Shown {
    orders: Vec<Value>,
    settlements: Vec<Value>,
    total: Value,
    total_of_settlements: Value,
    summary: Value,
    redeemed: Value,
}

impl<'a> Books<'a> {
    /// Finishes all work, then reads everything.
    pub(super) async fn close(
        portal: &Portal,
        shift: &'a Shift,
        network: &Network,
        receiver: &Receiver,
        completed: Vec<Completed>,
        report: &'a Report,
    ) -> Self {
        drain(shift, report).await;
        let administrator = shift.signed_in(PLATFORM_ADMINISTRATORS[0]).await;
        let payouts = all(&administrator, "/api/admin/payouts?limit=200", "cursor", "/data/payouts", "/data/next").await;
        let mut messages = BTreeMap::new();
        for message in receiver.take() {
            let id = message.header("webhook-id").to_owned();
            // A second arrival of a message has the same bytes.
            if messages.get(&id).is_some_and(|body| *body != message.body) {
                report.breach(format!("the message {id} arrived with different bodies"));
            }
            messages.insert(id, message.body);
        }
        let messages = messages.values().map(|body| serde_json::from_slice(body).unwrap()).collect();
        Self { shift, app: app(portal).await, movements: network.movements(), completed, messages, payouts, report }
    }

    pub(super) async fn compare(&self) {
        let [mut orders, mut settlements, mut payouts] = [0; 3];
        for merchant in MERCHANTS {
            let shown = self.read(merchant).await;
            orders += shown.orders.len();
            settlements += shown.settlements.len();
            self.compare_tills(merchant);
            self.compare_orders(merchant, &shown);
            self.compare_settlements(merchant, &shown);
            payouts += self.compare_payouts(merchant, &shown);
            self.compare_messages(merchant);
            self.compare_tallies(merchant).await;
            self.search(merchant).await;
        }
        let messages = self.messages.len();
        let compared = format!("{orders} orders, {settlements} settlements, {payouts} payouts, {messages} messages");
        self.report.figure(format!("compared: {compared}"));
    }

    /// Long lists are cut.
    fn expect<T: PartialEq + Debug>(&self, what: &str, one: &T, other: &T) {
        const MAX_LENGTH: usize = 300;
        if one != other {
            let shown = |value: &T| format!("{value:?}").chars().take(MAX_LENGTH).collect::<String>();
            self.report.breach(format!("{what}: {} is not {}", shown(one), shown(other)));
        }
    }

    async fn read(&self, merchant: Merchant) -> Shown {
        let session = self.session(merchant).await;
        let read = async |path: &str| session.read("others", path).await.map(|answer| answer.body).unwrap_or_default();
        let orders = all(&session, "/api/bff/merchant-orders?pageSize=50", "after", "/data/orders", "/data/nextCursor").await;
        let settlements = all(&session, "/api/bff/settlements?take=200", "after", "/rows", "/nextCursor").await;
        Shown {
            orders,
            settlements,
            total: read("/api/bff/merchant-orders").await["data"]["total"].clone(),
            total_of_settlements: read("/api/bff/settlements").await["total"].clone(),
            summary: read("/api/bff/settlements/summary").await,
            redeemed: read("/api/bff/analytics/redemptions?days=7").await["data"]["kpis"]["totalRedeemedMinor"]["value"].clone(),
        }
    }

    async fn session(&self, merchant: Merchant) -> Session {
        self.shift.signed_in(&merchant.auditor()).await
    }

    /// What the tills of a merchant were told that money has moved for.
    fn moved(&self, merchant: Merchant, kind: Kind) -> impl Iterator<Item = &Completed> {
        let is_moved =
            move |completed: &&Completed| completed.merchant == merchant && completed.moved && completed.intent.kind == kind;
        self.completed.iter().filter(is_moved)
    }

    /// The network has carried out what the tills were told, and nothing else.
    fn compare_tills(&self, merchant: Merchant) {
        for (kind, network_kind) in [(Kind::Sale, OperationKind::Issue), (Kind::Redemption, OperationKind::Redeem)] {
            let told = self.moved(merchant, kind).map(|completed| (completed.card.clone(), completed.intent.amount_minor));
            let of_merchant = self.movements.iter().filter(|operation| {
                operation.merchant_id.as_deref() == Some(merchant.network_id) && operation.kind == network_kind
            });
            let carried_out =
                of_merchant.map(|operation| (operation.qr_code.clone(), i64::try_from(operation.amount_minor).unwrap()));
            self.expect(&format!("{kind:?}s of {}: told, carried out", merchant.id), &sorted(told), &sorted(carried_out));
        }
    }

    fn compare_orders(&self, merchant: Merchant, shown: &Shown) {
        let told =
            self.moved(merchant, Kind::Sale).map(|completed| (completed.intent.key.clone(), completed.intent.amount_minor));
        let is_completed = |order: &&Value| order["status"] == "COMPLETED";
        let listed = shown.orders.iter().filter(is_completed).map(|order| {
            (order["paymentTransactionId"].as_str().unwrap().to_owned(), order["totalAmountMinor"].as_i64().unwrap())
        });
        self.expect(&format!("orders of {}: told, listed", merchant.id), &sorted(told), &sorted(listed));
        let odd = shown.orders.iter().find(|order| !is_completed(order) && order["status"] != "ISSUE_FAILED");
        self.expect("an order that is neither completed nor failed", &None, &odd);
        self.expect("total of orders", &json!(shown.orders.len()), &shown.total);
    }

    /// Every redemption is settled once, and nothing else is.
    fn compare_settlements(&self, merchant: Merchant, shown: &Shown) {
        let told = self.moved(merchant, Kind::Redemption);
        let told = told.map(|completed| (completed.id.clone().unwrap_or_default(), completed.intent.amount_minor));
        let number = |row: &Value, name: &str| row[name].as_i64().unwrap();
        let settled = shown.settlements.iter();
        let settled =
            settled.map(|row| (row["redemptionId"].as_str().unwrap_or_default().to_owned(), number(row, "grossAmountMinor")));
        self.expect(&format!("settlements of {}: told, listed", merchant.id), &sorted(told), &sorted(settled));
        for row in &shown.settlements {
            let sum = number(row, "feeAmountMinor") + number(row, "netAmountMinor");
            self.expect("gross is fee and net", &number(row, "grossAmountMinor"), &sum);
        }
        let pending = shown.settlements.iter().filter(|row| row["status"] != "PAID").map(|row| number(row, "netAmountMinor"));
        self.expect("pending sum", &json!(pending.sum::<i64>()), &shown.summary["pendingNetMinor"]);
        self.expect("total of settlements", &json!(shown.settlements.len()), &shown.total_of_settlements);
        let redeemed: i64 = self.moved(merchant, Kind::Redemption).map(|completed| completed.intent.amount_minor).sum();
        self.expect("redeemed in the report", &json!(redeemed), &shown.redeemed);
    }

    /// Each payout that was paid has what its settlements are worth. Returns how many there are.
    fn compare_payouts(&self, merchant: Merchant, shown: &Shown) -> usize {
        let mut by_payout: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
        for row in shown.settlements.iter().filter(|row| row["status"] != "PENDING") {
            let (count, net) = by_payout.entry(row["payoutBatchId"].as_str().unwrap_or("no payout")).or_default();
            *count += 1;
            *net += row["netAmountMinor"].as_i64().unwrap();
        }
        let payouts: Vec<&Value> = self.payouts.iter().filter(|payout| payout["merchantId"] == merchant.id).collect();
        for payout in &payouts {
            let settled = by_payout.remove(payout["id"].as_str().unwrap()).unwrap_or_default();
            let expected = match payout["status"].as_str() {
                Some("PAID" | "IN_BATCH") => (payout["count"].as_i64().unwrap(), payout["netAmountMinor"].as_i64().unwrap()),
                Some("CANCELLED") => (0, 0),
                _ => {
                    self.report.breach(format!("a payout is left behind: {payout}"));
                    continue;
                }
            };
            self.expect(&format!("count and sum of {payout}"), &expected, &settled);
        }
        self.expect("settlements of unknown payouts", &BTreeMap::new(), &by_payout);
        payouts.len()
    }

    /// Each sale and redemption was told once or more, and nothing else was.
    fn compare_messages(&self, merchant: Merchant) {
        for (kind, event, id) in
            [(Kind::Sale, "gift_card.issued", "orderId"), (Kind::Redemption, "gift_card.redeemed", "redemptionId")]
        {
            let told: BTreeSet<String> = self.moved(merchant, kind).filter_map(|completed| completed.id.clone()).collect();
            let of_kind = self.messages.iter().filter(|message| message["merchantId"] == merchant.id && message["type"] == event);
            let arrived: BTreeSet<String> = of_kind.map(|message| message["data"][id].as_str().unwrap().to_owned()).collect();
            self.expect(&format!("{event} of {}: told, arrived", merchant.id), &told, &arrived);
        }
    }

    async fn compare_tallies(&self, merchant: Merchant) {
        let id = MerchantId::new(merchant.id);
        let stored = self.app.store.merchant(&id).await.unwrap().unwrap();
        let drift = compare(&self.app.store, &id, &[stored.value.calendars.serving], self.app.clock.now()).await.unwrap();
        self.expect(&format!("tallies of {} that differ", merchant.id), &BTreeMap::new(), &drift);
    }

    /// The search finds each order by its payment reference.
    async fn search(&self, merchant: Merchant) {
        let session = self.session(merchant).await;
        let sold: Vec<&Completed> = self.moved(merchant, Kind::Sale).collect();
        for completed in sold.iter().step_by(sold.len().div_ceil(SEARCHES).max(1)) {
            let key = &completed.intent.key;
            let expected = sold.iter().filter(|other| other.intent.key.contains(key)).count();
            let path = format!("/api/bff/merchant-orders?status=COMPLETED&q={key}");
            let Some(found) = session.read("others", &path).await else { continue };
            self.expect(&path, &json!(expected), found.at("/data/total"));
        }
    }
}

/// Runs all work that is left.
async fn drain(shift: &Shift, report: &Report) {
    let mut left = Value::Null;
    for _ in 0..MAX_DRAINS {
        let drained = shift.send("drain", |client: &Client, api: &str| client.post(format!("{api}/__local/drain"))).await;
        left = drained.map(|answer| answer.body).unwrap_or_default();
        if left == json!({"pending": 0, "dead": 0}) {
            return;
        }
        tokio::time::sleep(DRAIN_INTERVAL).await;
    }
    report.breach(format!("work is left: {left}"));
}

/// All rows of a list, by its cursors.
async fn all(session: &Session, path: &str, parameter: &str, rows: &str, next: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        // Whatever stops it is an unexplained error.
        let Some(page) = session.read("others", &format!("{path}&{parameter}={cursor}")).await else { return all };
        all.extend(page.at(rows).as_array().unwrap().iter().cloned());
        match page.at(next).as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return all,
        }
    }
}

/// An instance that reads the portal's table.
async fn app(portal: &Portal) -> App {
    let environment = client().get(format!("{}/__local/environment", portal.url("api"))).send().await.unwrap();
    let environment = environment.text().await.unwrap();
    let setting = |name: &str| {
        let named = environment.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        named.map(|value| value.trim_matches('"').to_owned())
    };
    let settings = Settings::read(setting).unwrap();
    App::new(settings, Clock::system(), Random::system())
}

fn sorted<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values
}
