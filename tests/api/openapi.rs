//! The description of the API: whole, true to itself, and the one that the repository holds.

use std::collections::BTreeMap;
use std::fs;

use local::openapi;
use serde_json::Value;
use shared::http::description;

use crate::support::contract::{DOCUMENT, faults};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi.json");

/// A JSON pointer to something below `at`.
fn below(at: &str, part: &str) -> String {
    format!("{at}/{}", part.replace('~', "~0").replace('/', "~1"))
}

fn at(pointer: &str) -> &'static Value {
    DOCUMENT.pointer(pointer).unwrap_or_else(|| panic!("there is no {pointer}"))
}

/// Pointers to the fields of an object, none where there is no object.
fn fields(pointer: &str) -> Vec<String> {
    let object = DOCUMENT.pointer(pointer).and_then(Value::as_object);
    object.into_iter().flat_map(|object| object.keys()).map(|name| below(pointer, name)).collect()
}

fn operations() -> Vec<String> {
    fields("/paths").iter().flat_map(|path| fields(path)).collect()
}

/// Every content that an operation takes or answers with.
fn contents(operation: &str) -> Vec<String> {
    let answers = fields(&below(operation, "responses"));
    let answered = answers.iter().flat_map(|answer| fields(&below(answer, "content")));
    fields(&format!("{operation}/requestBody/content")).into_iter().chain(answered).collect()
}

#[test]
fn every_route_is_described() {
    for table in local::route_tables() {
        for route in table.listed() {
            let operation = below(&below("/paths", route.path), &route.method.as_str().to_lowercase());
            assert!(
                DOCUMENT.pointer(&operation).is_some(),
                "{} {} is not described",
                route.method,
                route.path
            );
        }
    }
}

#[test]
fn the_file_in_the_repository_is_current() {
    let current = openapi::json(&local::route_tables()).unwrap();
    let is_current = fs::read_to_string(FILE).is_ok_and(|file| file == current);
    assert!(is_current, "openapi.json is out of date: cargo run --bin openapi > openapi.json");
}

#[test]
fn every_operation_says_what_it_does_in_words() {
    for operation in operations() {
        for field in ["summary", "description", "operationId"] {
            let text = at(&below(&operation, field)).as_str().unwrap();
            assert!(!text.trim().is_empty(), "{operation} has no {field}");
        }
    }
}

#[test]
fn every_json_body_and_answer_has_an_example_that_is_one() {
    for content in operations().iter().flat_map(|operation| contents(operation)) {
        if !content.ends_with("application~1json") {
            continue;
        }
        let example = at(&below(&content, "example"));
        let faults = faults(&below(&content, "schema"), example);
        assert!(faults.is_empty(), "the example of {content}: {faults:?}");
    }
}

#[test]
fn a_name_stands_for_one_schema() {
    let mut named: BTreeMap<String, Value> = BTreeMap::new();
    for table in local::route_tables() {
        let described =
            table.listed().iter().filter_map(|route| description::operation(route, table.group()));
        for (name, schema) in described.flat_map(|(_, schemas)| schemas) {
            let schema = serde_json::to_value(schema).unwrap();
            let known = named.entry(name.clone()).or_insert_with(|| schema.clone());
            assert_eq!(*known, schema, "{name} stands for two schemas");
        }
    }
}
