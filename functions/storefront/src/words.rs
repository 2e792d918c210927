//! What the pages say, in the language of their reader: messages in [Fluent](https://projectfluent.org), which are in `languages/`.

use std::convert::Infallible;
use std::sync::OnceLock;

use axum::extract::FromRequestParts;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use http::header;
use http::request::Parts;
use shared::app::App;
use shared::http::html::Markup;
use shared::http::query::Query;
use shared::values::language::Language;

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
    bundle: &'static FluentBundle<FluentResource>,
}

impl FromRequestParts<App> for Words {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        let chosen = Query::parse(parts.uri.query().unwrap_or_default()).text(PARAMETER).and_then(Language::of_tag);
        let accepted = parts.headers.get_all(header::ACCEPT_LANGUAGE).into_iter().filter_map(|value| value.to_str().ok());
        let language = chosen.unwrap_or_else(|| Language::preferred(&accepted.collect::<Vec<_>>().join(",")));
        Ok(Self { language, is_chosen: chosen.is_some(), bundle: catalogue(language).bundle() })
    }
}

impl Words {
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
        let pattern = self.bundle.get_message(id).and_then(|message| message.value());
        debug_assert!(pattern.is_some(), "{id} is no message");
        let Some(pattern) = pattern else { return id.to_owned() };
        let arguments: FluentArgs<'_> = parameters.iter().copied().collect();
        let mut errors = Vec::new();
        let text = self.bundle.format_pattern(pattern, Some(&arguments), &mut errors).into_owned();
        debug_assert!(errors.is_empty(), "{id}: {errors:?}");
        text
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

/// The messages of a language, which are read when it is first asked for.
struct Catalogue {
    tag: &'static str,
    messages: &'static str,
    bundle: OnceLock<FluentBundle<FluentResource>>,
}

impl Catalogue {
    const fn new(tag: &'static str, messages: &'static str) -> Self {
        Self { tag, messages, bundle: OnceLock::new() }
    }

    fn bundle(&'static self) -> &'static FluentBundle<FluentResource> {
        self.bundle.get_or_init(|| {
            // A message that cannot be read is left out, which a test finds.
            let resource = FluentResource::try_new(self.messages.to_owned()).unwrap_or_else(|(readable, _)| readable);
            let mut bundle = FluentBundle::new_concurrent(self.tag.parse().into_iter().collect());
            bundle.set_use_isolating(false);
            bundle.add_resource_overriding(resource);
            bundle
        })
    }
}

macro_rules! catalogue {
    ($tag:literal) => {{
        static CATALOGUE: Catalogue = Catalogue::new($tag, include_str!(concat!("../languages/", $tag, ".ftl")));
        &CATALOGUE
    }};
}

fn catalogue(language: Language) -> &'static Catalogue {
    match language {
        Language::English => catalogue!("en"),
        Language::Danish => catalogue!("da"),
        Language::Dutch => catalogue!("nl"),
        Language::Finnish => catalogue!("fi"),
        Language::French => catalogue!("fr"),
        Language::German => catalogue!("de"),
        Language::Japanese => catalogue!("ja"),
        Language::Norwegian => catalogue!("nb"),
        Language::Spanish => catalogue!("es"),
        Language::Swedish => catalogue!("sv"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use fluent_bundle::FluentError;
    use fluent_bundle::resolver::ResolverError;
    use fluent_bundle::resolver::errors::ReferenceKind;

    use super::*;

    const PAGES: [&str; 3] = [include_str!("page.rs"), include_str!("card_page.rs"), include_str!("languages.rs")];

    /// The messages that are written, by their ids.
    fn written(catalogue: &Catalogue) -> BTreeMap<&'static str, &'static str> {
        let lines = catalogue.messages.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        let messages: Vec<_> = lines.map(|line| line.split_once(" = ").unwrap()).collect();
        let by_id: BTreeMap<_, _> = messages.iter().copied().collect();
        assert_eq!(by_id.len(), messages.len(), "{}: a message is written twice", catalogue.tag);
        by_id
    }

    /// The parameters of the messages that can be read, by their ids.
    fn parameters(language: Language) -> BTreeMap<&'static str, BTreeSet<String>> {
        let catalogue = catalogue(language);
        assert!(FluentResource::try_new(catalogue.messages.to_owned()).is_ok(), "{}", catalogue.tag);
        let of_message = |id: &str| {
            let message = catalogue.bundle().get_message(id).unwrap();
            let mut errors = Vec::new();
            catalogue.bundle().format_pattern(message.value().unwrap(), None, &mut errors);
            let names = errors.into_iter().map(|error| match error {
                FluentError::ResolverError(ResolverError::Reference(ReferenceKind::Variable { id })) => id,
                error => panic!("{} {id}: {error}", catalogue.tag),
            });
            names.collect()
        };
        written(catalogue).into_keys().map(|id| (id, of_message(id))).collect()
    }

    #[test]
    fn all_languages_have_the_same_messages_with_the_same_parameters() {
        for language in Language::ALL {
            assert_eq!(catalogue(language).tag, language.tag());
            assert_eq!(parameters(language), parameters(Language::English), "{}", language.tag());
        }
    }

    #[test]
    fn every_message_is_used_and_each_that_is_used_exists() {
        let is_id = |text: &&str| {
            let prefix = text.split_once('-').map(|(prefix, _)| prefix);
            prefix.is_some_and(|prefix| ["shop", "offer", "card", "refused", "failed", "missing", "menu"].contains(&prefix))
                && text.bytes().all(|c| c == b'-' || c.is_ascii_lowercase())
        };
        let code = PAGES.map(|page| page.split("#[cfg(test)]").next().unwrap());
        let used: BTreeSet<&str> = code.iter().flat_map(|page| page.split('"').skip(1)).filter(is_id).collect();
        let written: BTreeSet<&str> = written(catalogue(Language::English)).into_keys().collect();
        assert_eq!(used, written);
    }

    #[test]
    fn no_english_is_left_in_another_language() {
        let english = written(catalogue(Language::English));
        for language in Language::ALL.into_iter().filter(|language| *language != Language::English) {
            let left: Vec<_> =
                written(catalogue(language)).into_iter().filter(|(id, text)| english.get(id) == Some(text)).collect();
            assert_eq!(left, [], "{}", language.tag());
        }
    }
}
