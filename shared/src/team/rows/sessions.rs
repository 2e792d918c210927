//! Sessions: opaque tokens that are stored only as a hash.
//!
//! A token is `secret.user.merchant`, each part in base64url. With the ids, the session, the user, the membership and the
//! merchant are read in one round trip. The ids alone grant nothing: the session is found by the hash of the whole token.

use std::ops::Deref;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::db::keys::{self, Key};
use crate::db::{CommitError, Entity, Item, Range, Store, StoreError, Stored, Write, entry_item, take, ttl};
use crate::keys::model::key::ApiKey;
use crate::keys::model::text::KeyText;
use crate::merchants::model::merchant::Merchant;
use crate::team::model::team::{AdministratorsBy, Membership, SignInMethod, User};
use crate::team::model::till::{Till, TillToken};
use crate::values::{MerchantId, OpenEnum, SessionId, TillId, UserId, later};

/// The absolute lifetime of a session.
pub const LIFETIME: SignedDuration = SignedDuration::from_hours(12);

/// The end of a till's token.
const TILL_SUFFIX: &str = ".till";

/// The ids in a token.
enum Owner {
    User(UserId, Option<MerchantId>),
    Till(TillId, MerchantId),
    Key(KeyText),
}

/// A session token, or the text of a key.
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

    /// A new token of a user.
    pub fn issue(secret: [u8; 32], user: &User) -> Self {
        let merchant = user.merchant_id.as_ref().map(MerchantId::as_str).unwrap_or_default();
        let parts = [&secret[..], user.id.as_str().as_bytes(), merchant.as_bytes()];
        Self(parts.map(|part| BASE64.encode(part)).join("."))
    }

    /// The id of its session in the user's list of sessions, from which the token cannot be guessed.
    fn session_id(&self) -> SessionId {
        let hash = Sha256::new().chain_update("session id").chain_update(&self.0).finalize();
        SessionId::new(hex::encode(hash.iter().copied().take(16).collect::<Vec<u8>>()))
    }

    /// A new token of a till.
    pub fn issue_to_till(secret: [u8; 32], till: &Till) -> Self {
        let parts = [&secret[..], till.id.as_str().as_bytes(), till.merchant_id.as_str().as_bytes()];
        Self(format!("{}{TILL_SUFFIX}", parts.map(|part| BASE64.encode(part)).join(".")))
    }

    /// The hash that the row of a till contains.
    pub fn hash(&self) -> String {
        keys::hash(&self.0)
    }

    /// Whether it is the text of a key, good or not.
    pub fn is_of_key(&self) -> bool {
        KeyText::parse(&self.0).is_some()
    }

    fn owner(&self) -> Option<Owner> {
        if let Some(key) = KeyText::parse(&self.0) {
            return Some(Owner::Key(key));
        }
        let till_token = self.0.strip_suffix(TILL_SUFFIX);
        let token = till_token.unwrap_or(&self.0);
        let mut parts = token.split('.').skip(1).map(|part| String::from_utf8(BASE64.decode(part).ok()?).ok());
        let (id, merchant) = (parts.next()??, parts.next()??);
        if till_token.is_some() {
            return Some(Owner::Till(TillId::new(id), MerchantId::new(merchant)));
        }
        let merchant = (!merchant.is_empty()).then(|| MerchantId::new(merchant));
        Some(Owner::User(UserId::new(id), merchant))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// A session of a user.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Session {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    pub details: SessionDetails,
}

/// What a user's list of sessions shows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SessionDetails {
    /// Says nothing about the token.
    pub id: SessionId,
    pub user_id: UserId,
    /// That of the user at the time.
    generation: u64,
    /// When the user proved who they are.
    pub created_at: Timestamp,
    pub signed_in_with: OpenEnum<SignInMethod>,
    pub expires_at: Timestamp,
    /// The browser or program that signed in, as it names itself.
    pub user_agent: Option<String>,
}

/// Longer names of browsers and programs are cut.
const MAX_USER_AGENT_CHARS: usize = 200;

impl Session {
    /// A new session of a user. Its row is still to be created.
    pub fn new(user: &User, token: &Token, method: SignInMethod, user_agent: Option<&str>, now: Timestamp) -> Self {
        let details = SessionDetails {
            id: token.session_id(),
            user_id: user.id.clone(),
            generation: user.session_generation,
            created_at: now,
            signed_in_with: method.into(),
            expires_at: later(now, LIFETIME),
            user_agent: user_agent.map(|name| name.chars().take(MAX_USER_AGENT_CHARS).collect()),
        };
        Self { key: keys::session(token.expose()), details }
    }
}

