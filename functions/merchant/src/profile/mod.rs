//! `GET /api/bff/merchant`: returns the merchant's profile.

pub(crate) mod update;

use axum::Json;
use axum::extract::State;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::db::{Job, StoreError, Task, Write};
use shared::http::schemas::always_null;
use shared::http::{Authorized, Description, General, MaybeAuthorized, examples, permission};
use shared::merchants::model::merchant::{Brand, Director, Document, LegalAddress, Merchant, MerchantStatus};
use shared::team::model::team::User;
use shared::values::{Color, Currency, JobId, OpenEnum, public_url};
use utoipa::ToSchema;

/// How long to wait before looking for a missing logo again.
const LOGO_RETRY_DELAY: SignedDuration = SignedDuration::from_hours(24);

/// The response for a user with a merchant, or without one.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum ProfileResponse {
    Found {
        /// `true`: the request has succeeded.
        ok: bool,
        /// The result of the request.
        data: Box<Profile>,
    },
    Missing {
        /// `true`: the request has succeeded.
        ok: bool,
        /// The result of the request.
        data: NoProfile,
        /// What the user can do instead.
        meta: Meta,
    },
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    /// The details of the company, and the state of its verification.
    company: Company,
    /// How the merchant appears to buyers.
    brand: ProfileBrand,
    /// The last segment of the URL of its shop, unique on the platform.
    slug: String,
    /// The URL of its shop.
    webshop_url: String,
    /// The same as in `company`, for the onboarding form.
    kyb: Kyb,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProfileBrand {
    #[serde(flatten)]
    brand: Brand,
    /// The main color of its shop, as `#rrggbb`; empty if it has chosen none.
    primary_color: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Company {
    /// The state of its application or account. Cards are sold and redeemed only while it is `ACTIVE`.
    #[schema(value_type = MerchantStatus)]
    status: OpenEnum<MerchantStatus>,
    /// The registered name of the company; empty if it is unknown.
    legal_name: String,
    /// The name under which it trades, from its profile; empty if it is unknown.
    trade_name: String,
    /// The name under which it trades, from its application; empty if it is unknown.
    trading_name: String,
    /// Same as `registrationNumber`.
    org_number: String,
    /// Same as `vatNumber`.
    tax_number: String,
    /// The company's registration number in its country; empty if it is unknown.
    registration_number: String,
    /// The company's VAT number; empty if it is unknown.
    vat_number: String,
    /// The country of the company, as an ISO 3166-1 alpha-2 code; empty if it is unknown.
    country: String,
    /// ISO 4217 code of the merchant's own currency, the default of its sales and reports; empty if none is set.
    currency: &'static str,
    /// The id of the merchant in an external system; empty if there is none.
    external_merchant_id: String,
    /// An IANA name or `UTC±HH:MM`. The days of reports and exports begin and end in it.
    time_zone: String,
    /// The number of its locations, as stated in the application; 0 if it has not stated one.
    number_of_locations: u32,
    /// The registered address of the company.
    legal_address: LegalAddress,
    /// The people who represent the company, as stated in the application.
    directors: Vec<Director>,
    /// The documents of the application.
    documents: Vec<Document>,
    /// The verifier's own name for the state, such as `approved`. Null before the first verification session.
    verifier_kyb_status: Option<String>,
    /// The id of the company at the verifier. Null before the first verification session.
    verifier_company_id: Option<String>,
    /// Where the company is verified. Null before the first verification session.
    verifier_session_url: Option<String>,
}

/// The fields of the onboarding form.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Kyb {
    /// The company's registration number in its country; empty if it is unknown.
    registration_number: String,
    /// The company's VAT number; empty if it is unknown.
    vat_number: String,
    /// The registered address of the company.
    legal_address: LegalAddress,
    /// The people who represent the company, as stated in the application.
    directors: Vec<Director>,
    /// The documents of the application.
    documents: Vec<Document>,
}

/// The profile of a user without a merchant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NoProfile {
    #[schema(schema_with = always_null)]
    company: (),
    /// Always empty.
    brand: NoBrand,
    #[schema(schema_with = always_null)]
    slug: (),
    /// The base address of all shops.
    webshop_url: String,
    #[schema(schema_with = always_null)]
    kyb: (),
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)] // keeps its schema from matching a full profile
struct NoBrand {}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ProfileMeta)]
pub(crate) struct Meta {
    /// Always `missing`.
    workspace: &'static str,
    /// Whether the user has an open invitation to a merchant.
    pending_team_invite: bool,
}

/// Returns the profile. Fields without a value are empty strings, or null for the verifier's fields.
///
/// A user without a merchant gets an empty profile and whether an invitation is open.
pub(crate) async fn get_profile(
    caller: MaybeAuthorized<Authorized<permission::Information>>,
    State(app): State<App>,
) -> Result<Json<ProfileResponse>, General> {
    match caller {
        MaybeAuthorized::Authorized(caller) => {
            enqueue_missing_logo(&app, &caller.merchant).await;
            let profile = Profile::of(&caller.merchant, &app.settings.webshop_base_url);
            Ok(Json(ProfileResponse::Found { ok: true, data: Box::new(profile) }))
        }
        MaybeAuthorized::NoMerchant(user) => empty_profile(&app, &user).await,
    }
}

async fn empty_profile(app: &App, user: &User) -> Result<Json<ProfileResponse>, General> {
    let now = app.clock.now();
    let invites = app.store.invites_by_email(&user.email).await?;
    let webshop_url = app.settings.webshop_base_url.clone();
    let data = NoProfile { company: (), brand: NoBrand {}, slug: (), webshop_url, kyb: () };
    let mut pending_team_invite = false;
    for invite in invites {
        pending_team_invite |= app.store.status_of_invite(&invite, now).await?.is_open();
    }
    let meta = Meta { workspace: "missing", pending_team_invite };
    Ok(Json(ProfileResponse::Missing { ok: true, data, meta }))
}

