//! Gives and takes the administration of the platform.

use email_address::EmailAddress;
use jiff::Timestamp;
use shared::base::random::Random;
use shared::db::{Store, StoreError};
use shared::team::rows::platform_admins::PlatformAdminChange;
use shared::values::ids::UserId;

use crate::session::LookupError;

/// Returns what was done, as a sentence.
pub(crate) async fn add(store: &Store, random: &Random, now: Timestamp, email: &EmailAddress) -> Result<String, StoreError> {
    let new_id = UserId::new(random.uuid(now));
    Ok(match store.add_platform_admin(email.as_str(), &new_id).await? {
        PlatformAdminChange::Created(id) => format!("user {id}, created, administers the platform"),
        PlatformAdminChange::Changed(id) => format!("user {id} administers the platform"),
        PlatformAdminChange::Unchanged(id) => format!("user {id} already administers the platform"),
    })
}

/// Returns what was done, as a sentence.
pub(crate) async fn remove(store: &Store, email: &EmailAddress) -> Result<String, LookupError> {
    match store.remove_platform_admin(email.as_str()).await? {
        None => Err(LookupError::Unknown(email.clone())),
        Some(PlatformAdminChange::Unchanged(id)) => Ok(format!("user {id} does not administer the platform")),
        Some(PlatformAdminChange::Changed(id) | PlatformAdminChange::Created(id)) => {
            Ok(format!("user {id} no longer administers the platform and is signed out everywhere"))
        }
    }
}
