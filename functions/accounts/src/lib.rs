//! Accounts: sign-in, teams, tills, the administration of the platform, payouts and exports.

mod administration;
mod session;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

use administration::{change_merchant, merchant, merchants};

/// Returns the routes of this function.
pub fn routes() -> Routes {
    Routes::new("accounts", ErrorFormat::Nested)
        .guard_writes()
        .get("/api/auth/session", session::get_session)
        .described(session::describe)
        .get("/api/admin/merchants", merchants::merchants)
        .described(merchants::describe)
        .get("/api/admin/merchants/{id}", merchant::merchant)
        .described(merchant::describe)
        .patch("/api/admin/merchants/{id}", change_merchant::change_merchant)
        .described(change_merchant::describe)
}
