//! A model of the recounts: random histories of concurrent workers on a table in memory, with crashes,
//! faults, repeats and delays. Once all changes have been worked on, the tallies must equal their entries.
//!
//! A history that fails prints all that happened in it.
//!
//! A worker can be interrupted at every call of the table. Reads of several rows are no snapshots: other
//! workers can write between two pages. A write can reach the table after its worker has died, or twice.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use world::{Histories, SeededRandom};

use super::recount::{add_up_to_months, recount_with};
use crate::db::StoreError;
use crate::projections::model::tally::{DatedSeries, Family, Series, SettlementKind, Sum, Tally};
use crate::projections::rows::tallies::{Bucket, Minutes, Tallies, Versioned};
use crate::values::{Calendars, Minor, Minute, Quarter, day_span, month_span};

/// Histories until a broken rule must have been noticed.
const MAX_HISTORIES_OF_BROKEN_RULE: u64 = 5000;
/// A history that takes more steps does not end.
const MAX_STEPS: u32 = 1_000_000;
const MAX_WORKERS: usize = 6;

const FAMILIES: [Family; 4] = [Family::Orders, Family::Redemptions, Family::Settlements(SettlementKind::Order), Family::Visits];
const TIME_ZONES: [&str; 5] = ["UTC", "Europe/Stockholm", "Asia/Tokyo", "America/Santiago", "UTC+05:45"];
/// Minutes of the same quarter, day and month, and of others, depending on the time zone. Stockholm's clocks
/// change on March 29, Santiago's at the midnight before April 5.
const MINUTES: [&str; 8] = [
    "2026-03-28T22:30:00Z",
    "2026-03-28T22:31:00Z",
    "2026-03-28T23:15:00Z",
    "2026-03-29T21:59:00Z",
    "2026-03-31T15:05:00Z",
    "2026-03-31T22:05:00Z",
    "2026-04-05T02:59:00Z",
    "2026-04-05T03:00:00Z",
];

#[test]
fn tallies_equal_their_entries() {
    for history in Histories::new("--package shared recounts::", 500).all() {
        if let Err(difference) = run(&Model::new(history.seed, None)) {
            let logged = Model { log: Some(RefCell::default()), ..Model::new(history.seed, None) };
            let _same = run(&logged);
            let log = logged.log.unwrap().take().join("\n");
            panic!("{log}\n{difference}");
        }
    }
}

#[test]
fn versions_are_read_before_what_is_counted() {
    for level in Level::ALL {
        assert_noticed(BrokenRule::VersionReadLast(level));
    }
}

#[test]
fn reads_are_consistent() {
    for level in Level::ALL {
        assert_noticed(BrokenRule::StaleCounts(level));
        assert_noticed(BrokenRule::StaleVersions(level));
    }
}

#[test]
fn every_level_is_recounted_for_every_change() {
    assert_noticed(BrokenRule::StopsIfUnchanged(Level::Minute));
    assert_noticed(BrokenRule::StopsIfUnchanged(Level::Day));
}

#[test]
fn who_loses_a_race_repeats_until_the_second_other_writer() {
    for level in Level::ALL {
        assert_noticed(BrokenRule::LeavesAtOnce(level));
        assert_noticed(BrokenRule::LeavesAfterFirst(level));
    }
}

#[test]
fn empty_tallies_are_kept() {
    for level in Level::ALL {
        assert_noticed(BrokenRule::DeletesEmpty(level));
    }
}

#[test]
fn calendars_are_kept_from_the_start_of_their_building() {
    assert_noticed(BrokenRule::CalendarsReadFirst);
    assert_noticed(BrokenRule::StaleCalendars);
    assert_noticed(BrokenRule::OnlyServingKept);
    assert_noticed(BrokenRule::SwitchesToAnyCalendar);
}

#[test]
fn what_is_given_up_becomes_due_work() {
    assert_noticed(BrokenRule::GivesUpForGood);
}

#[test]
fn expired_entries_are_not_recounted() {
    assert_noticed(BrokenRule::RecountsExpired);
}

fn assert_noticed(rule: BrokenRule) {
    let is_noticed = |seed| run(&Model::new(seed, Some(rule))).is_err();
    assert!((0..MAX_HISTORIES_OF_BROKEN_RULE).any(is_noticed), "{rule:?} was not noticed");
}

/// A rule that the recounts of a history break on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BrokenRule {
    /// Reads the version after what is counted.
    VersionReadLast(Level),
    /// Counts what an eventually consistent read returns.
    StaleCounts(Level),
    StaleVersions(Level),
    /// Does not recount the levels above if this one has not changed.
    StopsIfUnchanged(Level),
    /// Does not repeat after it has lost the race for a version.
    LeavesAtOnce(Level),
    /// Leaves once the version has moved by one.
    LeavesAfterFirst(Level),
    DeletesEmpty(Level),
    /// Reads the calendars before it writes the minutes.
    CalendarsReadFirst,
    StaleCalendars,
    /// Does not keep the calendar up to date that is being built.
    OnlyServingKept,
    /// Lets any calendar serve that is being built by now.
    SwitchesToAnyCalendar,
    /// A recount that fails becomes no due work.
    GivesUpForGood,
    /// Recounts the minutes of expired entries.
    RecountsExpired,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Minute,
    Day,
    Month,
}

impl Level {
    const ALL: [Self; 3] = [Self::Minute, Self::Day, Self::Month];

    fn of(bucket: &Bucket) -> Self {
        match bucket {
            Bucket::Day(_) => Self::Day,
            Bucket::Month(_) => Self::Month,
        }
    }
}

/// Runs a history to its end. Fails if tallies differ from their entries once all changes are worked on.
fn run(model: &Model) -> Result<(), String> {
    let mut history = History::new(model);
    for _ in 0..MAX_STEPS {
        if history.is_idle() {
            if let Some(difference) = model.rows.borrow().differences().first() {
                return Err(format!("{difference:?}"));
            }
            if history.rounds_left == 0 {
                return Ok(());
            }
            history.begin();
        } else {
            history.step();
        }
    }
    Err("the history does not end".to_owned())
}

