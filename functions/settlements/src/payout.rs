//! `GET /api/bff/payouts/{id}`: a payout of the merchant with its settlements.

use axum::extract::State;
use serde::Serialize;
use serde_json::{Map, Value, json};
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, PathIds, Query, permission};
use shared::merchants::model::merchant::Merchant;
use shared::payouts::Payout;
use shared::settlements::view::SettlementRow;
use shared::values::SettlementId;
use utoipa::ToSchema;

use crate::payouts::{PayoutView, example, own_payout};

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 200;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MerchantPayoutDetail)]
pub(crate) struct DetailView {
    #[serde(flatten)]
    payout: PayoutView,
    /// The settlements of the page, by id.
    settlements: Vec<SettlementRow>,
    /// The `cursor` of the next page. Null on the last one.
    next: Option<SettlementId>,
}

endpoint_error! {
    pub(crate) enum PayoutOfPathError {
        /// The merchant has no such payout, or it was cancelled.
        NoSuchPayout => 404 NOT_FOUND "There is no such payout.",
    }
}

pub(crate) async fn payout(
    caller: Authorized<permission::Payouts>,
    State(app): State<App>,
    path: PathIds,
    query: Query,
) -> Result<Data<DetailView>, PayoutOfPathError> {
    let payout = payout_of_path(&app, &caller.merchant, &path).await?;
    let limit = usize::from(query.limit(DEFAULT_LIMIT, MAX_LIMIT));
    let cursor = query.cursor();
    // One more shows that another page follows.
    let wanted = u16::try_from(limit + 1).unwrap_or(u16::MAX);
    let joined = app.store.settlements_of_payout(&payout.id, cursor, wanted).await?;
    let has_next = joined.len() > limit;
    let ids: Vec<&SettlementId> = joined.iter().take(limit).map(|joined| &joined.settlement.id).collect();
    let next = ids.last().filter(|_| has_next).map(|id| (*id).clone());
    let mut settlements = app.store.settlements_by_id(&caller.merchant.id, &ids).await?;
    settlements.sort_by(|one, other| one.id.cmp(&other.id));
    let settlements = settlements.into_iter().map(|settlement| SettlementRow::new(settlement.value)).collect();
    Ok(Data(DetailView { payout: PayoutView::new(&payout), settlements, next }))
}

pub(crate) async fn payout_of_path(app: &App, merchant: &Merchant, path: &PathIds) -> Result<Payout, PayoutOfPathError> {
    let payout = own_payout(app, merchant, path.get("id").unwrap_or_default()).await?;
    payout.filter(|payout| !payout.is_cancelled()).ok_or(PayoutOfPathError::NoSuchPayout)
}

pub(crate) fn describe() -> Description {
    let page = json!({"settlements": [SettlementRow::example()], "next": null});
    let detail: Map<String, Value> = [example(), page]
        .iter()
        .filter_map(Value::as_object)
        .flatten()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    Description::new(
        "getMerchantPayout",
        "Get a payout",
        "Returns a payout of the merchant, with its settlements in the order of their ids.",
    )
    .query::<String>("cursor", "The `next` of the previous page.", false)
    .query::<i64>("limit", "Settlements of the page: 1 to 200; default 50.", false)
    .success("The payout.", Value::Object(detail))
}
