//! Passkeys: how users sign in without a mailed code.

pub(crate) mod add;
pub(crate) mod challenge;
pub(crate) mod list;
pub(crate) mod options;
mod relying_party;
pub(crate) mod remove;
pub(crate) mod sign_in;

use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{SignInNews, StoreError, Task, Write};
use shared::http::UtcTime;
use shared::team::model::passkey::Passkey;
use shared::team::model::team::User;
use shared::values::PasskeyId;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Passkey)]
pub(crate) struct PasskeyView {
    /// The id of the passkey. It grants nothing.
    id: PasskeyId,
    /// The name that the user has given it.
    name: String,
    /// When it was added.
    created_at: UtcTime,
    /// When the user last signed in with it. Null if they never did.
    last_used_at: Option<UtcTime>,
    /// Whether a copy of it is kept elsewhere, so that it survives the loss of the device.
    backed_up: bool,
}

impl From<&Passkey> for PasskeyView {
    fn from(passkey: &Passkey) -> Self {
        Self {
            id: passkey.id.clone(),
            name: passkey.name.clone(),
            created_at: passkey.created_at.into(),
            last_used_at: passkey.last_used_at.map(Into::into),
            backed_up: passkey.backed_up,
        }
    }
}

/// The write of the mail that tells a user what has changed in how they sign in.
pub(crate) fn mail(app: &App, user: &User, news: SignInNews) -> Result<Write, StoreError> {
    let task = Task::SignInNewsMail { user_id: user.id.clone(), news };
    app.store.enqueue(None, task, app.clock.now())
}

fn example() -> Value {
    json!({
        "id": "3f6c1d9a0b7e4c55a1d2e3f405162738", "name": "Phone", "createdAt": "2026-01-05T10:00:00.000Z",
        "lastUsedAt": "2026-01-06T08:30:00.000Z", "backedUp": true,
    })
}
