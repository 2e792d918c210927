//! Rate limits as responses.

use super::endpoint_error::TooMany;
use crate::app::App;
use crate::store::StoreError;
use crate::store::rate_limits::{Admission, Limit};

/// Counts a call towards each of the limits. It is not counted if it exceeds one of them.
pub async fn admit(app: &App, action: &str, limits: &[Limit<'_>]) -> Result<Result<(), TooMany>, StoreError> {
    Ok(match app.store.admit(action, limits, app.clock.now()).await? {
        Admission::Admitted => Ok(()),
        Admission::Rejected(wait) => Err(TooMany(wait)),
    })
}
