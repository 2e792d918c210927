//! `refundOf` of a sale: the purchase that its card gives back.

use shared::app::App;
use shared::cards::model::order::Refund;
use shared::cards::model::redemption::RedemptionStatus;
use shared::cards::rows::given_back::give_back;
use shared::db::Write;
use shared::endpoint_error;
use shared::http::Invalid;
use shared::http::bounded::MaxChars;
use shared::merchants::model::merchant::Merchant;
use shared::offers::model::offer::{Offer, OfferType};
use shared::values::{Money, RedemptionId};

pub(crate) type RefundReason = MaxChars<200>;

endpoint_error! {
    pub(crate) enum RefundError {
        /// A card that gives back must be of the type `REFUND_DIGITAL` and in the currency of the redemption.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "refundOf: was redeemed in SEK.",
        /// There is no redemption to give back.
        NoSuchRedemption => 400 NO_SUCH_REDEMPTION "refundOf: there is no such redemption.",
        /// More would be given back than was redeemed.
        TooLarge => 400 REFUND_TOO_LARGE "refundOf: more would be given back than was redeemed.",
    }
}

/// A redemption of which a sale gives something back.
#[derive(Debug)]
pub(crate) struct Return {
    of: RedemptionId,
    /// Counts the value of the sale as given back, on condition that no more is than was redeemed.
    pub(crate) counts: Write,
}

impl Return {
    /// The merchant must have redeemed as much, in the same currency, and the card must be no gift card that is sold.
    pub(crate) async fn check(
        app: &App,
        merchant: &Merchant,
        offer: &Offer,
        value: Money,
        id: &str,
    ) -> Result<Self, RefundError> {
        if offer.offer_type != OfferType::RefundDigital {
            let message = "giftCardOfferId: must be an offer of the type REFUND_DIGITAL if refundOf is given.";
            return Err(Invalid::new(message).into());
        }
        let redemption = app.store.redemption(&merchant.id, &RedemptionId::new(id.trim())).await?;
        let redemption = redemption.filter(|redemption| redemption.status == RedemptionStatus::Succeeded);
        let redemption = redemption.ok_or(RefundError::NoSuchRedemption)?.value;
        if redemption.amount.currency != value.currency {
            let message = format!("refundOf: was redeemed in {}.", redemption.amount.currency);
            return Err(Invalid::new(message).into());
        }
        let counts = give_back(&redemption, value.minor)?.ok_or(RefundError::TooLarge)?;
        Ok(Self { of: redemption.id, counts })
    }

    pub(crate) fn of_order(&self) -> Refund {
        Refund { of: self.of.clone(), is_counted: true }
    }
}
