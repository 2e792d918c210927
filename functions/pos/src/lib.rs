//! Issue, redeem and look up gift cards at a till.

use shared::http::fault::Shape;
use shared::http::routes::Routes;

pub fn routes() -> Routes {
    Routes::new("pos", Shape::Nested)
}
