//! Random histories of restores: payouts are made, decided and interrupted, the table is copied at some moment, more happens in
//! it, and the copy is prepared and used instead. A ledger saw both tables: nothing is paid twice, stuck or forgotten.

use std::collections::{BTreeMap, BTreeSet};

use admin::restore::{Prepared, RestoreError, complete, prepare};
use aws_sdk_dynamodb::Client;
use http::{Method, StatusCode};
use jiff::{SignedDuration, Timestamp};
use local::table;
use serde_json::{Value, json};
use shared::app::App;
use shared::aws::Aws;
use shared::aws::files::payout_file;
use shared::db::keys::{Listed, listed_rows};
use shared::db::model::restore::{RestoreStep, Restores, WrongStep};
use shared::db::{Item, Range, Store, Stored, Write, keys, pack_transactions};
use shared::payouts::{Building, Payout, PayoutFilter, PayoutSettlement, PayoutState, PayoutStatus};
use shared::settlements::model::settlement::{HeldBecause, Settlement, SettlementHold, SettlementStatus, SourceType};
use shared::settlements::rows::settlement_record;
use shared::values::{Currency, MerchantId, Minor, PayoutId, SettlementId, UserId, WebhookDeliveryId, WebhookEndpointId, later};
use shared::webhooks::model::{
    Attempt, Delivery, Endpoint, EndpointSettings, EventType, Hosts, MessageBody, Reply, SealedSecret, WebhookUrl,
};
use sweep::Pass;
use upstreams::faults::{Call, FaultKind, Target};
use world::{Counts, Histories, SeededRandom};

use crate::harness::{Harness, TestMerchant, load_fixtures, run_sweep};
use crate::payouts::{load_administrators, request_at};

/// What has become of the money, whichever table says so.
#[derive(Default)]
struct Ledger {
    /// The payouts for which each settlement was paid.
    paid: BTreeMap<SettlementId, Vec<PayoutId>>,
    /// Settlements as they were made, and whether that was before the restored moment.
    made: BTreeMap<SettlementId, (Settlement, bool)>,
    /// Those that became void.
    voided: BTreeSet<SettlementId>,
    /// The idempotency keys of runs.
    run_keys: u32,
}

/// What is certain about a payout that is decided or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Joining,
    File,
    Sealed,
    Paying,
    Cancelling,
}

const STATES: [State; 5] = [State::Joining, State::File, State::Sealed, State::Paying, State::Cancelling];

fn state(payout: &Payout) -> Option<State> {
    Some(match payout.state() {
        PayoutState::Building(Building::Joining) => State::Joining,
        PayoutState::Building(Building::WritingFile { .. }) => State::File,
        PayoutState::Sealed => State::Sealed,
        PayoutState::Paying { .. } => State::Paying,
        PayoutState::Cancelling { .. } => State::Cancelling,
        PayoutState::Paid { .. } | PayoutState::Cancelled { .. } | PayoutState::Unknown(_) => return None,
    })
}

struct History<'a> {
    harness: &'a Harness,
    client: Client,
    name: String,
    merchant: MerchantId,
    /// An instance on the table in use.
    app: App,
    is_restored: bool,
    moment: Option<Timestamp>,
    /// Whether the previous table can be read.
    compares: bool,
    random: SeededRandom,
    ledger: Ledger,
    counts: Counts,
}

impl<'a> History<'a> {
    async fn new(harness: &'a Harness, name: String, seed: u64) -> Self {
        let client = Aws::new(harness.app.settings.aws.clone()).dynamodb();
        let mut random = SeededRandom::new(seed);
        let previous = format!("{name}-previous");
        table::ensure(&client, &previous).await.unwrap();
        let app = harness.instance_with_setting("reconciliation", ("TABLE_NAME", &previous));
        load_administrators(&app).await;
        let merchant = TestMerchant::numbered(1);
        load_fixtures(&app, &TestMerchant::fixtures(std::slice::from_ref(&merchant)), None).await;
        let compares = random.percent(60);
        Self {
            harness,
            client,
            name,
            merchant: merchant.id,
            app,
            is_restored: false,
            moment: None,
            compares,
            random,
            ledger: Ledger::default(),
            counts: Counts::default(),
        }
    }

