//! Fees: what is kept from a payout.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use crate::values::Minor;

/// A merchant's fees. Neither part has a default in a row: without one, the merchant would be paid too much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FeeTerms {
    /// Hundredths of a percent of the gross amount.
    pub percent_bps: u32,
    /// Minor units per settlement.
    pub fixed_minor: u32,
}

impl FeeTerms {
    /// `gross × percentBps / 10000` rounded half up, plus the fixed part; at most the gross amount.
    pub fn fee(self, gross: Minor) -> Minor {
        let share = (i128::from(gross.get()) * i128::from(self.percent_bps) + 5_000) / 10_000;
        let fee = (share + i128::from(self.fixed_minor)).min(i128::from(gross.get())).max(0);
        Minor::new(i64::try_from(fee).unwrap_or(gross.get()))
    }
}

/// The fees that were applied to a settlement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FeeSnapshot {
    Applied(FeeTerms),
    /// A JSON object that came with an imported settlement.
    Imported(String),
}

/// Reads the fees of a row. `None` for a kind of fees that only another release knows.
pub(crate) fn known_fees<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FeeSnapshot>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Fees {
        Known(FeeSnapshot),
        Unknown(IgnoredAny),
    }
    Ok(match Fees::deserialize(deserializer)? {
        Fees::Known(fees) => Some(fees),
        Fees::Unknown(IgnoredAny) => None,
    })
}

/// The terms under which a redemption is settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettlementTerms {
    pub fees: FeeTerms,
    pub payout_delay_days: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fees_round_half_up_and_never_exceed_the_gross_amount() {
        for (percent_bps, fixed_minor, gross, fee) in
            [(250, 100, 10_000, 350), (250, 0, 20, 1), (250, 0, 19, 0), (0, 0, 500, 0), (250, 100, 50, 50), (10_000, 5, 7, 7)]
        {
            assert_eq!(FeeTerms { percent_bps, fixed_minor }.fee(Minor::new(gross)).get(), fee, "of {gross}");
        }
    }

    #[test]
    fn unknown_kinds_of_fees_are_none() {
        #[derive(Deserialize)]
        struct Row {
            #[serde(default, deserialize_with = "known_fees")]
            fees: Option<FeeSnapshot>,
        }
        let applied = FeeSnapshot::Applied(FeeTerms { percent_bps: 250, fixed_minor: 100 });
        for (json, expected) in [
            (r#"{"fees": {"Applied": {"percentBps": 250, "fixedMinor": 100}}}"#, Some(applied)),
            (r#"{"fees": {"Imported": "{}"}}"#, Some(FeeSnapshot::Imported("{}".to_owned()))),
            (r#"{"fees": {"Tiered": {"tiers": [1.5, null]}}}"#, None),
            (r#"{"fees": null}"#, None),
            ("{}", None),
        ] {
            assert_eq!(serde_json::from_str::<Row>(json).unwrap().fees, expected, "{json}");
        }
    }

    proptest! {
        #[test]
        fn a_fee_lies_between_zero_and_the_gross_amount(
            percent_bps: u32, fixed_minor: u32, gross in 0..=Minor::MAX.get(),
        ) {
            let fee = FeeTerms { percent_bps, fixed_minor }.fee(Minor::new(gross)).get();
            prop_assert!((0..=gross).contains(&fee));
        }
    }
}
