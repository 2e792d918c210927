//! Gift card offers at the card network.

mod bounds;
mod create;
mod detail;
mod list;
mod media;
mod merchant_offer;
mod normalized;
mod status;
mod update;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("offers", ErrorFormat::Nested)
        .get("/api/bff/offers", list::list_offers)
        .described(list::describe)
        .post("/api/bff/offers", create::create_offer)
        .described(create::describe)
        .post("/api/bff/offers/media", media::upload_image)
        .described(media::describe)
        .get("/api/bff/offers/{id}", detail::get_offer)
        .described(detail::describe)
        .put("/api/bff/offers/{id}", update::update_offer)
        .described(update::describe)
        .patch("/api/bff/offers/{id}/status", status::update_status)
        .described(status::describe)
}
