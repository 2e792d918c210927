//! Random histories of a merchant's payouts: workers that race, die and return, while administrators start runs, decide about
//! payouts, hold and release settlements, suspend the merchant and review its identity, and while settlements are made and
//! become void, and the merchant changes its name. Once all work is done, every settlement is in one place, every payout is the
//! sum of its settlements, and no payout was confirmed as paid while the merchant could not be paid.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::pin::Pin;

use http::{Method, StatusCode};
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::app::App;
use shared::aws::files::payout_file;
use shared::db::keys::{Listed, listed_rows};
use shared::db::{Item, Range, StoreError, Stored, from_item, item_key, keys};
use shared::merchants::model::merchant::{Merchant, MerchantStatus};
use shared::payouts::{Payout, PayoutFilter, PayoutSettlement, PayoutStatus};
use shared::settlements::model::settlement::{HeldBecause, Settlement, SettlementHold, SettlementStatus, SourceType};
use shared::settlements::rows::{create_settlement, settlement_record};
use shared::team::model::team::SignInMethod;
use shared::values::{Currency, Minor, PayoutId, PayoutRunId, SettlementId, UserId, later};
use tokio::task::{JoinHandle, JoinSet};
use upstreams::faults::{Call, FaultKind, Hold, HoldHandle};
use world::{Counts, Histories, SeededRandom, shop};

use crate::harness::{FunctionRequest, Harness, TestMerchant, load_fixtures};

/// The administrators of the platform in every harness.
pub(crate) const ADMINISTRATORS: [&str; 2] = ["u-platform-1", "u-platform-2"];

/// What an invocation does.
#[derive(Debug, Clone)]
enum Actor {
    /// Runs all due work, of every payout.
    Sweep,
    Start {
        by: usize,
        key: i64,
    },
    Decide {
        by: usize,
        payout: PayoutId,
        body: Value,
    },
    Hold {
        settlement: SettlementId,
        held: bool,
    },
    Void {
        settlement: SettlementId,
    },
    Create {
        settlement: Box<Settlement>,
    },
    /// Suspends the merchant, or makes it active again.
    SetStatus {
        status: &'static str,
    },
    Rename,
    /// Reviews the identity that is stored now, or the one before.
    Review {
        version: u64,
    },
}

/// How an invocation ended.
#[derive(Debug)]
enum End {
    Swept,
    Responded(Actor, u16, Value),
    /// Whether the settlement became void.
    Voided(SettlementId, bool),
    Created(Box<Settlement>),
    Renamed,
    /// It was interrupted and never goes on.
    Crashed(Actor),
    /// It was interrupted and goes on later.
    Paused(Actor, JoinHandle<End>, HoldHandle),
}

type Invocation = Pin<Box<dyn Future<Output = End> + Send>>;

/// The faults of one invocation.
struct FaultPlan {
    /// The probability of a fault per call, in percent.
    fault_percent: u64,
    pause: Option<Hold>,
    random: SeededRandom,
}

impl FaultPlan {
    fn fault(&mut self, advance_clock: impl Fn(i64)) -> Option<FaultKind> {
        if !self.random.percent(self.fault_percent) {
            return None;
        }
        if let Some(pause) = self.pause.take_if(|_| self.random.percent(50)) {
            let pause = FaultKind::Hold(pause);
            return Some(if self.random.percent(50) { pause } else { FaultKind::OnReply(Box::new(pause)) });
        }
        match self.random.below(6) {
            0 => Some(FaultKind::Throttle),
            1 => Some(FaultKind::Drop),
            2 => Some(FaultKind::Status(StatusCode::INTERNAL_SERVER_ERROR)),
            3 => Some(FaultKind::After),
            _ => {
                advance_clock(self.random.below(9_000));
                None
            }
        }
    }
}

struct History<'a> {
    harness: &'a Harness,
    merchant: TestMerchant,
    random: SeededRandom,
    actors: usize,
    /// The settlements that surely exist, as they were made.
    created: BTreeMap<SettlementId, Settlement>,
    /// Those that may exist: whoever made them was interrupted.
    perhaps_created: BTreeMap<SettlementId, Settlement>,
    voided: BTreeSet<SettlementId>,
    /// The last answer to a hold or a release; `None` where an unanswered one may have come later.
    held: BTreeMap<SettlementId, Option<bool>>,
    /// The decisions that were accepted.
    decided: BTreeMap<PayoutId, Value>,
    /// Count and sum of each payout, as they were first readable.
    sealed: BTreeMap<PayoutId, (u64, Minor)>,
    paused: Vec<(Actor, JoinHandle<End>, HoldHandle)>,
    /// Administrators only decide about payouts from now on.
    is_closing: bool,
    counts: Counts,
}

