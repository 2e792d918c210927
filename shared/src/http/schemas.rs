//! Small schemas that others are made of.

use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// A schema of the components.
pub type NamedSchema = (String, RefOr<Schema>);

/// Only null, for `schema_with`.
pub fn null() -> Object {
    ObjectBuilder::new().schema_type(Type::Null).build()
}

/// Only true, for `schema_with`.
pub fn always_true() -> Object {
    always(true)
}

/// Only false, for `schema_with`.
pub fn always_false() -> Object {
    always(false)
}

fn always(value: bool) -> Object {
    ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([value])).build()
}
