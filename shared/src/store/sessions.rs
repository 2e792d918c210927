//! Sessions: opaque tokens that are stored only as a hash.
//!
//! A token is `secret.user.merchant`, each part in base64url. With the ids, the session, the user, the membership and the
//! merchant are read in one round trip. The ids alone grant nothing: the session is found by the hash of the whole token.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::{CommitError, StoreError};
use super::keys::{self, Key};
use super::row::{Entity, Item, Stored, from_item, item_key};
use super::table::Store;
use super::write::Write;
use crate::clock::later;
use crate::domain::ids::{MerchantId, UserId};
use crate::domain::merchant::Merchant;
use crate::domain::team::{Membership, User};

/// The absolute lifetime of a session.
pub const TTL: SignedDuration = SignedDuration::from_hours(12);

/// A session token.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The secret text. Never log it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    fn issue(secret: [u8; 32], user: &UserId, merchant: Option<&MerchantId>) -> Self {
        let merchant = merchant.map(MerchantId::as_str).unwrap_or_default();
        let parts = [&secret[..], user.as_str().as_bytes(), merchant.as_bytes()];
        Self(parts.map(|part| BASE64.encode(part)).join("."))
    }

    fn ids(&self) -> Option<(UserId, Option<MerchantId>)> {
        let mut parts =
            self.0.split('.').skip(1).map(|part| String::from_utf8(BASE64.decode(part).ok()?).ok());
        let (user, merchant) = (parts.next()??, parts.next()??);
        let merchant = (!merchant.is_empty()).then(|| MerchantId::new(merchant));
        Some((UserId::new(user), merchant))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Session {
    #[serde(flatten)]
    key: Key,
    user_id: UserId,
    expires_at: Timestamp,
    /// That of the user at the time.
    #[serde(default)]
    generation: u64,
}

impl Session {
    fn is_valid(&self, user: &User, now: Timestamp) -> bool {
        self.expires_at > now && self.generation == user.session_generation
    }
}

impl Entity for Session {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

/// An authenticated caller.
#[derive(Debug, Clone)]
pub struct SignedIn {
    pub user: Stored<User>,
    pub workspace: Option<Workspace>,
}

/// The caller's merchant and membership.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub merchant: Stored<Merchant>,
    pub membership: Stored<Membership>,
}

impl Store {
    /// Creates a session.
    pub async fn open_session(
        &self,
        user: &User,
        secret: [u8; 32],
        now: Timestamp,
    ) -> Result<Token, StoreError> {
        let token = Token::issue(secret, &user.id, user.merchant_id.as_ref());
        let expires_at = later(now, TTL);
        let session = Session {
            key: keys::session(token.expose()),
            user_id: user.id.clone(),
            expires_at,
            generation: user.session_generation,
        };
        match self.commit(vec![Write::put(&session)?]).await {
            Ok(()) => Ok(token),
            Err(CommitError::Store(error)) => Err(error),
            Err(CommitError::Conflict(_)) => Err(StoreError::Contended("a session")),
        }
    }

    /// Deletes a session. It takes effect with the next request.
    pub async fn end_session(&self, token: &Token) -> Result<(), StoreError> {
        self.remove(&keys::session(token.expose())).await
    }

    /// Ends all sessions of a user in one write. It takes effect with the next request.
    pub async fn end_all_sessions(&self, user: Stored<User>) -> Result<(), StoreError> {
        let next_generation = |user: &User| {
            let session_generation = user.session_generation.saturating_add(1);
            Ok(Some(User { session_generation, ..user.clone() }.into()))
        };
        self.update(user, next_generation).await
    }

    /// The caller of a token, or `None` if the session does not exist or has expired.
    pub async fn signed_in(&self, token: &Token, now: Timestamp) -> Result<Option<SignedIn>, StoreError> {
        let Some((user_id, merchant_id)) = token.ids() else { return Ok(None) };
        let session_key = keys::session(token.expose());
        let mut keys_to_read = vec![session_key.clone(), keys::user(&user_id)];
        keys_to_read.extend(merchant_id.iter().flat_map(|merchant| workspace_keys(merchant, &user_id)));
        let mut rows = self.get_items(&keys_to_read).await?;

        let session: Option<Stored<Session>> = take(&mut rows, &session_key)?;
        let Some(session) = session else { return Ok(None) };
        let Some(user) = take::<User>(&mut rows, &keys::user(&user_id))? else { return Ok(None) };
        if !session.is_valid(&user, now) {
            return Ok(None);
        }
        let workspace = match &user.merchant_id {
            None => None,
            merchant if *merchant == merchant_id => workspace(&mut rows, &user)?,
            Some(new_merchant) => {
                let mut rows = self.get_items(&workspace_keys(new_merchant, &user_id)).await?;
                workspace(&mut rows, &user)?
            }
        };
        Ok(Some(SignedIn { user, workspace }))
    }
}

fn workspace_keys(merchant: &MerchantId, user: &UserId) -> [Key; 2] {
    [keys::merchant(merchant), keys::member(merchant, user)]
}

fn workspace(rows: &mut Vec<Item>, user: &User) -> Result<Option<Workspace>, StoreError> {
    let Some(id) = &user.merchant_id else { return Ok(None) };
    let [merchant, membership] = workspace_keys(id, &user.id);
    let (merchant, membership) = (take(rows, &merchant)?, take(rows, &membership)?);
    Ok(merchant.zip(membership).map(|(merchant, membership)| Workspace { merchant, membership }))
}

fn take<T: Entity>(rows: &mut Vec<Item>, key: &Key) -> Result<Option<Stored<T>>, StoreError> {
    let position = rows.iter().position(|row| item_key(row).as_ref() == Some(key));
    position.map(|position| from_item(rows.swap_remove(position))).transpose()
}
