//! The deployment template, as far as it says what the code says too.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use test_support::workspace_root;
use yaml_serde::Value as Yaml;

/// The template's resources by their names.
pub(crate) struct Template(BTreeMap<String, Resource>);

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resource {
    r#type: String,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    properties: Value,
}

/// A function, named as its binary is.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) routes: Vec<Route>,
    pub(crate) policy: Vec<Statement>,
}

/// What an API hands to a function.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Route {
    #[serde(rename = "ApiId")]
    pub(crate) api: String,
    pub(crate) method: String,
    pub(crate) path: String,
}

/// One statement of a function's policy.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(crate) struct Statement {
    pub(crate) sid: String,
    pub(crate) effect: String,
    pub(crate) action: OneOrMore,
    pub(crate) resource: OneOrMore,
    /// By operator, then by what it asks about.
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
    /// The texts; what a function has to put together first is left out.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::More(values) => values.iter().filter_map(Value::as_str).collect(),
        }
    }
}

impl Template {
    pub(crate) fn read() -> Self {
        let text = std::fs::read_to_string(workspace_root().join("template.yaml")).unwrap();
        let template = plain(&yaml_serde::from_str(&text).unwrap());
        Self(serde_json::from_value(template["Resources"].clone()).unwrap())
    }

    /// What the template says of one resource.
    pub(crate) fn properties(&self, name: &str) -> &Value {
        &self.0[name].properties
    }

    /// What it says of each resource of a type.
    pub(crate) fn all(&self, r#type: &str) -> impl Iterator<Item = &Value> {
        self.0.values().filter(move |resource| resource.r#type == r#type).map(|resource| &resource.properties)
    }

    pub(crate) fn functions(&self) -> Vec<Function> {
        let functions = self.0.values().filter(|resource| resource.r#type == "AWS::Serverless::Function");
        functions.map(Function::described_by).collect()
    }
}

impl Function {
    fn described_by(resource: &Resource) -> Self {
        let events = resource.properties["Events"].as_object().into_iter().flat_map(|events| events.values());
        let routes = events.filter(|event| event["Type"] == "HttpApi");
        let policies = resource.properties["Policies"].as_array().unwrap().iter();
        Self {
            name: resource.metadata["BuildProperties"]["Binary"].as_str().unwrap().to_owned(),
            routes: routes.map(|event| read(&event["Properties"])).collect(),
            policy: policies.flat_map(|policy| read::<Vec<Statement>>(&policy["Statement"])).collect(),
        }
    }
}

fn read<T: for<'a> Deserialize<'a>>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

/// Without tags. Whatever stands for a text becomes the text of a substitution: `!Ref Table` and `!Sub '${Table}'`
/// are both `${Table}`.
fn plain(value: &Yaml) -> Value {
    match value {
        Yaml::Tagged(tagged) => match (tagged.tag.to_string().as_str(), plain(&tagged.value)) {
            ("!Ref" | "!GetAtt", Value::String(name)) => format!("${{{name}}}").into(),
            ("!Sub", text @ Value::String(_)) => text,
            (tag, value) => json!({ tag: value }),
        },
        Yaml::Mapping(members) => {
            members.iter().map(|(name, value)| (name.as_str().unwrap().to_owned(), plain(value))).collect()
        }
        Yaml::Sequence(values) => values.iter().map(plain).collect(),
        other => serde_json::to_value(other).unwrap(),
    }
}

/// Whether a text is like a pattern, in which `*` stands for anything.
pub(crate) fn is_like(text: &str, pattern: &str) -> bool {
    let Some((start, patterns)) = pattern.split_once('*') else { return text == pattern };
    let Some(rest) = text.strip_prefix(start) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| is_like(&rest[at..], patterns))
}
