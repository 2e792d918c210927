//! Settlements: amounts owed and paid to the merchant.

mod by_source;
mod list;
mod summary;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// Returns the routes of the settlements API.
pub fn routes() -> Routes {
    Routes::new("settlements", ErrorFormat::Coded)
        .get("/api/bff/settlements", list::settlements)
        .described(list::describe)
        .get("/api/bff/settlements/summary", summary::summary)
        .described(summary::describe)
        .get("/api/bff/settlements/by-source", by_source::settlement)
        .described(by_source::describe)
}
