//! Timestamps in responses.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::base::clock::iso_8601;

/// A timestamp in a response: always with three decimals of a second and `Z`, so that the text sorts by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UtcTime(pub Timestamp);

impl From<Timestamp> for UtcTime {
    fn from(time: Timestamp) -> Self {
        Self(time)
    }
}

impl Serialize for UtcTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&iso_8601(self.0))
    }
}

impl PartialSchema for UtcTime {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .pattern(Some(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"))
            .description(Some("ISO 8601 in UTC, with three decimals of a second."));
        text.build().into()
    }
}

impl ToSchema for UtcTime {
    fn name() -> Cow<'static, str> {
        "Timestamp".into()
    }
}
