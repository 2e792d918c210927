//! `GET /api/bff/merchant/stats`: an overview of sales that has nothing in it yet.

use serde::Serialize;
use shared::http::access::{IsForbidden, Linked};
use shared::http::reply::Data;

#[derive(Debug, Default, Serialize)]
pub(crate) struct Stats {
    series: [(); 0],
    totals: Totals,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Totals {
    total_revenue: u32,
    total_orders: u32,
    total_visits: u32,
    webshop_revenue: u32,
    widget_revenue: u32,
}

/// Nothing but zeros, whatever `days` says.
pub(crate) async fn stats(_: Linked<IsForbidden>) -> Data<Stats> {
    Data(Stats::default())
}
