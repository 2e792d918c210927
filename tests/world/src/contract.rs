//! Compares responses and webhooks with the API description.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{ApiResponse, matches_path_template};

/// The OpenAPI document, generated from the route tables.
pub static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&local::openapi::json(&local::route_tables()).unwrap()).unwrap());

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Headers that every response has.
const REQUIRED: [&str; 4] = ["x-request-id", "strict-transport-security", "x-content-type-options", "cache-control"];
/// Headers that a response has only where the description says so.
const DESCRIBED: [&str; 6] = ["Retry-After", "Idempotent-Replayed", "Set-Cookie", "Location", "Money-Moved", "Content-Language"];
/// Headers that a response may have without a description, beside those of CORS.
const OTHERS: [&str; 16] = [
    "allow",
    "connection",
    "content-disposition",
    "content-length",
    "content-security-policy",
    "content-type",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "date",
    "etag",
    "link",
    "permissions-policy",
    "referrer-policy",
    "session-merchant",
    "vary",
    "x-frame-options",
];

/// The method and the path of every route.
pub fn routes() -> Vec<(String, String)> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let methods = paths.iter().flat_map(|(path, operations)| {
        operations.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path.clone()))
    });
    methods.collect()
}

/// Panics if a response differs from the description. Tests also call unknown paths and control calls, which the description
/// does not contain.
pub fn check(method: &Method, path: &str, response: &ApiResponse) {
    if template(method.as_str(), path).is_some() {
        let violations = violations(method.as_str(), path, response);
        assert!(violations.is_empty(), "{violations:?}, {method} {path}: {response:?}");
    }
}

/// What a response has that the description has not, and the other way round.
pub fn violations(method: &str, path: &str, response: &ApiResponse) -> Vec<String> {
    // The local system has rejected the request itself.
    let message = response.at("/error/message").as_str();
    if message.is_some_and(|message| message.starts_with("The local system accepts")) {
        return vec![];
    }
    // An id with a slash is none of a route's: the path is another one.
    if message == Some("There is nothing at this address.") && path.to_ascii_lowercase().contains("%2f") {
        return vec![];
    }
    let Some(template) = template(method, path) else { return vec![format!("{method} {path} is not described")] };
    let operation = pointer_to(&["paths", template, &method.to_lowercase()]);
    let Some(described) = find_response(&operation, response.status) else {
        return vec![format!("the status {} is not described", response.status)];
    };
    let description = DOCUMENT.pointer(&described).unwrap();
    let mut violations = header_violations(description, response);
    let content_type = response.header("content-type").map(|value| value.split(';').next().unwrap());
    match (description.get("content").and_then(Value::as_object), content_type) {
        (None, Some(_)) => violations.push("a body is not described".to_owned()),
        (Some(_), None) => violations.push("there is no content type".to_owned()),
        (Some(content), Some(name)) if !content.contains_key(name) => {
            violations.push(format!("the content type {name} is not described"));
        }
        (Some(_), Some("application/json")) => match serde_json::from_slice(&response.bytes) {
            Ok(body) => {
                violations.extend(schema_errors(&(described + &pointer_to(&["content", "application/json", "schema"])), &body));
            }
            Err(error) => violations.push(format!("the body is not JSON: {error}")),
        },
        (None, None) | (Some(_), Some(_)) => {}
    }
    violations
}

fn header_violations(description: &Value, response: &ApiResponse) -> Vec<String> {
    let missing =
        REQUIRED.iter().filter(|name| response.header(name).is_none_or(str::is_empty)).map(|name| format!("there is no {name}"));
    let is_known = |name: &str| {
        let described = DESCRIBED.iter().find(|described| described.eq_ignore_ascii_case(name));
        let is_described = described.is_some_and(|described| description["headers"].get(described).is_some());
        is_described || REQUIRED.contains(&name) || OTHERS.contains(&name) || name.starts_with("access-control-")
    };
    let names = response.headers.keys().map(reqwest::header::HeaderName::as_str);
    missing.chain(names.filter(|name| !is_known(name)).map(|name| format!("the header {name} is not described"))).collect()
}

/// What the description does not allow of the JSON that is sent to the route with this path.
pub fn request_violations(method: &str, template: &str, body: &Value) -> Vec<String> {
    let operation = pointer_to(&["paths", template, &method.to_lowercase()]);
    schema_errors(&(operation + &pointer_to(&["requestBody", "content", "application/json", "schema"])), body)
}

/// Panics if the description has no such webhook, or the message violates its schema.
pub fn check_message(message: &Value) {
    let schema = pointer_to(&["webhooks", message["type"].as_str().unwrap(), "post"]);
    let errors = schema_errors(&(schema + &pointer_to(&["requestBody", "content", "application/json", "schema"])), message);
    assert!(errors.is_empty(), "{errors:?}, {message}");
}

/// Validates a value against the schema at a JSON pointer into the OpenAPI document.
pub fn schema_errors(pointer: &str, value: &Value) -> Vec<String> {
    validator(pointer).iter_errors(value).map(|error| error.to_string()).collect()
}

/// Returns the path template of a request. The template with the fewest parameters wins.
pub fn template(method: &str, path: &str) -> Option<&'static str> {
    let path = path.split('?').next().unwrap();
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let matching = paths.filter(|(template, _)| matches_path_template(template, path));
    let (template, operations) = matching.min_by_key(|(template, _)| template.matches('{').count())?;
    operations.get(method.to_lowercase()).map(|_| template.as_str())
}

/// Returns a pointer to the response of an operation that is described for the status code, or for its class such as `4XX`.
fn find_response(operation: &str, status: u16) -> Option<String> {
    let names = [status.to_string(), format!("{}XX", status / 100)];
    let pointers = names.map(|name| format!("{operation}/responses/{name}"));
    let pointer = pointers.into_iter().find(|pointer| DOCUMENT.pointer(pointer).is_some())?;
    Some(target(&pointer).unwrap_or(pointer))
}

/// The target of a reference, as a pointer.
pub fn target(pointer: &str) -> Option<String> {
    DOCUMENT.pointer(pointer)?["$ref"].as_str().map(|reference| reference.trim_start_matches('#').to_owned())
}

fn pointer_to(parts: &[&str]) -> String {
    parts.iter().flat_map(|part| ["/".to_owned(), part.replace('~', "~0").replace('/', "~1")]).collect()
}

fn validator(pointer: &str) -> Arc<Validator> {
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let build = || {
        let mut schema = DOCUMENT.clone();
        schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        schema["$ref"] = json!(format!("#{}", pointer.replace('{', "%7B").replace('}', "%7D")));
        Arc::new(jsonschema::validator_for(&schema).unwrap())
    };
    validators.entry(pointer.to_owned()).or_insert_with(build).clone()
}
