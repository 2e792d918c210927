//! `POST /api/auth/merchant`: founds a merchant, whose administrator the caller becomes.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::counters::Caller;
use shared::db::{CommitError, StoreError, Stored, Write, keys};
use shared::endpoint_error;
use shared::http::{ClientAddress, Created, Description, Invalid, RawBody, examples};
use shared::limits;
use shared::limits::model::{FOUNDED_MERCHANTS, UsedUp};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::merchants::model::merchant::{Merchant, MerchantStatus};
use shared::merchants::rows::merchants::SlugClaim;
use shared::team::model::team::{Membership, Powers, Role, User};
use shared::team::rows::sessions::SignedInUser;
use shared::team::rows::team::Belonged;
use shared::values::names::{MIN_SHOP, Name};
use shared::values::slug::{Slug, SlugError};
use shared::values::{Calendars, Currency, MerchantId, is_time_zone};
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewMerchant {
    /// The name that the portal and the shop show, without `://` and invisible characters. It also becomes the legal name.
    name: MerchantName,
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

type MerchantName = Name<MIN_SHOP>;

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
    fn merchant(self, app: &App) -> Result<Merchant, FoundMerchantError> {
        let slug = Slug::parse(&self.slug).map_err(|error| match error {
            SlugError::Malformed => Invalid::new(format!("slug: {error}.")).into(),
            SlugError::Reserved => FoundMerchantError::SlugTaken,
        })?;
        let name = self.name.into_string();
        let country = self.country.as_deref().map(country).transpose()?;
        let time_zone = self.time_zone.as_deref().unwrap_or("UTC").trim();
        if !is_time_zone(time_zone) {
            return Err(Invalid::new("timeZone: must be an IANA time zone, or UTC±HH:MM.").into());
        }
        let currency = self.currency.map(Currency::require_current).transpose();
        let currency = currency.map_err(|error| Invalid::new(format!("currency: {error}.")))?;
        let now = app.clock.now();
        let id = MerchantId::new(app.random.uuid(now).to_string());
        Ok(Merchant {
            slug: slug.to_string(),
            legal_name: name.clone(),
            name,
            country: country.unwrap_or_default(),
            currency,
            time_zone: time_zone.to_owned(),
            calendars: Calendars::new(time_zone),
            ..Merchant::new(id, now)
        })
    }
}

fn country(text: &str) -> Result<String, Invalid> {
    let code = text.trim();
    if code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase()) {
        Ok(code.to_owned())
    } else {
        Err(Invalid::new("country: must be two capital letters."))
    }
}

endpoint_error! {
    pub(crate) enum FoundMerchantError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "country: must be two capital letters.",
        /// The caller has a merchant.
        AlreadyLinked => 409 ALREADY_LINKED "You already belong to a merchant.",
        /// The slug is taken or reserved.
        SlugTaken => 409 SLUG_TAKEN "This slug is taken. Choose another one.",
        /// The client has created too many merchants.
        TooManyMerchants(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many merchants were created from your network. Please try again later.",
    }
}

pub(crate) async fn found_merchant(
    caller: SignedInUser,
    State(app): State<App>,
    client: ClientAddress,
    body: RawBody,
) -> Result<Created<FoundedMerchant>, FoundMerchantError> {
    if !may_found(&caller.user) {
        return Err(FoundMerchantError::AlreadyLinked);
    }
    let merchant = body.parse::<NewMerchant>()?.merchant(&app)?;
    if app.store.slug_claim(&merchant.slug).await?.is_some() {
        return Err(FoundMerchantError::SlugTaken);
    }
    let ClientAddress(client) = client;
    let reservation = limits::reserve::<FoundMerchantError>(&app, &[(FOUNDED_MERCHANTS, Caller::Address(client))]).await?;
    let founded = found(&app, caller.user.into_row(), merchant).await;
    limits::give_back_refused(&app, Some(reservation), founded).await
}

/// Who belongs to no merchant and does not administer the platform, however they signed in.
fn may_found(user: &User) -> bool {
    user.merchant_id.is_none() && !user.is_appointed_admin
}

async fn found(app: &App, mut user: Stored<User>, merchant: Merchant) -> Result<Created<FoundedMerchant>, FoundMerchantError> {
    let mut attempts = app.store.attempts("a new merchant");
    loop {
        if !may_found(&user) {
            return Err(FoundMerchantError::AlreadyLinked);
        }
        let committed = app.store.commit(founding(app, &merchant, &user)?).await;
        if matches!(&committed, Err(CommitError::Conflict(row)) if *row == keys::slug(&merchant.slug)) {
            return Err(FoundMerchantError::SlugTaken);
        }
        if attempts.committed(committed).await? {
            let Merchant { id, slug, name, .. } = merchant;
            let founded = FoundedMerchant { id, slug, name, status: MerchantStatus::Draft };
            return Ok(Created(founded));
        }
        user = app.store.user(&user.id).await?.ok_or(FoundMerchantError::AlreadyLinked)?;
    }
}

fn founding(app: &App, merchant: &Merchant, user: &Stored<User>) -> Result<Vec<Write>, StoreError> {
    let (powers, stamp) = (Powers::of_role(Role::Admin), app.store.new_stamp());
    let deed = Deed::new(ActivityAction::MemberJoined).to_target(&user.id, user.display_name()).giving(&powers);
    let activity = app.store.record(Actor::member(user), &merchant.id, deed, app.clock.now())?;
    let membership = Membership::new(merchant.id.clone(), user.id.clone(), powers, stamp);
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

pub(crate) fn describe() -> Description {
    Description::new(
        "foundMerchant",
        "Create a merchant",
        "Creates a merchant as a draft. The caller becomes its administrator and continues with the application. A client can \
         create 3 a day.",
    )
    .body::<NewMerchant>(json!({
        "name": "Aurora Coffee", "slug": "aurora-coffee", "country": "SE", "currency": "SEK",
        "timeZone": "Europe/Stockholm",
    }))
    .success(
        "The merchant.",
        json!({"id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee", "status": "DRAFT"}),
    )
}