/// Decides what happens next.
struct History<'a> {
    model: &'a Model,
    random: &'a Random,
    families: Vec<Family>,
    minutes: Vec<Minute>,
    /// Minutes whose visits expire. Nothing else happens in them any more.
    expiring: BTreeSet<Minute>,
    shards: Vec<Shard>,
    workers: Vec<Worker<'a>>,
    last_id: u32,
    /// What takes long in this history.
    slow_call: Call,
    rounds_left: u64,
    /// In the current round.
    changes_left: u64,
    crashes_left: u64,
    /// Probabilities, in percent: of the next change, and of each step.
    calendar_percent: u64,
    rebuild_percent: u64,
    change_percent: u64,
    start_percent: u64,
    due_percent: u64,
    crash_percent: u64,
    repeat_percent: u64,
}

/// The records of a shard that have not been worked on yet.
#[derive(Default)]
struct Shard {
    records: VecDeque<Record>,
    /// The size of its next batch at most, after one has failed.
    limit: Option<usize>,
    has_worker: bool,
}

/// A record of the table's stream: an entry of this minute has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Record {
    family: Family,
    minute: Minute,
    is_expiry: bool,
}

#[derive(Debug, Clone)]
enum Work {
    Batch {
        shard: usize,
        records: Vec<Record>,
    },
    /// A batch that has been worked on already.
    RepeatedBatch(Vec<Record>),
    Recount(Family, BTreeSet<Minute>),
    BuildCalendar,
    RemoveCalendar(u32),
    Rebuild,
}

impl Work {
    fn recounts(&self, family: Family, minute: Minute) -> bool {
        match self {
            Self::Batch { records, .. } | Self::RepeatedBatch(records) => {
                records.iter().any(|record| (record.family, record.minute) == (family, minute))
            }
            Self::Recount(of, minutes) => *of == family && minutes.contains(&minute),
            Self::Rebuild => true,
            Self::BuildCalendar | Self::RemoveCalendar(_) => false,
        }
    }
}

struct Worker<'a> {
    id: u32,
    work: Work,
    /// Its work has been given to another worker, as if it had died.
    is_replaced: bool,
    /// Its call takes longer than most calls.
    is_slow: bool,
    future: Pin<Box<dyn Future<Output = Result<(), StoreError>> + 'a>>,
}

impl<'a> History<'a> {
    fn new(model: &'a Model) -> Self {
        let random = &model.random;
        let minutes = MINUTES.map(|minute| Minute::of(minute.parse().unwrap()));
        Self {
            model,
            random,
            families: random.some(&FAMILIES, random.pick(&[1, 1, 2])),
            minutes: random.some(&minutes, random.pick(&[1, 2, 4])),
            expiring: BTreeSet::new(),
            shards: (0..random.pick(&[2, 4])).map(|_| Shard::default()).collect(),
            workers: Vec::new(),
            last_id: 0,
            slow_call: random.pick(&Call::SLOW),
            rounds_left: 1 + random.below(10),
            changes_left: 0,
            crashes_left: random.below(8),
            calendar_percent: random.pick(&[0, 0, 40]),
            rebuild_percent: random.pick(&[0, 0, 5]),
            change_percent: random.pick(&[1, 5, 20]),
            start_percent: random.pick(&[10, 30, 60]),
            due_percent: random.pick(&[20, 100]),
            crash_percent: random.pick(&[0, 0, 4]),
            repeat_percent: random.pick(&[0, 0, 20]),
        }
    }

    /// Whether all changes have been worked on.
    fn is_idle(&self) -> bool {
        let has_records = self.shards.iter().any(|shard| !shard.records.is_empty());
        self.workers.is_empty() && !has_records && self.model.due.borrow().is_empty()
    }

    fn step(&mut self) {
        let random = self.random;
        if random.percent(2) {
            self.model.sync_replica();
        }
        if random.percent(3) {
            self.model.deliver_late_write();
        }
        let all_wait = self.workers.iter().all(|worker| worker.is_slow);
        let percent = |percent: u64| if all_wait { percent.max(50) } else { percent };
        if self.changes_left > 0 && random.percent(percent(self.change_percent)) {
            self.changes_left -= 1;
            return self.change();
        }
        let has_place = self.workers.len() < MAX_WORKERS;
        let has_started = has_place && random.percent(percent(self.start_percent)) && self.start();
        if !has_started && !self.workers.is_empty() {
            self.advance();
        }
    }

    /// Begins a round: some changes at once, so that their workers meet, and some more while they run.
    fn begin(&mut self) {
        self.rounds_left -= 1;
        self.changes_left = self.random.below(5);
        for _ in 0..=self.random.below(3) {
            self.change();
        }
    }

    fn change(&mut self) {
        match self.random.below(100) {
            choice if choice < self.calendar_percent => self.change_calendar(),
            choice if choice < self.calendar_percent + self.rebuild_percent => {
                self.model.due.borrow_mut().push(Work::Rebuild);
            }
            _ => self.change_entries(),
        }
    }

    fn change_entries(&mut self) {
        match self.random.below(20) {
            0..9 => self.create_entry(),
            9..11 => self.change_entry(),
            11..14 => self.move_entry(),
            14..19 => self.delete_entry(),
            _ => self.expire_visit(),
        }
    }

    fn create_entry(&mut self) {
        self.last_id += 1;
        let family = self.random.pick(&self.families);
        let Some(at) = self.pick_time(family) else { return };
        let entry = Entry::new(self.random);
        self.put_entry((family, at, self.last_id), entry);
    }

    fn change_entry(&mut self) {
        let Some(key) = self.pick_entry() else { return };
        let entry = Entry::new(self.random);
        self.put_entry(key, entry);
    }

