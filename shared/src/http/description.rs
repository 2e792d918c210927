//! The description of an endpoint for the OpenAPI document: texts, parameters, bodies and errors. Method, path, access
//! and error format come from the route table.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{
    AdditionalProperties, AllOfBuilder, ArrayBuilder, Object, ObjectBuilder, OneOfBuilder, Schema,
    SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{
    Content, ContentBuilder, Header, HeaderBuilder, Ref, RefOr, Required, Response, ResponseBuilder,
};
use utoipa::{PartialSchema, ToSchema};

use super::body::Scalar;
use super::error_schemas::{ErrorKind, code_of};
use super::schemas::NamedSchema;
pub use super::schemas::{always_true, described, null};
use crate::domain::money::{Currency, Decimal};
use crate::domain::reports::kpi::Tenths;

/// An error of one status.
pub(super) struct DescribedError {
    /// Three digits, or a class such as `4XX`.
    pub(super) status: String,
    pub(super) text: &'static str,
    pub(super) kinds: Vec<ErrorKind>,
    /// A message of the first kind. `None` for the general one.
    pub(super) message: Option<&'static str>,
}

const DATA_TEXT: &str = "What the request returns.";

/// The texts and types of one endpoint.
#[derive(Default)]
pub struct Description {
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) text: &'static str,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<(&'static str, Content)>,
    pub(super) success: Option<(&'static str, Response)>,
    pub(super) errors: Vec<DescribedError>,
    /// Whether a repeat with the same idempotency key returns the first response.
    pub(super) replays: bool,
    pub(super) schemas: Vec<NamedSchema>,
}

impl Description {
    /// `id` names the operation in generated clients: a verb and what it acts on, in camel case, unlike any other.
    /// `summary` is a few words, `text` is one or more sentences.
    pub fn new(id: &'static str, summary: &'static str, text: &'static str) -> Self {
        Self { id, summary, text, ..Self::default() }
    }

    /// A query parameter.
    #[must_use]
    pub fn query<T: ToSchema>(mut self, name: &str, text: &str, required: bool) -> Self {
        self.parameters
            .push(parameter(name, ParameterIn::Query, text, required).schema(Some(T::schema())).build());
        T::schemas(&mut self.schemas);
        self
    }

    /// An optional request header.
    #[must_use]
    pub fn header(mut self, name: &str, text: &str) -> Self {
        self.parameters
            .push(parameter(name, ParameterIn::Header, text, false).schema(Some(String::schema())).build());
        self
    }

    /// A required request header.
    #[must_use]
    pub fn required_header(mut self, name: &str, text: &str) -> Self {
        self.parameters
            .push(parameter(name, ParameterIn::Header, text, true).schema(Some(String::schema())).build());
        self
    }

    /// A JSON body, with an example.
    #[must_use]
    pub fn body<T: ToSchema>(mut self, example: Value) -> Self {
        let schema = self.reference::<T>();
        self.body = Some((
            "application/json",
            ContentBuilder::new().schema(Some(schema)).example(Some(example)).build(),
        ));
        self
    }

    /// A JSON body with required fields in addition to those of its type.
    #[must_use]
    pub fn body_with<T: ToSchema>(mut self, required: &[&str], example: Value) -> Self {
        let mut requirements = ObjectBuilder::new();
        for field in required {
            requirements = requirements.required(*field);
        }
        let schema = AllOfBuilder::new().item(self.reference::<T>()).item(requirements);
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
            .description(Some(
                "The file, of at most 4 MiB. Its type is that of its content, whatever its name says.",
            ));
        let form = ObjectBuilder::new().property("file", file).required("file");
        self.body = Some(("multipart/form-data", ContentBuilder::new().schema(Some(form)).build()));
        self
    }

    /// The success response `{ok: true, data}`.
    #[must_use]
    pub fn data<T: ToSchema>(self, text: &'static str, example: impl Into<Value>) -> Self {
        self.data_with_status::<T>("200", text, example)
    }

    /// The success response `{ok: true, data}` with this status.
    #[must_use]
    pub fn data_with_status<T: ToSchema>(
        mut self,
        status: &'static str,
        text: &'static str,
        example: impl Into<Value>,
    ) -> Self {
        let data = described(self.response_schema::<T>(), DATA_TEXT);
        let body = ok_object().property("data", data).required("data");
        self.success(status, text, body, json!({"ok": true, "data": example.into()}))
    }

