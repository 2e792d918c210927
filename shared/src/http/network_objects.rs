//! The card network's objects in responses, as far as their fields are known. They are passed on unchanged, so any of them
//! may have more fields, and a field may be missing or null in an older record.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::schemas::{Schemas, described};

/// The type of a field in the network's objects.
#[derive(Clone, Copy)]
enum Field {
    /// An id or a code: its releases differ in whether it is a string or a number.
    Code,
    /// Decimal currency units, as a number or as a string of digits.
    Amount,
    Text,
    Flag,
    Number,
    /// A list or, in older records, text with commas.
    Amounts,
    Designs,
}

impl Field {
    fn schema(self) -> RefOr<Schema> {
        let types = |types: &[Type]| SchemaType::Array([types, &[Type::Null]].concat());
        let plain = |of: &[Type]| ObjectBuilder::new().schema_type(types(of));
        match self {
            Self::Code | Self::Amount => plain(&[Type::String, Type::Number]).into(),
            Self::Text => plain(&[Type::String]).into(),
            Self::Flag => plain(&[Type::Boolean]).into(),
            Self::Number => plain(&[Type::Number, Type::String]).into(),
            Self::Amounts => {
                let amount = ObjectBuilder::new().schema_type(SchemaType::Array(vec![Type::Number, Type::String]));
                let list = ArrayBuilder::new().items(amount);
                list.schema_type(types(&[Type::Array, Type::String])).into()
            }
            Self::Designs => {
                let design = open_object("An image of the card.", DESIGN_FIELDS);
                ArrayBuilder::new().items(design).schema_type(types(&[Type::Array])).into()
            }
        }
    }
}

type Fields = &'static [(&'static str, Field, &'static str)];

const DESIGN_FIELDS: Fields = &[
    ("urlImage", Field::Text, "The address of the image."),
    ("urlResource", Field::Text, "The address of the image in older records."),
];

fn open_object(text: &str, fields: Fields) -> RefOr<Schema> {
    let mut object =
        ObjectBuilder::new().description(Some(text)).additional_properties(Some(AdditionalProperties::FreeForm(true)));
    for (name, field, text) in fields {
        object = object.property(*name, described(field.schema(), text));
    }
    object.into()
}

macro_rules! network_objects {
    ($($(#[doc = $doc:literal])* $name:ident: $text:literal, $fields:expr;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Serialize)]
        pub struct $name(());

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                open_object($text, $fields)
            }
        }

        impl ToSchema for $name {}
    )*};
}

