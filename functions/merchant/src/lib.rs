//! Merchant profile, team and retail stores.

mod activity;
mod card;
mod card_history;
mod change_role;
mod create_store;
mod invite;
mod profile;
mod stats;
mod store_body;
mod stores;
mod team;
mod update_profile;
mod update_store;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// Returns the routes of this function.
pub fn routes() -> Routes {
    Routes::new("merchant", ErrorFormat::Nested)
        .get("/api/bff/merchant", profile::get_profile)
        .described(profile::describe)
        .put("/api/bff/merchant", update_profile::update_profile)
        .described(update_profile::describe)
        .get("/api/bff/merchant/stats", stats::get_stats)
        .described(stats::describe)
        .get("/api/bff/merchant/activity", activity::list_activity)
        .described(activity::describe)
        .get("/api/bff/merchant/users", team::list_team)
        .described(team::describe)
        .post("/api/bff/merchant/users", invite::invite)
        .described(invite::describe)
        .patch("/api/bff/merchant/users", change_role::change_role)
        .described(change_role::describe)
        .get("/api/bff/merchant-stores", stores::list_stores)
        .described(stores::describe)
        .with_error_format(ErrorFormat::Bare, |routes| {
            routes
                .post("/api/bff/retail-store", create_store::create_store)
                .described(create_store::describe)
                .put("/api/bff/retail-store", update_store::update_store)
                .described(update_store::describe)
        })
        .get("/api/bff/cards/{qr}", card::get_card)
        .described(card::describe)
        .get("/api/bff/cards/{qr}/history", card_history::get_card_history)
        .described(card_history::describe)
}
