//! Redemption counts and amounts.

use std::ops::AddAssign;

use super::ranking::Ranking;
use super::total::Total;
use super::visits::non_blank;
use crate::domain::ids::QrCode;
use crate::domain::redemption::{RedemptionStatus, ReportedRedemption};

/// Redemptions of a day or a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redemptions {
    /// Redemptions of any status.
    pub attempts: Total,
    /// Succeeded redemptions; their sum is the redeemed amount.
    pub succeeded: Total,
    pub failed: u64,
    /// Succeeded redemptions by store.
    pub by_store: Ranking<Total>,
    /// Succeeded redemptions by source.
    pub by_source: Ranking<Total>,
}

impl Redemptions {
    pub fn add(&mut self, redemption: &ReportedRedemption) {
        self.attempts.add(redemption.amount);
        match redemption.status.known() {
            Some(RedemptionStatus::Succeeded) => {
                self.succeeded.add(redemption.amount);
                self.by_store.entry(store_label(redemption)).add(redemption.amount);
                self.by_source.entry(source_label(redemption)).add(redemption.amount);
            }
            Some(RedemptionStatus::Failed) => self.failed += 1,
            Some(RedemptionStatus::Pending) | None => {}
        }
    }
}

impl AddAssign<&Self> for Redemptions {
    fn add_assign(&mut self, other: &Self) {
        self.attempts += &other.attempts;
        self.succeeded += &other.succeeded;
        self.failed += other.failed;
        self.by_store += &other.by_store;
        self.by_source += &other.by_source;
    }
}

/// Returns the source of a redemption, or `Other` if it is missing or blank.
pub fn source_label(redemption: &ReportedRedemption) -> &str {
    non_blank(redemption.source.as_deref()).unwrap_or("Other")
}

/// Returns the store of a redemption, or `Unspecified location` if it is missing or blank.
pub fn store_label(redemption: &ReportedRedemption) -> &str {
    non_blank(redemption.store_name.as_deref()).unwrap_or("Unspecified location")
}

/// Returns a display reference that cannot be redeemed: the last four characters of the card network's code, else of
/// the QR code. Codes of up to four characters are masked completely.
pub fn card_reference(redemption: &ReportedRedemption) -> &str {
    let network_code = non_blank(redemption.network_code.as_deref());
    let qr_code = || non_blank(redemption.qr_code.as_ref().map(QrCode::as_str));
    last_four(network_code.or_else(qr_code).unwrap_or_default()).unwrap_or("••••")
}

/// Returns the last four characters, or `None` if the text has no more than four.
fn last_four(text: &str) -> Option<&str> {
    let (start, _) = text.char_indices().rev().nth(3)?;
    text.get(start..).filter(|_| start > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::RedemptionId;
    use crate::domain::money::{Currency, Minor, Money};

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
    fn shows_only_the_last_four_characters_of_a_card_code() {
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
    fn pending_redemptions_count_as_attempts_only() {
        let mut redemptions = Redemptions::default();
        for status in [RedemptionStatus::Pending, RedemptionStatus::Failed, RedemptionStatus::Succeeded] {
            redemptions.add(&ReportedRedemption { status: status.into(), ..redemption(None, None) });
        }
        let (attempts, succeeded) = (redemptions.attempts.count(), redemptions.succeeded.count());
        assert_eq!((attempts, succeeded, redemptions.failed), (3, 1, 1));
        assert_eq!(redemptions.succeeded.sum(Currency::EUR), Minor::new(1000));
        for (ranking, name) in
            [(&redemptions.by_source, "Other"), (&redemptions.by_store, "Unspecified location")]
        {
            let listed: Vec<_> = ranking.top(8, Total::count).collect();
            assert!(matches!(listed[..], [(only, total)] if only == name && total.count() == 1), "{name}");
        }
    }
}
