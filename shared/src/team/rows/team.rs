//! Users, memberships and invites.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::db::keys::{self, Key};
use crate::db::{Entity, Item, Range, Store, StoreError, Stored, Write, entry_item, item_key, to_item, ttl};
use crate::keys::model::key::ApiKey;
use crate::merchants::model::merchant::Merchant;
use crate::team::model::team::{Action, Invite, InviteStatus, Membership, Permission, Powers, Stamp, User, fold_email};
use crate::team::model::till::Till;
use crate::team::rows::sessions::Person;
use crate::values::{ChallengeId, MerchantId, UserId, later};

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

/// Invitations are shown as expired for this long.
const EXPIRED_INVITE_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

impl Entity for Invite {
    fn key(&self) -> Key {
        keys::invite(&self.merchant_id, &self.challenge_id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.expires_at, EXPIRED_INVITE_RETENTION))
    }

    /// A row in the partition of the invited address, and one by the id of the invitation. Both may outlive the invitation.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let reference = InviteReference { merchant_id: self.merchant_id.clone(), challenge_id: self.challenge_id.clone() };
        let by_email = keys::invite_by_email(&fold_email(&self.email), &self.challenge_id);
        let entries = [by_email, keys::invite_by_id(&self.challenge_id)].map(|key| {
            let mut entry = entry_item(key, &reference)?;
            entry.extend(self.expires_at().map(|at| (keys::TTL.to_owned(), ttl(at))));
            Ok(entry)
        });
        entries.into_iter().collect()
    }
}

/// That a user belongs to a merchant, or has belonged to it. It is written with the membership and never deleted: whoever
/// leaves a merchant still may not administer or pay it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Belonged {
    pub user_id: UserId,
    pub merchant_id: MerchantId,
}

impl Belonged {
    pub fn new(user: &UserId, merchant: &MerchantId) -> Self {
        Self { user_id: user.clone(), merchant_id: merchant.clone() }
    }
}