impl Profile {
    fn of(merchant: &Merchant, webshop_base_url: &str) -> Self {
        let color = merchant.storefront.primary_color.as_ref();
        Self {
            company: Company::of(merchant),
            brand: ProfileBrand {
                brand: merchant.brand.published(),
                primary_color: color.filter(|color| Color::parse(color).is_some()).cloned().unwrap_or_default(),
            },
            slug: merchant.slug.clone(),
            webshop_url: format!("{webshop_base_url}/{}", merchant.slug),
            kyb: Kyb {
                registration_number: merchant.registration_number.clone(),
                vat_number: merchant.vat_number.clone(),
                legal_address: merchant.legal_address.clone(),
                directors: merchant.directors.clone(),
                documents: published(&merchant.documents),
            },
        }
    }
}

fn published(documents: &[Document]) -> Vec<Document> {
    documents.iter().map(Document::published).collect()
}

impl Company {
    fn of(merchant: &Merchant) -> Self {
        let verification = &merchant.verification;
        Self {
            status: merchant.status.clone(),
            legal_name: merchant.legal_name.clone(),
            trade_name: merchant.trade_name.clone(),
            trading_name: merchant.trading_name.clone(),
            org_number: merchant.registration_number.clone(),
            tax_number: merchant.vat_number.clone(),
            registration_number: merchant.registration_number.clone(),
            vat_number: merchant.vat_number.clone(),
            country: merchant.country.clone(),
            currency: merchant.currency.map(Currency::code).unwrap_or_default(),
            external_merchant_id: merchant.external_merchant_id.clone(),
            time_zone: merchant.time_zone.clone(),
            number_of_locations: merchant.number_of_locations,
            legal_address: merchant.legal_address.clone(),
            directors: merchant.directors.clone(),
            documents: published(&merchant.documents),
            verifier_kyb_status: verification.kyb_status.clone(),
            verifier_company_id: verification.company_id.clone(),
            verifier_session_url: verification.session_url.as_deref().and_then(public_url),
        }
    }
}

/// Enqueues a job to fetch the logo if the merchant has none. A failure does not fail the request.
async fn enqueue_missing_logo(app: &App, merchant: &Merchant) {
    if needs_logo(merchant, app.clock.now()) {
        best_effort("the logo job", enqueue_logo_job(app, merchant).await);
    }
}

fn needs_logo(merchant: &Merchant, now: Timestamp) -> bool {
    let recently_attempted = merchant.logo_checked_at.is_some_and(|at| now.duration_since(at) < LOGO_RETRY_DELAY);
    let has_none = merchant.brand.logo_url.is_empty() && !merchant.logo_removed;
    has_none && merchant.network_merchant_id.is_some() && !recently_attempted
}

/// The job id contains the date, so that a merchant gets at most one job a day, and a dead job does not block the
/// job of the next day.
async fn enqueue_logo_job(app: &App, merchant: &Merchant) -> Result<(), StoreError> {
    let now = app.clock.now();
    let id = JobId::new(format!("logo-{}-{}", merchant.id, now.strftime("%Y-%m-%d")));
    let job = Job::with_id(id, merchant.id.clone(), Task::FetchLogo, now);
    app.store.commit_if_possible(vec![Write::create(&job)?]).await?;
    Ok(())
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getProfile",
        "Get the profile",
        "Fields without a value are empty strings, or null for the verifier's fields. For a user without a merchant, \
         the profile is empty and `meta.pendingTeamInvite` shows whether an invitation is open.",
    )
    .success("The profile.", json!({"ok": true, "data": example()}))
}

fn example() -> Value {
    let address = json!({
        "line1": "Storgatan 12", "city": "Stockholm", "state": "", "postalCode": "114 55", "country": "SE",
    });
    let directors = json!([{"name": "Anna Berg", "role": "Managing director"}]);
    let document = format!("{}/onboarding/documents/{}", examples::MERCHANT, examples::DOCUMENT);
    let documents = json!([{
        "type": "REGISTRATION", "url": format!("https://documents.s3.eu-west-1.amazonaws.com/{document}"),
    }]);
    json!({
        "company": {
            "status": "ACTIVE", "legalName": "Aurora Coffee AB", "tradeName": "Aurora Coffee",
            "tradingName": "Aurora", "orgNumber": "556677-8899", "taxNumber": "SE556677889901",
            "registrationNumber": "556677-8899", "vatNumber": "SE556677889901", "country": "SE", "currency": "SEK",
            "externalMerchantId": "crm-2041", "timeZone": "Europe/Stockholm", "numberOfLocations": 4,
            "legalAddress": address, "directors": directors, "documents": documents, "verifierKybStatus": "approved",
            "verifierCompanyId": examples::VERIFIED_COMPANY, "verifierSessionUrl": null,
        },
        "brand": {
            "logoUrl": "https://aurora.example/logo.png", "category": "Food and drink", "descriptor": "AURORA COFFEE",
            "website": "https://aurora.example", "facebook": "", "twitter": "", "instagram": "",
            "primaryColor": "#1f4e5f",
        },
        "slug": "aurora-coffee",
        "webshopUrl": "https://shops.example/aurora-coffee",
        "kyb": {
            "registrationNumber": "556677-8899", "vatNumber": "SE556677889901", "legalAddress": address,
            "directors": directors, "documents": documents,
        },
    })
}
