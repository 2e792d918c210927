//! Every answer that a test sees is held against the description of the API.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use reqwest::Method;
use serde_json::{Value, json};

use super::Answer;

pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(local::openapi::document(&local::route_tables())).unwrap());

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Fails where the answer has a status, a content type or a body that the description does not.
pub(crate) fn check(method: &Method, path: &str, answer: &Answer) {
    let path = path.split('?').next().unwrap();
    let operation_name = method.as_str().to_lowercase();
    // What is no route at all has no description: a test may ask for that as well.
    let Some((template, operation)) = described(&operation_name, path) else { return };
    let at = format!("{method} {template}: {answer:?}");
    let (status, response) =
        response(operation, answer.status).unwrap_or_else(|| panic!("no such status, {at}"));
    assert!(answer.header("x-request-id").is_some(), "no request id, {at}");

    let content = response.get("content").and_then(Value::as_object);
    let content_type = answer.header("content-type").map(|value| value.split(';').next().unwrap());
    let Some(content) = content else { return assert!(content_type.is_none(), "an undescribed body, {at}") };
    let content_type = content_type.unwrap_or_else(|| panic!("no content type, {at}"));
    assert!(content.contains_key(content_type), "an undescribed content type, {at}");
    if content_type != "application/json" {
        return;
    }
    let pointer =
        ["", "paths", template, &operation_name, "responses", &status, "content", content_type, "schema"]
            .map(|part| part.replace('~', "~0").replace('/', "~1"))
            .join("/");
    let faults = faults(&pointer, &answer.body);
    assert!(faults.is_empty(), "{faults:?}, {at}");
}

/// What is wrong with a value by the schema that the pointer leads to.
pub(crate) fn faults(pointer: &str, value: &Value) -> Vec<String> {
    validator(pointer).iter_errors(value).map(|error| error.to_string()).collect()
}

/// The operation that serves a request, the path without parameters before one with them.
fn described(operation_name: &str, path: &str) -> Option<(&'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let serving = paths.filter(|(template, _)| matches(template, path));
    let (template, operations) = serving.min_by_key(|(template, _)| template.matches('{').count())?;
    Some((template.as_str(), operations.get(operation_name)?))
}

fn matches(template: &str, path: &str) -> bool {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(path).all(|(want, part)| want.starts_with('{') || *want == part)
}

/// The response of a status: its own, else that of its hundred.
fn response(operation: &'static Value, status: u16) -> Option<(String, &'static Value)> {
    let names = [status.to_string(), format!("{}XX", status / 100)];
    names.into_iter().find_map(|name| operation["responses"].get(&name).map(|response| (name, response)))
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
