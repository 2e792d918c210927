//! Who acts for a merchant: a member or a key.

use http::StatusCode;

use super::super::fault::Fault;
use super::refusals::not_for_tills;
use crate::db::Stored;
use crate::db::counters::Who;
use crate::keys::model::key::ApiKey;
use crate::merchants::model::activity::Actor;
use crate::merchants::model::merchant::Merchant;
use crate::team::model::team::{Action, Membership, Permission};
use crate::team::model::till::Operator;
use crate::team::rows::sessions::{Person, SignedIn, SignedInKey, SignedInUser, Workspace};
use crate::values::UserId;

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

    pub(super) fn name(&self) -> String {
        match self {
            Self::Member { user, .. } => user.display_name(),
            Self::Key(key) => key.name.clone(),
        }
    }

    pub(super) fn who(&self) -> Who<'_> {
        match self {
            Self::Member { user, .. } => Who::User(&user.id),
            Self::Key(key) => Who::Key(&key.id),
        }
    }

    /// Whether it is a platform administrator. What the maker of a key is counts for nothing.
    pub(super) fn is_admin(&self) -> bool {
        match self {
            Self::Member { user, .. } => user.is_admin,
            Self::Key(_) => false,
        }
    }

    pub(super) fn require(&self, permission: Permission, action: Action) -> Result<(), Fault> {
        let is_allowed = match self {
            Self::Member { user, membership } => user.is_admin || membership.allows(permission, action),
            Self::Key(key) => key.allows(permission, action),
        };
        if is_allowed { Ok(()) } else { Err(Fault::access(StatusCode::FORBIDDEN, "You do not have permission to do this.")) }
    }
}

/// Who acts for which merchant, or the user without one. 403 for a till.
#[expect(clippy::type_complexity, reason = "it is taken apart at once")]
pub(super) fn principal(signed_in: SignedIn) -> Result<Result<(Principal, Stored<Merchant>), Box<Person>>, Fault> {
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