    fn table(&self) -> String {
        format!("{}-{}", self.name, if self.is_restored { "restored" } else { "previous" })
    }

    /// A new instance of a function, on the table in use.
    fn instance(&self, name: &str) -> App {
        self.harness.instance_with_setting(name, ("TABLE_NAME", &self.table()))
    }

    fn advance_clock(&self, seconds: i64) {
        self.harness.clock.advance_milliseconds(seconds * 1_000);
    }

    async fn payouts(&self) -> Vec<Payout> {
        self.app.store.payouts(&PayoutFilter::default(), None, 1_000).await.unwrap().payouts
    }

    async fn settlements_of(&self, payout: &PayoutId) -> Vec<PayoutSettlement> {
        self.app.store.settlements_of_payout(payout, None, 1_000).await.unwrap()
    }

    async fn settlements(&self) -> BTreeMap<SettlementId, Settlement> {
        let prefix = listed_rows(Listed::Settlements, Some(&self.merchant));
        let rows = self.app.store.scan_all::<Settlement>(prefix).await.unwrap();
        rows.into_iter().map(|row| (row.id.clone(), row.value)).collect()
    }

    async fn make_settlements(&mut self, count: i64) {
        let now = self.app.clock.now();
        let mut records = Vec::new();
        for _ in 0..count {
            let id = SettlementId::new(format!("s-{:04}", self.ledger.made.len()));
            let net = Minor::new(1 + self.random.below(1_000));
            let is_eligible = self.random.percent(90);
            let is_own_sale = self.random.percent(5);
            let settlement = Settlement {
                id: id.clone(),
                merchant_id: self.merchant.clone(),
                source_type: SourceType::Redemption.into(),
                source_id: format!("r-{id}"),
                order_id: None,
                gift_card_id: None,
                redemption_id: None,
                gross: net,
                fee: Minor::ZERO,
                net,
                currency: if self.random.percent(85) { Currency::EUR } else { Currency::USD },
                fee_snapshot: None,
                status: SettlementStatus::Pending.into(),
                payout_batch_id: None,
                hold: if is_own_sale { HeldBecause::OwnSale.into() } else { SettlementHold::default() },
                hold_lifted: false,
                eligible_at: later(now, SignedDuration::from_hours(if is_eligible { -1 } else { 1_000_000 })),
                created_at: now,
                updated_at: now,
            };
            records.push(settlement_record(&settlement).unwrap());
            self.ledger.made.insert(id, (settlement, self.moment.is_none()));
        }
        self.app.store.import(records).await.unwrap();
    }

    async fn request(&self, by: usize, method: Method, path: String, key: Option<String>, body: Value) -> (u16, Value) {
        let request = (by, method, path, key, body);
        request_at(&self.app, self.app.clone(), request).await.await
    }

    async fn start_run(&mut self, key: u32) {
        let by = usize::try_from(self.random.below(2)).unwrap();
        let key = Some(format!("run-{key}"));
        let (status, body) = self.request(by, Method::POST, "/api/admin/payouts".to_owned(), key, json!({})).await;
        assert!(matches!(status, 200 | 202), "{status} {body}");
    }

    async fn start_new_run(&mut self) {
        self.ledger.run_keys += 1;
        self.start_run(self.ledger.run_keys).await;
    }

    /// Decides a payout that waits for it. Who confirms a payment makes it.
    async fn decide(&mut self, payout: &Payout, is_paid: bool) {
        let by = usize::from(payout.created_by.as_str() == crate::payouts::ADMINISTRATORS[0]);
        let body = if is_paid {
            json!({"status": "PAID", "reference": self.table()})
        } else {
            json!({"status": "CANCELLED", "reason": self.table()})
        };
        let path = format!("/api/admin/payouts/{}", payout.id);
        let (status, body) = self.request(by, Method::PATCH, path, None, body).await;
        assert_eq!(status, 200, "{body}");
        if is_paid {
            for joined in self.settlements_of(&payout.id).await {
                self.ledger.paid.entry(joined.settlement.id).or_default().push(payout.id.clone());
                self.counts.add("paid_before", usize::from(self.moment.is_none()));
                self.counts.add("paid_in_lost_span", usize::from(self.moment.is_some() && !self.is_restored));
                self.counts.add("paid_after", usize::from(self.is_restored));
            }
        }
    }

