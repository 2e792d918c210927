//! Amounts owed and paid to a merchant.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::total::currency;
use crate::projections::model::tally::Tally;
use crate::values::{Currency, Minor};

/// A merchant's settlements. Amounts include settlements in the report currency only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Payouts {
    currency: Currency,
    month_start: Timestamp,
    /// Net amount of unpaid settlements, due or not.
    pub pending_net: Minor,
    /// Net amount of paid settlements that became eligible in the current month (UTC) or later.
    pub paid_net: Minor,
    /// Number of unpaid settlements in any currency.
    pub unsettled: u64,
}

impl Payouts {
    pub fn new(currency: Currency, now: Timestamp) -> Self {
        let month_start = now.to_zoned(TimeZone::UTC).first_of_month().and_then(|day| day.start_of_day());
        Self {
            currency,
            month_start: month_start.map_or(now, |day| day.timestamp()),
            pending_net: Minor::ZERO,
            paid_net: Minor::ZERO,
            unsettled: 0,
        }
    }

    /// Adds the settlements that became eligible from `start` on, within a month of UTC.
    pub fn add(&mut self, start: Timestamp, settlements: &Tally) {
        for (labels, figures) in settlements.iter() {
            let [status, code, ..] = labels else { continue };
            let is_in_currency = currency(code) == Some(self.currency);
            let net = if is_in_currency { figures.sum } else { Minor::ZERO };
            match status.as_str() {
                PENDING | IN_BATCH => {
                    self.unsettled += figures.count;
                    self.pending_net = self.pending_net.saturating_add(net);
                }
                PAID if start >= self.month_start => self.paid_net = self.paid_net.saturating_add(net),
                _ => {}
            }
        }
    }
}

/// The stored texts of [`SettlementStatus`](crate::settlements::model::settlement::SettlementStatus).
pub const PENDING: &str = "PENDING";
pub const IN_BATCH: &str = "IN_BATCH";
const PAID: &str = "PAID";
/// What tallies tell of pending settlements: the next payout takes it once it is eligible, or no payout takes it.
pub const PAYABLE: &str = "PAYABLE";
pub const HELD: &str = "HELD";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settlements::model::settlement::SettlementStatus;
    use crate::values::OpenEnum;

    #[test]
    fn labels_are_the_stored_texts() {
        for (status, text) in
            [(SettlementStatus::Pending, PENDING), (SettlementStatus::InBatch, IN_BATCH), (SettlementStatus::Paid, PAID)]
        {
            assert_eq!(OpenEnum::from(status).to_string(), text);
        }
    }

    #[test]
    fn a_month_starts_at_midnight_of_its_first_day() {
        for (now, expected) in [
            ("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z"),
            ("2026-03-31T23:59:59.999Z", "2026-03-01T00:00:00Z"),
            ("2024-02-29T12:00:00Z", "2024-02-01T00:00:00Z"),
        ] {
            let payouts = Payouts::new(Currency::EUR, now.parse().unwrap());
            assert_eq!(payouts.month_start, expected.parse().unwrap(), "{now}");
        }
    }
}
