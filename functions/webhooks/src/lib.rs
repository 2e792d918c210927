//! Endpoints of webhooks: systems of a merchant that are told what happens.

mod change_endpoint;
mod create_endpoint;
mod delete_endpoint;
mod deliveries;
mod endpoint;
mod endpoints;
mod retry_delivery;
mod rotate_secret;
mod send_test;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("webhooks", ErrorFormat::Nested)
        .guard_writes()
        .get("/api/bff/webhooks", endpoints::list_endpoints)
        .described(endpoints::describe)
        .post("/api/bff/webhooks", create_endpoint::create_endpoint)
        .described(create_endpoint::describe)
        .patch("/api/bff/webhooks/{id}", change_endpoint::change_endpoint)
        .described(change_endpoint::describe)
        .delete("/api/bff/webhooks/{id}", delete_endpoint::delete_endpoint)
        .described(delete_endpoint::describe)
        .post("/api/bff/webhooks/{id}/rotation", rotate_secret::rotate_secret)
        .described(rotate_secret::describe)
        .post("/api/bff/webhooks/{id}/test", send_test::send_test)
        .described(send_test::describe)
        .get("/api/bff/webhooks/{id}/deliveries", deliveries::list_deliveries)
        .described(deliveries::describe)
        .post("/api/bff/webhooks/{id}/deliveries/{deliveryId}/retry", retry_delivery::retry_delivery)
        .described(retry_delivery::describe)
}
