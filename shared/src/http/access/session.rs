//! Who has signed in: a user, a till or a key.

use std::time::Duration;

use axum::extract::FromRequestParts;
use http::StatusCode;
use http::request::Parts;
use tokio::time::{Instant, sleep_until};

use super::super::body::JsonOnly;
use super::super::fault::Fault;
use super::credential::Credential;
use super::refusals::{
    no_merchant, not_for_keys, not_for_tills, require_expected_merchant, require_no_browser, require_own_page, unauthenticated,
};
use super::requirement::{Access, Keys, Requirement, is_write};
use crate::app::App;
use crate::base::invocation::Invocation;
use crate::team::rows::sessions::{SignedIn, SignedInUser};

impl Access for SignedInUser {
    const REQUIREMENT: Requirement = Requirement::Session;
    const KEYS: Keys = Keys::Refused;
}

impl FromRequestParts<App> for SignedInUser {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        match SignedIn::from_request_parts(parts, app).await? {
            SignedIn::User(user) => Ok(*user),
            SignedIn::Till(_) => Err(not_for_tills()),
            SignedIn::Key(_) => Err(not_for_keys()),
        }
    }
}

impl Access for SignedIn {
    const REQUIREMENT: Requirement = Requirement::Session;
    const KEYS: Keys = Keys::Admitted;
}

/// How long it takes at least to refuse a token. Longer than reading its rows takes: the time of a refusal does not tell whether the
/// session, the user or the till exists.
const MIN_REFUSAL_TIME: Duration = Duration::from_millis(20);

impl FromRequestParts<App> for SignedIn {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let credential = Credential::from_headers(&parts.headers)?;
        let span = tracing::Span::current();
        let earliest_refusal = Instant::now() + MIN_REFUSAL_TIME;
        let signed_in = app.store.signed_in(&credential.token, app.settings.administrators_by, app.clock.now()).await?;
        // The token of a till is a bearer, and so is a key.
        let Some(signed_in) = signed_in.filter(|is| !credential.from_cookie || matches!(is, Self::User(_))) else {
            sleep_until(earliest_refusal).await;
            return Err(unauthenticated());
        };
        let merchant = match &signed_in {
            Self::Till(caller) => {
                span.record("till", caller.till.id.as_str());
                span.record("merchant", caller.merchant.id.as_str());
                Some(&caller.merchant.id)
            }
            Self::Key(caller) => {
                span.record("key", caller.key.id.as_str());
                span.record("merchant", caller.merchant.id.as_str());
                require_no_browser(&parts.headers)?;
                Some(&caller.merchant.id)
            }
            Self::User(caller) => {
                span.record("user", caller.user.id.as_str());
                if credential.from_cookie && is_write(&parts.method) {
                    require_own_page(&parts.headers, &app.settings)?;
                    parts.extensions.insert(JsonOnly);
                }
                caller.workspace.as_ref().map(|workspace| &workspace.merchant.id)
            }
        };
        if let (Some(invocation), Some(id)) = (parts.extensions.get::<Invocation>(), merchant) {
            invocation.set_merchant(id);
        }
        if is_write(&parts.method) {
            require_expected_merchant(&parts.headers, merchant)?;
        }
        Ok(signed_in)
    }
}

/// Admits users with a merchant, whatever their permissions are. 403 without one.
#[derive(Debug, Clone, Copy)]
pub struct HasMerchant;

impl Access for HasMerchant {
    const REQUIREMENT: Requirement = Requirement::Merchant;
    const KEYS: Keys = Keys::Admitted;
}

impl FromRequestParts<App> for HasMerchant {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        match SignedIn::from_request_parts(parts, app).await? {
            SignedIn::Till(_) => Err(not_for_tills()),
            SignedIn::Key(_) => Ok(Self),
            SignedIn::User(caller) => {
                let workspace = caller.workspace.ok_or_else(|| no_merchant(StatusCode::FORBIDDEN))?;
                tracing::Span::current().record("merchant", workspace.merchant.id.as_str());
                Ok(Self)
            }
        }
    }
}
