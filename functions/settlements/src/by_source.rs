//! `GET /api/bff/settlements/by-source`: how an order or a redemption is settled.

use axum::extract::State;
use serde::Serialize;
use shared::app::App;
use shared::domain::ids::{OrderId, RedemptionId, SettlementId};
use shared::domain::money::{Currency, Minor};
use shared::domain::settlement::{Settlement, SettlementStatus, Source};
use shared::http::access::{Authorized, may};
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Beside;

#[derive(Debug, Serialize)]
pub(crate) struct Found {
    settlement: Option<Outline>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
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
    caller: Authorized<may::Reports>,
    State(app): State<App>,
    query: Query,
) -> Result<Beside<Found>, Fault> {
    let source = source(&query).ok_or_else(|| Fault::invalid("orderId or redemptionId required"))?;
    let about = app.store.settlements_about(&caller.merchant.id, &source).await?;
    Ok(Beside(Found { settlement: source.settlement(about).map(Outline::of) }))
}

/// What the query asks about: the order where it names both.
fn source(query: &Query) -> Option<Source> {
    let id = |name| query.text(name).filter(|id| !id.trim().is_empty());
    let order = id("orderId").map(|id| Source::Order(OrderId::new(id)));
    order.or_else(|| id("redemptionId").map(|id| Source::Redemption(RedemptionId::new(id))))
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
