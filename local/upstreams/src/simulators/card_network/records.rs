//! The records of the network. Beyond its ids, a record keeps all fields as they were written.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::state::Change;

/// The fields of a record in their order, as raw JSON, so that numbers are never rounded. A field can be there twice: the last
/// one counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Record(Vec<(String, Box<RawValue>)>);

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Record;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Record(fields))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

impl Record {
    fn get(&self, field: &str) -> Option<&RawValue> {
        self.0.iter().rev().find(|(name, _)| name == field).map(|(_, value)| &**value)
    }

    fn put(&mut self, field: &str, value: &RawValue) {
        if self.get(field).is_none() {
            self.0.push((field.to_owned(), value.to_owned()));
        }
        self.0.iter_mut().filter(|(name, _)| name == field).for_each(|(_, current)| *current = value.to_owned());
    }

    pub(super) fn raw(&self, field: &str) -> Option<&RawValue> {
        self.get(field).filter(|value| value.get() != "null")
    }

    /// Returns the string in `field`, or `None` if the field is not a string.
    pub(super) fn string(&self, field: &str) -> Option<String> {
        serde_json::from_str(self.raw(field)?.get()).ok()
    }

    /// Returns the first of `fields` that is a number or a string, as text.
    pub(super) fn scalar(&self, fields: &[&str]) -> Option<String> {
        fields.iter().find_map(|field| Some(serde_json::from_str::<Scalar>(self.raw(field)?.get()).ok()?.0))
    }

    pub(super) fn set(&mut self, field: &str, value: &impl Serialize) -> serde_json::Result<()> {
        self.put(field, &to_raw_value(value)?);
        Ok(())
    }

    /// Sets a decimal: as a string if the field was a string, otherwise as a number.
    pub(super) fn set_decimal(&mut self, field: &str, decimal: String) -> serde_json::Result<()> {
        if self.string(field).is_some() {
            return self.set(field, &decimal);
        }
        self.put(field, &RawValue::from_string(decimal)?);
        Ok(())
    }

    /// Sets `field` if it is missing. A null field is not missing.
    pub(super) fn set_default(&mut self, field: &str, value: &impl Serialize) -> serde_json::Result<()> {
        if self.get(field).is_some() { Ok(()) } else { self.set(field, value) }
    }

    pub(super) fn remove(&mut self, field: &str) {
        self.0.retain(|(name, _)| name != field);
    }

    pub(super) fn fields(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Replaces each field that `other` contains.
    pub(super) fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(name, value)| self.put(name, value));
    }

    /// Copies `field` from `other`. Removes it if `other` does not contain it.
    pub(super) fn copy_field(&mut self, field: &str, other: &Self) {
        match other.get(field) {
            Some(value) => self.put(field, value),
            None => self.remove(field),
        }
    }

    /// Replaces relative times such as `now+7d` with timestamps.
    fn with_absolute_timestamps(mut self, now: Timestamp) -> serde_json::Result<Self> {
        for (_, value) in &mut self.0 {
            let text = serde_json::from_str::<String>(value.get()).ok();
            if let Some(time) = text.and_then(|text| relative_time(&text, now)) {
                *value = to_raw_value(&time)?;
            }
        }
        Ok(self)
    }

    fn required_string(&self, field: &str) -> Result<String, String> {
        if self.raw(field).is_none() {
            return Err(format!("missing field `{field}`"));
        }
        self.string(field).filter(|text| !text.is_empty()).ok_or_else(|| format!("`{field}` must be a non-empty string"))
    }
}

fn relative_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    now.checked_add(offset_from_now(text)?).ok()
}

/// Parses a relative time of a fixtures document, such as `now-3d`, `now+2h` or `now-5m`, into its offset from now.
pub fn offset_from_now(text: &str) -> Option<SignedDuration> {
    let offset = text.strip_prefix("now")?;
    let unit = offset.chars().last()?;
    let count: i64 = offset.strip_suffix(unit)?.parse().ok()?;
    let minutes = match unit {
        'm' => count,
        'h' => count.checked_mul(60)?,
        'd' => count.checked_mul(60 * 24)?,
        _ => return None,
    };
    let has_sign = offset.starts_with(['+', '-']);
    has_sign.then(|| SignedDuration::try_from_mins(minutes)).flatten()
}

/// A JSON number or string, as text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Box<RawValue>")]
pub(super) struct Scalar(pub(super) String);

impl TryFrom<Box<RawValue>> for Scalar {
    type Error = String;

    fn try_from(value: Box<RawValue>) -> Result<Self, String> {
        let text = value.get();
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map(Self).map_err(|error| error.to_string()),
            Some(b'-' | b'0'..=b'9') => Ok(Self(text.to_owned())),
            _ => Err("must be a number or a string".to_owned()),
        }
    }
}

/// A merchant's account.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub(super) struct Merchant {
    pub(super) id: String,
    pub(super) record: Record,
}