impl<'a> History<'a> {
    async fn new(harness: &'a Harness, seed: u64) -> Self {
        let mut history = Self {
            harness,
            merchant: harness.merchant().await,
            random: SeededRandom::new(seed),
            actors: 0,
            created: BTreeMap::new(),
            perhaps_created: BTreeMap::new(),
            voided: BTreeSet::new(),
            held: BTreeMap::new(),
            decided: BTreeMap::new(),
            sealed: BTreeMap::new(),
            paused: Vec::new(),
            is_closing: false,
            counts: Counts::default(),
        };
        let count = *history.random.pick(&[1, 3, 8, 30, 60]);
        let settlements: Vec<Settlement> = (0..count).map(|number| history.settlement(&format!("s-{number}"))).collect();
        let records = settlements.iter().map(|settlement| settlement_record(settlement).unwrap()).collect();
        harness.app.store.import(records).await.unwrap();
        history.created = settlements.into_iter().map(|settlement| (settlement.id.clone(), settlement)).collect();
        history
    }

    fn settlement(&mut self, id: &str) -> Settlement {
        let now = self.harness.app.clock.now();
        let net = Minor::new(self.random.below(1_000) - if self.random.percent(20) { 1_500 } else { 0 });
        let listed = if self.merchant.is_settled_on_sale { SourceType::Order } else { SourceType::Redemption };
        let other = if self.merchant.is_settled_on_sale { SourceType::Redemption } else { SourceType::Order };
        let source_type = if self.random.percent(90) { listed } else { other };
        let is_eligible = self.random.percent(90);
        Settlement {
            id: SettlementId::new(id),
            merchant_id: self.merchant.id.clone(),
            source_type: source_type.into(),
            source_id: format!("source-{id}"),
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
            hold: if self.random.percent(5) { HeldBecause::Administrator.into() } else { SettlementHold::default() },
            hold_lifted: false,
            eligible_at: later(now, SignedDuration::from_hours(if is_eligible { -1 } else { 1_000_000 })),
            created_at: now,
            updated_at: now,
        }
    }

    async fn run(mut self) -> Result<Counts, String> {
        for _ in 0..8 + self.random.below(12) {
            let before = self.merchant_and_paid().await;
            match self.random.below(10) {
                0..6 => {
                    let actors = 1 + self.random.below(3);
                    self.invoke(actors).await;
                }
                6 => self.resume().await,
                _ => {
                    let milliseconds = *self.random.pick(&[1_000, 6_000, 25_000, 70_000, 700_000]);
                    self.harness.clock.advance_milliseconds(milliseconds);
                }
            }
            self.check_payable(before).await?;
            self.observe().await?;
        }
        self.finish().await
    }

    /// The merchant, and the payouts that were confirmed as paid.
    async fn merchant_and_paid(&self) -> (Item, BTreeSet<PayoutId>) {
        let key = keys::merchant(&self.merchant.id);
        let merchant = self.harness.app.store.get_items(&[key]).await.unwrap().pop().unwrap();
        let is_paid = |payout: &Payout| matches!(payout.status().known(), Some(PayoutStatus::Paying | PayoutStatus::Paid));
        let paid = self.payouts().await.into_iter().filter(is_paid).map(|payout| payout.id);
        (merchant, paid.collect())
    }

    /// No payout was confirmed since then if the merchant could not be paid all the time.
    async fn check_payable(&self, (before, paid_before): (Item, BTreeSet<PayoutId>)) -> Result<(), String> {
        let (merchant, paid) = self.merchant_and_paid().await;
        // The row has a version.
        let is_unchanged = before == merchant;
        let merchant: Stored<Merchant> = from_item(merchant).unwrap();
        let not_payable = merchant.not_payable().filter(|_| is_unchanged);
        match (not_payable, paid.difference(&paid_before).next()) {
            (Some(reason), Some(payout)) => Err(format!("{payout} was confirmed although {reason}")),
            _ => Ok(()),
        }
    }

