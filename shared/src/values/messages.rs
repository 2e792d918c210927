//! Messages in the language of their reader: catalogues in [Fluent](https://projectfluent.org), one file for each language.
//! `tests/browser/messages.test.mjs` compares the languages, and what is written with what is used.

use std::sync::OnceLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

/// The messages of one language, which are read when one is first asked for.
pub struct Catalogue {
    tag: &'static str,
    messages: &'static str,
    bundle: OnceLock<FluentBundle<FluentResource>>,
}

impl Catalogue {
    /// The language by its tag, and the text of the file.
    pub const fn new(tag: &'static str, messages: &'static str) -> Self {
        Self { tag, messages, bundle: OnceLock::new() }
    }

    /// A message with its parameters, as it is shown. Its id, if there is no such message.
    pub fn message(&'static self, id: &str, parameters: &[(&str, &str)]) -> String {
        let bundle = self.bundle();
        let pattern = bundle.get_message(id).and_then(|message| message.value());
        debug_assert!(pattern.is_some(), "{id} is no message");
        let Some(pattern) = pattern else { return id.to_owned() };
        let arguments: FluentArgs<'_> = parameters.iter().copied().collect();
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors).into_owned();
        debug_assert!(errors.is_empty(), "{id}: {errors:?}");
        text
    }

    fn bundle(&'static self) -> &'static FluentBundle<FluentResource> {
        self.bundle.get_or_init(|| {
            let read = FluentResource::try_new(self.messages.to_owned());
            debug_assert!(read.is_ok(), "{}: {:?}", self.tag, read.as_ref().err());
            // A message that cannot be read is left out.
            let resource = read.unwrap_or_else(|(readable, _)| readable);
            let mut bundle = FluentBundle::new_concurrent(self.tag.parse().into_iter().collect());
            bundle.set_use_isolating(false);
            bundle.add_resource_overriding(resource);
            bundle
        })
    }
}

/// Defines `catalogue(language)`: the messages of each language, from the files of a folder, whose path is relative to the source file.
#[macro_export]
macro_rules! catalogues {
    ($folder:literal) => {
        $crate::catalogues! { $folder
            English "en", Danish "da", Dutch "nl", Finnish "fi", French "fr", German "de", Japanese "ja", Norwegian "nb", Spanish "es",
            Swedish "sv",
        }
    };
    ($folder:literal $($language:ident $tag:literal,)*) => {
        fn catalogue(language: $crate::values::Language) -> &'static $crate::values::Catalogue {
            match language {
                $($crate::values::Language::$language => {
                    static CATALOGUE: $crate::values::Catalogue =
                        $crate::values::Catalogue::new($tag, include_str!(concat!($folder, $tag, ".ftl")));
                    &CATALOGUE
                })*
            }
        }
    };
}
