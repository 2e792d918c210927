//! `GET /api/bff/settlements/outstanding`: what is outstanding of the merchant's gift cards.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::{Authorized, Description, Flattened, General, Query, UtcTime, permission};
use shared::projections::model::reports::outstanding::OutstandingByCurrency;
use shared::projections::reports;
use utoipa::ToSchema;

const DEFAULT_MONTHS: u8 = 12;
const MAX_MONTHS: u8 = 36;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OutstandingReport {
    /// The merchant's own currency first (`EUR` if none is set), then each other one in which anything was issued or redeemed.
    currencies: Vec<OutstandingByCurrency>,
    /// The time of these figures. The last two minutes are counted on request; earlier figures lag about a second behind a
    /// change.
    as_of: UtcTime,
}

fn months(query: &Query) -> u8 {
    let months = query.whole_number("months").filter(|months| *months >= 1).unwrap_or(DEFAULT_MONTHS.into());
    u8::try_from(months).unwrap_or(MAX_MONTHS).min(MAX_MONTHS)
}

pub(crate) async fn outstanding(
    caller: Authorized<permission::Payouts>,
    State(app): State<App>,
    query: Query,
) -> Result<Flattened<OutstandingReport>, General> {
    let now = app.clock.now();
    let currencies = Box::pin(reports::outstanding(&app.store, &caller.merchant, months(&query), now)).await?;
    Ok(Flattened(OutstandingReport { currencies, as_of: now.into() }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getOutstanding",
        "Get the outstanding balance",
        "Returns the outstanding balance of the merchant's gift cards by the merchant's own records, by currency, and what was \
         issued and redeemed in each of the last months in its time zone. A card is counted by its own status, even if its order \
         was refunded or cancelled. A redemption is counted once it has succeeded, whatever the status of its settlement. \
         Outcomes that become known later are added to the month in which they happened. A card that was reloaded, has expired \
         or was changed at the card network, or that a restore has lost, can make a figure too high, too low or negative.",
    )
    .query::<i64>("months", "Number of months, from 1 to 36. Defaults to 12.", false)
    .success(
        "The outstanding balance.",
        json!({
            "currencies": [{
                "currency": "SEK",
                "outstandingMinor": 450_000,
                "months": [{
                    "month": "2026-11", "issuedMinor": 150_000, "issuedCount": 3, "redeemedMinor": 50_000, "redeemedCount": 2,
                    "givenBackMinor": 0, "outstandingMinor": 450_000,
                }],
                "redeemedOfOthersMinor": 20_000,
            }],
            "asOf": "2026-11-28T10:00:00.000Z",
        }),
    )
}
