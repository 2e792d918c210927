//! Public storefront of a merchant and gift card images.

mod balance;
mod card_page;
mod catalog;
mod image;
mod languages;
mod merchant;
mod page;
mod shop;
mod words;

use shared::http::{ErrorFormat, Routes};
use shared::limits::model::BALANCES;

pub fn routes() -> Routes {
    Routes::new("storefront", ErrorFormat::Flat)
        .allow_any_origin()
        // Each request calls the card network.
        .throttle_each(100, 200)
        .get("/api/merchants/{slug}", merchant::get_merchant)
        .described(merchant::describe)
        .get("/api/merchants/{slug}/catalog", catalog::get_catalog)
        .described(catalog::describe)
        .get("/api/public/gift-card-image", image::get_image)
        .described(image::describe)
        .throttled(300, 600)
        // The response to an upload has the URL of an image with the host of the upload.
        .also_on_portal_api(20, 40)
        .also_head(20, 40)
        .with_error_format(ErrorFormat::Page, |routes| {
            routes
                .get("/shop/{slug}", page::get_page)
                .described(page::describe)
                .also_head(20, 40)
                .get("/shop/{slug}/card", card_page::get_form)
                .described(card_page::describe_form)
                .also_head(20, 40)
                .post("/shop/{slug}/card", card_page::show_balance)
                .described(card_page::describe)
                .throttled(20, 40)
                .counted_per_client(BALANCES)
        })
        .with_error_format(ErrorFormat::FlatWithCode, |routes| {
            // An unknown code takes a second.
            routes
                .post("/api/merchants/{slug}/balance", balance::get_balance)
                .described(balance::describe)
                .throttled(20, 40)
                .counted_per_client(BALANCES)
        })
}