    fn move_entry(&mut self) {
        let Some(key @ (family, _, id)) = self.pick_entry() else { return };
        let Some(at) = self.pick_time(family) else { return };
        let entry = self.model.rows.borrow_mut().entries.remove(&key).unwrap();
        self.report(key, false);
        self.put_entry((family, at, id), entry);
    }

    fn delete_entry(&mut self) {
        let Some(key) = self.pick_entry() else { return };
        self.model.rows.borrow_mut().entries.remove(&key);
        self.report(key, false);
    }

    fn put_entry(&mut self, key: EntryKey, entry: Entry) {
        self.model.log(|| format!("entry {key:?}: {entry:?}"));
        self.model.rows.borrow_mut().entries.insert(key, entry);
        self.report(key, false);
    }

    /// Visits expire long after their last recount.
    fn expire_visit(&mut self) {
        let visit = self.model.rows.borrow().entries.keys().find(|key| key.0 == Family::Visits).copied();
        let Some(key @ (family, at, _)) = visit else { return };
        if self.will_be_recounted(family, Minute::of(at)) {
            return;
        }
        self.expiring.insert(Minute::of(at));
        let mut rows = self.model.rows.borrow_mut();
        let entry = rows.entries.remove(&key).unwrap();
        rows.expired.insert(key, entry);
        drop(rows);
        self.report(key, true);
    }

    fn will_be_recounted(&self, family: Family, minute: Minute) -> bool {
        let mut records = self.shards.iter().flat_map(|shard| &shard.records);
        let due = self.model.due.borrow();
        let mut work = self.workers.iter().map(|worker| &worker.work).chain(due.iter());
        records.any(|record| (record.family, record.minute) == (family, minute)) || work.any(|work| work.recounts(family, minute))
    }

    fn report(&mut self, key: EntryKey, is_expiry: bool) {
        let (family, at, id) = key;
        let record = Record { family, minute: Minute::of(at), is_expiry };
        self.model.log(|| format!("entry {key:?}: {record:?}"));
        let shard = id as usize % self.shards.len();
        self.shards[shard].records.push_back(record);
    }

    fn change_calendar(&mut self) {
        let mut rows = self.model.rows.borrow_mut();
        rows.calendars.change_to(self.random.pick(&TIME_ZONES));
        if rows.calendars.building.is_some() {
            self.model.due.borrow_mut().push(Work::BuildCalendar);
        }
        self.model.log(|| format!("{:?}", rows.calendars));
    }

    fn pick_entry(&self) -> Option<EntryKey> {
        let rows = self.model.rows.borrow();
        let keys: Vec<EntryKey> = rows.entries.keys().filter(|key| !self.is_expiring(key)).copied().collect();
        (!keys.is_empty()).then(|| self.random.pick(&keys))
    }

    fn is_expiring(&self, (family, at, _): &EntryKey) -> bool {
        *family == Family::Visits && self.expiring.contains(&Minute::of(*at))
    }

    fn pick_time(&self, family: Family) -> Option<Timestamp> {
        let at = self.random.pick(&self.minutes).start() + SignedDuration::from_secs(self.random.pick(&[0, 59]));
        (!self.is_expiring(&(family, at, 0))).then_some(at)
    }

    /// Starts a worker for a batch or for due work, if there is any. Returns whether it did.
    fn start(&mut self) -> bool {
        let waiting = |shard: &Shard| !shard.records.is_empty() && !shard.has_worker;
        let shards: Vec<usize> = (0..self.shards.len()).filter(|index| waiting(&self.shards[*index])).collect();
        let takes_due = self.random.percent(self.due_percent);
        let due = if takes_due { self.model.due.borrow().len() } else { 0 };
        if shards.len() + due == 0 {
            return false;
        }
        let choice = self.random.index(shards.len() + due);
        let work = match shards.get(choice) {
            Some(shard) => self.next_batch(*shard),
            None => self.model.due.borrow_mut().swap_remove(choice - shards.len()),
        };
        self.last_id += 1;
        let id = self.last_id;
        self.model.log(|| format!("worker {id} starts: {work:?}"));
        let future = Box::pin(self.model.work(id, work.clone()));
        self.workers.push(Worker { id, work, is_replaced: false, is_slow: false, future });
        true
    }

    fn next_batch(&mut self, index: usize) -> Work {
        let shard = &mut self.shards[index];
        let limit = shard.limit.unwrap_or(usize::MAX).min(shard.records.len());
        shard.has_worker = true;
        let records = shard.records.iter().take(1 + self.random.index(limit)).copied().collect();
        Work::Batch { shard: index, records }
    }

    /// Lets a worker run to its next call, or die.
    fn advance(&mut self) {
        let index = self.pick_worker();
        if self.crashes_left > 0 && self.random.percent(self.crash_percent) {
            self.crashes_left -= 1;
            return self.crash(index);
        }
        let worker = &mut self.workers[index];
        let Poll::Ready(result) = worker.future.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
            let is_slow_call = self.model.calls.borrow().get(&worker.id) == Some(&self.slow_call);
            worker.is_slow = self.random.percent(if is_slow_call { 50 } else { 3 });
            return;
        };
        let Worker { id, work, is_replaced, .. } = self.workers.swap_remove(index);
        self.model.log(|| format!("worker {id} ends: {result:?}"));
        match result {
            _ if is_replaced => {}
            Ok(()) => self.finish(work),
            Err(_) => self.repeat(work),
        }
    }

    fn pick_worker(&self) -> usize {
        let running: Vec<usize> = (0..self.workers.len()).filter(|index| !self.workers[*index].is_slow).collect();
        if running.is_empty() || self.random.percent(2) {
            return self.random.index(self.workers.len());
        }
        self.random.pick(&running)
    }

    fn crash(&mut self, index: usize) {
        let worker = &mut self.workers[index];
        let (id, work) = (worker.id, worker.work.clone());
        if worker.is_replaced || self.random.percent(80) {
            self.model.log(|| format!("worker {id} dies"));
            self.model.abandon(id);
            let worker = self.workers.swap_remove(index);
            if worker.is_replaced {
                return;
            }
        } else {
            self.model.log(|| format!("worker {id} is believed dead"));
            worker.is_replaced = true;
        }
        self.repeat(work);
    }

    fn repeat(&mut self, work: Work) {
        match work {
            Work::Batch { shard, records } => {
                let shard = &mut self.shards[shard];
                shard.has_worker = false;
                if self.random.percent(50) {
                    shard.limit = Some(records.len().div_ceil(2));
                }
            }
            work => self.model.due.borrow_mut().push(work),
        }
    }

    /// What is done can be done again.
    fn finish(&mut self, work: Work) {
        let repeated = match work {
            Work::Batch { shard, records } => {
                let shard = &mut self.shards[shard];
                shard.records.drain(..records.len());
                shard.has_worker = false;
                shard.limit = None;
                Work::RepeatedBatch(records)
            }
            work => work,
        };
        if self.random.percent(self.repeat_percent) {
            self.model.due.borrow_mut().push(repeated);
        }
    }
}

