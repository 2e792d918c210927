//! Visits to a merchant's shop.

use std::ops::AddAssign;

use super::ranking::Ranking;
use crate::projections::model::tally::Tally;
use crate::projections::model::visit::{EMBED, ENTRY};
use crate::values::non_blank;

/// Visits of a day or a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visits {
    pub count: u64,
    /// Visits by where the shop was embedded.
    pub by_embed: Ranking<u64>,
    /// Visits by entry page.
    pub by_entry: Ranking<u64>,
}

impl Visits {
    /// From the tallies of [`Series::Visits`] and [`Series::VisitNames`].
    ///
    /// [`Series::Visits`]: crate::projections::model::tally::Series::Visits
    /// [`Series::VisitNames`]: crate::projections::model::tally::Series::VisitNames
    pub fn new(visits: &Tally, names: &Tally) -> Self {
        let mut report = Self { count: visits.count_where(|_| true), ..Self::default() };
        for (labels, figures) in names.iter() {
            let [kind, name] = labels else { continue };
            match kind.as_str() {
                EMBED => *report.by_embed.entry(non_blank(Some(name)).unwrap_or("Direct")) += figures.count,
                ENTRY => *report.by_entry.entry(non_blank(Some(name)).unwrap_or("Unknown")) += figures.count,
                _ => {}
            }
        }
        report
    }
}

impl AddAssign<&Self> for Visits {
    fn add_assign(&mut self, other: &Self) {
        self.count += other.count;
        self.by_embed += &other.by_embed;
        self.by_entry += &other.by_entry;
    }
}
