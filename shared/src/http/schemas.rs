//! Small schemas that others are made of, and references to those of the components.

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
pub(super) fn response_schema<T: ToSchema>(schemas: &mut Schemas) -> RefOr<Schema> {
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
