//! Issue, redeem and look up gift cards at a till.

mod active;
mod cancellation;
mod card;
mod idempotency;
mod issue;
mod offers;
mod operation;
mod redeem;
mod refund;
mod selling_merchant;
mod store_of_till;
mod unknown;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("pos", ErrorFormat::Nested)
        // Far above what tills need: API Gateway also counts requests without a session, which must not use it up.
        .throttle_each(500, 1000)
        .post("/api/bff/pos/issue", issue::issue)
        .described(issue::describe)
        .get("/api/bff/pos/card/{qrcode}", card::card)
        .described(card::describe)
        .get("/api/bff/pos/offers", offers::offers)
        .described(offers::describe)
        .get("/api/bff/pos/operations/{reference}", operation::operation)
        .described(operation::describe)
        .post("/api/bff/pos/operations/cancellation", cancellation::cancellation)
        .described(cancellation::describe)
        .with_error_format(ErrorFormat::Bare, |routes| {
            routes.post("/api/bff/pos/redeem", redeem::redeem).described(redeem::describe)
        })
}