/// The table, and what all workers share.
struct Model {
    rows: RefCell<Rows>,
    /// An older state of the rows, for recounts that break the rule to read consistently.
    replica: RefCell<Rows>,
    /// What workers wait for.
    calls: RefCell<BTreeMap<u32, Call>>,
    /// The writes of workers that wait for the reply.
    sent: RefCell<BTreeMap<u32, Write>>,
    /// Writes that have been sent by workers that do not wait for them any more.
    late_writes: RefCell<Vec<Write>>,
    due: RefCell<Vec<Work>>,
    random: Random,
    /// The probability that a call fails, in percent.
    fault_percent: u64,
    faults_left: Cell<u64>,
    broken: Option<BrokenRule>,
    log: Option<RefCell<Vec<String>>>,
}

impl Model {
    fn new(seed: u64, broken: Option<BrokenRule>) -> Self {
        let random = Random::new(seed);
        let rows = RefCell::new(Rows::new(random.pick(&TIME_ZONES)));
        Self {
            replica: rows.clone(),
            rows,
            calls: RefCell::default(),
            sent: RefCell::default(),
            late_writes: RefCell::default(),
            due: RefCell::default(),
            fault_percent: random.pick(&[0, 0, 4]),
            faults_left: Cell::new(random.below(20)),
            random,
            broken,
            log: None,
        }
    }

    fn log(&self, line: impl FnOnce() -> String) {
        if let Some(log) = &self.log {
            log.borrow_mut().push(line());
        }
    }

    fn sync_replica(&self) {
        if self.broken.is_some() {
            self.replica.replace(self.rows.borrow().clone());
        }
    }

    fn deliver_late_write(&self) {
        let mut late = self.late_writes.borrow_mut();
        if !late.is_empty() {
            let choice = self.random.index(late.len());
            let write = late.swap_remove(choice);
            let is_written = self.rows.borrow_mut().apply(&write);
            self.log(|| format!("arrives late: {write:?}: {is_written}"));
        }
    }

    /// Forgets a worker that is dead or has heard of a fault. What it has sent may still arrive.
    fn abandon(&self, worker: u32) {
        let sent = self.sent.borrow_mut().remove(&worker);
        self.late_writes.borrow_mut().extend(sent.filter(|_| self.random.percent(50)));
    }

    async fn work(&self, worker: u32, work: Work) -> Result<(), StoreError> {
        let caller = Caller { model: self, rows: &self.rows, worker };
        match work {
            Work::Batch { records, .. } | Work::RepeatedBatch(records) => {
                self.project(caller, &records).await?;
            }
            Work::Recount(family, minutes) => {
                recount_with(&RuleBreaker::new(caller), family, &minutes).await?;
            }
            Work::BuildCalendar => self.build_calendar(caller).await?,
            Work::RemoveCalendar(generation) => self.remove_calendar(caller, generation).await?,
            Work::Rebuild => self.rebuild(caller).await?,
        }
        caller.call(Call::Other).await
    }

    /// Works on a batch, as the function `projections` does.
    async fn project(&self, caller: Caller<'_>, records: &[Record]) -> Result<(), StoreError> {
        let mut changes: BTreeMap<Family, BTreeSet<Minute>> = BTreeMap::new();
        let recounts_expired = self.broken == Some(BrokenRule::RecountsExpired);
        for record in records.iter().filter(|record| !record.is_expiry || recounts_expired) {
            changes.entry(record.family).or_default().insert(record.minute);
        }
        for (family, minutes) in changes {
            let recounted = recount_with(&RuleBreaker::new(caller), family, &minutes).await;
            if recounted.is_err() && self.broken != Some(BrokenRule::GivesUpForGood) {
                caller.call(Call::Other).await?;
                self.due.borrow_mut().push(Work::Recount(family, minutes));
            }
        }
        Ok(())
    }

    /// As `calendars::build`.
    async fn build_calendar(&self, caller: Caller<'_>) -> Result<(), StoreError> {
        caller.call(Call::Other).await?;
        let Some(built) = self.rows.borrow().calendars.building.clone() else { return Ok(()) };
        let families = Family::ALL.into_iter().filter(|family| family.follows_time_zone());
        for series in families.flat_map(|family| DatedSeries::of_family(family, [&built])) {
            let minutes = caller.minutes_within(series.series(), Timestamp::MIN, Timestamp::MAX).await?;
            let minutes = minutes.into_iter().map(|(minute, _)| minute);
            add_up_to_months(&RuleBreaker::new(caller), &series, minutes).await?;
        }
        caller.call(Call::Other).await?;
        let calendars = &mut self.rows.borrow_mut().calendars;
        let built = match self.broken {
            Some(BrokenRule::SwitchesToAnyCalendar) => calendars.building.clone().unwrap_or(built),
            _ => built,
        };
        if let Some(replaced) = calendars.switch_to(&built) {
            self.due.borrow_mut().push(Work::RemoveCalendar(replaced.generation));
        }
        self.log(|| format!("worker {} built {built:?}: {calendars:?}", caller.worker));
        Ok(())
    }

