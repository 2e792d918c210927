//! How long the fields of requests can be, for pages without a build step: a JavaScript module made of openapi.json.

use serde_json::{Map, Value};

/// `export const maxLength`: by operation, the field and its most characters. Fields of an object within have their own object.
pub(crate) fn module(document: &Value) -> serde_json::Result<String> {
    let mut lengths = Map::new();
    let paths = document["paths"].as_object();
    for operation in paths.into_iter().flat_map(Map::values).filter_map(Value::as_object).flat_map(Map::values) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if let (Some(id), Some(fields)) = (operation["operationId"].as_str(), length(document, schema)) {
            lengths.insert(id.to_owned(), fields);
        }
    }
    let lengths = serde_json::to_string_pretty(&lengths)?;
    Ok(format!(
        "// Written by `cargo run --bin routes`.\n/** The most characters of the fields of each operation. */\nexport const \
         maxLength = {lengths};\n"
    ))
}

/// The most characters of a text, or those of the fields of an object.
fn length(document: &Value, schema: &Value) -> Option<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return length(document, document.pointer(reference.strip_prefix('#')?)?);
    }
    if schema["maxLength"].is_u64() {
        return Some(schema["maxLength"].clone());
    }
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields = fields.filter_map(|(name, schema)| Some((name.clone(), length(document, schema)?)));
    let fields: Map<String, Value> = fields.collect();
    if !fields.is_empty() {
        return Some(Value::Object(fields));
    }
    let parts = ["allOf", "oneOf"].iter().filter_map(|of| schema[of].as_array()).flatten();
    parts.filter_map(|part| length(document, part)).next()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_are_found_through_references_and_in_objects() {
        let body = json!({"properties": {
            "reason": {"oneOf": [{"$ref": "#/components/schemas/Reason"}, {"type": "null"}]},
            "address": {"properties": {"city": {"maxLength": 200}}},
            "amount": {"type": "number"},
        }});
        let operation = json!({"operationId": "change", "requestBody": {"content": {"application/json": {"schema": body}}}});
        let document = json!({
            "paths": {"/a": {"get": {"operationId": "read"}, "put": operation}},
            "components": {"schemas": {"Reason": {"maxLength": 500}}},
        });
        let module = module(&document).unwrap();
        let (_, lengths) = module.trim_end_matches(";\n").split_once("maxLength = ").unwrap();
        let lengths: Value = serde_json::from_str(lengths).unwrap();
        assert_eq!(lengths, json!({"change": {"address": {"city": 200}, "reason": 500}}));
    }
}
