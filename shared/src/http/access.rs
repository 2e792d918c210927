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

use std::convert::Infallible;
use std::marker::PhantomData;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use jiff::SignedDuration;
use tokio::time::{Instant, sleep_until};

use super::body::JsonOnly;
use super::cookie;
use super::endpoint_error::{General, Invalid};
use super::fault::Fault;
use super::origin;
use crate::app::App;
use crate::base::invocation::Invocation;
use crate::base::settings::Settings;
use crate::db::Stored;
use crate::db::counters::{Member, Who};
use crate::endpoint_error;
use crate::keys::model::key::ApiKey;
use crate::merchants::model::activity::Actor;
use crate::merchants::model::merchant::Merchant;
use crate::team::model::team::{Action, Membership, Permission, SignInMethod, User};
use crate::team::model::till::{NamedOperator, Operator, Till};
use crate::team::rows::sessions::{Person, Session, SessionDetails, SignedIn, SignedInKey, SignedInUser, Token, Workspace};
use crate::values::{MerchantId, NetworkMerchantId, UserId};

/// The session cookie, for browsers on the portal's own site.
pub const SESSION_COOKIE: &str = "__Host-portal_session";

/// The merchant whose data a write is meant for: the session's, when the client loaded what it shows. Another one may have
/// signed in since, in another tab.
const EXPECTED_MERCHANT: HeaderName = HeaderName::from_static("x-expected-merchant");
/// Its name in the API description.
pub(super) const EXPECTED_MERCHANT_HEADER: &str = "X-Expected-Merchant";
/// Its text in the API description.
pub(super) const EXPECTED_MERCHANT_TEXT: &str = "The id of the merchant that the session is expected to belong to, under `/api/admin/` \
                                          as well. If the session belongs to another merchant, or to none, nothing is done: 409, \
                                          `OTHER_MERCHANT`.";
pub(super) const OTHER_MERCHANT: &str = "OTHER_MERCHANT";
pub(super) const NOT_FOR_KEYS: &str = "NOT_FOR_KEYS";
pub(super) const SIGN_IN_AGAIN: &str = "SIGN_IN_AGAIN";
pub(super) const PASSKEY_REQUIRED: &str = "PASSKEY_REQUIRED";
pub(super) const KEY_IN_BROWSER: &str = "KEY_IN_BROWSER";
/// Browsers send one of these with each request of a page.
const OF_BROWSERS: [HeaderName; 2] = [header::ORIGIN, HeaderName::from_static("sec-fetch-site")];

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

/// Admits all callers.
#[derive(Debug, Clone, Copy)]
pub struct Public;

impl Access for Public {
    const REQUIREMENT: Requirement = Requirement::Public;
    const KEYS: Keys = Keys::Ignored;
}

impl FromRequestParts<App> for Public {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

/// Admits all callers but keys, which are known by their form: it is for people who sign in or out, and for devices.
#[derive(Debug, Clone, Copy)]
pub struct PublicToPeople;

impl Access for PublicToPeople {
    const REQUIREMENT: Requirement = Requirement::Public;
    const KEYS: Keys = Keys::Refused;
}

impl FromRequestParts<App> for PublicToPeople {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        if !bearer_tokens(&parts.headers).any(|credential| credential.token.is_of_key()) {
            return Ok(Self);
        }
        require_no_browser(&parts.headers)?;
        Err(not_for_keys())
    }
}

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

/// How many tokens of a request are looked at. No client sends more than two.
const MAX_TOKENS: usize = 10;

/// The tokens of a request, whether or not their sessions are over.
pub fn session_tokens(headers: &HeaderMap) -> impl Iterator<Item = Token> {
    let credentials = bearer_tokens(headers).chain(cookie_tokens(headers));
    credentials.map(|credential| credential.token).take(MAX_TOKENS)
}

/// The token of the session cookie, if there is exactly one.
pub fn cookie_token(headers: &HeaderMap) -> Option<Token> {
    let mut tokens = cookie_tokens(headers);
    let token = tokens.next()?.token;
    tokens.next().is_none().then_some(token)
}

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

/// A permission as a type, for [`Authorized`].
pub trait RequiredPermission {
    const PERMISSION: Permission;
    /// The status of the error for a user without a merchant.
    const WITHOUT_MERCHANT: StatusCode = StatusCode::NOT_FOUND;
}

