//! What the pages say: messages in [Fluent](https://projectfluent.org), which are in `languages/`.

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use shared::http::html::Markup;

const ENGLISH: &str = include_str!("../languages/en.ftl");

/// Characters that no message has, in the place of parts of the page.
const MARKS: [&str; 2] = ["\u{e000}", "\u{e001}"];

type Catalogue = FluentBundle<FluentResource>;

/// The messages of a language.
#[derive(Clone, Copy)]
pub(crate) struct Words(&'static Catalogue);

impl Words {
    pub(crate) fn english() -> Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        Self(CATALOGUE.get_or_init(|| catalogue("en", ENGLISH)))
    }

    /// A message without parameters.
    pub(crate) fn text(self, id: &str) -> String {
        self.with(id, &[])
    }

    /// A message with texts as its parameters.
    pub(crate) fn with(self, id: &str, parameters: &[(&str, &str)]) -> String {
        let Some(pattern) = self.0.get_message(id).and_then(|message| message.value()) else { return id.to_owned() };
        let arguments: FluentArgs<'_> = parameters.iter().copied().collect();
        let mut errors = Vec::new();
        let text = self.0.format_pattern(pattern, Some(&arguments), &mut errors).into_owned();
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

/// A message that cannot be read is left out, which a test finds.
fn catalogue(language: &str, messages: &str) -> Catalogue {
    let resource = FluentResource::try_new(messages.to_owned()).unwrap_or_else(|(readable, _)| readable);
    let mut catalogue = FluentBundle::new_concurrent(language.parse().into_iter().collect());
    catalogue.set_use_isolating(false);
    catalogue.add_resource_overriding(resource);
    catalogue
}