    /// Runs this number of invocations concurrently, beside one that was paused before.
    async fn invoke(&mut self, actors: i64) {
        let mut plans = HashMap::new();
        let mut running = JoinSet::new();
        if self.random.percent(30)
            && let Some((_, task, held)) = self.paused.pop()
        {
            held.release();
            running.spawn(async move { task.await.unwrap() });
        }
        for _ in 0..actors {
            let actor = self.actor().await;
            self.actors += 1;
            let name = format!("actor-{}", self.actors);
            let invocation = self.invocation(&name, actor.clone()).await;
            let (pause, mut held) = Hold::new();
            let fault_percent = *self.random.pick(&[0, 0, 5, 15]);
            let goes_on = self.random.percent(50);
            plans.insert(name, FaultPlan { fault_percent, pause: Some(pause), random: self.random.fork() });
            running.spawn(async move {
                let mut task = tokio::spawn(invocation);
                tokio::select! {
                    end = &mut task => end.unwrap(),
                    () = held.reached() => {
                        if goes_on {
                            return End::Paused(actor, task, held);
                        }
                        task.abort();
                        let _ = task.await;
                        End::Crashed(actor)
                    }
                }
            });
        }
        let clock = self.harness.clock.clone();
        self.harness.faults.decide(move |call: Call<'_>| {
            let plan = plans.get_mut(call.application()?)?;
            plan.fault(|milliseconds| clock.advance_milliseconds(milliseconds))
        });
        let mut ends = Vec::new();
        while let Some(end) = running.join_next().await {
            ends.push(end.unwrap());
        }
        self.harness.clear_faults();
        self.record(ends);
    }

    async fn resume(&mut self) {
        if let Some((_, task, held)) = self.paused.pop() {
            held.release();
            let end = task.await.unwrap();
            self.record(vec![end]);
        }
    }

    async fn actor(&mut self) -> Actor {
        let by = usize::try_from(self.random.below(2)).unwrap();
        let settlements: Vec<SettlementId> = self.created.keys().cloned().collect();
        let kind = if self.is_closing { 3 + 11 * self.random.below(2) } else { self.random.below(24) };
        match kind {
            0..3 => Actor::Start { by, key: self.random.below(4) },
            3..7 => {
                let payouts = self.payouts().await;
                let undecided = payouts.iter().filter(|payout| payout.status() == PayoutStatus::InBatch).cloned();
                let undecided: Vec<Payout> = undecided.collect();
                let among = if undecided.is_empty() || self.random.percent(30) { &payouts } else { &undecided };
                let Some(payout) = (!among.is_empty()).then(|| self.random.pick(among)) else {
                    return Actor::Start { by, key: 0 };
                };
                let other = ADMINISTRATORS.iter().position(|id| *id != payout.created_by.as_str());
                let by = if self.random.percent(80) { other.unwrap_or_default() } else { by };
                let text = self.random.below(2).to_string();
                let body = if self.random.percent(60) {
                    json!({"status": "PAID", "reference": text})
                } else {
                    json!({"status": "CANCELLED", "reason": text})
                };
                Actor::Decide { by, payout: payout.id.clone(), body }
            }
            7 | 8 => {
                let settlement = self.random.pick(&settlements).clone();
                Actor::Hold { settlement, held: self.random.percent(60) }
            }
            9 => Actor::Void { settlement: self.random.pick(&settlements).clone() },
            10 => {
                let id = format!("late-{}", self.actors);
                Actor::Create { settlement: Box::new(self.settlement(&id)) }
            }
            11 => {
                let status = *self.random.pick(&["SUSPENDED", "ACTIVE", "ACTIVE"]);
                Actor::SetStatus { status }
            }
            12 => Actor::Rename,
            13 => {
                let merchant = self.harness.app.store.merchant(&self.merchant.id).await.unwrap().unwrap();
                let stale = u64::from(self.random.percent(20));
                Actor::Review { version: merchant.identity_version.saturating_sub(stale) }
            }
            _ => Actor::Sweep,
        }
    }

    async fn invocation(&self, name: &str, actor: Actor) -> Invocation {
        let merchant = self.merchant.id.clone();
        let key = |key: i64| format!("{merchant}-{key}");
        let request = match &actor {
            Actor::Sweep => {
                let sweep = self.harness.sweep(name);
                return Box::pin(async move {
                    // The sweep fails if it cannot read its index. The next one retries.
                    drop(sweep.await);
                    End::Swept
                });
            }
            Actor::Void { settlement } => {
                let (app, settlement) = (self.harness.instance(name), settlement.clone());
                return Box::pin(async move {
                    let is_void = void(&app, &merchant, &settlement).await;
                    End::Voided(settlement, is_void)
                });
            }
            Actor::Create { settlement } => {
                let (app, settlement) = (self.harness.instance(name), settlement.clone());
                return Box::pin(async move {
                    let writes = create_settlement(&settlement).unwrap();
                    match app.store.commit(writes).await {
                        Ok(()) => End::Created(settlement),
                        Err(_) => End::Crashed(Actor::Create { settlement }),
                    }
                });
            }
            Actor::Rename => {
                let app = self.harness.instance(name);
                return Box::pin(async move {
                    rename(&app, &merchant).await;
                    End::Renamed
                });
            }
            Actor::SetStatus { status } => {
                let path = format!("/api/admin/merchants/{merchant}");
                (0, Method::PATCH, path, None, json!({"status": status, "reason": "A test"}))
            }
            Actor::Review { version } => {
                let path = format!("/api/admin/merchants/{merchant}");
                (1, Method::PATCH, path, None, json!({"identityReviewed": version, "reason": "A test"}))
            }
            Actor::Start { by, key: number } => {
                let body = json!({"merchantId": merchant});
                (*by, Method::POST, "/api/admin/payouts".to_owned(), Some(key(*number)), body)
            }
            Actor::Decide { by, payout, body } => {
                (*by, Method::PATCH, format!("/api/admin/payouts/{payout}"), None, body.clone())
            }
            Actor::Hold { settlement, held } => {
                let path = format!("/api/admin/settlements/{merchant}/{settlement}");
                (0, Method::PATCH, path, None, json!({"held": held, "reason": "A test"}))
            }
        };
        let response = request_by(self.harness, name, request).await;
        Box::pin(async move {
            let (status, body) = response.await;
            End::Responded(actor, status, body)
        })
    }

    fn record(&mut self, ends: Vec<End>) {
        for end in ends {
            match end {
                End::Swept => self.counts.add("sweeps", 1),
                End::Renamed => {}
                End::Created(settlement) => {
                    self.created.insert(settlement.id.clone(), *settlement);
                }
                End::Voided(settlement, is_void) => {
                    if is_void {
                        self.voided.insert(settlement);
                    }
                }
                End::Crashed(actor) => {
                    self.counts.add("crashed", 1);
                    self.record_unanswered(actor);
                }
                End::Paused(actor, task, held) => {
                    self.counts.add("paused", 1);
                    self.record_unanswered(actor.clone());
                    self.paused.push((actor, task, held));
                }
                End::Responded(actor, status, body) => self.record_response(actor, status, &body),
            }
        }
    }

    fn record_unanswered(&mut self, actor: Actor) {
        match actor {
            Actor::Create { settlement } => {
                self.perhaps_created.insert(settlement.id.clone(), *settlement);
            }
            Actor::Hold { settlement, .. } => {
                self.held.insert(settlement, None);
            }
            _ => {}
        }
    }

    fn record_response(&mut self, actor: Actor, status: u16, body: &Value) {
        self.counts.add("responses", 1);
        let is_documented = matches!(status, 200 | 202 | 403 | 409 | 500..);
        assert!(is_documented, "{actor:?}: {status} {body}");
        self.counts.add("conflicts", usize::from(status == 409));
        self.counts.add("not_payable", usize::from(body["error"]["code"] == "MERCHANT_NOT_PAYABLE"));
        match (actor, status) {
            (Actor::Decide { payout, body: decision, .. }, 200) => {
                let first = self.decided.entry(payout).or_insert_with(|| decision.clone());
                assert_eq!(*first, decision, "two decisions were accepted: {body}");
            }
            (Actor::Hold { settlement, held }, 200) => {
                // Several at once can be answered in any order.
                let known = self.held.entry(settlement).or_insert(Some(held));
                *known = known.filter(|known| *known == held);
            }
            (Actor::Hold { settlement, .. }, 500..) => {
                self.held.insert(settlement, None);
            }
            _ => {}
        }
    }

    async fn payouts(&self) -> Vec<Payout> {
        let filter = PayoutFilter { merchant_id: Some(self.merchant.id.clone()), ..PayoutFilter::default() };
        self.harness.app.store.payouts(&filter, None, 1_000).await.unwrap().payouts
    }

    async fn settlements_of(&self, payout: &Payout) -> Vec<PayoutSettlement> {
        self.harness.app.store.settlements_of_payout(&payout.id, None, 1_000).await.unwrap()
    }

    /// Count and sum of a payout are true as soon as they can be read, and never change.
    async fn observe(&mut self) -> Result<(), String> {
        for payout in self.payouts().await.into_iter().filter(Payout::is_sealed) {
            let readable = (payout.count(), payout.net());
            if let Some(first) = self.sealed.get(&payout.id) {
                if *first != readable {
                    return Err(format!("{first:?} became {payout:?}"));
                }
                continue;
            }
            let settlements = self.settlements_of(&payout).await;
            let sum = sum(settlements.iter().map(|joined| &joined.settlement));
            if (settlements.len() as u64, sum) != readable {
                return Err(format!("{} settlements of {sum:?} in {payout:?}", settlements.len()));
            }
            self.sealed.insert(payout.id, readable);
        }
        Ok(())
    }

    async fn finish(mut self) -> Result<Counts, String> {
        self.is_closing = true;
        for _ in 0..6 {
            self.invoke(2).await;
            self.harness.clock.advance_milliseconds(25_000);
            self.observe().await?;
        }
        while !self.paused.is_empty() {
            self.resume().await;
        }
        self.harness.sweep_until_idle().await;
        self.check(None).await?;
        self.make_payable().await;
        // What can be paid is in this run.
        let body = json!({"merchantId": self.merchant.id});
        let key = Some(format!("{}-last", self.merchant.id));
        let request = (0, Method::POST, "/api/admin/payouts".to_owned(), key, body);
        let (status, started) = request_by(self.harness, "last", request).await.await;
        if status != 202 {
            return Err(format!("the last run was not started: {started}"));
        }
        self.harness.sweep_until_idle().await;
        let run = started["data"]["runId"].as_str().unwrap().to_owned();
        self.check(Some(&run)).await?;
        Ok(self.counts)
    }

    /// Reviews the merchant's identity and lifts its suspension.
    async fn make_payable(&self) {
        let merchant = self.harness.app.store.merchant(&self.merchant.id).await.unwrap().unwrap();
        let mut change = json!({"identityReviewed": merchant.identity_version, "reason": "A test"});
        if merchant.status == MerchantStatus::Suspended {
            change["status"] = json!("ACTIVE");
        }
        let path = format!("/api/admin/merchants/{}", self.merchant.id);
        let response = request_by(self.harness, "last", (1, Method::PATCH, path, None, change)).await.await;
        assert_eq!(response.0, 200, "{response:?}");
        self.harness.sweep_until_idle().await;
    }

    async fn check(&mut self, last_run: Option<&str>) -> Result<(), String> {
        self.observe().await?;
        let store = &self.harness.app.store;
        let rows = store.scan_all::<Settlement>(listed_rows(Listed::Settlements, Some(&self.merchant.id))).await.unwrap();
        let settlements: BTreeMap<SettlementId, Settlement> = rows.into_iter().map(|row| (row.id.clone(), row.value)).collect();
        let payouts = self.payouts().await;
        self.check_settlements(&settlements)?;
        self.check_entries(&settlements).await?;
        let mut places: BTreeMap<SettlementId, Vec<&Payout>> = BTreeMap::new();
        for payout in &payouts {
            self.check_payout(payout, &settlements, &mut places).await?;
        }
        for settlement in settlements.values() {
            let places = places.get(&settlement.id).map(Vec::as_slice).unwrap_or_default();
            check_place(settlement, places)?;
        }
        if let Some(run) = last_run {
            self.check_last_run(run, &settlements, &payouts)?;
            for payout in &payouts {
                match payout.status().known() {
                    Some(PayoutStatus::Paid) => self.counts.add("paid", 1),
                    Some(PayoutStatus::Cancelled) => self.counts.add("cancelled", 1),
                    _ => self.counts.add("open", 1),
                }
            }
            let paid = settlements.values().filter(|settlement| settlement.status == SettlementStatus::Paid);
            self.counts.add("settlements_paid", paid.count());
        }
        Ok(())
    }

    /// No settlement is lost, made up or changed in its amount; what was held or void is not paid.
    fn check_settlements(&self, settlements: &BTreeMap<SettlementId, Settlement>) -> Result<(), String> {
        for (id, created) in &self.created {
            let settlement = settlements.get(id).ok_or_else(|| format!("{id} is lost"))?;
            if (settlement.net, settlement.currency) != (created.net, created.currency) {
                return Err(format!("{created:?} became {settlement:?}"));
            }
            let is_held = match self.held.get(id) {
                None => Some(created.is_held()),
                Some(answered) => *answered,
            };
            if is_held.is_some_and(|held| settlement.is_held() != held) {
                return Err(format!("answered {is_held:?} about {settlement:?}"));
            }
            if self.voided.contains(id) && settlement.status != SettlementStatus::Void {
                return Err(format!("was void: {settlement:?}"));
            }
        }
        let made_up = settlements.keys().find(|id| !self.created.contains_key(id) && !self.perhaps_created.contains_key(id));
        made_up.map_or(Ok(()), |id| Err(format!("nobody made {id}")))
    }

    /// Settlements that can be paid have an entry in one list, those that are held in another, and no others.
    async fn check_entries(&self, settlements: &BTreeMap<SettlementId, Settlement>) -> Result<(), String> {
        let store = &self.harness.app.store;
        let payable = settlements.values().filter(|settlement| settlement.is_payable());
        let held = settlements.values().filter(|settlement| settlement.is_waiting_held());
        for (partition, expected) in [
            (keys::pending_settlements(&self.merchant.id), payable.collect::<Vec<_>>()),
            (keys::held_settlements(&self.merchant.id), held.collect()),
        ] {
            let rows = store.query_items(Range::of_table(partition)).await.unwrap();
            let found: BTreeSet<SettlementId> =
                rows.iter().map(|row| keys::parse_pending_settlement(row["sk"].as_s().unwrap()).unwrap().1).collect();
            let expected: BTreeSet<SettlementId> = expected.into_iter().map(|settlement| settlement.id.clone()).collect();
            if found != expected {
                return Err(format!("entries of {found:?} instead of {expected:?}"));
            }
        }
        let building = keys::building_payout(&self.merchant.id, Currency::EUR).pk;
        let building = store.query_items(Range::of_table(building)).await.unwrap();
        if let Some(row) = building.first() {
            return Err(format!("a payout is still being built: {:?}", item_key(row)));
        }
        Ok(())
    }

    async fn check_payout<'p>(
        &self,
        payout: &'p Payout,
        settlements: &BTreeMap<SettlementId, Settlement>,
        places: &mut BTreeMap<SettlementId, Vec<&'p Payout>>,
    ) -> Result<(), String> {
        let joined = self.settlements_of(payout).await;
        for PayoutSettlement { settlement, .. } in &joined {
            places.entry(settlement.id.clone()).or_default().push(payout);
            let is_due = settlement.eligible_at < payout.eligible_before;
            let is_listed = payout.kinds().contains(&settlement.kind());
            if !is_due || !is_listed || settlement.is_held() || settlement.currency != payout.currency {
                return Err(format!("{settlement:?} does not belong to {payout:?}"));
            }
        }
        let (expected, names) = match payout.status().known() {
            Some(PayoutStatus::InBatch) => (Some(SettlementStatus::InBatch), true),
            Some(PayoutStatus::Paid) => (Some(SettlementStatus::Paid), true),
            Some(PayoutStatus::Cancelled) => (None, false),
            _ => return Err(format!("unfinished: {payout:?}")),
        };
        for PayoutSettlement { settlement, .. } in &joined {
            let current = &settlements[&settlement.id];
            let names_it = current.payout_batch_id.as_ref() == Some(&payout.id);
            if names_it != names || expected.is_some_and(|expected| current.status != expected) {
                return Err(format!("{current:?} of {payout:?}"));
            }
        }
        let decision = self.decided.get(&payout.id);
        let is_as_decided = decision.is_none_or(|decision| match payout.status().known() {
            Some(PayoutStatus::Paid) => decision["reference"] == json!(payout.decided().reference),
            Some(PayoutStatus::Cancelled) => decision["reason"] == json!(payout.decided().reason),
            _ => false,
        });
        if !is_as_decided {
            return Err(format!("decided {decision:?}: {payout:?}"));
        }
        self.check_file(payout, &joined).await
    }

    async fn check_file(&self, payout: &Payout, joined: &[PayoutSettlement]) -> Result<(), String> {
        let file = self.harness.app.documents().get(&payout_file(&payout.id)).await.unwrap();
        let file = file.ok_or_else(|| format!("no file of {payout:?}"))?;
        let text = String::from_utf8(file.bytes.to_vec()).unwrap();
        let in_file: BTreeSet<&str> = text.lines().skip(1).filter_map(|line| line.split('"').nth(3)).collect();
        let expected: BTreeSet<&str> = joined.iter().map(|joined| joined.settlement.id.as_str()).collect();
        if in_file == expected { Ok(()) } else { Err(format!("the file has {in_file:?} instead of {expected:?}")) }
    }

    /// Everything that could be paid is in a payout of the last run, or in one before that was not decided. Only a debt waits.
    fn check_last_run(
        &self,
        run: &str,
        settlements: &BTreeMap<SettlementId, Settlement>,
        payouts: &[Payout],
    ) -> Result<(), String> {
        let now = self.harness.app.clock.now();
        for currency in [Currency::EUR, Currency::USD] {
            let kind = if self.merchant.is_settled_on_sale { SourceType::Order } else { SourceType::Redemption };
            let waiting: Vec<&Settlement> = settlements
                .values()
                .filter(|settlement| settlement.is_payable() && settlement.currency == currency)
                .filter(|settlement| settlement.source_type == kind && settlement.eligible_at < now)
                .collect();
            let sum = sum(waiting.iter().copied());
            let of_run = payouts.iter().find(|payout| payout.run_id.as_str() == run && payout.currency == currency);
            let is_debt = of_run.is_some_and(|payout| payout.status() == PayoutStatus::Cancelled && payout.net() == sum);
            let may_wait = is_debt && sum <= Minor::ZERO;
            if !waiting.is_empty() && !may_wait {
                return Err(format!("not paid out by {of_run:?}: {waiting:?}"));
            }
        }
        Ok(())
    }
}

