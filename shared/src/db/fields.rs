//! The field names of an entity.

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// Returns the field names of a struct, as it is serialized. `None` for other types, and for structs with a flattened
/// field, which accept any name.
pub fn names<T: DeserializeOwned>() -> Option<&'static [&'static str]> {
    let mut names = None;
    // Fails always: only the names that the struct passes to the deserializer are of interest.
    let _ = T::deserialize(FieldNames(&mut names));
    names
}

struct FieldNames<'a>(&'a mut Option<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = Some(fields);
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::model::order::GiftCard;
    use crate::db::keys::Key;

    #[test]
    fn only_plain_structs_have_field_names() {
        #[derive(serde::Deserialize)]
        #[expect(dead_code, reason = "only its field names are used")]
        struct Flattened {
            #[serde(flatten)]
            key: Key,
            other: String,
        }
        assert_eq!(names::<GiftCard>(), Some(&["id", "qr_code", "network_code", "status", "value"][..]));
        assert_eq!(names::<Flattened>(), None);
        assert_eq!(names::<String>(), None);
    }
}
