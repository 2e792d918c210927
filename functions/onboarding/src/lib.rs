//! Merchant onboarding and verification.

mod check;
mod decision;
mod document;
mod submit;
mod upload;

use shared::http::{ErrorFormat, Routes};
use shared::limits::model::ONBOARDING_CHECKS_OF_CLIENT;

pub fn routes() -> Routes {
    Routes::new("onboarding", ErrorFormat::Nested)
        .post("/api/onboarding/submit", submit::submit_application)
        .described(submit::describe)
        .post("/api/onboarding/upload", upload::upload_document)
        .described(upload::describe)
        .get("/api/onboarding/document", document::presign_document)
        .described(document::describe)
        .post("/api/public/merchant/onboarding-check", check::get_onboarding_status)
        .described(check::describe)
        // Public, as the next one, and each request reads and writes the table.
        .throttled(5, 20)
        .counted_per_client(ONBOARDING_CHECKS_OF_CLIENT)
        .post("/api/public/merchant/kyb-decision", decision::receive_decision)
        .described(decision::describe)
        .throttled(10, 20)
}
