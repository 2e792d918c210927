//! `POST /api/auth/keys/{id}/rotation`: another secret for a key.

use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::db::counters::Reservation;
use shared::db::{KeyNews, Write, keys};
use shared::endpoint_error;
use shared::http::bounded::UpTo;
use shared::http::{
    CREATION_KEY_TEXT, CreationKey, CreationKeyError, CreationRequest, Data, Description, Invalid, KEY_HEADER, Made, Once,
    PathIds,
};
use shared::keys::model::key::{KeyMaker, Rotation};
use shared::keys::model::text::KeyText;
use shared::limits;
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::values::ApiKeyId;
use utoipa::ToSchema;

use super::create::Lifetime;
use super::revoke::{NoKey, id_of_path};
use super::secret::{Manager, SecretError, count, giver, mails, new_text};
use super::view::{EXAMPLE_TEXT, KeyView, KeyWithText, example_with};

const DEFAULT_OVERLAP: u32 = 24;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = KeyRotation)]
pub(crate) struct Body {
    /// For how many hours the previous secret stays valid, unless it ends earlier. Default: 24.
    #[schema(required = false, nullable = false)]
    overlap_hours: Option<UpTo<168>>,
    /// In how many days the key expires. Default: the lifetime with which it was created or last rotated.
    #[schema(required = false, nullable = false)]
    expires_in_days: Option<Lifetime>,
}

endpoint_error! {
    pub(crate) enum RotateKeyError {
        /// A field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "overlapHours: must be at most 168.",
        Secret(#[from] SecretError),
        NoKey(#[from] NoKey),
        /// The key has ended.
        Over => 409 KEY_OVER "This key has ended. Create a new one.",
        Key(#[from] CreationKeyError),
    }
}

pub(crate) async fn rotate_key(
    caller: Manager,
    State(app): State<App>,
    ids: PathIds,
    request: CreationRequest,
) -> Result<Once<Data<KeyWithText>>, RotateKeyError> {
    let id = id_of_path(&ids)?;
    let call = format!("key-rotation {id}");
    request.or_empty().once(&app, &call, caller.member(), |body, key| rotate(&app, &caller, &id, body, key)).await
}

async fn rotate(
    app: &App,
    caller: &Manager,
    id: &ApiKeyId,
    body: Body,
    creation: CreationKey,
) -> Result<Made<Data<KeyWithText>>, RotateKeyError> {
    let text = new_text(app, id, &caller.merchant.id)?;
    let mut reserved = None;
    let made = write(app, caller, &text, &body, creation, &mut reserved).await;
    let made = limits::give_back_refused(app, reserved, made).await?;
    Ok(made.map(|shown| Data(shown.with_text(text.expose()))))
}

async fn write(
    app: &App,
    caller: &Manager,
    text: &KeyText,
    body: &Body,
    creation: CreationKey,
    reserved: &mut Option<Reservation>,
) -> Result<Made<KeyWithText>, RotateKeyError> {
    let overlap = body.overlap_hours.map_or(DEFAULT_OVERLAP, UpTo::get);
    let mut attempts = app.store.attempts("the team");
    loop {
        let now: Timestamp = app.clock.now();
        let team = app.store.team(&text.merchant).await?;
        let key = team.keys.iter().find(|key| key.id == text.id).ok_or(NoKey::NoKey)?;
        let giver = giver(&team, caller, &key.powers())?;
        if key.is_over(now) {
            return Err(RotateKeyError::Over);
        }
        count(app, caller, reserved).await?;
        let used = app.store.key_use(&text.merchant, &text.id).await?;
        let rotation = Rotation {
            hash: text.hash(),
            by: KeyMaker::from(&*caller.user),
            overlap: SignedDuration::from_hours(overlap.into()),
            lifetime_days: body.expires_in_days.and_then(|days| days.get().try_into().ok()).unwrap_or(key.lifetime_days),
        };
        let was_newest_used = used.as_ref().is_some_and(|used| used.newest_used >= key.secret.number);
        let rotated = key.rotated(rotation, was_newest_used, now);
        let deed = Deed::new(ActivityAction::KeyRotated).to_target(&key.id, &key.name);
        let mut writes = vec![
            team.counted()?,
            Write::require_unchanged(giver)?,
            Write::replace(key, &rotated)?,
            // Whether the newest secret was used must still be true.
            match &used {
                Some(used) => Write::replace(used, &used.of(&rotated))?,
                None => Write::require_missing(keys::key_use(&text.merchant, &text.id))?,
            },
            app.store.record(Actor::member(&caller.user), &text.merchant, deed, now)?,
        ];
        writes.extend(mails(app, &rotated, KeyNews::Rotated, now)?);
        let shown = KeyWithText::without_text(KeyView::new(&rotated, used.as_ref().map(|used| &used.value)));
        if let Some(made) = attempts.made(creation.commit(&app.store, writes, shown).await).await? {
            return Ok(made);
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "rotateKey",
        "Replace the secret of a key",
        "Returns the key with a new secret. The previous one stays valid for the overlap, or until it would have ended anyway. A \
         second rotation replaces the newest secret if it was never used; otherwise it ends the oldest immediately. The caller \
         must be able to grant the permissions of the key, and becomes its creator. Administrators are notified by e-mail.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<Body>(json!({"overlapHours": 24}))
    .success("The key, with its secret.", example_with(json!({"key": EXAMPLE_TEXT})))
}
