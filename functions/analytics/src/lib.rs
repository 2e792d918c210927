//! Analytics: a merchant's last days, and the days before them to compare with.

mod fraud;
mod overview;
mod period;
mod redemptions;
mod sales;
mod split;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("analytics", ErrorFormat::Flat)
        .get("/api/bff/analytics/overview", overview::overview)
        .described(overview::describe)
        .get("/api/bff/analytics/sales", sales::sales)
        .described(sales::describe)
        .get("/api/bff/analytics/redemptions", redemptions::redemptions)
        .described(redemptions::describe)
        .get("/api/bff/analytics/fraud", fraud::fraud)
        .described(fraud::describe)
}