    /// As `calendars::remove`, but all rows at once.
    async fn remove_calendar(&self, caller: Caller<'_>, generation: u32) -> Result<(), StoreError> {
        caller.call(Call::Other).await?;
        if self.rows.borrow().calendars.all().any(|calendar| calendar.generation == generation) {
            return Ok(());
        }
        caller.call(Call::Other).await?;
        let buckets = &mut self.rows.borrow_mut().buckets;
        buckets.retain(|(series, of, _, _), _| !series.family().follows_time_zone() || *of != generation);
        Ok(())
    }

    /// As `compare::compare` and `compare::rebuild`.
    async fn rebuild(&self, caller: Caller<'_>) -> Result<(), StoreError> {
        caller.call(Call::Other).await?;
        for (family, minutes) in self.drift() {
            recount_with(&RuleBreaker::new(caller), family, &minutes).await?;
        }
        Ok(())
    }

    /// The minutes of tallies that differ from their entries, without those whose entries have expired.
    fn drift(&self) -> BTreeMap<Family, BTreeSet<Minute>> {
        let rows = self.rows.borrow();
        let expired: BTreeSet<_> = rows.expired.keys().map(|(family, at, _)| (*family, Minute::of(*at))).collect();
        let mut drift: BTreeMap<Family, BTreeSet<Minute>> = BTreeMap::new();
        for Difference { series, minute, .. } in rows.differences() {
            if !expired.contains(&(series.family(), minute)) {
                drift.entry(series.family()).or_default().insert(minute);
            }
        }
        drift
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    ReadVersion,
    Scan,
    Write,
    ReadCalendars,
    Other,
}

impl Call {
    /// The calls that can take long. Most races are between writes.
    const SLOW: [Self; 5] = [Self::Write, Self::Write, Self::Scan, Self::ReadVersion, Self::ReadCalendars];
}

/// A worker that calls the table.
#[derive(Clone, Copy)]
struct Caller<'a> {
    model: &'a Model,
    /// What it reads.
    rows: &'a RefCell<Rows>,
    worker: u32,
}

impl Caller<'_> {
    /// Lets others run before a call reaches the table.
    async fn call(self, call: Call) -> Result<(), StoreError> {
        self.model.calls.borrow_mut().insert(self.worker, call);
        let mut has_waited = false;
        poll_fn(|_| if std::mem::replace(&mut has_waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
        self.fault()
    }

    fn fault(self) -> Result<(), StoreError> {
        let left = self.model.faults_left.get();
        if left == 0 || !self.model.random.percent(self.model.fault_percent) {
            return Ok(());
        }
        self.model.faults_left.set(left - 1);
        self.log(|| "fault".to_owned());
        Err(StoreError::Throttled { operation: "a call", message: String::new() })
    }

    async fn write(self, write: Write) -> Result<bool, StoreError> {
        self.model.sent.borrow_mut().insert(self.worker, write.clone());
        if self.model.random.percent(4) {
            self.model.late_writes.borrow_mut().push(write);
        }
        if let Err(fault) = self.call(Call::Write).await {
            self.model.abandon(self.worker);
            return Err(fault);
        }
        let write = self.model.sent.borrow_mut().remove(&self.worker).unwrap();
        let is_written = self.model.rows.borrow_mut().apply(&write);
        self.log(|| format!("{write:?}: {is_written}"));
        self.fault()?;
        Ok(is_written)
    }

    /// Reads the rows of a range page by page.
    async fn scan<K: Ord + Copy, V: Clone>(
        self,
        rows: impl Fn(&Rows) -> &BTreeMap<K, V>,
        from: K,
        to: K,
    ) -> Result<Vec<(K, V)>, StoreError> {
        let page = 1 + self.model.random.index(3);
        let mut found: Vec<(K, V)> = Vec::new();
        loop {
            self.call(Call::Scan).await?;
            let table = self.rows.borrow();
            let is_next = |key: &K| found.last().is_none_or(|(last, _)| key > last);
            let next = rows(&table).range(from..=to).filter(|(key, _)| is_next(key)).take(page);
            let next: Vec<_> = next.map(|(key, row)| (*key, row.clone())).collect();
            let is_last = next.len() < page;
            found.extend(next);
            if is_last {
                return Ok(found);
            }
        }
    }

    async fn minutes_within(self, series: Series, start: Timestamp, end: Timestamp) -> Result<Vec<(Minute, Tally)>, StoreError> {
        let (first, last) = (Minute::of(start).quarter(), Minute::of(end).quarter());
        let mut found = Vec::new();
        for ((_, quarter), minutes) in self.scan(|rows| &rows.minutes, (series, first), (series, last)).await? {
            let minutes = minutes.into_iter().map(|(minute, row)| (quarter.minute(minute), row.tally));
            found.extend(minutes.filter(|(minute, _)| (start..end).contains(&minute.start())));
        }
        Ok(found)
    }

    /// Reads as before the last changes.
    fn stale(self) -> Self {
        Self { rows: &self.model.replica, ..self }
    }

    fn log(self, line: impl FnOnce() -> String) {
        self.model.log(|| format!("worker {}: {}", self.worker, line()));
    }
}

impl Tallies for Caller<'_> {
    async fn dated_series(&self, family: Family) -> Result<Vec<DatedSeries>, StoreError> {
        self.call(Call::ReadCalendars).await?;
        let series = self.rows.borrow().dated_series(family);
        self.log(|| format!("reads the calendars of {series:?}"));
        Ok(series)
    }

    async fn minutes(&self, series: Series, quarter: Quarter) -> Result<Minutes, StoreError> {
        self.call(Call::ReadVersion).await?;
        let minutes = self.rows.borrow().minutes.get(&(series, quarter)).cloned().unwrap_or_default();
        self.log(|| format!("reads {series:?} {quarter:?}: {minutes:?}"));
        Ok(minutes)
    }

    async fn count(&self, series: Series, quarter: Quarter, minutes: &BTreeSet<u8>) -> Result<BTreeMap<u8, Tally>, StoreError> {
        let mut tallies: BTreeMap<u8, Tally> = minutes.iter().map(|minute| (*minute, Tally::default())).collect();
        let family = series.family();
        let (from, to) = ((family, quarter.start(), 0), (family, quarter.end(), 0));
        for ((_, at, _), entry) in self.scan(|rows| &rows.entries, from, to).await? {
            if let Some(tally) = tallies.get_mut(&Minute::of(at).of_quarter()) {
                entry.count(series, tally);
            }
        }
        self.log(|| format!("counts {series:?} {quarter:?}: {tallies:?}"));
        Ok(tallies)
    }

    async fn put_minutes(
        &self,
        series: Series,
        quarter: Quarter,
        read: &Minutes,
        counted: BTreeMap<u8, Tally>,
    ) -> Result<bool, StoreError> {
        let version = |minute| read.get(&minute).map_or(0, |read| read.version);
        let new =
            counted.into_iter().map(|(minute, tally)| (minute, Versioned { version: version(minute) + 1, tally })).collect();
        self.write(Write::Minutes((series, quarter), new)).await
    }

    async fn version(&self, series: &DatedSeries, bucket: &Bucket) -> Result<u64, StoreError> {
        self.call(Call::ReadVersion).await?;
        let key = bucket_key(series, bucket);
        let version = self.rows.borrow().buckets.get(&key).map_or(0, |row| row.version);
        self.log(|| format!("reads {key:?}: version {version}"));
        Ok(version)
    }

    async fn add_up(&self, series: &DatedSeries, bucket: &Bucket) -> Result<Sum, StoreError> {
        let sum = match bucket {
            Bucket::Day(date) => {
                let span = day_span(*date, &series.zone());
                Sum::of_day(&self.minutes_within(series.series(), span.start, span.end).await?)
            }
            Bucket::Month(date) => {
                let month = month_span(*date);
                let key = |date| bucket_key(series, &Bucket::Day(date));
                let (first, last) = (key(month.start), key(month.start.last_of_month()));
                let days = self.scan(|rows| &rows.buckets, first, last).await?;
                Sum::of_month(days.iter().map(|(_, day)| &day.sum.tally))
            }
        };
        self.log(|| format!("adds up {:?}: {sum:?}", bucket_key(series, bucket)));
        Ok(sum)
    }

    async fn put(&self, series: &DatedSeries, bucket: &Bucket, version: u64, sum: Sum) -> Result<bool, StoreError> {
        let row = SumRow { version: version + 1, sum };
        self.write(Write::Bucket(bucket_key(series, bucket), row)).await
    }

    async fn back_off(&self, _: u32) {
        let _fault = self.call(Call::Other).await;
    }
}

