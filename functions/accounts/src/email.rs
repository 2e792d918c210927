//! E-mail addresses in requests.

use shared::http::fault::Fault;
use shared::mail::is_address;

const MAX_BYTES: usize = 254;

/// Trims an address and checks it: ASCII, so that no two addresses look alike. 400 with the name of the field.
pub(crate) fn email_address(field: &str, text: &str) -> Result<String, Fault> {
    let address = text.trim();
    if address.len() > MAX_BYTES || !address.is_ascii() || !is_address(address) {
        return Err(Fault::invalid(format!("{field}: must be a valid e-mail address.")));
    }
    Ok(address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_ascii_and_at_most_254_characters() {
        let longest = format!(
            "{}@{}.example",
            "a".repeat(64),
            ["b".repeat(60), "c".repeat(60), "d".repeat(58)].join(".")
        );
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
            assert_eq!(email_address("email", text).ok().as_deref(), expected, "{text}");
        }
    }
}
