//! The description of an endpoint for the OpenAPI document: texts, parameters, request body and errors. Method, path,
//! access and error format come from the route table, the success response from the type that the handler returns.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{AllOfBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{Content, ContentBuilder, Header, HeaderBuilder, RefOr, Required, ResponseBuilder};
use utoipa::{PartialSchema, ToSchema};

use super::body::Scalar;
use super::described_error::DescribedError;
use super::error_schemas::ErrorKind;
use super::schemas::{NamedSchema, reference};
use crate::projections::model::reports::kpi::Tenths;
use crate::values::names::{self, Name};
use crate::values::slug::{self, Slug};
use crate::values::{Currency, Decimal};

/// The texts and the request types of one endpoint.
#[derive(Default)]
pub struct Description {
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) text: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<(&'static str, Content)>,
    /// The text and the example of the success response.
    pub(super) success: Option<(&'static str, Value)>,
    /// The headers of a 304, which the success response has as well.
    pub(super) not_modified: &'static [(&'static str, &'static str)],
    /// When the response is a 301 to another address.
    pub(super) moved: Option<&'static str>,
    pub(super) errors: Vec<DescribedError>,
    pub(super) schemas: Vec<NamedSchema>,
}

impl Description {
    /// `id` names the operation in generated clients: a verb and what it acts on, in camel case, unlike any other.
    /// `summary` is a few words, `text` is one or more sentences.
    pub fn new(id: &'static str, summary: &'static str, text: &'static str) -> Self {
        Self { id, summary, text, ..Self::default() }
    }

    /// A client that has the current response already gets 304 without a body. Both have these headers.
    #[must_use]
    pub fn not_modified(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.not_modified = headers;
        self
    }

    /// A client that asks for an address that is spelled differently gets a 301.
    #[must_use]
    pub fn moved(mut self, text: &'static str) -> Self {
        self.moved = Some(text);
        self
    }

    /// A query parameter.
    #[must_use]
    pub fn query<T: ToSchema>(mut self, name: &str, text: &str, required: bool) -> Self {
        self.parameters.push(parameter(name, ParameterIn::Query, text, required).schema(Some(T::schema())).build());
        T::schemas(&mut self.schemas);
        self
    }

    /// An optional request header.
    #[must_use]
    pub fn header(mut self, name: &str, text: &str) -> Self {
        self.parameters.push(parameter(name, ParameterIn::Header, text, false).schema(Some(String::schema())).build());
        self
    }

    #[must_use]
    pub fn required_header(mut self, name: &str, text: &str) -> Self {
        self.parameters.push(parameter(name, ParameterIn::Header, text, true).schema(Some(String::schema())).build());
        self
    }

    #[must_use]
    pub fn body<T: ToSchema>(mut self, example: Value) -> Self {
        let schema = reference::<T>(&mut self.schemas);
        self.body = Some(("application/json", ContentBuilder::new().schema(Some(schema)).example(Some(example)).build()));
        self
    }

    /// A JSON body with required fields in addition to those of its type.
    #[must_use]
    pub fn body_with<T: ToSchema>(mut self, required: &[&str], example: Value) -> Self {
        let mut requirements = ObjectBuilder::new();
        for field in required {
            // Generated types take an object without properties to have none.
            let present = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
            let present = present.description(Some("Must be present."));
            requirements = requirements.property(*field, present).required(*field);
        }
        let schema = AllOfBuilder::new().item(reference::<T>(&mut self.schemas)).item(requirements);
        let content = ContentBuilder::new().schema(Some(schema)).example(Some(example));
        self.body = Some(("application/json", content.build()));
        self
    }

    /// A multipart form with one file.
    #[must_use]
    pub fn upload(mut self) -> Self {
        let file = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::Custom("binary".into())))
            .description(Some("The file, of at most 4 MiB. Its type is detected from its content, not from its name."));
        let form = ObjectBuilder::new().property("file", file).required("file");
        self.body = Some(("multipart/form-data", ContentBuilder::new().schema(Some(form)).build()));
        self
    }

    /// A form of one text, as browsers send it without a script.
    #[must_use]
    pub fn form_field(mut self, name: &str, text: &str) -> Self {
        let field = ObjectBuilder::new().schema_type(Type::String).description(Some(text));
        let form = ObjectBuilder::new().property(name, field).required(name);
        self.body = Some(("application/x-www-form-urlencoded", ContentBuilder::new().schema(Some(form)).build()));
        self
    }

    /// The success response. The [type](super::success::Success) that the handler returns adds status and schema. The
    /// example is that of the type's `T`, or of one item of a list.
    #[must_use]
    pub fn success(mut self, text: &'static str, example: impl Into<Value>) -> Self {
        self.success = Some((text, example.into()));
        self
    }

    /// A success response that needs no example: `{ok: true}`, or a file.
    #[must_use]
    pub fn ok(self, text: &'static str) -> Self {
        self.success(text, Value::Null)
    }

    /// It is not known whether money moved. `T` is the type of the `details`.
    #[must_use]
    pub fn unknown_outcome<T: ToSchema>(mut self, name: &'static str, text: &'static str) -> Self {
        T::schemas(&mut self.schemas);
        self.schemas.push((name.to_owned(), T::schema()));
        let (status, kinds) = ("504".to_owned(), vec![ErrorKind::UnknownOutcome(name)]);
        self.errors.push(DescribedError { status, text: text.to_owned(), kinds, message: None });
        self
    }

    /// Schemas that one of the responses refers to by their names.
    #[must_use]
    pub fn with_schemas(mut self, schemas: Vec<NamedSchema>) -> Self {
        self.schemas.extend(schemas);
        self
    }
}

