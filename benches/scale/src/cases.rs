//! The requests that are measured: each route that lists or reports, and each kind of page.

use std::ops::RangeInclusive;

use jiff::Timestamp;
use serde_json::Value;

use crate::error::BenchError;
use crate::results::{Case, Kind, Place};
use crate::system::System;

const ORDERS: &str = "/api/bff/merchant-orders";
const SETTLEMENTS: &str = "/api/bff/settlements";
const PAGE_SIZES: [u64; 2] = [20, MAX_PAGE_SIZE];
const MAX_PAGE_SIZE: u64 = 50;
const MAX_TAKE: u64 = 200;

/// The statuses of at least one order in a hundred.
const COMMON_STATUSES: [&str; 8] =
    ["COMPLETED", "REFUNDED", "ISSUE_FAILED", "PAYMENT_FAILED", "CANCELLED", "PAID", "FAILED", "PENDING_PAYMENT"];
/// Rarest first: one order in ten thousand has the first one, if there are as many.
const RARE_STATUSES: [&str; 4] = [
    "PAYMENT_AUTH_SUCCEEDED",
    "PAYMENT_CAPTURE_PENDING_REVIEW",
    "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW",
    "PAYMENT_CAPTURE_SUCCEEDED",
];
/// The payment status of orders of several statuses.
const SHARED_PAYMENT_STATUS: &str = "PAYMENT_CAPTURE_SUCCEEDED";
const REPORTS: [&str; 4] = ["overview", "sales", "redemptions", "fraud"];

pub(crate) async fn cases(system: &System) -> Result<Vec<Case>, BenchError> {
    let cases = [
        orders(system).await?,
        filtered_orders(system).await?,
        orders_by_days_and_cursor(system).await?,
        searches(system).await?,
        settlements(system).await?,
        busiest_pages(system).await?,
        reports(),
        lookups(system).await?,
    ];
    Ok(cases.concat())
}

/// The first search of a function that has just started.
pub(crate) fn first_search() -> Case {
    let path = orders_path(MAX_PAGE_SIZE, 1, "&q=no-order-has-this-text");
    Case::new(Kind::Search, "search, no hits, first search of the function", path)
}

async fn orders(system: &System) -> Result<Vec<Case>, BenchError> {
    let total = count_orders(system, "").await?;
    let mut cases = Vec::new();
    for page_size in PAGE_SIZES {
        let name = format!("orders, {page_size} per page");
        cases.extend(pages(total, page_size, |place, page| {
            Case::new(Kind::Orders, &name, orders_path(page_size, page, "")).at(place)
        }));
    }
    Ok(cases)
}

async fn filtered_orders(system: &System) -> Result<Vec<Case>, BenchError> {
    let mut cases = Vec::new();
    for status in COMMON_STATUSES {
        cases.extend(filtered_pages(system, status, &format!("&status={status}")).await?);
    }
    let filter = format!("&paymentStatus={SHARED_PAYMENT_STATUS}");
    cases.extend(filtered_pages(system, &format!("payment status {SHARED_PAYMENT_STATUS}"), &filter).await?);
    if let Some(filter) = rarest_filter(system).await? {
        cases.extend(filtered_pages(system, "the rarest pair of statuses", &filter).await?);
    }
    Ok(cases)
}

