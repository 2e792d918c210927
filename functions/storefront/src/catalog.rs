//! `GET /api/merchants/{slug}/catalog`: the gift cards that a shop sells.

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::best_effort::best_effort;
use shared::card_network::{NetworkError, RawOffer};
use shared::domain::ids::{MerchantId, NetworkMerchantId, OfferId};
use shared::domain::merchant::Merchant;
use shared::domain::money::{Currency, Minor};
use shared::domain::offer::{Offer, OfferType};
use shared::domain::prices::Prices;
use shared::http::access::Public;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::path::PathIds;
use utoipa::ToSchema;

use crate::shop;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Catalog {
    ok: bool,
    data: Vec<Item>,
    meta: Meta,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CatalogMeta)]
struct Meta {
    /// The amount to suggest first, in minor units.
    popular_amount: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CatalogItem)]
struct Item {
    #[schema(value_type = String)]
    id: OfferId,
    #[schema(value_type = String)]
    merchant_id: MerchantId,
    name: String,
    description: Option<String>,
    image_url: Option<String>,
    r#type: OfferType,
    currency: Currency,
    /// Minor units, ascending.
    price_options: Vec<Minor>,
    /// Minor units; null where there is no such bound.
    min_value: Option<Minor>,
    max_value: Option<Minor>,
}
pub(crate) fn describe() -> Description {
    Description::new("The gift cards of a shop", "What can be bought now. Scripts of any origin may read it.")
        .answer::<Catalog>(
            "The gift cards; none where the merchant has no card network account.",
            json!({
                "ok": true,
                "data": [{
                    "id": "501", "merchantId": "m-aurora", "name": "Aurora gift card",
                    "description": "For any amount, in every shop", "imageUrl": "https://aurora.example/card.png",
                    "type": "GIFTCARD_DIGITAL", "currency": "SEK",
                    "priceOptions": [5000, 100_000, 200_000, 300_000, 400_000, 500_000],
                    "minValue": 5000, "maxValue": 500_000,
                }],
                "meta": {"popularAmount": 50_000},
            }),
        )
        .refuses(404, "There is no active merchant of this slug.")
}

/// `{ok, data, meta}`, in the network's order: every gift card that can be bought now. Nothing where the merchant has
/// no account at the network.
///
/// 404 for a slug that is nobody's, or that of a merchant who is not active; 500 where the network fails.
pub(crate) async fn catalog(
    _: Public,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Json<Catalog>, Fault> {
    let merchant = shop::merchant_of(&app, &path).await?;
    let data = match &merchant.network_merchant_id {
        Some(account) => {
            let offers =
                app.card_network().offers(&invocation, account).await.map_err(|error| failed(&error))?;
            items(&merchant, account, &offers, app.clock.now())
        }
        None => Vec::new(),
    };
    let meta = Meta { popular_amount: merchant.storefront.popular_gift_card_amount };
    Ok(Json(Catalog { ok: true, data, meta }))
}

fn failed(error: &NetworkError) -> Fault {
    Fault::failed("The catalog could not be read. Please try again.", error.to_string())
}

/// What a shop shows of the network's list. An offer that does not read, or has no price, spoils no other.
fn items(merchant: &Merchant, account: &NetworkMerchantId, offers: &[RawOffer], now: Timestamp) -> Vec<Item> {
    let offers = offers.iter().filter_map(|raw| best_effort("an offer of a shop", raw.read()));
    let for_sale = offers.filter(|offer| {
        offer.belongs_to(account) && offer.offer_type == OfferType::GiftcardDigital && offer.is_on_sale(now)
    });
    for_sale.filter_map(|offer| best_effort("the price of an offer", Item::new(merchant, offer))).collect()
}

impl Item {
    /// An item in the offer's currency, or the merchant's where the offer names none.
    fn new(merchant: &Merchant, offer: Offer) -> Result<Self, String> {
        let named = offer.currency.filter(|code| !code.is_empty());
        let currency =
            named.map(|code| code.parse()).transpose().map_err(|error| format!("its currency {error}"))?;
        let currency = currency.or(merchant.currency).ok_or("neither it nor its merchant has a currency")?;
        let prices = Prices::of(&offer.pricing, currency).map_err(|error| format!("its price {error}"))?;
        Ok(Self {
            id: offer.id,
            merchant_id: merchant.id.clone(),
            name: offer.name,
            description: offer.description,
            image_url: offer.image_url,
            r#type: offer.offer_type,
            currency,
            price_options: prices.options,
            min_value: prices.min,
            max_value: prices.max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn shown(offers: &Value) -> Vec<Item> {
        let account = NetworkMerchantId::new("1001");
        let mut merchant = Merchant::new(MerchantId::new("m-1"));
        merchant.currency = Some(Currency::EUR);
        let offers: Vec<RawOffer> = serde_json::from_str(&offers.to_string()).unwrap();
        items(&merchant, &account, &offers, "2026-06-01T00:00:00Z".parse().unwrap())
    }

    #[test]
    fn an_item_says_what_its_offer_says() {
        let items = shown(&json!([{
            "giftCardOfferId": 501, "merchantId": "1001", "name": "Gift card", "description": "For coffee",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "currency": "JPY",
            "minPrice": 500, "maxPrice": "5000", "giftCardDesign": [{"urlImage": "https://a.example/card.png"}]
        }]));
        insta::assert_json_snapshot!(items, @r#"
        [
          {
            "id": "501",
            "merchantId": "m-1",
            "name": "Gift card",
            "description": "For coffee",
            "imageUrl": "https://a.example/card.png",
            "type": "GIFTCARD_DIGITAL",
            "currency": "JPY",
            "priceOptions": [
              500,
              1000,
              2000,
              3000,
              4000,
              5000
            ],
            "minValue": 500,
            "maxValue": 5000
          }
        ]
        "#);
    }

    #[test]
    fn what_cannot_be_bought_is_not_shown() {
        let offer = |changes: Value| {
            let mut offer = json!({"id": 1, "merchantId": "1001", "status": "AVAILABLE", "faceValue": 10});
            offer.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            offer
        };
        for (changes, expected) in [
            (json!({}), true),
            (json!({"currency": ""}), true),
            (json!({"availableForPurchaseTime": "2026-01-01T00:00:00Z"}), true),
            (json!({"availableForPurchaseTime": "2026-07-01T00:00:00Z"}), false),
            (json!({"expireForPurchaseTime": "2026-01-01T00:00:00Z"}), false),
            (json!({"status": "HIDDEN"}), false),
            (json!({"giftCardOfferType": "REFUND_DIGITAL"}), false),
            (json!({"merchantId": "1002"}), false),
            (json!({"merchantId": null}), false),
            (json!({"id": null}), false),
            (json!({"currency": "kr"}), false),
            (json!({"faceValue": "9.999"}), false),
        ] {
            let items = shown(&json!([offer(changes.clone()), offer(json!({"id": 2}))]));
            assert_eq!(items.len(), 1 + usize::from(expected), "{changes}");
        }
    }
}
