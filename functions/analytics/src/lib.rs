//! Analytics: reports on a merchant's recent days, compared with the preceding period.

mod fraud;
mod overview;
mod period;
mod redemptions;
mod sales;
mod split;

use shared::http::{ErrorFormat, Routes};

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