network_objects! {
    /// The record of a card.
    NetworkCard: "The record of a card at the card network, unchanged. It has at least the `qrCode`.", &[
        ("qrCode", Field::Code, "The code that a till scans."),
        ("cardNo", Field::Code, "The number that is printed on the card."),
        ("giftCardId", Field::Code, "The id of the card at the network."),
        ("giftCardOfferId", Field::Code, "The id of the offer that the card was issued from."),
        ("merchantId", Field::Code, "The id of the merchant at the network."),
        ("status", Field::Text, "Such as `ACTIVE`, `BLOCKED` or `EXPIRED`."),
        ("value", Field::Amount, "The value when it was issued, in currency units."),
        ("valueRemains", Field::Amount, "The value that can be redeemed, in currency units. It is unknown if the text is not a \
                                         decimal."),
        ("currency", Field::Text, "ISO 4217 code of the values."),
        ("expiresAt", Field::Text, "When the card can no longer be redeemed, in ISO 8601."),
        ("networkCode", Field::Code, "The network's own code of the card."),
    ];

    /// The network's response to a redeem.
    NetworkRedemption: "The card network's response to a redeem, unchanged.", &[
        ("transactionId", Field::Code, "The id of the redemption at the network."),
        ("qrCode", Field::Code, "The code of the card."),
        ("amount", Field::Amount, "The redeemed amount in currency units."),
        ("currency", Field::Text, "ISO 4217 code of the amounts."),
        ("valueRemains", Field::Amount, "The value that is left, in currency units."),
        ("status", Field::Text, "The status of the card after the redeem."),
        ("networkCode", Field::Code, "The network's own code of the card."),
    ];

    /// A store of the network.
    NetworkStore: "A store at the card network, unchanged.", STORE_FIELDS;

    /// An offer of the network.
    NetworkOffer: "The offer as the card network returned it, unchanged: its fields can be of any type. Rely on the properties \
                   beside it instead.", &[];

    /// The request for a new offer.
    NewOffer: "The fields of an offer, which the card network validates. Additional fields are sent to it unchanged.", &[
        ("name", Field::Text, "The name that buyers see."),
        ("description", Field::Text, "The text that buyers see."),
        ("giftCardOfferType", Field::Text, "`GIFTCARD_DIGITAL` or `REFUND_DIGITAL`."),
        ("giftCardOfferStatus", Field::Text, "Such as `AVAILABLE` or `NOT_AVAILABLE`."),
        ("defaultPrice", Field::Amount, "The suggested price, or the only one if `priceLocked`, in currency units."),
        ("minPrice", Field::Amount, "The lowest price in currency units."),
        ("maxPrice", Field::Amount, "The highest price in currency units."),
        ("priceLocked", Field::Flag, "Whether the card is only sold at the `defaultPrice`."),
        ("unlimited", Field::Flag, "Whether any number of cards can be sold."),
        ("denominations", Field::Amounts, "The prices to choose from, in currency units."),
        ("currency", Field::Text, "ISO 4217 code of the prices."),
        ("availableForPurchaseTime", Field::Text, "When the sale begins, in ISO 8601."),
        ("expireForPurchaseTime", Field::Text, "When the sale ends, in ISO 8601."),
        ("numberOfDaysCardIsValidFromPurchaseTime", Field::Number, "For how many days after its sale a card can be redeemed."),
        ("giftCardDesign", Field::Designs, "The images of the card."),
        ("urlGiftcardResource", Field::Text, "The address of the image."),
    ];

    /// An image of an offer.
    OfferDesign: "An image of the card.", DESIGN_FIELDS;

    /// The network's response to a request that it refused.
    CardNetworkRefusal: "The card network's response if it is an object, unchanged.", &[
        ("code", Field::Code, "The network's code, such as `INSUFFICIENT_FUNDS`, `CARD_BLOCKED`, `CARD_EXPIRED` or `CARD_NOT_FOUND`."),
        ("message", Field::Text, "The network's explanation, for people."),
    ];
}

const STORE_FIELDS: Fields = &[
    ("externalId", Field::Code, "The id of the store, which the merchant chooses."),
    ("name", Field::Code, "The name that customers know."),
    ("address1", Field::Code, "Street and number."),
    ("address2", Field::Code, "The second line of the address."),
    ("city", Field::Code, "The town."),
    ("postcode", Field::Code, "The postal code."),
    ("country", Field::Code, "ISO 3166-1 alpha-2 code."),
    ("cashRegisters", Field::Number, "The number of tills."),
    ("status", Field::Code, "`ACTIVE` or `NOT_ACTIVE`."),
];

/// JSON of the network, passed on unchanged and described as `T`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Unchanged<T> {
    json: Box<RawValue>,
    described_as: PhantomData<T>,
}

impl<T> From<Box<RawValue>> for Unchanged<T> {
    fn from(json: Box<RawValue>) -> Self {
        Self { json, described_as: PhantomData }
    }
}

impl<T: ToSchema> PartialSchema for Unchanged<T> {
    fn schema() -> RefOr<Schema> {
        T::schema()
    }
}

impl<T: ToSchema> ToSchema for Unchanged<T> {
    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn schemas(schemas: &mut Schemas) {
        T::schemas(schemas);
    }
}

/// A single value that the network returns.
#[derive(Debug, Serialize)]
pub struct NetworkValue(());

impl PartialSchema for NetworkValue {
    fn schema() -> RefOr<Schema> {
        described(Field::Code.schema(), "An id or a code as the card network returns it: a string, a number or null.")
    }
}

impl ToSchema for NetworkValue {}
