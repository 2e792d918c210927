//! The files that follow from the route tables: openapi.json, the bounds that the pages read, the events and limits of `template.yaml`, the router of
//! cargo-lambda in `Cargo.toml`, and an example event for each route in `events/`.
//!
//! In files that have more than routes, they stand between two marks.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shared::http::openapi::operation;
use shared::http::{Route, Routes, Throttling};
use thiserror::Error;

use crate::{bounds, openapi};

const BEGIN: &str = "# Written by `cargo run --bin routes`:";
const END: &str = "# Until here.";
/// What is the same in all new events: the session of the demo's administrator, and the headers.
const MODEL_EVENT: &str = "events/merchant/profile.json";
const ROUTER: &str = "[workspace.metadata.lambda.watch.router]";

/// A file and its content, as they have to be.
#[derive(Debug)]
pub struct RouteFile {
    /// Relative to the root of the workspace.
    pub path: PathBuf,
    pub text: String,
}

#[derive(Debug, Error)]
pub enum RouteFilesError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{file}: no lines `{BEGIN}` and `{END}` after `{after}`")]
    NoMarks { file: &'static str, after: String },
    #[error("{method} {path} has no `.described(…)`", method = .0.method, path = .0.path)]
    NotDescribed(Box<Route>),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Returns the root folder of the workspace.
pub fn workspace_root() -> &'static Path {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest)
}

impl RouteFile {
    pub fn is_current(&self) -> bool {
        std::fs::read_to_string(workspace_root().join(&self.path)).is_ok_and(|text| text == self.text)
    }

    pub fn write(&self) -> io::Result<()> {
        let path = workspace_root().join(&self.path);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, &self.text)
    }
}

/// All files that follow from the route tables. Events that exist stay as they are.
pub fn route_files(tables: &[Routes]) -> Result<Vec<RouteFile>, RouteFilesError> {
    let document = openapi::json(tables)?;
    let bounds = bounds::module(&serde_json::from_str(&document)?)?;
    let mut files = vec![
        RouteFile { path: "openapi.json".into(), text: document },
        RouteFile { path: "clients/dashboard/forms/bounds.js".into(), text: bounds },
        RouteFile { path: "template.yaml".into(), text: template(tables)? },
        RouteFile { path: "Cargo.toml".into(), text: manifest(tables)? },
    ];
    for table in tables {
        let known = known_events(table.group())?;
        for route in table.routes().iter().filter(|route| !known.iter().any(|event| is_of(event, route))) {
            files.push(new_event(table.group(), route)?);
        }
    }
    Ok(files)
}

fn template(tables: &[Routes]) -> Result<String, RouteFilesError> {
    let mut text = read("template.yaml")?;
    for table in tables {
        let mut events = Vec::new();
        for route in table.routes() {
            let name = capitalized(&operation_id(route)?);
            let api = if route.allows_any_origin { "PublicApi" } else { "PortalApi" };
            let head = route.head.map(|_| ("Head", "HEAD"));
            for (suffix, method) in std::iter::once(("", route.method.as_str())).chain(head) {
                events.extend(event_lines(&format!("{name}{suffix}"), api, method, route.path));
                if route.on_portal_api.is_some() {
                    events.extend(event_lines(&format!("{name}{suffix}OnPortalApi"), "PortalApi", method, route.path));
                }
            }
        }
        let function = format!("  {}Function:\n", capitalized(table.group()));
        text = replaced("template.yaml", &text, &function, &events)?;
    }
    let routes = || tables.iter().flat_map(Routes::routes);
    let of_public = routes().filter(|route| route.allows_any_origin);
    let of_portal = routes().filter(|route| !route.allows_any_origin);
    let portal = of_portal.map(|route| (route, route.throttling));
    let portal = portal.chain(routes().map(|route| (route, route.on_portal_api)));
    text = replaced("template.yaml", &text, "  PortalApi:\n", &limits(portal))?;
    let public = of_public.map(|route| (route, route.throttling));
    replaced("template.yaml", &text, "  PublicApi:\n", &limits(public))
}

fn event_lines(name: &str, api: &str, method: &str, path: &str) -> [String; 3] {
    // Braces would start a mapping.
    let path = if path.contains('{') { format!("'{path}'") } else { path.to_owned() };
    [
        format!("{name}:"),
        "  Type: HttpApi".to_owned(),
        format!("  Properties: {{ApiId: !Ref {api}, Method: {method}, Path: {path}}}"),
    ]
}

fn limits<'a>(routes: impl Iterator<Item = (&'a Route, Option<Throttling>)>) -> Vec<String> {
    let line = |method: &str, path: &str, Throttling { rate, burst }: Throttling| {
        format!("{method} {path}: {{ThrottlingRateLimit: {rate}, ThrottlingBurstLimit: {burst}}}")
    };
    let lines = routes.flat_map(|(Route { method, path, head, .. }, throttling)| {
        let own = throttling.map(|limit| line(method.as_str(), path, limit));
        let head = throttling.and(*head).map(|limit| line("HEAD", path, limit));
        own.into_iter().chain(head)
    });
    lines.collect()
}

