//! Offers, with the current and the older names of their fields.

use std::fmt::Display;

use http::Method;
use jiff::Timestamp;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::client::{Call, CardNetwork, Fields, NetworkError, WRITE_TIMEOUT, parse, segment, text, text_of};
use crate::base::best_effort::best_effort;
use crate::base::invocation::Invocation;
use crate::offers::model::offer::{Offer, OfferStatus, OfferType, OnSale, Seller};
use crate::offers::model::prices::Pricing;
use crate::offers::model::terms::{PurchaseTime, SaleProblem, Term};
use crate::values::{AmountError, Currency, Decimal, NetworkMerchantId, OfferId, UnknownCurrency};

// The current name comes first.
const ID: [&str; 2] = ["giftCardOfferId", "id"];
const STATUS: [&str; 2] = ["giftCardOfferStatus", "status"];
const DEFAULT_PRICE: [&str; 3] = ["defaultPrice", "default_price", "faceValue"];
const MIN_PRICE: [&str; 3] = ["minPrice", "min", "min_price"];
const MAX_PRICE: [&str; 3] = ["maxPrice", "max", "max_price"];
/// The fields with several names that can be changed.
const RENAMED: [&[&str]; 4] = [&STATUS, &DEFAULT_PRICE, &MIN_PRICE, &MAX_PRICE];
const MERCHANT: &str = "merchantId";
const CURRENCY: &str = "currency";
const PURCHASE_TIMES: [&str; 2] = ["availableForPurchaseTime", "expireForPurchaseTime"];

/// An offer as the network returns it: its fields in their order and spelling, also those that are there twice.
#[derive(Debug, Clone)]
pub struct RawOffer(Vec<Field>);

#[derive(Debug, Clone)]
struct Field {
    name: String,
    /// The name as it is spelled, in quotes.
    key: Box<RawValue>,
    value: Box<RawValue>,
}

impl RawOffer {
    /// The offer in the terms of the portal. An offer without an id is unreadable.
    pub fn read(&self) -> Result<Offer, NetworkError> {
        let id = self.text(&ID).ok_or(NetworkError::Unreadable(http::StatusCode::OK))?;
        let [available_for_purchase_time, expire_for_purchase_time] = PURCHASE_TIMES.map(|name| self.purchase_time(name));
        Ok(Offer {
            id: OfferId::new(id),
            merchant: self.text(&[MERCHANT]).map(NetworkMerchantId::new),
            name: self.text(&["name"]).unwrap_or_default(),
            description: self.text(&["description"]),
            offer_type: OfferType::normalise(&self.text(&["giftCardOfferType"]).unwrap_or_default()),
            status: self.text(&STATUS).unwrap_or_default(),
            currency: self.currency(),
            pricing: Pricing {
                default_price: self.term(&DEFAULT_PRICE, decimal),
                min: self.term(&MIN_PRICE, decimal),
                max: self.term(&MAX_PRICE, decimal),
                denominations: self.term(&["denominations"], denominations),
                price_locked: self.term(&["priceLocked"], |text| text.trim().parse().map_err(|_| "must be true or false")),
            },
            available_for_purchase_time,
            expire_for_purchase_time,
            valid_days: self.get("numberOfDaysCardIsValidFromPurchaseTime").and_then(|raw| Decimal::from_json(raw).ok()),
            image_url: self.get("giftCardDesign").and_then(image_url),
        })
    }

