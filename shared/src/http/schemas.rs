//! Small schemas that others are made of, and descriptions of fields.

use std::mem;

use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// A schema of the components.
pub type NamedSchema = (String, RefOr<Schema>);

/// Only null, for `schema_with`.
pub fn null() -> Object {
    ObjectBuilder::new().schema_type(Type::Null).build()
}

/// The field `ok` of a success response, for `schema_with`.
pub fn always_true() -> Object {
    always(true, "`true`: the request has succeeded.")
}

/// The field `ok` of an error response.
pub fn always_false() -> Object {
    always(false, "`false`: the request has failed.")
}

fn always(value: bool, text: &str) -> Object {
    let only = ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([value]));
    only.description(Some(text)).build()
}

/// The schema with a description of its own.
pub fn described(mut schema: RefOr<Schema>, text: &str) -> RefOr<Schema> {
    match &mut schema {
        RefOr::Ref(reference) => text.clone_into(&mut reference.description),
        RefOr::T(Schema::Object(object)) => object.description = Some(text.to_owned()),
        RefOr::T(Schema::Array(array)) => array.description = Some(text.to_owned()),
        RefOr::T(Schema::OneOf(one)) => one.description = Some(text.to_owned()),
        RefOr::T(Schema::AllOf(all)) => all.description = Some(text.to_owned()),
        RefOr::T(_) => {}
    }
    schema
}

/// Moves the descriptions of nullable fields to the fields themselves: `utoipa` writes them beside the reference, inside
/// of `oneOf`.
pub(super) fn describe_nullable_fields(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => object.properties.values_mut().for_each(|property| {
            raise_description(property);
            describe_nullable_fields(property);
        }),
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(describe_nullable_fields),
        RefOr::T(Schema::OneOf(one)) => one.items.iter_mut().for_each(describe_nullable_fields),
        _ => {}
    }
}

fn raise_description(property: &mut RefOr<Schema>) {
    let RefOr::T(Schema::OneOf(one)) = property else { return };
    for item in &mut one.items {
        if let RefOr::Ref(reference) = item
            && !reference.description.is_empty()
        {
            one.description = Some(mem::take(&mut reference.description));
        }
    }
}
