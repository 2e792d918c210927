//! Onboarding: from a draft to a verified merchant.

mod check;
mod decision;
mod document;
mod document_key;
mod submit;
mod upload;

use shared::http::fault::Shape;
use shared::http::routes::Routes;

/// The route table of the group.
pub fn routes() -> Routes {
    Routes::new("onboarding", Shape::Nested)
        .post("/api/onboarding/submit", submit::submit)
        .post("/api/onboarding/upload", upload::upload)
        .get("/api/onboarding/document", document::document)
        .post("/api/public/merchant/onboarding-check", check::check)
        .post("/api/public/merchant/kyb-decision", decision::decision)
}