/// Pages of orders of some days, which begin and end within a month, and pages after a cursor.
async fn orders_by_days_and_cursor(system: &System) -> Result<Vec<Case>, BenchError> {
    let mut cases = Vec::new();
    let payment = format!("&paymentStatus={SHARED_PAYMENT_STATUS}");
    for (subject, filter) in [("orders", ""), ("orders, payment status", payment.as_str())] {
        let kind = if filter.is_empty() { Kind::Orders } else { Kind::FilteredOrders };
        let total = count_orders(system, filter).await?;
        if total < MAX_PAGE_SIZE {
            continue;
        }
        let day_of = async |row: u64| -> Result<String, BenchError> {
            let path = orders_path(1, row, filter);
            let page = system.get(&path).await?;
            let pointer = "/data/orders/0/createdAt";
            let day = text(&page, pointer).and_then(|time| time.get(..10)).map(str::to_owned);
            day.ok_or(BenchError::Missing { path, pointer })
        };
        let days = format!("&from={}&to={}{filter}", day_of(total * 9 / 10).await?, day_of(total / 10).await?);
        let of_days = count_orders(system, &days).await?;
        let name = format!("{subject}, four fifths of the year");
        cases.extend(pages(of_days, MAX_PAGE_SIZE, |place, page| {
            Case::new(kind, &name, orders_path(MAX_PAGE_SIZE, page, &days)).at(place)
        }));
        let path = orders_path(MAX_PAGE_SIZE, total.div_ceil(MAX_PAGE_SIZE).div_ceil(2), filter);
        if let Some(cursor) = text(&system.get(&path).await?, "/data/nextCursor") {
            let after = |more: &str| orders_path(MAX_PAGE_SIZE, 1, &format!("&after={cursor}{more}"));
            cases.push(Case::new(kind, &format!("{subject}, after a cursor"), after(filter)));
            cases.push(Case::new(kind, &format!("{name}, after a cursor"), after(&days)));
            if filter.is_empty() {
                let case = |name, more: &str| Case::new(Kind::Search, name, after(more));
                cases.push(case("search, many hits, after a cursor", "&q=a"));
                cases.push(case("search, many hits of four fifths of the year", &format!("&q=a{days}")));
            }
        }
    }
    Ok(cases)
}

async fn filtered_pages(system: &System, name: &str, filter: &str) -> Result<Vec<Case>, BenchError> {
    let name = format!("orders, {name}");
    let total = count_orders(system, filter).await?;
    let case = |place, page| Case::new(Kind::FilteredOrders, &name, orders_path(MAX_PAGE_SIZE, page, filter)).at(place);
    Ok(pages(total, MAX_PAGE_SIZE, case))
}

/// The filter by the rarest status that occurs, and by its payment status.
async fn rarest_filter(system: &System) -> Result<Option<String>, BenchError> {
    for status in RARE_STATUSES {
        let page = system.get(&orders_path(1, 1, &format!("&status={status}"))).await?;
        if let Some(payment_status) = text(&page, "/data/orders/0/paymentStatus") {
            return Ok(Some(format!("&status={status}&paymentStatus={payment_status}")));
        }
    }
    Ok(None)
}

async fn searches(system: &System) -> Result<Vec<Case>, BenchError> {
    let path = |page: u64, text: &str| orders_path(MAX_PAGE_SIZE, page, &format!("&q={text}"));
    let many = "a";
    let total = match system.time(&path(1, many)).await?.body {
        Some(hits) => number(ORDERS, &hits, "/data/total")?,
        // The search was given up: its last page is taken to be that of all orders.
        None => count_orders(system, "").await?,
    };
    let (buyer, id) = examples(system).await?;
    let search = |name: &str, text: &str| Case::new(Kind::Search, name, path(1, text));
    let mut cases =
        pages(total, MAX_PAGE_SIZE, |place, page| Case::new(Kind::Search, "search, many hits", path(page, many)).at(place));
    cases.retain(|case| case.place != Some(Place::Middle));
    cases.push(search("search, many hits of a status", &format!("{many}&status=REFUNDED")));
    cases.push(search("search, a part of a buyer's address", &buyer));
    cases.push(search("search, an order id", &id));
    cases.push(search("search, no hits", "no-order-has-this-text"));
    Ok(cases)
}

/// Two texts that few orders contain, from the middle of the list: a part of a buyer's address, and the id of an order. The
/// first one is an id as well if no order has a buyer.
async fn examples(system: &System) -> Result<(String, String), BenchError> {
    let total = count_orders(system, "").await?;
    let path = orders_path(MAX_PAGE_SIZE, total.div_ceil(MAX_PAGE_SIZE).div_ceil(2), "");
    let page = system.get(&path).await?;
    let orders = page.pointer("/data/orders").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let id = orders.iter().find_map(|order| text(order, "/id"));
    let id = id.ok_or(BenchError::Missing { path, pointer: "/data/orders/0/id" })?;
    let address = orders.iter().find_map(|order| text(order, "/buyerEmail"));
    let name = address.and_then(|address| address.split('@').next());
    Ok((name.unwrap_or(id).to_owned(), id.to_owned()))
}

