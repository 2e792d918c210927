//! `refundOf` of a sale: the purchase that its card gives back.

use shared::app::App;
use shared::domain::ids::RedemptionId;
use shared::domain::merchant::Merchant;
use shared::domain::money::Money;
use shared::domain::offer::{Offer, OfferType};
use shared::domain::order::Refund;
use shared::domain::redemption::RedemptionStatus;
use shared::http::fault::Fault;
use shared::store::Write;
use shared::store::given_back::give_back;

const MAX_REASON_LENGTH: usize = 200;

/// A redemption of which a sale gives something back.
#[derive(Debug)]
pub(crate) struct Return {
    of: RedemptionId,
    /// Counts the value of the sale as given back, on condition that no more is than was redeemed.
    pub(crate) counts: Write,
}

impl Return {
    /// 400 unless the merchant has redeemed as much, in the same currency, and the card is no gift card that is sold.
    pub(crate) async fn check(
        app: &App,
        merchant: &Merchant,
        offer: &Offer,
        value: Money,
        id: &str,
    ) -> Result<Self, Fault> {
        if offer.offer_type != OfferType::RefundDigital {
            let message =
                "giftCardOfferId: must be an offer of the type REFUND_DIGITAL, because of refundOf.";
            return Err(Fault::invalid(message));
        }
        let redemption = app.store.redemption(&merchant.id, &RedemptionId::new(id.trim())).await?;
        let redemption = redemption.filter(|redemption| redemption.status == RedemptionStatus::Succeeded);
        let no_such_redemption =
            || Fault::invalid("refundOf: there is no such redemption.").code("NO_SUCH_REDEMPTION");
        let redemption = redemption.ok_or_else(no_such_redemption)?.value;
        if redemption.amount.currency != value.currency {
            let message = format!("refundOf: was redeemed in {}.", redemption.amount.currency);
            return Err(Fault::invalid(message));
        }
        let counts = give_back(&redemption, value.minor)?.ok_or_else(Fault::refund_too_large)?;
        Ok(Self { of: redemption.id, counts })
    }

    pub(crate) fn of_order(&self) -> Refund {
        Refund { of: self.of.clone(), is_counted: true }
    }
}

pub(crate) fn refund_reason(reason: Option<String>) -> Result<Option<String>, Fault> {
    if reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON_LENGTH) {
        return Err(Fault::invalid(format!("refundReason: must be at most {MAX_REASON_LENGTH} characters.")));
    }
    Ok(reason)
}
