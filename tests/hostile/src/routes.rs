//! All routes, with what a request to each of them can say: attacks are made from it, so that a new route is attacked too.

use reqwest::Method;
use serde_json::Value;
use shared::http::{Requirement, Routes};
use world::contract::DOCUMENT;

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
    /// What the form of a page sends.
    UrlEncoded {
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
    /// Whether it takes numbers and no texts.
    pub(crate) is_number: bool,
    pub(crate) is_required: bool,
}

impl Route {
    /// `GET /api/bff/offers/{id}`.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The fields of the body.
    pub(crate) fn fields(&self) -> &[Field] {
        match &self.body {
            Some(Body::Json { fields, .. } | Body::UrlEncoded { fields }) => fields,
            _ => &[],
        }
    }

    pub(crate) fn is_write(&self) -> bool {
        self.method != Method::GET
    }
}

/// All routes. A test fails if one is not described.
pub(crate) fn all() -> Vec<Route> {
    let route = |route: &shared::http::Route| {
        let operation = &DOCUMENT["paths"][route.path][route.method.as_str().to_ascii_lowercase()];
        Route {
            method: route.method.clone(),
            path: route.path,
            requirement: route.requirement,
            parameters: parameters(operation),
            body: body(operation),
        }
    };
    local::route_tables().iter().flat_map(Routes::routes).map(route).collect()
}

fn parameters(operation: &Value) -> Vec<Parameter> {
    let described = operation["parameters"].as_array().into_iter().flatten().map(resolved);
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

fn body(operation: &Value) -> Option<Body> {
    let (content_type, content) = operation["requestBody"]["content"].as_object()?.iter().next()?;
    if content_type == "multipart/form-data" {
        return Some(Body::Form);
    }
    let mut fields = Vec::new();
    add_fields(&content["schema"], "", 0, &mut fields);
    fields.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    fields.dedup_by(|one, other| one.pointer == other.pointer);
    if content_type == "application/x-www-form-urlencoded" {
        return Some(Body::UrlEncoded { fields });
    }
    Some(Body::Json { example: content["example"].clone(), fields })
}

fn add_fields(schema: &Value, pointer: &str, depth: usize, fields: &mut Vec<Field>) {
    if depth > MAX_DEPTH {
        return;
    }
    let schema = resolved(schema);
    for alternatives in ["oneOf", "anyOf", "allOf"] {
        for alternative in schema[alternatives].as_array().into_iter().flatten() {
            add_fields(alternative, pointer, depth + 1, fields);
        }
    }
    if schema["items"].is_object() {
        add_fields(&schema["items"], &format!("{pointer}/0"), depth + 1, fields);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let pointer = format!("{pointer}/{name}");
        let types = resolved(property)["type"].to_string();
        fields.push(Field {
            pointer: pointer.clone(),
            name: name.clone(),
            is_number: (types.contains("number") || types.contains("integer")) && !types.contains("string"),
            is_required: schema["required"].as_array().is_some_and(|required| required.contains(&name.as_str().into())),
        });
        add_fields(property, &pointer, depth + 1, fields);
    }
}

fn resolved(schema: &Value) -> &Value {
    match schema["$ref"].as_str() {
        Some(reference) => resolved(DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap()),
        None => schema,
    }
}
