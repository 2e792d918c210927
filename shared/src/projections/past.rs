//! What was counted from a day on up to a minute, with few rows: whole months where possible.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::db::{Range, StoreError};
use crate::projections::model::tally::{DatedSeries, Tally};
use crate::projections::rows::tallies::{Bucket, MerchantTallies};
use crate::values::{Span, month_span};

/// The tallies of the days from `dates.start` to before the minute that begins at `end`. Those before `dates.end` are read as
/// whole months where possible.
pub(super) async fn past(
    tallies: &MerchantTallies<'_>,
    series: &DatedSeries,
    dates: &Span<Date>,
    end: Timestamp,
) -> Result<Vec<(Bucket, Tally)>, StoreError> {
    let (before, months, after) = whole_months(dates);
    let (before, rest) =
        tokio::try_join!(tallies.days(series, &before, Range::eventual), tallies.before(end, series, after.start, &months),)?;
    let before = before.into_iter().map(|(date, sum)| (Bucket::Day(date), sum.tally));
    Ok(before.chain(rest).collect())
}

/// The days before the first whole month, the whole months, and the days after the last one: all of them if there is no whole
/// month.
fn whole_months(dates: &Span<Date>) -> (Span<Date>, Span<Date>, Span<Date>) {
    let month = month_span(dates.start);
    let first = if month.start == dates.start { month.start } else { month.end };
    let last = dates.end.first_of_month();
    if first >= last {
        return (dates.start..dates.start, dates.start..dates.start, dates.clone());
    }
    (dates.start..first, first..last, last..dates.end)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn a_span_of_days_is_read_as_whole_months_where_possible() {
        for (dates, before, months, after) in [
            ("2026-01-01 2026-03-01", "2026-01-01 2026-01-01", "2026-01-01 2026-03-01", "2026-03-01 2026-03-01"),
            ("2026-01-02 2026-03-05", "2026-01-02 2026-02-01", "2026-02-01 2026-03-01", "2026-03-01 2026-03-05"),
            ("2026-01-02 2026-02-05", "2026-01-02 2026-01-02", "2026-01-02 2026-01-02", "2026-01-02 2026-02-05"),
            ("2026-01-02 2026-01-05", "2026-01-02 2026-01-02", "2026-01-02 2026-01-02", "2026-01-02 2026-01-05"),
        ] {
            let span = |text: &str| -> Span<Date> {
                let (start, end) = text.split_once(' ').unwrap();
                start.parse().unwrap()..end.parse().unwrap()
            };
            assert_eq!(whole_months(&span(dates)), (span(before), span(months), span(after)), "{dates}");
        }
    }

    #[test]
    fn the_parts_of_a_span_have_all_of_its_days() {
        let start: Date = "2025-12-30".parse().unwrap();
        for days in 0..100 {
            let end = start.saturating_add(days.days());
            let (before, months, after) = whole_months(&(start..end));
            assert_eq!((before.start, before.end, months.end, after.end), (start, months.start, after.start, end));
        }
    }
}
