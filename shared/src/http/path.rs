//! Ids in paths.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::extract::{FromRequestParts, MatchedPath};
use http::request::Parts;

use super::stage::decoded_path;
use crate::app::App;

/// The parameters of a path, percent-decoded.
#[derive(Debug, Default)]
pub struct PathIds(HashMap<String, String>);

impl PathIds {
    /// The parameter of this name, unless it is blank.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|id| !id.trim().is_empty())
    }

    /// Reads a decoded path of a route. None are read from a path that has another number of segments.
    fn read(route: &str, path: &str) -> Self {
        if route.split('/').count() != path.split('/').count() {
            return Self::default();
        }
        let segments = route.split('/').zip(path.split('/'));
        let ids = segments.filter_map(|(wanted, given)| {
            let name = wanted.strip_prefix('{')?.strip_suffix('}')?;
            Some((name.to_owned(), given.to_owned()))
        });
        Self(ids.collect())
    }
}

impl FromRequestParts<App> for PathIds {
    type Rejection = Infallible;

    /// API Gateway hands the path over decoded. The one that the router sees has been made a URL since: to read ids
    /// from there would decode them twice, and lose blanks.
    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        let route = parts.extensions.get::<MatchedPath>();
        Ok(route.map(|route| Self::read(route.as_str(), decoded_path(parts))).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_as_they_are() {
        for (route, path, b, d) in [
            ("/a/{b}/c/{d}", "/a/1/c/2", Some("1"), Some("2")),
            ("/a/{b}/c/{d}", "/a/%41 å/c/ 2 ", Some("%41 å"), Some(" 2 ")),
            ("/a/{b}/c/{d}", "/a/ /c/", None, None),
            ("/a/{b}/c/", "/a/1/c/", Some("1"), None),
            ("/a/{b}/c", "/a/1\\c", None, None),
            ("/a", "/a", None, None),
        ] {
            let ids = PathIds::read(route, path);
            assert_eq!((ids.get("b"), ids.get("d")), (b, d), "{path}");
        }
    }
}
