//! `GET /api/bff/widget/giftcards`: the gift cards that the widget offers.

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::{HeaderMap, header};
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::MerchantId;
use shared::http::access::Public;
use shared::http::description::{Description, NonBlank};
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::catalogue::{self, Item};
use crate::visit;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WidgetGiftCards)]
pub(crate) struct GiftCards {
    /// As the caller named it, whether there is such a merchant or not.
    #[schema(value_type = Option<String>)]
    merchant_id: Option<MerchantId>,
    items: Vec<Item>,
    count: usize,
}
pub(crate) fn describe() -> Description {
    Description::new(
        "The gift cards that the widget offers",
        "A fixed catalogue for demonstrations. Scripts of any origin may read it. Where the merchant is known, the look \
         is noted as part of a visit, by the cookie `gc_as`, which each answer renews for 30 minutes.",
    )
    .query::<NonBlank>("merchantId", "Whose gift cards; without it, or where nothing is known of it, the usual ones.", false)
    .data::<GiftCards>(
        "The catalogue.",
        json!({
            "merchantId": null,
            "items": [{
                "id": "demo-classic", "name": "Classic gift card", "description": "Always the right size",
                "currency": "EUR", "denominations": [25, 50, 100], "imageUrl": "data:image/svg+xml,…",
            }],
            "count": 1,
        }),
    )
    .refuses(400, "`merchantId` is blank, or given more than once.")
}

/// `{merchantId, items, count}`, and the visitor's cookie where the merchant is one of ours.
///
/// 400 for a `merchantId` that is blank, or given more than once.
pub(crate) async fn gift_cards(
    _: Public,
    State(app): State<App>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let merchant_id = merchant_of(&query)?;
    let cookie = match &merchant_id {
        Some(merchant) => visit::record(&app, merchant, &headers).await,
        None => None,
    };
    let items = catalogue::items(merchant_id.as_ref());
    let cookie = AppendHeaders(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok((cookie, Data(GiftCards { merchant_id, count: items.len(), items })).into_response())
}

fn merchant_of(query: &Query) -> Result<Option<MerchantId>, Fault> {
    match query.all("merchantId") {
        [] => Ok(None),
        [id] if !id.trim().is_empty() => Ok(Some(MerchantId::new(id))),
        [_] => Err(Fault::invalid("merchantId: must not be blank.")),
        _ => Err(Fault::invalid("merchantId: must be given once.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merchant_is_named_once_or_not_at_all() {
        let read = |query| merchant_of(&Query::parse(query)).map_err(|fault| fault.message().to_owned());
        assert_eq!(read(""), Ok(None));
        assert_eq!(read("merchantid=m-1"), Ok(None));
        assert_eq!(read("merchantId=m-1"), Ok(Some(MerchantId::new("m-1"))));
        for blank in ["merchantId", "merchantId=", "merchantId=%20%09"] {
            assert_eq!(read(blank), Err("merchantId: must not be blank.".to_owned()), "{blank}");
        }
        let twice = Err("merchantId: must be given once.".to_owned());
        assert_eq!(read("merchantId=m-1&merchantId=m-1"), twice);
    }
}
