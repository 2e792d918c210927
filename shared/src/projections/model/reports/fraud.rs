//! Fraud check results. The texts do not reveal how the check works.

use std::ops::AddAssign;

use super::kpi::{Tenths, percentage};
use crate::cards::model::order::FraudStatus;
use crate::projections::model::tally::Tally;
use crate::values::OpenEnum;

/// Checked orders, counted by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FraudCounts {
    pub passed: u64,
    pub review: u64,
    pub blocked: u64,
}

impl FraudCounts {
    /// From the tally of [`Series::Orders`](crate::projections::model::tally::Series::Orders).
    pub fn new(orders: &Tally) -> Self {
        let count = |wanted: FraudStatus| {
            let wanted = OpenEnum::from(wanted).to_string();
            orders.count_where(|labels| matches!(labels, [_, _, fraud, _] if *fraud == wanted))
        };
        Self { passed: count(FraudStatus::Passed), review: count(FraudStatus::Review), blocked: count(FraudStatus::Blocked) }
    }

    /// Returns the percentage of checked orders that passed, or `None` if no order was checked.
    pub fn pass_rate(&self) -> Option<Tenths> {
        percentage(self.passed, self.passed + self.review + self.blocked)
    }
}

impl AddAssign<&Self> for FraudCounts {
    fn add_assign(&mut self, other: &Self) {
        self.passed += other.passed;
        self.review += other.review;
        self.blocked += other.blocked;
    }
}

/// Returns the action taken on a flagged order, or `None` if the order passed or was not checked.
pub fn action_label(status: FraudStatus) -> Option<&'static str> {
    match status {
        FraudStatus::Review => Some("Sent to review"),
        FraudStatus::Blocked => Some("Blocked"),
        FraudStatus::Passed | FraudStatus::NotChecked => None,
    }
}

/// Translates a reason code of the fraud provider into a sentence for the merchant. The code itself is never shown.
pub fn reason_text(code: Option<&str>) -> &'static str {
    match code.map(|code| code.trim().to_ascii_uppercase()).as_deref() {
        Some("VELOCITY") => "Many orders were placed within a short time.",
        Some("HIGH_AMOUNT") => "The amount is higher than usual.",
        Some("COUNTRY_MISMATCH") => "The buyer and the payment are from different countries.",
        Some("DISPOSABLE_EMAIL") => "The buyer used a temporary e-mail address.",
        _ => "The order looked unusual.",
    }
}
