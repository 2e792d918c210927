//! Offers, with the current and the older names of their fields.

use http::Method;
use jiff::Timestamp;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::client::{Call, CardNetwork, Fields, NetworkError, WRITE_TIMEOUT, parse, segment, text};
use crate::best_effort::best_effort;
use crate::domain::ids::{NetworkMerchantId, OfferId};
use crate::domain::money::Decimal;
use crate::domain::offer::{Offer, OfferStatus, OfferType, Pricing};
use crate::invocation::Invocation;

// The current name comes first.
const ID: [&str; 2] = ["giftCardOfferId", "id"];
const STATUS: [&str; 2] = ["giftCardOfferStatus", "status"];
const DEFAULT_PRICE: [&str; 3] = ["defaultPrice", "default_price", "faceValue"];
const MIN_PRICE: [&str; 3] = ["minPrice", "min", "min_price"];
const MAX_PRICE: [&str; 3] = ["maxPrice", "max", "max_price"];
/// The fields with several names that can be changed.
const RENAMED: [&[&str]; 4] = [&STATUS, &DEFAULT_PRICE, &MIN_PRICE, &MAX_PRICE];
const MERCHANT: &str = "merchantId";

/// An offer as the network returns it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawOffer(Fields);

impl RawOffer {
    /// The offer in the terms of the portal. An offer without an id is unreadable.
    pub fn read(&self) -> Result<Offer, NetworkError> {
        let Self(fields) = self;
        let id = text(fields, &ID).ok_or(NetworkError::Unreadable(http::StatusCode::OK))?;
        Ok(Offer {
            id: OfferId::new(id),
            merchant: text(fields, &[MERCHANT]).map(NetworkMerchantId::new),
            name: text(fields, &["name"]).unwrap_or_default(),
            description: text(fields, &["description"]),
            offer_type: OfferType::normalise(&text(fields, &["giftCardOfferType"]).unwrap_or_default()),
            status: text(fields, &STATUS).unwrap_or_default(),
            currency: text(fields, &["currency"]),
            pricing: Pricing {
                default_price: decimal(fields, &DEFAULT_PRICE),
                min: decimal(fields, &MIN_PRICE),
                max: decimal(fields, &MAX_PRICE),
                denominations: denominations(fields),
                price_locked: boolean(fields, "priceLocked"),
            },
            available_for_purchase_time: text(fields, &["availableForPurchaseTime"]),
            expire_for_purchase_time: text(fields, &["expireForPurchaseTime"]),
            valid_days: decimal(fields, &["numberOfDaysCardIsValidFromPurchaseTime"]),
            image_url: image_url(fields),
        })
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

    /// The offer with another status.
    pub fn with_status(mut self, status: OfferStatus) -> Result<Self, serde_json::Error> {
        self.set(STATUS[0].to_owned(), to_raw_value(&status)?);
        Ok(self)
    }

    /// Sets the field, and its older names where the record has them, so that they never contradict each other.
    fn set(&mut self, name: String, value: Box<RawValue>) {
        let names = RENAMED.into_iter().find(|names| names.contains(&&*name)).unwrap_or_default();
        for other_name in names {
            if let Some(other) = self.0.get_mut(*other_name) {
                other.clone_from(&value);
            }
        }
        self.0.insert(name, value);
    }
}

fn decimal(fields: &Fields, names: &[&str]) -> Option<Decimal> {
    names.iter().filter_map(|name| fields.get(*name)).find_map(|raw| Decimal::from_json(raw).ok())
}

fn boolean(fields: &Fields, name: &str) -> bool {
    fields.get(name).is_some_and(|raw| matches!(raw.get(), "true" | "\"true\""))
}

/// An array, or a string of comma-separated numbers. Values that are not numbers are left out.
fn denominations(fields: &Fields) -> Vec<Decimal> {
    let Some(raw) = fields.get("denominations") else { return Vec::new() };
    if let Ok(list) = serde_json::from_str::<Vec<Box<RawValue>>>(raw.get()) {
        return list.iter().filter_map(|value| Decimal::from_json(value).ok()).collect();
    }
    let list: String = serde_json::from_str(raw.get()).unwrap_or_default();
    list.split(',').filter_map(|value| value.trim().parse().ok()).collect()
}

fn image_url(fields: &Fields) -> Option<String> {
    let designs: Vec<Fields> = serde_json::from_str(fields.get("giftCardDesign")?.get()).ok()?;
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

    /// Those of this account that can be sold now, without the unreadable ones.
    pub fn on_sale<'a>(&'a self, account: &'a NetworkMerchantId, now: Timestamp) -> impl Iterator<Item = Offer> + 'a {
        let readable = self.offers().filter_map(|raw| best_effort("an offer of the card network's list", raw.read()));
        readable.filter(move |offer| offer.belongs_to(account) && offer.is_on_sale(now))
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

    /// Creates an offer of a merchant.
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

    fn offer(json: &str) -> Offer {
        serde_json::from_str::<RawOffer>(json).unwrap().read().unwrap()
    }

    #[test]
    fn current_and_older_field_names_are_read() {
        let prices = |offer: &Offer| {
            let Pricing { default_price, min, max, .. } = &offer.pricing;
            [default_price, min, max].map(|price| price.as_ref().map(ToString::to_string))
        };
        for json in [
            r#"{"giftCardOfferId": 7, "giftCardOfferStatus": "HIDDEN", "defaultPrice": 25, "minPrice": 10, "maxPrice": 50}"#,
            r#"{"id": "7", "status": "HIDDEN", "default_price": "25.00", "min": "10", "max": "50.0"}"#,
            r#"{"id": 7, "status": "HIDDEN", "faceValue": 25.0, "min_price": 10, "max_price": 5e1}"#,
            r#"{"giftCardOfferId": 7, "id": 8, "giftCardOfferStatus": "HIDDEN", "status": "AVAILABLE",
                "defaultPrice": 25, "faceValue": 1, "minPrice": 10, "min": 1, "maxPrice": 50, "max": 1}"#,
            r#"{"id": 7, "status": "HIDDEN", "defaultPrice": null, "faceValue": "25", "min": 10, "max": 50}"#,
        ] {
            let offer = offer(json);
            assert_eq!((offer.id.as_str(), offer.status.as_str()), ("7", "HIDDEN"), "{json}");
            assert_eq!(prices(&offer), [Some("25".into()), Some("10".into()), Some("50".into())], "{json}");
        }
    }

    #[test]
    fn denominations_are_an_array_a_string_or_missing() {
        for (json, expected) in [
            (r#"{"id": 1, "denominations": [10, "25.50"]}"#, vec!["10", "25.5"]),
            (r#"{"id": 1, "denominations": "10, 25.50,x"}"#, vec!["10", "25.5"]),
            (r#"{"id": 1, "denominations": null}"#, vec![]),
            (r#"{"id": 1}"#, vec![]),
        ] {
            let read: Vec<String> = offer(json).pricing.denominations.iter().map(ToString::to_string).collect();
            assert_eq!(read, expected, "{json}");
        }
    }

    #[test]
    fn a_merge_keeps_id_merchant_and_every_digit_of_other_fields() {
        let raw: RawOffer =
            serde_json::from_str(r#"{"id": 7, "merchantId": "1", "odd": 0.10000000000000000001, "name": "A"}"#).unwrap();
        let changes: Fields = serde_json::from_str(r#"{"id": 8, "merchantId": "2", "name": "B"}"#).unwrap();
        let merged = serde_json::to_string(&raw.merged_with(changes)).unwrap();
        assert_eq!(merged, r#"{"id":7,"merchantId":"1","name":"B","odd":0.10000000000000000001}"#);
    }

    #[test]
    fn a_change_applies_to_every_name_that_the_record_has() {
        let merged = |raw: &str, changes: &str| {
            let raw: RawOffer = serde_json::from_str(raw).unwrap();
            serde_json::to_string(&raw.merged_with(serde_json::from_str(changes).unwrap())).unwrap()
        };
        for (raw, changes, expected) in [
            (r#"{"id":7,"faceValue":"25.00"}"#, r#"{"defaultPrice":30}"#, r#"{"defaultPrice":30,"faceValue":30,"id":7}"#),
            (
                r#"{"default_price":1,"faceValue":2}"#,
                r#"{"defaultPrice":3}"#,
                r#"{"defaultPrice":3,"default_price":3,"faceValue":3}"#,
            ),
            (r#"{"min":1,"max":9}"#, r#"{"minPrice":2}"#, r#"{"max":9,"min":2,"minPrice":2}"#),
            (r#"{"max_price":9}"#, r#"{"maxPrice":8}"#, r#"{"maxPrice":8,"max_price":8}"#),
            (r#"{"minPrice":1}"#, r#"{"minPrice":2}"#, r#"{"minPrice":2}"#),
            (
                r#"{"status":"AVAILABLE"}"#,
                r#"{"giftCardOfferStatus":"HIDDEN"}"#,
                r#"{"giftCardOfferStatus":"HIDDEN","status":"HIDDEN"}"#,
            ),
        ] {
            assert_eq!(merged(raw, changes), expected);
        }
        let old: RawOffer = serde_json::from_str(r#"{"status":"AVAILABLE"}"#).unwrap();
        let hidden = serde_json::to_string(&old.with_status(OfferStatus::Hidden).unwrap()).unwrap();
        assert_eq!(hidden, r#"{"giftCardOfferStatus":"HIDDEN","status":"HIDDEN"}"#);
    }

    /// The number of offers in a list.
    fn count(list: &[u8], is_complete: bool) -> Option<usize> {
        OfferList::parse(list, is_complete).map(|list| list.offers().count())
    }

    #[test]
    fn lists_are_wrapped_or_bare() {
        for json in [
            r#"{"offers": [{"id": 1}]}"#,
            r#"{"page": {"offers": 7}, "offers": [{"id": 1}], "next": [1]}"#,
            r#"[{"id": 1}]"#,
            r#"[null, {"id": 1}, 7]"#,
        ] {
            assert_eq!(count(json.as_bytes(), true).unwrap(), 1, "{json}");
        }
        for json in ["{}", r#"{"offers": null}"#, r#"[{"id": 1}"#, "7", "[1}"] {
            assert!(count(json.as_bytes(), true).is_none(), "{json}");
        }
    }

    #[test]
    fn a_list_that_was_cut_has_the_offers_before_the_cut() {
        let list = r#"{"next": "å", "offers": [{"id": 1, "name": "å"}, {"id": 2, "minPrice": -2.5e+1}, {"id": 3}, 4.5]}"#;
        let counts: Vec<usize> = (0..list.len()).map(|cut| count(&list.as_bytes()[..cut], false).unwrap()).collect();
        assert!(counts.is_sorted() && counts.first() == Some(&0) && counts.last() == Some(&3), "{counts:?}");
        assert!(count(b"<html>", false).is_none());
    }
}
