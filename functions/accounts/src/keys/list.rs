//! `GET /api/auth/keys`: the merchant's keys, latest first.

use std::cmp::Reverse;

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::http::{Description, General, List};
use shared::keys::rows::LISTED;
use shared::values::later;

use super::secret::Manager;
use super::view::{ListedKey, example_with};

pub(crate) async fn list_keys(caller: Manager, State(app): State<App>) -> Result<List<ListedKey>, General> {
    let now = app.clock.now();
    let mut keys = app.store.api_keys(&caller.merchant.id).await?;
    keys.retain(|key| later(key.end().at, LISTED) > now);
    keys.sort_by_cached_key(|key| Reverse((key.created_at, key.id.clone())));
    let uses = app.store.key_uses(&keys).await?;
    let use_of = |id| uses.iter().find(|used| used.key_id == id).map(|used| &used.value);
    Ok(List(keys.iter().map(|key| ListedKey::new(key, use_of(key.id.clone()), now)).collect()))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listKeys",
        "List the keys",
        "Returns the keys of the merchant's programs, newest first, without their secrets. Expired and revoked keys are listed \
         for 90 days.",
    )
    .success("The keys.", example_with(json!({"previousUntil": null, "endedAt": null, "endedBecause": null})))
}
