//! Gift card offers: which can be sold, in which currency, at which prices.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{NetworkMerchantId, OfferId};
use super::money::{AmountError, Currency, Decimal, Minor, UnknownCurrency};

/// The two kinds of offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OfferType {
    GiftcardDigital,
    RefundDigital,
}

impl OfferType {
    /// A text that contains `REFUND` in any case is a refund card; any other is a gift card.
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

/// The prices of an offer, in its currency.
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

/// `None` for a price of 0: old records have one where none was set.
pub(super) fn unless_zero(price: Option<&Decimal>) -> Option<&Decimal> {
    price.filter(|price| price.is_positive())
}

impl Pricing {
    /// The default price, if it is locked or the offer has neither bounds nor denominations.
    pub(super) fn fixed_price(&self) -> Option<&Decimal> {
        let bounded = unless_zero(self.min.as_ref()).or(unless_zero(self.max.as_ref())).is_some();
        let is_variable = bounded || !self.denominations.is_empty();
        unless_zero(self.default_price.as_ref()).filter(|_| self.price_locked || !is_variable)
    }

    /// Checks that a card of this value can be sold.
    pub fn check(&self, value: Minor, currency: Currency) -> Result<(), PriceError> {
        let minor = |price: &Decimal| price.minor(currency).map_err(PriceError::UnreadableOffer);
        if let Some(price) = self.fixed_price() {
            return if minor(price)? == value { Ok(()) } else { Err(PriceError::NotTheFixedPrice(price.clone())) };
        }
        let (min, max) = (unless_zero(self.min.as_ref()), unless_zero(self.max.as_ref()));
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
            // A denomination that is not exact in the currency matches no value.
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
    /// As the card network returns it; see [`Offer::is_available`].
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

    /// Whether it can be bought now. An unreadable time does not limit the sale.
    pub fn is_on_sale(&self, now: Timestamp) -> bool {
        let parse = |time: &Option<String>| time.as_deref().and_then(instant);
        let has_started = parse(&self.available_for_purchase_time).is_none_or(|start| start <= now);
        let has_ended = parse(&self.expire_for_purchase_time).is_some_and(|end| end <= now);
        self.is_available() && has_started && !has_ended
    }

    /// Whether it is the offer of this merchant. An offer without a merchant belongs to none.
    pub fn belongs_to(&self, merchant: &NetworkMerchantId) -> bool {
        self.merchant.as_ref() == Some(merchant)
    }

    /// The currency that it is sold in: its own, or its merchant's if it has none. `None` if neither has one.
    pub fn currency_or(&self, merchant: Option<Currency>) -> Result<Option<Currency>, UnknownCurrency> {
        match self.currency.as_deref().map(str::trim).filter(|code| !code.is_empty()) {
            Some(code) => code.parse().map(Some),
            None => Ok(merchant),
        }
    }
}

/// The offer that a till requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferSelection {
    Id(OfferId),
    /// The default offer of a type.
    Default(OfferType),
}

/// Why no offer can be sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    #[error("there is no such offer")]
    NotFound,
    #[error("the offer is not available")]
    NotAvailable,
    #[error("it is not the time to sell the offer")]
    OutsidePurchaseTimes,
    #[error("there is no offer of the type to sell")]
    NothingToSell,
}

impl OfferSelection {
    /// Selects from a merchant's own offers one that can be sold now. `configured` is the merchant's default offer.
    pub fn select(
        &self,
        own: impl IntoIterator<Item = Offer>,
        configured: Option<&OfferId>,
        now: Timestamp,
    ) -> Result<Offer, SelectionError> {
        match self {
            Self::Id(id) => {
                let offer = own.into_iter().find(|offer| offer.id == *id).ok_or(SelectionError::NotFound)?;
                if !offer.is_available() {
                    return Err(SelectionError::NotAvailable);
                }
                if offer.is_on_sale(now) { Ok(offer) } else { Err(SelectionError::OutsidePurchaseTimes) }
            }
            Self::Default(offer_type) => {
                let fits = |offer: &Offer| offer.offer_type == *offer_type && offer.is_on_sale(now);
                let number = |offer: &Offer| offer.id.as_str().parse::<u64>().unwrap_or(u64::MAX);
                let preference = |offer: &Offer| (Some(&offer.id) != configured, number(offer));
                own.into_iter().filter(fits).min_by_key(preference).ok_or(SelectionError::NothingToSell)
            }
        }
    }
}

/// Why a sale has no currency, or not the requested one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SaleCurrencyError {
    #[error("neither the offer nor its merchant has a currency")]
    Missing,
    #[error("the offer is sold in another currency")]
    OtherCurrency,
    #[error("the currency of the offer {0}")]
    Unknown(#[from] UnknownCurrency),
}

/// The currency of a sale: the offer's, otherwise the merchant's, otherwise the requested one. A requested currency must
/// equal it.
pub fn sale_currency(
    offer: &Offer,
    merchant: Option<Currency>,
    requested: Option<Currency>,
) -> Result<Currency, SaleCurrencyError> {
    let currency = offer.currency_or(merchant)?.or(requested).ok_or(SaleCurrencyError::Missing)?;
    if requested.is_some_and(|requested| requested != currency) {
        return Err(SaleCurrencyError::OtherCurrency);
    }
    Ok(currency)
}

