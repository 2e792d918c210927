//! Runs `admin restore prepare` on a table that no function uses, as described in docs/restore.md.

use std::collections::BTreeMap;
use std::process::Command;

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::{SignedDuration, Timestamp};
use local::{Local, Options, StartingState, table};
use shared::aws::Aws;
use shared::base::clock::Clock;
use shared::base::metrics::Metrics;
use shared::base::random::Random;
use shared::db::keys::{self, Key};
use shared::db::model::restore::{LostSpan, RestoreStep, Restores};
use shared::db::{Item, Job, JobState, Store, Stored, Task, Write, item_key};
use shared::merchants::model::merchant::Merchant;
use shared::payouts::{ConfirmedBy, Decision, Payout, PayoutRun, PayoutStatus, create_payout, join_settlement};
use shared::settlements::model::settlement::{HeldBecause, Settlement, SettlementHold, SettlementStatus, SourceType};
use shared::settlements::rows::settlement_record;
use shared::team::model::team::{AdministratorsBy, SignInMethod, User};
use shared::team::rows::sessions::Token;
use shared::team::rows::team::user_record;
use shared::values::{Currency, JobId, MerchantId, Minor, RedemptionId, SettlementId, UserId, later};

const RESTORED: &str = "restored";
const PREVIOUS: &str = "previous";
const MOMENT: &str = "2026-11-05T09:00:00Z";

struct System {
    local: Local,
    restored: Store,
    previous: Store,
    now: Timestamp,
}

impl System {
    async fn start() -> Self {
        let options = Options { fixtures: StartingState::Nothing, ..Options::default() };
        let local = Local::start(options).await.unwrap();
        let (restored, previous) = (open(&local, RESTORED).await, open(&local, PREVIOUS).await);
        Self { local, restored, previous, now: Clock::system().now() }
    }

