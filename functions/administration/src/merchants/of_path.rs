//! The merchant that a path names.

use shared::app::App;
use shared::db::Stored;
use shared::endpoint_error;
use shared::http::PathIds;
use shared::merchants::model::merchant::Merchant;
use shared::values::MerchantId;

endpoint_error! {
    pub(crate) enum MerchantOfPathError {
        /// There is no such merchant.
        NoSuchMerchant => 404 NOT_FOUND "There is no such merchant.",
    }
}

pub(crate) fn merchant_id(path: &PathIds) -> Result<MerchantId, MerchantOfPathError> {
    path.get("id").map(MerchantId::new).ok_or(MerchantOfPathError::NoSuchMerchant)
}

pub(crate) async fn find(app: &App, id: &MerchantId) -> Result<Stored<Merchant>, MerchantOfPathError> {
    app.store.merchant(id).await?.ok_or(MerchantOfPathError::NoSuchMerchant)
}
