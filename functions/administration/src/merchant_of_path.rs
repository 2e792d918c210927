//! The merchant that a path names.

use shared::app::App;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::store::Stored;

/// The id in the path. 404 if it is blank.
pub(crate) fn merchant_id(path: &PathIds) -> Result<MerchantId, Fault> {
    path.get("id").map(MerchantId::new).ok_or_else(no_such_merchant)
}

/// 404 if there is no such merchant.
pub(crate) async fn find(app: &App, id: &MerchantId) -> Result<Stored<Merchant>, Fault> {
    app.store.merchant(id).await?.ok_or_else(no_such_merchant)
}

pub(crate) fn no_such_merchant() -> Fault {
    Fault::not_found("There is no such merchant.")
}
