//! The bounds of what a request may cost, and those that are missed.

use std::time::Duration;

use crate::figures::{from_count, grouped, short, units};
use crate::results::{Kind, Measured, Place, SizeResult};

/// Includes the 4 units of the check of the session.
#[derive(Debug, Default)]
struct Bounds {
    read_units: Option<f64>,
    sequential_calls: Option<f64>,
    s3_requests: Option<f64>,
    time: Option<Duration>,
}

/// The last page of a list costs at most this many times as much as its first.
const MAX_TIMES_FIRST_PAGE: f64 = 2.0;
/// Of a sale and of a redemption, with all that follows from it. Two are those of a code that is counted before the network is asked.
const MAX_WRITE_UNITS: f64 = 42.0;

fn bounds(kind: Kind) -> Bounds {
    match kind {
        Kind::Orders | Kind::Settlements => Bounds { read_units: Some(60.0), sequential_calls: Some(6.0), ..Bounds::default() },
        Kind::Busiest => Bounds { read_units: Some(100.0), sequential_calls: Some(6.0), ..Bounds::default() },
        Kind::FilteredOrders | Kind::Search => {
            Bounds { read_units: Some(60.0), s3_requests: Some(60.0), time: Some(Duration::from_secs(1)), ..Bounds::default() }
        }
        Kind::Report => Bounds { read_units: Some(54.0), ..Bounds::default() },
        Kind::Summary => Bounds { read_units: Some(9.0), ..Bounds::default() },
        Kind::Lookup => Bounds::default(),
    }
}

pub(crate) fn max_read_units(kind: Kind) -> Option<f64> {
    bounds(kind).read_units
}

pub(crate) fn missed(results: &[SizeResult]) -> Vec<String> {
    results.iter().flat_map(missed_at_size).collect()
}

fn missed_at_size(result: &SizeResult) -> Vec<String> {
    let cases = result.measured.iter().flat_map(|measured| {
        let missed = missed_by_case(measured).into_iter().chain(missed_by_last_page(measured, result));
        missed.map(|missed| format!("{}: {missed}", measured.case.name()))
    });
    let till = [("sale", result.till.sale.written_in_all), ("redemption", result.till.redemption.written_in_all)];
    let till = till.into_iter().filter_map(|(name, write_units)| {
        let missed = exceeded(write_units, Some(MAX_WRITE_UNITS), "write units", units)?;
        Some(format!("{name}: {missed}"))
    });
    let orders = grouped(result.orders.into());
    cases.chain(till).map(|missed| format!("{orders} orders: {missed}")).collect()
}

fn missed_by_case(measured: &Measured) -> Vec<String> {
    let Measured { case, cost, sequential_calls, .. } = measured;
    if cost.is_given_up {
        return vec![format!("given up after {} s", short(cost.median().as_secs_f64()))];
    }
    let bounds = bounds(case.kind);
    let sequential_calls = sequential_calls.map(from_count).unwrap_or_default();
    let missed = [
        exceeded(cost.read_units, bounds.read_units, "read units", units),
        exceeded(sequential_calls, bounds.sequential_calls, "calls one after the other", grouped),
        exceeded(from_count(cost.s3_requests), bounds.s3_requests, "S3 requests", grouped),
        exceeded(cost.p99().as_secs_f64() * 1e3, bounds.time.map(|time| time.as_secs_f64() * 1e3), "ms (p99)", grouped),
    ];
    missed.into_iter().flatten().collect()
}

fn missed_by_last_page(last: &Measured, result: &SizeResult) -> Option<String> {
    if last.case.place != Some(Place::Last) || last.cost.is_given_up {
        return None;
    }
    let is_first = |measured: &&Measured| measured.case.place == Some(Place::First) && measured.case.subject == last.case.subject;
    let first = result.of_kind(last.case.kind).find(is_first)?;
    let times = last.cost.read_units / first.cost.read_units;
    exceeded(times, Some(MAX_TIMES_FIRST_PAGE), "times the read units of the first page", short)
}

fn exceeded(value: f64, bound: Option<f64>, unit: &str, print: fn(f64) -> String) -> Option<String> {
    let bound = bound.filter(|bound| value > *bound)?;
    Some(format!("{} {unit}, bound {}", print(value), print(bound)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{measured, size_result};

    #[test]
    fn names_each_missed_bound_with_its_value() {
        let mut slow = measured(Kind::Search, Place::First, 30.0);
        slow.cost.times = vec![Duration::from_millis(1_500)];
        slow.cost.s3_requests = 61;
        let mut given_up = measured(Kind::Search, Place::Last, 900.0);
        given_up.cost.is_given_up = true;
        given_up.cost.times = vec![Duration::from_secs(15)];
        let mut long = measured(Kind::Settlements, Place::First, 60.0);
        long.sequential_calls = Some(7);
        let mut result = size_result(
            1_000,
            vec![measured(Kind::Orders, Place::First, 20.0), measured(Kind::Orders, Place::Last, 60.5), slow, given_up, long],
        );
        result.till.sale.written_in_all = 42.5;
        assert_eq!(
            missed(&[result]),
            [
                "1,000 orders: list, last page: 60.5 read units, bound 60",
                "1,000 orders: list, last page: 3 times the read units of the first page, bound 2",
                "1,000 orders: list, first page: 61 S3 requests, bound 60",
                "1,000 orders: list, first page: 1,500 ms (p99), bound 1,000",
                "1,000 orders: list, last page: given up after 15 s",
                "1,000 orders: list, first page: 7 calls one after the other, bound 6",
                "1,000 orders: sale: 42.5 write units, bound 42",
            ]
        );
    }
}
