//! Limits as responses.

use crate::app::App;
use crate::db::StoreError;
use crate::db::counters::{Limited, Reservation};
use crate::http::EndpointError;
use crate::limits::model::UsedUp;

/// Reserves a call towards each of its limits, before what is limited is done.
pub async fn reserve<E: From<StoreError> + From<UsedUp>>(app: &App, limits: &[Limited<'_>]) -> Result<Reservation, E> {
    Ok(app.store.reserve(limits, 1, app.clock.now()).await??)
}

/// As [`reserve`], for what counts whatever becomes of it.
pub async fn count<E: From<StoreError> + From<UsedUp>>(app: &App, limits: &[Limited<'_>]) -> Result<(), E> {
    reserve(app, limits).await.map(|_| ())
}

/// As [`reserve`], at the first attempt only: what is attempted again is counted once.
pub async fn reserve_once<E: From<StoreError> + From<UsedUp>>(
    app: &App,
    limits: &[Limited<'_>],
    reserved: &mut Option<Reservation>,
) -> Result<(), E> {
    if reserved.is_none() {
        *reserved = Some(reserve::<E>(app, limits).await?);
    }
    Ok(())
}

/// Gives back what was reserved for a request that has done nothing. What may have been done counts.
pub async fn give_back_refused<T, E: EndpointError>(
    app: &App,
    reserved: Option<Reservation>,
    result: Result<T, E>,
) -> Result<T, E> {
    if let (Some(reservation), Err(error)) = (reserved, &result)
        && error.did_nothing()
    {
        app.store.give_back(reservation).await;
    }
    result
}

/// Does what only reads, and counts it at the same time, so that counting takes no time. What turns out to be too much is dropped
/// unfinished.
pub async fn while_counted<T, E: From<StoreError> + From<UsedUp>>(
    app: &App,
    limits: &[Limited<'_>],
    cost: u32,
    read: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let count = async {
        match app.store.use_up(limits, cost, app.clock.now()).await {
            // A table that a restore has closed to writes can still be read.
            Err(StoreError::Closed { .. }) => Ok(()),
            counted => Ok(counted??),
        }
    };
    let ((), read) = tokio::try_join!(count, read)?;
    Ok(read)
}
