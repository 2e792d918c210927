//! Searches compared with a model, while orders change and the segments are written by workers that race, stall and die.

use std::collections::BTreeMap;
use std::ops::Range;
use std::pin::Pin;

use jiff::{SignedDuration, Timestamp};
use shared::app::App;
use shared::cards::model::order::{Order, OrderEntry, OrderFilter, OrderStatus, PaymentStatus};
use shared::db::{Cursor, PageRequest, PageStart, Write, keys};
use shared::projections::search::{self, SearchError, Writer};
use shared::values::{Currency, MerchantId, Minor, Money, OrderId};
use world::{Histories, ManualClock, SeededRandom, System, poll_up_to};

const NOW: &str = "2026-03-30T10:00:00Z";
const STEPS: u64 = 60;
/// An object that is in no segment is kept for an hour by the clock of the worker that replaced it, which can be this old.
const MAX_LIFETIME: SignedDuration = SignedDuration::from_mins(15);
const MAX_JUMP_SECONDS: i64 = 15 * 60;
const NAMES: [&str; 5] = ["Åsa Berg", "BO", "Cy\u{301}", "Straße", "ab"];
/// So long that the segments of two orders do not fit in their list.
const LONG_NAME: i64 = 1500;
const TEXTS: [&str; 10] = ["", "a", "å", "bo", "SS", "cý", "o-1", "2026", "COMPLETED", "nobody"];
const STATUSES: [OrderStatus; 3] = [OrderStatus::Completed, OrderStatus::PendingPayment, OrderStatus::Refunded];

type Work<'a> = Pin<Box<dyn Future<Output = Result<(), SearchError>> + 'a>>;

/// Polls the worker a number of times at most, and drops it if it has finished.
async fn run_for(work: &mut Option<Work<'_>>, polls: i64) {
    let Some(running) = work else { return };
    if let Some(result) = poll_up_to(running, polls).await {
        result.unwrap();
        *work = None;
    }
}

struct History<'a> {
    app: &'a App,
    system: &'a System,
    merchant: MerchantId,
    random: SeededRandom,
    clock: &'a ManualClock,
    has_long_names: bool,
    /// What the rows contain, by sort key.
    model: BTreeMap<String, OrderEntry>,
}

