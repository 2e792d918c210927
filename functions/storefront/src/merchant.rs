//! `GET /api/merchants/{slug}`: who sells in a shop, and how the shop looks.

use std::time::Duration;

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::best_effort::best_effort;
use shared::card_network::NetworkError;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::domain::money::Currency;
use shared::http::access::Public;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::shop;

/// How long a shop waits for its terms.
const TIMEOUT: Duration = Duration::from_secs(2);

/// What nobody has said is null.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StorefrontMerchant {
    #[schema(value_type = String)]
    id: MerchantId,
    slug: String,
    name: String,
    logo_url: Option<String>,
    description: Option<String>,
    primary_color: Option<String>,
    secondary_color: Option<String>,
    currency: Option<Currency>,
    home_url: Option<String>,
    terms_url: Option<String>,
    fraud_site_id: Option<String>,
    analytics_id: Option<String>,
    /// Minor units.
    popular_gift_card_amount: Option<i64>,
}

impl StorefrontMerchant {
    fn new(merchant: Merchant, terms_url: Option<String>) -> Self {
        let Merchant { id, slug, name, currency, brand, storefront, .. } = merchant;
        Self {
            id,
            slug,
            name,
            logo_url: said(Some(brand.logo_url)),
            description: said(storefront.description),
            primary_color: said(storefront.primary_color),
            secondary_color: said(storefront.secondary_color),
            currency,
            home_url: said(storefront.home_url),
            terms_url: said(terms_url),
            fraud_site_id: said(storefront.fraud_site_id),
            analytics_id: said(storefront.analytics_id),
            popular_gift_card_amount: storefront.popular_gift_card_amount,
        }
    }
}

fn said(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}
pub(crate) fn describe() -> Description {
    Description::new(
        "The merchant of a shop",
        "Who sells, and how the shop looks. Scripts of any origin may read it. `termsUrl` is asked for at the card \
         network each time, and null where that does not work out within 2 seconds.",
    )
    .data::<StorefrontMerchant>(
        "The merchant.",
        json!({
            "id": "m-aurora", "slug": "aurora-coffee", "name": "Aurora Coffee",
            "logoUrl": "https://aurora.example/logo.png", "description": "Coffee, roasted slowly",
            "primaryColor": "#1f4e5f", "secondaryColor": "#f4b942", "currency": "SEK",
            "homeUrl": "https://aurora.example", "termsUrl": "https://aurora.example/terms",
            "fraudSiteId": "site-aurora", "analyticsId": "analytics-aurora", "popularGiftCardAmount": 50_000,
        }),
    )
    .refuses(404, "There is no active merchant of this slug.")
}

/// The merchant. `termsUrl` is asked for at the card network each time, and null where that does not work out within
/// 2 seconds.
///
/// 404 for a slug that is nobody's, or that of a merchant who is not active.
pub(crate) async fn merchant(
    _: Public,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<StorefrontMerchant>, Fault> {
    let merchant = shop::merchant_of(&app, &path).await?;
    let terms_url = terms_url(&app, &invocation, &merchant).await;
    Ok(Data(StorefrontMerchant::new(merchant, terms_url)))
}

async fn terms_url(app: &App, invocation: &Invocation, merchant: &Merchant) -> Option<String> {
    let account = merchant.network_merchant_id.as_ref()?;
    let asked = timeout(TIMEOUT, app.card_network().account(invocation, account)).await;
    best_effort("the terms of a shop", asked.unwrap_or(Err(NetworkError::Timeout)))?.terms_url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_said_is_null() {
        let merchant = Merchant::new(MerchantId::new("m-1"));
        insta::assert_json_snapshot!(StorefrontMerchant::new(merchant, Some(String::new())), @r#"
        {
          "id": "m-1",
          "slug": "m-1",
          "name": "",
          "logoUrl": null,
          "description": null,
          "primaryColor": null,
          "secondaryColor": null,
          "currency": null,
          "homeUrl": null,
          "termsUrl": null,
          "fraudSiteId": null,
          "analyticsId": null,
          "popularGiftCardAmount": null
        }
        "#);
    }
}
