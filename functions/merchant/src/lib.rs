//! Merchant profile, team and retail stores.

mod activity;
mod cards;
mod profile;
mod stats;
mod stores;
mod team;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("merchant", ErrorFormat::Nested)
        .get("/api/bff/merchant", profile::get_profile)
        .described(profile::describe)
        .put("/api/bff/merchant", profile::update::update_profile)
        .described(profile::update::describe)
        .get("/api/bff/merchant/stats", stats::get_stats)
        .described(stats::describe)
        .get("/api/bff/merchant/activity", activity::list_activity)
        .described(activity::describe)
        .get("/api/bff/merchant/users", team::list_team)
        .described(team::describe)
        .post("/api/bff/merchant/users", team::invite::invite)
        .described(team::invite::describe)
        .patch("/api/bff/merchant/users", team::change_role::change_role)
        .described(team::change_role::describe)
        .get("/api/bff/merchant-stores", stores::list_stores)
        .described(stores::describe)
        .with_error_format(ErrorFormat::Bare, |routes| {
            routes
                .post("/api/bff/retail-store", stores::create::create_store)
                .described(stores::create::describe)
                .put("/api/bff/retail-store", stores::update::update_store)
                .described(stores::update::describe)
        })
        .get("/api/bff/cards/{qr}", cards::card::get_card)
        .described(cards::card::describe)
        .get("/api/bff/cards/{qr}/history", cards::history::get_card_history)
        .described(cards::history::describe)
}
