//! Rate limits as responses.

use super::endpoint_error::TooMany;
use crate::app::App;
use crate::store::StoreError;
use crate::store::rate_limits::{Admission, Limited};

/// Counts a call towards each of the limits. It is not counted if it exceeds one of them.
pub async fn admit(app: &App, limits: &[Limited<'_>]) -> Result<Result<(), TooMany>, StoreError> {
    Ok(match app.store.admit(limits, app.clock.now()).await? {
        Admission::Admitted => Ok(()),
        Admission::Rejected(wait) => Err(TooMany(wait)),
    })
}
