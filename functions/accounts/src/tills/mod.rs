//! `GET` and `POST /api/auth/tills`: the merchant's tills, and a new one.

pub(crate) mod pair;
pub(crate) mod till;

use axum::extract::State;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::app::App;
use shared::db::Write;
use shared::db::counters::{Member, Who};
use shared::endpoint_error;
use shared::http::{
    AuthorizedPerson, CREATION_KEY_TEXT, Created, CreationKey, CreationKeyError, CreationRequest, Description, General, Invalid,
    KEY_HEADER, List, Made, Once, Scalar, UtcTime, examples, permission,
};
use shared::limits;
use shared::limits::model::{PAIRING_CODES, TILLS, UsedUp, WAITING_CODES};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::team::model::code::{Code, PAIRING};
use shared::team::model::team::User;
use shared::team::model::till::{PAIRING_LIFETIME, Pairing, Till};
use shared::team::rows::team::Team;
use shared::team::rows::tills::PairingCode;
use shared::values::names::Name;
use shared::values::{TillId, UserId, later};
use utoipa::ToSchema;

const MAX_STORE_ID_CHARS: usize = 80;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewTill {
    /// A name by which the team knows the till, without `://`.
    name: TillName,
    /// The store of all sales and redemptions of the till, 1 to 80 characters. It is not looked up at the card
    /// network.
    retail_store_id: Scalar,
    /// The name of the store, without `://`, which redemptions by the till show.
    #[schema(required = false)]
    retail_store_name: Option<StoreName>,
}

type TillName = Name<1>;
type StoreName = Name<0>;

/// A till with the code that pairs it, which is shown once.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TillToPair {
    /// The id of the till.
    id: TillId,
    /// The name that the team has given the till.
    name: String,
    /// The store of all sales and redemptions of the till.
    retail_store_id: String,
    /// Ten characters to enter on the device, which can be used once. Case, spaces and dashes do not matter. Null in the response
    /// to a repeated request: renew the code in that case.
    pairing_code: Option<String>,
    /// When the pairing code expires: 10 minutes after it was made.
    pairing_expires_at: UtcTime,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedTill {
    /// The id of the till.
    id: TillId,
    /// The name that the team has given the till.
    name: String,
    /// The store of all sales and redemptions of the till.
    retail_store_id: String,
    /// The name of the store, as given when the till was created. Null if none was given.
    retail_store_name: Option<String>,
    /// When the till was created.
    created_at: UtcTime,
    /// The id of the user who created it.
    created_by: UserId,
    /// When its device was paired. Null if it has none.
    paired_at: Option<UtcTime>,
    /// When it last requested its session. Null if it has no device.
    last_seen_at: Option<UtcTime>,
    /// When its token expires, unless the till requests its session before. Null if it has no device.
    expires_at: Option<UtcTime>,
    /// When it was revoked. Null if it was not.
    revoked_at: Option<UtcTime>,
}

impl From<&Till> for ListedTill {
    fn from(till: &Till) -> Self {
        let token = till.token.as_ref();
        Self {
            id: till.id.clone(),
            name: till.name.clone(),
            retail_store_id: till.retail_store_id.clone(),
            retail_store_name: till.retail_store_name.clone(),
            created_at: till.created_at.into(),
            created_by: till.created_by.clone(),
            paired_at: token.map(|token| token.paired_at.into()),
            last_seen_at: token.map(|token| token.last_seen_at.into()),
            expires_at: token.map(|token| token.expires_at().into()),
            revoked_at: till.revoked_at.map(Into::into),
        }
    }
}

impl NewTill {
    fn till(self, app: &App, caller: &AuthorizedPerson<permission::TeamInvite>) -> Result<Till, Invalid> {
        let store = self.retail_store_id.into_non_blank();
        let store = store.filter(|id| id.chars().count() <= MAX_STORE_ID_CHARS);
        let missing = || Invalid::new("retailStoreId: must have 1 to 80 characters.");
        let store_name = self.retail_store_name.map(Name::into_string);
        let now = app.clock.now();
        Ok(Till {
            id: TillId::new(app.random.uuid(now).to_string()),
            merchant_id: caller.merchant.id.clone(),
            name: self.name.into_string(),
            retail_store_id: store.ok_or_else(missing)?,
            retail_store_name: store_name.filter(|name| !name.is_empty()),
            created_at: now,
            created_by: caller.user.id.clone(),
            pairing: None,
            token: None,
            revoked_at: None,
        })
    }
}

impl TillToPair {
    /// What a repeat is answered: the code is shown once, and not stored.
    fn without_code(&self) -> Self {
        Self { pairing_code: None, ..self.clone() }
    }
}

/// A till with a fresh pairing code, and the writes that its maker's right to make one and the merchant's limits require.
pub(crate) struct WithCode {
    pub(crate) till: Till,
    pub(crate) shown: TillToPair,
    pub(crate) writes: Vec<Write>,
}

