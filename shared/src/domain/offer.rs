//! Gift card offers, as the portal understands them whatever the card network calls their fields.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{NetworkMerchantId, OfferId};
use super::money::{AmountError, Currency, Decimal, Minor};

/// The two kinds of offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OfferType {
    GiftcardDigital,
    RefundDigital,
}

impl OfferType {
    /// Whatever speaks of a refund is a refund card, in any spelling; all else is a gift card.
    pub fn normalise(text: &str) -> Self {
        if text.to_uppercase().contains("REFUND") { Self::RefundDigital } else { Self::GiftcardDigital }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OfferStatus {
    Available,
    Hidden,
    AwaitingApproval,
    Canceled,
    Expired,
    Archived,
}

/// What a card of an offer may cost, in its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pricing {
    pub default_price: Option<Decimal>,
    pub min: Option<Decimal>,
    pub max: Option<Decimal>,
    pub denominations: Vec<Decimal>,
    pub price_locked: bool,
}

/// Why a value cannot be sold under an offer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    #[error("must equal the fixed price of the offer, {0}")]
    NotTheFixedPrice(Decimal),
    #[error("must be one of the offer's denominations")]
    NotADenomination,
    #[error("must be at least {0}")]
    BelowMin(Decimal),
    #[error("must be at most {0}")]
    AboveMax(Decimal),
    #[error("cannot be checked against the offer's prices: the price {0}")]
    UnreadableOffer(AmountError),
}

/// A bound of 0 is none: old records have one where nobody set it.
pub(super) fn bound(price: Option<&Decimal>) -> Option<&Decimal> {
    price.filter(|price| price.is_positive())
}

impl Pricing {
    /// Fixed when locked, or when there is a default price and nothing to choose from.
    pub(super) fn fixed_price(&self) -> Option<&Decimal> {
        let bounded = bound(self.min.as_ref()).or(bound(self.max.as_ref())).is_some();
        let free = bounded || !self.denominations.is_empty();
        self.default_price.as_ref().filter(|_| self.price_locked || !free)
    }

    /// Checks that a card of this value can be sold.
    pub fn check(&self, value: Minor, currency: Currency) -> Result<(), PriceError> {
        let minor = |price: &Decimal| price.minor(currency).map_err(PriceError::UnreadableOffer);
        if let Some(price) = self.fixed_price() {
            return if minor(price)? == value {
                Ok(())
            } else {
                Err(PriceError::NotTheFixedPrice(price.clone()))
            };
        }
        let (min, max) = (bound(self.min.as_ref()), bound(self.max.as_ref()));
        if let Some(min) = min
            && value < minor(min)?
        {
            return Err(PriceError::BelowMin(min.clone()));
        }
        if let Some(max) = max
            && value > minor(max)?
        {
            return Err(PriceError::AboveMax(max.clone()));
        }
        if min.or(max).is_none() && !self.denominations.is_empty() {
            // One that does not read is not to be had, and says nothing of the others.
            let is_one = self.denominations.iter().any(|price| minor(price) == Ok(value));
            return if is_one { Ok(()) } else { Err(PriceError::NotADenomination) };
        }
        Ok(())
    }
}

/// An offer of the card network.
#[derive(Debug, Clone)]
pub struct Offer {
    pub id: OfferId,
    pub merchant: Option<NetworkMerchantId>,
    pub name: String,
    pub description: Option<String>,
    pub offer_type: OfferType,
    /// As the network says it; [`Offer::is_available`] reads it.
    pub status: String,
    pub currency: Option<String>,
    pub pricing: Pricing,
    pub available_for_purchase_time: Option<String>,
    pub expire_for_purchase_time: Option<String>,
    pub valid_days: Option<Decimal>,
    /// Image of the first design.
    pub image_url: Option<String>,
}

impl Offer {
    pub fn is_available(&self) -> bool {
        self.status == "AVAILABLE"
    }

    /// Whether anybody can buy it now. A time that does not read bounds nothing.
    pub fn is_on_sale(&self, now: Timestamp) -> bool {
        let read = |time: &Option<String>| time.as_deref().and_then(instant);
        let has_begun = read(&self.available_for_purchase_time).is_none_or(|begin| begin <= now);
        let has_ended = read(&self.expire_for_purchase_time).is_some_and(|end| end <= now);
        self.is_available() && has_begun && !has_ended
    }

