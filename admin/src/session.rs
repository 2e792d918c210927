//! Looks up the user of a session.

use email_address::EmailAddress;
use shared::db::{Store, StoreError, Stored};
use shared::team::model::team::User;
use shared::team::rows::sessions::LIFETIME;
use thiserror::Error;

pub(crate) const LIFETIME_HOURS: i64 = LIFETIME.as_hours();

#[derive(Debug, Error)]
pub(crate) enum LookupError {
    #[error("no user has the e-mail address {0}")]
    Unknown(EmailAddress),
    #[error(transparent)]
    Store(#[from] StoreError),
}

pub(crate) async fn user(store: &Store, email: &EmailAddress) -> Result<Stored<User>, LookupError> {
    let user = store.user_by_email(email.as_str()).await?;
    user.ok_or_else(|| LookupError::Unknown(email.clone()))
}
