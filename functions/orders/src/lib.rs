//! Merchant orders and gift card balances.

use shared::http::fault::Shape;
use shared::http::routes::Routes;

pub fn routes() -> Routes {
    Routes::new("orders", Shape::Nested)
}
