//! Users, memberships and invites.

use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::{
    CommitError, Entity, Item, Range, Store, StoreError, Stored, Write, from_item, item_key, to_item,
};
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

/// Finds a user by address.
#[derive(Debug, Serialize, Deserialize)]
struct Address {
    folded_email: String,
    user_id: UserId,
}

impl Entity for Address {
    fn key(&self) -> Key {
        keys::user_by_email(&self.folded_email)
    }
}

/// Finds an invite by address: the same invite, under the invited person's partition.
#[derive(Debug, Serialize, Deserialize)]
struct InviteByAddress(Invite);

impl Entity for InviteByAddress {
    fn key(&self) -> Key {
        keys::invite_by_email(&fold_email(&self.0.email), &self.0.challenge_id)
    }
}

/// Changes with every change of the team, so that two changes that each would be fine alone cannot both pass.
#[derive(Debug, Serialize, Deserialize)]
struct Team {
    merchant_id: MerchantId,
}

impl Entity for Team {
    fn key(&self) -> Key {
        keys::team(&self.merchant_id)
    }
}

/// A merchant's team as it was read.
#[derive(Debug)]
pub struct TeamView {
    merchant_id: MerchantId,
    team: Option<Stored<Team>>,
    pub members: Vec<Stored<Membership>>,
    pub invites: Vec<Stored<Invite>>,
}

/// A user, and the merchant if there is one.
#[derive(Debug)]
pub struct Account {
    pub user: User,
    pub merchant: Option<Merchant>,
}

/// An id that no row has.
const NOBODY: &str = "";

impl Store {
    pub async fn team(&self, merchant: &MerchantId) -> Result<TeamView, StoreError> {
        let rows = self.query_items(Range::of_table(keys::merchant_partition(merchant))).await?;
        let mut view =
            TeamView { merchant_id: merchant.clone(), team: None, members: Vec::new(), invites: Vec::new() };
        for row in rows {
            let sort_key = item_key(&row).map(|key| key.sk).unwrap_or_default();
            if sort_key.starts_with(keys::MEMBERS) {
                view.members.push(from_item(row)?);
            } else if sort_key.starts_with(keys::INVITES) {
                view.invites.push(from_item(row)?);
            } else if sort_key == keys::team(merchant).sk {
                view.team = Some(from_item(row)?);
            }
        }
        Ok(view)
    }

    /// Writes a member's new standing, provided that neither the team nor `caller`, who asks for it, has changed
    /// since they were read.
    pub async fn change_member(
        &self,
        team: &TeamView,
        caller: Option<&Stored<Membership>>,
        member: &Stored<Membership>,
        changed: &Membership,
    ) -> Result<(), CommitError> {
        let row = Team { merchant_id: team.merchant_id.clone() };
        let guard = match &team.team {
            Some(read) => Write::replace(read, &row)?,
            None => Write::create(&row)?,
        };
        let mut writes = vec![guard, Write::replace(member, changed)?];
        if let Some(caller) = caller {
            writes.push(Write::unchanged(caller)?);
        }
        self.commit(writes).await
    }

    pub async fn users(&self, ids: &[UserId]) -> Result<Vec<Stored<User>>, StoreError> {
        let keys: Vec<Key> = ids.iter().map(keys::user).collect();
        self.get_items(&keys).await?.into_iter().map(from_item).collect()
    }

    pub async fn user(&self, id: &UserId) -> Result<Option<Stored<User>>, StoreError> {
        self.get(&keys::user(id)).await
    }

    pub async fn user_by_email(&self, email: &str) -> Result<Option<Stored<User>>, StoreError> {
        match self.get::<Address>(&keys::user_by_email(&fold_email(email))).await? {
            Some(address) => self.user(&address.user_id).await,
            None => Ok(None),
        }
    }

    /// The user behind an address, with the merchant. The same look-ups are made whether there is one or not, so that
    /// the time they take tells nobody.
    pub async fn account_of(&self, email: &str) -> Result<Option<Account>, StoreError> {
        let address = self.get::<Address>(&keys::user_by_email(&fold_email(email))).await?;
        let user_id = address.map_or_else(|| UserId::new(NOBODY), |address| address.value.user_id);
        let user = self.user(&user_id).await?.map(|user| user.value);
        let merchant_id = user.as_ref().and_then(|user| user.merchant_id.clone());
        let merchant = self.merchant(&merchant_id.unwrap_or_else(|| MerchantId::new(NOBODY))).await?;
        Ok(user.map(|user| Account { user, merchant: merchant.map(|merchant| merchant.value) }))
    }

    /// Every invite that was sent to an address, whichever merchant sent it.
    pub async fn invites_to(&self, email: &str) -> Result<Vec<Invite>, StoreError> {
        let range = Range::of_table(keys::email_partition(&fold_email(email))).beginning_with(keys::INVITES);
        let found = self.query::<InviteByAddress>(range).await?;
        Ok(found.into_iter().map(|stored| stored.value.0).collect())
    }
}

/// The rows of a new user, and of the membership where there is one.
pub fn user_record(user: &User, membership: Option<&Membership>) -> Result<Vec<Item>, StoreError> {
    let address = Address { folded_email: fold_email(&user.email), user_id: user.id.clone() };
    let mut rows = vec![to_item(user, 1)?, to_item(&address, 1)?];
    rows.extend(membership.map(|membership| to_item(membership, 1)).transpose()?);
    Ok(rows)
}

/// The rows of a new invite.
pub fn invite_record(invite: &Invite) -> Result<Vec<Item>, StoreError> {
    Ok(vec![to_item(invite, 1)?, to_item(&InviteByAddress(invite.clone()), 1)?])
}
