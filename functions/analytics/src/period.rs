//! The period that all four routes are asked for with `days`.

use jiff::Timestamp;
use shared::domain::merchant::Merchant;
use shared::domain::reports::days::{Days, time_zone};
use shared::http::description::Description;
use shared::http::query::Query;

const LENGTHS: [u8; 4] = [7, 14, 30, 90];
const USUAL: u8 = 14;

/// The days that the query asks for, up to what is today for the merchant. Any number of days that is not offered is
/// as none.
pub(crate) fn days(query: &Query, merchant: &Merchant, now: Timestamp) -> Days {
    Days::up_to(now, &time_zone(&merchant.time_zone), length(query))
}

fn length(query: &Query) -> u8 {
    let wanted = query.whole_number("days");
    LENGTHS.into_iter().find(|length| wanted == Some(i64::from(*length))).unwrap_or(USUAL)
}

pub(crate) fn described(summary: &'static str, text: &'static str) -> Description {
    let days = "7, 14, 30 or 90 days up to today by the merchant's calendar. Any other value is as none: 14.";
    Description::new(summary, text).query::<i64>("days", days, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_four_lengths_are_offered() {
        for (query, days) in [
            ("days=7", 7),
            ("days=14", 14),
            ("days=30", 30),
            ("days=90", 90),
            ("", 14),
            ("days=", 14),
            ("days=8", 14),
            ("days=0", 14),
            ("days=-7", 14),
            ("days=91", 14),
            ("days=263", 14),
            ("days=7.0", 14),
            ("days=week", 14),
            ("days=99999999999999999999", 14),
        ] {
            assert_eq!(length(&Query::parse(query)), days, "{query}");
        }
    }
}
