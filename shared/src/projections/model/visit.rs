//! Visits of a merchant's shop, for analytics.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::tally::{Countable, Series, Tally};
use crate::cards::model::redemption::trimmed;
use crate::values::{MerchantId, OpenEnum};

/// The event that began a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitEvent {
    WidgetCatalogViewed,
}

/// A visit of one visitor to a merchant's shop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    pub id: String,
    pub merchant_id: MerchantId,
    pub started_at: Timestamp,
    pub embed: Option<String>,
    pub entry: Option<String>,
    /// The event that began it, if known.
    pub event: Option<OpenEnum<VisitEvent>>,
}

/// The first labels of names in tallies.
pub const EMBED: &str = "embed";
pub const ENTRY: &str = "entry";

impl Countable for Visit {
    fn counted_at(&self) -> Timestamp {
        self.started_at
    }

    fn count(&self, series: Series, tally: &mut Tally) {
        match series {
            Series::Visits => tally.add_one([]),
            Series::VisitNames => {
                tally.add_one([EMBED, trimmed(self.embed.as_deref())]);
                tally.add_one([ENTRY, trimmed(self.entry.as_deref())]);
            }
            _ => {}
        }
    }
}
