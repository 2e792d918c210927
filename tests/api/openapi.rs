//! The API description is complete and consistent, and the committed `openapi.json` is up to date.

use std::collections::BTreeMap;
use std::fs;

use local::openapi;
use serde_json::Value;
use shared::http::openapi as assembly;
use world::contract::{DOCUMENT, schema_errors, target};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi.json");
const SCHEMA_TYPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../clients/typescript/schema.d.ts");

/// Returns the JSON pointer to a field of the value at `parent`.
fn child(parent: &str, name: &str) -> String {
    format!("{parent}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn value_at(pointer: &str) -> &'static Value {
    DOCUMENT.pointer(pointer).unwrap_or_else(|| panic!("no value at {pointer}"))
}

/// Returns pointers to the fields of an object; empty if the pointer leads to no object.
fn children(pointer: &str) -> Vec<String> {
    let object = DOCUMENT.pointer(pointer).and_then(Value::as_object);
    object.into_iter().flat_map(|object| object.keys()).map(|name| child(pointer, name)).collect()
}

fn operations() -> Vec<String> {
    children("/paths").iter().flat_map(|path| children(path)).collect()
}

/// Returns pointers to the media types of an operation's request body and responses.
fn media_types(operation: &str) -> Vec<String> {
    let responses = children(&child(operation, "responses"));
    let responses = responses.into_iter().map(|response| target(&response).unwrap_or(response));
    let of_responses = responses.flat_map(|response| children(&child(&response, "content")));
    children(&format!("{operation}/requestBody/content")).into_iter().chain(of_responses).collect()
}

#[test]
fn describes_every_route() {
    for table in local::route_tables() {
        for route in table.routes() {
            let operation = child(&child("/paths", route.path), &route.method.as_str().to_lowercase());
            assert!(
                DOCUMENT.pointer(&operation).is_some(),
                "{} {} is not described: functions/{}/src/lib.rs has no `.described(…)` after it",
                route.method,
                route.path,
                table.group()
            );
        }
    }
}

#[test]
fn committed_file_is_up_to_date() {
    let current = openapi::json(&local::route_tables()).unwrap();
    let is_current = fs::read_to_string(FILE).is_ok_and(|file| file == current);
    assert!(is_current, "openapi.json is out of date; run: cargo run --bin routes");
}

/// `.ci/contract/run` compares all of the file. It needs npm; this test does not.
#[test]
fn the_typescript_package_knows_every_path() {
    let types = fs::read_to_string(SCHEMA_TYPES).unwrap();
    for path in DOCUMENT["paths"].as_object().unwrap().keys() {
        let is_known = types.contains(&format!("\"{path}\": {{"));
        assert!(is_known, "clients/typescript/schema.d.ts has no {path}; run: clients/typescript/generate");
    }
}

#[test]
fn every_operation_has_an_id_of_its_own_in_camel_case() {
    let mut operations_by_id = BTreeMap::new();
    for operation in operations() {
        let id = value_at(&child(&operation, "operationId")).as_str().unwrap();
        let is_camel_case = id.starts_with(|c: char| c.is_ascii_lowercase()) && id.chars().all(|c| c.is_ascii_alphanumeric());
        assert!(is_camel_case, "{operation} has the id {id:?}");
        if let Some(other) = operations_by_id.insert(id, operation.clone()) {
            panic!("{operation} and {other} have the same id {id}");
        }
    }
}

#[test]
fn every_operation_has_a_summary_and_a_description() {
    for operation in operations() {
        for field in ["summary", "description"] {
            let text = value_at(&child(&operation, field)).as_str().unwrap();
            assert!(!text.trim().is_empty(), "{operation} has no {field}");
        }
    }
}

/// Collects the fields of a schema that have no description, such as `Payout.currency`.
fn collect_undescribed(name: &str, schema: &Value, found: &mut Vec<String>) {
    for (field, schema) in schema["properties"].as_object().into_iter().flatten() {
        let name = format!("{name}.{field}");
        if schema["description"].as_str().is_none_or(|text| text.trim().is_empty()) {
            found.push(name.clone());
        }
        collect_undescribed(&name, schema, found);
    }
    for keyword in ["allOf", "oneOf", "anyOf"] {
        for part in schema[keyword].as_array().into_iter().flatten() {
            collect_undescribed(name, part, found);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(part) = schema.get(keyword) {
            collect_undescribed(name, part, found);
        }
    }
}

#[test]
fn every_field_has_a_description() {
    let mut undescribed = Vec::new();
    for schema in children("/components/schemas") {
        let name = schema.rsplit('/').next().unwrap();
        collect_undescribed(name, value_at(&schema), &mut undescribed);
    }
    for media_type in operations().iter().flat_map(|operation| media_types(operation)) {
        if let Some(schema) = value_at(&media_type).get("schema") {
            collect_undescribed(&media_type, schema, &mut undescribed);
        }
    }
    assert!(
        undescribed.is_empty(),
        "These fields have no description; write doc comments on the fields of their structs: {}",
        undescribed.join(", ")
    );
}

#[test]
fn every_json_example_matches_its_schema() {
    for media_type in operations().iter().flat_map(|operation| media_types(operation)) {
        if !media_type.ends_with("application~1json") {
            continue;
        }
        let example = value_at(&child(&media_type, "example"));
        let errors = schema_errors(&child(&media_type, "schema"), example);
        assert!(errors.is_empty(), "the example of {media_type}: {errors:?}");
    }
}

#[test]
fn schema_names_are_unique() {
    let mut schemas_by_name: BTreeMap<String, Value> = BTreeMap::new();
    for table in local::route_tables() {
        let described = table.routes().iter().filter_map(|route| assembly::operation(route, table.group()));
        for (name, schema) in described.flat_map(|(_, schemas)| schemas) {
            let schema = serde_json::to_value(schema).unwrap();
            let known = schemas_by_name.entry(name.clone()).or_insert_with(|| schema.clone());
            assert_eq!(*known, schema, "two schemas are named {name}");
        }
    }
}
