//! Allowances of which this instance knows that they are used up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::keys::Key;
use crate::domain::ids::UserId;
use crate::domain::limits::UsedUpBy;

/// They are forgotten when there are more: then the row refuses.
const MAX_REFUSALS: usize = 1_000;

/// The row of an allowance, and the member unless the whole team was refused.
type Refused = (Key, Option<UserId>);

/// What this instance has been refused, with the least cost. An allowance that is used up stays so until its hour ends, so that
/// who goes on costs the check of the session alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Refusals(Arc<Mutex<HashMap<Refused, u32>>>);

impl Refusals {
    pub(super) fn find(&self, row: &Key, user: &UserId, cost: u32) -> Option<UsedUpBy> {
        let refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_refused = |by| refusals.get(&refused(row.clone(), user, by)).is_some_and(|least| *least <= cost);
        [UsedUpBy::Member, UsedUpBy::Merchant].into_iter().find(|by| is_refused(*by))
    }

    pub(super) fn add(&self, row: Key, user: &UserId, by: UsedUpBy, cost: u32) {
        let mut refusals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() >= MAX_REFUSALS {
            refusals.clear();
        }
        let least = refusals.entry(refused(row, user, by)).or_insert(cost);
        *least = cost.min(*least);
    }
}

fn refused(row: Key, user: &UserId, by: UsedUpBy) -> Refused {
    (row, matches!(by, UsedUpBy::Member).then(|| user.clone()))
}