fn check_place(settlement: &Settlement, payouts: &[&Payout]) -> Result<(), String> {
    let valid = payouts.iter().filter(|payout| payout.status() != PayoutStatus::Cancelled);
    let valid: Vec<&PayoutId> = valid.map(|payout| &payout.id).collect();
    let expected: Vec<&PayoutId> = match settlement.status.known() {
        Some(SettlementStatus::InBatch | SettlementStatus::Paid) => settlement.payout_batch_id.iter().collect(),
        _ if settlement.payout_batch_id.is_some() => return Err(format!("names a payout: {settlement:?}")),
        _ => Vec::new(),
    };
    if valid == expected { Ok(()) } else { Err(format!("{settlement:?} is in {valid:?}")) }
}

fn sum<'s>(settlements: impl Iterator<Item = &'s Settlement>) -> Minor {
    settlements.fold(Minor::ZERO, |sum, settlement| sum.checked_add(settlement.net).unwrap())
}

/// Makes a pending settlement void. Returns whether it surely did.
async fn void(app: &App, merchant: &shared::values::MerchantId, id: &SettlementId) -> bool {
    let Ok(Some(settlement)) = app.store.settlement(merchant, id).await else { return false };
    let result = app.store.update(settlement, |settlement| {
        let is_void = settlement.status == SettlementStatus::Pending;
        let void = Settlement { status: SettlementStatus::Void.into(), ..settlement.clone() };
        Ok::<_, StoreError>((is_void.then(|| void.into()), is_void))
    });
    result.await.unwrap_or(false)
}

