//! OpenAPI operations, assembled from the route table and the descriptions of the endpoints.

use http::StatusCode;
use serde_json::Value;
use utoipa::PartialSchema;
use utoipa::openapi::path::{Operation, OperationBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Required, Response, ResponsesBuilder};

use super::access::{
    EXPECTED_MERCHANT_HEADER, EXPECTED_MERCHANT_TEXT, KEY_IN_BROWSER, Keys, NOT_FOR_KEYS, OTHER_MERCHANT, PASSKEY_REQUIRED,
    Requirement, SIGN_IN_AGAIN, is_write,
};
use super::described_error::DescribedError;
use super::description::{header, idempotent_replayed, parameter, retry_after, with_request_id};
use super::error_schemas::{ErrorKind, code_of};
use super::fault::ErrorFormat;
use super::html::Page;
use super::money_moved::{self, MONEY_MOVED_HEADER};
use super::routes::Route;
use super::schemas::{NamedSchema, describe_nullable_fields};
use super::success::Success;

/// The names of the security schemes.
pub const BEARER: &str = "bearer";
pub const COOKIE: &str = "cookie";
/// Of routes that admit keys.
pub const KEY: &str = "key";

/// The OpenAPI operation of a route, and the schemas that it refers to. `None` without a description of the success response.
pub fn operation(route: &Route, group: &str) -> Option<(Operation, Vec<NamedSchema>)> {
    let description = route.describe.map(|describe| describe())?;
    let (text, example) = description.success?;
    let success = route.describe_success.map(|describe| describe(text, example))?;
    let mut success_response = success.response;
    let mut responses = ResponsesBuilder::new();
    if !description.not_modified.is_empty() {
        let headers = description.not_modified.iter().map(|(name, text)| ((*name).to_owned(), header(text).into()));
        success_response.headers.extend(headers.clone());
        let mut response = with_request_id("The client already has the current response.").build();
        response.headers.extend(headers);
        responses = responses.response("304", response);
    }
    if let Some(text) = description.moved {
        let address = header("The address, relative to that of the request.");
        responses = responses.response("301", with_request_id(text).header("Location", address));
    }
    responses = responses.response(success.status.as_str(), success_response);
    let mut errors = access_errors(route.requirement);
    errors.extend(errors_of_keys(route.keys));
    if route.is_guarded && route.requirement == Requirement::Public {
        errors.push(other_site());
    }
    let is_write_in_session = route.requirement != Requirement::Public && is_write(&route.method);
    errors.extend(success.errors);
    errors.extend(description.errors);
    if is_write_in_session {
        errors.push(other_merchant());
    }
    if let Some((content_type, _)) = &description.body {
        let is_file = *content_type == "multipart/form-data";
        let message = is_file.then_some("file: is larger than 4194304 bytes.");
        errors.push(DescribedError { message, ..general_error("413", "The body is too large.") });
        if !route.is_guarded && route.requirement != Requirement::Public {
            let text = "The request has the session cookie, and its content type does not match its body.";
            errors.push(general_error("415", text));
        }
    }
    if route.is_guarded {
        errors.push(general_error("415", "The content type is not JSON."));
    }
    errors.push(general_error("500", "An internal error."));
    errors.push(general_error("503", "The service is busy. The request can be repeated after `Retry-After`."));
    let mut schemas = description.schemas;
    schemas.extend(success.schemas);
    for error in merged(errors) {
        let mut response = error_response(route.error_format, &error, success.replays);
        if success.tells_money {
            response.headers.insert(MONEY_MOVED_HEADER.to_owned(), money_moved::header().into());
        }
        responses = responses.response(&error.status, response);
        if route.error_format != ErrorFormat::Page {
            schemas.extend(route.error_format.schemas(&error.status, &error.kinds));
        }
    }
    for (_, schema) in &mut schemas {
        describe_nullable_fields(schema);
    }

    let mut operation = OperationBuilder::new()
        .operation_id(Some(description.id))
        .tag(group)
        .summary(Some(description.summary))
        .description(Some(description.text))
        .responses(responses.build());
    for name in path_parameters(route.path) {
        operation =
            operation.parameter(parameter(name, ParameterIn::Path, path_parameter_text(name), true).schema(Some(id_in_path())));
    }
    for parameter in description.parameters {
        operation = operation.parameter(parameter);
    }
    if is_write_in_session {
        let header = parameter(EXPECTED_MERCHANT_HEADER, ParameterIn::Header, EXPECTED_MERCHANT_TEXT, false);
        operation = operation.parameter(header.schema(Some(String::schema())));
    }
    if let Some((content_type, content)) = description.body {
        let body = RequestBodyBuilder::new().content(content_type, content).required(Some(Required::True));
        operation = operation.request_body(Some(body.build()));
    }
    let schemes = match (route.requirement, route.keys) {
        (Requirement::Public, _) => &[][..],
        (_, Keys::Admitted) => &[BEARER, COOKIE, KEY],
        (_, Keys::Refused | Keys::Ignored) => &[BEARER, COOKIE],
    };
    let schemes = schemes.iter().map(|scheme| SecurityRequirement::new(*scheme, Vec::<String>::new()));
    operation = operation.securities(Some(schemes));
    Some((operation.build(), schemas))
}

