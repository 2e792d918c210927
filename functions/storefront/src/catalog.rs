//! `GET /api/merchants/{slug}/catalog`: lists the gift cards on sale in a shop.

use std::ops::Not;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::{NetworkError, OfferList};
use shared::http::{Description, General, PathIds, Public, TruncatedList, examples};
use shared::merchants::model::merchant::Merchant;
use shared::offers::model::offer::{OfferType, OnSale, Seller};
use shared::offers::model::prices::{PriceRule, Prices};
use shared::values::{Currency, MerchantId, Minor, NetworkMerchantId, OfferId, public_url};
use utoipa::ToSchema;

use crate::shop::{self, ShopError};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Catalog {
    /// `true`: the request has succeeded.
    ok: bool,
    /// The gift cards on sale, in the card network's order.
    #[schema(value_type = Vec<Item>)]
    data: Vec<Box<RawValue>>,
    /// Data about the shop as a whole.
    meta: Meta,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CatalogMeta)]
struct Meta {
    /// The amount that the shop suggests, in minor units of the merchant's own currency. Null if there is none.
    popular_amount: Option<i64>,
    /// `true` if gift cards were left out because the list is too long for a response; missing otherwise.
    #[serde(skip_serializing_if = "Not::not")]
    #[schema(required = false)]
    truncated: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CatalogItem)]
pub(crate) struct Item {
    /// The number of the offer at the card network, as text.
    #[schema(value_type = String)]
    pub(crate) id: OfferId,
    /// The id of the merchant.
    #[schema(value_type = String)]
    merchant_id: MerchantId,
    /// The name that buyers see.
    pub(crate) name: String,
    /// The text that buyers see. Null if there is none.
    pub(crate) description: Option<String>,
    /// The address of the image of the card. Null if there is none.
    pub(crate) image_url: Option<String>,
    /// `GIFTCARD_DIGITAL`: refund cards are not sold in shops.
    r#type: OfferType,
    /// ISO 4217 code of the prices: that of the offer, else the merchant's own.
    pub(crate) currency: Currency,
    /// The prices to offer, in minor units, ascending.
    pub(crate) price_options: Vec<Minor>,
    /// The lowest price, in minor units. Null if there is no limit.
    pub(crate) min_value: Option<Minor>,
    /// The highest price, in minor units. Null if there is no limit.
    pub(crate) max_value: Option<Minor>,
    /// Whether any price between the lowest and the highest can be bought, not only those of `price_options`.
    #[serde(skip)]
    pub(crate) is_variable: bool,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getStorefrontCatalog",
        "List the gift cards of a shop",
        "Returns the gift cards on sale. Allows cross-origin requests.",
    )
    .success(
        "The gift cards. Empty if the merchant has no card network account.",
        json!({
            "ok": true,
            "data": [{
                "id": "501", "merchantId": examples::MERCHANT, "name": "Aurora gift card",
                "description": "For any amount, in every shop", "imageUrl": "https://aurora.example/card.png",
                "type": "GIFTCARD_DIGITAL", "currency": "SEK",
                "priceOptions": [5000, 100_000, 200_000, 300_000, 400_000, 500_000],
                "minValue": 5000, "maxValue": 500_000,
            }],
            "meta": {"popularAmount": 50_000},
        }),
    )
}

/// Returns the gift cards on sale in the card network's order; empty if the merchant has no card network account. Those that do
/// not fit into the response are left out.
pub(crate) async fn get_catalog(
    _: Public,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Json<Catalog>, ShopError> {
    let merchant = shop::active_merchant(&app, &path).await?;
    let (items, is_complete) = on_sale(&app, &invocation, &merchant).await?;
    let shown = TruncatedList::new(items).map_err(|error| General::internal(error.to_string()))?;
    let meta =
        Meta { popular_amount: merchant.storefront.popular_gift_card_amount, truncated: shown.is_truncated || !is_complete };
    Ok(Json(Catalog { ok: true, data: shown.items, meta }))
}

/// Returns the gift cards on sale, and whether these are all.
pub(crate) async fn on_sale(app: &App, invocation: &Invocation, merchant: &Merchant) -> Result<(Vec<Item>, bool), General> {
    let Some(account) = &merchant.network_merchant_id else { return Ok((Vec::new(), true)) };
    let list = app.card_network().offers(invocation, account).await.map_err(|error| failed(&error))?;
    Ok((items_on_sale(merchant, account, &list, app.clock.now()), list.is_complete))
}

fn failed(error: &NetworkError) -> General {
    General::failed("The catalog could not be read. Please try again.", error.to_string())
}

fn items_on_sale(merchant: &Merchant, account: &NetworkMerchantId, list: &OfferList, now: Timestamp) -> Vec<Item> {
    let seller = Seller::from(merchant);
    let on_sale = list.on_sale(account, &seller, now).filter(|sale| sale.offer.offer_type == OfferType::GiftcardDigital);
    on_sale.map(|sale| Item::new(merchant, sale)).collect()
}

impl Item {
    fn new(merchant: &Merchant, OnSale { offer, currency, prices }: OnSale) -> Self {
        let popular = merchant.storefront.popular_gift_card_amount.map(Minor::new);
        // It is an amount in the merchant's currency.
        let popular = popular.filter(|_| merchant.currency.is_none_or(|own| own == currency));
        let is_variable = matches!(&prices, PriceRule::Between { min, max, .. } if min.is_none() || min != max);
        let prices = Prices::of(prices, popular);
        Self {
            id: offer.id,
            merchant_id: merchant.id.clone(),
            name: offer.name,
            description: offer.description,
            image_url: offer.image_url.as_deref().and_then(public_url),
            r#type: offer.offer_type,
            currency,
            price_options: prices.options,
            min_value: prices.min,
            max_value: prices.max,
            is_variable,
        }
    }
}
