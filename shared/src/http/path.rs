//! Ids in paths.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::extract::{FromRequestParts, MatchedPath};
use http::request::Parts;

use super::stage::decoded_path;
use crate::app::App;

/// The path parameters of a request, percent-decoded.
#[derive(Debug, Default)]
pub struct PathIds(HashMap<String, String>);

impl PathIds {
    /// The parameter with this name. `None` if it is blank.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|id| !id.trim().is_empty())
    }

    /// Parses the decoded path of a request to this route. Empty if the path has a different number of segments: an id
    /// contained a slash.
    fn parse(route: &str, path: &str) -> Self {
        if route.split('/').count() != path.split('/').count() {
            return Self::default();
        }
        let segments = route.split('/').zip(path.split('/'));
        let ids = segments.filter_map(|(pattern, segment)| {
            let name = pattern.strip_prefix('{')?.strip_suffix('}')?;
            Some((name.to_owned(), segment.to_owned()))
        });
        Self(ids.collect())
    }
}

impl FromRequestParts<App> for PathIds {
    type Rejection = Infallible;

    /// API Gateway sends the path decoded, and `lambda_http` turns it into a URL. Ids from that URL would be decoded
    /// twice and lose white space at their ends.
    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        let route = parts.extensions.get::<MatchedPath>();
        Ok(route.map(|route| Self::parse(route.as_str(), &decoded_path(parts))).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_not_decoded_again_and_keep_their_white_space() {
        for (route, path, b, d) in [
            ("/a/{b}/c/{d}", "/a/1/c/2", Some("1"), Some("2")),
            ("/a/{b}/c/{d}", "/a/%41 å/c/ 2 ", Some("%41 å"), Some(" 2 ")),
            ("/a/{b}/c/{d}", "/a/ /c/", None, None),
            ("/a/{b}/c/", "/a/1/c/", Some("1"), None),
            ("/a/{b}/c", "/a/1\\c", None, None),
            ("/a", "/a", None, None),
        ] {
            let ids = PathIds::parse(route, path);
            assert_eq!((ids.get("b"), ids.get("d")), (b, d), "{path}");
        }
    }
}
