//! Limits of which this instance knows that they are reached.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};

use super::keys::Key;

/// They are forgotten when there are more: then the row refuses.
const MAX_REFUSALS: usize = 1_000;

/// The rows that have refused this instance: what, and until when.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusals(Arc<Mutex<HashMap<Key, Refusal>>>);

#[derive(Debug, Clone, Copy)]
struct Refusal {
    cost: u32,
    until: Timestamp,
}

impl Refusals {
    /// How long it is still refused. `None` if the row has to be asked.
    pub(crate) fn find(&self, row: &Key, cost: u32, now: Timestamp) -> Option<SignedDuration> {
        let refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let refusal = refusals.get(row).filter(|refusal| refusal.cost <= cost && now < refusal.until);
        refusal.map(|refusal| refusal.until.duration_since(now))
    }

    pub(crate) fn add(&self, row: Key, cost: u32, until: Timestamp) {
        let mut refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() >= MAX_REFUSALS {
            refusals.clear();
        }
        refusals.insert(row, Refusal { cost, until });
    }
}