    async fn hold(&self, settlement: &SettlementId, held: bool) {
        let path = format!("/api/admin/settlements/{}/{settlement}", self.merchant);
        let body = json!({"held": held, "reason": "a test"});
        let (status, body) = self.request(0, Method::PATCH, path, None, body).await;
        assert!(matches!(status, 200 | 409), "{status} {body}");
    }

    /// Lifts the holds of the restore from what was not paid. Many in a transaction: the route would take too long.
    async fn lift_holds(&self) {
        let store = &self.app.store;
        let prefix = listed_rows(Listed::Settlements, Some(&self.merchant));
        let mut writes = Vec::new();
        for settlement in store.scan_all::<Settlement>(prefix).await.unwrap() {
            let is_restored = settlement.held_because() == Some(&HeldBecause::Restored.into());
            let is_owed = !self.ledger.paid.contains_key(&settlement.id) && !self.ledger.voided.contains(&settlement.id);
            if is_restored && is_owed {
                let lifted = settlement.lift_hold(None, self.app.clock.now()).unwrap().unwrap();
                writes.push(vec![Write::replace(&settlement, &lifted).unwrap()]);
            }
        }
        for some in pack_transactions(writes) {
            store.commit(some).await.unwrap();
        }
    }

    async fn void(&mut self, id: &SettlementId) {
        let read = self.app.store.settlement(&self.merchant, id).await.unwrap();
        let Some(settlement) = read.filter(|read| read.status == SettlementStatus::Pending) else { return };
        let void = Settlement { status: SettlementStatus::Void.into(), ..settlement.value.clone() };
        self.app.store.commit(vec![Write::replace(&settlement, &void).unwrap()]).await.unwrap();
        self.ledger.voided.insert(id.clone());
    }

    /// Runs due work, interrupted at this call.
    async fn sweep_until(&self, point: usize) {
        let _ = self.harness.run_until_crash(point, |_| None, run_sweep(self.instance("sweep"))).await;
    }

    /// Runs due work while no file can be written.
    async fn sweep_without_files(&self) {
        let is_refused = |call: Call<'_>| (call.target == Target::S3).then_some(FaultKind::Status(StatusCode::FORBIDDEN));
        self.harness.faults.decide(is_refused);
        run_sweep(self.instance("sweep")).await.unwrap();
        self.harness.clear_faults();
    }

    /// Runs all jobs, those too that have failed and wait for another attempt.
    async fn sweep_until_idle(&self) -> Result<(), String> {
        for _ in 0..60 {
            self.advance_clock(1_000);
            let pass = run_sweep(self.app.clone()).await?;
            if pass == Pass::default() && self.app.store.due_jobs(Timestamp::MAX, 1).await.unwrap().is_empty() {
                let dead = self.app.store.dead_jobs(1).await.unwrap();
                return if dead.is_empty() { Ok(()) } else { Err(format!("dead: {dead:?}")) };
            }
        }
        Err("work is left".to_owned())
    }