impl SessionDetails {
    pub fn is_valid(&self, user: &User, now: Timestamp) -> bool {
        self.expires_at > now && self.generation == user.session_generation
    }
}

impl Entity for Session {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.details.expires_at)
    }

    /// A row in the user's list of sessions, which expires with the session.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let key = keys::session_of_user(&self.details.user_id, self.details.created_at, &self.details.id);
        let listed = ListedSession { details: self.details.clone(), session: self.key.clone() };
        let mut entry = entry_item(key, &listed)?;
        entry.insert(keys::TTL.to_owned(), ttl(self.details.expires_at));
        Ok(vec![entry])
    }
}

/// A session in its user's list.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ListedSession {
    #[serde(flatten)]
    details: SessionDetails,
    /// The key of its row.
    session: Key,
}

/// A signed-in user, a paired till, or a key.
#[derive(Debug, Clone)]
pub enum SignedIn {
    User(Box<SignedInUser>),
    Till(Box<SignedInTill>),
    Key(Box<SignedInKey>),
}

/// The user of a session.
#[derive(Debug, Clone)]
pub struct Person {
    user: Stored<User>,
    /// Whether they are a platform administrator in this session.
    pub is_admin: bool,
}

impl Person {
    pub fn new(user: Stored<User>, session: &SessionDetails, administrators: AdministratorsBy) -> Self {
        let is_admin = user.is_appointed_admin && administrators.admits(&session.signed_in_with);
        Self { user, is_admin }
    }

    pub fn into_row(self) -> Stored<User> {
        self.user
    }
}

impl Deref for Person {
    type Target = User;

    fn deref(&self) -> &User {
        &self.user
    }
}

/// A signed-in user, with or without a merchant.
#[derive(Debug, Clone)]
pub struct SignedInUser {
    pub session: Stored<Session>,
    pub user: Person,
    pub workspace: Option<Workspace>,
}

/// A paired till. Its row is its session.
#[derive(Debug, Clone)]
pub struct SignedInTill {
    pub till: Stored<Till>,
    pub merchant: Stored<Merchant>,
}

