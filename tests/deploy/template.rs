//! The parts of the deployment template that must match the code.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use world::workspace_root;
use yaml_serde::Value as Yaml;

pub(crate) struct Template {
    /// By name.
    resources: BTreeMap<String, Resource>,
    globals: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resource {
    r#type: String,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    properties: Value,
}

/// A function. Its name is the name of its binary.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) properties: Value,
    pub(crate) routes: Vec<Route>,
    pub(crate) policy: Vec<Statement>,
    /// Statements that it has only under a condition, with the name of that.
    pub(crate) conditional: Vec<(String, Statement)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Route {
    #[serde(rename = "ApiId")]
    pub(crate) api: String,
    pub(crate) method: String,
    pub(crate) path: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(crate) struct Statement {
    pub(crate) sid: String,
    pub(crate) effect: String,
    pub(crate) action: OneOrMore,
    pub(crate) resource: OneOrMore,
    /// By operator, then by condition key.
    #[serde(default)]
    pub(crate) condition: BTreeMap<String, BTreeMap<String, OneOrMore>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum OneOrMore {
    More(Vec<Value>),
    One(String),
}

impl OneOrMore {
    /// Returns the strings. Values that intrinsic functions compute are left out.
    pub(crate) fn strings(&self) -> Vec<&str> {
        match self {
            Self::One(string) => vec![string],
            Self::More(values) => values.iter().filter_map(Value::as_str).collect(),
        }
    }
}

impl Template {
    pub(crate) fn read() -> Self {
        let template = document("template.yaml");
        let resources = serde_json::from_value(template["Resources"].clone()).unwrap();
        Self { resources, globals: template["Globals"].clone() }
    }

    pub(crate) fn globals(&self, kind: &str) -> &Value {
        &self.globals[kind]
    }

    pub(crate) fn properties(&self, name: &str) -> &Value {
        &self.resources[name].properties
    }

    pub(crate) fn resources_of_type(&self, r#type: &str) -> impl Iterator<Item = &Value> {
        let resources = self.resources.values().filter(move |resource| resource.r#type == r#type);
        resources.map(|resource| &resource.properties)
    }

    pub(crate) fn functions(&self) -> Vec<Function> {
        let functions = self.resources.values().filter(|resource| resource.r#type == "AWS::Serverless::Function");
        functions.map(Function::from_resource).collect()
    }
}

impl Function {
    /// Its logical id in the template.
    pub(crate) fn logical_id(&self) -> String {
        format!("{}{}Function", self.name[..1].to_uppercase(), &self.name[1..])
    }

    fn from_resource(resource: &Resource) -> Self {
        let events = resource.properties["Events"].as_object().into_iter().flat_map(|events| events.values());
        let routes = events.filter(|event| event["Type"] == "HttpApi");
        let policies = resource.properties["Policies"].as_array().unwrap().iter();
        let statements = policies.flat_map(|policy| policy["Statement"].as_array().unwrap());
        let (conditional, always): (Vec<_>, Vec<_>) = statements.partition(|statement| !statement["!If"].is_null());
        Self {
            name: resource.metadata["BuildProperties"]["Binary"].as_str().unwrap().to_owned(),
            properties: resource.properties.clone(),
            routes: routes.map(|event| parse(&event["Properties"])).collect(),
            policy: always.into_iter().map(parse).collect(),
            conditional: conditional
                .into_iter()
                .map(|statement| (parse(&statement["!If"][0]), parse(&statement["!If"][1])))
                .collect(),
        }
    }
}

/// Reads a template of the workspace, without YAML tags and loops.
pub(crate) fn document(file: &str) -> Value {
    let text = std::fs::read_to_string(workspace_root().join(file)).unwrap();
    let mut document = without_tags(&yaml_serde::from_str(&text).unwrap());
    if let Some(resources) = document["Resources"].as_object() {
        let mappings = &document["Mappings"];
        document["Resources"] =
            resources.iter().flat_map(|(id, resource)| written_out(id, resource, mappings)).collect::<Value>();
    }
    document
}

/// The resources of a loop, or the one resource.
fn written_out(id: &str, resource: &Value, mappings: &Value) -> Vec<(String, Value)> {
    let Some([Value::String(name), Value::Array(items), body]) =
        resource.as_array().filter(|_| id.starts_with("Fn::ForEach::")).map(Vec::as_slice)
    else {
        return vec![(id.to_owned(), resource.clone())];
    };
    let repeated = items.iter().map(|item| body.to_string().replace(&format!("${{{name}}}"), item.as_str().unwrap()));
    let bodies = repeated.map(|body| with_references(serde_json::from_str(&body).unwrap(), mappings));
    bodies.flat_map(|body| body.as_object().unwrap().clone()).collect()
}

/// Replaces references by the texts that `without_tags` makes of those outside of loops.
fn with_references(value: Value, mappings: &Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(|value| with_references(value, mappings)).collect(),
        Value::Object(members) if members.len() == 1 => {
            let (function, argument) = members.into_iter().next().unwrap();
            let argument = with_references(argument, mappings);
            let text = |index: usize| argument[index].as_str().unwrap();
            match function.as_str() {
                "Ref" => format!("${{{}}}", argument.as_str().unwrap()).into(),
                "Fn::GetAtt" => format!("${{{}.{}}}", text(0), text(1)).into(),
                "!Join" => {
                    let parts: Vec<&str> = argument[1].as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect();
                    parts.join(text(0)).into()
                }
                "!FindInMap" => mappings[text(0)][text(1)][text(2)].clone(),
                _ => json!({ function: argument }),
            }
        }
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, with_references(value, mappings))).collect(),
        other => other,
    }
}

fn parse<T: for<'a> Deserialize<'a>>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// Converts YAML tags to plain values. References become substitutions: `!Ref Table` and `!Sub '${Table}'` both become
/// `${Table}`.
fn without_tags(value: &Yaml) -> Value {
    match value {
        Yaml::Tagged(tagged) => match (tagged.tag.to_string().as_str(), without_tags(&tagged.value)) {
            ("!Ref" | "!GetAtt", Value::String(name)) => format!("${{{name}}}").into(),
            ("!Sub", text @ Value::String(_)) => text,
            (tag, value) => json!({ tag: value }),
        },
        Yaml::Mapping(members) => {
            members.iter().map(|(name, value)| (name.as_str().unwrap().to_owned(), without_tags(value))).collect()
        }
        Yaml::Sequence(values) => values.iter().map(without_tags).collect(),
        other => serde_json::to_value(other).unwrap(),
    }
}

/// Whether a text matches a pattern in which `*` matches any characters, and `?` one.
pub(crate) fn matches_wildcard(text: &str, pattern: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('*') => {
            let positions = text.char_indices().map(|(position, _)| position).chain([text.len()]);
            positions.into_iter().any(|position| matches_wildcard(&text[position..], rest.as_str()))
        }
        Some(expected) => {
            let mut following = text.chars();
            following.next().is_some_and(|found| expected == '?' || expected == found)
                && matches_wildcard(following.as_str(), rest.as_str())
        }
    }
}