    /// The last one of this name, as readers of JSON have it.
    fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().rev().find(|field| field.name == name).map(|field| &*field.value)
    }

    /// The first of these fields that is a string or a number, as text.
    fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().filter_map(|name| self.get(name)).find_map(text_of)
    }

    /// The first of these fields that is not missing, null or blank. `read` gets the text of a string, or other JSON.
    fn term<T, E: Display>(&self, names: &[&str], read: impl FnOnce(&str) -> Result<T, E>) -> Term<T> {
        let Some(text) = names.iter().filter_map(|name| self.get(name)).find_map(written) else { return Term::Absent };
        match read(&text) {
            Ok(value) => Term::Read(value),
            Err(reason) => Term::Unreadable { problem: SaleProblem::new(names.first().unwrap_or(&""), reason), text },
        }
    }

    fn currency(&self) -> Term<Currency> {
        self.term(&[CURRENCY], str::parse)
    }

    fn purchase_time(&self, name: &str) -> Term<PurchaseTime> {
        self.term(&[name], str::parse)
    }

    /// Why an offer must not be changed like this: a new text that cannot be read, or a currency of the past. One that stays
    /// as it is never matters.
    pub fn problem_of_change(&self, changes: &Fields) -> Option<SaleProblem> {
        let changed = Self(Vec::new()).merged_with(changes.clone());
        let (currency, current) = (changed.currency(), self.currency());
        let of_currency = match currency.limit() {
            _ if currency == current || !changes.contains_key(CURRENCY) => None,
            Ok(Some(currency)) => currency.require_current().err().map(|error| SaleProblem::new(CURRENCY, error)),
            Ok(None) => Some(SaleProblem::new(CURRENCY, UnknownCurrency)),
            Err(problem) => Some(problem),
        };
        let times = PURCHASE_TIMES.map(|name| (changed.purchase_time(name), self.purchase_time(name)));
        let mut changed_times = times.iter().filter(|(changed, current)| changed != current);
        of_currency.or_else(|| changed_times.find_map(|(changed, _)| changed.limit().err()))
    }

    /// The offer with changed fields. Its id and its merchant cannot be changed.
    #[must_use]
    pub fn merged_with(mut self, changes: Fields) -> Self {
        let fixed = |name: &str| ID.contains(&name) || name == MERCHANT;
        for (name, value) in changes.into_iter().filter(|(name, _)| !fixed(name)) {
            self.set(name, value);
        }
        self
    }

    pub fn with_status(mut self, status: OfferStatus) -> Result<Self, serde_json::Error> {
        self.set(STATUS[0].to_owned(), to_raw_value(&status)?);
        Ok(self)
    }

    /// Sets the field, and its older names where the record has them, so that they never contradict each other.
    fn set(&mut self, name: String, value: Box<RawValue>) {
        let names = RENAMED.into_iter().find(|names| names.contains(&&*name)).unwrap_or_default();
        for other in self.0.iter_mut().filter(|field| field.name == name || names.contains(&&*field.name)) {
            other.value.clone_from(&value);
        }
        if self.get(&name).is_none()
            && let Ok(key) = to_raw_value(&name)
        {
            self.0.push(Field { name, key, value });
        }
    }
}