/// A key that is good.
#[derive(Debug, Clone)]
pub struct SignedInKey {
    pub key: Stored<ApiKey>,
    pub merchant: Stored<Merchant>,
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
        method: SignInMethod,
        now: Timestamp,
    ) -> Result<Token, StoreError> {
        let token = Token::issue(secret, user);
        let session = Session::new(user, &token, method, None, now);
        match self.commit(vec![Write::put(&session)?]).await {
            Ok(()) => Ok(token),
            Err(CommitError::Store(error)) => Err(error),
            Err(CommitError::Conflict(_)) => Err(StoreError::Contended("a session")),
        }
    }

    /// The session of a token, whether or not it is over. `None` if it has been deleted.
    pub async fn session(&self, token: &Token) -> Result<Option<Stored<Session>>, StoreError> {
        self.get(&keys::session(token.expose())).await
    }

    /// Ends a session, of a user or of a till. It takes effect with the next request. A key has none.
    pub async fn end_session(&self, token: &Token) -> Result<(), StoreError> {
        match token.owner() {
            Some(Owner::Till(till, merchant)) => {
                let Some(till) = self.till(&merchant, &till).await? else { return Ok(()) };
                let hash = token.hash();
                self.update(till, |till| {
                    let is_its_own = till.token.as_ref().is_some_and(|known| known.hash == hash);
                    Ok((is_its_own.then(|| Till { token: None, ..till.clone() }.into()), ()))
                })
                .await
            }
            Some(Owner::User(..)) | None => {
                if let Some(session) = self.session(token).await? {
                    self.commit_if_possible(vec![Write::delete(&session)?]).await?;
                }
                Ok(())
            }
            Some(Owner::Key(_)) => Ok(()),
        }
    }

    /// The user's sessions that are not over, latest first.
    pub async fn sessions_of(&self, user: &User, now: Timestamp) -> Result<Vec<SessionDetails>, StoreError> {
        Ok(self.listed_sessions(user, now).await?.into_iter().map(|listed| listed.details).collect())
    }

    async fn listed_sessions(&self, user: &User, now: Timestamp) -> Result<Vec<ListedSession>, StoreError> {
        let range = Range::of_table(keys::sessions_of_user(&user.id)).descending();
        let mut sessions = Vec::new();
        self.for_each(range, |session: ListedSession| sessions.push(session)).await?;
        sessions.retain(|session| session.details.is_valid(user, now));
        Ok(sessions)
    }

    /// Ends one session of a user. It takes effect with the next request. Returns whether the user had it.
    pub async fn end_session_of(&self, user: &User, id: &SessionId, now: Timestamp) -> Result<bool, StoreError> {
        let listed = self.listed_sessions(user, now).await?.into_iter().find(|listed| listed.details.id == *id);
        let Some(listed) = listed else { return Ok(false) };
        let Some(session) = self.get::<Session>(&listed.session).await? else { return Ok(false) };
        self.commit_if_possible(vec![Write::delete(&session)?]).await
    }

    /// Ends all sessions of a user in one write. It takes effect with the next request.
    pub async fn end_all_sessions(&self, user: Stored<User>) -> Result<(), StoreError> {
        self.update(user, |user: &User| Ok((Some(user.signed_out().into()), ()))).await
    }

    /// The caller of a token, or `None` if the session does not exist or has expired.
    pub async fn signed_in(
        &self,
        token: &Token,
        administrators: AdministratorsBy,
        now: Timestamp,
    ) -> Result<Option<SignedIn>, StoreError> {
        match token.owner() {
            None => Ok(None),
            Some(Owner::Till(till, merchant)) => self.signed_in_till(token, &till, &merchant, now).await,
            Some(Owner::Key(text)) => {
                let used = self.use_key(&text, now).await?;
                Ok(used.map(|(key, merchant)| SignedIn::Key(Box::new(SignedInKey { key, merchant }))))
            }
            Some(Owner::User(user, merchant)) => {
                let signed_in = self.signed_in_user(token, user, merchant, administrators, now).await?;
                Ok(signed_in.map(|user| SignedIn::User(Box::new(user))))
            }
        }
    }

    async fn signed_in_till(
        &self,
        token: &Token,
        till: &TillId,
        merchant: &MerchantId,
        now: Timestamp,
    ) -> Result<Option<SignedIn>, StoreError> {
        let (till_key, merchant_key) = (keys::till(merchant, till), keys::merchant(merchant));
        let mut rows = self.get_items(&[till_key.clone(), merchant_key.clone()]).await?;
        let Some(till) = take::<Till>(&mut rows, &till_key)? else { return Ok(None) };
        let Some(merchant) = take::<Merchant>(&mut rows, &merchant_key)? else { return Ok(None) };
        let hash = token.hash();
        let is_its_own = |known: &TillToken| bool::from(known.hash.as_bytes().ct_eq(hash.as_bytes()));
        let is_signed_in = till.valid_token(now).is_some_and(is_its_own);
        Ok(is_signed_in.then(|| SignedIn::Till(Box::new(SignedInTill { till, merchant }))))
    }

    async fn signed_in_user(
        &self,
        token: &Token,
        user_id: UserId,
        merchant_id: Option<MerchantId>,
        administrators: AdministratorsBy,
        now: Timestamp,
    ) -> Result<Option<SignedInUser>, StoreError> {
        let session_key = keys::session(token.expose());
        let mut keys_to_read = vec![session_key.clone(), keys::user(&user_id)];
        keys_to_read.extend(merchant_id.iter().flat_map(|merchant| workspace_keys(merchant, &user_id)));
        let mut rows = self.get_items(&keys_to_read).await?;

        let session: Option<Stored<Session>> = take(&mut rows, &session_key)?;
        let Some(session) = session else { return Ok(None) };
        let Some(user) = take::<User>(&mut rows, &keys::user(&user_id))? else { return Ok(None) };
        if !session.details.is_valid(&user, now) {
            return Ok(None);
        }
        let workspace =
            if user.merchant_id == merchant_id { workspace(&mut rows, &user)? } else { self.workspace(&user).await? };
        let user = Person::new(user, &session.details, administrators);
        Ok(Some(SignedInUser { session, user, workspace }))
    }

    /// The merchant and the membership of a user.
    pub async fn workspace(&self, user: &User) -> Result<Option<Workspace>, StoreError> {
        let Some(merchant) = &user.merchant_id else { return Ok(None) };
        let mut rows = self.get_items(&workspace_keys(merchant, &user.id)).await?;
        workspace(&mut rows, user)
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