async fn settlements(system: &System) -> Result<Vec<Case>, BenchError> {
    let newest = system.get(&settlements_path(1, 0)).await?;
    let total = number(SETTLEMENTS, &newest, "/total")?;
    let name = format!("settlements, {MAX_TAKE} per page");
    let mut cases = pages(total, MAX_TAKE, |place, page| {
        Case::new(Kind::Settlements, &name, settlements_path(MAX_TAKE, (page - 1) * MAX_TAKE)).at(place)
    });
    let middle = system.get(&settlements_path(MAX_TAKE, total / 2)).await?;
    if let Some(cursor) = text(&middle, "/nextCursor") {
        let path = format!("{SETTLEMENTS}?take={MAX_TAKE}&after={cursor}");
        cases.push(Case::new(Kind::Settlements, &format!("{name}, after a cursor"), path));
    }
    cases.push(Case::new(Kind::Summary, "settlement summary", format!("{SETTLEMENTS}/summary")));
    cases.push(Case::new(Kind::Report, "what is outstanding", format!("{SETTLEMENTS}/outstanding?months=36")));
    if let Some(id) = text(&newest, "/rows/0/redemptionId") {
        let path = format!("{SETTLEMENTS}/by-source?redemptionId={id}");
        cases.push(Case::new(Kind::Lookup, "settlement of a redemption", path));
    }
    Ok(cases)
}

/// The page of each list whose rows are closest to each other in time. A twentieth of the orders of a year lies on one day.
async fn busiest_pages(system: &System) -> Result<Vec<Case>, BenchError> {
    let orders = |page| orders_path(MAX_PAGE_SIZE, page, "");
    let settlements = |page: u64| settlements_path(MAX_TAKE, (page - 1) * MAX_TAKE);
    let order_pages = count_orders(system, "").await?.div_ceil(MAX_PAGE_SIZE);
    let settlement_pages = count_settlements(system).await?.div_ceil(MAX_TAKE);
    let (placed, eligible) = ("/data/orders/0/createdAt", "/rows/0/eligibleAt");
    let paths = [
        ("orders", busiest_page(system, order_pages, orders, placed).await?),
        ("settlements", busiest_page(system, settlement_pages, settlements, eligible).await?),
    ];
    let case = |(list, path): (&str, Option<String>)| Some(Case::new(Kind::Busiest, &format!("{list}, busiest page"), path?));
    Ok(paths.into_iter().filter_map(case).collect())
}

/// The path of the busiest page of a list: the span of pages with the most rows in a time is divided again and again. `None` if
/// the list is empty.
async fn busiest_page(
    system: &System,
    pages: u64,
    path: impl Fn(u64) -> String,
    time: &'static str,
) -> Result<Option<String>, BenchError> {
    const PARTS: u64 = 50;
    let mut span = 1..=pages;
    while span.end().saturating_sub(*span.start()) > 1 {
        let mut times = Vec::new();
        for page in spread(&span, PARTS) {
            let path = path(page);
            let body = system.get(&path).await?;
            let first_row = text(&body, time).and_then(|time| time.parse::<Timestamp>().ok());
            times.push((page, first_row.ok_or(BenchError::Missing { path, pointer: time })?));
        }
        let milliseconds_a_page = |(from, newer): &(u64, Timestamp), (to, older): &(u64, Timestamp)| {
            newer.duration_since(*older).as_millis() / i128::from(to - from)
        };
        let parts = times.iter().zip(times.iter().skip(1));
        let busiest = parts.min_by_key(|(from, to)| milliseconds_a_page(from, to));
        span = busiest.map_or(1..=1, |((from, _), (to, _))| *from..=*to);
    }
    Ok((pages > 0).then(|| path(*span.start())))
}

