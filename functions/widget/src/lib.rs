//! What the embeddable widget shows.

mod catalogue;
mod config;
mod gift_cards;
mod picture;
mod visit;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("widget", ErrorFormat::Flat)
        .open_to_any_origin()
        .cache_control("no-store, max-age=0")
        .get("/api/bff/widget/config", config::config)
        .described(config::describe)
        .get("/api/bff/widget/giftcards", gift_cards::gift_cards)
        .described(gift_cards::describe)
}
