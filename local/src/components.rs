//! What several operations have in common stands once in the description, in its components: operations refer to it.

use std::collections::{BTreeMap, HashMap};
use std::mem;

use serde::Serialize;
use utoipa::openapi::path::{Operation, Parameter};
use utoipa::openapi::{Components, Header, Ref, RefOr, Response, Schema};

/// Replaces each header, parameter and error response that occurs more than once by a reference to the components.
pub(crate) fn share(components: &mut Components, mut operations: Vec<&mut Operation>) {
    // First the headers, since two responses differ if one refers to a header that the other one spells out.
    components.headers = share_kind("headers", operations.iter_mut().flat_map(|operation| headers(operation)));
    components.parameters = share_kind("parameters", operations.iter_mut().flat_map(|operation| parameters(operation)));
    components.responses = share_kind("responses", operations.iter_mut().flat_map(|operation| errors(operation)));
}

/// A place in the description, and the name of the component that it may become.
type Place<'a, T> = (String, &'a mut RefOr<T>);

fn headers(operation: &mut Operation) -> impl Iterator<Item = Place<'_, Header>> {
    let responses = operation.responses.responses.values_mut().filter_map(|response| match response {
        RefOr::T(response) => Some(response),
        RefOr::Ref(_) => None,
    });
    responses.flat_map(|response| &mut response.headers).map(|(name, header)| (name.clone(), header))
}

fn parameters(operation: &mut Operation) -> impl Iterator<Item = Place<'_, Parameter>> {
    operation.parameters.iter_mut().flatten().filter_map(|place| match place {
        RefOr::T(parameter) => Some((parameter.name.clone(), place)),
        RefOr::Ref(_) => None,
    })
}

fn errors(operation: &mut Operation) -> impl Iterator<Item = Place<'_, Response>> {
    let errors = operation.responses.responses.iter_mut().filter(|(status, _)| status.starts_with(['4', '5']));
    errors.filter_map(|(_, place)| match place {
        RefOr::T(response) => Some((name_of_error(response), place)),
        RefOr::Ref(_) => None,
    })
}

fn share_kind<'a, T: Serialize + 'a>(kind: &str, places: impl Iterator<Item = Place<'a, T>>) -> BTreeMap<String, RefOr<T>> {
    let places = places.map(|(name, place)| (serde_json::to_string(place).unwrap_or_default(), name, place));
    let places: Vec<_> = places.collect();
    let mut counts = HashMap::new();
    for (text, ..) in &places {
        *counts.entry(text.clone()).or_insert(0) += 1;
    }
    let (mut shared, mut names) = (BTreeMap::new(), HashMap::new());
    for (text, name, place) in places {
        if counts.get(&text) == Some(&1) {
            continue;
        }
        let name = names.entry(text).or_insert_with(|| free_name(&name, &shared));
        let value = mem::replace(place, RefOr::Ref(Ref::new(format!("#/components/{kind}/{name}"))));
        shared.insert(name.clone(), value);
    }
    shared
}

/// The name, with a number from the second such component on.
fn free_name<T>(name: &str, known: &BTreeMap<String, T>) -> String {
    let mut candidates = (1..).map(|number| if number == 1 { name.to_owned() } else { format!("{name}{number}") });
    candidates.find(|name| !known.contains_key(name)).unwrap_or_default()
}

/// The names of the schemas, such as `Unauthorized` or `ForbiddenOrCardNetwork`.
fn name_of_error(response: &Response) -> String {
    let schema = response.content.values().find_map(|content| match content {
        RefOr::T(content) => content.schema.as_ref(),
        RefOr::Ref(_) => None,
    });
    let money = if response.headers.contains_key("Money-Moved") { "WithMoneyMoved" } else { "" };
    schema.map(schema_names).unwrap_or_default().join("Or") + money
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
