//! `POST /api/auth/merchant`: founds a merchant, whose administrator the caller becomes.

use axum::extract::State;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::domain::activity::{ActivityAction, Actor, Deed};
use shared::domain::calendar::Calendars;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::{Merchant, MerchantStatus};
use shared::domain::money::Currency;
use shared::domain::reports::period::is_time_zone;
use shared::domain::slug::{Slug, SlugError};
use shared::domain::team::{Membership, Powers, Role, User};
use shared::http::body::RawBody;
use shared::http::context::ClientAddress;
use shared::http::description::Description;
use shared::http::examples;
use shared::http::fault::Fault;
use shared::http::reply::Created;
use shared::store::merchants::SlugClaim;
use shared::store::rate_limits::{Caller, Counted, Limit};
use shared::store::sessions::SignedInUser;
use shared::store::team::Belonged;
use shared::store::{CommitError, Stored, Write, keys};
use utoipa::ToSchema;

use crate::person::checked_name;

const DAY: SignedDuration = SignedDuration::from_hours(24);
const MAX_MERCHANTS_A_DAY: usize = 3;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewMerchant {
    /// The name that the portal and the shop show, without `://` and invisible characters. It becomes the legal name as well.
    #[schema(min_length = 2, max_length = 80)]
    name: String,
    /// The last segment of the URL of its shop: 3 to 40 characters of a-z, 0-9 and single dashes inside.
    #[schema(value_type = Slug)]
    slug: String,
    /// The country of the company: two capital letters of ISO 3166-1.
    #[schema(required = false)]
    country: Option<String>,
    /// ISO 4217 code of the merchant's own currency, the default of its sales and reports. The application can set it
    /// later.
    #[schema(required = false, value_type = Option<String>)]
    currency: Option<Currency>,
    /// An IANA name, or `UTC±HH:MM`. Default: `UTC`.
    #[schema(required = false)]
    time_zone: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FoundedMerchant {
    /// The id of the merchant. It never changes, unlike the slug.
    id: MerchantId,
    /// The last segment of the URL of its shop, unique on the platform.
    slug: String,
    /// The name that the portal and the shop show.
    name: String,
    /// `DRAFT`, until the application is submitted.
    status: MerchantStatus,
}

impl NewMerchant {
    fn merchant(&self, app: &App) -> Result<Merchant, Fault> {
        let slug = Slug::parse(&self.slug).map_err(|error| match error {
            SlugError::Malformed => Fault::invalid(format!("slug: {error}.")),
            SlugError::Reserved => slug_taken(),
        })?;
        let name = checked_name("name", &self.name, 2)?;
        let country = self.country.as_deref().map(country).transpose()?;
        let time_zone = self.time_zone.as_deref().unwrap_or("UTC").trim();
        if !is_time_zone(time_zone) {
            return Err(Fault::invalid("timeZone: must be an IANA time zone, or UTC±HH:MM."));
        }
        let now = app.clock.now();
        let id = MerchantId::new(app.random.uuid(now).to_string());
        Ok(Merchant {
            slug: slug.to_string(),
            legal_name: name.clone(),
            name,
            country: country.unwrap_or_default(),
            currency: self.currency,
            time_zone: time_zone.to_owned(),
            calendars: Calendars::new(time_zone),
            created_at: Some(now),
            ..Merchant::new(id)
        })
    }
}

fn country(text: &str) -> Result<String, Fault> {
    let code = text.trim();
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Ok(code.to_owned())
    } else {
        Err(Fault::invalid("country: must be two capital letters."))
    }
}

fn slug_taken() -> Fault {
    Fault::conflict("SLUG_TAKEN", "This slug is taken. Choose another one.")
}

fn already_linked() -> Fault {
    Fault::conflict("ALREADY_LINKED", "You belong to a merchant already.")
}

pub(crate) async fn found_merchant(
    caller: SignedInUser,
    State(app): State<App>,
    client: ClientAddress,
    body: RawBody,
) -> Result<Created<FoundedMerchant>, Fault> {
    if caller.user.merchant_id.is_some() || caller.user.is_admin {
        return Err(already_linked());
    }
    let merchant = body.parse::<NewMerchant>()?.merchant(&app)?;
    if app.store.slug_claim(&merchant.slug).await?.is_some() {
        return Err(slug_taken());
    }
    let mut user = caller.user;
    let mut attempts = app.store.attempts("a new merchant");
    loop {
        if user.merchant_id.is_some() {
            return Err(already_linked());
        }
        let mut writes = founding(&app, &merchant, &user)?;
        writes.push(counted(&app, client).await?);
        let committed = app.store.commit(writes).await;
        if matches!(&committed, Err(CommitError::Conflict(row)) if *row == keys::slug(&merchant.slug)) {
            return Err(slug_taken());
        }
        if attempts.committed(committed).await? {
            let Merchant { id, slug, name, .. } = merchant;
            let founded = FoundedMerchant { id, slug, name, status: MerchantStatus::Draft };
            return Ok(Created(founded));
        }
        user = app.store.user(&user.id).await?.ok_or_else(already_linked)?;
    }
}

fn founding(app: &App, merchant: &Merchant, user: &Stored<User>) -> Result<Vec<Write>, Fault> {
    let (powers, stamp) = (Powers::of_role(Role::Admin), app.store.new_stamp());
    let deed =
        Deed::new(ActivityAction::MemberJoined).to_target(&user.id, user.display_name()).giving(&powers);
    let activity = app.store.record(Actor::member(user), &merchant.id, deed, app.clock.now())?;
    let membership = Membership::new(merchant.id.clone(), user.id.clone(), powers, Some(stamp));
    let founder = User { merchant_id: Some(merchant.id.clone()), ..user.value.clone() };
    Ok(vec![
        Write::create(merchant)?,
        Write::create(&SlugClaim::of(merchant))?,
        Write::create(&membership)?,
        Write::put(&Belonged::new(&user.id, &merchant.id))?,
        Write::replace(user, &founder)?,
        activity,
    ])
}

/// The write that counts it. Merchants that are not founded do not count.
async fn counted(app: &App, ClientAddress(client): ClientAddress) -> Result<Write, Fault> {
    let limit = Limit { caller: Caller::Address(client), max_calls: MAX_MERCHANTS_A_DAY, window: DAY };
    match app.store.count("found-merchant", &limit, app.clock.now()).await? {
        Counted::Admitted(write) => Ok(write),
        Counted::Rejected(wait) => {
            let message = "Too many merchants were founded from here. Please try again later.";
            Err(Fault::too_many(message, wait))
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new("foundMerchant", 
        "Found a merchant",
        "Creates a merchant as a draft. The caller becomes its administrator and goes on with the application. Allows 3 a day \
         for a client.",
    )
    .body::<NewMerchant>(json!({
        "name": "Aurora Coffee", "slug": "aurora-coffee", "country": "SE", "currency": "SEK",
        "timeZone": "Europe/Stockholm",
    }))
    .success(
        "The merchant.",
        json!({"id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee", "status": "DRAFT"}),
    )
    .error(400, "A field is invalid.")
    .message("country: must be two capital letters.")
    .coded_error(409, &["ALREADY_LINKED", "SLUG_TAKEN"], "The caller has a merchant (`ALREADY_LINKED`), or the slug is taken or reserved (`SLUG_TAKEN`).")
    .error(429, "Too many merchants were founded by the client.")
    .message("Too many merchants were founded from here. Please try again later.")
}
