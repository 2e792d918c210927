//! How long the fields of an offer can be that a merchant sends. What the card network has is kept as it is.
//!
//! Everybody who reads the merchant's offers reads all of them: one that is too long would stop the list, the shop and the
//! tills.

use serde_json::value::RawValue;
use shared::card_network::Fields;
use shared::http::{Invalid, require_readable};

const MAX_NAME_LENGTH: usize = 200;
const MAX_DESCRIPTION_LENGTH: usize = 5_000;
/// Of any other text, and of numbers, which are sent on with all their digits. In characters, as the others.
const MAX_TEXT_LENGTH: usize = 500;
const MAX_MEMBERS: usize = 50;
/// Deeper lists and objects could not be read again.
const MAX_LEVELS: usize = 8;

/// The message names the field that is too long.
pub(crate) fn check(fields: &Fields) -> Result<(), Invalid> {
    fields.iter().try_for_each(|(name, value)| {
        let max_length = match name.as_str() {
            "name" => MAX_NAME_LENGTH,
            "description" => MAX_DESCRIPTION_LENGTH,
            _ => MAX_TEXT_LENGTH,
        };
        check_value(name, value, max_length, MAX_LEVELS)
    })
}

fn check_value(path: &str, value: &RawValue, max_length: usize, levels: usize) -> Result<(), Invalid> {
    let json = value.get();
    let is_nested = json.starts_with(['[', '{']);
    if is_nested && levels == 0 {
        return Err(Invalid::new(format!("{path}: is nested more than {MAX_LEVELS} levels deep.")));
    }
    if let Ok(members) = serde_json::from_str::<Vec<Box<RawValue>>>(json) {
        if members.len() > MAX_MEMBERS {
            return Err(Invalid::new(format!("{path}: must have at most {MAX_MEMBERS} members.")));
        }
        return members
            .iter()
            .enumerate()
            .try_for_each(|(index, member)| check_value(&format!("{path}[{index}]"), member, MAX_TEXT_LENGTH, levels - 1));
    }
    if let Ok(fields) = serde_json::from_str::<Fields>(json) {
        return fields
            .iter()
            .try_for_each(|(name, value)| check_value(&format!("{path}.{name}"), value, MAX_TEXT_LENGTH, levels - 1));
    }
    let text = serde_json::from_str(json).unwrap_or_else(|_| json.to_owned());
    if text.chars().count() > max_length {
        return Err(Invalid::new(format!("{path}: must be at most {max_length} characters.")));
    }
    require_readable(path, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn message(fields: &Value) -> Option<String> {
        let fields: Fields = serde_json::from_str(&fields.to_string()).unwrap();
        check(&fields).err().map(|invalid| invalid.message().to_owned())
    }

    fn nested(levels: usize) -> Value {
        (0..levels).fold(json!(1), |inner, _| json!([inner]))
    }

    #[test]
    fn the_longest_fields_are_accepted_and_longer_ones_are_named() {
        // In characters, not in bytes or escapes.
        let text = |length: usize| "å\"".repeat(length / 2) + &"å".repeat(length % 2);
        for (accepted, refused, message_of_refused) in [
            (json!({"name": text(200)}), json!({"name": text(201)}), "name: must be at most 200 characters."),
            (
                json!({"description": text(5_000)}),
                json!({"description": text(5_001)}),
                "description: must be at most 5000 characters.",
            ),
            (json!({"usage": text(500)}), json!({"usage": text(501)}), "usage: must be at most 500 characters."),
            (json!({"odd": text(500)}), json!({"odd": text(501)}), "odd: must be at most 500 characters."),
            (
                json!({"denominations": vec![7; 50]}),
                json!({"denominations": vec![7; 51]}),
                "denominations: must have at most 50 members.",
            ),
            (
                json!({"giftCardDesign": [{}, {"urlImage": text(500)}]}),
                json!({"giftCardDesign": [{}, {"urlImage": text(501)}]}),
                "giftCardDesign[1].urlImage: must be at most 500 characters.",
            ),
            (
                json!({"odd": {"list": vec![json!(null); 50]}}),
                json!({"odd": {"list": vec![json!(null); 51]}}),
                "odd.list: must have at most 50 members.",
            ),
            (
                json!({"odd": nested(8)}),
                json!({"odd": nested(9)}),
                "odd[0][0][0][0][0][0][0][0]: is nested more than 8 levels deep.",
            ),
        ] {
            assert_eq!(message(&accepted), None, "{message_of_refused}");
            assert_eq!(message(&refused).as_deref(), Some(message_of_refused));
        }
        let digits: Fields = serde_json::from_str(&format!(r#"{{"minPrice": {}}}"#, "1".repeat(501))).unwrap();
        assert_eq!(check(&digits).unwrap_err().message(), "minPrice: must be at most 500 characters.");
        for odd in [r#""\ud800""#, "1e999", r#"[{"b": -1e999}]"#] {
            let fields: Fields = serde_json::from_str(&format!(r#"{{"odd": {odd}}}"#)).unwrap();
            let message = check(&fields).unwrap_err().message().to_owned();
            let path = if odd.starts_with('[') { "odd[0].b" } else { "odd" };
            assert_eq!(message, format!("{path}: must not contain numbers beyond 1e308 or unpaired surrogates."));
        }
    }
}