/// Changes who the merchant is, as `PUT /api/bff/merchant` does.
async fn rename(app: &App, merchant: &shared::values::MerchantId) {
    let Ok(Some(merchant)) = app.store.merchant(merchant).await else { return };
    let result = app.store.update(merchant, |merchant| {
        let legal_name = format!("{} again", merchant.legal_name);
        let mut renamed = Merchant { legal_name, ..merchant.clone() };
        renamed.record_identity_changes(merchant, &UserId::new("u-member"), app.clock.now());
        Ok::<_, StoreError>((Some(renamed.into()), ()))
    });
    drop(result.await);
}

pub(crate) type AdminRequest = (usize, Method, String, Option<String>, Value);

/// Sends a request to a new instance of the administration. The administrator signs in before.
async fn request_by(harness: &Harness, name: &str, request: AdminRequest) -> impl Future<Output = (u16, Value)> + Send + 'static {
    request_to(harness, harness.instance(name), request).await
}

async fn request_to(
    harness: &Harness,
    instance: App,
    (by, method, path, key, body): AdminRequest,
) -> impl Future<Output = (u16, Value)> + Send + 'static {
    request_at(&harness.app, instance, (by, method, path, key, body)).await
}

/// Sends a request to this instance, which shares its table with `app`: the administrator signs in there.
pub(crate) async fn request_at(
    app: &App,
    instance: App,
    (by, method, path, key, body): AdminRequest,
) -> impl Future<Output = (u16, Value)> + Send + 'static + use<> {
    let user = app.store.user(&UserId::new(ADMINISTRATORS[by])).await.unwrap().unwrap();
    let token = app.store.open_session(&user, app.random.bytes(), SignInMethod::Passkey, app.clock.now()).await.unwrap();
    let request = FunctionRequest { method, path: &path, token: token.expose(), key: key.as_deref(), body: &body };
    let name = instance.settings.aws.function_name.clone();
    let response = request.send(administration::routes().into_router(instance), &name);
    async move {
        let response = response.await;
        (response.status, response.body)
    }
}

