//! Access checks. The first argument of every handler is the access check of its route.
//!
//! | argument | admits | keys | provides |
//! |---|---|---|---|
//! | [`Public`] | all callers | | nothing |
//! | [`PublicToPeople`] | all callers | no | nothing |
//! | [`SignedInUser`] | signed-in users | no | the user, and the workspace if there is one |
//! | [`HasMerchant`] | users with a merchant | yes | nothing |
//! | [`Authorized<P>`] | members of a merchant with the permission `P` | yes | who it is, and the merchant |
//! | [`AuthorizedPerson<P>`] | members of a merchant with the permission `P` | no | the user, the merchant and the membership |
//! | [`MaybeAuthorized<A>`] | as `A`, which is one of these two, and users without a merchant | as `A` | the same, or only the user |
//! | [`SignedIn`] | signed-in users, and paired tills | yes | who it is |
//! | [`AtTill`], [`MaybeAtTill`] | as `Authorized` for `portal.pos`, and paired tills; the latter also users without a merchant | yes | who it is, and the merchant |
//! | [`AtTill<P>`] | as `Authorized<P>`, and paired tills | yes | the same |
//! | [`MayRead<S>`] | members of a merchant with one of the permissions `S`, for reading | yes | the same as `Authorized<P>` |
//! | [`PlatformAdministrator`] | platform administrators, with or without a merchant, by default only if signed in with a passkey | no | the administrator |
//! | [`RecentlySignedIn`] | platform administrators who signed in within the last 15 minutes | no | the administrator |
//! | [`RecentUser`] | signed-in users who signed in within the last 15 minutes | no | as `SignedInUser` |
//!
//! A key that is not admitted is refused with 403 `NOT_FOR_KEYS`; one that comes from a browser, with 403 `KEY_IN_BROWSER` everywhere.
//!
//! All but [`Public`] and [`PublicToPeople`] refuse a write whose `X-Expected-Merchant` is not the merchant of the session. Their responses name that merchant in
//! `Session-Merchant`, so that a page never shows what was read in a session of another one.

mod administrator;
mod credential;
mod member;
pub mod permission;
mod principal;
mod public;
mod refusals;
mod requirement;
mod session;
mod till;

pub use administrator::{
    OwnMerchant, PlatformAdministrator, RecentPasskeyError, RecentUser, RecentlySignedIn, require_recent_passkey,
};
pub use credential::{SESSION_COOKIE, cookie_token, session_tokens};
pub use member::{Authorized, AuthorizedPerson, MayRead, MaybeAuthorized, network_account};
pub use permission::PermissionSet;
pub use principal::Principal;
pub use public::{Public, PublicToPeople};
pub(super) use refusals::{
    EXPECTED_MERCHANT_HEADER, EXPECTED_MERCHANT_TEXT, KEY_IN_BROWSER, NOT_FOR_KEYS, OTHER_MERCHANT, PASSKEY_REQUIRED,
    SIGN_IN_AGAIN, require_own_page,
};
pub use requirement::Requirement;
pub(super) use requirement::{Access, Keys, is_write};
pub use session::HasMerchant;
pub use till::{AtTill, MaybeAtTill};
