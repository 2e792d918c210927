//! What an access check requires of the caller.

use http::{Method, StatusCode};

use crate::team::model::team::Permission;

/// The access check of a route, for tests and the API description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    Public,
    Session,
    /// A session and a merchant.
    Merchant,
    /// A session, a merchant and the permission. The status is that of the error without a merchant; `None` if the
    /// handler responds to users without a merchant itself.
    Permission(Permission, Option<StatusCode>),
    /// A session, a merchant and one of these permissions, for reading, whatever the method is.
    ReadAny(&'static [Permission]),
    PlatformAdministrator,
    /// A platform administrator who signed in a few minutes ago.
    RecentAdministrator,
    /// A session whose user signed in a few minutes ago.
    RecentSession,
}

/// An access check: a type that can be the first argument of a handler.
pub trait Access {
    const REQUIREMENT: Requirement;
    const KEYS: Keys;
}

/// Whether a route admits keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// It does not look at who calls.
    Ignored,
    Admitted,
    /// 403 [`NOT_FOR_KEYS`].
    Refused,
}

pub(crate) fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}
