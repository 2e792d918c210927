//! Small schemas that others are made of, references to those of the components, and descriptions of fields.

use std::mem;

use utoipa::ToSchema;
use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Ref, RefOr, Schema};

/// A schema of the components.
pub type NamedSchema = (String, RefOr<Schema>);

/// The schemas that others refer to.
pub type Schemas = Vec<NamedSchema>;

/// Only null, for `schema_with`.
pub fn null() -> Object {
    ObjectBuilder::new().schema_type(Type::Null).build()
}

/// A field that is always null, for `schema_with`.
pub fn always_null() -> Object {
    ObjectBuilder::new().schema_type(Type::Null).description(Some("Always null.")).build()
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
pub(crate) fn describe_nullable_fields(schema: &mut RefOr<Schema>) {
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

/// The schema of a type, for a request. A named type with fields becomes a reference to one of `schemas`; standard types are
/// inlined.
pub(super) fn reference<T: ToSchema>(schemas: &mut Schemas) -> RefOr<Schema> {
    T::schemas(schemas);
    if T::name().starts_with(char::is_uppercase) && T::name() != "Option" && has_fields::<T>() {
        schemas.push((T::name().into_owned(), T::schema()));
        return Ref::from_schema_name(T::name()).into();
    }
    T::schema()
}

/// As [`reference`], for a response.
pub(crate) fn response_schema<T: ToSchema>(schemas: &mut Schemas) -> RefOr<Schema> {
    let known = schemas.len();
    let mut schema = reference::<T>(schemas);
    for (_, added) in schemas.iter_mut().skip(known) {
        require_fields_that_are_always_present(added);
    }
    require_fields_that_are_always_present(&mut schema);
    schema
}

/// Marks the fields as required that a request can omit and that a response always contains, as null or with a default.
/// A field that a response omits is one that cannot be null.
fn require_fields_that_are_always_present(schema: &mut RefOr<Schema>) {
    match schema {
        // It is passed on from elsewhere, with the fields that it has.
        RefOr::T(Schema::Object(object)) if is_open(object) => {}
        RefOr::T(Schema::Object(object)) => {
            for (name, property) in &mut object.properties {
                if has_empty_value(property) && !object.required.contains(name) {
                    object.required.push(name.clone());
                }
                require_fields_that_are_always_present(property);
            }
        }
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(require_fields_that_are_always_present),
        RefOr::T(Schema::OneOf(one)) => one.items.iter_mut().for_each(require_fields_that_are_always_present),
        _ => {}
    }
}

fn is_open(object: &Object) -> bool {
    !matches!(object.additional_properties.as_deref(), None | Some(AdditionalProperties::FreeForm(false)))
}

fn has_empty_value(property: &RefOr<Schema>) -> bool {
    let has_default = matches!(property, RefOr::T(Schema::Object(object)) if object.default.is_some());
    has_default || can_be_null(property)
}

fn can_be_null(schema: &RefOr<Schema>) -> bool {
    let includes_null = |r#type: &SchemaType| match r#type {
        SchemaType::Type(r#type) => *r#type == Type::Null,
        SchemaType::Array(types) => types.contains(&Type::Null),
        SchemaType::AnyValue => false,
    };
    match schema {
        RefOr::T(Schema::Object(object)) => includes_null(&object.schema_type),
        RefOr::T(Schema::Array(array)) => includes_null(&array.schema_type),
        RefOr::T(Schema::OneOf(one)) => one.items.iter().any(can_be_null),
        _ => false,
    }
}

fn has_fields<T: ToSchema>() -> bool {
    matches!(T::schema(), RefOr::T(Schema::Object(_) | Schema::OneOf(_) | Schema::AllOf(_)))
}