    async fn act(&mut self) {
        match self.random.below(14) {
            0 | 1 => {
                let count = *self.random.pick(&[1, 5, 30, 60]);
                self.make_settlements(count).await;
            }
            2 | 3 => self.start_new_run().await,
            4 => {
                let key = 1 + u32::try_from(self.random.below(3)).unwrap();
                self.ledger.run_keys = self.ledger.run_keys.max(key);
                self.start_run(key).await;
            }
            5 => self.sweep_without_files().await,
            6 | 7 => {
                let point = usize::try_from(self.random.below(40)).unwrap();
                self.sweep_until(point).await;
                self.advance_clock(70);
            }
            8 => {
                let _ = self.sweep_until_idle().await;
            }
            9..12 => {
                let waiting = self.payouts().await;
                let waiting: Vec<Payout> =
                    waiting.into_iter().filter(|payout| payout.status() == PayoutStatus::InBatch).collect();
                if !waiting.is_empty() {
                    let payout = self.random.pick(&waiting).clone();
                    let is_paid = self.random.percent(60);
                    self.decide(&payout, is_paid).await;
                }
            }
            12 => {
                let ids: Vec<SettlementId> = self.ledger.made.keys().cloned().collect();
                if !ids.is_empty() {
                    let id = self.random.pick(&ids).clone();
                    let held = self.random.percent(50);
                    self.hold(&id, held).await;
                }
            }
            _ => {
                let ids: Vec<SettlementId> = self.ledger.made.keys().cloned().collect();
                // Without the previous table, nothing shows that a settlement became void since the restored moment.
                if !ids.is_empty() && (self.compares || self.moment.is_none()) {
                    let id = self.random.pick(&ids).clone();
                    self.void(&id).await;
                }
            }
        }
    }

    /// Copies the table as it is now.
    async fn back_up(&mut self) {
        for payout in self.payouts().await {
            match state(&payout) {
                Some(State::Joining) => self.counts.add("joining", 1),
                Some(State::File) => self.counts.add("file", 1),
                Some(State::Sealed) => self.counts.add("sealed", 1),
                Some(State::Paying) => self.counts.add("paying", 1),
                Some(State::Cancelling) => self.counts.add("cancelling", 1),
                None => {}
            }
        }
        let restored = format!("{}-restored", self.name);
        table::ensure(&self.client, &restored).await.unwrap();
        let store = self.harness.instance_with_setting("restored", ("TABLE_NAME", &restored)).store.clone();
        let rows = all_rows(&self.client, &self.table()).await;
        store.import(rows.into_iter().map(|row| vec![row]).collect()).await.unwrap();
        self.moment = Some(self.app.clock.now());
    }

    /// Prepares the copy and uses it from now on. A preparation can be interrupted, and is repeated then.
    async fn restore(&mut self) -> Result<(), String> {
        let previous = self.app.store.clone();
        self.is_restored = true;
        self.app = self.instance("reconciliation");
        self.advance_clock(60);
        let (moment, now) = (self.moment.unwrap(), self.app.clock.now());
        let run =
            |restored: Store, previous: Option<Store>| async move { prepare(&restored, previous.as_ref(), moment, now).await };
        let previous = self.compares.then_some(previous);
        if self.random.percent(50) {
            let point = usize::try_from(self.random.below(30)).unwrap();
            let interrupted = run(self.instance("admin").store.clone(), previous.clone());
            let end = self.harness.run_until_crash(point, |_| None, interrupted).await;
            self.counts.add("repeated", usize::from(end.is_err()));
        }
        let prepared: Result<Prepared, RestoreError> = run(self.app.store.clone(), previous.clone()).await;
        let prepared = prepared.map_err(|error| error.to_string())?;
        let (carried_over, withdrawn) = prepared.payouts();
        self.counts.add("compared", usize::from(self.compares));
        self.counts.add("held_back", usize::from(!self.compares));
        self.counts.add("carried_over", carried_over);
        self.counts.add("withdrawn", withdrawn);
        self.counts.add("held", prepared.held());
        let again = run(self.app.store.clone(), previous).await.map_err(|error| error.to_string())?;
        if (again.payouts(), again.held(), again.webhook_rows()) != ((0, 0), 0, 0) {
            return Err(format!("something is left to prepare: {again}"));
        }
        self.switch().await
    }

