//! The public shop of a merchant, and the images of gift cards.

mod catalog;
mod image;
mod merchant;
mod shop;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("storefront", ErrorFormat::Flat)
        .open_to_any_origin()
        .get("/api/merchants/{slug}", merchant::merchant)
        .described(merchant::describe)
        .get("/api/merchants/{slug}/catalog", catalog::catalog)
        .described(catalog::describe)
        .get("/api/public/gift-card-image", image::image)
        .described(image::describe)
}
