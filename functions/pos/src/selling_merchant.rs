//! The merchant that a sale is made for.

use shared::app::App;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::http::access::MaybeAtTill;
use shared::http::fault::Fault;

/// 404 for a user without a merchant who is no platform administrator.
pub(crate) fn require_merchant_or_admin(caller: &MaybeAtTill) -> Result<(), Fault> {
    let is_nobody = matches!(caller, MaybeAtTill::NoMerchant(user) if !user.is_admin);
    if is_nobody { Err(no_merchant()) } else { Ok(()) }
}

/// The caller's merchant, or the one that a platform administrator requests by `merchantId`.
pub(crate) async fn selling_merchant(
    app: &App,
    caller: MaybeAtTill,
    requested: Option<&str>,
) -> Result<Merchant, Fault> {
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
            merchant.map(|merchant| merchant.value).ok_or_else(no_merchant)
        }
        (Some(_), _) => Err(Fault::forbidden("merchantId: you can only issue for your own merchant.")),
        (None, None) => Err(no_merchant()),
    }
}

fn no_merchant() -> Fault {
    Fault::not_found("There is no such merchant.")
}
