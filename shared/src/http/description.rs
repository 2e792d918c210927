//! What the description of the API says of a route beyond what its table knows already: words, bodies, and the
//! statuses of its own. Method, path, access and the error_format of errors come from the table.

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::openapi::path::{Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{
    AdditionalProperties, AllOfBuilder, ArrayBuilder, Object, ObjectBuilder, OneOfBuilder, Schema,
    SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{
    Content, ContentBuilder, Header, HeaderBuilder, Ref, RefOr, Required, Response, ResponseBuilder,
    ResponsesBuilder,
};
use utoipa::{PartialSchema, ToSchema};

use super::access::Requirement;
use super::body::Scalar;
use super::fault::ErrorFormat;
use super::routes::Route;
use crate::domain::money::{Currency, Decimal};
use crate::domain::reports::kpi::Tenths;

/// Names of the ways to carry a session.
pub const BEARER: &str = "bearer";
pub const COOKIE: &str = "cookie";

type NamedSchema = (String, RefOr<Schema>);

/// The words and types of one operation.
#[derive(Default)]
pub struct Description {
    summary: &'static str,
    text: &'static str,
    parameters: Vec<Parameter>,
    body: Option<(&'static str, Content)>,
    answer: Option<(&'static str, Response)>,
    refusals: Vec<(String, &'static str)>,
    schemas: Vec<NamedSchema>,
}

impl Description {
    /// A summary of a few words, and the text below it.
    pub fn new(summary: &'static str, text: &'static str) -> Self {
        Self { summary, text, ..Self::default() }
    }

    /// A query parameter.
    #[must_use]
    pub fn query<T: ToSchema>(mut self, name: &str, text: &str, required: bool) -> Self {
        self.parameters
            .push(parameter(name, ParameterIn::Query, text, required).schema(Some(T::schema())).build());
        T::schemas(&mut self.schemas);
        self
    }

    /// A request header that may be sent.
    #[must_use]
    pub fn header(mut self, name: &str, text: &str) -> Self {
        self.parameters
            .push(parameter(name, ParameterIn::Header, text, false).schema(Some(String::schema())).build());
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

    /// A JSON body of which the route needs more than the type does.
    #[must_use]
    pub fn body_with<T: ToSchema>(mut self, needed: &[&str], example: Value) -> Self {
        let mut needs = ObjectBuilder::new();
        for field in needed {
            needs = needs.required(*field);
        }
        let schema = AllOfBuilder::new().item(self.reference::<T>()).item(needs);
        let content = ContentBuilder::new().schema(Some(schema)).example(Some(example));
        self.body = Some(("application/json", content.build()));
        self
    }

    /// A multipart form with one file.
    #[must_use]
    pub fn upload(mut self) -> Self {
        let file = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::Custom("binary".into())));
        let form = ObjectBuilder::new().property("file", file).required("file");
        self.body = Some(("multipart/form-data", ContentBuilder::new().schema(Some(form)).build()));
        self
    }

    /// The good answer: `{ok: true, data}`.
    #[must_use]
    pub fn data<T: ToSchema>(mut self, text: &'static str, example: impl Into<Value>) -> Self {
        let data = self.answered::<T>();
        let body = ok_object().property("data", data).required("data");
        self.success("200", text, body, json!({"ok": true, "data": example.into()}))
    }

    /// The good answer: `{ok: true, data}`, where the data is a list.
    #[must_use]
    pub fn list<T: ToSchema>(mut self, text: &'static str, example: impl Into<Value>) -> Self {
        let data = ArrayBuilder::new().items(self.answered::<T>());
        let body = ok_object().property("data", data).required("data");
        self.success("200", text, body, json!({"ok": true, "data": [example.into()]}))
    }

    /// The good answer: `{ok: true}` with the fields of `T` beside it.
    #[must_use]
    pub fn flattened<T: ToSchema>(mut self, text: &'static str, mut example: Value) -> Self {
        let body = AllOfBuilder::new().item(ok_object()).item(self.answered::<T>());
        if let Some(fields) = example.as_object_mut() {
            fields.insert("ok".to_owned(), json!(true));
        }
        self.success("200", text, Schema::from(body), example)
    }

    /// The good answer: a body of its own.
    #[must_use]
    pub fn answer<T: ToSchema>(mut self, text: &'static str, example: Value) -> Self {
        let schema = self.answered::<T>();
        self.success("200", text, schema, example)
    }

    /// There is no good answer, but always this one.
    #[must_use]
    pub fn always<T: ToSchema>(mut self, status: &'static str, text: &'static str, example: Value) -> Self {
        let schema = self.answered::<T>();
        self.success(status, text, schema, example)
    }

    /// The good answer: `{ok: true}`.
    #[must_use]
    pub fn ok(self, text: &'static str) -> Self {
        self.success("200", text, ok_object(), json!({"ok": true}))
    }

    /// The good answer: bytes of these content types.
    #[must_use]
    pub fn bytes(mut self, text: &'static str, content_types: &[&str]) -> Self {
        let mut response = with_request_id(text);
        for content_type in content_types {
            response = response.content(*content_type, Content::default());
        }
        self.answer = Some(("200", response.build()));
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
        self.answer = Some((status, with_request_id(text).content("application/json", content).build()));
        self
    }

    /// A status of the route's own, beside those that follow from who may call it.
    #[must_use]
    pub fn refuses(mut self, status: u16, text: &'static str) -> Self {
        self.refusals.push((status.to_string(), text));
        self
    }

    /// Statuses of the card network are passed on.
    #[must_use]
    pub fn passes_on_the_network(mut self) -> Self {
        self.refusals.push(("4XX".to_owned(), "The card network refused; its answer is in `details`."));
        self.refusals
            .push(("5XX".to_owned(), "The card network failed (502 without, 504 for lack of an answer)."));
        self
    }

    /// As [`Self::reference`], for what is answered.
    fn answered<T: ToSchema>(&mut self) -> RefOr<Schema> {
        let known = self.schemas.len();
        let mut schema = self.reference::<T>();
        for (_, named) in self.schemas.iter_mut().skip(known) {
            require_what_is_always_there(named);
        }
        require_what_is_always_there(&mut schema);
        schema
    }

    fn reference<T: ToSchema>(&mut self) -> RefOr<Schema> {
        T::schemas(&mut self.schemas);
        // Types of one use and standard types stand where they are used; types with a name are referred to.
        if T::name().starts_with(char::is_uppercase) && is_object::<T>() {
            self.schemas.push((T::name().into_owned(), T::schema()));
            return Ref::from_schema_name(T::name()).into();
        }
        T::schema()
    }
}

/// What can be left out of a request is there in an answer: null, or what stands for nothing. A field that an answer
/// leaves out is one that is never null.
fn require_what_is_always_there(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            for (name, property) in &mut object.properties {
                if stands_for_nothing(property) && !object.required.contains(name) {
                    object.required.push(name.clone());
                }
                require_what_is_always_there(property);
            }
        }
        RefOr::T(Schema::AllOf(all)) => all.items.iter_mut().for_each(require_what_is_always_there),
        RefOr::T(Schema::OneOf(one)) => one.items.iter_mut().for_each(require_what_is_always_there),
        _ => {}
    }
}

fn stands_for_nothing(property: &RefOr<Schema>) -> bool {
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

fn is_object<T: ToSchema>() -> bool {
    matches!(T::schema(), RefOr::T(Schema::Object(_)))
}

fn parameter(name: &str, r#in: ParameterIn, text: &str, required: bool) -> ParameterBuilder {
    let required = if required { Required::True } else { Required::False };
    ParameterBuilder::new().name(name).parameter_in(r#in).required(required).description(Some(text))
}

fn ok_object() -> ObjectBuilder {
    let ok = ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true]));
    ObjectBuilder::new().property("ok", ok).required("ok")
}

fn with_request_id(text: &str) -> ResponseBuilder {
    ResponseBuilder::new().description(text).header("X-Request-Id", header("Names the request in the logs."))
}

fn header(text: &str) -> Header {
    HeaderBuilder::new().description(Some(text)).build()
}

/// A described route, as an operation of OpenAPI, and the schemas that it refers to.
pub fn operation(route: &Route, group: &str) -> Option<(Operation, Vec<NamedSchema>)> {
    let description = route.describe.map(|describe| describe())?;
    let mut responses = ResponsesBuilder::new();
    let (status, good) = description.answer?;
    responses = responses.response(status, good);
    let mut refusals = access_refusals(route.requirement);
    refusals.extend(description.refusals);
    if description.body.is_some() {
        refusals.push(("413".to_owned(), "The body is too large."));
    }
    refusals.push(("500".to_owned(), "Something went wrong on our side."));
    for (status, text) in merged(refusals) {
        responses = responses.response(&status, refusal(route.error_format, &status, &text));
    }

    let id = format!("{} {}", route.method, route.path);
    let mut operation = OperationBuilder::new()
        .operation_id(Some(identifier(&id)))
        .tag(group)
        .summary(Some(description.summary))
        .description(Some(description.text))
        .responses(responses.build());
    for name in path_parameters(route.path) {
        operation = operation.parameter(
            parameter(name, ParameterIn::Path, "An id, percent-encoded.", true).schema(Some(id_in_path())),
        );
    }
    for parameter in description.parameters {
        operation = operation.parameter(parameter);
    }
    if let Some((content_type, content)) = description.body {
        let body = RequestBodyBuilder::new().content(content_type, content).required(Some(Required::True));
        operation = operation.request_body(Some(body.build()));
    }
    let ways = if route.requirement == Requirement::Nothing { &[][..] } else { &[BEARER, COOKIE] };
    let either = ways.iter().map(|way| SecurityRequirement::new(*way, Vec::<String>::new()));
    operation = operation.securities(Some(either));
    Some((operation.build(), description.schemas))
}

/// What follows from who may call.
fn access_refusals(requirement: Requirement) -> Vec<(String, &'static str)> {
    let no_session = (StatusCode::UNAUTHORIZED, "There is no session, or more than one.");
    let no_merchant = |status| (status, "The user has no merchant.");
    let denied = (
        StatusCode::FORBIDDEN,
        "The user does not have the permission, or the request came from another site.",
    );
    let refusals = match requirement {
        Requirement::Nothing => vec![],
        Requirement::Session => {
            vec![no_session, (StatusCode::FORBIDDEN, "The request came from another site.")]
        }
        Requirement::Merchant(status) => {
            vec![
                no_session,
                (StatusCode::FORBIDDEN, "The request came from another site."),
                no_merchant(status),
            ]
        }
        Requirement::Permission(_, None) => vec![no_session, denied],
        Requirement::Permission(_, Some(status)) => vec![no_session, denied, no_merchant(status)],
    };
    refusals.into_iter().map(|(status, text)| (status.as_str().to_owned(), text)).collect()
}

/// One text for each status.
fn merged(refusals: Vec<(String, &'static str)>) -> Vec<(String, String)> {
    let mut merged: Vec<(String, String)> = Vec::new();
    for (status, text) in refusals {
        match merged.iter_mut().find(|(known, _)| *known == status) {
            Some((_, texts)) => {
                texts.push(' ');
                texts.push_str(text);
            }
            None => merged.push((status, text.to_owned())),
        }
    }
    merged
}

fn refusal(error_format: ErrorFormat, status: &str, text: &str) -> Response {
    let content = ContentBuilder::new()
        .schema(Some(error_format.schema(status)))
        .example(Some(error_format.example(status)));
    let mut response = with_request_id(text).content("application/json", content.build());
    if matches!(status, "409" | "429") {
        response = response.header("Retry-After", header("Seconds to wait."));
    }
    response.build()
}

impl ErrorFormat {
    /// The schema of an error of this status.
    fn schema(self, status: &str) -> RefOr<Schema> {
        let by_access_check = matches!(status, "401" | "403" | "404" | "4XX");
        match self {
            Self::Nested => Ref::from_schema_name("NestedError").into(),
            Self::Flat => Ref::from_schema_name("FlatError").into(),
            Self::Bare if by_access_check => {
                let either = OneOfBuilder::new().item(Ref::from_schema_name("NestedError"));
                RefOr::T(either.item(Ref::from_schema_name("BareError")).build().into())
            }
            Self::Coded if matches!(status, "401" | "403") => Ref::from_schema_name("CodedError").into(),
            Self::Bare | Self::Coded => Ref::from_schema_name("BareError").into(),
        }
    }

    fn example(self, status: &str) -> Value {
        let message = "A sentence that says what is wrong.";
        match self {
            Self::Flat => json!({"ok": false, "error": message}),
            Self::Coded if status == "401" => {
                json!({"ok": false, "error": {"message": message, "code": "UNAUTHORIZED"}})
            }
            Self::Coded if status == "403" => {
                json!({"ok": false, "error": {"message": message, "code": "FORBIDDEN"}})
            }
            Self::Bare if matches!(status, "401" | "403") => {
                json!({"ok": false, "error": {"message": message}})
            }
            Self::Nested => json!({"ok": false, "error": {"message": message}}),
            Self::Bare | Self::Coded => json!({"error": message}),
        }
    }
}

/// The schemas of every error_format of error.
pub fn error_schemas() -> Vec<NamedSchema> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let not_ok = || ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([false]));
    let anything = || ObjectBuilder::new().schema_type(SchemaType::AnyValue);
    let message = || ObjectBuilder::new().property("message", text()).required("message");
    let wrapped = |error: ObjectBuilder| {
        ObjectBuilder::new()
            .property("ok", not_ok())
            .required("ok")
            .property("error", error)
            .required("error")
    };
    let code = text().enum_values(Some(["UNAUTHORIZED", "FORBIDDEN"]));
    let bare =
        ObjectBuilder::new().property("error", text()).required("error").property("details", anything());
    [
        ("NestedError", wrapped(message().property("details", anything()))),
        ("FlatError", wrapped(text())),
        ("CodedError", wrapped(message().property("code", code).required("code"))),
        ("BareError", bare),
    ]
    .map(|(name, schema)| (name.to_owned(), RefOr::from(schema)))
    .into()
}