    /// As [`Self::data`], with the status 202: the work goes on after the response.
    #[must_use]
    pub fn accepted<T: ToSchema>(self, text: &'static str, example: impl Into<Value>) -> Self {
        let mut description = self.data::<T>(text, example);
        if let Some((status, _)) = &mut description.success {
            *status = "202";
        }
        description
    }

    /// The success response `{ok: true, data}`, where `data` is an array.
    #[must_use]
    pub fn list<T: ToSchema>(mut self, text: &'static str, example: impl Into<Value>) -> Self {
        let data = ArrayBuilder::new().items(self.response_schema::<T>()).description(Some(DATA_TEXT));
        let body = ok_object().property("data", data).required("data");
        self.success("200", text, body, json!({"ok": true, "data": [example.into()]}))
    }

    /// The success response `{ok: true}` with the fields of `T`.
    #[must_use]
    pub fn flattened<T: ToSchema>(mut self, text: &'static str, mut example: Value) -> Self {
        let body = AllOfBuilder::new().item(ok_object()).item(self.response_schema::<T>());
        if let Some(fields) = example.as_object_mut() {
            fields.insert("ok".to_owned(), json!(true));
        }
        self.success("200", text, Schema::from(body), example)
    }

    /// A success response with the body `T`.
    #[must_use]
    pub fn success_body<T: ToSchema>(mut self, text: &'static str, example: Value) -> Self {
        let schema = self.response_schema::<T>();
        self.success("200", text, schema, example)
    }

    /// The only response of an endpoint that always fails.
    #[must_use]
    pub fn always<T: ToSchema>(mut self, status: &'static str, text: &'static str, example: Value) -> Self {
        let schema = self.response_schema::<T>();
        self.success(status, text, schema, example)
    }

    /// The success response `{ok: true}`.
    #[must_use]
    pub fn ok(self, text: &'static str) -> Self {
        self.success("200", text, ok_object(), json!({"ok": true}))
    }

    /// A success response with bytes of these content types.
    #[must_use]
    pub fn bytes(mut self, text: &'static str, content_types: &[&str]) -> Self {
        let mut response = with_request_id(text);
        for content_type in content_types {
            response = response.content(*content_type, Content::default());
        }
        self.success = Some(("200", response.build()));
        self
    }

    fn success(
        mut self,
        status: &'static str,
        text: &'static str,
        schema: impl Into<RefOr<Schema>>,
        example: Value,
    ) -> Self {
        let content = ContentBuilder::new().schema(Some(schema)).example(Some(example)).build();
        self.success = Some((status, with_request_id(text).content("application/json", content).build()));
        self
    }

    /// An error of the endpoint, in addition to those of its access check, with the general code of the status.
    #[must_use]
    pub fn error(self, status: u16, text: &'static str) -> Self {
        let code = code_of(&status.to_string());
        self.error_kinds(status.to_string(), text, vec![ErrorKind::Own(code)])
    }

