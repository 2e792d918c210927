//! What the measured units mean in dollars a month, for merchants of three sizes.

use crate::figures::{NOTHING, dollars, from_count, grouped};
use crate::results::{Kind, SizeResult};

/// List prices of us-east-1, as in docs/cost.md, for a million.
const READ_UNITS: f64 = 0.125 / 1e6;
const WRITE_UNITS: f64 = 0.625 / 1e6;
const S3_REQUESTS: f64 = 0.40 / 1e6;

/// What a merchant of a size does in a month.
struct Merchant {
    orders_per_year: u32,
    pages: u32,
    reports: u32,
    searches: u32,
}

const MERCHANTS: [Merchant; 3] = [
    Merchant { orders_per_year: 1_000, pages: 600, reports: 60, searches: 60 },
    Merchant { orders_per_year: 50_000, pages: 6_000, reports: 600, searches: 600 },
    Merchant { orders_per_year: 1_000_000, pages: 60_000, reports: 3_000, searches: 6_000 },
];

pub(crate) const NOTES: [&str; 4] = [
    "DynamoDB on demand in us-east-1: $0.125 for a million read units, $0.625 for a million write units, as in",
    "[cost.md](../../docs/cost.md); S3: $0.40 for a million requests. A merchant is charged as the next larger one that was measured, or as",
    "the largest one, and each page, report and search as the most expensive page of orders, report and search. Half of the",
    "cards are redeemed.",
];

/// A Markdown table. The results are in ascending order of their sizes.
pub(crate) fn table(results: &[SizeResult]) -> Vec<String> {
    let head = [
        "| orders a year | pages of orders | reports | searches | reads | writes of sales and redemptions |",
        "|---|---|---|---|---|---|",
    ];
    let rows = MERCHANTS.iter().filter_map(|merchant| row(merchant, results));
    head.map(str::to_owned).into_iter().chain(rows).collect()
}

fn row(merchant: &Merchant, results: &[SizeResult]) -> Option<String> {
    let measured = merchant.measured(results)?;
    let Merchant { orders_per_year, pages, reports, searches } = merchant;
    let counts = [orders_per_year, pages, reports, searches].map(|count| grouped((*count).into()));
    let amounts = [
        merchant.reads(|kind| measured.read_units(kind)).map(|reads| reads + merchant.s3_requests(measured)),
        Some(merchant.writes(measured)),
    ];
    let amounts = amounts.map(|amount| match amount {
        Some(amount) => format!("${}", dollars(amount)),
        None => NOTHING.to_owned(),
    });
    Some(format!("| {} | {} |", counts.join(" | "), amounts.join(" | ")))
}

impl Merchant {
    /// The result of the next larger merchant, or of the largest one.
    fn measured<'a>(&self, results: &'a [SizeResult]) -> Option<&'a SizeResult> {
        results.iter().find(|result| result.orders >= self.orders_per_year).or(results.last())
    }

    /// `None` if the units of a kind of request are not known.
    fn reads(&self, units: impl Fn(Kind) -> Option<f64>) -> Option<f64> {
        let requests = [(self.pages, Kind::Orders), (self.reports, Kind::Report), (self.searches, Kind::Search)];
        let consumed = requests.map(|(count, kind)| Some(f64::from(count) * units(kind)?));
        let consumed: Option<Vec<f64>> = consumed.into_iter().collect();
        Some(consumed?.iter().sum::<f64>() * READ_UNITS)
    }

    fn s3_requests(&self, measured: &SizeResult) -> f64 {
        let of_search = measured.of_kind(Kind::Search).map(|search| search.cost.s3_requests).max();
        f64::from(self.searches) * from_count(of_search.unwrap_or_default()) * S3_REQUESTS
    }

    /// Half of the cards are redeemed.
    fn writes(&self, measured: &SizeResult) -> f64 {
        let sales = f64::from(self.orders_per_year) / 12.0;
        let units = measured.till.sale.written_in_all + measured.till.redemption.written_in_all / 2.0;
        sales * units * WRITE_UNITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Place;
    use crate::results::tests::{measured, size_result};

    #[test]
    fn a_merchant_is_charged_as_the_next_larger_one() {
        let result = |orders: u32, read_units: f64| {
            let kinds = [Kind::Orders, Kind::Report, Kind::Search];
            size_result(orders, kinds.map(|kind| measured(kind, Place::First, read_units)).into())
        };
        let table = table(&[result(1_000, 10.0), result(100_000, 20.0)]);
        assert_eq!(
            table[2..],
            [
                "| 1,000 | 600 | 60 | 60 | $0.0009 | $0.0018 |",
                "| 50,000 | 6,000 | 600 | 600 | $0.018 | $0.091 |",
                "| 1,000,000 | 60,000 | 3,000 | 6,000 | $0.17 | $1.82 |",
            ]
        );
    }
}
