//! What becomes of payouts when a table is restored.

use jiff::Timestamp;

use super::payout::Payout;
use super::state::{Cancellation, Cause, PayoutState};
use super::store::BuildingPayout;
use crate::db::{StoreError, Stored, Write, keys};

impl Payout {
    /// The payout as a restored table takes it over from the one that it replaces: what was decided is done.
    #[must_use]
    pub fn carried_over(&self) -> Self {
        match self.state.clone() {
            PayoutState::Paying { payment, .. } => self.with(PayoutState::Paid { payment }),
            PayoutState::Cancelling { cancellation, .. } => self.with(PayoutState::Cancelled { cancellation }),
            _ => self.clone(),
        }
    }

    /// The payout after a restore, if nothing tells what was decided about it since the restored moment: its settlements are
    /// returned. `None` if it was decided as paid before that moment, or is done.
    pub fn withdrawn(&self, now: Timestamp) -> Option<Self> {
        let reason = || "Restored: it may have been paid, or its settlements by another payout.".to_owned();
        let cancellation = match self.state.clone() {
            PayoutState::Building(_) | PayoutState::Sealed => {
                Cancellation { at: now, cause: Cause::Restore { reason: reason() } }
            }
            PayoutState::Cancelling { cancellation: Cancellation { at, cause: Cause::NothingToPay }, .. } => {
                Cancellation { at, cause: Cause::Restore { reason: reason() } }
            }
            PayoutState::Cancelling { cancellation, .. } => cancellation,
            PayoutState::Paying { .. } | PayoutState::Paid { .. } | PayoutState::Cancelled { .. } | PayoutState::Unknown(_) => {
                return None;
            }
        };
        Some(self.with(PayoutState::Cancelled { cancellation }))
    }
}

/// Writes a payout as another table has it, over the one that was read here.
pub fn carry_over_payout(read: Option<&Stored<Payout>>, payout: &Payout) -> Result<Vec<Write>, StoreError> {
    let mut writes = vec![match read {
        Some(read) => Write::replace(read, payout)?,
        None => Write::create(payout)?,
    }];
    if !payout.is_sealed() {
        writes.push(Write::put(&BuildingPayout::from(payout))?);
    } else if read.is_some_and(|read| !read.is_sealed()) {
        writes.push(Write::remove(keys::building_payout(&payout.merchant_id, payout.currency))?);
    }
    Ok(writes)
}

#[cfg(test)]
mod tests {
    use super::super::payout::tests::{cancelled, decided, paid, payout, undecided};
    use super::super::state::PayoutStatus;
    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    #[test]
    fn after_a_restore_a_decided_payout_is_done_and_an_undecided_one_can_be_withdrawn() {
        let [joining, writing, sealed] = undecided();
        let cancelling = decided(&cancelled("A"));
        let nothing_to_pay = payout().complete().unwrap().seal(NOW).unwrap();
        let restored = Some("Restored: it may have been paid, or its settlements by another payout.");
        for (payout, carried_over, reason) in [
            (&joining, PayoutStatus::Building, restored),
            (&writing, PayoutStatus::Building, restored),
            (&sealed, PayoutStatus::InBatch, restored),
            (&decided(&paid("A")), PayoutStatus::Paid, None),
            (&cancelling, PayoutStatus::Cancelled, Some("A")),
            (&nothing_to_pay, PayoutStatus::Cancelled, restored),
        ] {
            let carried = payout.carried_over();
            assert_eq!(carried.status(), carried_over, "{payout:?}");
            assert_eq!(carried.carried_over(), carried);
            let withdrawn = payout.withdrawn(NOW);
            assert_eq!(withdrawn.as_ref().and_then(|withdrawn| withdrawn.decided().reason), reason, "{payout:?}");
            assert!(withdrawn.is_none_or(|withdrawn| withdrawn.status() == PayoutStatus::Cancelled));
            let is_undecided = matches!(carried_over, PayoutStatus::Building | PayoutStatus::InBatch);
            assert_eq!(carried.withdrawn(NOW).is_some(), is_undecided);
        }
    }
}