/// The permissions as types.
pub mod permission {
    use super::{Permission, RequiredPermission, StatusCode};

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
}

/// Who acts for a merchant, with permissions of it.
#[derive(Debug)]
pub enum Principal {
    Member { user: Box<Person>, membership: Box<Stored<Membership>> },
    Key(Box<Stored<ApiKey>>),
}

impl Principal {
    pub fn actor(&self) -> Actor {
        match self {
            Self::Member { user, .. } => Actor::member(user),
            Self::Key(key) => Actor::key(&key.id, &key.name),
        }
    }

    pub fn operator(&self) -> Operator {
        match self {
            Self::Member { user, .. } => Operator::User(user.id.clone()),
            Self::Key(key) => Operator::Key(key.id.clone()),
        }
    }

    /// Whose id stands where there is room for one: the user, or the key.
    pub fn id(&self) -> UserId {
        match self {
            Self::Member { user, .. } => user.id.clone(),
            Self::Key(key) => UserId::new(key.id.as_str()),
        }
    }

    /// The user who answers for it: themselves, or the maker of the key.
    pub fn responsible(&self) -> &UserId {
        match self {
            Self::Member { user, .. } => &user.id,
            Self::Key(key) => &key.created_by.id,
        }
    }

    /// Who it is in an audit entry, if it is no user.
    pub fn other_than_user(&self) -> Option<Actor> {
        match self {
            Self::Member { .. } => None,
            Self::Key(_) => Some(self.actor()),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Member { user, .. } => user.display_name(),
            Self::Key(key) => key.name.clone(),
        }
    }

    fn who(&self) -> Who<'_> {
        match self {
            Self::Member { user, .. } => Who::User(&user.id),
            Self::Key(key) => Who::Key(&key.id),
        }
    }

    /// Whether it is a platform administrator. What the maker of a key is counts for nothing.
    fn is_admin(&self) -> bool {
        match self {
            Self::Member { user, .. } => user.is_admin,
            Self::Key(_) => false,
        }
    }

    fn require(&self, permission: Permission, action: Action) -> Result<(), Fault> {
        let is_allowed = match self {
            Self::Member { user, membership } => user.is_admin || membership.allows(permission, action),
            Self::Key(key) => key.allows(permission, action),
        };
        if is_allowed { Ok(()) } else { Err(Fault::access(StatusCode::FORBIDDEN, "You do not have permission to do this.")) }
    }
}

fn action(method: &Method) -> Action {
    if is_write(method) { Action::Write } else { Action::Read }
}

/// A member of a merchant, or its key, with the permission `P`.
#[derive(Debug)]
pub struct Authorized<P> {
    pub by: Principal,
    pub merchant: Stored<Merchant>,
    permission: PhantomData<P>,
}

/// A member of a merchant with the permission `P`, in person: for what a key may not do.
#[derive(Debug)]
pub struct AuthorizedPerson<P> {
    pub user: Person,
    pub merchant: Stored<Merchant>,
    pub membership: Stored<Membership>,
    permission: PhantomData<P>,
}

impl<P: RequiredPermission> Access for Authorized<P> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, Some(P::WITHOUT_MERCHANT));
    const KEYS: Keys = Keys::Admitted;
}

impl<P: RequiredPermission> Access for AuthorizedPerson<P> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, Some(P::WITHOUT_MERCHANT));
    const KEYS: Keys = Keys::Refused;
}

impl<P: RequiredPermission> FromRequestParts<App> for Authorized<P> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        MaybeAuthorized::<Self>::from_request_parts(parts, app).await?.or_refused(P::WITHOUT_MERCHANT)
    }
}

impl<P: RequiredPermission> FromRequestParts<App> for AuthorizedPerson<P> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        MaybeAuthorized::<Self>::from_request_parts(parts, app).await?.or_refused(P::WITHOUT_MERCHANT)
    }
}

impl<P> Authorized<P> {
    fn new(by: Principal, merchant: Stored<Merchant>) -> Self {
        Self { by, merchant, permission: PhantomData }
    }

    pub fn network_account(&self) -> Result<&NetworkMerchantId, Invalid> {
        network_account(&self.merchant)
    }

