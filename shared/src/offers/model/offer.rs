//! Gift card offers: which can be sold now, in which currency, at which prices.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::prices::{PriceRule, Pricing};
use super::terms::{PurchaseTime, SaleProblem, Term};
use crate::merchants::model::merchant::Merchant;
use crate::values::{Currency, Decimal, NetworkMerchantId, OfferId, time_zone};

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

/// An offer of the card network.
#[derive(Debug, Clone)]
pub struct Offer {
    pub id: OfferId,
    pub merchant: Option<NetworkMerchantId>,
    pub name: String,
    pub description: Option<String>,
    pub offer_type: OfferType,
    /// As the card network returns it. Only an `AVAILABLE` offer is sold.
    pub status: String,
    pub currency: Term<Currency>,
    pub pricing: Pricing,
    pub available_for_purchase_time: Term<PurchaseTime>,
    pub expire_for_purchase_time: Term<PurchaseTime>,
    pub valid_days: Option<Decimal>,
    /// Image of the first design.
    pub image_url: Option<String>,
}

/// What an offer's sale takes from its merchant.
#[derive(Debug, Clone)]
pub struct Seller {
    /// Of offers that name none.
    pub currency: Option<Currency>,
    /// Of dates.
    pub zone: TimeZone,
}

impl From<&Merchant> for Seller {
    fn from(merchant: &Merchant) -> Self {
        Self { currency: merchant.currency, zone: time_zone(&merchant.time_zone) }
    }
}

/// An offer that can be sold now.
#[derive(Debug, Clone)]
pub struct OnSale {
    pub offer: Offer,
    pub currency: Currency,
    pub prices: PriceRule,
}

/// Why an offer cannot be sold now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotForSale {
    #[error("the offer is not available")]
    NotAvailable,
    #[error(transparent)]
    Unreadable(#[from] SaleProblem),
    #[error("it is not the time to sell the offer")]
    OutsidePurchaseTimes,
}

/// What limits a sale.
struct Limits {
    currency: Currency,
    prices: PriceRule,
    beginning: Option<Timestamp>,
    end: Option<Timestamp>,
}

impl Offer {
    /// The offer with all that limits its sale, if it can be sold now. Whatever sells or lists offers asks here.
    ///
    /// # Errors
    /// Returns an error if it is not `AVAILABLE`, not within its purchase times, or something that limits a sale cannot be
    /// read.
    pub fn on_sale(self, seller: &Seller, now: Timestamp) -> Result<OnSale, NotForSale> {
        if self.status != "AVAILABLE" {
            return Err(NotForSale::NotAvailable);
        }
        let Limits { currency, prices, beginning, end } = self.limits(seller)?;
        if beginning.is_some_and(|beginning| now < beginning) || end.is_some_and(|end| end <= now) {
            return Err(NotForSale::OutsidePurchaseTimes);
        }
        Ok(OnSale { offer: self, currency, prices })
    }

    /// Why the offer is not sold at any time, whatever its status; `None` if everything that limits a sale can be read.
    pub fn sale_problem(&self, seller: &Seller) -> Option<SaleProblem> {
        self.limits(seller).err()
    }

    fn limits(&self, seller: &Seller) -> Result<Limits, SaleProblem> {
        let currency = self.currency.limit()?.copied().or(seller.currency);
        let currency = currency.ok_or_else(|| SaleProblem::new("currency", "is missing"))?;
        Ok(Limits {
            currency,
            prices: self.pricing.rule(currency)?,
            beginning: self.available_for_purchase_time.limit()?.map(|time| time.beginning(&seller.zone)),
            end: self.expire_for_purchase_time.limit()?.map(|time| time.end(&seller.zone)),
        })
    }