/// Breaks one of the rules during a recount, or none.
struct RuleBreaker<'a> {
    caller: Caller<'a>,
    broken: Option<BrokenRule>,
    seen: RefCell<Seen>,
}

/// What a recount has seen so far.
#[derive(Default)]
struct Seen {
    first_minutes: BTreeMap<(Series, Quarter), Minutes>,
    first_versions: BTreeMap<BucketKey, u64>,
    series: Option<Vec<DatedSeries>>,
    has_changed_minutes: bool,
    /// The series and calendars of which a day has changed.
    has_changed_days: BTreeSet<(Series, u32)>,
}

impl<'a> RuleBreaker<'a> {
    fn new(caller: Caller<'a>) -> Self {
        Self { caller, broken: caller.model.broken, seen: RefCell::default() }
    }

    fn breaks(&self, rule: BrokenRule) -> bool {
        self.broken == Some(rule)
    }

    /// What makes a call that breaks this rule: reads from the replica, sometimes.
    fn reader(&self, rule: BrokenRule) -> Caller<'a> {
        let is_stale = self.breaks(rule) && self.caller.model.random.percent(50);
        if is_stale { self.caller.stale() } else { self.caller }
    }

    /// The version that makes a recount leave after the first other writer instead of the second one.
    fn version_to_report(&self, level: Level, first: u64, version: u64) -> u64 {
        let leaves = self.breaks(BrokenRule::LeavesAfterFirst(level)) && version > first;
        version + u64::from(leaves)
    }
}

