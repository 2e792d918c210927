//! What the pages say, in the language of their reader: messages in [Fluent](https://projectfluent.org), which are in `languages/`.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use shared::app::App;
use shared::http::html::Markup;
use shared::http::{Query, preferred_language};
use shared::values::{Currency, CurrencyLabel, Language, Money};

/// Characters that no message has, in the place of parts of the page.
const MARKS: [&str; 2] = ["\u{e000}", "\u{e001}"];

/// The query parameter that names a language.
pub(crate) const PARAMETER: &str = "lang";

/// The messages of the language that the address of the page names, else of the one that the browser prefers.
#[derive(Clone, Copy)]
pub(crate) struct Words {
    pub(crate) language: Language,
    /// Whether the address names the language, and links to other pages keep it.
    is_chosen: bool,
    currency_label: CurrencyLabel,
}

impl FromRequestParts<App> for Words {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        let chosen = Query::parse(parts.uri.query().unwrap_or_default()).text(PARAMETER).and_then(Language::of_tag);
        let language = chosen.unwrap_or_else(|| preferred_language(&parts.headers));
        Ok(Self { language, is_chosen: chosen.is_some(), currency_label: CurrencyLabel::Symbol })
    }
}

impl Words {
    /// For a page that shows these currencies.
    pub(crate) fn with_currencies(self, shown: impl IntoIterator<Item = Currency>) -> Self {
        Self { currency_label: CurrencyLabel::on_page(shown), ..self }
    }

    pub(crate) fn amount(self, money: Money) -> String {
        self.language.amount(money, self.currency_label)
    }

    /// How the script of the page writes currencies, as `Intl` calls it.
    pub(crate) fn currency_display(self) -> &'static str {
        self.currency_label.name()
    }

    /// What the address of another page ends with, so that it speaks the same language.
    pub(crate) fn query(self) -> String {
        if self.is_chosen { format!("?{PARAMETER}={}", self.language.tag()) } else { String::new() }
    }

    /// A message without parameters.
    pub(crate) fn text(self, id: &str) -> String {
        self.with(id, &[])
    }

    /// A message with texts as its parameters.
    pub(crate) fn with(self, id: &str, parameters: &[(&str, &str)]) -> String {
        catalogue(self.language).message(id, parameters)
    }

    /// A message around parts of the page, at most as many as there are marks.
    pub(crate) fn around(self, id: &str, parts: &[(&str, &Markup)]) -> Markup {
        let parameters: Vec<(&str, &str)> = parts.iter().zip(MARKS).map(|((name, _), mark)| (*name, mark)).collect();
        let message = self.with(id, &parameters);
        let mut markup = Markup::default();
        for piece in message.split_inclusive(|c| MARKS.iter().any(|mark| mark.starts_with(c))) {
            let ends = parts.iter().zip(MARKS).find_map(|((_, part), mark)| Some((piece.strip_suffix(mark)?, *part)));
            markup = match ends {
                Some((text, part)) => markup.text(text).push(part),
                None => markup.text(piece),
            };
        }
        markup
    }
}

shared::catalogues!("../languages/");
