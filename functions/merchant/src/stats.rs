//! `GET /api/bff/merchant/stats`: placeholder for a sales overview.

use serde::Serialize;
use serde_json::json;
use shared::http::{Anything, Data, Description, HasMerchant};
use utoipa::ToSchema;

#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Stats {
    /// Always empty.
    #[schema(value_type = Vec<Anything>, max_items = 0)]
    series: [(); 0],
    /// Totals that are not computed yet.
    totals: Totals,
}

#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StatsTotals)]
struct Totals {
    /// Always 0. The sales report has the revenue.
    total_revenue: u32,
    /// Always 0. The overview has the number of orders.
    total_orders: u32,
    /// Always 0. The overview has the number of visits.
    total_visits: u32,
    /// Always 0. Revenue is not broken down by channel.
    webshop_revenue: u32,
    /// Always 0. Revenue is not broken down by channel.
    widget_revenue: u32,
}

/// Returns zeros. `days` is ignored.
pub(crate) async fn get_stats(_: HasMerchant) -> Data<Stats> {
    Data(Stats::default())
}

pub(crate) fn describe() -> Description {
    Description::new("getStats", "Get sales statistics", "Not implemented yet: every total is 0.")
        .query::<i64>("days", "Ignored.", false)
        .success("The statistics.", json!(Stats::default()))
}
