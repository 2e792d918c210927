//! OpenAPI operations, assembled from the route table and the descriptions of the endpoints.

use http::StatusCode;
use serde_json::{Value, json};
use utoipa::openapi::path::{Operation, OperationBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Object, ObjectBuilder, OneOfBuilder, SchemaType, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Required, Response, ResponsesBuilder, Schema};

use super::access::Requirement;
use super::description::{NamedSchema, header, parameter, with_request_id};
use super::fault::{ErrorFormat, general_code};
use super::routes::Route;

/// The names of the security schemes.
pub const BEARER: &str = "bearer";
pub const COOKIE: &str = "cookie";

/// The OpenAPI operation of a route, and the schemas that it refers to. `None` without a description.
pub fn operation(route: &Route, group: &str) -> Option<(Operation, Vec<NamedSchema>)> {
    let description = route.describe.map(|describe| describe())?;
    let mut responses = ResponsesBuilder::new();
    let (status, success) = description.success?;
    responses = responses.response(status, success);
    let mut errors = access_errors(route.requirement);
    if route.is_guarded && route.requirement == Requirement::Public {
        errors.push(("403".to_owned(), "The request came from another site."));
    }
    errors.extend(description.errors);
    if description.body.is_some() {
        errors.push(("413".to_owned(), "The body is too large."));
        if route.is_guarded {
            errors.push(("415".to_owned(), "The content type is not JSON."));
        } else if route.requirement != Requirement::Public {
            let text = "The request has the session cookie, and its content type is not that of its body.";
            errors.push(("415".to_owned(), text));
        }
    }
    errors.push(("500".to_owned(), "An internal error."));
    for (status, text) in merged(errors) {
        responses = responses.response(&status, error_response(route.error_format, &status, &text));
    }

    let mut operation = OperationBuilder::new()
        .operation_id(Some(description.id))
        .tag(group)
        .summary(Some(description.summary))
        .description(Some(description.text))
        .responses(responses.build());
    for name in path_parameters(route.path) {
        operation = operation.parameter(
            parameter(name, ParameterIn::Path, "A percent-encoded id.", true).schema(Some(id_in_path())),
        );
    }
    for parameter in description.parameters {
        operation = operation.parameter(parameter);
    }
    if let Some((content_type, content)) = description.body {
        let body = RequestBodyBuilder::new().content(content_type, content).required(Some(Required::True));
        operation = operation.request_body(Some(body.build()));
    }
    let schemes = if route.requirement == Requirement::Public { &[][..] } else { &[BEARER, COOKIE] };
    let schemes = schemes.iter().map(|scheme| SecurityRequirement::new(*scheme, Vec::<String>::new()));
    operation = operation.securities(Some(schemes));
    Some((operation.build(), description.schemas))
}

/// The errors of the access check.
fn access_errors(requirement: Requirement) -> Vec<(String, &'static str)> {
    let no_session = (StatusCode::UNAUTHORIZED, "The request has no valid session, or more than one.");
    let no_merchant = |status| (status, "The user has no merchant.");
    let denied = (
        StatusCode::FORBIDDEN,
        "The user does not have the permission, or the request came from another site.",
    );
    let errors = match requirement {
        Requirement::Public => vec![],
        Requirement::Session => {
            vec![no_session, (StatusCode::FORBIDDEN, "The request came from another site.")]
        }
        Requirement::PlatformAdministrator => {
            vec![no_session, (StatusCode::FORBIDDEN, "The user is no platform administrator.")]
        }
        Requirement::RecentlySignedIn => {
            let text = "The user is no platform administrator, signed in more than 15 minutes ago, or belongs to the \
                        merchant, or the request came from another site.";
            vec![no_session, (StatusCode::FORBIDDEN, text)]
        }
        Requirement::Merchant(status) => {
            vec![
                no_session,
                (StatusCode::FORBIDDEN, "The request came from another site."),
                no_merchant(status),
            ]
        }
        Requirement::ReadAny(_) => vec![no_session, denied, no_merchant(StatusCode::NOT_FOUND)],
        Requirement::Permission(_, None) => vec![no_session, denied],
        Requirement::Permission(_, Some(status)) => vec![no_session, denied, no_merchant(status)],
    };
    errors.into_iter().map(|(status, text)| (status.as_str().to_owned(), text)).collect()
}

/// Joins the texts of each status.
fn merged(errors: Vec<(String, &'static str)>) -> Vec<(String, String)> {
    let mut merged: Vec<(String, String)> = Vec::new();
    for (status, text) in errors {
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

fn error_response(error_format: ErrorFormat, status: &str, text: &str) -> Response {
    let content = ContentBuilder::new()
        .schema(Some(error_format.schema(status)))
        .example(Some(error_format.example(status)));
    let mut response = with_request_id(text).content("application/json", content.build());
    if matches!(status, "409" | "429" | "504") {
        response = response.header("Retry-After", header("Seconds until the request can be retried."));
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
        let message = "What is wrong, in a sentence.";
        // Errors of the card network have no code of ours.
        let code = status.parse().ok().and_then(|status| StatusCode::from_u16(status).ok()).map(general_code);
        match (self, code) {
            (Self::Flat, _) => json!({"ok": false, "error": message}),
            (Self::Coded, _) if status == "400" => json!({"error": message}),
            (Self::Bare | Self::Coded, Some(code)) if !matches!(status, "401" | "403") => {
                json!({"error": message, "code": code})
            }
            (Self::Bare | Self::Coded, None) => json!({"error": message}),
            (_, Some(code)) => json!({"ok": false, "error": {"message": message, "code": code}}),
            (_, None) => json!({"ok": false, "error": {"message": message}}),
        }
    }
}

/// The schemas of all error formats.
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
    let code =
        || text().description(Some("For programs. Errors of the card network have none: see `details`."));
    let bare = ObjectBuilder::new()
        .property("error", text())
        .required("error")
        .property("code", code())
        .property("details", anything());
    [
        ("NestedError", wrapped(message().property("code", code()).property("details", anything()))),
        ("FlatError", wrapped(text())),
        ("CodedError", wrapped(message().property("code", code()).required("code"))),
        ("BareError", bare),
    ]
    .map(|(name, schema)| (name.to_owned(), RefOr::from(schema)))
    .into()
}

/// The parameter names of a path.
fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// At least one character that is neither white space nor a control character: those are trimmed when the path becomes a
/// URL.
fn id_in_path() -> Object {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"[^\s\x00-\x1F]")).build()
}
