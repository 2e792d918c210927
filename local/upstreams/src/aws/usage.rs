//! The calls of each function to DynamoDB and S3, and the capacity that they consume.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;

/// The consumed capacity of DynamoDB.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Units {
    pub(super) read: f64,
    pub(super) write: f64,
}

impl Units {
    pub(super) fn plus(self, other: Self) -> Self {
        Self { read: self.read + other.read, write: self.write + other.write }
    }
}

/// A call that has ended.
#[derive(Debug)]
pub(super) struct MeteredCall<'a> {
    pub(super) function: &'a str,
    /// Operations of S3 begin with `S3.`.
    pub(super) operation: String,
    pub(super) units: Units,
    pub(super) started: Instant,
}

/// The usage since the start or the last reset. Clones share the same counts.
#[derive(Debug, Clone, Default)]
pub struct Usage(Arc<Mutex<BTreeMap<String, FunctionUsage>>>);

#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
struct FunctionUsage {
    operations: BTreeMap<String, OperationUsage>,
    #[serde(skip)]
    sequence: Sequence,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct OperationUsage {
    calls: u64,
    read_units: f64,
    write_units: f64,
}

impl Usage {
    /// Returns the calls and the consumed capacity:
    /// `{function: {operation: {"calls", "readUnits", "writeUnits"}}}`. Operations of S3 are named `S3.GetObject` and so on,
    /// and have 0 units.
    ///
    /// Failed calls count with 0 units, because error responses carry no consumed capacity. Stream calls do not
    /// count.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(&*self.functions()).unwrap_or_default()
    }

    /// Returns the number of calls that a function has made one after the other: the longest sequence of calls of which each
    /// began after the one before had ended.
    pub fn sequential_calls(&self, function: &str) -> u64 {
        self.functions().get(function).map(|usage| usage.sequence.length).unwrap_or_default()
    }

    pub fn reset(&self) {
        self.functions().clear();
    }

    pub(super) fn add(&self, call: MeteredCall<'_>) {
        let MeteredCall { function, operation, units, started } = call;
        let mut functions = self.functions();
        let usage = functions.entry(function.to_owned()).or_default();
        // Under the lock, so that calls are added in the order in which they end.
        usage.sequence.add(started, Instant::now());
        let usage = usage.operations.entry(operation).or_default();
        usage.calls += 1;
        usage.read_units += units.read;
        usage.write_units += units.write;
    }

    fn functions(&self) -> MutexGuard<'_, BTreeMap<String, FunctionUsage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest sequence of calls of which each began after the one before had ended.
#[derive(Debug, Default)]
struct Sequence {
    length: u64,
    end: Option<Instant>,
}

impl Sequence {
    /// Calls are added in the order in which they end: of all calls that can come next, the one that ends first leaves the
    /// most room for others.
    fn add(&mut self, started: Instant, ended: Instant) {
        if self.end.is_none_or(|end| started >= end) {
            self.length += 1;
            self.end = Some(ended);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn longest(calls: &[(u64, u64)]) -> u64 {
        let start = Instant::now();
        let mut calls = calls.to_vec();
        calls.sort_by_key(|(_, ended)| *ended);
        let mut sequence = Sequence::default();
        for (started, ended) in calls {
            sequence.add(start + Duration::from_millis(started), start + Duration::from_millis(ended));
        }
        sequence.length
    }

    #[test]
    fn the_longest_sequence_has_no_calls_at_the_same_time() {
        for (calls, expected) in [
            (&[][..], 0),
            (&[(0, 1)], 1),
            (&[(0, 1), (1, 2), (5, 6)], 3),
            (&[(0, 3), (1, 4), (2, 5)], 1),
            // A long call beside three short ones.
            (&[(0, 9), (0, 2), (3, 5), (6, 8)], 3),
            // A call that both branches wait for.
            (&[(0, 2), (0, 5), (5, 7)], 2),
            (&[(0, 4), (3, 5), (4, 6), (6, 7)], 3),
        ] {
            assert_eq!(longest(calls), expected, "{calls:?}");
        }
    }
}
