//! A request as an attack composes it, part by part.

use percent_encoding::utf8_percent_encode;
use reqwest::Method;
use serde_json::{Map, Value};
use shared::outbound::RESERVED;
use world::PNG;

use crate::routes::{Body, Place, Route};

/// A request to a route. Its parts are as they are meant, not yet encoded.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path of the route, with `{name}` where ids belong.
    template: &'static str,
    ids: Vec<(String, String)>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    None,
    Json(Value),
    /// The fields of a page's form, all of them texts.
    UrlEncoded(Vec<(String, String)>),
    /// A multipart form with an image.
    Form,
}

impl Request {
    /// With the example as its body, and no ids yet.
    pub(crate) fn to(route: &Route) -> Self {
        let content = match &route.body {
            None => Content::None,
            Some(Body::Json { example, .. }) => Content::Json(example.clone()),
            Some(Body::UrlEncoded { fields }) => {
                Content::UrlEncoded(fields.iter().map(|field| (field.name.clone(), String::new())).collect())
            }
            Some(Body::Form) => Content::Form,
        };
        let (ids, query, headers) = (Vec::new(), Vec::new(), Vec::new());
        Self { method: route.method.clone(), template: route.path, ids, query, headers, content }
    }

    /// Sets a part of the request. `name` is a pointer in the body. `is_number` is of a field of the body.
    pub(crate) fn set(&mut self, place: Place, name: &str, value: &str, is_number: bool) {
        let parts = match place {
            Place::Path => &mut self.ids,
            Place::Query => &mut self.query,
            Place::Header => &mut self.headers,
            Place::Body => match &mut self.content {
                Content::Json(body) => {
                    let number = is_number.then(|| value.parse::<i64>().ok()).flatten();
                    *member(body, name) = number.map_or_else(|| Value::from(value), Value::from);
                    return;
                }
                Content::UrlEncoded(fields) => fields,
                Content::None | Content::Form => return,
            },
        };
        let name = name.trim_start_matches('/');
        parts.retain(|(known, _)| known != name);
        parts.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn remove(&mut self, place: Place, name: &str) {
        match (place, &mut self.content) {
            (Place::Body, Content::Json(body)) => {
                let (parent, field) = name.rsplit_once('/').unwrap();
                if let Some(Value::Object(fields)) = body.pointer_mut(parent) {
                    fields.remove(field);
                }
            }
            (Place::Body, Content::UrlEncoded(fields)) => fields.retain(|(known, _)| *known != name[1..]),
            (Place::Query, _) => self.query.retain(|(known, _)| known != name),
            _ => self.headers.retain(|(known, _)| known != name),
        }
    }

    /// Whether the body has the field already.
    pub(crate) fn has(&self, pointer: &str) -> bool {
        match &self.content {
            Content::Json(body) => body.pointer(pointer).is_some(),
            Content::UrlEncoded(fields) => fields.iter().any(|(name, _)| *name == pointer[1..]),
            Content::None | Content::Form => false,
        }
    }

    /// The path and the query, percent-encoded.
    pub(crate) fn target(&self) -> String {
        let path =
            self.ids.iter().fold(self.template.to_owned(), |path, (name, id)| path.replace(&format!("{{{name}}}"), &encoded(id)));
        if self.query.is_empty() { path } else { format!("{path}?{}", pairs(&self.query)) }
    }

    /// The content type and the bytes of the body.
    pub(crate) fn body(&self) -> Option<(String, Vec<u8>)> {
        match &self.content {
            Content::None => None,
            Content::Json(body) => Some(("application/json".to_owned(), body.to_string().into_bytes())),
            Content::UrlEncoded(fields) => Some(("application/x-www-form-urlencoded".to_owned(), pairs(fields).into_bytes())),
            Content::Form => Some(("multipart/form-data; boundary=b".to_owned(), form("image.png", PNG))),
        }
    }
}

/// A multipart form with a file.
pub(crate) fn form(file_name: &str, file: &[u8]) -> Vec<u8> {
    let head = format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{file_name}\"\r\n\r\n");
    [head.as_bytes(), file, b"\r\n--b--\r\n"].concat()
}

fn pairs(fields: &[(String, String)]) -> String {
    let pairs: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    pairs.join("&")
}

pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// The member at a JSON pointer. What is on the way to it is made.
fn member<'a>(value: &'a mut Value, pointer: &str) -> &'a mut Value {
    pointer.split('/').skip(1).fold(value, |parent, name| match name.parse::<usize>() {
        Ok(0) => {
            if parent.as_array().is_none_or(Vec::is_empty) {
                *parent = Value::Array(vec![Value::Null]);
            }
            &mut parent[0]
        }
        _ => {
            if !parent.is_object() {
                *parent = Value::Object(Map::new());
            }
            &mut parent[name]
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_on_the_way_to_a_member_is_made() {
        for (before, pointer, after) in [
            (json!({"a": 1}), "/b", json!({"a": 1, "b": "x"})),
            (json!({}), "/a/0/b", json!({"a": [{"b": "x"}]})),
            (json!({"a": [{"b": 1, "c": 2}]}), "/a/0/b", json!({"a": [{"b": "x", "c": 2}]})),
            (json!({"a": null}), "/a/b", json!({"a": {"b": "x"}})),
        ] {
            let mut body = before;
            *member(&mut body, pointer) = "x".into();
            assert_eq!(body, after, "{pointer}");
        }
    }
}