impl Entity for Belonged {
    fn key(&self) -> Key {
        keys::belonged(&self.user_id, &self.merchant_id)
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

/// Where an invitation is.
#[derive(Debug, Serialize, Deserialize)]
struct InviteReference {
    merchant_id: MerchantId,
    challenge_id: ChallengeId,
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
    pub tills: Vec<Stored<Till>>,
    /// Also those that are over.
    pub keys: Vec<Stored<ApiKey>>,
}

impl Team {
    /// The write that makes concurrent changes of the team conflict, whatever they change.
    pub fn counted(&self) -> Result<Write, StoreError> {
        let counter = TeamCounter { merchant_id: self.merchant_id.clone() };
        match &self.counter {
            Some(read) => Write::replace(read, &counter),
            None => Write::create(&counter),
        }
    }

    pub fn member(&self, user: &UserId) -> Option<&Stored<Membership>> {
        self.members.iter().find(|member| member.user_id == *user)
    }

    /// Whether a user may manage the team, as it is now: it can have changed since their request was admitted.
    pub fn is_managed_by(&self, user: &Person) -> bool {
        let may_manage = |member: &Stored<Membership>| member.allows(Permission::TeamInvite, Action::Write);
        user.is_admin || self.member(&user.id).is_some_and(may_manage)
    }

    /// The membership of a user who gives or takes these powers. `None` if the user may not.
    pub fn giver(&self, user: &UserId, powers: &Powers) -> Option<&Stored<Membership>> {
        self.member(user).filter(|member| member.powers().may_give(powers))
    }

    /// The status of one of its invitations.
    pub fn status(&self, invite: &Invite, now: Timestamp) -> InviteStatus {
        let maker = invite.made_by.as_ref().and_then(|maker| self.member(&maker.user_id));
        invite.status(maker.map(|maker| &maker.value), now)
    }

    /// The members any of whom could be the last administrator.
    pub fn administrators(&self) -> impl Iterator<Item = &Stored<Membership>> {
        self.members.iter().filter(|member| member.is_administrator())
    }

    /// Whether this member is its only administrator, who must stay one.
    pub fn is_last_administrator(&self, user: &UserId) -> bool {
        let mut administrators = self.administrators();
        administrators.next().is_some_and(|first| first.user_id == *user) && administrators.next().is_none()
    }
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
        let mut team = Team {
            merchant_id: merchant.clone(),
            counter: None,
            members: Vec::new(),
            invites: Vec::new(),
            tills: Vec::new(),
            keys: Vec::new(),
        };
        for row in rows {
            let sort_key = item_key(&row).map(|key| key.sk).unwrap_or_default();
            if sort_key.starts_with(keys::MEMBERS) {
                team.members.extend(self.readable_row(row));
            } else if sort_key.starts_with(keys::INVITES) {
                team.invites.extend(self.readable_row(row));
            } else if sort_key.starts_with(keys::TILLS) {
                team.tills.extend(self.readable_row(row));
            } else if sort_key.starts_with(keys::API_KEYS) {
                team.keys.extend(self.readable_row(row));
            } else if sort_key == keys::team(merchant).sk {
                team.counter = self.readable_row(row);
            }
        }
        Ok(team)
    }

    pub fn new_stamp(&self) -> Stamp {
        Stamp::new(self.random.bytes())
    }

    pub async fn users(&self, ids: &[UserId]) -> Result<Vec<Stored<User>>, StoreError> {
        let keys: Vec<Key> = ids.iter().map(keys::user).collect();
        Ok(self.readable(self.get_items(&keys).await?))
    }

    pub async fn user(&self, id: &UserId) -> Result<Option<Stored<User>>, StoreError> {
        self.get(&keys::user(id)).await
    }

    pub async fn user_id_by_email(&self, email: &str) -> Result<Option<UserId>, StoreError> {
        let address = self.get::<UserByEmail>(&keys::user_by_email(&fold_email(email))).await?;
        Ok(address.map(|address| address.value.user_id))
    }

    /// The writes that create a user. They conflict if another user has the address.
    pub fn new_user(&self, user: &User) -> Result<Vec<Write>, StoreError> {
        let address = UserByEmail { folded_email: fold_email(&user.email), user_id: user.id.clone() };
        Ok(vec![Write::create(user)?, Write::create(&address)?])
    }

    pub async fn user_by_email(&self, email: &str) -> Result<Option<Stored<User>>, StoreError> {
        match self.user_id_by_email(email).await? {
            Some(id) => self.user(&id).await,
            None => Ok(None),
        }
    }

    /// The user with an e-mail address, and their merchant. The same reads are made whether the user exists or not, so that
    /// the response time does not reveal it.
    pub async fn account_by_email(&self, email: &str) -> Result<Option<Account>, StoreError> {
        let user_id = self.user_id_by_email(email).await?.unwrap_or_else(|| UserId::new(NO_ID));
        let user = self.user(&user_id).await?.map(|user| user.value);
        let merchant_id = user.as_ref().and_then(|user| user.merchant_id.clone());
        let merchant = self.merchant(&merchant_id.unwrap_or_else(|| MerchantId::new(NO_ID))).await?;
        Ok(user.map(|user| Account { user, merchant: merchant.map(|merchant| merchant.value) }))
    }

    /// The invites of all merchants to an e-mail address.
    pub async fn invites_by_email(&self, email: &str) -> Result<Vec<Stored<Invite>>, StoreError> {
        let range = Range::of_table(keys::email_partition(&fold_email(email))).beginning_with(keys::INVITES);
        let mut found = Vec::new();
        self.for_each(range, |reference: InviteReference| {
            found.push(keys::invite(&reference.merchant_id, &reference.challenge_id));
        })
        .await?;
        Ok(self.readable(self.get_items(&found).await?))
    }

    pub async fn invite(&self, merchant: &MerchantId, id: &ChallengeId) -> Result<Option<Stored<Invite>>, StoreError> {
        self.get(&keys::invite(merchant, id)).await
    }

    /// The invite with an id, of whichever merchant.
    pub async fn invite_by_id(&self, id: &ChallengeId) -> Result<Option<Stored<Invite>>, StoreError> {
        let Some(item) = self.get_items(&[keys::invite_by_id(id)]).await?.pop() else { return Ok(None) };
        let Some(reference) = self.readable_value::<InviteReference>(item) else { return Ok(None) };
        self.invite(&reference.merchant_id, &reference.challenge_id).await
    }

    /// The status of an invitation, whose maker is looked up.
    pub async fn status_of_invite(&self, invite: &Invite, now: Timestamp) -> Result<InviteStatus, StoreError> {
        let maker = match &invite.made_by {
            Some(maker) => self.membership(&invite.merchant_id, &maker.user_id).await?,
            None => None,
        };
        Ok(invite.status(maker.map(|maker| maker.value).as_ref(), now))
    }

    /// Whether a user belongs to a merchant, or has ever belonged to it.
    pub async fn has_ever_belonged(&self, user: &UserId, merchant: &MerchantId) -> Result<bool, StoreError> {
        Ok(!self.get_items(&[keys::belonged(user, merchant)]).await?.is_empty())
    }

    pub async fn membership(&self, merchant: &MerchantId, user: &UserId) -> Result<Option<Stored<Membership>>, StoreError> {
        self.get(&keys::member(merchant, user)).await
    }
}

/// The rows of a new user and their membership.
pub fn user_record(user: &User, membership: Option<&Membership>) -> Result<Vec<Item>, StoreError> {
    let address = UserByEmail { folded_email: fold_email(&user.email), user_id: user.id.clone() };
    let mut rows = vec![to_item(user, 1)?, to_item(&address, 1)?];
    rows.extend(membership.map(|membership| to_item(membership, 1)).transpose()?);
    let belonged = user.merchant_id.as_ref().map(|merchant| Belonged::new(&user.id, merchant));
    rows.extend(belonged.map(|belonged| to_item(&belonged, 1)).transpose()?);
    Ok(rows)
}