    /// The functions use the table, of which the hook of their rollout is told. To prepare it again would undo what they do.
    async fn switch(&mut self) -> Result<(), String> {
        let (store, now) = (self.app.store.clone(), self.app.clock.now());
        let early = complete(&store, now).await.map_err(|error| error.to_string());
        if !matches!(&early, Err(error) if error.contains("no function uses the table yet")) {
            return Err(format!("completed before it is used: {early:?}"));
        }
        let read = store.restores().await.unwrap().unwrap();
        let used = Restores { step: RestoreStep::InUse, ..read.value.clone() };
        store.commit(vec![Write::replace(&read, &used).unwrap()]).await.unwrap();
        let again = prepare(&store, None, self.moment.unwrap(), now).await.map(drop);
        if !matches!(again, Err(RestoreError::WrongStep(WrongStep::InUse))) {
            return Err(format!("prepared while it is used: {again:?}"));
        }
        complete(&store, now).await.map_err(|error| error.to_string())?;
        Ok(())
    }

    /// What people do after a restore: they lift holds of what the bank has not paid, repeat runs, and pay what waits.
    async fn finish(&mut self) -> Result<(), String> {
        for key in 1..=self.ledger.run_keys {
            self.start_run(key).await;
        }
        self.lift_holds().await;
        for _ in 0..2 {
            self.sweep_until_idle().await?;
            for payout in self.payouts().await {
                if payout.status() == PayoutStatus::InBatch {
                    let is_paid = self.random.percent(70);
                    self.decide(&payout, is_paid).await;
                }
            }
            self.sweep_until_idle().await?;
            self.start_new_run().await;
        }
        self.sweep_until_idle().await?;
        for payout in self.payouts().await {
            if payout.status() == PayoutStatus::InBatch {
                self.decide(&payout, true).await;
            }
        }
        self.sweep_until_idle().await
    }

    async fn check(&mut self) -> Result<(), String> {
        let settlements = self.settlements().await;
        for (id, payouts) in &self.ledger.paid {
            if payouts.len() > 1 {
                return Err(format!("{id} was paid twice, by {payouts:?}"));
            }
        }
        for (id, (made, was_before)) in &self.ledger.made {
            let is_paid = self.ledger.paid.contains_key(id);
            let Some(settlement) = settlements.get(id) else {
                if *was_before || self.compares {
                    return Err(format!("{id} is forgotten"));
                }
                self.counts.add("left_to_reconcile", 1);
                continue;
            };
            if (settlement.net, settlement.currency) != (made.net, made.currency) {
                return Err(format!("{made:?} became {settlement:?}"));
            }
            let is_held_back = settlement.is_held() && settlement.status == SettlementStatus::Pending;
            let is_right = match settlement.status.known() {
                Some(SettlementStatus::Paid) => is_paid,
                Some(SettlementStatus::Pending) if is_paid => is_held_back && !self.compares,
                Some(SettlementStatus::Pending) => is_held_back || made.eligible_at > self.app.clock.now(),
                Some(SettlementStatus::Void) => self.ledger.voided.contains(id) && !is_paid,
                _ => false,
            };
            if !is_right {
                return Err(format!("paid: {is_paid}, {settlement:?}"));
            }
        }
        for payout in self.payouts().await {
            self.check_payout(&payout, &settlements).await?;
        }
        self.check_rows(&settlements).await
    }

    async fn check_payout(&self, payout: &Payout, settlements: &BTreeMap<SettlementId, Settlement>) -> Result<(), String> {
        let joined = self.settlements_of(&payout.id).await;
        let sum: i64 = joined.iter().map(|joined| joined.settlement.net.get()).sum();
        if (payout.count(), payout.net().get()) != (joined.len() as u64, sum) {
            return Err(format!("{} settlements over {sum} in {payout:?}", joined.len()));
        }
        let of_payout = settlements.values().filter(|settlement| settlement.payout_batch_id.as_ref() == Some(&payout.id));
        let named: BTreeSet<&SettlementId> = of_payout.map(|settlement| &settlement.id).collect();
        let copies: BTreeSet<&SettlementId> = joined.iter().map(|joined| &joined.settlement.id).collect();
        match payout.status().known() {
            Some(PayoutStatus::Paid) if named == copies => self.check_file(payout, &copies).await,
            Some(PayoutStatus::Cancelled) if named.is_empty() => Ok(()),
            _ => Err(format!("stuck, or not as its settlements: {payout:?}, {named:?}")),
        }
    }

