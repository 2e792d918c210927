//! Query parameters. Invalid values are ignored.

use std::collections::HashMap;
use std::convert::Infallible;
use std::num::IntErrorKind;

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;
use url::form_urlencoded;

use crate::app::App;
use crate::endpoint_error;
use crate::values::non_blank;

endpoint_error! {
    pub enum CursorError {
        /// The cursor is unknown.
        Unknown => 400 INVALID_REQUEST "cursor: must be the `next` of an earlier page.",
    }
}

/// The query parameters of a request. Of several parameters with the same name, the first is used, except by
/// [`Query::all`].
#[derive(Debug, Default)]
pub struct Query(HashMap<String, Vec<String>>);

impl Query {
    /// Parses a query string, without the question mark.
    pub fn parse(query: &str) -> Self {
        let mut parameters: HashMap<String, Vec<String>> = HashMap::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            parameters.entry(name.into_owned()).or_default().push(value.into_owned());
        }
        Self(parameters)
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// All values of this name, in the order of the query string.
    pub fn all(&self, name: &str) -> &[String] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// A whole number. A number that does not fit into an `i64` becomes `i64::MAX` or `i64::MIN`.
    pub fn whole_number(&self, name: &str) -> Option<i64> {
        let number = self.text(name)?.trim().parse::<i64>();
        number.map_or_else(
            |error| match error.kind() {
                IntErrorKind::PosOverflow => Some(i64::MAX),
                IntErrorKind::NegOverflow => Some(i64::MIN),
                _ => None,
            },
            Some,
        )
    }

    /// A text without the blanks around it. `None` if nothing else is there.
    pub fn non_blank(&self, name: &str) -> Option<&str> {
        non_blank(self.text(name))
    }

    /// The parameter `limit` of a list: how many rows a page has at most.
    pub fn limit(&self, default: u16, max: u16) -> u16 {
        let limit = self.whole_number("limit").filter(|limit| *limit >= 1).unwrap_or(default.into());
        u16::try_from(limit).unwrap_or(max).min(max)
    }

    /// The parameter `cursor` of a list: where the page before ended.
    pub fn cursor(&self) -> Option<&str> {
        self.non_blank("cursor")
    }

    /// A value of an enum, spelled as in JSON.
    pub fn one_of<'a, T: Deserialize<'a>>(&'a self, name: &str) -> Option<T> {
        T::deserialize(IntoDeserializer::<Error>::into_deserializer(self.text(name)?)).ok()
    }
}

impl FromRequestParts<App> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_parameter_of_a_name_is_used_and_decoded() {
        let query = Query::parse("q=a+b%20%C3%A5&q=c&empty=&bare&%ff=%zz");
        assert_eq!(query.text("q"), Some("a b å"));
        assert_eq!(query.text("empty"), Some(""));
        assert_eq!(query.text("bare"), Some(""));
        assert_eq!(query.text("missing"), None);
        assert_eq!(query.all("q"), ["a b å", "c"]);
        assert!(query.all("missing").is_empty());
    }

    #[test]
    fn whole_numbers_are_parsed_and_invalid_ones_are_ignored() {
        for (query, number) in [
            ("n=7", Some(7)),
            ("n=-7", Some(-7)),
            ("n=%207%20", Some(7)),
            ("n=99999999999999999999", Some(i64::MAX)),
            ("n=-99999999999999999999", Some(i64::MIN)),
            ("n=7.5", None),
            ("n=seven", None),
            ("n=", None),
            ("", None),
        ] {
            assert_eq!(Query::parse(query).whole_number("n"), number, "{query}");
        }
    }

    #[test]
    fn limits_are_clamped_and_invalid_ones_are_ignored() {
        for (query, limit) in [
            ("", 50),
            ("limit=1", 1),
            ("limit=200", 200),
            ("limit=201", 200),
            ("limit=70000", 200),
            ("limit=99999999999999999999", 200),
            ("limit=0", 50),
            ("limit=-1", 50),
            ("limit=many", 50),
        ] {
            assert_eq!(Query::parse(query).limit(50, 200), limit, "{query}");
        }
    }

    #[test]
    fn a_blank_cursor_is_none() {
        for (query, cursor) in [("", None), ("cursor=", None), ("cursor=%20", None), ("cursor=%20a%20", Some("a"))] {
            assert_eq!(Query::parse(query).cursor(), cursor, "{query}");
        }
    }

    #[test]
    fn enums_are_spelled_as_in_json() {
        use crate::offers::model::offer::OfferStatus;
        let read = |query| Query::parse(query).one_of::<OfferStatus>("s");
        assert_eq!(read("s=HIDDEN"), Some(OfferStatus::Hidden));
        assert_eq!(read("s=hidden"), None);
        assert_eq!(read("s="), None);
        assert_eq!(read(""), None);
    }
}