    /// Whether it is the offer of this merchant. An offer without a merchant belongs to none.
    pub fn belongs_to(&self, merchant: &NetworkMerchantId) -> bool {
        self.merchant.as_ref() == Some(merchant)
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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    #[error("there is no such offer")]
    NotFound,
    #[error(transparent)]
    NotForSale(#[from] NotForSale),
    #[error("there is no offer of the type to sell")]
    NothingToSell,
}

impl OfferSelection {
    /// Selects from a merchant's own offers one that can be sold now. `configured` is the merchant's default offer.
    pub fn select(
        &self,
        own: impl IntoIterator<Item = Offer>,
        configured: Option<&OfferId>,
        seller: &Seller,
        now: Timestamp,
    ) -> Result<OnSale, SelectionError> {
        let mut own = own.into_iter();
        match self {
            Self::Id(id) => {
                let offer = own.find(|offer| offer.id == *id).ok_or(SelectionError::NotFound)?;
                Ok(offer.on_sale(seller, now)?)
            }
            Self::Default(offer_type) => {
                let of_type = own.filter(|offer| offer.offer_type == *offer_type);
                let number = |offer: &Offer| offer.id.as_str().parse::<u64>().unwrap_or(u64::MAX);
                let preference = |OnSale { offer, .. }: &OnSale| (Some(&offer.id) != configured, number(offer));
                let on_sale = of_type.filter_map(|offer| offer.on_sale(seller, now).ok());
                on_sale.min_by_key(preference).ok_or(SelectionError::NothingToSell)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seller() -> Seller {
        Seller { currency: Some(Currency::EUR), zone: time_zone("Europe/Stockholm") }
    }

    fn time(text: Option<&str>) -> Term<PurchaseTime> {
        text.map_or(Term::Absent, |text| Term::Read(text.parse().unwrap()))
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
            // Days of the merchant's zone: June began two hours ago.
            ("AVAILABLE", Some("2026-06-01"), Some("2026-06-01"), true),
            ("AVAILABLE", None, Some("2026-05-31"), false),
            ("AVAILABLE", Some("2026-06-02"), None, false),
            ("AVAILABLE", None, Some("2026-06-01T00:00:00"), false),
            ("AVAILABLE", None, Some("2026-05-31T24:00:00Z"), false),
            ("AVAILABLE", Some("2999-01-01"), None, false),
            ("HIDDEN", before, after, false),
            ("available", None, None, false),
        ] {
            let offer = Offer {
                status: status.to_owned(),
                available_for_purchase_time: time(begin),
                expire_for_purchase_time: time(end),
                ..offer("1")
            };
            assert_eq!(offer.on_sale(&seller(), now).is_ok(), expected, "{status} {begin:?} {end:?}");
        }
    }

    #[test]
    fn an_offer_without_a_currency_is_sold_in_its_merchants() {
        let (eur, usd) = (Some(Currency::EUR), Some(Currency::USD));
        let unreadable = Term::Unreadable { text: "kr".to_owned(), problem: SaleProblem::new("currency", "?") };
        for (currency, merchant, expected) in [
            (Term::Read(Currency::USD), eur, usd),
            (Term::Read(Currency::USD), None, usd),
            (Term::Absent, eur, eur),
            (Term::Absent, None, None),
            (unreadable, eur, None),
        ] {
            let offer = Offer { currency: currency.clone(), ..offer("1") };
            let on_sale = offer.on_sale(&Seller { currency: merchant, ..seller() }, Timestamp::UNIX_EPOCH);
            assert_eq!(on_sale.ok().map(|sale| sale.currency), expected, "{currency:?} {merchant:?}");
        }
    }

    #[test]
    fn a_till_sells_the_requested_offer_or_a_default_one_that_can_be_sold_now() {
        use OfferType::{GiftcardDigital as Gift, RefundDigital as Refund};
        use SelectionError::{NotForSale as Not, NotFound, NothingToSell};
        let now = "2026-06-01T00:00:00Z".parse().unwrap();
        let own = || {
            [
                ("9", Gift, "AVAILABLE", None),
                ("10", Gift, "AVAILABLE", None),
                ("3", Gift, "HIDDEN", None),
                ("4", Gift, "AVAILABLE", Some("2026-05-30")),
                ("5", Refund, "HIDDEN", None),
                ("12", Refund, "AVAILABLE", Some("2026-05-31")),
            ]
            .map(|(id, offer_type, status, end)| Offer {
                offer_type,
                status: status.to_owned(),
                expire_for_purchase_time: time(end),
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
            (named("3"), None, Err(Not(NotForSale::NotAvailable))),
            (named("4"), None, Err(Not(NotForSale::OutsidePurchaseTimes))),
            (named("11"), None, Err(NotFound)),
        ] {
            let selected = selection.select(own(), configured.map(OfferId::new).as_ref(), &seller(), now);
            let selected = selected.map(|sale| sale.offer.id.to_string());
            assert_eq!(selected, expected.map(str::to_owned), "{selection:?} {configured:?}");
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
            currency: Term::Absent,
            pricing: Pricing {
                default_price: Term::Absent,
                min: Term::Absent,
                max: Term::Absent,
                denominations: Term::Absent,
                price_locked: Term::Absent,
            },
            available_for_purchase_time: Term::Absent,
            expire_for_purchase_time: Term::Absent,
            valid_days: None,
            image_url: None,
        }
    }
}
