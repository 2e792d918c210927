//! Who may call: the first argument of every handler.
//!
//! | argument | who gets in | what it brings |
//! |---|---|---|
//! | [`Public`] | anybody | nothing |
//! | [`Session`] | who is signed in | the user, and the workspace if there is one |
//! | [`HasMerchant<W>`] | who is signed in and has a merchant | user, merchant, membership |
//! | [`Authorized<P>`] | who has the permission as well | the same |
//! | [`MaybeAuthorized<P>`] | the same, or a user without a merchant, who is told apart | the same, or the user |

use std::convert::Infallible;
use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, header};

use super::cookie;
use super::fault::Fault;
use crate::app::App;
use crate::domain::ids::NetworkMerchantId;
use crate::domain::merchant::Merchant;
use crate::domain::team::{Action, Membership, Permission, User};
use crate::store::Stored;
use crate::store::sessions::{SignedIn, Token, Workspace};

/// The cookie that carries a session for browsers on the portal's own site.
pub const SESSION_COOKIE: &str = "__Host-portal_session";

/// What a route demands of its caller, for those who look at the routes from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    Public,
    Session,
    /// A session and a merchant; without the merchant the answer has this status.
    Merchant(StatusCode),
    /// A session, a merchant and the permission. Without a merchant: this status, or an answer of the route's own.
    Permission(Permission, Option<StatusCode>),
}

/// Something that can be the first argument of a handler.
pub trait Access {
    const REQUIREMENT: Requirement;
}

/// Anybody.
#[derive(Debug, Clone, Copy)]
pub struct Public;

impl Access for Public {
    const REQUIREMENT: Requirement = Requirement::Public;
}

impl FromRequestParts<App> for Public {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

/// A user who is signed in, with or without a merchant.
#[derive(Debug, Clone)]
pub struct Session {
    pub user: Stored<User>,
    pub workspace: Option<Workspace>,
}

impl Access for Session {
    const REQUIREMENT: Requirement = Requirement::Session;
}

impl FromRequestParts<App> for Session {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let credential = Credential::of(&parts.headers)?;
        let signed_in = app.store.signed_in(&credential.token, app.clock.now()).await?;
        let Some(SignedIn { user, workspace }) = signed_in else { return Err(unauthenticated()) };
        if credential.from_cookie && is_write(&parts.method) && comes_from_elsewhere(&parts.headers, app) {
            return Err(Fault::access(StatusCode::FORBIDDEN, "This request came from another site."));
        }
        Ok(Self { user, workspace })
    }
}

/// A status as a type, for [`HasMerchant`].
pub trait WithoutMerchant {
    const STATUS: StatusCode;
}

/// A user without a merchant is answered with 403.
#[derive(Debug, Clone, Copy)]
pub struct OrForbidden;

impl WithoutMerchant for OrForbidden {
    const STATUS: StatusCode = StatusCode::FORBIDDEN;
}

/// A user without a merchant is answered with 400.
#[derive(Debug, Clone, Copy)]
pub struct OrBadRequest;

impl WithoutMerchant for OrBadRequest {
    const STATUS: StatusCode = StatusCode::BAD_REQUEST;
}

/// A user with a merchant, whatever the permissions.
#[derive(Debug)]
pub struct HasMerchant<W> {
    pub user: Stored<User>,
    pub merchant: Stored<Merchant>,
    without: PhantomData<W>,
}

impl<W: WithoutMerchant> Access for HasMerchant<W> {
    const REQUIREMENT: Requirement = Requirement::Merchant(W::STATUS);
}

impl<W: WithoutMerchant> FromRequestParts<App> for HasMerchant<W> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let Session { user, workspace } = Session::from_request_parts(parts, app).await?;
        let Some(Workspace { merchant, .. }) = workspace else { return Err(no_merchant(W::STATUS)) };
        tracing::Span::current().record("merchant", merchant.id.as_str());
        Ok(Self { user, merchant, without: PhantomData })
    }
}

/// A permission as a type, for [`Authorized`].
pub trait RequiredPermission {
    const PERMISSION: Permission;
    /// What a user without a merchant is answered with.
    const WITHOUT_MERCHANT: StatusCode = StatusCode::NOT_FOUND;
}

/// The permissions as types.
pub mod permission {
    use super::{Permission, RequiredPermission, StatusCode};

    macro_rules! grants {
        ($($name:ident $(without merchant $status:ident)?),* $(,)?) => {$(
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl RequiredPermission for $name {
                const PERMISSION: Permission = Permission::$name;
                $(const WITHOUT_MERCHANT: StatusCode = StatusCode::$status;)?
            }
        )*};
    }

