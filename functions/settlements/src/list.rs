//! `GET /api/bff/settlements`: the merchant's settlements, paginated.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::db::{PageRequest, PageStart};
use shared::http::{Authorized, Description, Flattened, General, Query, permission};
use shared::projections::lists;
use shared::settlements::view::SettlementRow;
use utoipa::ToSchema;

const DEFAULT_LIMIT: i64 = 50;
const MAX_LIMIT: i64 = 200;

/// Parses `after`, `skip` and `take`. Invalid values get the default; `take` is limited to `MAX_LIMIT`.
fn page_request(query: &Query) -> PageRequest {
    let limit = query.whole_number("take").filter(|take| *take >= 1).unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let offset = query.whole_number("skip").unwrap_or(0).max(0);
    PageRequest {
        start: PageStart::new(query.text("after"), usize::try_from(offset).unwrap_or(usize::MAX)),
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettlementPage {
    /// Latest `eligibleAt` first.
    rows: Vec<SettlementRow>,
    /// Number of settlements in the whole list.
    total: usize,
    /// The `after` of the next page. Null on the last one.
    next_cursor: Option<String>,
}

/// Returns the settlements of the merchant's settlement mode without void ones, latest `eligibleAt` first.
pub(crate) async fn settlements(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
    query: Query,
) -> Result<Flattened<SettlementPage>, General> {
    let (request, now) = (page_request(&query), app.clock.now());
    let page = lists::settlements(&app.store, &caller.merchant, &request, now).await?;
    Ok(Flattened(SettlementPage {
        rows: page.rows.into_iter().map(SettlementRow::new).collect(),
        total: page.total,
        next_cursor: page.next.map(|next| next.to_string()),
    }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listSettlements",
        "List settlements",
        "Returns the settlements of the merchant's settlement mode, latest `eligibleAt` first. Void settlements are \
         excluded. Invalid query parameters are ignored, and numbers are clamped to their bounds.",
    )
    .query::<i64>("skip", "Number of settlements to skip. Defaults to 0.", false)
    .query::<i64>("take", "Maximum number of settlements to return, from 1 to 200. Defaults to 50.", false)
    .query::<String>(
        "after",
        "The `nextCursor` of the previous page. Paging by cursor shows each settlement once, even while settlements are added. \
         Takes precedence over `skip`. An empty or invalid cursor starts at the beginning of the list.",
        false,
    )
    .success("A page of settlements.", json!({"rows": [SettlementRow::example()], "total": 1, "nextCursor": null}))
}