    /// Runs the command, and returns its report.
    async fn prepare(&self, arguments: &[&str]) -> String {
        let arguments = [&["prepare", "--moment", MOMENT], arguments].concat();
        self.run(&arguments).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs a command, and returns its output or its error.
    async fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_admin"));
        command.arg("restore").args(arguments);
        command.envs(&self.local.environment).env("TABLE_NAME", RESTORED);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    fn job(&self, id: &str, task: Task) -> Job {
        Job::with_id(JobId::new(id), MerchantId::new("m"), task, self.now)
    }

    async fn sign_in(&self) -> Token {
        let user = User::new(UserId::new("u"), "anna@aurora.example".to_owned());
        self.restored.import(vec![user_record(&user, None).unwrap()]).await.unwrap();
        let token = self.restored.open_session(&user, Random::system().bytes(), SignInMethod::Passkey, self.now).await.unwrap();
        assert!(self.is_signed_in(&token).await);
        token
    }

    async fn is_signed_in(&self, token: &Token) -> bool {
        self.restored.signed_in(token, AdministratorsBy::Passkey, self.now).await.unwrap().is_some()
    }

    /// The ids of the jobs in the restored table, and whether each is dead.
    async fn jobs(&self) -> BTreeMap<String, bool> {
        let mut jobs = self.restored.due_jobs(Timestamp::MAX, 100).await.unwrap();
        jobs.extend(self.restored.dead_jobs(100).await.unwrap());
        jobs.iter().map(|job| (job.id.to_string(), job.is_dead())).collect()
    }
}

async fn open(local: &Local, name: &str) -> Store {
    let client = Aws::new(local.app().settings.aws.clone()).dynamodb();
    table::ensure(&client, name).await.unwrap();
    Store::new(client, name, Random::system(), Metrics::new(None, Clock::system()))
}

async fn create(store: &Store, jobs: &[&Job]) {
    for job in jobs {
        store.commit(vec![Write::create(*job).unwrap()]).await.unwrap();
    }
}

fn mail() -> Task {
    Task::AccountChangeMail { user_id: UserId::new("u") }
}

fn settlement() -> Task {
    Task::SettleRedemption { redemption_id: RedemptionId::new("r") }
}

fn expected<const N: usize>(jobs: [(&str, bool); N]) -> BTreeMap<String, bool> {
    jobs.into_iter().map(|(id, is_dead)| (id.to_owned(), is_dead)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_that_have_run_do_not_run_again() {
    let system = System::start().await;
    let waits = system.job("waits", mail());
    let has_run = system.job("has-run", mail());
    let is_dead = system.job("is-dead", mail());
    let settles = system.job("settles", settlement());
    create(&system.restored, &[&waits, &has_run, &is_dead, &settles]).await;
    let dead = Job { state: JobState::Dead { attempts: 12 }, ..is_dead.clone() };
    create(&system.previous, &[&waits, &dead]).await;
    let token = system.sign_in().await;

    let report = system.prepare(&["--previous-table", PREVIOUS]).await;
    assert_eq!(
        report,
        "1 sessions ended\n1 jobs removed that have run\n1 jobs set aside as dead: they may have run\n\
         2 jobs left to run\n0 payout runs carried over\n0 payouts carried over\n\
         0 payouts withdrawn: they may have been paid\n0 settlements held with the reason RESTORED\n\
         0 of all settlements carried over without their redemptions\n0 audit entries carried over\n\
         0 idempotency keys carried over, which are refused\n0 keys of programs carried over, or ended\n\
         0 rows of webhooks carried over\n\
         0 webhooks that waited then will be sent, again if they have arrived since\n\
         requests that were made since 2026-11-05T08:45:00Z are refused if their keys are unknown, until \
         `admin restore complete`\n"
    );
    // The settlement can be missing in the restored table, and there is never a second one.
    assert_eq!(system.jobs().await, expected([("is-dead", true), ("settles", false), ("waits", false)]));
    assert!(!system.is_signed_in(&token).await, "a session that was ended is valid again");

    // Nothing is left to prepare.
    let report = system.prepare(&["--previous-table", PREVIOUS]).await;
    assert!(report.starts_with("0 sessions ended\n0 jobs removed"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_previous_table_jobs_that_must_not_run_twice_are_set_aside() {
    let system = System::start().await;
    let mails = system.job("mail", mail());
    let verifies = system.job("verify", Task::VerifyMerchant { user_id: UserId::new("u") });
    let mirrors = system.job("mirror", Task::MirrorMerchant { fields: Vec::new() });
    let settles = system.job("settle", settlement());
    create(&system.restored, &[&mails, &verifies, &mirrors, &settles]).await;

    system.prepare(&[]).await;
    let jobs = [("mail", true), ("mirror", false), ("settle", false), ("verify", true)];
    assert_eq!(system.jobs().await, expected(jobs));
}

const PAST: &str = "2026-01-01T00:00:00Z";

fn pending(id: &str, net: i64) -> Settlement {
    let at = PAST.parse().unwrap();
    Settlement {
        id: SettlementId::new(id),
        merchant_id: MerchantId::new("m"),
        source_type: SourceType::Redemption.into(),
        source_id: format!("r-{id}"),
        order_id: None,
        gift_card_id: None,
        redemption_id: None,
        gross: Minor::new(net),
        fee: Minor::ZERO,
        net: Minor::new(net),
        currency: Currency::EUR,
        fee_snapshot: None,
        status: SettlementStatus::Pending.into(),
        payout_batch_id: None,
        hold: SettlementHold::default(),
        hold_lifted: false,
        eligible_at: at,
        created_at: at,
        updated_at: at,
    }
}

fn run_of(key: &str) -> PayoutRun {
    PayoutRun {
        id: PayoutRun::id_of(key),
        fingerprint: "f".to_owned(),
        merchant_id: None,
        currency: None,
        eligible_before: MOMENT.parse().unwrap(),
        created_by: UserId::new("u-root"),
        created_at: MOMENT.parse().unwrap(),
        own_merchant_id: None,
        after: None,
        finished_at: None,
    }
}

/// A run in the middle, and its payout with these settlements, which still join.
async fn make_payout(store: &Store, settlements: &[Settlement]) -> Payout {
    let (run, merchant) = (run_of("key"), Merchant::new(MerchantId::new("m"), Timestamp::UNIX_EPOCH));
    let empty = run.payout(&merchant, Currency::EUR, MOMENT.parse().unwrap());
    store.commit(create_payout(&empty).unwrap()).await.unwrap();
    store.commit(vec![Write::create(&run).unwrap()]).await.unwrap();
    let mut payout = Stored::created(empty);
    for settlement in settlements {
        let (larger, joined) = payout.join(settlement, payout.created_at).unwrap();
        let mut writes = join_settlement(&larger, &Stored::created(settlement.clone()), joined).unwrap();
        writes.push(Write::replace(&payout, &larger).unwrap());
        store.commit(writes).await.unwrap();
        payout = payout.replaced(larger);
    }
    payout.value
}

async fn add(store: &Store, settlements: &[&Settlement]) {
    let records = settlements.iter().map(|settlement| settlement_record(settlement).unwrap());
    store.import(records.collect()).await.unwrap();
}

async fn replace(store: &Store, payout: Payout) {
    let read = store.payout(&payout.id).await.unwrap().unwrap();
    store.commit(vec![Write::replace(&read, &payout).unwrap()]).await.unwrap();
}

async fn settlement_of(store: &Store, id: &str) -> Settlement {
    store.settlement(&MerchantId::new("m"), &SettlementId::new(id)).await.unwrap().unwrap().value
}

#[tokio::test(flavor = "multi_thread")]
async fn payouts_of_the_previous_table_are_carried_over() {
    let system = System::start().await;
    let (known, made_later, waits) = (pending("known", 1_000), pending("later", 250), pending("waits", 7));
    add(&system.restored, &[&known]).await;
    add(&system.previous, &[&known, &made_later, &waits]).await;
    let building = make_payout(&system.previous, &[known, made_later]).await;
    let sealed = building.complete().unwrap().seal(building.created_at).unwrap();
    let (paid, by) = (Decision::Paid { reference: "SEPA-1".to_owned() }, UserId::new("u-rut"));
    let paying = sealed.decide(&paid, &by, ConfirmedBy::SecondPerson, building.created_at).unwrap().unwrap();
    replace(&system.previous, paying).await;

    let report = system.prepare(&["--previous-table", PREVIOUS]).await;
    let id = &building.id;
    for line in [
        "1 payout runs carried over\n1 payouts carried over\n",
        &format!("\n  {id} of m, PAID: 2 settlements over EUR 12.50\n"),
        "\n1 settlements held with the reason RESTORED\n  m: 1 over EUR 0.07; look for transfers to it since 2026-11-05T08:45:00Z\n",
        "\n1 of all settlements carried over without their redemptions\n",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    let payout = system.restored.payout(id).await.unwrap().unwrap();
    assert_eq!(payout.status(), PayoutStatus::Paid);
    assert_eq!(payout.decided().reference, Some("SEPA-1"));
    for settlement in ["known", "later"] {
        let settlement = settlement_of(&system.restored, settlement).await;
        assert_eq!((&settlement.status, settlement.payout_batch_id.as_ref()), (&SettlementStatus::Paid.into(), Some(id)));
    }
    let waits = settlement_of(&system.restored, "waits").await;
    assert_eq!((waits.is_payable(), waits.hold), (false, HeldBecause::Restored.into()));
    let run = system.restored.payout_run(&PayoutRun::id_of("key")).await.unwrap();
    assert_eq!(run.unwrap().value, run_of("key"), "its key is used");
    assert_eq!(system.jobs().await, expected([(&format!("restored-{}", PayoutRun::id_of("key")), false)]));

    let report = system.prepare(&["--previous-table", PREVIOUS]).await;
    assert!(report.contains("\n0 payouts carried over\n"), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_previous_table_everything_is_held_that_may_have_been_paid() {
    let system = System::start().await;
    let (joined, waits) = (pending("joined", 1_000), pending("waits", 7));
    let own_sale = Settlement { hold: HeldBecause::OwnSale.into(), ..pending("own", 1) };
    let later = Settlement { eligible_at: "2999-01-01T00:00:00Z".parse().unwrap(), ..pending("later", 1) };
    add(&system.restored, &[&joined, &waits, &own_sale, &later]).await;
    let building = make_payout(&system.restored, &[joined]).await;
    let advance = system.job("advance", Task::AdvancePayout { payout_id: building.id.clone() });
    create(&system.restored, &[&advance]).await;

    let report = system.prepare(&[]).await;
    for line in [
        &format!("\n  {} of m, CANCELLED: 1 settlements over EUR 10.00: look for this transfer\n", building.id),
        "\n3 settlements held with the reason RESTORED\n  m: 3 over EUR 10.08; look for transfers to it since",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
    for (id, reason) in [("joined", None), ("waits", None), ("own", Some("Held before the restore: OWN_SALE"))] {
        let held = settlement_of(&system.restored, id).await;
        let because = HeldBecause::Restored.into();
        assert_eq!(held.status, SettlementStatus::Pending);
        assert_eq!(held.hold, SettlementHold::Held { because, reason: reason.map(ToOwned::to_owned) });
    }
    assert!(settlement_of(&system.restored, "later").await.is_payable(), "no payout could have taken it");
    let key = keys::building_payout(&MerchantId::new("m"), Currency::EUR);
    assert!(!system.restored.exists(&key).await.unwrap(), "the next run makes another payout");
    assert_eq!(system.jobs().await, expected([("advance", false)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payout_that_cannot_be_read_as_a_whole_stops_the_comparison() {
    let system = System::start().await;
    let known = pending("known", 1_000);
    add(&system.previous, &[&known]).await;
    let payout = make_payout(&system.previous, &[known]).await;
    let row = keys::settlement_of_payout(&payout.id, &SettlementId::new("known"));
    system.previous.remove(&row).await.unwrap();
    let error = system.run(&["prepare", "--moment", MOMENT, "--previous-table", PREVIOUS]).await.unwrap_err();
    assert!(error.contains("Without --previous-table, everything is held"), "{error}");
    system.prepare(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_follow_each_other_and_can_be_repeated() {
    let system = System::start().await;
    let refused = async |arguments: &[&str], reason: &str| {
        let error = system.run(arguments).await.unwrap_err();
        assert!(error.contains(reason), "{arguments:?}: {error}");
    };
    let prepare = ["prepare", "--moment", MOMENT];
    refused(&["complete"], "no restore of this table is waiting to be completed").await;
    refused(&["prepare"], "restored was not restored from a backup").await;
    refused(&[&prepare[..], &["--previous-table", RESTORED]].concat(), "--previous-table is the table that is to be prepared")
        .await;

    system.prepare(&[]).await;
    system.prepare(&[]).await;
    refused(&["complete"], "no function uses the table yet").await;
    let read = system.restored.restores().await.unwrap().unwrap();
    let from = "2026-11-05T08:45:00Z".parse().unwrap();
    assert_eq!(read.spans, [LostSpan { from, to: None }]);

    // The hook of a rollout.
    let used = Restores { step: RestoreStep::InUse, ..read.value.clone() };
    system.restored.commit(vec![Write::replace(&read, &used).unwrap()]).await.unwrap();
    let token = system.sign_in().await;
    refused(&prepare, "functions use this table already").await;
    let complete = system.run(&["complete"]).await.unwrap();
    assert_eq!(system.run(&["complete"]).await.unwrap(), complete);
    refused(&prepare, "functions use this table already").await;
    assert!(system.is_signed_in(&token).await, "a refused step changes nothing");
    let spans = system.restored.restores().await.unwrap().unwrap().value.spans;
    assert!(spans.len() == 1 && spans[0].to.is_some_and(|to| to >= system.now), "{spans:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_is_restored_from_a_restored_one_is_prepared_as_well() {
    let system = System::start().await;
    let (from, to) = (later(system.now, SignedDuration::from_hours(-9)), later(system.now, SignedDuration::from_hours(-8)));
    let of_first = Restores { step: RestoreStep::InUse, ..Restores::default().preparing("first", from).unwrap() };
    let of_first = of_first.completed("first", to).unwrap().unwrap();
    system.restored.commit(vec![Write::create(&of_first).unwrap()]).await.unwrap();
    let error = system.run(&["complete"]).await.unwrap_err();
    assert!(error.contains("run `admin restore prepare` again"), "{error}");
    system.prepare(&[]).await;
    let prepared = system.restored.restores().await.unwrap().unwrap().value;
    assert_eq!((prepared.spans.len(), prepared.step, &prepared.table[..]), (2, RestoreStep::Prepared, RESTORED));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_and_audit_entries_of_the_previous_table_are_carried_over() {
    let system = System::start().await;
    let row = |pk: &str, sk: &str, reference: &str| {
        let attributes = [("pk", pk), ("sk", sk), ("reference", reference)];
        let attributes = attributes.map(|(name, value)| (name.to_owned(), AttributeValue::S(value.to_owned())));
        vec![Item::from(attributes)]
    };
    let key = |name: &str, operation: &str| row(&format!("IDEMPOTENCY#m#issue#{name}"), "IDEMPOTENCY", operation);
    let entry = |id: &str| row("AUDIT#m", id, "");
    let here = vec![key("same", "one"), key("used-again", "one"), key("freed", "one"), entry("1")];
    let there = vec![key("same", "one"), key("used-again", "two"), key("used", "one"), entry("1"), entry("2")];
    system.restored.import(here).await.unwrap();
    system.previous.import(there.clone()).await.unwrap();

    let report = system.prepare(&["--previous-table", PREVIOUS]).await;
    assert!(report.contains("\n1 audit entries carried over\n2 idempotency keys carried over"), "{report}");
    let keys: Vec<Key> = there.iter().flatten().filter_map(item_key).collect();
    let mut carried_over = system.restored.get_items(&keys).await.unwrap();
    let mut expected: Vec<Item> = there.into_iter().flatten().collect();
    for rows in [&mut carried_over, &mut expected] {
        rows.sort_by_key(|row| item_key(row).map(|key| (key.pk, key.sk)));
    }
    assert_eq!(carried_over, expected);
}
