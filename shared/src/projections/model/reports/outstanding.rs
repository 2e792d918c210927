//! What is outstanding: the value of the gift cards that a merchant has issued and that has not been redeemed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

use super::total::currency;
use crate::projections::model::tally::{Figures, Tally};
use crate::values::{Currency, Minor};

/// The first labels of tallies of issued cards. The second one is the currency.
pub const SOLD: &str = "SOLD";
pub const GIVEN_BACK: &str = "GIVEN_BACK";
/// The third labels of tallies of redemptions that have succeeded.
pub const REDEEMED: &str = "REDEEMED";
pub const REDEEMED_OF_OTHERS: &str = "REDEEMED_OF_OTHERS";

/// The gift cards of one currency. Amounts are in its minor units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutstandingByCurrency {
    /// ISO 4217 code.
    currency: Currency,
    /// What was issued minus what was redeemed, until now. Can be negative.
    outstanding_minor: Minor,
    /// Oldest first, including empty months. The last one is the current month.
    months: Vec<OutstandingMonth>,
    /// What was redeemed in these months from cards that the merchant did not issue in this currency. It does not reduce the
    /// balance.
    redeemed_of_others_minor: Minor,
}

/// A month in the merchant's time zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutstandingMonth {
    /// Year and month: `2026-11`.
    #[schema(pattern = "^[0-9]{4}-[0-9]{2}$")]
    month: String,
    /// The value of the gift cards that were issued, by the time of their order.
    issued_minor: Minor,
    /// The number of these gift cards.
    issued_count: u64,
    /// What was redeemed from cards that the merchant issued, in any month.
    redeemed_minor: Minor,
    /// The number of these redemptions.
    redeemed_count: u64,
    /// The part of `issuedMinor` that gives back a redemption.
    given_back_minor: Minor,
    /// The outstanding balance at the end of the month, or now in the current month. Can be negative.
    outstanding_minor: Minor,
}

/// What was counted in one currency and month.
#[derive(Debug, Clone, Copy, Default)]
struct Month {
    issued: Figures,
    given_back: Minor,
    redeemed: Figures,
    redeemed_of_others: Minor,
}

impl Month {
    fn add(&mut self, kind: &str, figures: Figures) {
        match kind {
            SOLD => self.issued += figures,
            GIVEN_BACK => {
                self.issued += figures;
                self.given_back = self.given_back.saturating_add(figures.sum);
            }
            REDEEMED => self.redeemed += figures,
            REDEEMED_OF_OTHERS => self.redeemed_of_others = self.redeemed_of_others.saturating_add(figures.sum),
            _ => {}
        }
    }

    fn outstanding_after(&self, before: Minor) -> Minor {
        before.saturating_add(self.issued.sum).saturating_sub(self.redeemed.sum)
    }
}

impl OutstandingByCurrency {
    /// The last `months` months until that of `today`, for `own`, the merchant's currency, and each other one in which anything was
    /// issued or redeemed. `tallies` are those of issued cards and of redemptions until now, any number for a month, each with a date of it.
    pub fn all(own: Currency, today: Date, months: u8, tallies: &[(Date, Tally)]) -> Vec<Self> {
        let mut counted: BTreeMap<&str, BTreeMap<Date, Month>> = BTreeMap::new();
        for (date, tally) in tallies {
            for (labels, figures) in tally.iter() {
                let ([kind, code] | [_, code, kind]) = labels else { continue };
                if ![SOLD, GIVEN_BACK, REDEEMED, REDEEMED_OF_OTHERS].contains(&kind.as_str()) {
                    continue;
                }
                let Some(currency) = currency(code) else { continue };
                let of_currency = counted.entry(currency.code()).or_default();
                of_currency.entry(date.first_of_month()).or_default().add(kind, figures);
            }
        }
        let of = |currency: Currency| {
            let counted = counted.get(currency.code());
            Self::new(currency, today.first_of_month(), months, counted.unwrap_or(&BTreeMap::new()))
        };
        let others = counted.keys().filter(|code| **code != own.code());
        std::iter::once(own).chain(others.filter_map(|code| currency(code))).map(of).collect()
    }

    fn new(currency: Currency, last: Date, months: u8, counted: &BTreeMap<Date, Month>) -> Self {
        let shown: BTreeSet<Date> = (0..months).map(|back| last.saturating_sub(i32::from(back).months())).collect();
        let first = shown.first().copied().unwrap_or(last);
        let mut outstanding = counted.range(..first).fold(Minor::ZERO, |before, (_, month)| month.outstanding_after(before));
        let mut redeemed_of_others = Minor::ZERO;
        let months = shown.iter().map(|date| {
            let month = counted.get(date).copied().unwrap_or_default();
            outstanding = month.outstanding_after(outstanding);
            redeemed_of_others = redeemed_of_others.saturating_add(month.redeemed_of_others);
            OutstandingMonth {
                month: date.strftime("%Y-%m").to_string(),
                issued_minor: month.issued.sum,
                issued_count: month.issued.count,
                redeemed_minor: month.redeemed.sum,
                redeemed_count: month.redeemed.count,
                given_back_minor: month.given_back,
                outstanding_minor: outstanding,
            }
        });
        let months = months.collect();
        Self { currency, outstanding_minor: outstanding, months, redeemed_of_others_minor: redeemed_of_others }
    }
}
