//! Content of the embeddable widget.

mod card_image;
mod catalog;
mod config;
mod gift_cards;
mod visit;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("widget", ErrorFormat::Flat)
        .allow_any_origin()
        .throttle_each(300, 600)
        .cache_control("no-store, max-age=0")
        .get("/api/bff/widget/config", config::get_config)
        .described(config::describe)
        .get("/api/bff/widget/giftcards", gift_cards::list_gift_cards)
        .described(gift_cards::describe)
}