    async fn check_file(&self, payout: &Payout, settlements: &BTreeSet<&SettlementId>) -> Result<(), String> {
        let file = self.app.documents().get(&payout_file(&payout.id)).await.unwrap();
        let file = file.ok_or_else(|| format!("no file of {payout:?}"))?;
        let text = String::from_utf8(file.bytes.to_vec()).unwrap();
        let in_file: BTreeSet<SettlementId> =
            text.lines().skip(1).filter_map(|line| line.split('"').nth(3)).map(SettlementId::new).collect();
        let is_same = in_file.iter().collect::<BTreeSet<_>>() == *settlements;
        if is_same { Ok(()) } else { Err(format!("the file of {payout:?} has {in_file:?}")) }
    }

    /// Nothing waits, and payouts find what can be paid and nothing else.
    async fn check_rows(&self, settlements: &BTreeMap<SettlementId, Settlement>) -> Result<(), String> {
        let store = &self.app.store;
        let building = keys::building_payout(&self.merchant, Currency::EUR).pk;
        if !store.query_items(Range::of_table(building)).await.unwrap().is_empty() {
            return Err("a payout is still being built".to_owned());
        }
        let jobs = store.due_jobs(Timestamp::MAX, u16::MAX).await.unwrap();
        if !jobs.is_empty() {
            return Err(format!("jobs are left: {jobs:?}"));
        }
        let rows = store.query_items(Range::of_table(keys::pending_settlements(&self.merchant))).await.unwrap();
        let found: BTreeSet<SettlementId> =
            rows.iter().map(|row| keys::parse_pending_settlement(row["sk"].as_s().unwrap()).unwrap().1).collect();
        let payable = settlements.values().filter(|settlement| settlement.is_payable());
        let payable: BTreeSet<SettlementId> = payable.map(|settlement| settlement.id.clone()).collect();
        if found == payable { Ok(()) } else { Err(format!("entries of {found:?} instead of {payable:?}")) }
    }

    async fn run(mut self) -> Result<Counts, String> {
        self.make_settlements(40).await;
        self.start_new_run().await;
        for _ in 0..2 + self.random.below(10) {
            self.act().await;
        }
        self.back_up().await;
        for _ in 0..self.random.below(10) {
            self.act().await;
        }
        self.restore().await?;
        self.finish().await?;
        self.check().await?;
        Ok(self.counts)
    }

    /// Brings a payout into a state, and interrupts whatever would bring it further. Calls of concurrent jobs come in any order, so that
    /// a sweep can lead a payout past the state: another run then makes the next.
    async fn bring_into(&mut self, wanted: State) {
        self.make_settlements(40).await;
        self.start_new_run().await;
        for attempt in 0..200 {
            let payouts = self.payouts().await;
            if payouts.iter().any(|payout| state(payout) == Some(wanted) && payout.count() > 0) {
                return;
            }
            if !payouts.is_empty() && payouts.iter().all(|payout| state(payout).is_none()) {
                self.start_new_run().await;
            }
            let sealed: Vec<&Payout> = payouts.iter().filter(|payout| state(payout) == Some(State::Sealed)).collect();
            if let Some(payout) = sealed.first() {
                self.decide(payout, wanted == State::Paying).await;
                continue;
            }
            if wanted == State::File {
                self.sweep_without_files().await;
            } else {
                self.sweep_until(attempt % 30).await;
            }
            self.advance_clock(700);
        }
        panic!("no payout is {wanted:?}: {:?}", self.payouts().await);
    }
}

/// All rows of a table, as they are stored.
pub(crate) async fn all_rows(client: &Client, table: &str) -> Vec<Item> {
    let (mut rows, mut start) = (Vec::new(), None);
    loop {
        let page = client.scan().table_name(table).set_exclusive_start_key(start).send().await.unwrap();
        rows.extend(page.items.unwrap_or_default());
        start = page.last_evaluated_key;
        if start.is_none() {
            return rows;
        }
    }
}

/// What happens in the lost span to the payout that was on its way at the restored moment.
#[derive(Debug, Clone, Copy)]
enum Then {
    Nothing,
    IsPaid,
    IsCancelled,
    /// Its settlements are paid by the payout of a later run.
    IsPaidByAnother,
}