pub(crate) fn parameter(name: &str, r#in: ParameterIn, text: &str, required: bool) -> ParameterBuilder {
    let required = if required { Required::True } else { Required::False };
    ParameterBuilder::new().name(name).parameter_in(r#in).required(required).description(Some(text))
}

pub(super) fn with_request_id(text: &str) -> ResponseBuilder {
    ResponseBuilder::new().description(text).header("X-Request-Id", header("The id of the request in the logs."))
}

pub(super) fn header(text: &str) -> Header {
    HeaderBuilder::new().description(Some(text)).build()
}

/// Only for a response that says it.
pub(super) fn retry_after() -> Header {
    let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    let text = "How many seconds to wait before repeating the request, if known.";
    HeaderBuilder::new().schema(Some(seconds)).description(Some(text)).build()
}

/// Only for a response to a repeat.
pub(super) fn idempotent_replayed() -> Header {
    let yes = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["true"]));
    let text = "Present if this is the stored response to an earlier request with the same `Idempotency-Key`: nothing was done \
                this time.";
    HeaderBuilder::new().schema(Some(yes)).description(Some(text)).build()
}

/// A string that is not blank.
#[derive(Debug)]
pub struct NonBlank(());

impl PartialSchema for NonBlank {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"\S")).build().into()
    }
}

impl ToSchema for NonBlank {}

/// Any JSON.
#[derive(Debug, Serialize)]
pub struct Anything(());

impl PartialSchema for Anything {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::AnyValue).build().into()
    }
}

impl ToSchema for Anything {}

impl PartialSchema for Decimal {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"^-?[0-9]+(\.[0-9]+)?$"));
        let number = ObjectBuilder::new().schema_type(Type::Number);
        let either = OneOfBuilder::new().item(number).item(text);
        RefOr::T(either.description(Some("An amount in decimal currency units, without rounding.")).build().into())
    }
}

impl ToSchema for Decimal {}

impl PartialSchema for Scalar {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        RefOr::T(OneOfBuilder::new().item(text).item(ObjectBuilder::new().schema_type(Type::Number)).build().into())
    }
}

impl ToSchema for Scalar {}

impl PartialSchema for Tenths {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Number).description(Some("With one decimal.")).build().into()
    }
}

impl ToSchema for Tenths {}

impl PartialSchema for Slug {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[a-z0-9]+(-[a-z0-9]+)*$"));
        text.min_length(Some(slug::MIN_LENGTH)).max_length(Some(slug::MAX_LENGTH)).build().into()
    }
}

impl ToSchema for Slug {}

impl<const MIN: usize> PartialSchema for Name<MIN> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).max_length(Some(names::MAX_CHARS));
        text.min_length(Some(MIN).filter(|min| *min > 0)).build().into()
    }
}

impl<const MIN: usize> ToSchema for Name<MIN> {
    fn name() -> Cow<'static, str> {
        format!("Name{MIN}To{}", names::MAX_CHARS).into()
    }
}

impl PartialSchema for Currency {
    fn schema() -> RefOr<Schema> {
        let code = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[A-Z]{3}$"));
        code.description(Some("ISO 4217 code.")).build().into()
    }
}

impl ToSchema for Currency {}