endpoint_error! {
    pub(crate) enum CreateTillError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "retailStoreId: must have 1 to 80 characters.",
        Code(#[from] PairingCodeError),
        Key(#[from] CreationKeyError),
    }
}

endpoint_error! {
    pub(crate) enum PairingCodeError {
        /// The caller may not give the permission `portal.pos`.
        NotHeld => 403 FORBIDDEN "You do not have permission to do this.",
        /// Too many codes of other tills are unused.
        TooManyCodes => 409 TILL_LIMIT "There are already 20 unused pairing codes. Use one, or wait ten minutes.",
        /// The merchant has too many tills.
        TooManyTills => 409 TILL_LIMIT "Your merchant already has 1000 tills. Revoke one that is no longer used.",
        /// The caller, or all members of the merchant together, have reached the hourly limit of pairing codes.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 180 pairing codes an hour. Please try again in 12 minutes.",
    }
}

/// Gives a till a fresh pairing code. The one before is good no longer.
pub(crate) async fn with_code(app: &App, team: &Team, till: &Till, maker: &User) -> Result<WithCode, PairingCodeError> {
    let now = app.clock.now();
    let member = team.giver(&maker.id, &Till::powers()).ok_or(PairingCodeError::NotHeld)?;
    check_limits(team, till, now)?;
    let maker_of_code = Member { merchant: &till.merchant_id, who: Who::User(&maker.id) };
    limits::count::<PairingCodeError>(app, &maker_of_code.within(PAIRING_CODES)).await?;
    let code = Code::random(app.random.bytes::<PAIRING>());
    let expires_at = later(now, PAIRING_LIFETIME);
    let tag = code.tag(&*app.code_key().await?);
    let pairing = Pairing { tag: tag.clone(), made_by: member.maker(), expires_at };
    let row = PairingCode { tag, merchant_id: till.merchant_id.clone(), till_id: till.id.clone(), expires_at };
    let shown = TillToPair {
        id: till.id.clone(),
        name: till.name.clone(),
        retail_store_id: till.retail_store_id.clone(),
        pairing_code: Some(code.expose()),
        pairing_expires_at: expires_at.into(),
    };
    let till = Till { pairing: Some(pairing), ..till.clone() };
    Ok(WithCode { till, shown, writes: vec![team.counted()?, Write::require_unchanged(member)?, Write::create(&row)?] })
}

fn check_limits(team: &Team, till: &Till, now: Timestamp) -> Result<(), PairingCodeError> {
    let others = || team.tills.iter().filter(|other| other.id != till.id);
    if others().filter(|other| other.waits_for_code(now)).count() >= WAITING_CODES.max {
        return Err(PairingCodeError::TooManyCodes);
    }
    if others().filter(|other| other.is_in_use(now)).count() >= TILLS.max {
        return Err(PairingCodeError::TooManyTills);
    }
    Ok(())
}

pub(crate) async fn create_till(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    request: CreationRequest,
) -> Result<Once<Created<TillToPair>>, CreateTillError> {
    request.once(&app, "till", caller.member(), |body, key| create(&app, &caller, body, key)).await
}

async fn create(
    app: &App,
    caller: &AuthorizedPerson<permission::TeamInvite>,
    body: NewTill,
    key: CreationKey,
) -> Result<Made<Created<TillToPair>>, CreateTillError> {
    let till = body.till(app, caller)?;
    let deed =
        Deed::new(ActivityAction::TillCreated).to_target(&till.id, &till.name).with("retailStoreId", &till.retail_store_id);
    let mut attempts = app.store.attempts("the team");
    loop {
        let team = app.store.team(&caller.merchant.id).await?;
        let WithCode { till, shown, mut writes } = with_code(app, &team, &till, &caller.user).await?;
        let actor = Actor::member(&caller.user);
        writes.push(Write::create(&till)?);
        writes.push(app.store.record(actor, &till.merchant_id, deed.clone(), till.created_at)?);
        if let Some(made) = attempts.made(key.commit(&app.store, writes, shown.without_code()).await).await? {
            return Ok(made.map(|_| Created(shown)));
        }
    }
}

/// Oldest first.
pub(crate) async fn list_tills(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
) -> Result<List<ListedTill>, General> {
    let now = app.clock.now();
    let mut tills = app.store.tills(&caller.merchant.id).await?;
    tills.retain(|till| till.revoked_at.is_some() || till.is_in_use(now));
    tills.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    Ok(List(tills.iter().map(|till| ListedTill::from(&till.value)).collect()))
}

pub(crate) fn example() -> Value {
    json!({
        "id": examples::TILL, "name": "Counter", "retailStoreId": "main", "pairingCode": "7KQ2M-XW9PD",
        "pairingExpiresAt": "2025-11-10T10:40:00.000Z",
    })
}

pub(crate) fn describe_create() -> Description {
    Description::new(
        "createTill",
        "Create a till",
        "Creates a till of a store, and returns a code that pairs one device with it within 10 minutes. The code expires as soon \
         as its creator leaves the team or changes role. A till that is not paired within a day of its last code is removed. \
         Also requires the permission `portal.pos`, which the till receives.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<NewTill>(json!({"name": "Counter", "retailStoreId": "main", "retailStoreName": "Main street"}))
    .success("The till, with its pairing code.", example())
}

pub(crate) fn describe_list() -> Description {
    Description::new(
        "listTills",
        "List the tills",
        "Returns the tills, oldest first. Revoked tills are listed for 90 days, and tills that were never paired for a day after \
         their last code.",
    )
    .success(
        "The tills.",
        json!({
            "id": examples::TILL, "name": "Counter", "retailStoreId": "main", "retailStoreName": "Main street",
            "createdAt": "2025-11-10T10:30:00.000Z", "createdBy": examples::OWNER,
            "pairedAt": "2025-11-10T10:31:00.000Z", "lastSeenAt": "2026-01-06T08:00:00.000Z",
            "expiresAt": "2026-04-06T08:00:00.000Z", "revokedAt": null,
        }),
    )
}