impl Then {
    const ALL: [Self; 4] = [Self::Nothing, Self::IsPaid, Self::IsCancelled, Self::IsPaidByAnother];
}

impl History<'_> {
    async fn decide_all(&mut self, is_paid: bool) {
        for payout in self.payouts().await {
            if state(&payout) == Some(State::Sealed) {
                self.decide(&payout, is_paid).await;
            }
        }
    }

    async fn go_on(&mut self, then: Then) -> Result<(), String> {
        if matches!(then, Then::Nothing) {
            return Ok(());
        }
        self.sweep_until_idle().await?;
        self.decide_all(matches!(then, Then::IsPaid)).await;
        self.sweep_until_idle().await?;
        if matches!(then, Then::IsPaidByAnother) {
            self.start_new_run().await;
            self.sweep_until_idle().await?;
            self.decide_all(true).await;
        }
        Ok(())
    }

    async fn run_case(mut self, at_moment: State, then: Then) -> Result<(), String> {
        self.bring_into(at_moment).await;
        self.back_up().await;
        self.go_on(then).await?;
        self.restore().await?;
        self.finish().await?;
        self.check().await
    }
}

/// All 40 cases with `RESTORE_CASES=40`. Otherwise one of four for each state, with the previous table and without.
#[tokio::test(flavor = "multi_thread")]
async fn a_payout_in_any_state_is_paid_once_over_a_restore() {
    let harness = Harness::new().await;
    let is_complete = std::env::var("RESTORE_CASES").is_ok_and(|cases| cases == "40");
    let (mut cases, mut run) = (0, 0);
    for compares in [true, false] {
        for (index, at_moment) in STATES.into_iter().enumerate() {
            for (other, then) in Then::ALL.into_iter().enumerate() {
                cases += 1;
                if !is_complete && (index + usize::from(compares)) % Then::ALL.len() != other {
                    continue;
                }
                run += 1;
                let history = History::new(&harness, format!("case-{cases}"), cases).await;
                let result = History { compares, ..history }.run_case(at_moment, then).await;
                let case = format!("{at_moment:?}, then {then:?}, previous table: {compares}");
                result.unwrap_or_else(|error| panic!("{case}: {error}"));
            }
        }
    }
    println!("{run} of {cases} cases");
}

impl History<'_> {
    async fn add_endpoint(&self, id: &str, event: EventType) {
        let url = WebhookUrl::parse("http://127.0.0.1:9/", &Hosts::Local).unwrap();
        let secret = SealedSecret(format!("of {id}"));
        let settings = EndpointSettings { url, events: vec![event.into()], description: None, secret };
        let (id, by, now) = (WebhookEndpointId::new(id), UserId::new("u"), self.app.clock.now());
        let endpoint = Endpoint::new(id, self.merchant.clone(), settings, by, now);
        let endpoint = endpoint.after_attempt(false, false, SignedDuration::ZERO, now);
        let webhooks = self.app.store.webhooks(&self.merchant).await.unwrap().unwrap();
        let writes = vec![Write::create(&endpoint).unwrap(), webhooks.with(&endpoint).unwrap()];
        self.app.store.commit(writes).await.unwrap();
    }

    async fn endpoint(&self, id: &str) -> Option<Stored<Endpoint>> {
        self.app.store.webhook_endpoint(&self.merchant, &WebhookEndpointId::new(id)).await.unwrap()
    }

    /// A message to an endpoint, which waits for its first attempt.
    async fn add_message(&self, endpoint: &str) -> Stored<Delivery> {
        let (store, now) = (&self.app.store, self.app.clock.now());
        let endpoint = self.endpoint(endpoint).await.unwrap();
        let body = MessageBody::new(store.new_webhook_message_id(now), self.merchant.clone(), "{}".to_owned(), now);
        let delivery = Delivery::new(&body, EventType::PayoutPaid.into(), now, endpoint.id.clone(), now);
        let due = Write::replace(&endpoint, &endpoint.with_delivery(now)).unwrap();
        store.commit(vec![Write::create(&body).unwrap(), Write::create(&delivery).unwrap(), due]).await.unwrap();
        store.webhook_delivery(&self.merchant, &endpoint.id, &delivery.id).await.unwrap().unwrap()
    }

    async fn waiting(&self, endpoint: &str) -> BTreeSet<WebhookDeliveryId> {
        let id = WebhookEndpointId::new(endpoint);
        let waiting = self.app.store.waiting_deliveries(&self.merchant, &id, u16::MAX).await.unwrap();
        waiting.into_iter().map(|delivery| delivery.id.clone()).collect()
    }

    async fn wanted_events(&self) -> Vec<String> {
        let merchant = self.app.store.merchant(&self.merchant).await.unwrap().unwrap();
        merchant.webhook_events.iter().map(ToString::to_string).collect()
    }
}

