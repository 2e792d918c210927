//! `GET /api/merchants/{slug}`: returns the merchant and the appearance of a shop.

use std::time::Duration;

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::base::invocation::Invocation;
use shared::card_network::NetworkError;
use shared::http::{Data, Description, PathIds, Public, examples};
use shared::merchants::model::merchant::Merchant;
use shared::values::{Currency, MerchantId, public_url};
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::shop::{self, ShopError};

/// For the request to the card network.
const TERMS_TIMEOUT: Duration = Duration::from_secs(2);

/// Fields without a value are null, and so are URLs that are not http or https.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StorefrontMerchant {
    /// The id of the merchant. It never changes, unlike the slug.
    #[schema(value_type = String)]
    id: MerchantId,
    /// The last segment of the URL of its shop, unique on the platform.
    pub(crate) slug: String,
    /// The name that the portal and the shop show.
    pub(crate) name: String,
    /// The address of the logo.
    pub(crate) logo_url: Option<String>,
    /// A text about the merchant, for buyers.
    pub(crate) description: Option<String>,
    /// The main color of the shop, such as `#1f4e5f`.
    pub(crate) primary_color: Option<String>,
    /// The second color of the shop, such as `#f4b942`.
    pub(crate) secondary_color: Option<String>,
    /// ISO 4217 code of the merchant's own currency.
    currency: Option<Currency>,
    /// The merchant's own website, where buyers complete their purchase.
    pub(crate) home_url: Option<String>,
    /// The terms and conditions of its cards. Null also if the card network does not answer in time.
    pub(crate) terms_url: Option<String>,
    /// The id of the shop at a fraud prevention service.
    fraud_site_id: Option<String>,
    /// The id of the shop at an analytics service.
    analytics_id: Option<String>,
    /// The amount that the shop suggests, in minor units of the merchant's own currency.
    pub(crate) popular_gift_card_amount: Option<i64>,
}

impl StorefrontMerchant {
    pub(crate) async fn load(app: &App, invocation: &Invocation, merchant: Merchant) -> Self {
        let terms_url = terms_url(app, invocation, &merchant).await;
        Self::new(merchant, terms_url.as_deref())
    }

    fn new(merchant: Merchant, terms_url: Option<&str>) -> Self {
        let Merchant { id, slug, name, currency, brand, storefront, .. } = merchant;
        Self {
            id,
            slug,
            name,
            logo_url: public_url(&brand.logo_url),
            description: non_empty(storefront.description),
            primary_color: non_empty(storefront.primary_color),
            secondary_color: non_empty(storefront.secondary_color),
            currency,
            home_url: storefront.home_url.as_deref().and_then(public_url),
            terms_url: terms_url.and_then(public_url),
            fraud_site_id: non_empty(storefront.fraud_site_id),
            analytics_id: non_empty(storefront.analytics_id),
            popular_gift_card_amount: storefront.popular_gift_card_amount,
        }
    }
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getStorefrontMerchant",
        "Get the merchant of a shop",
        "Returns the merchant and the appearance of the shop. Allows cross-origin requests. `termsUrl` is requested \
         from the card network each time, and null if the request fails or takes more than 2 seconds.",
    )
    .success(
        "The merchant.",
        json!({
            "id": examples::MERCHANT, "slug": "aurora-coffee", "name": "Aurora Coffee",
            "logoUrl": "https://aurora.example/logo.png", "description": "Coffee, roasted slowly",
            "primaryColor": "#1f4e5f", "secondaryColor": "#f4b942", "currency": "SEK",
            "homeUrl": "https://aurora.example", "termsUrl": "https://aurora.example/terms",
            "fraudSiteId": "site-aurora", "analyticsId": "analytics-aurora", "popularGiftCardAmount": 50_000,
        }),
    )
}

/// Returns the merchant and the appearance of the shop. `termsUrl` is null if the card network does not return it in
/// time.
pub(crate) async fn get_merchant(
    _: Public,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<StorefrontMerchant>, ShopError> {
    let merchant = shop::active_merchant(&app, &path).await?;
    Ok(Data(StorefrontMerchant::load(&app, &invocation, merchant).await))
}

async fn terms_url(app: &App, invocation: &Invocation, merchant: &Merchant) -> Option<String> {
    let account = merchant.network_merchant_id.as_ref()?;
    let account = timeout(TERMS_TIMEOUT, app.card_network().account(invocation, account)).await;
    best_effort("the terms URL of a shop", account.unwrap_or(Err(NetworkError::Timeout)))?.terms_url
}
