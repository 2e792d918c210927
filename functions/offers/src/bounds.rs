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
