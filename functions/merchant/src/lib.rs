//! Merchant profile, team and retail stores.

use shared::http::fault::Shape;
use shared::http::routes::Routes;

pub fn routes() -> Routes {
    Routes::new("merchant", Shape::Nested)
}
