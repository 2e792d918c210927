//! `GET /api/admin/payouts/preview`: what a payout run would make and leave out now.

use std::time::Duration;

use axum::extract::State;
use futures_util::future::try_join_all;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::endpoint_error;
use shared::http::{Data, Description, Invalid, OwnMerchant, PlatformAdministrator, Query, examples};
use shared::payouts::{self, PlannedPayout};
use shared::values::{Currency, MerchantId, Minor, PayoutRunId};
use utoipa::ToSchema;

use crate::payouts::run::{LeftOutView, left_out_example};
use crate::payouts::start::{Body, Request};

/// Merchants whose settlements are added up at once.
const MERCHANTS_AT_ONCE: u16 = 10;
/// Merchants in one response.
const MAX_MERCHANTS: u16 = 500;
/// No more merchants are looked at with less time left than this.
const MIN_TIME_LEFT: Duration = Duration::from_secs(4);

#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutPreview)]
pub(crate) struct PreviewView {
    /// The payouts that a run would make. Settlements of cards that the merchant sold at its own till can still be held instead
    /// of joining.
    payouts: Vec<PreviewedPayout>,
    /// Settlements that are eligible and would be in no payout, by merchant, currency and reason.
    left_out: Vec<LeftOutView>,
    /// The `cursor` that continues the preview with further merchants; null after the last one.
    next: Option<MerchantId>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PreviewedPayout)]
struct PreviewedPayout {
    /// The merchant to be paid.
    merchant_id: MerchantId,
    /// The name of the merchant that the portal shows.
    merchant_name: String,
    /// ISO 4217 code of all its settlements.
    currency: Currency,
    /// The number of settlements. Null if there are more than 100,000, or one cannot be read.
    count: Option<u64>,
    /// The sum of their net amounts, in minor units of `currency`. Null if there are more than 100,000, or one cannot be read.
    net_amount_minor: Option<Minor>,
}

endpoint_error! {
    pub(crate) enum PreviewPayoutsError {
        /// A parameter is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "merchantId: must be the id of a merchant.",
        OwnMerchant(#[from] OwnMerchant),
    }
}

/// Writes nothing.
pub(crate) async fn preview(
    administrator: PlatformAdministrator,
    State(app): State<App>,
    invocation: Invocation,
    query: Query,
) -> Result<Data<PreviewView>, PreviewPayoutsError> {
    let parameter = |name| query.non_blank(name).map(ToOwned::to_owned);
    let body = Body {
        merchant_id: parameter("merchantId"),
        currency: parameter("currency"),
        eligible_before: parameter("eligibleBefore"),
    };
    let request = Request::check(&app, body).await??;
    if let Some(merchant) = &request.merchant_id {
        administrator.require_other(&app, merchant).await?;
    }
    let run = request.run(PayoutRunId::new(""), String::new(), &administrator.user, app.clock.now());
    let mut preview = PreviewView::default();
    let mut after = query.cursor().map(MerchantId::new);
    for _ in 0..MAX_MERCHANTS.div_ceil(MERCHANTS_AT_ONCE) {
        let (merchants, others_follow) = app.store.merchants_of_run(&run, after.as_ref(), MERCHANTS_AT_ONCE).await?;
        let plans = merchants.iter().cloned().map(|merchant| {
            let (store, run) = (&app.store, &run);
            async move { payouts::preview(store, run, &merchant).await }
        });
        for plan in try_join_all(plans).await? {
            preview.payouts.extend(plan.payouts.into_iter().map(PreviewedPayout::from));
            preview.left_out.extend(plan.left_out.into_iter().map(LeftOutView::from));
        }
        after = merchants.into_iter().next_back().filter(|_| others_follow);
        if after.is_none() || invocation.time_left() < MIN_TIME_LEFT {
            break;
        }
    }
    preview.next = after;
    Ok(Data(preview))
}

impl From<PlannedPayout> for PreviewedPayout {
    fn from(planned: PlannedPayout) -> Self {
        Self {
            merchant_id: planned.merchant_id,
            merchant_name: planned.merchant_name,
            currency: planned.currency,
            count: planned.owed.map(|owed| owed.count),
            net_amount_minor: planned.owed.map(|owed| owed.net),
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "previewPayouts",
        "Preview a payout run",
        "Returns which payouts a run would create and what it would leave out now, without changing anything. With many \
         merchants, the result spans several responses; only the last one has no `next`.",
    )
    .query::<String>("merchantId", "Only this merchant. Default: all merchants.", false)
    .query::<String>("currency", "An ISO 4217 code. Default: all currencies.", false)
    .query::<String>(
        "eligibleBefore",
        "Only settlements that are eligible before this time, which must not be later than now. Default: now.",
        false,
    )
    .query::<String>("cursor", "The `next` of the previous response.", false)
    .success(
        "The payouts that a run would create, and what it would leave out.",
        json!({
            "payouts": [{
                "merchantId": examples::MERCHANT, "merchantName": "Aurora Coffee", "currency": "EUR", "count": 87,
                "netAmountMinor": 1_240_050,
            }],
            "leftOut": [left_out_example()], "next": null,
        }),
    )
}
