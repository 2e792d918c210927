//! `GET /api/bff/settlements/by-source`: the settlement of an order or a redemption.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Authorized, Description, Flattened, Query, examples, permission};
use shared::settlements::model::settlement::{HeldBecause, Settlement, SettlementStatus, Source};
use shared::values::{Currency, Minor, OpenEnum, OrderId, RedemptionId, SettlementId};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettlementBySource {
    /// The settlement that is not void. Null if the source has none.
    settlement: Option<SettlementOutline>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SettlementOutline {
    /// The id of the settlement.
    id: SettlementId,
    /// `PENDING`, then `IN_BATCH` once it has joined a payout, then `PAID`.
    #[schema(value_type = SettlementStatus)]
    status: OpenEnum<SettlementStatus>,
    /// The gross amount less the fees, in minor units of `currency`.
    net_amount_minor: Minor,
    /// ISO 4217 code of the amount.
    currency: Currency,
    /// The status in words, such as `Pending payout`.
    status_label: String,
    /// Why it is held, and not paid out. Null if it is not held.
    #[schema(value_type = Option<HeldBecause>)]
    held_because: Option<OpenEnum<HeldBecause>>,
}

impl SettlementOutline {
    fn new(settlement: Settlement) -> Self {
        Self {
            held_because: settlement.held_because().cloned(),
            id: settlement.id,
            status_label: settlement.status.label(SettlementStatus::label).to_owned(),
            status: settlement.status,
            net_amount_minor: settlement.net,
            currency: settlement.currency,
        }
    }
}

endpoint_error! {
    pub(crate) enum BySourceError {
        /// Both ids are missing or blank.
        NoSource => 400 INVALID_REQUEST "orderId or redemptionId required",
    }
}

/// Returns a null settlement if the merchant has none for the source or only void ones.
pub(crate) async fn settlement(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
    query: Query,
) -> Result<Flattened<SettlementBySource>, BySourceError> {
    let source = source(&query).ok_or(BySourceError::NoSource)?;
    let candidates = app.store.settlements_by_source(&caller.merchant.id, &source).await?;
    let settlement = source.preferred_settlement(candidates).map(SettlementOutline::new);
    Ok(Flattened(SettlementBySource { settlement }))
}

/// Parses the source. `orderId` takes precedence.
fn source(query: &Query) -> Option<Source> {
    let id = |name| query.text(name).filter(|id| !id.trim().is_empty());
    let order = id("orderId").map(|id| Source::Order(OrderId::new(id)));
    order.or_else(|| id("redemptionId").map(|id| Source::Redemption(RedemptionId::new(id))))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getSettlementBySource",
        "Get a settlement by source",
        "Returns the settlement of an order or a redemption, or null if the merchant has none or only void ones. One \
         of the two ids is required.",
    )
    .query::<OrderId>("orderId", "The id of an order. Takes precedence over `redemptionId`.", false)
    .query::<RedemptionId>("redemptionId", "The id of a redemption.", false)
    .success(
        "The settlement.",
        json!({"settlement": {
            "id": examples::SETTLEMENT, "status": "PENDING", "netAmountMinor": 9650, "currency": "SEK",
            "statusLabel": "Pending payout", "heldBecause": null,
        }}),
    )
}
