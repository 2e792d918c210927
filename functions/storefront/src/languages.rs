//! The addresses of a page in each language, for people and for search engines.

use shared::http::html::Markup;
use shared::values::Language;

use crate::words::{PARAMETER, Words};

/// Links to the same page in the other languages, each called as its speakers do. They are folded up.
pub(crate) fn menu(words: Words) -> Markup {
    let mut menu = Markup::default().raw("<nav class=\"languages\" aria-label=\"").text(&words.text("menu-label"));
    menu = menu.raw("\"><details><summary>").text(words.language.own_name()).raw("</summary><p>");
    for language in Language::ALL.into_iter().filter(|language| *language != words.language) {
        let tag = language.tag();
        menu = menu.raw("<a href=\"?").raw(PARAMETER).raw("=").raw(tag).raw("\" lang=\"").raw(tag).raw("\" hreflang=\"").raw(tag);
        menu = menu.raw("\">").raw(language.own_name()).raw("</a>");
    }
    menu.raw("</p></details></nav>")
}

/// The canonical address of the page, and its addresses in each language. Without one, it is in the language of the browser.
pub(crate) fn links(words: Words, address: &str) -> Markup {
    let mut links = Markup::default().raw("<link rel=\"canonical\" href=\"").text(address).text(&words.query()).raw("\">");
    links = links.raw("<link rel=\"alternate\" hreflang=\"x-default\" href=\"").text(address).raw("\">");
    for language in Language::ALL {
        let tag = language.tag();
        links = links.raw("<link rel=\"alternate\" hreflang=\"").raw(tag).raw("\" href=\"").text(address);
        links = links.raw("?").raw(PARAMETER).raw("=").raw(tag).raw("\">");
    }
    links
}