impl Tallies for RuleBreaker<'_> {
    async fn dated_series(&self, family: Family) -> Result<Vec<DatedSeries>, StoreError> {
        if self.breaks(BrokenRule::StopsIfUnchanged(Level::Minute)) && !self.seen.borrow().has_changed_minutes {
            return Ok(Vec::new());
        }
        if let Some(series) = self.seen.borrow_mut().series.take() {
            return Ok(series);
        }
        let mut series = self.reader(BrokenRule::StaleCalendars).dated_series(family).await?;
        if self.breaks(BrokenRule::OnlyServingKept) && family.follows_time_zone() {
            let serving = self.caller.rows.borrow().calendars.serving.clone();
            series.retain(|series| *series.calendar() == serving);
        }
        Ok(series)
    }

    async fn minutes(&self, series: Series, quarter: Quarter) -> Result<Minutes, StoreError> {
        if self.breaks(BrokenRule::CalendarsReadFirst) && self.seen.borrow().series.is_none() {
            let dated = self.caller.dated_series(series.family()).await?;
            self.seen.borrow_mut().series = Some(dated);
        }
        let mut read = self.reader(BrokenRule::StaleVersions(Level::Minute)).minutes(series, quarter).await?;
        let mut seen = self.seen.borrow_mut();
        let first = seen.first_minutes.entry((series, quarter)).or_insert_with(|| read.clone());
        for (minute, row) in &mut read {
            let first = first.get(minute).map_or(0, |row| row.version);
            row.version = self.version_to_report(Level::Minute, first, row.version);
        }
        Ok(read)
    }

    async fn count(&self, series: Series, quarter: Quarter, minutes: &BTreeSet<u8>) -> Result<BTreeMap<u8, Tally>, StoreError> {
        self.reader(BrokenRule::StaleCounts(Level::Minute)).count(series, quarter, minutes).await
    }

    async fn put_minutes(
        &self,
        series: Series,
        quarter: Quarter,
        read: &Minutes,
        counted: BTreeMap<u8, Tally>,
    ) -> Result<bool, StoreError> {
        let read_last;
        let read = if self.breaks(BrokenRule::VersionReadLast(Level::Minute)) {
            read_last = self.caller.minutes(series, quarter).await?;
            &read_last
        } else {
            read
        };
        let is_unchanged = counted.iter().all(|(minute, tally)| read.get(minute).is_some_and(|read| read.tally == *tally));
        let is_written = self.caller.put_minutes(series, quarter, read, counted.clone()).await?;
        self.seen.borrow_mut().has_changed_minutes |= !is_written || !is_unchanged;
        if is_written && self.breaks(BrokenRule::DeletesEmpty(Level::Minute)) {
            let mut rows = self.caller.rows.borrow_mut();
            let row = rows.minutes.get_mut(&(series, quarter)).unwrap();
            row.retain(|minute, _| counted.get(minute).is_none_or(|tally| !tally.is_empty()));
        }
        Ok(is_written || self.breaks(BrokenRule::LeavesAtOnce(Level::Minute)))
    }

    async fn version(&self, series: &DatedSeries, bucket: &Bucket) -> Result<u64, StoreError> {
        let level = Level::of(bucket);
        let reader = self.reader(BrokenRule::StaleVersions(level));
        let version = reader.version(series, bucket).await?;
        let key = bucket_key(series, bucket);
        let first = *self.seen.borrow_mut().first_versions.entry(key).or_insert(version);
        Ok(self.version_to_report(level, first, version))
    }

    async fn add_up(&self, series: &DatedSeries, bucket: &Bucket) -> Result<Sum, StoreError> {
        self.reader(BrokenRule::StaleCounts(Level::of(bucket))).add_up(series, bucket).await
    }

    async fn put(&self, series: &DatedSeries, bucket: &Bucket, version: u64, sum: Sum) -> Result<bool, StoreError> {
        let (level, key) = (Level::of(bucket), bucket_key(series, bucket));
        let of_calendar = (series.series(), series.calendar().generation);
        let stops = self.breaks(BrokenRule::StopsIfUnchanged(Level::Day)) && level == Level::Month;
        if stops && !self.seen.borrow().has_changed_days.contains(&of_calendar) {
            return Ok(true);
        }
        let version =
            if self.breaks(BrokenRule::VersionReadLast(level)) { self.caller.version(series, bucket).await? } else { version };
        let old = self.caller.rows.borrow().buckets.get(&key).map(|row| row.sum.clone());
        let is_written = self.caller.put(series, bucket, version, sum.clone()).await?;
        if level == Level::Day && (!is_written || old.as_ref() != Some(&sum)) {
            self.seen.borrow_mut().has_changed_days.insert(of_calendar);
        }
        if is_written && sum.tally.is_empty() && self.breaks(BrokenRule::DeletesEmpty(level)) {
            self.caller.rows.borrow_mut().buckets.remove(&key);
        }
        Ok(is_written || self.breaks(BrokenRule::LeavesAtOnce(level)))
    }

    async fn back_off(&self, attempt: u32) {
        self.caller.back_off(attempt).await;
    }
}

/// The rows of a merchant.
#[derive(Clone)]
struct Rows {
    entries: BTreeMap<EntryKey, Entry>,
    /// Entries that have expired. The tallies still count them.
    expired: BTreeMap<EntryKey, Entry>,
    minutes: BTreeMap<(Series, Quarter), Minutes>,
    buckets: BTreeMap<BucketKey, SumRow>,
    calendars: Calendars,
}

/// A day or a month.
#[derive(Debug, Clone, Default)]
struct SumRow {
    version: u64,
    sum: Sum,
}

/// Family, time and id.
type EntryKey = (Family, Timestamp, u32);

/// Series, generation of the calendar, level and first date.
type BucketKey = (Series, u32, Level, Date);

fn bucket_key(series: &DatedSeries, bucket: &Bucket) -> BucketKey {
    let (of, generation) = (series.series(), series.calendar().generation);
    match bucket {
        Bucket::Day(date) => (of, generation, Level::Day, *date),
        Bucket::Month(date) => (of, generation, Level::Month, date.first_of_month()),
    }
}

#[derive(Debug, Clone)]
struct Entry {
    status: &'static str,
    name: &'static str,
    amount: Minor,
}

impl Entry {
    fn new(random: &Random) -> Self {
        let amount = Minor::new(random.pick(&[100, 250]));
        Self { status: random.pick(&["OPEN", "PAID"]), name: random.pick(&["One", "Two"]), amount }
    }

    fn count(&self, series: Series, tally: &mut Tally) {
        match series {
            Series::Orders | Series::Redemptions | Series::Settlements(_) | Series::Visits => {
                tally.add([self.status, "EUR"], self.amount);
            }
            Series::RedemptionNames | Series::VisitNames | Series::IssuedCards if self.status == "PAID" => {
                tally.add_one([self.name]);
            }
            Series::RedemptionNames | Series::VisitNames | Series::IssuedCards => {}
        }
    }
}

/// New rows, to be written if the old ones have the preceding versions.
#[derive(Debug, Clone)]
enum Write {
    Minutes((Series, Quarter), Minutes),
    Bucket(BucketKey, SumRow),
}

/// A tally that differs from its entries.
#[derive(Debug)]
#[expect(dead_code, reason = "printed if a history fails")]
struct Difference {
    series: Series,
    /// A minute of the tally's span.
    minute: Minute,
    /// The day or the month, if it is not that of a minute.
    bucket: Option<BucketKey>,
    stored: Option<(u64, Sum)>,
    counted: Sum,
}

