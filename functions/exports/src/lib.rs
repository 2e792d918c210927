//! CSV files and workbooks of orders, redemptions and settlements.

mod create_export;
mod export;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("exports", ErrorFormat::Nested)
        .guard_writes()
        .post("/api/bff/exports", create_export::create)
        .described(create_export::describe)
        .get("/api/bff/exports/{id}", export::get)
        .described(export::describe)
}
