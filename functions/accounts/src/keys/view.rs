//! How keys are shown.

use serde::Serialize;
use serde_json::{Value, json};
use shared::http::{UtcTime, examples};
use shared::keys::model::key::{ApiKey, EndedBecause, KeyMaker};
use shared::keys::rows::KeyUse;
use shared::values::{ApiKeyId, OpenEnum};
use utoipa::ToSchema;

#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Key)]
pub(crate) struct KeyView {
    /// The id of the key. It is also a part of its text.
    id: ApiKeyId,
    /// The name that the team has given it.
    name: String,
    /// The names of its permissions.
    permissions: Vec<String>,
    /// Whether it is limited to reading (GET requests and exports), whatever its permissions allow.
    read_only: bool,
    /// When it was created.
    created_at: UtcTime,
    /// The member who created it or last rotated it.
    created_by: KeyMaker,
    /// When it expires.
    expires_at: UtcTime,
    /// When it ends before that, because its creator has left the team or can no longer grant its permissions. Null otherwise.
    ends_at: Option<UtcTime>,
    /// When it was last used, to the hour. Null if it never was.
    last_used_at: Option<UtcTime>,
}

/// A key, with its secret.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = KeyWithText)]
pub(crate) struct KeyWithText {
    #[serde(flatten)]
    shown: KeyView,
    /// The secret, which the program sends as its bearer token: `gcpk_`, and letters, digits and `_`. It is shown only here, and
    /// is null in the response to a repeated request: rotate the key in that case.
    key: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ListedKey)]
pub(crate) struct ListedKey {
    #[serde(flatten)]
    shown: KeyView,
    /// When the secret from before the last rotation ends. Null if there is none that is still valid.
    previous_until: Option<UtcTime>,
    /// When the key ended. Null if it is valid.
    ended_at: Option<UtcTime>,
    /// Why it ended. Null if it is valid.
    #[schema(value_type = Option<EndedBecause>)]
    ended_because: Option<OpenEnum<EndedBecause>>,
}

impl KeyView {
    pub(crate) fn new(key: &ApiKey, used: Option<&KeyUse>) -> Self {
        Self {
            id: key.id.clone(),
            name: key.name.clone(),
            permissions: key.permissions.iter().map(ToString::to_string).collect(),
            read_only: key.read_only,
            created_at: key.created_at.into(),
            created_by: key.created_by.clone(),
            expires_at: key.expires_at.into(),
            ends_at: key.ends_at.map(Into::into),
            last_used_at: used.map(|used| used.last_used_at.into()),
        }
    }
}

impl KeyWithText {
    /// As a repeat is answered.
    pub(crate) fn without_text(shown: KeyView) -> Self {
        Self { shown, key: None }
    }

    pub(crate) fn with_text(self, text: &str) -> Self {
        Self { key: Some(text.to_owned()), ..self }
    }
}

impl ListedKey {
    pub(crate) fn new(key: &ApiKey, used: Option<&KeyUse>, now: jiff::Timestamp) -> Self {
        let ended = Some(key.end()).filter(|end| end.at <= now);
        let previous = key.previous.as_ref().map(|previous| previous.until).filter(|until| *until > now && ended.is_none());
        Self {
            shown: KeyView::new(key, used),
            previous_until: previous.map(Into::into),
            ended_at: ended.as_ref().map(|ended| ended.at.into()),
            ended_because: ended.map(|ended| ended.because),
        }
    }
}

pub(crate) const EXAMPLE_TEXT: &str = "gcpk_1vrl0v7fyrbdcemx0zhm4dcmwc1r86aygk10mkgqo8bq5aap8p_019c18a51d0078f6994e3bf91a61dbe2_\
     2q5n4kbzy6iccyypsjbeyn0hqyvb41jy7wo24qf0jh3e6i2bycl1nsko_c0fe4ad1";

/// The example of a key with these fields as well.
pub(crate) fn example_with(more: Value) -> Value {
    let key = json!({
        "id": examples::KEY, "name": "Accounting", "permissions": ["portal.reports", "portal.orders"], "readOnly": true,
        "createdAt": "2026-01-05T10:00:00.000Z", "createdBy": {"id": examples::OWNER, "name": "Anna Berg"},
        "expiresAt": "2026-07-04T10:00:00.000Z", "endsAt": null, "lastUsedAt": null,
    });
    examples::with(key, more)
}
