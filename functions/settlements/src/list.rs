//! `GET /api/bff/settlements`: the merchant's settlements, paginated.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Flattened;
use shared::http::settlement_row::{self, SettlementRow};
use shared::projections::lists;
use shared::store::pages::PageRequest;
use utoipa::ToSchema;

const DEFAULT_LIMIT: i64 = 50;
const MAX_LIMIT: i64 = 200;

/// Parses `skip` and `take`. Invalid values get the default; `take` is limited to `MAX_LIMIT`.
fn page_request(query: &Query) -> PageRequest {
    let limit = query.whole_number("take").filter(|take| *take >= 1).unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let offset = query.whole_number("skip").unwrap_or(0).max(0);
    PageRequest {
        offset: usize::try_from(offset).unwrap_or(usize::MAX),
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SettlementPage {
    /// Latest `eligibleAt` first.
    rows: Vec<SettlementRow>,
    /// Number of settlements in the whole list.
    total: usize,
}

/// Returns the settlements of the merchant's settlement mode without void ones, latest `eligibleAt` first.
pub(crate) async fn settlements(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
    query: Query,
) -> Result<Flattened<SettlementPage>, Fault> {
    let page = lists::settlements(&app.store, &caller.merchant, page_request(&query)).await?;
    let rows = page.rows.into_iter().map(SettlementRow::new).collect();
    Ok(Flattened(SettlementPage { rows, total: page.total }))
}

pub(crate) fn describe() -> Description {
    Description::new("listSettlements", 
        "List settlements",
        "Returns the settlements of the merchant's settlement mode, latest `eligibleAt` first. Void settlements are \
         excluded. Invalid query parameters are ignored, and numbers are clamped to their bounds.",
    )
    .query::<i64>("skip", "Number of settlements to skip. Defaults to 0.", false)
    .query::<i64>("take", "Maximum number of settlements to return, from 1 to 200. Defaults to 50.", false)
    .success("A page of settlements.", json!({"rows": [settlement_row::example()], "total": 1}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamps_skip_and_take() {
        for (query, offset, limit) in [
            ("", 0, 50),
            ("skip=3&take=7", 3, 7),
            ("take=1", 0, 1),
            ("take=0", 0, 50),
            ("take=-5", 0, 50),
            ("take=200", 0, 200),
            ("take=201", 0, 200),
            ("take=99999999999999999999", 0, 200),
            ("skip=-1", 0, 50),
            ("skip=-99999999999999999999", 0, 50),
            ("skip=two&take=many", 0, 50),
            ("skip=1.5&take=", 0, 50),
        ] {
            assert_eq!(page_request(&Query::parse(query)), PageRequest { offset, limit }, "{query}");
        }
    }
}
