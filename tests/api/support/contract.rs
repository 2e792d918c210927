//! Checks every response that a test receives against the API description.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};
use test_support::matches_path_template;

use super::ApiResponse;

/// The OpenAPI document, generated from the route tables.
pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&local::openapi::json(&local::route_tables()).unwrap()).unwrap());

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Panics if the description lacks the response's status or content type, or if the body violates its schema.
pub(crate) fn check(method: &Method, path: &str, response: &ApiResponse) {
    let path = path.split('?').next().unwrap();
    let method_name = method.as_str().to_lowercase();
    // The local system has rejected the request itself.
    let message = response.at("/error/message").as_str();
    if message.is_some_and(|message| message.starts_with("The local system accepts")) {
        return;
    }
    // Tests also call unknown paths and control calls, which the description does not contain.
    let Some(template) = find_template(&method_name, path) else { return };
    let context = format!("{method} {template}: {response:?}");
    let operation = pointer_to(&["paths", template, &method_name]);
    let described = find_response(&operation, response.status).unwrap_or_else(|| panic!("status is not described, {context}"));
    let description = DOCUMENT.pointer(&described).unwrap();
    assert!(response.header("x-request-id").is_some(), "no request id, {context}");
    for name in ["strict-transport-security", "x-content-type-options", "cache-control"] {
        assert!(response.header(name).is_some(), "no {name}, {context}");
    }
    for (name, described) in [("retry-after", "Retry-After"), ("idempotent-replayed", "Idempotent-Replayed")] {
        let is_described = description["headers"].get(described).is_some();
        assert!(is_described || response.header(name).is_none(), "{described} is not described, {context}");
    }

    let content = description.get("content").and_then(Value::as_object);
    let content_type = response.header("content-type").map(|value| value.split(';').next().unwrap());
    let Some(content) = content else {
        return assert!(content_type.is_none(), "body is not described, {context}");
    };
    let content_type = content_type.unwrap_or_else(|| panic!("no content type, {context}"));
    assert!(content.contains_key(content_type), "content type is not described, {context}");
    if content_type != "application/json" {
        return;
    }
    let schema = described + &pointer_to(&["content", content_type, "schema"]);
    let errors = schema_errors(&schema, &response.body);
    assert!(errors.is_empty(), "{errors:?}, {context}");
}

/// Panics if the description has no such webhook, or the message violates its schema.
pub(crate) fn check_message(message: &Value) {
    let schema = pointer_to(&["webhooks", message["type"].as_str().unwrap(), "post"]);
    let errors = schema_errors(&(schema + &pointer_to(&["requestBody", "content", "application/json", "schema"])), message);
    assert!(errors.is_empty(), "{errors:?}, {message}");
}

/// Validates a value against the schema at a JSON pointer into the OpenAPI document.
pub(crate) fn schema_errors(pointer: &str, value: &Value) -> Vec<String> {
    validator(pointer).iter_errors(value).map(|error| error.to_string()).collect()
}

/// Returns the path template of a request. The template with the fewest parameters wins.
fn find_template(method_name: &str, path: &str) -> Option<&'static str> {
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let matching = paths.filter(|(template, _)| matches_path_template(template, path));
    let (template, operations) = matching.min_by_key(|(template, _)| template.matches('{').count())?;
    operations.get(method_name).map(|_| template.as_str())
}

/// Returns a pointer to the response of an operation that is described for the status code, or for its class such as `4XX`.
fn find_response(operation: &str, status: u16) -> Option<String> {
    let names = [status.to_string(), format!("{}XX", status / 100)];
    let pointers = names.map(|name| format!("{operation}/responses/{name}"));
    let pointer = pointers.into_iter().find(|pointer| DOCUMENT.pointer(pointer).is_some())?;
    Some(target(&pointer).unwrap_or(pointer))
}

/// The target of a reference, as a pointer.
pub(crate) fn target(pointer: &str) -> Option<String> {
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