fn access_errors(requirement: Requirement) -> Vec<DescribedError> {
    let no_session = || access_error(StatusCode::UNAUTHORIZED, "The request has no valid session, or more than one.");
    let no_merchant = |status| {
        let message = Some("Your account is not linked to a merchant.");
        DescribedError { message, ..access_error(status, "The user has no merchant.") }
    };
    let denied = || {
        let text = "The user does not have the permission, or the request came from another site.";
        access_error(StatusCode::FORBIDDEN, text)
    };
    match requirement {
        Requirement::Public => vec![],
        Requirement::Session => vec![no_session(), other_site()],
        Requirement::PlatformAdministrator => {
            let text = "The user is not a platform administrator, or did not sign in with a passkey (`PASSKEY_REQUIRED`).";
            let mut denied = access_error(StatusCode::FORBIDDEN, text);
            denied.kinds.push(ErrorKind::Access(PASSKEY_REQUIRED));
            vec![no_session(), denied]
        }
        Requirement::RecentAdministrator => {
            let text = "The user is not a platform administrator, did not sign in with a passkey (`PASSKEY_REQUIRED`) or signed in \
                        more than 15 minutes ago (`SIGN_IN_AGAIN`), or the request came from another site.";
            let mut denied = access_error(StatusCode::FORBIDDEN, text);
            denied.kinds.extend([ErrorKind::Access(PASSKEY_REQUIRED), ErrorKind::Access(SIGN_IN_AGAIN)]);
            vec![no_session(), denied]
        }
        Requirement::RecentSession => {
            let text = "The user signed in more than 15 minutes ago (`SIGN_IN_AGAIN`), or the request came from another site.";
            let mut denied = access_error(StatusCode::FORBIDDEN, text);
            denied.kinds.push(ErrorKind::Access(SIGN_IN_AGAIN));
            vec![no_session(), denied]
        }
        Requirement::Merchant => vec![no_session(), other_site(), no_merchant(StatusCode::FORBIDDEN)],
        Requirement::ReadAny(_) => vec![no_session(), denied(), no_merchant(StatusCode::NOT_FOUND)],
        Requirement::Permission(_, None) => vec![no_session(), denied()],
        Requirement::Permission(_, Some(status)) => vec![no_session(), denied(), no_merchant(status)],
    }
}

fn errors_of_keys(keys: Keys) -> Vec<DescribedError> {
    let error = |text, code| DescribedError { kinds: vec![ErrorKind::Access(code)], ..access_error(StatusCode::FORBIDDEN, text) };
    let in_browser = || error("A key is sent by a browser (`KEY_IN_BROWSER`).", KEY_IN_BROWSER);
    match keys {
        Keys::Ignored => vec![],
        Keys::Admitted => vec![in_browser()],
        Keys::Refused => vec![error("A key cannot do this (`NOT_FOR_KEYS`).", NOT_FOR_KEYS), in_browser()],
    }
}

fn other_site() -> DescribedError {
    let error = access_error(StatusCode::FORBIDDEN, "The request came from another site.");
    DescribedError { message: Some("This request came from another site."), ..error }
}

fn other_merchant() -> DescribedError {
    let text = "The session does not belong to the merchant of `X-Expected-Merchant` (`OTHER_MERCHANT`).";
    let kinds = vec![ErrorKind::Access(OTHER_MERCHANT)];
    DescribedError { status: StatusCode::CONFLICT.as_str().to_owned(), text: text.to_owned(), kinds, message: None }
}

