//! Gift card offers at the card network.

use shared::http::fault::Shape;
use shared::http::routes::Routes;

pub fn routes() -> Routes {
    Routes::new("offers", Shape::Nested)
}