impl Rows {
    fn new(time_zone: &str) -> Self {
        Self {
            entries: BTreeMap::new(),
            expired: BTreeMap::new(),
            minutes: BTreeMap::new(),
            buckets: BTreeMap::new(),
            calendars: Calendars::new(time_zone),
        }
    }

    /// Returns whether the condition was met.
    fn apply(&mut self, write: &Write) -> bool {
        match write {
            Write::Minutes(key, new) => {
                let row = self.minutes.entry(*key).or_default();
                let version = |minute| row.get(minute).map_or(0, |old| old.version);
                let is_met = new.iter().all(|(minute, new)| version(minute) + 1 == new.version);
                if is_met {
                    row.extend(new.clone());
                }
                is_met
            }
            Write::Bucket(key, new) => {
                let is_met = self.buckets.get(key).map_or(0, |old| old.version) + 1 == new.version;
                if is_met {
                    self.buckets.insert(*key, new.clone());
                }
                is_met
            }
        }
    }

    fn dated_series(&self, family: Family) -> Vec<DatedSeries> {
        DatedSeries::of_family(family, self.calendars.all())
    }

    fn differences(&self) -> Vec<Difference> {
        let mut differences = Vec::new();
        for series in Series::ALL {
            differences.extend(self.differing_minutes(series));
        }
        for series in Family::ALL.into_iter().flat_map(|family| self.dated_series(family)) {
            differences.extend(self.differing_buckets(&series));
        }
        differences
    }

    fn differing_minutes(&self, series: Series) -> Vec<Difference> {
        let counted = self.count(series, Minute::of);
        let quarters = self.minutes.iter().filter(|((of, _), _)| *of == series);
        let stored = quarters.flat_map(|((_, quarter), minutes)| {
            let of_minute = |tally: &Tally| Sum { tally: tally.clone(), ..Sum::default() };
            minutes.iter().map(move |(minute, row)| (quarter.minute(*minute), (row.version, of_minute(&row.tally))))
        });
        let counted = counted.into_iter().map(|(minute, tally)| (minute, Sum { tally, ..Sum::default() }));
        let differing = differing(&counted.collect(), &stored.collect());
        let difference = |(minute, stored, counted)| Difference { series, minute, bucket: None, stored, counted };
        differing.into_iter().map(difference).collect()
    }

    fn differing_buckets(&self, dated: &DatedSeries) -> Vec<Difference> {
        let (series, zone) = (dated.series(), dated.zone());
        let generation = dated.calendar().generation;
        let mut days: BTreeMap<Date, Vec<(Minute, Tally)>> = BTreeMap::new();
        for (minute, tally) in self.count(series, Minute::of) {
            days.entry(minute.start().to_zoned(zone.clone()).date()).or_default().push((minute, tally));
        }
        let date = |at: Timestamp| at.to_zoned(zone.clone()).date();
        let months = self.count(series, |at| date(at).first_of_month());
        let key = |level, date| (series, generation, level, date);
        let days = days.into_iter().map(|(date, minutes)| (key(Level::Day, date), Sum::of_day(&minutes)));
        let months = months.into_iter().map(|(date, tally)| (key(Level::Month, date), Sum { tally, ..Sum::default() }));
        let counted = days.chain(months).collect();
        let stored = self.buckets.iter().filter(|(key, _)| (key.0, key.1) == (series, generation));
        let stored = stored.map(|(key, row)| (*key, (row.version, row.sum.clone())));
        let differing = differing(&counted, &stored.collect());
        let difference = |(key, stored, counted): (BucketKey, _, _)| {
            let minute = Minute::of(day_span(key.3, &zone).start);
            Difference { series, minute, bucket: Some(key), stored, counted }
        };
        differing.into_iter().map(difference).collect()
    }

    /// Counts all entries by a key of their time.
    fn count<K: Ord>(&self, series: Series, key: impl Fn(Timestamp) -> K) -> BTreeMap<K, Tally> {
        let mut counted: BTreeMap<K, Tally> = BTreeMap::new();
        let entries = self.entries.iter().chain(&self.expired);
        for ((_, at, _), entry) in entries.filter(|((family, _, _), _)| *family == series.family()) {
            entry.count(series, counted.entry(key(*at)).or_default());
        }
        counted
    }
}

/// A key, the version and the sum that are stored, and the sum that was counted.
type Differing<K> = (K, Option<(u64, Sum)>, Sum);

/// A tally that is not stored is the same as an empty one. Stored ones have their version.
fn differing<K: Ord + Copy>(counted: &BTreeMap<K, Sum>, stored: &BTreeMap<K, (u64, Sum)>) -> Vec<Differing<K>> {
    let keys: BTreeSet<K> = counted.keys().chain(stored.keys()).copied().collect();
    let pairs = keys.into_iter().map(|key| {
        let counted = counted.get(&key).cloned().unwrap_or_default();
        (key, stored.get(&key).cloned(), counted)
    });
    pairs.filter(|(_, stored, counted)| stored.clone().unwrap_or_default().1 != *counted).collect()
}

/// Random choices of all that share a model.
struct Random(RefCell<SeededRandom>);

impl Random {
    fn new(seed: u64) -> Self {
        Self(RefCell::new(SeededRandom::new(seed)))
    }

    /// Returns a number from 0 to `bound - 1`.
    fn below(&self, bound: u64) -> u64 {
        self.0.borrow_mut().below(bound.cast_signed()).unsigned_abs()
    }

    fn index(&self, bound: usize) -> usize {
        usize::try_from(self.below(u64::try_from(bound).unwrap())).unwrap()
    }

    /// Returns `true` with this probability, in percent.
    fn percent(&self, probability: u64) -> bool {
        self.below(100) < probability
    }

    fn pick<T: Copy>(&self, from: &[T]) -> T {
        from[self.index(from.len())]
    }

    /// Returns one to `most` elements, some of them possibly several times.
    fn some<T: Copy>(&self, from: &[T], most: usize) -> Vec<T> {
        (0..=self.index(most)).map(|_| self.pick(from)).collect()
    }
}
