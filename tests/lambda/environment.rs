//! The environment that the template gives a function, with the resources of a local system.

use std::collections::BTreeMap;

use local::Local;
use serde_json::Value;

use crate::template::{Template, document};

/// What Lambda sets in every function.
const OF_LAMBDA: [&str; 3] = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
const ENDPOINTS: &str = "AWS_ENDPOINT_URL";

/// The variables of the function in the template. Each has the value of the local system, or else what the template's parameters give it
/// by default.
pub(crate) fn of_template(function: &str, local: &Local) -> BTreeMap<String, String> {
    let template = Template::read();
    let functions = template.functions();
    let function = functions.iter().find(|known| known.name == function).unwrap_or_else(|| panic!("no function {function}"));
    let own = function.properties["Environment"]["Variables"].as_object().cloned().unwrap_or_default();
    let variables = template.globals("Function")["Environment"]["Variables"].as_object().unwrap().clone();
    let parameters = document("template.yaml")["Parameters"].clone();
    let of_local = |name: &str| local.environment.get(name).cloned();
    let value = |name: &str, value: &Value| match of_local(name) {
        Some(value) => value,
        None if name.starts_with(ENDPOINTS) => of_local(ENDPOINTS).unwrap(),
        None => by_default(value, &parameters),
    };
    let variables = variables.iter().chain(&own).map(|(name, text)| (name.clone(), value(name, text)));
    let of_lambda = OF_LAMBDA.into_iter().map(|name| (name.to_owned(), of_local(name).unwrap()));
    variables.chain(of_lambda).collect()
}

/// Conditions are false by default.
fn by_default(value: &Value, parameters: &Value) -> String {
    match value {
        Value::String(text) => match text.strip_prefix("${").and_then(|name| name.strip_suffix('}')) {
            Some(name) => match &parameters[name]["Default"] {
                Value::String(text) => text.clone(),
                Value::Null => panic!("the parameter {name} has no default, and the local system no value"),
                other => other.to_string(),
            },
            None => text.clone(),
        },
        choice => by_default(&choice["!If"][2], parameters),
    }
}