impl Serialize for RawOffer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields: Vec<String> = self.0.iter().map(|field| format!("{}:{}", field.key, field.value)).collect();
        let json = RawValue::from_string(format!("{{{}}}", fields.join(",")));
        json.map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawOffer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = RawOffer;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an offer")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawOffer, A::Error> {
                let mut fields = Vec::new();
                while let Some((key, value)) = map.next_entry::<Box<RawValue>, _>()? {
                    let name = serde_json::from_str(key.get()).map_err(A::Error::custom)?;
                    fields.push(Field { name, key, value });
                }
                Ok(RawOffer(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// The text of a string, or other JSON. `None` if it is null or blank.
fn written(raw: &RawValue) -> Option<String> {
    let json = raw.get();
    let text: String = serde_json::from_str(json).unwrap_or_else(|_| json.to_owned());
    Some(text).filter(|text| json != "null" && !text.trim().is_empty())
}

fn decimal(text: &str) -> Result<Decimal, AmountError> {
    text.trim().parse()
}

/// An array, or a string of comma-separated numbers. Values that are not numbers are left out, unless all are.
fn denominations(text: &str) -> Result<Vec<Decimal>, &'static str> {
    let values: Vec<String> = match serde_json::from_str::<Vec<Box<RawValue>>>(text) {
        Ok(list) => list.iter().filter_map(|value| written(value)).collect(),
        Err(_) => text.split(',').map(str::to_owned).filter(|value| !value.trim().is_empty()).collect(),
    };
    let amounts: Vec<Decimal> = values.iter().filter_map(|value| value.trim().parse().ok()).collect();
    if amounts.is_empty() && !values.is_empty() { Err("must be decimal numbers") } else { Ok(amounts) }
}

fn image_url(designs: &RawValue) -> Option<String> {
    let designs: Vec<Fields> = serde_json::from_str(designs.get()).ok()?;
    let design = designs.first()?;
    ["urlImage", "urlResource"].iter().find_map(|name| text(design, &[name]).filter(|url| !url.trim().is_empty()))
}

/// A longer list is cut.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// The offers of a merchant, in the network's order.
#[derive(Debug)]
pub struct OfferList {
    /// Each is parsed when it is asked for: the fields of all would need thirty times the memory of their text.
    entries: Vec<Box<RawValue>>,
    /// Whether these are all of them. A very long list is only read in part.
    pub is_complete: bool,
}

impl OfferList {
    /// Parses a response of the network: the whole list, or the beginning of one that was cut.
    pub fn parse(mut body: &[u8], is_complete: bool) -> Option<Self> {
        let mut entries = Vec::new();
        // `serde_json` takes `1.` for an error, and not for the beginning of `1.5`.
        while let [rest @ .., b'-' | b'+' | b'.' | b'e' | b'E'] = body
            && !is_complete
        {
            body = rest;
        }
        match ListReader(&mut entries).deserialize(&mut serde_json::Deserializer::from_slice(body)) {
            Err(error) if is_complete || !error.is_eof() => None,
            _ => Some(Self { entries, is_complete }),
        }
    }

    /// Those that are objects.
    pub fn offers(&self) -> impl Iterator<Item = RawOffer> {
        self.entries.iter().filter_map(|entry| serde_json::from_str(entry.get()).ok())
    }

    /// Those of this account, without the ones that have no id.
    pub fn of<'a>(&'a self, account: &'a NetworkMerchantId) -> impl Iterator<Item = Offer> + 'a {
        let readable = self.offers().filter_map(|raw| best_effort("an offer of the card network's list", raw.read()));
        readable.filter(move |offer| offer.belongs_to(account))
    }

    /// Those of this account that can be sold now.
    pub fn on_sale<'a>(
        &'a self,
        account: &'a NetworkMerchantId,
        seller: &'a Seller,
        now: Timestamp,
    ) -> impl Iterator<Item = OnSale> + 'a {
        self.of(account).filter_map(move |offer| offer.on_sale(seller, now).ok())
    }
}

impl CardNetwork {
    /// The offers of a merchant. Only to list them, or to choose one: an offer whose id is known is read [alone](Self::offer).
    pub async fn offers(&self, invocation: &Invocation, merchant: &NetworkMerchantId) -> Result<OfferList, NetworkError> {
        let path = format!("/v1/merchants/{}/offers", segment(merchant.as_str())?);
        let body = self.read(invocation, &Call::get(path).cut_after(MAX_LIST_BYTES)).await?;
        let is_complete = body.len() <= MAX_LIST_BYTES;
        OfferList::parse(&body, is_complete).ok_or(NetworkError::Unreadable(http::StatusCode::OK))
    }

    /// An offer of any merchant: the caller has to check the owner.
    pub async fn offer(&self, invocation: &Invocation, id: &OfferId) -> Result<RawOffer, NetworkError> {
        let path = format!("/v1/offers/{}", segment(id.as_str())?);
        parse(&self.read(invocation, &Call::get(path)).await?)
    }

    pub async fn create_offer(
        &self,
        invocation: &Invocation,
        merchant: &NetworkMerchantId,
        mut fields: Fields,
    ) -> Result<RawOffer, NetworkError> {
        if let Ok(merchant) = to_raw_value(merchant) {
            fields.insert(MERCHANT.to_owned(), merchant);
        }
        let call = Call::with_body(Method::POST, "/v1/offers".to_owned(), &fields);
        parse(&self.send(invocation, &call, WRITE_TIMEOUT).await?)
    }