async fn new_harness() -> Harness {
    let harness = Harness::new().await;
    load_administrators(&harness.app).await;
    harness
}

pub(crate) async fn load_administrators(app: &App) {
    load_fixtures(app, &json!({"users": ADMINISTRATORS.map(shop::platform_administrator)}), None).await;
}

/// The history of a merchant, and its one payout in dollars, which the first administrator has started.
async fn with_payout(harness: &Harness) -> (History<'_>, PayoutId) {
    let mut history = History::new(harness, 1).await;
    let payable = Settlement { hold: SettlementHold::default(), net: Minor::new(1_000_000), ..history.settlement("payable") };
    let payable = Settlement { eligible_at: harness.app.clock.now(), currency: Currency::USD, ..payable };
    let mode = if history.merchant.is_settled_on_sale { SourceType::Order } else { SourceType::Redemption };
    let payable = Settlement { source_type: mode.into(), ..payable };
    harness.app.store.import(vec![settlement_record(&payable).unwrap()]).await.unwrap();
    harness.clock.advance_milliseconds(1);
    let body = json!({"merchantId": history.merchant.id, "currency": "USD"});
    let start = (0, Method::POST, "/api/admin/payouts".to_owned(), Some("one".to_owned()), body);
    assert_eq!(request_by(harness, "administration", start).await.await.0, 202);
    harness.sweep_until_idle().await;
    let id = history.payouts().await[0].id.clone();
    (history, id)
}

