//! E-mail addresses in requests.

use serde::Deserialize;
use shared::aws::mail::{MAX_ADDRESS_BYTES, can_be_mailed};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// An address without the white space around it.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct EmailAddress(String);

impl EmailAddress {
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl TryFrom<String> for EmailAddress {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let address = text.trim();
        if !can_be_mailed(address) {
            return Err("must be a valid e-mail address");
        }
        Ok(Self(address.to_owned()))
    }
}

impl PartialSchema for EmailAddress {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).max_length(Some(MAX_ADDRESS_BYTES));
        text.format(Some(SchemaFormat::KnownFormat(KnownFormat::Email))).build().into()
    }
}

impl ToSchema for EmailAddress {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_ascii_and_at_most_254_characters() {
        let longest = format!("{}@{}.example", "a".repeat(64), ["b".repeat(60), "c".repeat(60), "d".repeat(58)].join("."));
        assert_eq!(longest.len(), 253);
        for (text, expected) in [
            ("bo@example.com", Some("bo@example.com")),
            (" Bo@Example.com ", Some("Bo@Example.com")),
            (longest.as_str(), Some(longest.as_str())),
            (&format!("{longest}xx"), None),
            ("åsa@example.com", None),
            ("bo@exаmple.com", None),
            ("bo", None),
            ("", None),
        ] {
            let address = EmailAddress::try_from(text.to_owned()).map(EmailAddress::into_string);
            assert_eq!(address.ok().as_deref(), expected, "{text}");
        }
    }
}
