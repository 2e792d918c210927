//! Accounts: sign-in, teams, tills, the administration of the platform, payouts and exports.

mod create_export;
mod export;
mod session;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// Returns the routes of this function.
pub fn routes() -> Routes {
    Routes::new("accounts", ErrorFormat::Nested)
        .guard_writes()
        .get("/api/auth/session", session::get_session)
        .described(session::describe)
        .post("/api/bff/exports", create_export::create)
        .described(create_export::describe)
        .get("/api/bff/exports/{id}", export::get)
        .described(export::describe)
}
