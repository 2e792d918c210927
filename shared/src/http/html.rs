//! Pages: markup in which values can only be text, and the response that carries it under a strict policy.

use std::borrow::Cow;
use std::fmt::Write as _;

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderName, StatusCode, header};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::values::{Color, Language};

pub(super) const CONTENT_TYPE: &str = "text/html";

/// HTML that is made of literals, which are markup, and of values, which are escaped.
#[derive(Debug, Clone, Default)]
pub struct Markup(String);

impl Markup {
    /// Adds a literal as it is.
    #[must_use]
    pub fn raw(mut self, literal: &'static str) -> Self {
        self.0.push_str(literal);
        self
    }

    /// Adds a value as text, or as the value of an attribute whose quotes are in the literals around it.
    #[must_use]
    pub fn text(mut self, value: &str) -> Self {
        for c in value.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                // NUL and its kind are errors in HTML, and mean nothing in text.
                c if c.is_control() => self.0.push(' '),
                c => self.0.push(c),
            }
        }
        self
    }

    /// Adds data for search engines. Nothing in it can end the element or begin a comment.
    #[must_use]
    pub fn json_ld(mut self, data: &Value) -> Self {
        let json = data.to_string();
        let json = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
        let _ = write!(self.0, "<script type=\"application/ld+json\">{json}</script>");
        self
    }

    /// Adds other markup.
    #[must_use]
    pub fn push(mut self, other: &Self) -> Self {
        self.0.push_str(&other.0);
        self
    }

    /// In bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The content of a style element.
#[derive(Debug, Clone)]
pub enum Style {
    Rules(&'static str),
    /// Custom properties of the root, by their names.
    Colors(Vec<(&'static str, Color)>),
}

impl Style {
    fn css(&self) -> Cow<'static, str> {
        match self {
            Self::Rules(rules) => Cow::Borrowed(rules),
            Self::Colors(colors) => {
                let mut css = ":root{".to_owned();
                for (name, color) in colors {
                    let _ = write!(css, "--{name}:{color};");
                }
                Cow::Owned(css + "}")
            }
        }
    }
}

/// A page. Its styles and its script are part of it, so that it is whole wherever it is served, and nothing else can run.
#[derive(Debug, Clone)]
pub struct Page {
    pub status: StatusCode,
    pub language: Language,
    /// What is in the head beside encoding, viewport and styles: the title above all.
    pub head: Markup,
    pub styles: Vec<Style>,
    pub body: Markup,
    /// Runs once the body is there.
    pub script: Option<&'static str>,
    /// For a page with a form to its own address: nothing is loaded from elsewhere, and no address gets out in `Referer`.
    pub keeps_to_itself: bool,
}

const ERROR_STYLE: &str = "\
    :root{color-scheme:light dark}\
    body{margin:0;min-height:100vh;display:grid;place-content:center;gap:.75rem;padding:1.5rem;box-sizing:border-box;\
    text-align:center;font:400 1rem/1.5 system-ui,sans-serif;background:#f5f7f9;color:#111920;overflow-wrap:anywhere}\
    h1,p{margin:0;text-wrap:balance}h1{font-size:1.625rem;line-height:1.2;font-weight:600}p{color:#444f57}\
    @media(prefers-color-scheme:dark){body{background:#0b0f11;color:#e9edf0}p{color:#b3bcc3}}";

impl Page {
    /// The page of an error, which search engines leave out.
    pub fn of_error(status: StatusCode, language: Language, message: &str, advice: &str) -> Self {
        let head = Markup::default().raw("<meta name=\"robots\" content=\"noindex\"><title>").text(message);
        Self {
            status,
            language,
            head: head.raw("</title><link rel=\"icon\" href=\"data:,\">"),
            styles: vec![Style::Rules(ERROR_STYLE)],
            body: Markup::default().raw("<main><h1>").text(message).raw("</h1><p>").text(advice).raw("</p></main>"),
            script: None,
            keeps_to_itself: false,
        }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let styles: Vec<Cow<'static, str>> = self.styles.iter().map(Style::css).collect();
        let style_sources: String = styles.iter().map(|css| hash_source(css)).collect();
        let script_source = self.script.map_or_else(|| " 'none'".to_owned(), hash_source);
        let (images, forms, referrer) = if self.keeps_to_itself {
            ("data:", "'self'", "no-referrer")
        } else {
            ("https: http: data:", "'none'", "strict-origin-when-cross-origin")
        };
        let policy = format!(
            "default-src 'none'; style-src{style_sources}; script-src{script_source}; img-src {images}; \
             base-uri 'none'; form-action {forms}; frame-ancestors 'none'; require-trusted-types-for 'script'; \
             trusted-types 'none'"
        );
        let style: String = styles.iter().flat_map(|css| ["<style>", css, "</style>"]).collect();
        let script = self.script.map(|script| format!("<script>{script}</script>")).unwrap_or_default();
        let (language, head, body) = (self.language.tag(), self.head.0, self.body.0);
        let html = format!(
            "<!doctype html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">{head}{style}</head>\n\
             <body>{body}{script}</body></html>\n"
        );
        let headers = [
            (header::CONTENT_TYPE, "text/html; charset=utf-8"),
            (header::CONTENT_LANGUAGE, language),
            (header::VARY, "Accept-Language"),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (header::REFERRER_POLICY, referrer),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        ];
        (self.status, headers, [(header::CONTENT_SECURITY_POLICY, policy)], html).into_response()
    }
}

/// The source expression that admits an element with exactly this content.
fn hash_source(content: &str) -> String {
    format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(content)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_nothing_but_text() {
        let markup = Markup::default().raw("<a title=\"").text("\"><script>'&\u{0}\n").raw("\">");
        assert_eq!(markup.0, "<a title=\"&quot;&gt;&lt;script&gt;&#39;&amp;  \">");
        let data = json!({"name": "</script><!--<script>&amp;"});
        let expected = "<script type=\"application/ld+json\">\
                        {\"name\":\"\\u003c/script\\u003e\\u003c!--\\u003cscript\\u003e\\u0026amp;\"}</script>";
        assert_eq!(Markup::default().json_ld(&data).0, expected);
    }
}