    grants!(
        Information,
        Organization,
        TeamInvite,
        GiftCards,
        Analytics,
        Reports without merchant UNAUTHORIZED,
        Orders,
        Pos,
    );
}

/// A user with a merchant and the permission `P`.
#[derive(Debug)]
pub struct Authorized<P> {
    pub user: Stored<User>,
    pub merchant: Stored<Merchant>,
    pub membership: Stored<Membership>,
    grant: PhantomData<P>,
}

impl<P: RequiredPermission> Access for Authorized<P> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, Some(P::WITHOUT_MERCHANT));
}

impl<P: RequiredPermission> FromRequestParts<App> for Authorized<P> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        match MaybeAuthorized::from_request_parts(parts, app).await? {
            MaybeAuthorized::Authorized(authorized) => Ok(*authorized),
            MaybeAuthorized::NoMerchant(_) => Err(no_merchant(P::WITHOUT_MERCHANT)),
        }
    }
}

impl<P> Authorized<P> {
    /// The merchant's account at the card network; 400 without one.
    pub fn network_account(&self) -> Result<&NetworkMerchantId, Fault> {
        network_account(&self.merchant)
    }
}

/// A merchant's account at the card network; 400 without one.
pub fn network_account(merchant: &Merchant) -> Result<&NetworkMerchantId, Fault> {
    let missing = || Fault::invalid("Your merchant has no account at the card network.");
    merchant.network_merchant_id.as_ref().ok_or_else(missing)
}

/// As [`Authorized`], for a route that has an answer of its own for a user without a merchant.
#[derive(Debug)]
pub enum MaybeAuthorized<P> {
    Authorized(Box<Authorized<P>>),
    NoMerchant(Stored<User>),
}

impl<P: RequiredPermission> Access for MaybeAuthorized<P> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, None);
}

impl<P: RequiredPermission> FromRequestParts<App> for MaybeAuthorized<P> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let Session { user, workspace } = Session::from_request_parts(parts, app).await?;
        let Some(Workspace { merchant, membership }) = workspace else { return Ok(Self::NoMerchant(user)) };
        tracing::Span::current().record("merchant", merchant.id.as_str());
        let action = if is_write(&parts.method) { Action::Write } else { Action::Read };
        if !user.is_admin && !membership.allows(P::PERMISSION, action) {
            return Err(Fault::access(StatusCode::FORBIDDEN, "You do not have permission to do this."));
        }
        Ok(Self::Authorized(Box::new(Authorized { user, merchant, membership, grant: PhantomData })))
    }
}

/// A session's token, and how it came.
struct Credential {
    token: Token,
    from_cookie: bool,
}

impl Credential {
    /// Exactly one token, as a bearer or as the cookie: two could belong to two users.
    fn of(headers: &HeaderMap) -> Result<Self, Fault> {
        let mut tokens = bearer_tokens(headers).chain(cookie_tokens(headers));
        match (tokens.next(), tokens.next()) {
            (Some(credential), None) => Ok(credential),
            _ => Err(unauthenticated()),
        }
    }
}

fn bearer_tokens(headers: &HeaderMap) -> impl Iterator<Item = Credential> {
    let values = headers.get_all(header::AUTHORIZATION).into_iter().filter_map(|value| value.to_str().ok());
    values
        .filter_map(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| Credential { token: Token::new(token.trim()), from_cookie: false })
}

fn cookie_tokens(headers: &HeaderMap) -> impl Iterator<Item = Credential> {
    let tokens = cookie::values(headers, SESSION_COOKIE);
    tokens.map(|token| Credential { token: Token::new(token), from_cookie: true })
}

fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a browser says that another site made it send this request. A caller that says nothing is no browser.
fn comes_from_elsewhere(headers: &HeaderMap, app: &App) -> bool {
    let text = |name| headers.get(name).map(|value: &http::HeaderValue| value.to_str().unwrap_or_default());
    if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site")) {
        return !matches!(site, "same-origin" | "same-site" | "none");
    }
    let Some(origin) = text(header::ORIGIN) else { return false };
    let own_host =
        text(header::HOST).is_some_and(|host| origin.split_once("://").is_some_and(|(_, from)| from == host));
    let settings = &app.settings;
    !own_host
        && settings.portal_base_url != origin
        && !settings.dashboard_origins.iter().any(|known| known == origin)
}

fn unauthenticated() -> Fault {
    Fault::access(StatusCode::UNAUTHORIZED, "Sign in to do this.")
}

/// What a user without a merchant is told.
pub fn no_merchant(status: StatusCode) -> Fault {
    Fault::access(status, "Your account is not linked to a merchant.")
}