/// Times without a zone are UTC, and dates without a time are midnight.
fn instant(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let in_utc = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok();
    text.parse().ok().or_else(|| in_utc().map(|time| time.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pricing(default: Option<&str>, min: Option<&str>, max: Option<&str>, denominations: &[&str], locked: bool) -> Pricing {
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
    fn a_value_must_match_the_offers_prices() {
        let fixed = pricing(Some("25"), None, None, &[], false);
        let locked = pricing(Some("25"), Some("10"), Some("50"), &[], true);
        let bounded = pricing(Some("25"), Some("10"), Some("50"), &["10", "25"], false);
        let choice = pricing(None, None, None, &["10", "25"], false);
        let anything = pricing(None, None, None, &[], false);
        let zero = pricing(Some("0"), None, None, &[], false);
        let locked_zero = pricing(Some("0.00"), Some("10"), Some("50"), &[], true);
        for (pricing, value, accepted) in [
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
            (&zero, 1, true),
            (&locked_zero, 999, false),
            (&locked_zero, 1000, true),
        ] {
            assert_eq!(pricing.check(Minor::new(value), Currency::EUR).is_ok(), accepted, "{value} in {pricing:?}");
        }
    }

    #[test]
    fn a_type_that_contains_refund_is_a_refund_card() {
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
    fn an_offer_is_on_sale_if_it_is_available_and_within_its_purchase_times() {
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
                status: status.to_owned(),
                available_for_purchase_time: begin.map(str::to_owned),
                expire_for_purchase_time: end.map(str::to_owned),
                ..offer("1")
            };
            assert_eq!(offer.is_on_sale(now), expected, "{status} {begin:?} {end:?}");
        }
    }

    #[test]
    fn an_offer_without_a_currency_is_sold_in_its_merchants() {
        let (eur, usd) = (Some(Currency::EUR), Some(Currency::USD));
        for (code, merchant, expected) in [
            (Some("USD"), eur, Ok(usd)),
            (Some("USD"), None, Ok(usd)),
            (None, eur, Ok(eur)),
            (Some(""), eur, Ok(eur)),
            (Some(" "), eur, Ok(eur)),
            (None, None, Ok(None)),
            (Some("kr"), eur, Err(UnknownCurrency)),
        ] {
            let offer = Offer { currency: code.map(str::to_owned), ..offer("1") };
            assert_eq!(offer.currency_or(merchant), expected, "{code:?} {merchant:?}");
        }
    }

    #[test]
    fn a_sale_is_in_the_offers_currency_and_no_other() {
        use SaleCurrencyError::{Missing, OtherCurrency, Unknown};
        let (eur, usd) = (Some(Currency::EUR), Some(Currency::USD));
        for (code, merchant, requested, expected) in [
            ("USD", eur, None, Ok(Currency::USD)),
            ("USD", eur, usd, Ok(Currency::USD)),
            ("USD", eur, eur, Err(OtherCurrency)),
            ("", eur, None, Ok(Currency::EUR)),
            ("", eur, usd, Err(OtherCurrency)),
            ("", None, usd, Ok(Currency::USD)),
            ("", None, None, Err(Missing)),
            ("kr", eur, None, Err(Unknown(UnknownCurrency))),
        ] {
            let offer = Offer { currency: Some(code.to_owned()), ..offer("1") };
            assert_eq!(sale_currency(&offer, merchant, requested), expected, "{code} {merchant:?} {requested:?}");
        }
    }

    #[test]
    fn a_till_sells_the_requested_offer_or_a_default_one_that_can_be_sold_now() {
        use OfferType::{GiftcardDigital as Gift, RefundDigital as Refund};
        use SelectionError::{NotAvailable, NotFound, NothingToSell, OutsidePurchaseTimes};
        let now = "2026-06-01T00:00:00Z".parse().unwrap();
        let own = || {
            [
                ("9", Gift, "AVAILABLE", None),
                ("10", Gift, "AVAILABLE", None),
                ("3", Gift, "HIDDEN", None),
                ("4", Gift, "AVAILABLE", Some("2026-05-31")),
                ("5", Refund, "HIDDEN", None),
                ("12", Refund, "AVAILABLE", Some("2026-05-31")),
            ]
            .map(|(id, offer_type, status, end)| Offer {
                offer_type,
                status: status.to_owned(),
                expire_for_purchase_time: end.map(str::to_owned),
                ..offer(id)
            })
            .to_vec()
        };
        let named = |id| OfferSelection::Id(OfferId::new(id));
        let default = OfferSelection::Default;
        for (selection, configured, expected) in [
            (default(Gift), None, Ok("9")),
            (default(Gift), Some("10"), Ok("10")),
            (default(Gift), Some("3"), Ok("9")),
            (default(Gift), Some("4"), Ok("9")),
            (default(Gift), Some("5"), Ok("9")),
            (default(Gift), Some("11"), Ok("9")),
            (default(Refund), Some("12"), Err(NothingToSell)),
            (named("10"), Some("9"), Ok("10")),
            (named("3"), None, Err(NotAvailable)),
            (named("4"), None, Err(OutsidePurchaseTimes)),
            (named("11"), None, Err(NotFound)),
        ] {
            let selected = selection.select(own(), configured.map(OfferId::new).as_ref(), now);
            assert_eq!(
                selected.as_ref().map(|offer| offer.id.as_str()).map_err(|error| *error),
                expected,
                "{selection:?} {configured:?}"
            );
        }
    }

    fn offer(id: &str) -> Offer {
        Offer {
            id: OfferId::new(id),
            merchant: None,
            name: String::new(),
            description: None,
            offer_type: OfferType::GiftcardDigital,
            status: "AVAILABLE".to_owned(),
            currency: None,
            pricing: pricing(None, None, None, &[], false),
            available_for_purchase_time: None,
            expire_for_purchase_time: None,
            valid_days: None,
            image_url: None,
        }
    }
}