    /// Who uses what the merchant has.
    pub fn member(&self) -> Member<'_> {
        Member { merchant: &self.merchant.id, who: self.by.who() }
    }
}

impl<P> AuthorizedPerson<P> {
    /// Who uses what the merchant has.
    pub fn member(&self) -> Member<'_> {
        Member { merchant: &self.merchant.id, who: Who::User(&self.user.id) }
    }
}

pub fn network_account(merchant: &Merchant) -> Result<&NetworkMerchantId, Invalid> {
    let missing = || Invalid::new("Your merchant has no account at the card network.");
    merchant.network_merchant_id.as_ref().ok_or_else(missing)
}

/// Whoever sells and redeems: a member with the permission to, a paired till, or a key.
#[derive(Debug)]
pub struct AtTill<P = permission::Pos> {
    caller: TillCaller,
    pub merchant: Stored<Merchant>,
    permission: PhantomData<P>,
}

#[derive(Debug)]
enum TillCaller {
    Principal(Principal),
    Till(Box<Stored<Till>>),
}

impl<P> AtTill<P> {
    fn new(caller: TillCaller, merchant: Stored<Merchant>) -> Self {
        Self { caller, merchant, permission: PhantomData }
    }

    pub fn operator(&self) -> Operator {
        match &self.caller {
            TillCaller::Principal(by) => by.operator(),
            TillCaller::Till(till) => Operator::Till(till.id.clone()),
        }
    }

    /// With their name, unless a platform administrator names another merchant.
    pub fn named_operator(&self, merchant: Option<&str>) -> NamedOperator {
        let name = match &self.caller {
            TillCaller::Principal(by) => by.name(),
            TillCaller::Till(till) => till.name.clone(),
        };
        let is_own = merchant.is_none_or(|id| id == self.merchant.id.as_str());
        NamedOperator { operator: self.operator(), name: is_own.then_some(name) }
    }

    /// The paired till, if it is one.
    pub fn till(&self) -> Option<&Till> {
        match &self.caller {
            TillCaller::Principal(_) => None,
            TillCaller::Till(till) => Some(till),
        }
    }

    /// Whether it is a platform administrator.
    pub fn is_admin(&self) -> bool {
        match &self.caller {
            TillCaller::Principal(by) => by.is_admin(),
            TillCaller::Till(_) => false,
        }
    }
}

impl<P: RequiredPermission> Access for AtTill<P> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, Some(P::WITHOUT_MERCHANT));
    const KEYS: Keys = Keys::Admitted;
}

impl<P: RequiredPermission> FromRequestParts<App> for AtTill<P> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        match MaybeAtTill::from_request_parts(parts, app).await? {
            MaybeAtTill::AtTill(caller) => Ok(*caller),
            MaybeAtTill::NoMerchant(_) => Err(no_merchant(P::WITHOUT_MERCHANT)),
        }
    }
}

/// As [`AtTill`], for handlers that respond to users without a merchant themselves.
#[derive(Debug)]
pub enum MaybeAtTill<P = permission::Pos> {
    AtTill(Box<AtTill<P>>),
    NoMerchant(Box<Person>),
}

impl<P> MaybeAtTill<P> {
    pub fn operator(&self) -> Operator {
        match self {
            Self::AtTill(caller) => caller.operator(),
            Self::NoMerchant(user) => Operator::User(user.id.clone()),
        }
    }

    /// As [`AtTill::named_operator`].
    pub fn named_operator(&self, merchant: Option<&str>) -> NamedOperator {
        match self {
            Self::AtTill(caller) => caller.named_operator(merchant),
            Self::NoMerchant(_) => NamedOperator { operator: self.operator(), name: None },
        }
    }

    /// The paired till, if it is not a user.
    pub fn till(&self) -> Option<&Till> {
        match self {
            Self::AtTill(caller) => caller.till(),
            Self::NoMerchant(_) => None,
        }
    }
}

impl<P: RequiredPermission> Access for MaybeAtTill<P> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, None);
    const KEYS: Keys = Keys::Admitted;
}

