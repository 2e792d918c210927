//! The administration of the platform: merchants, payouts, settlements and published images.

mod merchants;
mod payouts;
mod people;
mod settlements;
mod take_down_image;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("administration", ErrorFormat::Nested)
        .guard_writes()
        .get("/api/admin/merchants", merchants::merchants)
        .described(merchants::describe)
        .get("/api/admin/merchants/{id}", merchants::merchant::merchant)
        .described(merchants::merchant::describe)
        .patch("/api/admin/merchants/{id}", merchants::change::change_merchant)
        .described(merchants::change::describe)
        .get("/api/admin/merchants/{id}/audit", merchants::audit_trail::audit_trail)
        .described(merchants::audit_trail::describe)
        .delete("/api/admin/media", take_down_image::take_down)
        .described(take_down_image::describe)
        .post("/api/admin/payouts", payouts::start::start)
        .described(payouts::start::describe)
        .get("/api/admin/payouts", payouts::list)
        .described(payouts::describe)
        .get("/api/admin/payouts/preview", payouts::preview::preview)
        .described(payouts::preview::describe)
        .get("/api/admin/payouts/runs/{runId}", payouts::run::run)
        .described(payouts::run::describe)
        .get("/api/admin/payouts/{id}", payouts::payout::payout)
        .described(payouts::payout::describe)
        .patch("/api/admin/payouts/{id}", payouts::decide::decide)
        .described(payouts::decide::describe)
        .get("/api/admin/payouts/{id}/file", payouts::file::presign)
        .described(payouts::file::describe)
        .get("/api/admin/settlements", settlements::list)
        .described(settlements::describe)
        .patch("/api/admin/settlements/{merchantId}/{id}", settlements::hold::hold)
        .described(settlements::hold::describe)
}