#[tokio::test]
async fn a_payout_is_not_paid_if_its_merchant_cannot_be_paid_by_then() {
    for meanwhile in [Actor::SetStatus { status: "SUSPENDED" }, Actor::Rename] {
        let harness = new_harness().await;
        let (history, payout) = with_payout(&harness).await;
        let body = json!({"status": "PAID", "reference": "A"});
        let confirm = history.invocation("confirm", Actor::Decide { by: 1, payout, body }).await;
        let (hold, mut held) = Hold::new();
        harness.faults.decide(move |call| {
            let writes = call.application() == Some("confirm") && call.operation == "TransactWriteItems";
            writes.then(|| FaultKind::Hold(hold.clone()))
        });
        let confirm = tokio::spawn(confirm);
        held.reached().await;
        harness.clear_faults();
        history.invocation("meanwhile", meanwhile.clone()).await.await;
        held.release();
        let End::Responded(_, status, body) = confirm.await.unwrap() else { unreachable!("a decision is answered") };
        assert_eq!((status, &body["error"]["code"]), (409, &json!("MERCHANT_NOT_PAYABLE")), "{meanwhile:?}: {body}");
        harness.sweep_until_idle().await;
        assert_eq!(history.payouts().await[0].status(), PayoutStatus::InBatch, "{meanwhile:?}");
    }
}

