//! Compares responses with the API description.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};
use world::matches_path_template;

use crate::system::Answer;

/// The headers that responses can have, beside those of CORS.
const HEADERS: [&str; 19] = [
    "cache-control",
    "content-disposition",
    "content-length",
    "content-security-policy",
    "content-type",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "etag",
    "idempotent-replayed",
    "money-moved",
    "referrer-policy",
    "retry-after",
    "strict-transport-security",
    "vary",
    "x-content-type-options",
    "x-frame-options",
    "permissions-policy",
    "link",
    "allow",
];

/// JSON that `serde_json` does not read.
const UNREADABLE: [&str; 3] = ["number out of range", "unexpected end of hex escape", "lone leading surrogate"];

static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&local::openapi::json(&local::route_tables()).unwrap()).unwrap());

static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// The method and path of every route.
pub(crate) fn routes() -> Vec<(String, String)> {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    let methods = paths.iter().flat_map(|(path, operations)| {
        operations.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path.clone()))
    });
    methods.collect()
}

/// The template of a path. That with the fewest parameters wins.
pub(crate) fn template(method: &str, path: &str) -> Option<&'static str> {
    let path = path.split('?').next().unwrap();
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let matching = paths.filter(|(template, _)| matches_path_template(template, path));
    let (template, operations) = matching.min_by_key(|(template, _)| template.matches('{').count())?;
    operations.get(method.to_lowercase()).map(|_| template.as_str())
}

/// What the response has that the description of the API has not.
pub(crate) fn violations(method: &str, path: &str, answer: &Answer) -> Vec<String> {
    let Some(template) = template(method, path) else { return vec![format!("{method} {path} is not described")] };
    let mut violations = Vec::new();
    for name in answer.headers.keys() {
        if !HEADERS.contains(&name.as_str()) && !name.starts_with("access-control-") {
            violations.push(format!("the header {name}"));
        }
    }
    let operation = pointer_to(&["paths", template, &method.to_lowercase()]);
    let names = [answer.status.to_string(), format!("{}XX", answer.status / 100)];
    let pointers = names.map(|name| format!("{operation}/responses/{name}"));
    let Some(described) = pointers.into_iter().find(|pointer| DOCUMENT.pointer(pointer).is_some()) else {
        violations.push(format!("the status {} is not described", answer.status));
        return violations;
    };
    let reference = DOCUMENT.pointer(&described).unwrap()["$ref"].as_str();
    let described = reference.map_or(described.clone(), |reference| reference.trim_start_matches('#').to_owned());
    let schema = described + &pointer_to(&["content", "application/json", "schema"]);
    if DOCUMENT.pointer(&schema).is_some() {
        match serde_json::from_slice(&answer.body) {
            Ok(body) => violations.extend(validator(&schema).iter_errors(&body).map(|error| shortened(&error.to_string()))),
            // Browsers read such numbers and texts of the card network, which are passed on as they are.
            Err(error) if UNREADABLE.iter().any(|cause| error.to_string().contains(cause)) => {}
            Err(error) => violations.push(format!("the body is not JSON: {error}")),
        }
    }
    violations
}

fn shortened(text: &str) -> String {
    text.chars().take(300).collect()
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
