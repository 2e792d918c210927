//! Settlements: amounts owed and paid to the merchant, and the payouts that pay them.

mod by_source;
mod list;
mod outstanding;
mod payout;
mod payout_file;
mod payouts;
mod summary;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("settlements", ErrorFormat::Coded)
        .get("/api/bff/settlements", list::settlements)
        .described(list::describe)
        .get("/api/bff/settlements/summary", summary::summary)
        .described(summary::describe)
        .get("/api/bff/settlements/by-source", by_source::settlement)
        .described(by_source::describe)
        .with_error_format(ErrorFormat::Nested, |routes| {
            routes
                .get("/api/bff/settlements/outstanding", outstanding::outstanding)
                .described(outstanding::describe)
                .get("/api/bff/payouts", payouts::payouts)
                .described(payouts::describe)
                .get("/api/bff/payouts/{id}", payout::payout)
                .described(payout::describe)
                .get("/api/bff/payouts/{id}/file", payout_file::presign)
                .described(payout_file::describe)
        })
}
