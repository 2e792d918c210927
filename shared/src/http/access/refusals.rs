//! What the access checks refuse, whoever the caller is.

use http::{HeaderMap, HeaderName, StatusCode, header};

use super::super::fault::Fault;
use super::super::origin;
use crate::base::settings::Settings;
use crate::values::MerchantId;

/// The merchant whose data a write is meant for: the session's, when the client loaded what it shows. Another one may have
/// signed in since, in another tab.
const EXPECTED_MERCHANT: HeaderName = HeaderName::from_static("x-expected-merchant");
/// Its name in the API description.
pub(crate) const EXPECTED_MERCHANT_HEADER: &str = "X-Expected-Merchant";
/// Its text in the API description.
pub(crate) const EXPECTED_MERCHANT_TEXT: &str = "The id of the merchant that the session is expected to belong to, under `/api/admin/` \
                                          as well. If the session belongs to another merchant, or to none, nothing is done: 409, \
                                          `OTHER_MERCHANT`.";
pub(crate) const OTHER_MERCHANT: &str = "OTHER_MERCHANT";
pub(crate) const NOT_FOR_KEYS: &str = "NOT_FOR_KEYS";
pub(crate) const SIGN_IN_AGAIN: &str = "SIGN_IN_AGAIN";
pub(crate) const PASSKEY_REQUIRED: &str = "PASSKEY_REQUIRED";
pub(crate) const KEY_IN_BROWSER: &str = "KEY_IN_BROWSER";
/// Browsers send one of these with each request of a page.
const OF_BROWSERS: [HeaderName; 2] = [header::ORIGIN, HeaderName::from_static("sec-fetch-site")];

/// 403 for a request that a page of another site sent.
pub(crate) fn require_own_page(headers: &HeaderMap, settings: &Settings) -> Result<(), Fault> {
    if origin::is_trusted(headers, settings) {
        return Ok(());
    }
    Err(Fault::access(StatusCode::FORBIDDEN, "This request came from another site."))
}

/// 403 for a key that a page has sent.
pub(super) fn require_no_browser(headers: &HeaderMap) -> Result<(), Fault> {
    if OF_BROWSERS.iter().any(|header| headers.contains_key(header)) {
        let message = "A key in a browser is no longer secret: replace it, and call the API from a server.";
        return Err(Fault::access(StatusCode::FORBIDDEN, message).code(KEY_IN_BROWSER));
    }
    Ok(())
}

/// 409 if the client expects another merchant than the session's, also if the session has none.
pub(super) fn require_expected_merchant(headers: &HeaderMap, actual: Option<&MerchantId>) -> Result<(), Fault> {
    let actual = actual.map(|id| id.as_str().as_bytes());
    if headers.get_all(EXPECTED_MERCHANT).into_iter().all(|expected| Some(expected.as_bytes()) == actual) {
        return Ok(());
    }
    let message = "X-Expected-Merchant: you are now signed in with another merchant. Nothing was done.";
    Err(Fault::access(StatusCode::CONFLICT, message).code(OTHER_MERCHANT))
}

pub(super) fn unauthenticated() -> Fault {
    Fault::access(StatusCode::UNAUTHORIZED, "Sign in to do this.")
}

pub(super) fn passkey_required() -> Fault {
    Fault::access(StatusCode::FORBIDDEN, "Sign in with a passkey to do this.").code(PASSKEY_REQUIRED)
}

pub(super) fn not_for_tills() -> Fault {
    Fault::access(StatusCode::FORBIDDEN, "A till cannot do this.")
}

pub(super) fn not_for_keys() -> Fault {
    Fault::access(StatusCode::FORBIDDEN, "A key cannot do this. Sign in to do it.").code(NOT_FOR_KEYS)
}

/// The error for a user without a merchant.
pub(super) fn no_merchant(status: StatusCode) -> Fault {
    Fault::access(status, "Your account is not linked to a merchant.")
}
