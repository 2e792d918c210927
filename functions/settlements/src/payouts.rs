//! `GET /api/bff/payouts`: what the merchant is owed, and its payouts, latest first.

use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::StoreError;
use shared::http::{Authorized, CursorError, Data, Description, Query, UtcTime, examples, permission};
use shared::merchants::model::merchant::Merchant;
use shared::payouts::{NotPayable, Payout, PayoutFilter, PayoutState};
use shared::projections::outlook::{Outlook, outlook};
use shared::values::{Currency, Minor, PayoutId};
use utoipa::ToSchema;

const DEFAULT_LIMIT: u16 = 20;
const MAX_LIMIT: u16 = 100;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MerchantPayouts)]
pub(crate) struct PageView {
    /// What a payout run would and would not pay now, in the merchant's own currency and in any other in which it is owed money.
    outlook: Vec<OutlookView>,
    /// The payouts of the page, newest first, without cancelled ones.
    payouts: Vec<PayoutView>,
    /// The `cursor` of the next page; null on the last one. A page can be shorter than `limit` although more follow.
    next: Option<PayoutId>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutOutlook)]
struct OutlookView {
    /// ISO 4217 code of the amounts.
    currency: Currency,
    /// The net amount that is eligible and not held, in minor units.
    payable_minor: Minor,
    /// The net amount that becomes eligible later and is not held, in minor units.
    later_minor: Minor,
    /// When the first of `laterMinor` becomes eligible. Null if there is none.
    next_eligible_at: Option<UtcTime>,
    /// The net amount in payouts that are not paid yet, in minor units.
    in_progress_minor: Minor,
    /// The net amount that is held, eligible or not, in minor units.
    held_minor: Minor,
    /// Why nothing is paid out: the status of the merchant, or a change of its identity that the platform has not reviewed. Null
    /// if there is no reason.
    blocked: Option<Blocked>,
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = PayoutBlocked)]
enum Blocked {
    Status,
    IdentityChanged,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MerchantPayout)]
pub(crate) struct PayoutView {
    /// The id of the payout: 32 characters, which the bank transfer can carry.
    id: PayoutId,
    /// ISO 4217 code of all its settlements.
    currency: Currency,
    /// The sum of the net amounts of its settlements, in minor units of `currency`. Null while settlements join.
    net_amount_minor: Option<Minor>,
    /// The number of settlements. Null while settlements join.
    count: Option<u64>,
    /// `PAID` once the platform has confirmed the payment.
    status: PayoutProgress,
    /// When the first settlements joined it.
    created_at: UtcTime,
    /// When the payment was confirmed. Null before.
    paid_at: Option<UtcTime>,
    /// The reference of the payment. Null before.
    reference: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum PayoutProgress {
    InProgress,
    Paid,
}

impl From<NotPayable> for Blocked {
    fn from(reason: NotPayable) -> Self {
        match reason {
            NotPayable::Status => Self::Status,
            NotPayable::IdentityChanged => Self::IdentityChanged,
        }
    }
}

impl OutlookView {
    fn new(outlook: Outlook, merchant: &Merchant) -> Self {
        Self {
            currency: outlook.currency,
            payable_minor: outlook.payable,
            later_minor: outlook.later,
            next_eligible_at: outlook.next_eligible_at.map(UtcTime),
            in_progress_minor: outlook.in_progress,
            held_minor: outlook.held,
            blocked: merchant.not_payable().map(Blocked::from),
        }
    }
}

impl PayoutView {
    pub(crate) fn new(payout: &Payout) -> Self {
        let decided = payout.decided();
        Self {
            id: payout.id.clone(),
            currency: payout.currency,
            net_amount_minor: payout.is_sealed().then_some(payout.net()),
            count: payout.is_sealed().then_some(payout.count()),
            status: match payout.state() {
                PayoutState::Paying { .. } | PayoutState::Paid { .. } => PayoutProgress::Paid,
                _ => PayoutProgress::InProgress,
            },
            created_at: payout.created_at.into(),
            paid_at: decided.at.map(UtcTime),
            reference: decided.reference.map(ToOwned::to_owned),
        }
    }
}

pub(crate) async fn payouts(
    caller: Authorized<permission::Payouts>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<PageView>, CursorError> {
    let merchant = &caller.merchant;
    let limit = usize::from(query.limit(DEFAULT_LIMIT, MAX_LIMIT));
    let cursor = query.cursor();
    let after = match cursor {
        Some(id) => Some(own_payout(&app, merchant, id).await?.ok_or(CursorError::Unknown)?),
        None => None,
    };
    let filter = PayoutFilter { merchant_id: Some(merchant.id.clone()), without_cancelled: true, ..PayoutFilter::default() };
    let currency = merchant.currency.unwrap_or(Currency::EUR);
    let (outlook, page) = tokio::try_join!(
        outlook(&app.store, merchant, currency, app.clock.now()),
        app.store.payouts(&filter, after.as_ref(), limit),
    )?;
    Ok(Data(PageView {
        outlook: outlook.into_iter().map(|outlook| OutlookView::new(outlook, merchant)).collect(),
        payouts: page.payouts.iter().map(PayoutView::new).collect(),
        next: page.next,
    }))
}

/// A payout of this merchant, paid or to be paid.
pub(crate) async fn own_payout(app: &App, merchant: &Merchant, id: &str) -> Result<Option<Payout>, StoreError> {
    let payout = app.store.payout(&PayoutId::new(id)).await?.map(|payout| payout.value);
    Ok(payout.filter(|payout| payout.merchant_id == merchant.id))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listMerchantPayouts",
        "List the merchant's payouts",
        "Returns what the merchant is owed, and its payouts, newest first. The amounts owed can lag a few seconds behind the \
         latest settlements.",
    )
    .query::<String>("cursor", "The `next` of the previous page.", false)
    .query::<i64>("limit", "1 to 100; default 20.", false)
    .success(
        "What is owed, and a page of payouts.",
        json!({
            "outlook": [{
                "currency": "SEK", "payableMinor": 1_240_050, "laterMinor": 96_500,
                "nextEligibleAt": "2026-01-16T09:12:00.000Z", "inProgressMinor": 0, "heldMinor": 0, "blocked": null,
            }],
            "payouts": [example()], "next": null,
        }),
    )
}

pub(crate) fn example() -> Value {
    json!({
        "id": examples::PAYOUT, "currency": "SEK", "netAmountMinor": 1_240_050, "count": 87, "status": "PAID",
        "createdAt": "2026-01-15T10:00:00.000Z", "paidAt": "2026-01-15T11:00:00.000Z", "reference": "SEPA-2026-01-15-7",
    })
}
