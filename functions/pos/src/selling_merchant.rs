//! The merchant that a sale is made for.

use shared::app::App;
use shared::endpoint_error;
use shared::http::MaybeAtTill;
use shared::merchants::model::merchant::Merchant;
use shared::values::MerchantId;

endpoint_error! {
    pub(crate) enum SellingMerchantError {
        /// The merchant is not the caller's own.
        OtherMerchant => 403 FORBIDDEN "merchantId: you can only issue for your own merchant.",
        /// The merchant does not exist.
        NoSuchMerchant => 404 NOT_FOUND "There is no such merchant.",
    }
}

/// Refuses a user without a merchant who is no platform administrator.
pub(crate) fn require_merchant_or_admin(caller: &MaybeAtTill) -> Result<(), SellingMerchantError> {
    let is_nobody = matches!(caller, MaybeAtTill::NoMerchant(user) if !user.is_admin);
    if is_nobody { Err(SellingMerchantError::NoSuchMerchant) } else { Ok(()) }
}

/// The caller's merchant, or the one that a platform administrator requests by `merchantId`.
pub(crate) async fn selling_merchant(
    app: &App,
    caller: MaybeAtTill,
    requested: Option<&str>,
) -> Result<Merchant, SellingMerchantError> {
    let (is_admin, own) = match caller {
        MaybeAtTill::AtTill(caller) => (caller.is_admin(), Some(caller.merchant.value)),
        MaybeAtTill::NoMerchant(user) => (user.is_admin, None),
    };
    let requested = requested.map(str::trim).filter(|id| !id.is_empty());
    match (requested, own) {
        (None, Some(own)) => Ok(own),
        (Some(id), Some(own)) if id == own.id.as_str() => Ok(own),
        (Some(id), _) if is_admin => {
            let merchant = app.store.merchant(&MerchantId::new(id)).await?;
            merchant.map(|merchant| merchant.value).ok_or(SellingMerchantError::NoSuchMerchant)
        }
        (Some(_), _) => Err(SellingMerchantError::OtherMerchant),
        (None, None) => Err(SellingMerchantError::NoSuchMerchant),
    }
}
