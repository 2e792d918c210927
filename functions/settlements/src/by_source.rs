//! `GET /api/bff/settlements/by-source`: how an order or a redemption is settled.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::{OrderId, RedemptionId, SettlementId};
use shared::domain::money::{Currency, Minor};
use shared::domain::settlement::{Settlement, SettlementStatus, Source};
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Flattened;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SettlementFound)]
pub(crate) struct Found {
    settlement: Option<Outline>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SettlementOutline)]
struct Outline {
    id: SettlementId,
    status: SettlementStatus,
    net_amount_minor: Minor,
    currency: Currency,
    status_label: &'static str,
}

impl Outline {
    fn of(settlement: Settlement) -> Self {
        Self {
            id: settlement.id,
            status: settlement.status,
            net_amount_minor: settlement.net,
            currency: settlement.currency,
            status_label: settlement.status.label(),
        }
    }
}

/// `{ok, settlement}`: null where nothing is settled, only void settlements exist, or it is somebody else's. 400
/// without an id.
pub(crate) async fn settlement(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
    query: Query,
) -> Result<Flattened<Found>, Fault> {
    let source = source(&query).ok_or_else(|| Fault::invalid("orderId or redemptionId required"))?;
    let about = app.store.settlements_about(&caller.merchant.id, &source).await?;
    Ok(Flattened(Found { settlement: source.settlement(about).map(Outline::of) }))
}

/// What the query asks about: the order where it names both.
fn source(query: &Query) -> Option<Source> {
    let id = |name| query.text(name).filter(|id| !id.trim().is_empty());
    let order = id("orderId").map(|id| Source::Order(OrderId::new(id)));
    order.or_else(|| id("redemptionId").map(|id| Source::Redemption(RedemptionId::new(id))))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "Find a settlement",
        "How an order or a redemption is settled: null where nothing is, where every settlement is void, and where it \
         is somebody else's. One of the two ids is needed.",
    )
    .query::<OrderId>("orderId", "An order. Counts before `redemptionId`.", false)
    .query::<RedemptionId>("redemptionId", "A redemption.", false)
    .flattened::<Found>(
        "The settlement.",
        json!({"settlement": {
            "id": "s-1", "status": "PENDING", "netAmountMinor": 9650, "currency": "SEK",
            "statusLabel": "Pending payout",
        }}),
    )
    .refuses(400, "Both ids are missing or blank.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_wins_and_blank_is_missing() {
        let order = || Some(Source::Order(OrderId::new("o-1")));
        let redemption = || Some(Source::Redemption(RedemptionId::new("r-1")));
        for (query, expected) in [
            ("orderId=o-1", order()),
            ("redemptionId=r-1", redemption()),
            ("redemptionId=r-1&orderId=o-1", order()),
            ("orderId=&redemptionId=r-1", redemption()),
            ("orderId=%20&redemptionId=r-1", redemption()),
            ("orderId=", None),
            ("orderid=o-1", None),
            ("", None),
        ] {
            assert_eq!(source(&Query::parse(query)), expected, "{query}");
        }
    }
}
