//! All routes, with what a request to each of them can say: attacks are made from it, so that a new route is attacked too.

use local::openapi;
use reqwest::Method;
use serde_json::Value;
use shared::http::access::Requirement;
use shared::http::routes::Routes;

/// Deeper parts of a body are not looked at. No request has any.
const MAX_DEPTH: usize = 8;

/// A route and its description.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) requirement: Requirement,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
}

/// A part of a request that is not in its body.
#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
    Body,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    Json {
        example: Value,
        fields: Vec<Field>,
    },
    /// A multipart form with a file.
    Form,
}

/// A field of a body, at any depth.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// A JSON pointer. The members of a list have number 0.
    pub(crate) pointer: String,
    pub(crate) name: String,
    pub(crate) is_number: bool,
}

impl Route {
    /// `GET /api/bff/offers/{id}`.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    pub(crate) fn is_write(&self) -> bool {
        self.method != Method::GET
    }
}

/// All routes, and the names of those that have no description.
pub(crate) fn all() -> (Vec<Route>, Vec<String>) {
    let tables = local::route_tables();
    let document: Value = serde_json::from_str(&openapi::json(&tables).unwrap()).unwrap();
    let (mut described, mut undescribed) = (Vec::new(), Vec::new());
    for route in tables.iter().flat_map(Routes::routes) {
        let operation = &document["paths"][route.path][route.method.as_str().to_ascii_lowercase()];
        if operation.is_null() {
            undescribed.push(format!("{} {}", route.method, route.path));
        }
        described.push(Route {
            method: route.method.clone(),
            path: route.path,
            requirement: route.requirement,
            parameters: parameters(operation),
            body: body(operation, &document),
        });
    }
    (described, undescribed)
}

fn parameters(operation: &Value) -> Vec<Parameter> {
    let described = operation["parameters"].as_array().into_iter().flatten();
    let parameter = |parameter: &Value| Parameter {
        place: match parameter["in"].as_str() {
            Some("path") => Place::Path,
            Some("query") => Place::Query,
            _ => Place::Header,
        },
        name: parameter["name"].as_str().unwrap().to_owned(),
        is_required: parameter["required"] == true,
    };
    described.map(parameter).collect()
}

fn body(operation: &Value, document: &Value) -> Option<Body> {
    let (content_type, content) = operation["requestBody"]["content"].as_object()?.iter().next()?;
    if content_type == "multipart/form-data" {
        return Some(Body::Form);
    }
    let mut fields = Vec::new();
    add_fields(document, &content["schema"], "", 0, &mut fields);
    fields.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    fields.dedup_by(|one, other| one.pointer == other.pointer);
    Some(Body::Json { example: content["example"].clone(), fields })
}

fn add_fields(document: &Value, schema: &Value, pointer: &str, depth: usize, fields: &mut Vec<Field>) {
    if depth > MAX_DEPTH {
        return;
    }
    let schema = resolved(document, schema);
    for alternatives in ["oneOf", "anyOf", "allOf"] {
        for alternative in schema[alternatives].as_array().into_iter().flatten() {
            add_fields(document, alternative, pointer, depth + 1, fields);
        }
    }
    if schema["items"].is_object() {
        add_fields(document, &schema["items"], &format!("{pointer}/0"), depth + 1, fields);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{name}");
        fields.push(Field { pointer: pointer.clone(), name: name.clone(), is_number: is_number(document, property) });
        add_fields(document, property, &pointer, depth + 1, fields);
    }
}

/// Whether a field takes numbers and no texts.
fn is_number(document: &Value, schema: &Value) -> bool {
    let types = resolved(document, schema)["type"].to_string();
    (types.contains("number") || types.contains("integer")) && !types.contains("string")
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => resolved(document, document.pointer(reference.trim_start_matches('#')).unwrap()),
        None => schema,
    }
}
