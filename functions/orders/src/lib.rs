//! Merchant orders and gift card balances.

mod balance;
mod detail;
mod list;
mod summary;

use shared::http::{ErrorFormat, Routes};

pub fn routes() -> Routes {
    Routes::new("orders", ErrorFormat::Flat)
        .get("/api/bff/merchant-orders", list::orders)
        .described(list::describe)
        .get("/api/bff/merchant-orders/{orderId}", detail::order)
        .described(detail::describe)
        .get("/api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance", balance::balance)
        .described(balance::describe)
}
