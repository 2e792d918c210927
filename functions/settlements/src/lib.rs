//! Settlements: what is owed to the merchant, and what was paid.

mod by_source;
mod list;
mod summary;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("settlements", ErrorFormat::Coded)
        .get("/api/bff/settlements", list::settlements)
        .described(list::describe)
        .get("/api/bff/settlements/summary", summary::summary)
        .described(summary::describe)
        .get("/api/bff/settlements/by-source", by_source::settlement)
        .described(by_source::describe)
}
