//! `DELETE /api/auth/keys/{id}`: ends a key.

use axum::extract::State;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Description, NoData, PathIds};
use shared::merchants::model::activity::Actor;
use shared::values::ApiKeyId;

use super::secret::Manager;

endpoint_error! {
    pub(crate) enum NoKey {
        /// There is no such key.
        NoKey => 404 NOT_FOUND "There is no such key.",
    }
}

const MAX_ID_LENGTH: usize = 36;

pub(crate) fn id_of_path(ids: &PathIds) -> Result<ApiKeyId, NoKey> {
    let id = ids.get("id").filter(|id| id.len() <= MAX_ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    id.map(ApiKeyId::new).ok_or(NoKey::NoKey)
}

/// It is refused from the next request on. One that is over stays as it is.
pub(crate) async fn revoke_key(caller: Manager, State(app): State<App>, ids: PathIds) -> Result<NoData, NoKey> {
    let id = id_of_path(&ids)?;
    let key = app.store.api_key(&caller.merchant.id, &id).await?.ok_or(NoKey::NoKey)?;
    app.store.revoke_key(key, &Actor::member(&caller.user), &[], app.clock.now()).await?;
    Ok(NoData)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "revokeKey",
        "Revoke a key",
        "Revokes the key and all of its secrets, from the next request on. Repeating the call is harmless.",
    )
    .ok("The key is revoked.")
}
