//! Users, memberships and invites.

use serde::{Deserialize, Serialize};

use super::error::{CommitError, StoreError};
use super::keys::{self, Key};
use super::query::Range;
use super::row::{Entity, Item, Stored, item_key, to_item};
use super::table::Store;
use super::write::Write;
use crate::domain::ids::{MerchantId, UserId};
use crate::domain::merchant::Merchant;
use crate::domain::team::{Invite, Membership, User, fold_email};

impl Entity for User {
    fn key(&self) -> Key {
        keys::user(&self.id)
    }
}

impl Entity for Membership {
    fn key(&self) -> Key {
        keys::member(&self.merchant_id, &self.user_id)
    }
}

impl Entity for Invite {
    fn key(&self) -> Key {
        keys::invite(&self.merchant_id, &self.challenge_id)
    }
}

/// The user with an e-mail address.
#[derive(Debug, Serialize, Deserialize)]
struct UserByEmail {
    folded_email: String,
    user_id: UserId,
}

impl Entity for UserByEmail {
    fn key(&self) -> Key {
        keys::user_by_email(&self.folded_email)
    }
}

/// A copy of an invite in the partition of the invited e-mail address.
#[derive(Debug, Serialize, Deserialize)]
struct InviteByEmail(Invite);

impl Entity for InviteByEmail {
    fn key(&self) -> Key {
        keys::invite_by_email(&fold_email(&self.0.email), &self.0.challenge_id)
    }
}

/// A row that is written with every change of the team, so that two concurrent changes conflict even if they concern
/// different members.
#[derive(Debug, Serialize, Deserialize)]
struct TeamCounter {
    merchant_id: MerchantId,
}

impl Entity for TeamCounter {
    fn key(&self) -> Key {
        keys::team(&self.merchant_id)
    }
}

/// A merchant's team as it was read.
#[derive(Debug)]
pub struct Team {
    merchant_id: MerchantId,
    counter: Option<Stored<TeamCounter>>,
    pub members: Vec<Stored<Membership>>,
    pub invites: Vec<Stored<Invite>>,
}

/// A user and their merchant.
#[derive(Debug)]
pub struct Account {
    pub user: User,
    pub merchant: Option<Merchant>,
}

/// An id that no row has.
const NO_ID: &str = "";

impl Store {
    pub async fn team(&self, merchant: &MerchantId) -> Result<Team, StoreError> {
        let rows = self.query_items(Range::of_table(keys::merchant_partition(merchant))).await?;
        let mut team =
            Team { merchant_id: merchant.clone(), counter: None, members: Vec::new(), invites: Vec::new() };
        for row in rows {
            let sort_key = item_key(&row).map(|key| key.sk).unwrap_or_default();
            if sort_key.starts_with(keys::MEMBERS) {
                team.members.extend(self.readable_row(row));
            } else if sort_key.starts_with(keys::INVITES) {
                team.invites.extend(self.readable_row(row));
            } else if sort_key == keys::team(merchant).sk {
                team.counter = self.readable_row(row);
            }
        }
        Ok(team)
    }

    /// Writes a changed membership, on condition that neither the team nor the membership of `caller`, who requested the
    /// change, has changed since they were read.
    pub async fn change_member(
        &self,
        team: &Team,
        caller: Option<&Stored<Membership>>,
        member: &Stored<Membership>,
        changed: &Membership,
    ) -> Result<(), CommitError> {
        let counter = TeamCounter { merchant_id: team.merchant_id.clone() };
        let count = match &team.counter {
            Some(read) => Write::replace(read, &counter)?,
            None => Write::create(&counter)?,
        };
        let mut writes = vec![count, Write::replace(member, changed)?];
        if let Some(caller) = caller {
            writes.push(Write::require_unchanged(caller)?);
        }
        self.commit(writes).await
    }

    pub async fn users(&self, ids: &[UserId]) -> Result<Vec<Stored<User>>, StoreError> {
        let keys: Vec<Key> = ids.iter().map(keys::user).collect();
        Ok(self.readable(self.get_items(&keys).await?))
    }

    pub async fn user(&self, id: &UserId) -> Result<Option<Stored<User>>, StoreError> {
        self.get(&keys::user(id)).await
    }

    /// The writes that create a user. They conflict if another user has the address.
    pub fn new_user(&self, user: &User) -> Result<Vec<Write>, StoreError> {
        let address = UserByEmail { folded_email: fold_email(&user.email), user_id: user.id.clone() };
        Ok(vec![Write::create(user)?, Write::create(&address)?])
    }

    pub async fn user_by_email(&self, email: &str) -> Result<Option<Stored<User>>, StoreError> {
        match self.get::<UserByEmail>(&keys::user_by_email(&fold_email(email))).await? {
            Some(address) => self.user(&address.user_id).await,
            None => Ok(None),
        }
    }

    /// The user with an e-mail address, and their merchant. The same reads are made whether the user exists or not, so that
    /// the response time does not reveal it.
    pub async fn account_by_email(&self, email: &str) -> Result<Option<Account>, StoreError> {
        let address = self.get::<UserByEmail>(&keys::user_by_email(&fold_email(email))).await?;
        let user_id = address.map_or_else(|| UserId::new(NO_ID), |address| address.value.user_id);
        let user = self.user(&user_id).await?.map(|user| user.value);
        let merchant_id = user.as_ref().and_then(|user| user.merchant_id.clone());
        let merchant = self.merchant(&merchant_id.unwrap_or_else(|| MerchantId::new(NO_ID))).await?;
        Ok(user.map(|user| Account { user, merchant: merchant.map(|merchant| merchant.value) }))
    }

    /// The invites of all merchants to an e-mail address.
    pub async fn invites_by_email(&self, email: &str) -> Result<Vec<Invite>, StoreError> {
        let range = Range::of_table(keys::email_partition(&fold_email(email))).beginning_with(keys::INVITES);
        let found = self.query::<InviteByEmail>(range).await?;
        Ok(found.into_iter().map(|stored| stored.value.0).collect())
    }
}

/// The rows of a new user and their membership.
pub fn user_record(user: &User, membership: Option<&Membership>) -> Result<Vec<Item>, StoreError> {
    let address = UserByEmail { folded_email: fold_email(&user.email), user_id: user.id.clone() };
    let mut rows = vec![to_item(user, 1)?, to_item(&address, 1)?];
    rows.extend(membership.map(|membership| to_item(membership, 1)).transpose()?);
    Ok(rows)
}

/// The rows of a new invite.
pub fn invite_record(invite: &Invite) -> Result<Vec<Item>, StoreError> {
    Ok(vec![to_item(invite, 1)?, to_item(&InviteByEmail(invite.clone()), 1)?])
}
