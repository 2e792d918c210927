//! Redemptions, and the money that they took off cards.

use std::ops::AddAssign;

use super::ranking::Ranking;
use super::total::Total;
use super::visits::named;
use crate::domain::ids::QrCode;
use crate::domain::money::Currency;
use crate::domain::redemption::{RedemptionStatus, ReportedRedemption};

/// The redemptions of some time, in the shown currency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redemptions {
    /// Whatever became of them, or is still to become.
    pub attempts: u64,
    /// Their sum is what was redeemed.
    pub succeeded: Total,
    pub failed: u64,
    /// Those that succeeded, by store.
    pub by_store: Ranking<Total>,
    /// All attempts and what they asked for, by source.
    pub by_source: Ranking<Total>,
}

impl Redemptions {
    pub fn add(&mut self, redemption: &ReportedRedemption, shown: Currency) {
        self.attempts += 1;
        self.by_source.of(source_label(redemption)).add(redemption.amount, shown);
        match redemption.status.known() {
            Some(RedemptionStatus::Succeeded) => {
                self.succeeded.add(redemption.amount, shown);
                self.by_store.of(store_label(redemption)).add(redemption.amount, shown);
            }
            Some(RedemptionStatus::Failed) => self.failed += 1,
            Some(RedemptionStatus::Pending) | None => {}
        }
    }
}

impl AddAssign<&Self> for Redemptions {
    fn add_assign(&mut self, other: &Self) {
        self.attempts += other.attempts;
        self.succeeded += &other.succeeded;
        self.failed += other.failed;
        self.by_store += &other.by_store;
        self.by_source += &other.by_source;
    }
}

/// Where a redemption came from, or `Other`.
pub fn source_label(redemption: &ReportedRedemption) -> &str {
    named(redemption.source.as_deref()).unwrap_or("Other")
}

/// The store that it took place in, or `Unspecified location`.
pub fn store_label(redemption: &ReportedRedemption) -> &str {
    named(redemption.store_name.as_deref()).unwrap_or("Unspecified location")
}

/// What tells a card from others without being worth money: the last four characters of the card network's code, or
/// of the QR code where there is none. A code that would be given away by them is masked whole.
pub fn card_reference(redemption: &ReportedRedemption) -> &str {
    let network_code = named(redemption.network_code.as_deref());
    let qr_code = || named(redemption.qr_code.as_ref().map(QrCode::as_str));
    last_four(network_code.or_else(qr_code).unwrap_or_default()).unwrap_or("••••")
}

/// None of a text that has no others.
fn last_four(text: &str) -> Option<&str> {
    let (start, _) = text.char_indices().rev().nth(3)?;
    text.get(start..).filter(|_| start > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::RedemptionId;
    use crate::domain::money::{Minor, Money};

    fn redemption(network_code: Option<&str>, qr_code: Option<&str>) -> ReportedRedemption {
        ReportedRedemption {
            id: RedemptionId::new("r-1"),
            occurred_at: "2026-01-01T00:00:00Z".parse().unwrap(),
            status: RedemptionStatus::Succeeded.into(),
            source: None,
            store_name: None,
            amount: Money::new(Minor::new(1000), Currency::EUR),
            qr_code: qr_code.map(QrCode::new),
            network_code: network_code.map(str::to_owned),
        }
    }

    #[test]
    fn a_card_is_known_by_its_last_four_characters() {
        for (network_code, qr_code, reference) in [
            (Some("NC-12345"), Some("QR-9876"), "2345"),
            (None, Some("QR-9876"), "9876"),
            (Some(" "), Some("QR-9876"), "9876"),
            (Some("12345"), None, "2345"),
            (Some("1234"), None, "••••"),
            (Some("1234"), Some("QR-9876"), "••••"),
            (Some("ååäöü"), None, "åäöü"),
            (Some("åäöü"), None, "••••"),
            (None, Some(""), "••••"),
            (None, None, "••••"),
        ] {
            assert_eq!(
                card_reference(&redemption(network_code, qr_code)),
                reference,
                "{network_code:?} {qr_code:?}"
            );
        }
    }

    #[test]
    fn an_attempt_that_is_open_neither_succeeded_nor_failed() {
        let mut counted = Redemptions::default();
        for status in [RedemptionStatus::Pending, RedemptionStatus::Failed, RedemptionStatus::Succeeded] {
            counted
                .add(&ReportedRedemption { status: status.into(), ..redemption(None, None) }, Currency::EUR);
        }
        assert_eq!((counted.attempts, counted.succeeded.count, counted.failed), (3, 1, 1));
        assert_eq!(counted.succeeded.sum, Minor::new(1000));
        let by_source: Vec<_> = counted.by_source.top(8, |total| total.sum).collect();
        assert!(matches!(by_source[..], [("Other", total)] if (total.count, total.sum.get()) == (3, 3000)));
        let by_store: Vec<_> = counted.by_store.top(8, |total| total.sum).collect();
        assert!(matches!(by_store[..], [("Unspecified location", total)] if total.count == 1));
    }
}