    /// Replaces an offer.
    pub async fn put_offer(&self, invocation: &Invocation, id: &OfferId, offer: &RawOffer) -> Result<RawOffer, NetworkError> {
        let call = Call::with_body(Method::PUT, format!("/v1/offers/{}", segment(id.as_str())?), offer);
        parse(&self.send(invocation, &call, WRITE_TIMEOUT).await?)
    }
}

/// Reads `{"offers": […]}`, or the bare array of older releases of the network. It keeps the entries before an error.
struct ListReader<'a>(&'a mut Vec<Box<RawValue>>);

impl<'de> DeserializeSeed<'de> for ListReader<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ListReader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of offers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut has_list = false;
        while let Some(name) = map.next_key::<String>()? {
            if name == "offers" {
                has_list = true;
                map.next_value_seed(ListReader(&mut *self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if has_list { Ok(()) } else { Err(A::Error::missing_field("offers")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element()? {
            self.0.push(entry);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_applies_to_every_name_that_the_record_has() {
        let merged = |raw: &str, changes: &str| {
            let raw: RawOffer = serde_json::from_str(raw).unwrap();
            serde_json::to_string(&raw.merged_with(serde_json::from_str(changes).unwrap())).unwrap()
        };
        for (raw, changes, expected) in [
            (r#"{"id":7,"faceValue":"25.00"}"#, r#"{"defaultPrice":30}"#, r#"{"id":7,"faceValue":30,"defaultPrice":30}"#),
            (r#"{"name":"A","n\u0061me":"B","odd":[ 1.0 ]}"#, r#"{"name":"C"}"#, r#"{"name":"C","n\u0061me":"C","odd":[ 1.0 ]}"#),
            (
                r#"{"default_price":1,"faceValue":2}"#,
                r#"{"defaultPrice":3}"#,
                r#"{"default_price":3,"faceValue":3,"defaultPrice":3}"#,
            ),
            (r#"{"min":1,"max":9}"#, r#"{"minPrice":2}"#, r#"{"min":2,"max":9,"minPrice":2}"#),
            (r#"{"max_price":9}"#, r#"{"maxPrice":8}"#, r#"{"max_price":8,"maxPrice":8}"#),
            (r#"{"minPrice":1}"#, r#"{"minPrice":2}"#, r#"{"minPrice":2}"#),
            (
                r#"{"status":"AVAILABLE"}"#,
                r#"{"giftCardOfferStatus":"HIDDEN"}"#,
                r#"{"status":"HIDDEN","giftCardOfferStatus":"HIDDEN"}"#,
            ),
        ] {
            assert_eq!(merged(raw, changes), expected);
        }
        let old: RawOffer = serde_json::from_str(r#"{"status":"AVAILABLE"}"#).unwrap();
        let hidden = serde_json::to_string(&old.with_status(OfferStatus::Hidden).unwrap()).unwrap();
        assert_eq!(hidden, r#"{"status":"HIDDEN","giftCardOfferStatus":"HIDDEN"}"#);
    }

    /// The number of offers in a list.
    fn count(list: &[u8], is_complete: bool) -> Option<usize> {
        OfferList::parse(list, is_complete).map(|list| list.offers().count())
    }

    #[test]
    fn a_list_that_was_cut_has_the_offers_before_the_cut() {
        let list = r#"{"next": "å", "offers": [{"id": 1, "name": "å"}, {"id": 2, "minPrice": -2.5e+1}, {"id": 3}, 4.5]}"#;
        let counts: Vec<usize> = (0..list.len()).map(|cut| count(&list.as_bytes()[..cut], false).unwrap()).collect();
        assert!(counts.is_sorted() && counts.first() == Some(&0) && counts.last() == Some(&3), "{counts:?}");
        assert!(count(b"<html>", false).is_none());
    }
}
