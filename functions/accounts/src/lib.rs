//! Accounts: sign-in, teams, tills, the administration of the platform, payouts and exports.

mod device;
mod email;
mod person;
mod request_code;
mod session;
mod sessions;
mod sign_in;
mod sign_out;
mod update_user;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// Returns the routes of this function.
pub fn routes() -> Routes {
    Routes::new("accounts", ErrorFormat::Nested)
        .guard_writes()
        .post("/api/auth/code", request_code::request_code)
        .described(request_code::describe)
        .post("/api/auth/session", sign_in::sign_in)
        .described(sign_in::describe)
        .get("/api/auth/session", session::get_session)
        .described(session::describe)
        .delete("/api/auth/session", sign_out::sign_out)
        .described(sign_out::describe)
        .patch("/api/auth/session/user", update_user::update_user)
        .described(update_user::describe)
        .get("/api/auth/sessions", sessions::list_sessions)
        .described(sessions::describe_list)
        .delete("/api/auth/sessions", sessions::end_sessions)
        .described(sessions::describe_end)
}