    /// As [`Self::error`], with codes of its own.
    #[must_use]
    pub fn coded_error(self, status: u16, codes: &[&'static str], text: &'static str) -> Self {
        let kinds = codes.iter().map(|code| ErrorKind::Own(code)).collect();
        self.error_kinds(status.to_string(), text, kinds)
    }

    /// The merchant's status does not allow it.
    #[must_use]
    pub fn not_active_error(self) -> Self {
        let kind = ErrorKind::Access("MERCHANT_NOT_ACTIVE");
        self.error_kinds("403".to_owned(), "The merchant is not active.", vec![kind])
    }

    /// It is not known whether money moved. `T` is the type of the `details`.
    #[must_use]
    pub fn unknown_outcome<T: ToSchema>(mut self, name: &'static str, text: &'static str) -> Self {
        T::schemas(&mut self.schemas);
        self.schemas.push((name.to_owned(), T::schema()));
        self.error_kinds("504".to_owned(), text, vec![ErrorKind::UnknownOutcome(name)])
    }

    fn error_kinds(mut self, status: String, text: &'static str, kinds: Vec<ErrorKind>) -> Self {
        self.errors.push(DescribedError { status, text, kinds, message: None });
        self
    }

    /// A message of the error that was described last, for its example. With several codes, it is that of the first one.
    #[must_use]
    pub fn message(mut self, message: &'static str) -> Self {
        if let Some(error) = self.errors.last_mut() {
            error.message = Some(message);
        }
        self
    }

    /// Schemas that one of the responses refers to by their names.
    #[must_use]
    pub fn with_schemas(mut self, schemas: Vec<NamedSchema>) -> Self {
        self.schemas.extend(schemas);
        self
    }

    /// A repeat with the same idempotency key returns the first response.
    #[must_use]
    pub fn replays(mut self) -> Self {
        self.replays = true;
        self
    }

    /// The endpoint passes on errors of the card network.
    #[must_use]
    pub fn passes_on_card_network_errors(self) -> Self {
        let refused = "The card network refused the request. Its response is in `details`.";
        let failed =
            "The card network failed: its own status, 502 without a usable response, or 504 after a timeout.";
        self.error_kinds("4XX".to_owned(), refused, vec![ErrorKind::CardNetwork]).error_kinds(
            "5XX".to_owned(),
            failed,
            vec![ErrorKind::CardNetwork],
        )
    }

    /// The message of the errors of the card network, for their examples.
    #[must_use]
    pub fn card_network_message(mut self, message: &'static str) -> Self {
        let of_network = |error: &&mut DescribedError| error.kinds.contains(&ErrorKind::CardNetwork);
        self.errors.iter_mut().filter(of_network).for_each(|error| error.message = Some(message));
        self
    }

    /// As [`Self::reference`], for a response.
    fn response_schema<T: ToSchema>(&mut self) -> RefOr<Schema> {
        let known = self.schemas.len();
        let mut schema = self.reference::<T>();
        for (_, added) in self.schemas.iter_mut().skip(known) {
            require_fields_that_are_always_present(added);
        }
        require_fields_that_are_always_present(&mut schema);
        schema
    }

    fn reference<T: ToSchema>(&mut self) -> RefOr<Schema> {
        T::schemas(&mut self.schemas);
        // Named types with fields become references. Standard types are inlined.
        if T::name().starts_with(char::is_uppercase) && T::name() != "Option" && has_fields::<T>() {
            self.schemas.push((T::name().into_owned(), T::schema()));
            return Ref::from_schema_name(T::name()).into();
        }
        T::schema()
    }
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

pub(super) fn parameter(name: &str, r#in: ParameterIn, text: &str, required: bool) -> ParameterBuilder {
    let required = if required { Required::True } else { Required::False };
    ParameterBuilder::new().name(name).parameter_in(r#in).required(required).description(Some(text))
}

fn ok_object() -> ObjectBuilder {
    ObjectBuilder::new().property("ok", always_true()).required("ok")
}

pub(super) fn with_request_id(text: &str) -> ResponseBuilder {
    ResponseBuilder::new()
        .description(text)
        .header("X-Request-Id", header("The id of the request in the logs."))
}

pub(super) fn header(text: &str) -> Header {
    HeaderBuilder::new().description(Some(text)).build()
}

/// Only for a response that says it.
pub(super) fn retry_after() -> Header {
    let seconds = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
    let text = "The seconds after which the request can be repeated, if they are known.";
    HeaderBuilder::new().schema(Some(seconds)).description(Some(text)).build()
}

/// Only for a response to a repeat.
pub(super) fn idempotent_replayed() -> Header {
    let yes = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["true"]));
    let text = "Present if this is the response to the first request with the same `Idempotency-Key`: nothing was done \
                now.";
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
        RefOr::T(either.description(Some("Decimal currency units, read digit by digit.")).build().into())
    }
}

impl ToSchema for Decimal {}

impl PartialSchema for Scalar {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String);
        RefOr::T(
            OneOfBuilder::new()
                .item(text)
                .item(ObjectBuilder::new().schema_type(Type::Number))
                .build()
                .into(),
        )
    }
}

impl ToSchema for Scalar {}

impl PartialSchema for Tenths {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::Number).description(Some("With one decimal.")).build().into()
    }
}

impl ToSchema for Tenths {}

impl PartialSchema for Currency {
    fn schema() -> RefOr<Schema> {
        let code = ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[A-Z]{3}$"));
        code.description(Some("ISO 4217 code.")).build().into()
    }
}

impl ToSchema for Currency {}
