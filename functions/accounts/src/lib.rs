//! Accounts: sign-in, teams, tills, the administration of the platform, payouts and exports.

mod decide_payout;
mod hold_settlement;
mod payout_file;
mod payouts;
mod session;
mod start_payouts;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// Returns the routes of this function.
pub fn routes() -> Routes {
    Routes::new("accounts", ErrorFormat::Nested)
        .guard_writes()
        .get("/api/auth/session", session::get_session)
        .described(session::describe)
        .post("/api/admin/payouts", start_payouts::start)
        .described(start_payouts::describe)
        .get("/api/admin/payouts", payouts::list)
        .described(payouts::describe)
        .patch("/api/admin/payouts/{id}", decide_payout::decide)
        .described(decide_payout::describe)
        .get("/api/admin/payouts/{id}/file", payout_file::presign)
        .described(payout_file::describe)
        .patch("/api/admin/settlements/{merchantId}/{id}", hold_settlement::hold)
        .described(hold_settlement::describe)
}