impl History<'_> {
    fn now(&self) -> Timestamp {
        self.clock.clock().now()
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.random.below(i64::try_from(length).unwrap())).unwrap()
    }

    fn name(&mut self) -> String {
        let mut name = (*self.random.pick(&NAMES)).to_owned();
        if self.has_long_names {
            // Random ideographs, which cannot be compressed and which no search looks for.
            let ideograph = |number| char::from_u32(0x4e00 + u32::try_from(number).unwrap()).unwrap();
            name.extend((0..LONG_NAME).map(|_| ideograph(self.random.below(20_000))));
        }
        name
    }

    async fn create_order(&mut self) {
        let created_at = self.now() - SignedDuration::from_hours(24 * self.random.below(100));
        let total = Money::new(Minor::new(100), Currency::EUR);
        let id = OrderId::new(format!("O-{}", self.model.len()));
        let mut order = Order::new(id, self.merchant.clone(), created_at, total);
        order.buyer_name = Some(self.name());
        self.app.store.commit(vec![Write::create(&order).unwrap()]).await.unwrap();
        self.remember(&order);
    }

    async fn change_order(&mut self) {
        if self.model.is_empty() {
            return;
        }
        let place = self.index(self.model.len());
        let id = self.model.values().nth(place).unwrap().id.clone();
        let order = self.app.store.order(&self.merchant, &id).await.unwrap().unwrap();
        let mut changed = order.value.clone();
        changed.status = (*self.random.pick(&STATUSES)).into();
        changed.buyer_name = Some(self.name());
        self.app.store.commit(vec![Write::replace(&order, &changed).unwrap()]).await.unwrap();
        self.remember(&changed);
    }

    fn remember(&mut self, order: &Order) {
        let entry = OrderEntry::from(order);
        self.model.insert(keys::entry_of_order(&entry), entry);
    }

    fn start_work(&mut self) -> Work<'static> {
        let (app, merchant, now) = (self.app.clone(), self.merchant.clone(), self.now());
        let rebuilds = self.random.below(6) == 0;
        Box::pin(async move {
            let (store, objects, random) = (&app.store, app.segments(), &app.random);
            let writer = Writer { store, objects, random, now };
            if rebuilds { writer.rebuild(&merchant, |_| ()).await.map(|_| ()) } else { writer.renew(&merchant).await }
        })
    }

    /// Searches while a worker goes on for a while.
    async fn assert_found(&mut self, beside: &mut Option<Work<'_>>) {
        let filter = OrderFilter {
            status: *self.random.pick(&[None, None, Some(OrderStatus::Completed), Some(OrderStatus::Refunded)]),
            payment_status: *self.random.pick(&[None, Some(PaymentStatus::PaymentCreated)]),
            text: (*self.random.pick(&TEXTS)).to_owned(),
            ..OrderFilter::default()
        };
        let span = self.span();
        let place = self.index(20);
        let start = match self.model.keys().nth(place) {
            Some(sort_key) => PageStart::After(Cursor::after(sort_key.as_str())),
            None => PageStart::Offset(self.index(6)),
        };
        let page = PageRequest { start, limit: 1 + self.index(5) };
        let (store, objects) = (&self.app.store, self.app.segments());
        let polls = self.random.below(25);
        let search = search::orders(store, objects, &self.merchant, &filter, &span, &page);
        let (found, ()) = tokio::join!(search, run_for(beside, polls));
        let found = found.unwrap();
        let matches = |order: &&OrderEntry| span.contains(&order.created_at) && filter.matches(order);
        let matching: Vec<&OrderEntry> = self.model.values().rev().filter(matches).collect();
        let from_start =
            matching.iter().skip(page.start.offset()).filter(|order| page.start.allows(&keys::entry_of_order(order)));
        let mut expected: Vec<&OrderEntry> = from_start.take(page.limit + 1).copied().collect();
        let has_next = expected.len() > page.limit;
        expected.truncate(page.limit);
        let next = expected.last().filter(|_| has_next).map(|order| Cursor::after(keys::entry_of_order(order)));
        assert_eq!(found.rows.iter().collect::<Vec<_>>(), expected, "{filter:?} {page:?}");
        assert_eq!((found.total, found.next), (matching.len(), next), "{filter:?} {page:?}");
    }

    /// All time, or some of the last hundred days.
    fn span(&mut self) -> Range<Timestamp> {
        if self.random.percent(50) {
            return Timestamp::MIN..Timestamp::MAX;
        }
        let end = self.now() - SignedDuration::from_hours(24 * self.random.below(90));
        end - SignedDuration::from_hours(24 * self.random.below(60))..end
    }

    async fn run(&mut self) {
        let mut stalled: Option<(Timestamp, Option<Work<'static>>)> = None;
        for _ in 0..STEPS {
            match self.random.below(12) {
                0..=2 => self.create_order().await,
                3..=5 => self.change_order().await,
                6 => self.clock.advance(self.random.below(MAX_JUMP_SECONDS)),
                7 | 8 => {
                    let mut work = Some(self.start_work());
                    run_for(&mut work, i64::MAX).await;
                }
                9 => {
                    // Replaces one that has stalled: it has died.
                    let mut work = Some(self.start_work());
                    run_for(&mut work, self.random.below(25)).await;
                    stalled = Some((self.now(), work));
                }
                _ => {
                    if let Some((_, work)) = &mut stalled {
                        self.assert_found(work).await;
                    }
                }
            }
            if stalled.as_ref().is_some_and(|(since, _)| self.now().duration_since(*since) > MAX_LIFETIME) {
                stalled = None;
            }
            self.assert_found(&mut None).await;
        }
    }

    /// Writes what has changed, and deletes what is not used.
    async fn finish(&mut self) {
        for _ in 0..3 {
            self.create_order().await;
            // Until no worker of the system is at work, which would be too old by then.
            self.system.drain().await;
            self.clock.advance(2 * 60 * 60);
            run_for(&mut Some(self.start_work()), i64::MAX).await;
        }
        self.assert_found(&mut None).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_finds_what_the_rows_contain_at_any_moment() {
    // The workers of the system write segments as well, at the same time.
    let (system, clock) = System::at(NOW).await;
    for begun in Histories::new("--test api search::", 10).all() {
        let seed = begun.seed;
        let mut history = History {
            app: system.local.app(),
            system: &system,
            merchant: MerchantId::new(format!("m-{seed}")),
            random: SeededRandom::new(seed),
            clock: &clock,
            has_long_names: seed % 2 == 1,
            model: BTreeMap::new(),
        };
        history.run().await;
        history.finish().await;
    }
}