/// A retail store of a merchant.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub(super) struct Store {
    pub(super) merchant: String,
    pub(super) external_id: String,
    pub(super) record: Record,
}

impl Store {
    /// Its merchant and its external id.
    pub(super) fn key(&self) -> (String, String) {
        (self.merchant.clone(), self.external_id.clone())
    }
}

/// An offer of a merchant.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub(super) struct Offer {
    pub(super) id: u64,
    pub(super) merchant: String,
    pub(super) record: Record,
}

/// A gift card.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Record", into = "Record")]
pub(super) struct Card {
    pub(super) qr_code: String,
    pub(super) record: Record,
}

impl TryFrom<Record> for Merchant {
    type Error = String;

    fn try_from(record: Record) -> Result<Self, String> {
        Ok(Self { id: record.required_string("merchantId")?, record })
    }
}

impl TryFrom<Record> for Store {
    type Error = String;

    fn try_from(record: Record) -> Result<Self, String> {
        let (merchant, external_id) = (record.required_string("merchantId")?, record.required_string("externalId")?);
        Ok(Self { merchant, external_id, record })
    }
}

impl TryFrom<Record> for Offer {
    type Error = String;

    fn try_from(record: Record) -> Result<Self, String> {
        let merchant = record.required_string("merchantId")?;
        let id = record.scalar(&["giftCardOfferId", "id"]).ok_or("missing field `giftCardOfferId`")?;
        let id = id.parse().map_err(|_| "`giftCardOfferId` must be a number")?;
        Ok(Self { id, merchant, record })
    }
}

impl TryFrom<Record> for Card {
    type Error = String;

    fn try_from(record: Record) -> Result<Self, String> {
        Ok(Self { qr_code: record.required_string("qrCode")?, record })
    }
}

macro_rules! impl_into_record {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Record {
            fn from(value: $kind) -> Self {
                value.record
            }
        }
    )*};
}
impl_into_record!(Merchant, Store, Offer, Card);

/// The card network section of a fixtures document. Deserialization validates it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardNetworkFixtures {
    #[serde(default)]
    merchants: Option<Vec<Merchant>>,
    #[serde(default)]
    stores: Option<Vec<Store>>,
    #[serde(default)]
    offers: Option<Vec<Offer>>,
    /// Older cards have no `merchantId`.
    #[serde(default)]
    cards: Option<Vec<Card>>,
}

impl CardNetworkFixtures {
    /// The new records, with absolute times.
    pub(super) fn changes(&self, now: Timestamp) -> serde_json::Result<Vec<Change>> {
        let merchants = self.merchants.iter().flatten().map(|merchant| Ok(Change::Merchant(merchant.clone())));
        let stores = self.stores.iter().flatten().map(|store| Ok(Change::Store(store.clone())));
        let offers = self.offers.iter().flatten().map(|offer| {
            let record = offer.record.clone().with_absolute_timestamps(now)?;
            Ok(Change::Offer(Offer { record, ..offer.clone() }))
        });
        let cards = self.cards.iter().flatten().map(|card| {
            let record = card.record.clone().with_absolute_timestamps(now)?;
            Ok(Change::Card(Card { record, ..card.clone() }))
        });
        merchants.chain(stores).chain(offers).chain(cards).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(document: &str) -> Result<CardNetworkFixtures, String> {
        let mut json = serde_json::Deserializer::from_str(document);
        serde_path_to_error::deserialize(&mut json).map_err(|error| error.to_string())
    }

    #[test]
    fn errors_name_the_path_and_the_field() {
        for (document, expected) in [
            (r#"{"merchants": [{"merchantId": "1"}, {"name": "A"}]}"#, "merchants[1]: missing field `merchantId`"),
            (r#"{"stores": [{"merchantId": "1"}]}"#, "stores[0]: missing field `externalId`"),
            (r#"{"offers": [{"merchantId": "1"}]}"#, "offers[0]: missing field `giftCardOfferId`"),
            (r#"{"offers": [{"merchantId": "1", "id": "x"}]}"#, "offers[0]: `giftCardOfferId` must be a number"),
            (r#"{"offers": [{"merchantId": 1, "id": 1}]}"#, "offers[0]: `merchantId` must be a non-empty string"),
            (r#"{"cards": [{"qrCode": null}]}"#, "cards[0]: missing field `qrCode`"),
            (r#"{"shops": []}"#, "shops: unknown field `shops`"),
        ] {
            let error = parse(document).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_record_keeps_its_fields_and_numbers_as_written() {
        let offer = r#"{"status":"AVAILABLE","id":"7","max":1,"merchantId":"1","max":9007199254740993.10}"#;
        let fixtures = parse(&format!(r#"{{"offers": [{offer}], "cards": null}}"#)).unwrap();

        assert_eq!(serde_json::to_string(&fixtures.offers.unwrap()[0]).unwrap(), offer);
    }
}
