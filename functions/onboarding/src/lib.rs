//! Onboarding: from a draft to a verified merchant.

mod check;
mod decision;
mod document;
mod document_key;
mod submit;
mod upload;

use shared::http::fault::ErrorFormat;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("onboarding", ErrorFormat::Nested)
        .post("/api/onboarding/submit", submit::submit)
        .described(submit::describe)
        .post("/api/onboarding/upload", upload::upload)
        .described(upload::describe)
        .get("/api/onboarding/document", document::document)
        .described(document::describe)
        .post("/api/public/merchant/onboarding-check", check::check)
        .described(check::describe)
        .post("/api/public/merchant/kyb-decision", decision::decision)
        .described(decision::describe)
}
