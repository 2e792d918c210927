//! The results as a Markdown document.

use jiff::tz::TimeZone;
use shared::base::clock::Clock;

use crate::figures::{NOTHING, grouped, milliseconds, units};
use crate::results::{Cost, Kind, Measured, SizeResult};
use crate::{bounds, dollars, machine};

const KNOWN_REASONS: [&str; 2] = [
    "A page other than the first one is found by the tallies of its month, of its day and of the minutes of that day, which the",
    "first one does without.",
];

/// Returns the whole document. The results are in ascending order of their sizes.
pub(crate) fn document(results: &[SizeResult], requests: usize) -> String {
    let mut lines = introduction(requests);
    lines.extend(overview(results));
    lines.extend(till(results));
    lines.extend(missed_bounds(results));
    lines.extend(month(results));
    for result in results {
        lines.extend(details(result));
    }
    lines.join("\n") + "\n"
}

fn introduction(requests: usize) -> Vec<String> {
    let date = Clock::system().now().to_zoned(TimeZone::UTC).date();
    let machine = machine::description();
    [
        "# Benchmark of scale".to_owned(),
        String::new(),
        "For those who judge what a large merchant costs. Written by".to_owned(),
        "`cargo run --release -p scale-bench -- --out benches/scale`.".to_owned(),
        "[scale.md](../../docs/scale.md) explains what is measured.".to_owned(),
        String::new(),
        format!("- Date: {date}"),
        format!("- Machine: {machine}"),
        "- The merchant is the one of `cargo run -- generate`, with a year of orders. Functions, DynamoDB and S3 run in one"
            .to_owned(),
        "  process on this machine: units and calls are those of AWS, times are not.".to_owned(),
        "- Read units, calls and requests are those of one request, and include the check of the session. *In sequence*: the"
            .to_owned(),
        "  longest sequence of calls to DynamoDB and S3 of which each began after the one before had ended.".to_owned(),
        format!("- Times are those of up to {requests} requests one after the other, fewer if they are slow."),
        "- A request is given up when the function has run for 15 seconds; its units are then those until this time.".to_owned(),
    ]
    .into()
}

fn overview(results: &[SizeResult]) -> Vec<String> {
    let mut lines = section("Read units of a request");
    lines.push("The most expensive request of each kind.".to_owned());
    lines.push(String::new());
    let mut head = vec!["request".to_owned()];
    head.extend(results.iter().map(|result| format!("{} orders", grouped(result.orders.into()))));
    head.push("bound".to_owned());
    lines.extend(table_head(&head));
    for kind in Kind::ALL {
        let mut cells = vec![kind.name().to_owned()];
        cells.extend(results.iter().map(|result| most_expensive(result, kind)));
        cells.push(bounds::max_read_units(kind).map_or_else(|| NOTHING.to_owned(), units));
        lines.push(row(&cells));
    }
    lines
}

fn most_expensive(result: &SizeResult, kind: Kind) -> String {
    match result.read_units(kind) {
        Some(read_units) => units(read_units),
        None if result.of_kind(kind).next().is_none() => NOTHING.to_owned(),
        None => "given up".to_owned(),
    }
}

fn till(results: &[SizeResult]) -> Vec<String> {
    let mut lines = section("Sales and redemptions");
    lines.push(
        "Averages of 20 sales and their redemptions: the units of the request, and the write units of it with all jobs and"
            .to_owned(),
    );
    lines.push("recounts that follow.".to_owned());
    lines.push(String::new());
    let heads = ["orders", "sale: read", "written", "with what follows", "redemption: read", "written", "with what follows"];
    lines.extend(table_head(&heads.map(str::to_owned)));
    for result in results {
        let of_each = [result.till.sale, result.till.redemption].into_iter();
        let figures = of_each.flat_map(|cost| [cost.read, cost.written, cost.written_in_all]);
        lines
            .push(row(&[vec![grouped(result.orders.into())], figures.map(|average| format!("{average:.1}")).collect()].concat()));
    }
    lines
}

fn missed_bounds(results: &[SizeResult]) -> Vec<String> {
    let mut lines = section("Missed bounds");
    let missed = bounds::missed(results);
    if missed.is_empty() {
        lines.push("All requests are within their bounds.".to_owned());
        return lines;
    }
    lines.extend(missed.iter().map(|missed| format!("- {missed}")));
    lines.push(String::new());
    lines.extend(KNOWN_REASONS.map(str::to_owned));
    lines
}

fn month(results: &[SizeResult]) -> Vec<String> {
    let mut lines = section("A month in dollars");
    lines.extend(dollars::table(results));
    lines.push(String::new());
    lines.extend(dollars::NOTES.map(str::to_owned));
    lines
}

fn details(result: &SizeResult) -> Vec<String> {
    const HEAD: [&str; 7] = ["request", "read units", "DynamoDB calls", "S3 requests", "in sequence", "median ms", "p99 ms"];
    let mut lines = section(&format!("{} orders", grouped(result.orders.into())));
    lines.extend(table_head(&HEAD.map(str::to_owned)));
    lines.extend(result.measured.iter().map(detail));
    lines
}

fn detail(measured: &Measured) -> String {
    let Measured { case, cost, sequential_calls } = measured;
    let sequential_calls = sequential_calls.map_or_else(|| NOTHING.to_owned(), |calls| calls.to_string());
    row(&[
        case.name(),
        read_units(cost),
        cost.dynamodb_calls.to_string(),
        cost.s3_requests.to_string(),
        sequential_calls,
        median(cost),
        if cost.is_given_up { NOTHING.to_owned() } else { milliseconds(cost.p99()) },
    ])
}

fn read_units(cost: &Cost) -> String {
    let at_least = if cost.is_given_up { "> " } else { "" };
    format!("{at_least}{}", units(cost.read_units))
}

fn median(cost: &Cost) -> String {
    if cost.is_given_up {
        return format!("given up after {:.1} s", cost.median().as_secs_f64());
    }
    milliseconds(cost.median())
}

fn section(title: &str) -> Vec<String> {
    vec![String::new(), format!("## {title}"), String::new()]
}

fn table_head(cells: &[String]) -> [String; 2] {
    [row(cells), format!("|{}", "---|".repeat(cells.len()))]
}

fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::results::Place;
    use crate::results::tests::measured;

    #[test]
    fn a_request_that_was_given_up_has_the_units_until_then() {
        let mut case = measured(Kind::Orders, Place::First, 12.0);
        assert_eq!(detail(&case), "| list, first page | 12 | 3 | 0 | 2 | 5 | 5 |");
        case.cost.is_given_up = true;
        case.cost.times = vec![Duration::from_secs(8)];
        case.sequential_calls = None;
        assert_eq!(detail(&case), "| list, first page | > 12 | 3 | 0 | – | given up after 8.0 s | – |");
    }
}