    /// An offer is only ever shown to, or sold by, the merchant that it names.
    pub fn belongs_to(&self, merchant: &NetworkMerchantId) -> bool {
        self.merchant.as_ref() == Some(merchant)
    }
}

/// A time that names no zone is one of UTC, and a date that names no time its first moment.
fn instant(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let in_utc = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    text.parse().ok().or_else(|| in_utc().map(|time| time.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pricing(
        default: Option<&str>,
        min: Option<&str>,
        max: Option<&str>,
        denominations: &[&str],
        locked: bool,
    ) -> Pricing {
        let decimal = |text: &str| text.parse::<Decimal>().unwrap();
        Pricing {
            default_price: default.map(decimal),
            min: min.map(decimal),
            max: max.map(decimal),
            denominations: denominations.iter().map(|text| decimal(text)).collect(),
            price_locked: locked,
        }
    }

    #[test]
    fn a_value_must_fit_the_offer() {
        let fixed = pricing(Some("25"), None, None, &[], false);
        let locked = pricing(Some("25"), Some("10"), Some("50"), &[], true);
        let bounded = pricing(Some("25"), Some("10"), Some("50"), &["10", "25"], false);
        let choice = pricing(None, None, None, &["10", "25"], false);
        let anything = pricing(None, None, None, &[], false);
        for (pricing, value, fits) in [
            (&fixed, 2500, true),
            (&fixed, 2501, false),
            (&locked, 2500, true),
            (&locked, 3000, false),
            (&bounded, 999, false),
            (&bounded, 1000, true),
            (&bounded, 1234, true),
            (&bounded, 5000, true),
            (&bounded, 5001, false),
            (&choice, 1000, true),
            (&choice, 1500, false),
            (&anything, 1, true),
        ] {
            assert_eq!(
                pricing.check(Minor::new(value), Currency::EUR).is_ok(),
                fits,
                "{value} in {pricing:?}"
            );
        }
    }

    #[test]
    fn whatever_speaks_of_a_refund_is_a_refund_card() {
        for (text, expected) in [
            ("REFUND_DIGITAL", OfferType::RefundDigital),
            ("refund", OfferType::RefundDigital),
            ("GIFTCARD_DIGITAL", OfferType::GiftcardDigital),
            ("physical", OfferType::GiftcardDigital),
            ("", OfferType::GiftcardDigital),
        ] {
            assert_eq!(OfferType::normalise(text), expected, "{text}");
        }
    }

    #[test]
    fn an_offer_is_on_sale_while_it_is_available_within_its_times() {
        let now = "2026-06-01T00:00:00Z".parse().unwrap();
        let (before, after) = (Some("2026-05-31T23:59:59Z"), Some("2026-06-01T00:00:01Z"));
        let just_now = Some("2026-06-01T02:00:00+02:00");
        for (status, begin, end, expected) in [
            ("AVAILABLE", None, None, true),
            ("AVAILABLE", before, after, true),
            ("AVAILABLE", just_now, after, true),
            ("AVAILABLE", after, None, false),
            ("AVAILABLE", None, before, false),
            ("AVAILABLE", None, just_now, false),
            ("AVAILABLE", Some("soon"), Some(""), true),
            ("AVAILABLE", Some("2026-06-01"), Some("2026-06-02"), true),
            ("AVAILABLE", None, Some("2026-06-01"), false),
            ("AVAILABLE", None, Some("2026-06-01T00:00:00"), false),
            ("AVAILABLE", Some("2999-01-01"), None, false),
            ("HIDDEN", before, after, false),
            ("available", None, None, false),
        ] {
            let offer = Offer {
                id: OfferId::new("1"),
                merchant: None,
                name: String::new(),
                description: None,
                offer_type: OfferType::GiftcardDigital,
                status: status.to_owned(),
                currency: None,
                pricing: pricing(None, None, None, &[], false),
                available_for_purchase_time: begin.map(str::to_owned),
                expire_for_purchase_time: end.map(str::to_owned),
                valid_days: None,
                image_url: None,
            };
            assert_eq!(offer.is_on_sale(now), expected, "{status} {begin:?} {end:?}");
        }
    }
}
