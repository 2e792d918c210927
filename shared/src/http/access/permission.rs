//! The permissions as types.

use http::StatusCode;

use crate::team::model::team::Permission;

/// A permission as a type, for [`Authorized`].
pub trait RequiredPermission {
    const PERMISSION: Permission;
    /// The status of the error for a user without a merchant.
    const WITHOUT_MERCHANT: StatusCode = StatusCode::NOT_FOUND;
}

macro_rules! permissions {
    ($($name:ident $(without merchant $status:ident)?),* $(,)?) => {$(
        #[derive(Debug, Clone, Copy)]
        pub struct $name;

        impl RequiredPermission for $name {
            const PERMISSION: Permission = Permission::$name;
            $(const WITHOUT_MERCHANT: StatusCode = StatusCode::$status;)?
        }
    )*};
}

permissions!(
    Information,
    Organization,
    TeamInvite,
    GiftCards,
    Analytics,
    Reports without merchant UNAUTHORIZED,
    Orders,
    Pos,
);

/// [`Reports`] for payouts and what is outstanding, where a user without a merchant gets 404.
#[derive(Debug, Clone, Copy)]
pub struct Payouts;

impl RequiredPermission for Payouts {
    const PERMISSION: Permission = Permission::Reports;
}

/// [`Information`] for the onboarding, where a user without a merchant gets 400.
#[derive(Debug, Clone, Copy)]
pub struct Onboarding;

impl RequiredPermission for Onboarding {
    const PERMISSION: Permission = Permission::Information;
    const WITHOUT_MERCHANT: StatusCode = StatusCode::BAD_REQUEST;
}

/// Permissions as a type, for [`MayRead`].
pub trait PermissionSet {
    const PERMISSIONS: &'static [Permission];
}
