//! The administration of the platform: merchants, payouts, settlements and published images.

mod audit_trail;
mod change_merchant;
mod decide_payout;
mod hold_settlement;
mod merchant;
mod merchant_of_path;
mod merchants;
mod payout;
mod payout_file;
mod payout_run;
mod payouts;
mod people;
mod preview_payouts;
mod settlements;
mod start_payouts;
mod take_down_image;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("administration", ErrorFormat::Nested)
        .guard_writes()
        .get("/api/admin/merchants", merchants::merchants)
        .described(merchants::describe)
        .get("/api/admin/merchants/{id}", merchant::merchant)
        .described(merchant::describe)
        .patch("/api/admin/merchants/{id}", change_merchant::change_merchant)
        .described(change_merchant::describe)
        .get("/api/admin/merchants/{id}/audit", audit_trail::audit_trail)
        .described(audit_trail::describe)
        .delete("/api/admin/media", take_down_image::take_down)
        .described(take_down_image::describe)
        .post("/api/admin/payouts", start_payouts::start)
        .described(start_payouts::describe)
        .get("/api/admin/payouts", payouts::list)
        .described(payouts::describe)
        .get("/api/admin/payouts/preview", preview_payouts::preview)
        .described(preview_payouts::describe)
        .get("/api/admin/payouts/runs/{runId}", payout_run::run)
        .described(payout_run::describe)
        .get("/api/admin/payouts/{id}", payout::payout)
        .described(payout::describe)
        .patch("/api/admin/payouts/{id}", decide_payout::decide)
        .described(decide_payout::describe)
        .get("/api/admin/payouts/{id}/file", payout_file::presign)
        .described(payout_file::describe)
        .get("/api/admin/settlements", settlements::list)
        .described(settlements::describe)
        .patch("/api/admin/settlements/{merchantId}/{id}", hold_settlement::hold)
        .described(hold_settlement::describe)
}