fn manifest(tables: &[Routes]) -> Result<String, RouteFilesError> {
    let routes = tables.iter().flat_map(|table| table.routes().iter().map(|route| (route.path, table.group())));
    let mut lines: Vec<String> = routes.map(|(path, group)| format!("{path:?} = {group:?}")).collect();
    // Routes of the same path are next to each other or not.
    lines.sort();
    lines.dedup();
    replaced("Cargo.toml", &read("Cargo.toml")?, ROUTER, &lines)
}

/// The text with these lines between the first marks after a line, indented as the marks are.
fn replaced(file: &'static str, text: &str, after: &str, lines: &[String]) -> Result<String, RouteFilesError> {
    let marks = || {
        let start = text.find(after)?;
        let begin = start + text.get(start..)?.find(BEGIN)?;
        let indent = begin - (text.get(..begin)?.rfind('\n')? + 1);
        let first = begin + text.get(begin..)?.find('\n')? + 1;
        let end = first + text.get(first..)?.find(END)?;
        let last = text.get(..end)?.rfind('\n')? + 1;
        Some((text.get(..first)?, text.get(last..)?, " ".repeat(indent)))
    };
    let no_marks = || RouteFilesError::NoMarks { file, after: after.trim().to_owned() };
    let (before, rest, indent) = marks().ok_or_else(no_marks)?;
    let lines: String = lines.iter().flat_map(|line| [&indent, line.as_str(), "\n"]).collect();
    Ok(format!("{before}{lines}{rest}"))
}

/// The example events of a function.
fn known_events(group: &str) -> Result<Vec<Value>, RouteFilesError> {
    let folder = workspace_root().join("events").join(group);
    let Ok(files) = std::fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let events = files.map(|file| {
        let path = file.map_err(|source| RouteFilesError::Read { path: folder.clone(), source })?.path();
        let text = std::fs::read(&path).map_err(|source| RouteFilesError::Read { path, source })?;
        Ok(serde_json::from_slice(&text)?)
    });
    events.collect()
}

/// Whether an event, of either version of the format, is a request for a route.
fn is_of(event: &Value, route: &Route) -> bool {
    let text = |pointers: [&str; 2]| pointers.into_iter().find_map(|pointer| event.pointer(pointer)?.as_str());
    let path = text(["/rawPath", "/path"]).unwrap_or_default();
    let is_same = |(actual, expected): (&str, &str)| actual == expected || expected.starts_with('{');
    text(["/requestContext/http/method", "/httpMethod"]) == Some(route.method.as_str())
        && path.split('/').count() == route.path.split('/').count()
        && path.split('/').zip(route.path.split('/')).all(is_same)
}

/// An event with the example of the description, by the administrator of a merchant of the demo.
fn new_event(group: &str, route: &Route) -> Result<RouteFile, RouteFilesError> {
    let (operation, _) = operation(route, group).ok_or_else(|| RouteFilesError::NotDescribed(Box::new(route.clone())))?;
    let operation = serde_json::to_value(operation)?;
    let path = route.path.replace(['{', '}'], "");
    let mut event: Value = serde_json::from_str(&read(MODEL_EVENT)?)?;
    for (pointer, text) in [
        ("/rawPath", path.as_str()),
        ("/requestContext/http/path", &path),
        ("/requestContext/http/method", route.method.as_str()),
    ] {
        set(&mut event, pointer, text);
    }
    if let Some(body) = operation.pointer("/requestBody/content/application~1json/example") {
        set(&mut event, "/headers/content-type", "application/json");
        set(&mut event, "/body", &body.to_string());
    }
    let name = kebab_case(&operation_id(route)?);
    let text = serde_json::to_string_pretty(&event)? + "\n";
    Ok(RouteFile { path: format!("events/{group}/{name}.json").into(), text })
}

/// Sets a field of the object that the pointer leads to.
fn set(event: &mut Value, pointer: &str, text: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
    if let Some(fields) = event.pointer_mut(parent).and_then(Value::as_object_mut) {
        fields.insert(name.to_owned(), text.into());
    }
}

fn operation_id(route: &Route) -> Result<String, RouteFilesError> {
    let described = operation(route, "").and_then(|(operation, _)| operation.operation_id);
    described.ok_or_else(|| RouteFilesError::NotDescribed(Box::new(route.clone())))
}

fn capitalized(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + characters.as_str())
}

fn kebab_case(name: &str) -> String {
    let parts = name.chars().map(|character| match character {
        'A'..='Z' => format!("-{}", character.to_ascii_lowercase()),
        _ => character.to_string(),
    });
    parts.collect()
}

fn read(file: &'static str) -> Result<String, RouteFilesError> {
    let path = workspace_root().join(file);
    std::fs::read_to_string(&path).map_err(|source| RouteFilesError::Read { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_what_stands_between_the_marks_after_a_line() {
        let text = format!("a:\n  {BEGIN}\n  {END}\nb:\n  {BEGIN}\n  old\n  {END}\nrest\n");
        let new = replaced("file", &text, "b:", &["new".to_owned(), "  more".to_owned()]).unwrap();
        assert_eq!(new, text.replace("  old\n", "  new\n    more\n"));
        assert!(replaced("file", &text, "c:", &[]).is_err());
    }
}
