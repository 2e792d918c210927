//! A key, its secrets and its end.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use utoipa::ToSchema;

use crate::team::model::team::{Action, Permission, Powers, User};
use crate::values::{ApiKeyId, MerchantId, OpenEnum, UserId, later};

/// How long a key lives on whose maker has left by themselves, or whose administrators wanted it to.
pub(crate) const NOTICE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A key of a merchant's own program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    pub id: ApiKeyId,
    pub merchant_id: MerchantId,
    pub name: String,
    /// Its attribute is not that of memberships: functions that write merchants may write neither, and `administration` ends keys.
    #[serde(rename = "key_permissions")]
    pub permissions: Vec<OpenEnum<Permission>>,
    /// Whether it only reads, also what its permissions would let it change.
    pub read_only: bool,
    pub created_at: Timestamp,
    /// Who has made it, or has rotated it last.
    pub created_by: KeyMaker,
    /// How long it was made for, or was last rotated for.
    pub lifetime_days: u16,
    pub expires_at: Timestamp,
    /// When it ends before that, because its maker can no longer grant its permissions.
    #[serde(default)]
    pub ends_at: Option<Timestamp>,
    /// That it was ended.
    pub ended: Option<Ended>,
    pub secret: KeySecret,
    /// The secret of before the last rotation.
    pub previous: Option<PreviousSecret>,
}

/// A member, with their name at the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyMaker {
    /// The id of the user.
    pub id: UserId,
    /// The name of the user at the time.
    pub name: String,
}

impl From<&User> for KeyMaker {
    fn from(user: &User) -> Self {
        Self { id: user.id.clone(), name: user.display_name() }
    }
}

/// A secret, of which only a hash is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySecret {
    /// 1 for the first one.
    pub number: u32,
    /// Of the text of the key.
    pub hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviousSecret {
    #[serde(flatten)]
    pub secret: KeySecret,
    pub until: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    pub at: Timestamp,
    pub because: OpenEnum<EndedBecause>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EndedBecause {
    Expired,
    Revoked,
    /// Its maker has left, or cannot give any more what it has.
    MakerLeft,
    MerchantInactive,
}

/// The rotation of a key.
#[derive(Debug, Clone)]
pub struct Rotation {
    pub hash: String,
    pub by: KeyMaker,
    pub overlap: SignedDuration,
    pub lifetime_days: u16,
}

impl ApiKey {
    pub fn powers(&self) -> Powers {
        Powers { role: None, permissions: Some(self.permissions.clone()) }
    }

    pub fn allows(&self, permission: Permission, action: Action) -> bool {
        self.powers().allow(permission, action) && (action == Action::Read || !self.read_only)
    }

    /// Its end, past or to come.
    pub fn end(&self) -> Ended {
        let because = |at, because: EndedBecause| Ended { at, because: because.into() };
        match (&self.ended, self.ends_at) {
            (Some(ended), _) => ended.clone(),
            (None, Some(at)) if at < self.expires_at => because(at, EndedBecause::MakerLeft),
            (None, _) => because(self.expires_at, EndedBecause::Expired),
        }
    }

    pub fn is_over(&self, now: Timestamp) -> bool {
        self.end().at <= now
    }

    /// The number of the secret with this hash, if it is good.
    pub fn good_secret(&self, hash: &str, now: Timestamp) -> Option<u32> {
        let previous = self.previous.as_ref().filter(|previous| previous.until > now).map(|previous| &previous.secret);
        let is_it = |secret: &&KeySecret| bool::from(secret.hash.as_bytes().ct_eq(hash.as_bytes()));
        let mut secrets = [Some(&self.secret), previous].into_iter().flatten();
        secrets.find(is_it).filter(|_| !self.is_over(now)).map(|secret| secret.number)
    }

    /// The key with another secret. The one before stays good for the overlap, but no longer than it would have been. Of two
    /// rotations, the second one replaces the newest secret if that was never used; otherwise it ends the oldest.
    #[must_use]
    pub fn rotated(&self, rotation: Rotation, was_newest_used: bool, now: Timestamp) -> Self {
        let Rotation { hash, by, overlap, lifetime_days } = rotation;
        let overlap_end = later(now, overlap).min(self.end().at);
        let previous = match &self.previous {
            Some(previous) if !was_newest_used => PreviousSecret { until: previous.until.min(overlap_end), ..previous.clone() },
            _ => PreviousSecret { secret: self.secret.clone(), until: overlap_end },
        };
        Self {
            created_by: by,
            lifetime_days,
            expires_at: later(now, days(lifetime_days)),
            ends_at: None,
            secret: KeySecret { number: self.secret.number.saturating_add(1), hash },
            previous: Some(previous),
            ..self.clone()
        }
    }

    /// The key that is over from now on.
    #[must_use]
    pub fn over(&self, because: EndedBecause, now: Timestamp) -> Self {
        Self { ended: Some(Ended { at: now, because: because.into() }), ..self.clone() }
    }

    /// The key that ends 7 days from now, or before that if it would have.
    #[must_use]
    pub fn under_notice(&self, now: Timestamp) -> Self {
        let at = later(now, NOTICE);
        Self { ends_at: Some(self.ends_at.map_or(at, |earlier| earlier.min(at))), ..self.clone() }
    }
}

/// As a span of time.
pub fn days(days: u16) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(days))
}
