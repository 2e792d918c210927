//! Holds what may have been paid, if the previous table cannot be read.

use std::pin::pin;

use futures_util::TryStreamExt;
use jiff::Timestamp;
use shared::db::keys::{self, Listed};
use shared::db::{Store, Write, from_item, item_key, pack_transactions};
use shared::settlements::model::settlement::{Settlement, SettlementStatus};

use super::{Prepared, RestoreError};

/// Holds every pending settlement that a payout could have taken by now, also one that is held for another reason: that hold
/// may have been lifted since the restored moment. Reads the whole table.
pub(super) async fn hold_all(restored: &Store, now: Timestamp, prepared: &mut Prepared) -> Result<(), RestoreError> {
    let mut pages = pin!(restored.scan(vec![keys::listed_rows(Listed::Settlements, None)]));
    while let Some(page) = pages.try_next().await? {
        let mut holds = Vec::new();
        for item in page {
            let key = item_key(&item);
            let Ok(settlement) = from_item::<Settlement>(item) else {
                // No payout takes a settlement that cannot be read.
                prepared.unreadable.extend(key);
                continue;
            };
            if settlement.status != SettlementStatus::Pending || settlement.eligible_at >= now {
                continue;
            }
            if let Some(held) = settlement.held_by_restore(now) {
                holds.push(vec![Write::replace(&settlement, &held)?]);
                prepared.count_held(&held);
            }
        }
        for writes in pack_transactions(holds) {
            restored.commit(writes).await?;
        }
    }
    Ok(())
}