#[tokio::test]
async fn a_setting_lets_one_administrator_start_and_confirm_a_payout() {
    let harness = new_harness().await;
    let (history, payout) = with_payout(&harness).await;
    let path = format!("/api/admin/payouts/{payout}");
    let confirm = (0, Method::PATCH, path, None, json!({"status": "PAID", "reference": "A"}));
    let (status, body) = request_by(&harness, "administration", confirm.clone()).await.await;
    assert_eq!((status, &body["error"]["code"]), (403, &json!("SECOND_PERSON")));
    let by_one = harness.instance_with_setting("administration", ("PAYOUTS_BY_ONE", "yes"));
    assert_eq!(request_to(&harness, by_one, confirm).await.await.0, 200);
    harness.sweep_until_idle().await;
    assert_eq!(history.payouts().await[0].status(), PayoutStatus::Paid);
}

#[tokio::test(flavor = "multi_thread")]
async fn payouts_add_up_after_every_random_history() {
    Histories::new("--test money payouts::", 6)
        .run(
            2,
            100,
            || Box::pin(new_harness()),
            |harness, seed| Box::pin(async move { History::new(harness, seed).await.run().await }),
        )
        .await;
}

/// Another worker repeats what the first one has done for the run, when the payout has been filled already.
#[tokio::test]
async fn a_run_whose_worker_dies_does_not_say_that_it_left_out_what_it_pays() {
    let harness = new_harness().await;
    for point in 0.. {
        let mut history = History::new(&harness, 1).await;
        let mode = if history.merchant.is_settled_on_sale { SourceType::Order } else { SourceType::Redemption };
        let eligible_at = harness.app.clock.now();
        for (id, hold) in [("payable", SettlementHold::default()), ("held", HeldBecause::Administrator.into())] {
            let settlement = Settlement { hold, net: Minor::new(1_000), eligible_at, ..history.settlement(id) };
            let settlement = Settlement { currency: Currency::USD, source_type: mode.into(), ..settlement };
            harness.app.store.import(vec![settlement_record(&settlement).unwrap()]).await.unwrap();
        }
        harness.clock.advance_milliseconds(1);
        let body = json!({"merchantId": history.merchant.id, "currency": "USD"});
        let start = (0, Method::POST, "/api/admin/payouts".to_owned(), Some(format!("run-{point}")), body);
        let (status, started) = request_by(&harness, "administration", start).await.await;
        assert_eq!(status, 202, "{started}");

        let worker = harness.sweep("worker");
        let died = harness.run_until_crash(point, |_| None, worker).await;
        // Fills the payout, if there is one, before the run goes on.
        harness.sweep("another").await.unwrap();
        harness.sweep_until_idle().await;
        let run = PayoutRunId::new(started["data"]["runId"].as_str().unwrap());
        let page = harness.app.store.left_out_of_run(&run, None, 10).await.unwrap();
        assert_eq!(page.left_out, [], "{:?}", died.err());
        if died.is_ok() {
            assert!(point > 10, "{point} calls");
            return;
        }
    }
}
