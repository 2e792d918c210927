//! `POST /api/auth/keys`: a new key.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::db::counters::Reservation;
use shared::db::{KeyNews, Write};
use shared::endpoint_error;
use shared::http::bounded::Whole;
use shared::http::{
    CREATION_KEY_TEXT, Created, CreationKey, CreationKeyError, CreationRequest, Description, Invalid, KEY_HEADER, Made, Once,
};
use shared::keys::model::key::{ApiKey, KeyMaker, KeySecret, days};
use shared::limits;
use shared::limits::model::KEYS;
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::merchants::model::merchant::MerchantStatus;
use shared::team::model::team::Permission;
use shared::values::names::{MIN_SHOP, Name};
use shared::values::{ApiKeyId, OpenEnum, later};
use utoipa::ToSchema;

use super::secret::{Manager, SecretError, count, giver, mails, new_text};
use super::view::{EXAMPLE_TEXT, KeyView, KeyWithText, example_with};

type KeyName = Name<MIN_SHOP>;

/// How long a key lives, in days.
pub(crate) type Lifetime = Whole<1, 366>;
const DEFAULT_LIFETIME: u32 = 180;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewKey {
    /// A name by which the team knows the program, without `://`.
    name: KeyName,
    /// The names of its permissions; at least one, and not `merchant.team.invite`.
    #[schema(value_type = Vec<String>, min_items = 1)]
    permissions: Vec<Permission>,
    /// Whether it is limited to reading (GET requests and exports), whatever its permissions allow.
    read_only: bool,
    /// In how many days it expires. Default: 180.
    #[schema(required = false, nullable = false)]
    expires_in_days: Option<Lifetime>,
}

endpoint_error! {
    pub(crate) enum CreateKeyError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "permissions: must not be empty.",
        Secret(#[from] SecretError),
        /// The merchant has too many keys.
        TooMany => 409 KEY_LIMIT "Your merchant already has 20 keys. Revoke one that is no longer used.",
        /// The merchant is closed.
        Closed => 409 MERCHANT_INACTIVE "A closed merchant cannot have keys.",
        Key(#[from] CreationKeyError),
    }
}

pub(crate) async fn create_key(
    caller: Manager,
    State(app): State<App>,
    request: CreationRequest,
) -> Result<Once<Created<KeyWithText>>, CreateKeyError> {
    request.once(&app, "key", caller.member(), |body, key| create(&app, &caller, body, key)).await
}

async fn create(
    app: &App,
    caller: &Manager,
    body: NewKey,
    creation: CreationKey,
) -> Result<Made<Created<KeyWithText>>, CreateKeyError> {
    let permissions = permissions(&body.permissions)?;
    let now = app.clock.now();
    let (id, merchant) = (ApiKeyId::new(app.random.uuid(now).simple().to_string()), &caller.merchant.id);
    let text = new_text(app, &id, merchant)?;
    let lifetime_days = u16::try_from(body.expires_in_days.map_or(DEFAULT_LIFETIME, Lifetime::get)).unwrap_or_default();
    let key = ApiKey {
        id,
        merchant_id: merchant.clone(),
        name: body.name.into_string(),
        permissions,
        read_only: body.read_only,
        created_at: now,
        created_by: KeyMaker::from(&*caller.user),
        lifetime_days,
        expires_at: later(now, days(lifetime_days)),
        ends_at: None,
        ended: None,
        secret: KeySecret { number: 1, hash: text.hash() },
        previous: None,
    };
    let mut reserved = None;
    let made = write(app, caller, &key, creation, &mut reserved).await;
    let made = limits::give_back_refused(app, reserved, made).await?;
    Ok(made.map(|shown| Created(shown.with_text(text.expose()))))
}

async fn write(
    app: &App,
    caller: &Manager,
    key: &ApiKey,
    creation: CreationKey,
    reserved: &mut Option<Reservation>,
) -> Result<Made<KeyWithText>, CreateKeyError> {
    let (merchant, now) = (&caller.merchant.id, key.created_at);
    let deed = Deed::new(ActivityAction::KeyCreated).to_target(&key.id, &key.name).giving(&key.powers());
    let deed = deed.with("readOnly", key.read_only.to_string());
    let mut attempts = app.store.attempts("the team");
    loop {
        // Who closes the merchant counts a change of its team: a merchant that is read after the team is closed in no attempt
        // that is committed.
        let team = app.store.team(merchant).await?;
        if app.store.merchant(merchant).await?.is_none_or(|merchant| merchant.status == MerchantStatus::Inactive) {
            return Err(CreateKeyError::Closed);
        }
        let giver = giver(&team, caller, &key.powers())?;
        if team.keys.iter().filter(|key| !key.is_over(now)).count() >= KEYS.max {
            return Err(CreateKeyError::TooMany);
        }
        count(app, caller, reserved).await?;
        let mut writes = vec![team.counted()?, Write::require_unchanged(giver)?, Write::create(key)?];
        writes.push(app.store.record(Actor::member(&caller.user), merchant, deed.clone(), now)?);
        writes.extend(mails(app, key, KeyNews::Made, now)?);
        let shown = KeyWithText::without_text(KeyView::new(key, None));
        if let Some(made) = attempts.made(creation.commit(&app.store, writes, shown).await).await? {
            return Ok(made);
        }
    }
}

/// Each once, in one order.
fn permissions(listed: &[Permission]) -> Result<Vec<OpenEnum<Permission>>, Invalid> {
    if listed.is_empty() {
        return Err(Invalid::new("permissions: must not be empty."));
    }
    if listed.contains(&Permission::TeamInvite) {
        return Err(Invalid::new("permissions: merchant.team.invite cannot be granted to a key."));
    }
    Ok(Permission::ALL.into_iter().filter(|permission| listed.contains(permission)).map(OpenEnum::from).collect())
}

pub(crate) fn describe() -> Description {
    Description::new(
        "createKey",
        "Create a key",
        "Creates a key, with which a program of the merchant acts like a member with these permissions. Its secret is shown \
         once. You can only grant permissions that you hold for writing. Administrators are notified by e-mail, and again 14 \
         days and 1 day before the key expires. The key ends when its creator leaves the team or can no longer grant its \
         permissions. A merchant can create 40 secrets a day, and a member 20 of them.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<NewKey>(json!({"name": "Accounting", "permissions": ["portal.reports", "portal.orders"], "readOnly": true}))
    .success("The key, with its secret.", example_with(json!({"key": EXAMPLE_TEXT})))
}
