//! How long the fields of requests can be, for pages without a build step: a JavaScript module made of openapi.json.

use serde_json::{Map, Value};

/// `export const maxLength`: by operation, the field and its most characters. Fields of an object within have their own object.
pub(crate) fn module(document: &Value) -> serde_json::Result<String> {
    let mut lengths = Map::new();
    let paths = object(document, "paths");
    for operation in paths.filter_map(|(_, path)| path.as_object()).flat_map(Map::values) {
        let schema = operation.pointer("/requestBody/content/application~1json/schema");
        let fields = schema.and_then(|schema| length(document, schema));
        if let (Some(id), Some(fields)) = (text(operation, "operationId"), fields) {
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
    if let Some(reference) = text(schema, "$ref") {
        return length(document, document.pointer(reference.strip_prefix('#')?)?);
    }
    if let Some(length) = schema.get("maxLength") {
        return Some(length.clone());
    }
    let fields = object(schema, "properties");
    let fields = fields.filter_map(|(name, schema)| Some((name.clone(), length(document, schema)?)));
    let fields: Map<String, Value> = fields.collect();
    if !fields.is_empty() {
        return Some(Value::Object(fields));
    }
    let parts = ["allOf", "oneOf"].iter().filter_map(|of| schema.get(of)?.as_array()).flatten();
    parts.into_iter().find_map(|part| length(document, part))
}

fn object<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
    value.get(name).and_then(Value::as_object).into_iter().flatten()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
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
