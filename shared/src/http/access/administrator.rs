//! Platform administrators, and users who signed in a few minutes ago.

use axum::extract::FromRequestParts;
use http::StatusCode;
use http::request::Parts;
use jiff::SignedDuration;

use super::super::fault::Fault;
use super::refusals::{SIGN_IN_AGAIN, passkey_required};
use super::requirement::{Access, Keys, Requirement};
use crate::app::App;
use crate::db::Stored;
use crate::endpoint_error;
use crate::team::model::team::{SignInMethod, User};
use crate::team::rows::sessions::{Session, SessionDetails, SignedInUser};
use crate::values::MerchantId;

#[derive(Debug)]
pub struct PlatformAdministrator {
    pub session: Stored<Session>,
    pub user: Stored<User>,
}

impl PlatformAdministrator {
    /// Nobody administers, reads or pays a merchant that they belong to or have ever belonged to: 403 `OWN_MERCHANT`.
    pub async fn require_other(&self, app: &App, merchant: &MerchantId) -> Result<(), OwnMerchant> {
        let is_own = app.store.has_ever_belonged(&self.user.id, merchant).await?;
        if is_own { Err(OwnMerchant::OwnMerchant) } else { Ok(()) }
    }
}

endpoint_error! {
    pub enum OwnMerchant {
        /// The administrator is or was a member of the merchant.
        OwnMerchant => 403 OWN_MERCHANT
            "You are or were a member of this merchant. Another administrator has to do this.",
    }
}

impl Access for PlatformAdministrator {
    const REQUIREMENT: Requirement = Requirement::PlatformAdministrator;
    const KEYS: Keys = Keys::Refused;
}

impl FromRequestParts<App> for PlatformAdministrator {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let SignedInUser { session, user, .. } = SignedInUser::from_request_parts(parts, app).await?;
        if !user.is_appointed_admin {
            return Err(Fault::access(StatusCode::FORBIDDEN, "You do not have permission to do this."));
        }
        if !user.is_admin {
            return Err(passkey_required());
        }
        Ok(Self { session, user: user.into_row() })
    }
}

/// How long after signing in a user can do what asks for a recent sign-in.
const RECENT: SignedDuration = SignedDuration::from_mins(15);

/// A platform administrator who signed in within the last 15 minutes.
#[derive(Debug)]
pub struct RecentlySignedIn(pub PlatformAdministrator);

impl Access for RecentlySignedIn {
    const REQUIREMENT: Requirement = Requirement::RecentAdministrator;
    const KEYS: Keys = Keys::Refused;
}

impl FromRequestParts<App> for RecentlySignedIn {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let administrator = PlatformAdministrator::from_request_parts(parts, app).await?;
        require_recent(&administrator.session.details, app)?;
        Ok(Self(administrator))
    }
}

/// A user who signed in within the last 15 minutes, with or without a merchant.
#[derive(Debug)]
pub struct RecentUser(pub SignedInUser);

impl Access for RecentUser {
    const REQUIREMENT: Requirement = Requirement::RecentSession;
    const KEYS: Keys = Keys::Refused;
}

impl FromRequestParts<App> for RecentUser {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let user = SignedInUser::from_request_parts(parts, app).await?;
        require_recent(&user.session.details, app)?;
        Ok(Self(user))
    }
}

fn is_recent(session: &SessionDetails, app: &App) -> bool {
    app.clock.now().duration_since(session.created_at) <= RECENT
}

/// 403 `SIGN_IN_AGAIN` for a session whose user proved who they are more than 15 minutes ago.
fn require_recent(session: &SessionDetails, app: &App) -> Result<(), Fault> {
    if is_recent(session, app) {
        return Ok(());
    }
    let message = "Sign in again to do this: it requires a sign-in within the last 15 minutes.";
    Err(Fault::access(StatusCode::FORBIDDEN, message).code(SIGN_IN_AGAIN))
}

endpoint_error! {
    pub enum RecentPasskeyError {
        /// The session was not begun with a passkey.
        PasskeyRequired => 403 PASSKEY_REQUIRED "Sign in with a passkey to do this.",
        /// The user signed in more than 15 minutes ago.
        SignInAgain => 403 SIGN_IN_AGAIN "Sign in again to do this: it requires a sign-in within the last 15 minutes.",
    }
}

/// Refuses a session that was not begun with a passkey within the last 15 minutes.
pub fn require_recent_passkey(session: &SessionDetails, app: &App) -> Result<(), RecentPasskeyError> {
    if session.signed_in_with != SignInMethod::Passkey {
        return Err(RecentPasskeyError::PasskeyRequired);
    }
    if is_recent(session, app) { Ok(()) } else { Err(RecentPasskeyError::SignInAgain) }
}
