//! Lists that are as long as a response can be.

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// Lambda's limit is 6 MB for a response with its headers, in which the body is a JSON string.
const MAX_BYTES: usize = 5_900_000;

/// The items of a list that fit into a response.
#[derive(Debug, Default)]
pub struct TruncatedList {
    pub items: Vec<Box<RawValue>>,
    /// Whether an item was left out.
    pub is_truncated: bool,
}

impl TruncatedList {
    /// Leaves out the items for which there is no room, and keeps the order of the others.
    pub fn new<T: Serialize>(items: impl IntoIterator<Item = T>) -> Result<Self, serde_json::Error> {
        let (mut list, mut bytes) = (Self::default(), 0);
        for item in items {
            let item = to_raw_value(&item)?;
            let size = size_in_string(item.get());
            if bytes + size > MAX_BYTES {
                list.is_truncated = true;
                continue;
            }
            bytes += size;
            list.items.push(item);
        }
        Ok(list)
    }
}

/// The size of a JSON text and its comma inside a JSON string, where quotes and backslashes are escaped.
fn size_in_string(json: &str) -> usize {
    let escaped = json.bytes().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    json.len() + escaped + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_left_out_if_there_is_no_room_for_them() {
        let text = |length| "a".repeat(length);
        for (lengths, expected) in [
            (vec![], vec![]),
            (vec![10, 20], vec![10, 20]),
            (vec![2_949_995, 2_949_995], vec![2_949_995, 2_949_995]),
            (vec![2_949_995, 2_949_996, 10], vec![2_949_995, 10]),
            (vec![5_900_000, 10], vec![10]),
        ] {
            let list = TruncatedList::new(lengths.iter().map(|length| text(*length))).unwrap();
            let kept: Vec<usize> = list.items.iter().map(|item| item.get().len() - 2).collect();
            assert_eq!(kept, expected, "{lengths:?}");
            assert_eq!(list.is_truncated, lengths.len() > expected.len(), "{lengths:?}");
        }
    }

    #[test]
    fn the_size_is_that_in_a_json_string() {
        for json in [r#"{"a":"b"}"#, r#""\"\\\n""#, r#""å""#] {
            assert_eq!(size_in_string(json), serde_json::to_string(json).unwrap().len() - 1, "{json}");
        }
    }
}
