//! What the fraud check made of orders, in words that tell no fraudster how it works.

use std::ops::AddAssign;

use serde::Serialize;
use utoipa::ToSchema;

use super::kpi::{Tenths, percentage};
use crate::domain::order::FraudStatus;

/// The orders of some time that the fraud check has seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FraudCounts {
    pub passed: u64,
    pub review: u64,
    pub blocked: u64,
}

impl FraudCounts {
    pub fn add(&mut self, status: FraudStatus) {
        match status {
            FraudStatus::Passed => self.passed += 1,
            FraudStatus::Review => self.review += 1,
            FraudStatus::Blocked => self.blocked += 1,
            FraudStatus::NotChecked => {}
        }
    }

    /// How many percent of the checked orders passed; none where none was checked.
    pub fn pass_rate(&self) -> Option<Tenths> {
        percentage(self.passed, self.passed + self.review + self.blocked)
    }

    /// The counts as slices of a chart, each in its colour, those of 0 included.
    pub fn slices(&self) -> [Slice; 3] {
        [
            Slice { name: "Passed", value: self.passed, color: "#16a34a" },
            Slice { name: "Review", value: self.review, color: "#f59e0b" },
            Slice { name: "Blocked", value: self.blocked, color: "#dc2626" },
        ]
    }
}

impl AddAssign<&Self> for FraudCounts {
    fn add_assign(&mut self, other: &Self) {
        self.passed += other.passed;
        self.review += other.review;
        self.blocked += other.blocked;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = FraudSlice)]
pub struct Slice {
    name: &'static str,
    value: u64,
    /// `#rrggbb`.
    color: &'static str,
}

/// What was done with an order that did not simply pass; none for one that did, or was not checked.
pub fn action(status: FraudStatus) -> Option<&'static str> {
    match status {
        FraudStatus::Review => Some("Sent to review"),
        FraudStatus::Blocked => Some("Blocked"),
        FraudStatus::Passed | FraudStatus::NotChecked => None,
    }
}

/// Why, as a sentence for the merchant. The provider's own words never show.
pub fn reason(code: Option<&str>) -> &'static str {
    match code.map(|code| code.trim().to_ascii_uppercase()).as_deref() {
        Some("VELOCITY") => "Many orders were placed within a short time.",
        Some("HIGH_AMOUNT") => "The amount is higher than usual.",
        Some("COUNTRY_MISMATCH") => "The buyer and the payment are from different countries.",
        Some("DISPOSABLE_EMAIL") => "The buyer's e-mail address is a temporary one.",
        _ => "The order did not look like usual ones.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_pass_rate_leaves_out_what_was_not_checked() {
        let mut counts = FraudCounts::default();
        assert_eq!(counts.pass_rate(), None);
        counts.add(FraudStatus::NotChecked);
        assert_eq!(counts.pass_rate(), None);
        for status in [FraudStatus::Passed, FraudStatus::Passed, FraudStatus::Review] {
            counts.add(status);
        }
        assert_eq!(json!(counts.pass_rate()), json!(66.7));
    }

    #[test]
    fn a_reason_is_one_of_a_few_sentences() {
        let general = reason(None);
        assert_ne!(reason(Some("VELOCITY")), general);
        assert_eq!(reason(Some(" velocity ")), reason(Some("VELOCITY")));
        assert_eq!(reason(Some("R7:score=0.93")), general);
        assert_eq!(reason(Some("")), general);
    }
}
