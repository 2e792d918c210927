//! Projections: the fields of an entity that a list or a report needs.

use serde::de::DeserializeOwned;

/// A part of an entity, read from its row instead of the whole entity. Made by [`projection!`](crate::projection).
pub trait Projection: DeserializeOwned {
    /// The attributes to read, each with the name of its field.
    const ATTRIBUTES: &'static [&'static str];
}

/// Declares a projection of an entity: a struct with some of the entity's fields.
///
/// The generated `From<&Entity>` makes a field that the entity does not have, or has under another type, a compile
/// error. Attributes are named as the entity's fields.
#[macro_export]
macro_rules! projection {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident of $entity:ty {
            $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, serde::Deserialize)]
        $visibility struct $name {
            $($(#[$field_meta])* pub $field: $type,)*
        }

        impl From<&$entity> for $name {
            fn from(row: &$entity) -> Self {
                Self { $($field: row.$field.clone(),)* }
            }
        }

        impl $crate::domain::projection::Projection for $name {
            const ATTRIBUTES: &'static [&'static str] = &[$(stringify!($field)),*];
        }
    };
}