impl<P: RequiredPermission> FromRequestParts<App> for MaybeAtTill<P> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let at_till = |caller, merchant| Self::AtTill(Box::new(AtTill::new(caller, merchant)));
        Ok(match SignedIn::from_request_parts(parts, app).await? {
            SignedIn::Till(signed_in) => at_till(TillCaller::Till(Box::new(signed_in.till)), signed_in.merchant),
            member_or_key @ (SignedIn::User(_) | SignedIn::Key(_)) => {
                match MaybeAuthorized::<Authorized<P>>::of(member_or_key, &parts.method)? {
                    MaybeAuthorized::NoMerchant(user) => Self::NoMerchant(user),
                    MaybeAuthorized::Authorized(caller) => at_till(TillCaller::Principal(caller.by), caller.merchant),
                }
            }
        })
    }
}

/// As the access check `A`, for handlers that respond to users without a merchant themselves.
#[derive(Debug)]
pub enum MaybeAuthorized<A> {
    Authorized(Box<A>),
    NoMerchant(Box<Person>),
}

impl<A> MaybeAuthorized<A> {
    fn or_refused(self, without_merchant: StatusCode) -> Result<A, Fault> {
        match self {
            Self::Authorized(authorized) => Ok(*authorized),
            Self::NoMerchant(_) => Err(no_merchant(without_merchant)),
        }
    }
}

impl<P> MaybeAuthorized<AuthorizedPerson<P>> {
    pub fn user(&self) -> &Person {
        match self {
            Self::Authorized(caller) => &caller.user,
            Self::NoMerchant(user) => user,
        }
    }
}

impl<P: RequiredPermission> Access for MaybeAuthorized<Authorized<P>> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, None);
    const KEYS: Keys = Keys::Admitted;
}

impl<P: RequiredPermission> Access for MaybeAuthorized<AuthorizedPerson<P>> {
    const REQUIREMENT: Requirement = Requirement::Permission(P::PERMISSION, None);
    const KEYS: Keys = Keys::Refused;
}

impl<P: RequiredPermission> FromRequestParts<App> for MaybeAuthorized<Authorized<P>> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        Self::of(SignedIn::from_request_parts(parts, app).await?, &parts.method)
    }
}

impl<P: RequiredPermission> FromRequestParts<App> for MaybeAuthorized<AuthorizedPerson<P>> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let signed_in = SignedIn::User(Box::new(SignedInUser::from_request_parts(parts, app).await?));
        Ok(match MaybeAuthorized::<Authorized<P>>::of(signed_in, &parts.method)? {
            MaybeAuthorized::NoMerchant(user) => Self::NoMerchant(user),
            MaybeAuthorized::Authorized(caller) => match caller.by {
                Principal::Key(_) => return Err(not_for_keys()),
                Principal::Member { user, membership } => Self::Authorized(Box::new(AuthorizedPerson {
                    user: *user,
                    merchant: caller.merchant,
                    membership: *membership,
                    permission: PhantomData,
                })),
            },
        })
    }
}

impl<P: RequiredPermission> MaybeAuthorized<Authorized<P>> {
    fn of(signed_in: SignedIn, method: &Method) -> Result<Self, Fault> {
        let (by, merchant) = match principal(signed_in)? {
            Ok(found) => found,
            Err(user) => return Ok(Self::NoMerchant(user)),
        };
        by.require(P::PERMISSION, action(method))?;
        Ok(Self::Authorized(Box::new(Authorized::new(by, merchant))))
    }
}

/// Who acts for which merchant, or the user without one. 403 for a till.
#[expect(clippy::type_complexity, reason = "it is taken apart at once")]
fn principal(signed_in: SignedIn) -> Result<Result<(Principal, Stored<Merchant>), Box<Person>>, Fault> {
    match signed_in {
        SignedIn::Till(_) => Err(not_for_tills()),
        SignedIn::Key(caller) => {
            let SignedInKey { key, merchant } = *caller;
            Ok(Ok((Principal::Key(Box::new(key)), merchant)))
        }
        SignedIn::User(caller) => {
            let SignedInUser { user, workspace, .. } = *caller;
            let user = Box::new(user);
            let Some(Workspace { merchant, membership }) = workspace else { return Ok(Err(user)) };
            tracing::Span::current().record("merchant", merchant.id.as_str());
            Ok(Ok((Principal::Member { user, membership: Box::new(membership) }, merchant)))
        }
    }
}

