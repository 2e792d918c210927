//! Error responses that several operations have stand once in the description: operations refer to them.

use std::collections::{BTreeMap, HashMap, HashSet};

use utoipa::openapi::path::Operation;
use utoipa::openapi::{Ref, RefOr, Response, Schema};

/// Replaces each error response that occurs more than once by a reference, and returns those responses by their names.
pub(crate) fn share<'a>(operations: impl Iterator<Item = &'a mut Operation>) -> BTreeMap<String, Response> {
    let mut places: HashMap<String, Vec<&mut RefOr<Response>>> = HashMap::new();
    let mut in_order = Vec::new();
    for operation in operations {
        for (status, response) in &mut operation.responses.responses {
            let RefOr::T(known) = &*response else { continue };
            if !status.starts_with(['4', '5']) {
                continue;
            }
            let text = serde_json::to_string(known).unwrap_or_default();
            if !places.contains_key(&text) {
                in_order.push(text.clone());
            }
            places.entry(text).or_default().push(response);
        }
    }
    let (mut shared, mut names) = (BTreeMap::new(), HashSet::new());
    for text in in_order {
        let Some(places) = places.remove(&text).filter(|places| places.len() > 1) else { continue };
        let mut name = None;
        for place in places {
            let RefOr::T(response) = &*place else { continue };
            let name = name.get_or_insert_with(|| free_name(response, &mut names)).clone();
            let reference = RefOr::Ref(Ref::from_response_name(&name));
            if let RefOr::T(response) = std::mem::replace(place, reference) {
                shared.insert(name, response);
            }
        }
    }
    shared
}

/// The names of the schemas, such as `Unauthorized` or `ForbiddenOrCardNetwork`, and a number from the second such response on.
fn free_name(response: &Response, names: &mut HashSet<String>) -> String {
    let schema = response.content.values().find_map(|content| match content {
        RefOr::T(content) => content.schema.as_ref(),
        RefOr::Ref(_) => None,
    });
    let money = if response.headers.contains_key("Money-Moved") { "WithMoneyMoved" } else { "" };
    let name = schema.map(schema_names).unwrap_or_default().join("Or") + money;
    let candidates = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name}{number}") });
    candidates.into_iter().find(|name| names.insert(name.clone())).unwrap_or_default()
}

fn schema_names(schema: &RefOr<Schema>) -> Vec<String> {
    match schema {
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
            vec![name.strip_suffix("Error").unwrap_or(name).to_owned()]
        }
        RefOr::T(Schema::AnyOf(any)) => any.items.iter().flat_map(schema_names).collect(),
        RefOr::T(_) => vec!["Page".to_owned()],
    }
}
