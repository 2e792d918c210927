//! Redemption counts and amounts.

use std::ops::AddAssign;

use super::ranking::Ranking;
use super::total::{Total, currency};
use crate::cards::model::redemption::{RedemptionStatus, SOURCE, STORE};
use crate::projections::model::tally::Tally;
use crate::values::{OpenEnum, non_blank};

/// Redemptions of a day or a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redemptions {
    /// Redemptions of any status.
    pub attempts: Total,
    /// Succeeded redemptions; their sum is the redeemed amount.
    pub succeeded: Total,
    pub failed: u64,
    /// Successful redemptions by store.
    pub by_store: Ranking<Total>,
    /// Successful redemptions by source.
    pub by_source: Ranking<Total>,
}

impl Redemptions {
    /// From the tallies of [`Series::Redemptions`] and [`Series::RedemptionNames`].
    ///
    /// [`Series::Redemptions`]: crate::projections::model::tally::Series::Redemptions
    /// [`Series::RedemptionNames`]: crate::projections::model::tally::Series::RedemptionNames
    pub fn new(redemptions: &Tally, names: &Tally) -> Self {
        let status = |status: RedemptionStatus| OpenEnum::from(status).to_string();
        let (succeeded, failed) = (status(RedemptionStatus::Succeeded), status(RedemptionStatus::Failed));
        let mut report = Self::default();
        for (labels, figures) in redemptions.iter() {
            let [status, code, ..] = labels else { continue };
            let Some(currency) = currency(code) else { continue };
            report.attempts.add_figures(currency, figures);
            if *status == succeeded {
                report.succeeded.add_figures(currency, figures);
            } else if *status == failed {
                report.failed += figures.count;
            }
        }
        for (labels, figures) in names.iter() {
            let [kind, name, code] = labels else { continue };
            let Some(currency) = currency(code) else { continue };
            let ranking = match kind.as_str() {
                STORE => report.by_store.entry(store_label(Some(name))),
                SOURCE => report.by_source.entry(source_label(Some(name))),
                _ => continue,
            };
            ranking.add_figures(currency, figures);
        }
        report
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

/// The source of a redemption, or `Other` if it is missing or blank.
pub fn source_label(source: Option<&str>) -> &str {
    non_blank(source).unwrap_or("Other")
}

/// The store of a redemption, or `Unspecified location` if it is missing or blank.
pub fn store_label(store_name: Option<&str>) -> &str {
    non_blank(store_name).unwrap_or("Unspecified location")
}
