//! Random histories: each follows from its seed.

use std::collections::BTreeMap;
use std::iter;
use std::ops::AddAssign;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::task::JoinSet;

/// The histories that a test runs: as many as `HISTORIES`, or as the test wants by default. The first has the seed `SEED`, or 1, and
/// each following one the next seed. If a history panics, how to repeat it is printed.
#[derive(Debug)]
pub struct Histories {
    first: u64,
    next: AtomicU64,
    end: u64,
    /// The arguments of `cargo test` that select the test.
    test: &'static str,
}

/// A history that has begun.
#[derive(Debug)]
pub struct History {
    pub seed: u64,
    test: &'static str,
}

/// How often histories contained what: figures that a test prints.
#[derive(Debug, Default, Clone)]
pub struct Counts(BTreeMap<String, usize>);

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl Histories {
    /// `test` are the arguments of `cargo test` that select the test, such as `--test api search::`.
    pub fn new(test: &'static str, default: u64) -> Self {
        let first = seed();
        Self { first, next: AtomicU64::new(first), end: first + number("HISTORIES", default), test }
    }

    fn begin(&self) -> Option<History> {
        let seed = self.next.fetch_add(1, Ordering::Relaxed);
        (seed < self.end).then_some(History { seed, test: self.test })
    }

    async fn work<P>(
        self: Arc<Self>,
        histories_per_place: usize,
        new_place: fn() -> BoxFuture<'static, P>,
        run: for<'a> fn(&'a P, u64) -> BoxFuture<'a, Result<Counts, String>>,
    ) -> Counts {
        let (mut place, mut counts) = (new_place().await, Counts::default());
        for completed in 1.. {
            let Some(history) = self.begin() else { break };
            counts += run(&place, history.seed).await.unwrap_or_else(|error| panic!("{error}"));
            if completed % histories_per_place == 0 {
                place = new_place().await;
            }
        }
        counts
    }

    /// The histories, one after another.
    pub fn all(&self) -> impl Iterator<Item = History> {
        iter::from_fn(|| self.begin())
    }

    /// Lets several workers run histories, prints what they contained, and returns it. Each worker has a place of its own for a number of
    /// histories: a database slows down as it fills.
    pub async fn run<P: Send + Sync + 'static>(
        self,
        workers: usize,
        histories_per_place: usize,
        new_place: fn() -> BoxFuture<'static, P>,
        run: for<'a> fn(&'a P, u64) -> BoxFuture<'a, Result<Counts, String>>,
    ) -> Counts {
        let (histories, started) = (Arc::new(self), Instant::now());
        let worker = |_| histories.clone().work(histories_per_place, new_place, run);
        let mut running: JoinSet<Counts> = (0..workers).map(worker).collect();
        let mut counts = Counts::default();
        while let Some(counted) = running.join_next().await {
            counts += counted.unwrap();
        }
        let (count, first, seconds) = (histories.end - histories.first, histories.first, started.elapsed().as_secs_f64());
        println!("{count} histories from seed {first} in {seconds:.0} s: {counts:?}");
        counts
    }
}

impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("To repeat it: SEED={} HISTORIES=1 cargo test --workspace {}", self.seed, self.test);
        }
    }
}

impl Counts {
    pub fn add(&mut self, name: impl Into<String>, count: usize) {
        *self.0.entry(name.into()).or_default() += count;
    }

    pub fn of(&self, name: &str) -> usize {
        self.0.get(name).copied().unwrap_or_default()
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        for (name, count) in other.0 {
            self.add(name, count);
        }
    }
}

/// The seed of the first history, and of tests with one random course.
pub fn seed() -> u64 {
    number("SEED", 1)
}

/// Whether every one of similar cases is tried, instead of some of each kind: with `CASES=all`.
pub fn all_cases() -> bool {
    std::env::var("CASES").is_ok_and(|cases| cases == "all")
}

fn number(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{variable}={text}: a whole number is expected")),
        Err(_) => default,
    }
}
