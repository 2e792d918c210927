//! Allowances as responses: what costs much is counted, and refused once a member or a merchant has used up what it has.

use crate::app::App;
use crate::domain::limits::{Allowance, UsedUp};
use crate::store::StoreError;
use crate::store::allowances::Member;

/// Does what only reads, and counts it at the same time, so that counting takes no time. What turns out to exceed the allowance is
/// dropped unfinished.
pub async fn while_counted<T, E>(
    app: &App,
    allowance: Allowance,
    member: Member<'_>,
    cost: u32,
    read: impl Future<Output = Result<T, E>>,
) -> Result<T, E>
where
    E: From<StoreError> + From<UsedUp>,
{
    if let Some(used_up) = app.store.known_as_used_up(allowance, member, cost, app.clock.now()) {
        return Err(used_up.into());
    }
    let ((), read) = tokio::try_join!(count(app, allowance, member, cost), read)?;
    Ok(read)
}

/// Counts what changes something, before it does.
pub async fn count<E>(app: &App, allowance: Allowance, member: Member<'_>, cost: u32) -> Result<(), E>
where
    E: From<StoreError> + From<UsedUp>,
{
    match app.store.use_allowance(allowance, member, cost, app.clock.now()).await {
        Ok(None) => Ok(()),
        Ok(Some(used_up)) => Err(used_up.into()),
        // A table that takes no writes can still be read.
        Err(error) if error.is_temporary() => {
            tracing::warn!(cause = %error, allowance = allowance.action, "not counted");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}
