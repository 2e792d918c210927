//! The attributes that a struct is read from.

use serde::de::value::Error;
use serde::de::{DeserializeOwned, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;

/// The names of a struct's fields, so that a query can ask for them alone. None of a struct that takes whatever there is,
/// as one with a flattened field does.
pub(super) fn of<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &[&str] = &[];
    // It never has a value: all that is wanted is what it asks for.
    let _ = T::deserialize(Names(&mut names));
    names
}

struct Names<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Names<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is nothing to be read"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::settlement::Payable;
    use crate::store::keys::Key;

    #[test]
    fn a_struct_is_read_from_its_fields_and_one_that_takes_all_from_all() {
        #[derive(serde::Deserialize)]
        #[expect(dead_code, reason = "only its fields' names count")]
        struct Flattened {
            #[serde(flatten)]
            key: Key,
            other: String,
        }
        assert_eq!(of::<Payable>(), ["status", "currency", "net", "eligible_at"]);
        assert!(of::<Flattened>().is_empty());
    }
}
