//! The administration of merchants by platform administrators.

pub(crate) mod change_merchant;
pub(crate) mod merchant;
pub(crate) mod merchants;
pub(crate) mod take_down_image;

use shared::app::App;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::store::Stored;

/// The id in the path. 404 if it is blank.
fn merchant_id(path: &PathIds) -> Result<MerchantId, Fault> {
    path.get("id").map(MerchantId::new).ok_or_else(no_such_merchant)
}

/// 404 if there is no such merchant.
async fn find(app: &App, id: &MerchantId) -> Result<Stored<Merchant>, Fault> {
    app.store.merchant(id).await?.ok_or_else(no_such_merchant)
}

fn no_such_merchant() -> Fault {
    Fault::not_found("There is no such merchant.")
}
