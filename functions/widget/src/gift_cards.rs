//! `GET /api/bff/widget/giftcards`: lists the gift cards of the widget.

use axum::extract::State;
use http::HeaderMap;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{ClientAddress, Data, Description, Invalid, NonBlank, Public, Query, WithCookies};
use shared::values::MerchantId;
use utoipa::ToSchema;

use crate::catalog::{self, Item};
use crate::visit;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WidgetGiftCards)]
pub(crate) struct GiftCards {
    /// The `merchantId` of the request, even if it is unknown.
    #[schema(value_type = Option<String>)]
    merchant_id: Option<MerchantId>,
    /// The gift cards to show, in their order.
    items: Vec<Item>,
    /// Number of `items`.
    count: usize,
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listWidgetGiftCards",
        "List the gift cards of the widget",
        "Returns a fixed demo catalog. Allows cross-origin requests. For a known merchant, records a visit, identified \
         by the cookie `gc_as`, which each response renews for 30 minutes. At most 60 new visits an hour are recorded \
         for one client address. With `count=no`, nothing is recorded and no cookie is set: for shops whose visitors have \
         not consented yet.",
    )
    .query::<NonBlank>("merchantId", "The merchant. The default gift cards are returned if it is missing or unknown.", false)
    .query::<String>("count", "`no`: the view is not counted. Anything else counts it.", false)
    .success(
        "The catalog.",
        json!({
            "merchantId": null,
            "items": [{
                "id": "demo-classic", "name": "Classic gift card", "description": "Always the right size",
                "currency": "EUR", "denominations": [25, 50, 100], "imageUrl": "data:image/svg+xml,…",
            }],
            "count": 1,
        }),
    )
}

endpoint_error! {
    pub(crate) enum GiftCardsError {
        /// `merchantId` is blank or repeated.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "merchantId: must not be blank.",
    }
}

/// Returns `{merchantId, items, count}`. Records the visit and sets its cookie if the merchant exists, unless the request says
/// not to.
pub(crate) async fn list_gift_cards(
    _: Public,
    State(app): State<App>,
    query: Query,
    headers: HeaderMap,
    address: ClientAddress,
) -> Result<WithCookies<Data<GiftCards>>, GiftCardsError> {
    let merchant_id = parse_merchant_id(&query)?;
    let cookie = match &merchant_id {
        Some(merchant) if query.text("count") != Some("no") => visit::record(&app, merchant, &headers, address).await,
        _ => None,
    };
    let items = catalog::items(merchant_id.as_ref());
    Ok(WithCookies::new([cookie], Data(GiftCards { merchant_id, count: items.len(), items })))
}

fn parse_merchant_id(query: &Query) -> Result<Option<MerchantId>, Invalid> {
    match query.all("merchantId") {
        [] => Ok(None),
        [id] if !id.trim().is_empty() => Ok(Some(MerchantId::new(id))),
        [_] => Err(Invalid::new("merchantId: must not be blank.")),
        _ => Err(Invalid::new("merchantId: must be given once.")),
    }
}