/// Permissions as a type, for [`MayRead`].
pub trait PermissionSet {
    const PERMISSIONS: &'static [Permission];
}

/// A member of a merchant, or its key, with at least one of the permissions `S`, for reading. For handlers whose permission depends on
/// what is requested: they [require](Self::require) it as soon as they know it.
#[derive(Debug)]
pub struct MayRead<S> {
    pub by: Principal,
    pub merchant: Stored<Merchant>,
    set: PhantomData<S>,
}

impl<S: PermissionSet> MayRead<S> {
    /// Who uses what the merchant has.
    pub fn member(&self) -> Member<'_> {
        Member { merchant: &self.merchant.id, who: self.by.who() }
    }

    /// 403 without the permission. A `VIEWER`, or a key that only reads, has it for any method: nothing of the merchant's is changed.
    pub fn require(&self, permission: Permission) -> Result<(), General> {
        self.by.require(permission, Action::Read).map_err(General::rejected)
    }
}

impl<S: PermissionSet> Access for MayRead<S> {
    const REQUIREMENT: Requirement = Requirement::ReadAny(S::PERMISSIONS);
    const KEYS: Keys = Keys::Admitted;
}

impl<S: PermissionSet> FromRequestParts<App> for MayRead<S> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Fault> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        let (by, merchant) = principal(signed_in)?.map_err(|_| no_merchant(StatusCode::NOT_FOUND))?;
        let caller = Self { by, merchant, set: PhantomData };
        let refusals = S::PERMISSIONS.iter().map(|permission| caller.require(*permission));
        if let Some(refusal) = refusals.reduce(Result::or) {
            refusal?;
        }
        Ok(caller)
    }
}

/// A session token or a key, and whether it was sent as a cookie.
struct Credential {
    token: Token,
    from_cookie: bool,
}

impl Credential {
    /// Requires exactly one token, as bearer token or as cookie: two could belong to different users.
    fn from_headers(headers: &HeaderMap) -> Result<Self, Fault> {
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

/// 403 for a request that a page of another site sent.
pub(super) fn require_own_page(headers: &HeaderMap, settings: &Settings) -> Result<(), Fault> {
    if origin::is_trusted(headers, settings) {
        return Ok(());
    }
    Err(Fault::access(StatusCode::FORBIDDEN, "This request came from another site."))
}

/// 403 for a key that a page has sent.
fn require_no_browser(headers: &HeaderMap) -> Result<(), Fault> {
    if OF_BROWSERS.iter().any(|header| headers.contains_key(header)) {
        let message = "A key in a browser is no longer secret: replace it, and call the API from a server.";
        return Err(Fault::access(StatusCode::FORBIDDEN, message).code(KEY_IN_BROWSER));
    }
    Ok(())
}

/// 409 if the client expects another merchant than the session's, also if the session has none.
fn require_expected_merchant(headers: &HeaderMap, actual: Option<&MerchantId>) -> Result<(), Fault> {
    let actual = actual.map(|id| id.as_str().as_bytes());
    if headers.get_all(EXPECTED_MERCHANT).into_iter().all(|expected| Some(expected.as_bytes()) == actual) {
        return Ok(());
    }
    let message = "X-Expected-Merchant: you are now signed in with another merchant. Nothing was done.";
    Err(Fault::access(StatusCode::CONFLICT, message).code(OTHER_MERCHANT))
}

pub(super) fn is_write(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

fn unauthenticated() -> Fault {
    Fault::access(StatusCode::UNAUTHORIZED, "Sign in to do this.")
}

fn passkey_required() -> Fault {
    Fault::access(StatusCode::FORBIDDEN, "Sign in with a passkey to do this.").code(PASSKEY_REQUIRED)
}

fn not_for_tills() -> Fault {
    Fault::access(StatusCode::FORBIDDEN, "A till cannot do this.")
}

fn not_for_keys() -> Fault {
    Fault::access(StatusCode::FORBIDDEN, "A key cannot do this. Sign in to do it.").code(NOT_FOR_KEYS)
}

/// The error for a user without a merchant.
fn no_merchant(status: StatusCode) -> Fault {
    Fault::access(status, "Your account is not linked to a merchant.")
}
