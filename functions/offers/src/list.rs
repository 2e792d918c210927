//! `GET /api/bff/offers`: the merchant's offers.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::best_effort::best_effort;
use shared::card_network::RawOffer;
use shared::domain::merchant::Merchant;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::normalised::{NormalisedOffer, example};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Offers {
    items: Vec<NormalisedOffer>,
}

/// `{items}`, in the network's order; none where the merchant has no account at the network.
///
/// Answers with whatever status the network fails with.
pub(crate) async fn offers(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
) -> Result<Data<Offers>, Fault> {
    let Some(account) = &caller.merchant.network_merchant_id else {
        return Ok(Data(Offers { items: Vec::new() }));
    };
    let offers = app.card_network().offers(&invocation, account).await;
    let offers = offers.map_err(|error| error.into_fault("The offers could not be read."))?;
    let items = offers.into_iter().filter_map(|raw| listed(&caller.merchant, raw)).collect();
    Ok(Data(Offers { items }))
}

/// One offer that does not read, or does not belong, leaves the others as they are.
fn listed(merchant: &Merchant, raw: RawOffer) -> Option<NormalisedOffer> {
    let offer = best_effort("an offer of the card network's list", NormalisedOffer::of(merchant, raw))?;
    if offer.is_none() {
        tracing::warn!("the card network listed an offer that is not the merchant's");
    }
    offer
}
pub(crate) fn describe() -> Description {
    Description::new(
        "List offers",
        "The merchant's offers, in the card network's order; none without an account there.",
    )
    .data::<Offers>("The offers.", json!({"items": [example()]}))
    .passes_on_the_network()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::domain::ids::{MerchantId, NetworkMerchantId};

    #[test]
    fn what_cannot_be_shown_is_left_out_alone() {
        let mut merchant = Merchant::new(MerchantId::new("m-1"));
        merchant.network_merchant_id = Some(NetworkMerchantId::new("1001"));
        let listed = [
            r#"{"id": 1, "merchantId": "1001"}"#,
            r#"{"merchantId": "1001", "name": "without an id"}"#,
            r#"{"id": 3, "merchantId": "1002"}"#,
            r#"{"id": 4, "merchantId": "1001"}"#,
        ]
        .map(|raw| listed(&merchant, serde_json::from_str(raw).unwrap()).is_some());
        assert_eq!(listed, [true, false, false, true]);
    }
}