fn access_error(status: StatusCode, text: &'static str) -> DescribedError {
    let kinds = vec![ErrorKind::Access(code_of(status.as_str()))];
    DescribedError { status: status.as_str().to_owned(), text: text.to_owned(), kinds, message: None }
}

fn general_error(status: &str, text: &'static str) -> DescribedError {
    let kinds = vec![ErrorKind::Own(code_of(status))];
    DescribedError { status: status.to_owned(), text: text.to_owned(), kinds, message: None }
}

/// The errors of one status.
struct ErrorResponse {
    status: String,
    text: String,
    kinds: Vec<ErrorKind>,
    /// The kind and the message of the example. Without a message, it has a general one.
    example: Option<(ErrorKind, Option<&'static str>)>,
}

/// Joins the texts and the kinds of each status. An error of the card network can have any status.
fn merged(errors: Vec<DescribedError>) -> Vec<ErrorResponse> {
    let passes_on = errors.iter().any(|error| error.status == "5XX");
    let mut merged: Vec<ErrorResponse> = Vec::new();
    for DescribedError { status, text, kinds, message } in errors {
        let example = kinds.first().map(|kind| (*kind, message));
        match merged.iter_mut().find(|known| known.status == status) {
            Some(known) => {
                if !known.text.contains(&text) {
                    known.text.push(' ');
                    known.text.push_str(&text);
                }
                known.kinds.extend(kinds);
                // The endpoint's own messages say more than those of the access check.
                let own_message = example.filter(|(kind, message)| is_own(*kind) && message.is_some());
                known.example = own_message.or(known.example);
            }
            None => merged.push(ErrorResponse { status, text, kinds, example }),
        }
    }
    for error in &mut merged {
        // The network's 401 concerns our own key, and becomes a 502.
        if passes_on && error.status != "401" && !error.kinds.contains(&ErrorKind::CardNetwork) {
            error.kinds.push(ErrorKind::CardNetwork);
        }
    }
    merged
}

fn is_own(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Own(_))
}

fn error_response(error_format: ErrorFormat, error: &ErrorResponse, replays: bool) -> Response {
    if error_format == ErrorFormat::Page {
        return Page::describe(with_request_id(&error.text), Value::Null, &mut Vec::new()).build();
    }
    let mut content = ContentBuilder::new().schema(Some(error_format.schema(&error.status, &error.kinds)));
    if let Some((kind, message)) = error.example {
        content = content.example(Some(error_format.example(kind, &error.status, message)));
    }
    let mut response = with_request_id(&error.text).content("application/json", content.build());
    let is_of_network = error.kinds.contains(&ErrorKind::CardNetwork);
    if is_of_network || error.kinds.iter().any(|kind| can_be_repeated(*kind)) {
        response = response.header("Retry-After", retry_after());
    }
    if replays && is_of_network {
        response = response.header("Idempotent-Replayed", idempotent_replayed());
    }
    response.build()
}

fn can_be_repeated(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Access(code) | ErrorKind::Own(code) => {
            matches!(code, "IN_PROGRESS" | "TOO_MANY_REQUESTS" | "UNAVAILABLE")
        }
        ErrorKind::CardNetwork | ErrorKind::UnknownOutcome(_) => true,
    }
}

fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn path_parameter_text(name: &str) -> &'static str {
    match name {
        "slug" => "The part of the shop's address that names the merchant, percent-encoded.",
        "qr" | "qrcode" => "The code of the card, as scanned, percent-encoded.",
        "reference" => "The `reference` of the response whose outcome was unknown, percent-encoded.",
        "orderId" => "The id of the order, percent-encoded.",
        "giftCardId" => "The id of a card of the order, percent-encoded.",
        "merchantId" => "The id of the merchant, percent-encoded.",
        "userId" => "The id of the member, percent-encoded.",
        "challengeId" => "The id of the invitation, percent-encoded.",
        _ => "The id of the resource, percent-encoded.",
    }
}

/// At least one character that is neither white space nor a control character: those are trimmed when the path becomes a
/// URL.
fn id_in_path() -> Object {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"[^\s\x00-\x1F]")).build()
}
