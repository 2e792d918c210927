//! Members and keys of a merchant, with a permission.

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{Method, StatusCode};

use super::super::endpoint_error::{General, Invalid};
use super::super::fault::Fault;
use super::permission::{PermissionSet, RequiredPermission};
use super::principal::{Principal, principal};
use super::refusals::{no_merchant, not_for_keys};
use super::requirement::{Access, Keys, Requirement, is_write};
use crate::app::App;
use crate::db::Stored;
use crate::db::counters::{Member, Who};
use crate::merchants::model::merchant::Merchant;
use crate::team::model::team::{Action, Membership, Permission};
use crate::team::rows::sessions::{Person, SignedIn, SignedInUser};
use crate::values::NetworkMerchantId;

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
    pub(super) fn of(signed_in: SignedIn, method: &Method) -> Result<Self, Fault> {
        let (by, merchant) = match principal(signed_in)? {
            Ok(found) => found,
            Err(user) => return Ok(Self::NoMerchant(user)),
        };
        by.require(P::PERMISSION, action(method))?;
        Ok(Self::Authorized(Box::new(Authorized::new(by, merchant))))
    }
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

fn action(method: &Method) -> Action {
    if is_write(method) { Action::Write } else { Action::Read }
}

pub fn network_account(merchant: &Merchant) -> Result<&NetworkMerchantId, Invalid> {
    let missing = || Invalid::new("Your merchant has no account at the card network.");
    merchant.network_merchant_id.as_ref().ok_or_else(missing)
}