/// Up to `parts` and one more pages of a span, evenly spread, the first one and the last one among them.
fn spread(span: &RangeInclusive<u64>, parts: u64) -> impl Iterator<Item = u64> + use<> {
    let (first, length) = (*span.start(), span.end().saturating_sub(*span.start()));
    let parts = parts.min(length).max(1);
    (0..=parts).map(move |part| first + part * length / parts)
}

fn reports() -> Vec<Case> {
    let report = |report: &str| {
        let path = format!("/api/bff/analytics/{report}?days=90");
        Case::new(Kind::Report, &format!("{report} report"), path)
    };
    REPORTS.map(report).into()
}

async fn lookups(system: &System) -> Result<Vec<Case>, BenchError> {
    let (_, id) = examples(system).await?;
    Ok(vec![
        Case::new(Kind::Lookup, "order", format!("{ORDERS}/{id}")),
        Case::new(Kind::Lookup, "merchant profile", "/api/bff/merchant".to_owned()),
        Case::new(Kind::Lookup, "merchant stats", "/api/bff/merchant/stats".to_owned()),
    ])
}

/// The first, the middle and the last page of a list, as far as it has as many. `case` gets the place and the number of the
/// page, which begins at 1.
fn pages(total: u64, page_size: u64, case: impl Fn(Place, u64) -> Case) -> Vec<Case> {
    let count = total.div_ceil(page_size);
    let places = [(Place::First, 1), (Place::Middle, count.div_ceil(2)), (Place::Last, count)];
    let mut cases = Vec::new();
    let mut last_page = 0;
    for (place, page) in places {
        if (last_page + 1..=count).contains(&page) {
            cases.push(case(place, page));
            last_page = page;
        }
    }
    cases
}

fn orders_path(page_size: u64, page: u64, filter: &str) -> String {
    format!("{ORDERS}?pageSize={page_size}&page={page}{filter}")
}

fn settlements_path(take: u64, skip: u64) -> String {
    format!("{SETTLEMENTS}?take={take}&skip={skip}")
}

async fn count_orders(system: &System, filter: &str) -> Result<u64, BenchError> {
    let path = orders_path(1, 1, filter);
    number(&path, &system.get(&path).await?, "/data/total")
}

async fn count_settlements(system: &System) -> Result<u64, BenchError> {
    let path = settlements_path(1, 0);
    number(&path, &system.get(&path).await?, "/total")
}

fn number(path: &str, body: &Value, pointer: &'static str) -> Result<u64, BenchError> {
    let number = body.pointer(pointer).and_then(Value::as_u64);
    number.ok_or_else(|| BenchError::Missing { path: path.to_owned(), pointer })
}

fn text<'a>(body: &'a Value, pointer: &str) -> Option<&'a str> {
    body.pointer(pointer)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_spread_from_the_first_to_the_last() {
        for (span, parts, pages) in
            [(1..=3, 50, vec![1, 2, 3]), (1..=1000, 3, vec![1, 334, 667, 1000]), (400..=800, 4, vec![400, 500, 600, 700, 800])]
        {
            assert_eq!(spread(&span, parts).collect::<Vec<_>>(), pages, "{span:?} {parts}");
        }
    }

    #[test]
    fn a_list_has_up_to_three_different_pages() {
        let page_numbers = |total| -> Vec<String> {
            let case = |place, page: u64| Case::new(Kind::Orders, "", page.to_string()).at(place);
            pages(total, 20, case).iter().map(|case| format!("{} {:?}", case.path, case.place.unwrap())).collect()
        };
        assert!(page_numbers(0).is_empty());
        assert_eq!(page_numbers(20), ["1 First"]);
        assert_eq!(page_numbers(40), ["1 First", "2 Last"]);
        assert_eq!(page_numbers(1001), ["1 First", "26 Middle", "51 Last"]);
    }
}
