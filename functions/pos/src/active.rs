//! The status that a merchant needs to move money.

use shared::endpoint_error;
use shared::http::ByAccessCheck;
use shared::merchants::model::merchant::Merchant;

endpoint_error! {
    pub(crate) enum ActiveError {
        /// The merchant is not active.
        NotActive(ByAccessCheck) => 403 MERCHANT_NOT_ACTIVE
            "The merchant is not active: it can neither sell nor redeem cards.",
    }
}

/// Earlier requests are answered in any case: this is checked after the idempotency key.
pub(crate) fn require_active(merchant: &Merchant) -> Result<(), ActiveError> {
    merchant.can_move_money().then_some(()).ok_or(ActiveError::NotActive(ByAccessCheck))
}
