//! Rate limits as responses.

use std::borrow::Cow;

use super::fault::Fault;
use crate::app::App;
use crate::store::rate_limits::{Admission, Limit};

/// Counts a call towards each of the limits. 429 with the message if it exceeds one of them; it is not counted then.
pub async fn admit(
    app: &App,
    action: &str,
    limits: &[Limit<'_>],
    message: impl Into<Cow<'static, str>>,
) -> Result<(), Fault> {
    match app.store.admit(action, limits, app.clock.now()).await? {
        Admission::Admitted => Ok(()),
        Admission::Rejected(wait) => Err(Fault::too_many(message, wait)),
    }
}
