//! Gift card offers at the card network.

mod create;
mod detail;
mod list;
mod media;
mod normalised;
mod own;
mod status;
mod update;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("offers", ErrorFormat::Nested)
        .get("/api/bff/offers", list::offers)
        .described(list::describe)
        .post("/api/bff/offers", create::offer)
        .described(create::describe)
        .post("/api/bff/offers/media", media::upload)
        .described(media::describe)
        .get("/api/bff/offers/{id}", detail::offer)
        .described(detail::describe)
        .put("/api/bff/offers/{id}", update::offer)
        .described(update::describe)
        .patch("/api/bff/offers/{id}/status", status::change)
        .described(status::describe)
}