/// The names in the braces of a path.
fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// `POST /api/bff/pos/issue` as a name: `post_pos_issue`.
fn identifier(operation: &str) -> String {
    let words = operation.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let told = words.filter(|word| !matches!(*word, "api" | "bff"));
    told.collect::<Vec<_>>().join("_").to_lowercase()
}

/// Control characters at its ends are lost where the path becomes a URL, as blanks are.
fn id_in_path() -> Object {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"[^\s\x00-\x1F]")).build()
}

/// A text that is not blank.
#[derive(Debug)]
pub struct NonBlank(());

impl PartialSchema for NonBlank {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"\S")).build().into()
    }
}

impl ToSchema for NonBlank {}

/// Any JSON object.
#[derive(Debug)]
pub struct AnyFields(());

impl PartialSchema for AnyFields {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(true))).build().into()
    }
}

impl ToSchema for AnyFields {}

/// Any JSON.
#[derive(Debug, Serialize)]
pub struct Anything(());

impl PartialSchema for Anything {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(SchemaType::AnyValue).build().into()
    }
}

impl ToSchema for Anything {}

/// Any JSON: what is passed on as the card network has it.
#[derive(Debug, Serialize)]
pub struct AsTheNetworkHasIt(());

impl PartialSchema for AsTheNetworkHasIt {
    fn schema() -> RefOr<Schema> {
        let anything = ObjectBuilder::new().schema_type(SchemaType::AnyValue);
        anything.description(Some("As the card network has it.")).build().into()
    }
}

impl ToSchema for AsTheNetworkHasIt {
    fn name() -> std::borrow::Cow<'static, str> {
        "asTheNetworkHasIt".into()
    }
}

/// What is null and nothing else, for `schema_with`.
pub fn null() -> Object {
    ObjectBuilder::new().schema_type(Type::Null).build()
}

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
