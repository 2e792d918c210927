//! The status that a merchant needs to move money.

use shared::domain::merchant::Merchant;
use shared::http::fault::Fault;

/// 403 unless the merchant is active. Earlier requests are answered in any case: this is checked after the idempotency key.
pub(crate) fn require_active(merchant: &Merchant) -> Result<(), Fault> {
    let refused = || Fault::not_active("The merchant is not active: it can neither sell nor redeem cards.");
    merchant.can_move_money().then_some(()).ok_or_else(refused)
}
