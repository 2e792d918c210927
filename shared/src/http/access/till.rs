//! Whoever sells and redeems.

use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::super::fault::Fault;
use super::member::{Authorized, MaybeAuthorized};
use super::permission::{self, RequiredPermission};
use super::principal::Principal;
use super::refusals::no_merchant;
use super::requirement::{Access, Keys, Requirement};
use crate::app::App;
use crate::db::Stored;
use crate::merchants::model::merchant::Merchant;
use crate::team::model::till::{NamedOperator, Operator, Till};
use crate::team::rows::sessions::{Person, SignedIn};

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
