//! Gives and takes the administration of the platform.

use email_address::EmailAddress;
use jiff::Timestamp;
use shared::base::random::Random;
use shared::db::Store;
use shared::team::model::passkey::{ENROLMENT_LIFETIME, Enrolment, EnrolmentCode};
use shared::team::rows::platform_admins::PlatformAdminChange;
use shared::values::UserId;

use crate::session::LookupError;

/// What was done, as a sentence, and the code that lets the administrator add a passkey.
pub(crate) struct Done {
    pub(crate) sentence: String,
    pub(crate) code: Option<EnrolmentCode>,
}

pub(crate) async fn add(store: &Store, random: &Random, now: Timestamp, email: &EmailAddress) -> Result<Done, LookupError> {
    let (new_id, code) = (UserId::new(random.uuid(now)), EnrolmentCode::new(random.bytes()));
    let change = store.add_platform_admin(email.as_str(), &new_id, &Enrolment::new(&code, now)).await?;
    Ok(done(change, code))
}

pub(crate) async fn reset(store: &Store, random: &Random, now: Timestamp, email: &EmailAddress) -> Result<Done, LookupError> {
    let code = EnrolmentCode::new(random.bytes());
    let change = store.reset_platform_admin(email.as_str(), &Enrolment::new(&code, now)).await?;
    Ok(done(change.ok_or_else(|| LookupError::Unknown(email.clone()))?, code))
}

fn done(change: PlatformAdminChange, code: EnrolmentCode) -> Done {
    let hours = ENROLMENT_LIFETIME.as_hours();
    let administers = "administers the platform, has no passkey and is signed out everywhere. Within";
    let with_code = format!("{administers} {hours} hours, this code is good for adding one:");
    match change {
        PlatformAdminChange::Created(id) => Done { sentence: format!("user {id}, created, {with_code}"), code: Some(code) },
        PlatformAdminChange::Changed(id) => Done { sentence: format!("user {id} {with_code}"), code: Some(code) },
        PlatformAdminChange::Unchanged(id) => Done { sentence: unchanged(&id), code: None },
    }
}

/// Returns what was done, as a sentence.
pub(crate) async fn remove(store: &Store, email: &EmailAddress) -> Result<String, LookupError> {
    match store.remove_platform_admin(email.as_str()).await? {
        None => Err(LookupError::Unknown(email.clone())),
        Some(PlatformAdminChange::Unchanged(id)) => Ok(unchanged(&id)),
        Some(PlatformAdminChange::Changed(id) | PlatformAdminChange::Created(id)) => {
            Ok(format!("user {id} no longer administers the platform, has no passkey and is signed out everywhere"))
        }
    }
}

fn unchanged(id: &UserId) -> String {
    format!("user {id} does not administer the platform")
}
