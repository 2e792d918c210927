//! `GET /api/admin/payouts`: payouts of all merchants, newest first.

pub(crate) mod decide;
pub(crate) mod file;
pub(crate) mod payout;
pub(crate) mod preview;
pub(crate) mod run;
pub(crate) mod start;

use std::collections::BTreeSet;
use std::iter;

use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{StoreError, Stored};
use shared::endpoint_error;
use shared::http::{CursorError, Data, Description, PathIds, PlatformAdministrator, Query, UtcTime, examples};
use shared::merchants::model::merchant::{MerchantEntry, MerchantStatus};
use shared::payouts::{Payout, PayoutFilter, PayoutStatus};
use shared::values::{Currency, MerchantId, Minor, OpenEnum, PayoutId, PayoutRunId, UserId};
use utoipa::ToSchema;

use crate::people::{self, Person, people};

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 200;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Payout)]
pub(crate) struct PayoutView {
    /// 32 characters, so that it fits the end-to-end id of a bank transfer.
    id: PayoutId,
    /// The run that made the payout.
    run_id: PayoutRunId,
    /// The merchant to be paid.
    merchant_id: MerchantId,
    /// The name of the merchant that the portal shows. Empty if the merchant cannot be read.
    merchant_name: String,
    /// The status of the merchant now. Only one that is `ACTIVE` or `INACTIVE` can be paid. Null if it cannot be read.
    #[schema(value_type = Option<MerchantStatus>)]
    merchant_status: Option<OpenEnum<MerchantStatus>>,
    /// ISO 4217 code of all its settlements.
    currency: Currency,
    /// The sum of the net amounts of its settlements, in minor units of `currency`. Null while settlements join.
    net_amount_minor: Option<Minor>,
    /// The number of settlements. Null while settlements join.
    count: Option<u64>,
    /// `BUILDING` while settlements join, `IN_BATCH` until a decision, then on the way to `PAID` or `CANCELLED`.
    #[schema(value_type = PayoutStatus)]
    status: OpenEnum<PayoutStatus>,
    /// The id of the platform administrator who started the run.
    created_by: UserId,
    /// When the first settlements joined it.
    created_at: UtcTime,
    /// The id of the platform administrator who decided. Null before the decision, and if there was nothing to pay.
    closed_by: Option<UserId>,
    /// When it was decided, or found to have nothing to pay. Null before.
    closed_at: Option<UtcTime>,
    /// The reference of the payment, as given when it was confirmed. Null unless it is paid.
    reference: Option<String>,
}

impl PayoutView {
    fn new(payout: &Payout, merchant: Option<&MerchantEntry>) -> Self {
        let decided = payout.decided();
        Self {
            id: payout.id.clone(),
            run_id: payout.run_id.clone(),
            merchant_id: payout.merchant_id.clone(),
            merchant_name: merchant.map(|merchant| merchant.name.clone()).unwrap_or_default(),
            merchant_status: merchant.map(|merchant| merchant.status.clone()),
            currency: payout.currency,
            net_amount_minor: payout.is_sealed().then_some(payout.net()),
            count: payout.is_sealed().then_some(payout.count()),
            status: payout.status(),
            created_by: payout.created_by.clone(),
            created_at: payout.created_at.into(),
            closed_by: decided.by.cloned(),
            closed_at: decided.at.map(UtcTime),
            reference: decided.reference.map(ToOwned::to_owned),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PayoutPage)]
pub(crate) struct PageView {
    /// The payouts of the page, newest first.
    payouts: Vec<PayoutView>,
    /// Who started and decided them.
    people: Vec<Person>,
    /// The `cursor` of the next page; null on the last one. A page can be shorter than `limit` although more follow.
    next: Option<PayoutId>,
}

pub(crate) async fn list(
    _administrator: PlatformAdministrator,
    State(app): State<App>,
    query: Query,
) -> Result<Data<PageView>, CursorError> {
    let filter = PayoutFilter {
        run_id: query.non_blank("runId").map(PayoutRunId::new),
        merchant_id: query.non_blank("merchantId").map(MerchantId::new),
        status: query.one_of("status"),
        without_cancelled: false,
    };
    let limit = usize::from(query.limit(DEFAULT_LIMIT, MAX_LIMIT));
    let after = match query.cursor() {
        Some(cursor) => {
            let payout = app.store.payout(&PayoutId::new(cursor)).await?;
            Some(payout.ok_or(CursorError::Unknown)?)
        }
        None => None,
    };
    let page = app.store.payouts(&filter, after.as_deref(), limit).await?;
    let people = people(&app, page.payouts.iter().flat_map(by)).await?;
    Ok(Data(PageView { payouts: views(&app, &page.payouts).await?, people, next: page.next }))
}

/// Who started and decided a payout.
pub(crate) fn by(payout: &Payout) -> impl Iterator<Item = &UserId> {
    iter::once(&payout.created_by).chain(payout.decided().by)
}

/// Payouts with their merchants, which are read together.
async fn views(app: &App, payouts: &[Payout]) -> Result<Vec<PayoutView>, StoreError> {
    let ids = payouts.iter().map(|payout| &payout.merchant_id).collect();
    let merchants = app.store.merchant_entries(&ids).await?;
    Ok(payouts.iter().map(|payout| PayoutView::new(payout, merchants.get(&payout.merchant_id))).collect())
}

/// A payout with its merchant.
pub(crate) async fn view(app: &App, payout: &Payout) -> Result<PayoutView, StoreError> {
    let merchants = app.store.merchant_entries(&BTreeSet::from([&payout.merchant_id])).await?;
    Ok(PayoutView::new(payout, merchants.get(&payout.merchant_id)))
}

endpoint_error! {
    pub(crate) enum PayoutOfPathError {
        /// There is no such payout.
        NoSuchPayout => 404 NOT_FOUND "There is no such payout.",
    }
}

pub(crate) async fn payout_of_path(app: &App, path: &PathIds) -> Result<Stored<Payout>, PayoutOfPathError> {
    let id = PayoutId::new(path.get("id").unwrap_or_default());
    app.store.payout(&id).await?.ok_or(PayoutOfPathError::NoSuchPayout)
}

pub(crate) fn describe() -> Description {
    Description::new("listPayouts", "List payouts", "Returns payouts of all merchants, newest first.")
        .query::<String>("runId", "Only payouts of this run.", false)
        .query::<String>("merchantId", "Only payouts of this merchant.", false)
        .query::<PayoutStatus>("status", "Only payouts with this status.", false)
        .query::<String>("cursor", "The `next` of the previous page.", false)
        .query::<i64>("limit", "1 to 200; default 50.", false)
        .success("The payouts.", json!({"payouts": [example()], "people": [people::example()], "next": null}))
}

pub(crate) fn example() -> Value {
    json!({
        "id": examples::PAYOUT, "runId": examples::PAYOUT_RUN, "merchantId": examples::MERCHANT,
        "merchantName": "Aurora Coffee", "merchantStatus": "ACTIVE", "currency": "SEK", "netAmountMinor": 1_240_050, "count": 87, "status": "PAYING", "createdBy": examples::ADMINISTRATOR,
        "createdAt": "2026-01-15T10:00:00.000Z", "closedBy": examples::SECOND_ADMINISTRATOR,
        "closedAt": "2026-01-15T11:00:00.000Z", "reference": "SEPA-2026-01-15-7",
    })
}
