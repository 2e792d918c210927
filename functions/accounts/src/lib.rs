//! Sign-in, sessions, teams and tills.

mod email;
mod invites;
mod keys;
mod members;
mod merchant;
mod passkeys;
mod person;
mod session;
mod tills;

use shared::http::{ErrorFormat, Routes};
use shared::limits::model::{PAIRING_ATTEMPTS, SIGN_IN_CODES_OF_CLIENT};

pub fn routes() -> Routes {
    Routes::new("accounts", ErrorFormat::Nested)
        .guard_writes()
        .post("/api/auth/code", session::request_code::request_code)
        .described(session::request_code::describe)
        // Public, as all with a limit here. The function counts codes by address and client itself.
        .throttled(20, 40)
        .counted_per_client(SIGN_IN_CODES_OF_CLIENT)
        .post("/api/auth/session", session::sign_in::sign_in)
        .described(session::sign_in::describe)
        .throttled(20, 40)
        .get("/api/auth/session", session::get_session)
        .described(session::describe)
        .throttled(100, 200)
        .delete("/api/auth/session", session::sign_out::sign_out)
        .described(session::sign_out::describe)
        .throttled(20, 40)
        .patch("/api/auth/session/user", session::update_user::update_user)
        .described(session::update_user::describe)
        .get("/api/auth/sessions", session::list::list_sessions)
        .described(session::list::describe_list)
        .delete("/api/auth/sessions", session::list::end_sessions)
        .described(session::list::describe_end)
        .delete("/api/auth/sessions/{id}", session::end::end_session)
        .described(session::end::describe)
        .post("/api/auth/passkeys/challenge", passkeys::challenge::passkey_challenge)
        .described(passkeys::challenge::describe)
        .throttled(100, 200)
        .post("/api/auth/passkeys/options", passkeys::options::passkey_options)
        .described(passkeys::options::describe)
        .get("/api/auth/passkeys", passkeys::list::list_passkeys)
        .described(passkeys::list::describe)
        .post("/api/auth/passkeys", passkeys::add::add_passkey)
        .described(passkeys::add::describe)
        .delete("/api/auth/passkeys/{id}", passkeys::remove::remove_passkey)
        .described(passkeys::remove::describe)
        .post("/api/auth/merchant", merchant::found::found_merchant)
        .described(merchant::found::describe)
        .delete("/api/auth/merchant", merchant::abandon::abandon_merchant)
        .described(merchant::abandon::describe)
        .post("/api/auth/invites", invites::create::create_invite)
        .described(invites::create::describe)
        .post("/api/auth/invites/{challengeId}/verification", invites::confirm::confirm_invite)
        .described(invites::confirm::describe)
        .post("/api/auth/invites/{challengeId}/resend", invites::resend::resend_invite)
        .described(invites::resend::describe)
        .delete("/api/auth/invites/{challengeId}", invites::withdraw::withdraw_invite)
        .described(invites::withdraw::describe)
        .post("/api/auth/invites/{challengeId}/acceptance", invites::accept::accept_invite)
        .described(invites::accept::describe)
        .get("/api/auth/tills", tills::list_tills)
        .described(tills::describe_list)
        .post("/api/auth/tills", tills::create_till)
        .described(tills::describe_create)
        .post("/api/auth/tills/pairing", tills::pair::pair_till)
        .described(tills::pair::describe)
        .throttled(20, 40)
        .counted_per_client(PAIRING_ATTEMPTS)
        .post("/api/auth/tills/{id}/pairing", tills::till::renew_pairing_code)
        .described(tills::till::describe_pairing)
        .delete("/api/auth/tills/{id}", tills::till::revoke_till)
        .described(tills::till::describe_revoke)
        .get("/api/auth/keys", keys::list::list_keys)
        .described(keys::list::describe)
        .post("/api/auth/keys", keys::create::create_key)
        .described(keys::create::describe)
        .post("/api/auth/keys/{id}/rotation", keys::rotate::rotate_key)
        .described(keys::rotate::describe)
        .delete("/api/auth/keys/{id}", keys::revoke::revoke_key)
        .described(keys::revoke::describe)
        .delete("/api/auth/members/{userId}", members::remove::remove_member)
        .described(members::remove::describe)
}
