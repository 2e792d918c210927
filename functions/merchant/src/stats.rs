//! `GET /api/bff/merchant/stats`: an overview of sales that has nothing in it yet.

use serde::Serialize;
use serde_json::json;
use shared::http::access::{HasMerchant, OrForbidden};
use shared::http::description::{Anything, Description};
use shared::http::reply::Data;
use utoipa::ToSchema;

#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Stats {
    /// Always empty.
    #[schema(value_type = Vec<Anything>, max_items = 0)]
    series: [(); 0],
    totals: Totals,
}

#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StatsTotals)]
struct Totals {
    total_revenue: u32,
    total_orders: u32,
    total_visits: u32,
    webshop_revenue: u32,
    widget_revenue: u32,
}

/// Nothing but zeros, whatever `days` says.
pub(crate) async fn stats(_: HasMerchant<OrForbidden>) -> Data<Stats> {
    Data(Stats::default())
}
pub(crate) fn describe() -> Description {
    Description::new("Sales at a glance", "Nothing but zeros so far, whatever `days` says.")
        .query::<i64>("days", "Makes no difference.", false)
        .data::<Stats>("The figures.", json!(Stats::default()))
}
