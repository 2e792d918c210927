//! Sign-in, sessions, teams and tills.

mod abandon_merchant;
mod accept_invite;
mod browser;
mod confirm_invite;
mod device;
mod email;
mod found_merchant;
mod invite;
mod keys;
mod own_invite;
mod pair_till;
mod person;
mod remove_member;
mod request_code;
mod resend_invite;
mod session;
mod sessions;
mod sign_in;
mod sign_out;
mod till;
mod tills;
mod update_user;
mod withdraw_invite;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;
use shared::limits::model::{PAIRING_ATTEMPTS, SIGN_IN_CODES_OF_CLIENT};

/// Returns the routes of this function.
pub fn routes() -> Routes {
    Routes::new("accounts", ErrorFormat::Nested)
        .guard_writes()
        .post("/api/auth/code", request_code::request_code)
        .described(request_code::describe)
        // Public, as all with a limit here. The function counts codes by address and client itself.
        .throttled(20, 40)
        .counted_per_client(SIGN_IN_CODES_OF_CLIENT)
        .post("/api/auth/session", sign_in::sign_in)
        .described(sign_in::describe)
        .throttled(20, 40)
        .get("/api/auth/session", session::get_session)
        .described(session::describe)
        .throttled(100, 200)
        .delete("/api/auth/session", sign_out::sign_out)
        .described(sign_out::describe)
        .throttled(20, 40)
        .patch("/api/auth/session/user", update_user::update_user)
        .described(update_user::describe)
        .get("/api/auth/sessions", sessions::list_sessions)
        .described(sessions::describe_list)
        .delete("/api/auth/sessions", sessions::end_sessions)
        .described(sessions::describe_end)
        .post("/api/auth/merchant", found_merchant::found_merchant)
        .described(found_merchant::describe)
        .delete("/api/auth/merchant", abandon_merchant::abandon_merchant)
        .described(abandon_merchant::describe)
        .post("/api/auth/invites", invite::create_invite)
        .described(invite::describe)
        .post("/api/auth/invites/{challengeId}/verification", confirm_invite::confirm_invite)
        .described(confirm_invite::describe)
        .post("/api/auth/invites/{challengeId}/resend", resend_invite::resend_invite)
        .described(resend_invite::describe)
        .delete("/api/auth/invites/{challengeId}", withdraw_invite::withdraw_invite)
        .described(withdraw_invite::describe)
        .post("/api/auth/invites/{challengeId}/acceptance", accept_invite::accept_invite)
        .described(accept_invite::describe)
        .get("/api/auth/tills", tills::list_tills)
        .described(tills::describe_list)
        .post("/api/auth/tills", tills::create_till)
        .described(tills::describe_create)
        .post("/api/auth/tills/pairing", pair_till::pair_till)
        .described(pair_till::describe)
        .throttled(20, 40)
        .counted_per_client(PAIRING_ATTEMPTS)
        .post("/api/auth/tills/{id}/pairing", till::renew_pairing_code)
        .described(till::describe_pairing)
        .delete("/api/auth/tills/{id}", till::revoke_till)
        .described(till::describe_revoke)
        .get("/api/auth/keys", keys::list::list_keys)
        .described(keys::list::describe)
        .post("/api/auth/keys", keys::create::create_key)
        .described(keys::create::describe)
        .post("/api/auth/keys/{id}/rotation", keys::rotate::rotate_key)
        .described(keys::rotate::describe)
        .delete("/api/auth/keys/{id}", keys::revoke::revoke_key)
        .described(keys::revoke::describe)
        .delete("/api/auth/members/{userId}", remove_member::remove_member)
        .described(remove_member::describe)
}
