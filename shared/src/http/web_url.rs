//! Web addresses in requests.

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::values::public_link;

/// An absolute `http` or `https` URL, kept as sent. Rejects syntax violations that browsers tolerate, such as
/// surrounding whitespace.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct HttpUrl(String);

impl AsRef<str> for HttpUrl {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<HttpUrl> for String {
    fn from(HttpUrl(text): HttpUrl) -> Self {
        text
    }
}

impl TryFrom<String> for HttpUrl {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let has_violations = Cell::new(false);
        let record_violation = |_| has_violations.set(true);
        let url = Url::options().syntax_violation_callback(Some(&record_violation)).parse(&text);
        let is_http = url.is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_http && !has_violations.get() { Ok(Self(text)) } else { Err("must be an http or https URL") }
    }
}

/// A [link](public_link) that can be published, kept as sent.
#[derive(Debug, Deserialize, Serialize)]
#[serde(try_from = "String")]
pub struct Link(String);

impl AsRef<str> for Link {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Link {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        match public_link(&text) {
            Some(_) => Ok(Self(text)),
            None => Err("must be an http or https URL, or have no scheme"),
        }
    }
}