/// With the previous table. Without it, what waited is sent again.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_before_a_restore_is_not_sent_again_and_a_deleted_endpoint_stays_deleted() {
    let harness = Harness::new().await;
    for compares in [true, false] {
        let mut history = History { compares, ..History::new(&harness, format!("webhooks-{compares}"), 1).await };
        history.add_endpoint("kept", EventType::PayoutPaid).await;
        history.add_endpoint("deleted", EventType::GiftCardIssued).await;
        let [arrives, waits] = [history.add_message("kept").await, history.add_message("kept").await];
        let of_deleted = history.add_message("deleted").await;
        history.back_up().await;

        let (store, now) = (history.app.store.clone(), history.app.clock.now());
        let attempt = Attempt { at: now, status: Some(204), milliseconds: 1, error: None };
        let arrived = arrives.claimed(now).after_attempt(attempt, Reply::default(), 0, now);
        assert!(store.save_delivery(&arrives, &arrived).await.unwrap());
        let webhooks = store.webhooks(&history.merchant).await.unwrap().unwrap();
        let (deleted, kept) = (history.endpoint("deleted").await.unwrap(), history.endpoint("kept").await.unwrap());
        let secrets = kept.secrets.rotated(SealedSecret("new".to_owned()), true, now);
        let rotated = Endpoint { secrets: secrets.clone(), ..kept.value.clone() };
        let writes = vec![
            Write::replace(&deleted, &deleted.deleted(now)).unwrap(),
            webhooks.with(&deleted.deleted(now)).unwrap(),
            Write::replace(&kept, &rotated).unwrap(),
        ];
        store.commit(writes).await.unwrap();
        history.add_endpoint("new", EventType::SettlementHeld).await;
        let later = history.add_message("kept").await;

        history.restore().await.unwrap();
        let kept = history.endpoint("kept").await.unwrap();
        let exist = (
            history.endpoint("deleted").await.is_some_and(|endpoint| !endpoint.is_deleted()),
            history.endpoint("new").await.is_some(),
        );
        let waiting = (history.waiting("kept").await, history.waiting("deleted").await);
        let wanted = history.wanted_events().await;
        if compares {
            assert_eq!((exist, kept.secrets == secrets), ((false, true), true));
            // What waits for an endpoint that does not exist is sent to nobody.
            assert_eq!(waiting.0, BTreeSet::from([waits.id.clone(), later.id.clone()]));
            assert_eq!(wanted, ["payout.paid", "settlement.held"]);
        } else {
            assert_eq!((exist, kept.secrets == secrets), ((true, false), false));
            let ids = [&arrives, &waits].map(|delivery| delivery.id.clone());
            assert_eq!(waiting, (BTreeSet::from(ids), BTreeSet::from([of_deleted.id.clone()])));
            assert_eq!(wanted, ["gift_card.issued", "payout.paid"]);
            assert_eq!(kept.failing_since, None, "nobody knows what has arrived since");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_paid_twice_stuck_or_forgotten_after_random_restores() {
    Histories::new("--test money restores::", 4)
        .run(
            2,
            40,
            || Box::pin(Harness::new()),
            |harness, seed| Box::pin(async move { History::new(harness, format!("history-{seed}"), seed).await.run().await }),
        )
        .await;
}
