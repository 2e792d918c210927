//! URLs and links that are published: in shops, in the widget, in the portal and in mails.

use url::Url;

/// Returns the URL if it is absolute and its scheme is http or https; `None` for anything else, such as `javascript:`.
///
/// Characters that could end a quoted string or an attribute of HTML, CSS or SVG are percent-encoded. The rest is
/// returned as it is.
pub fn public_url(text: &str) -> Option<String> {
    let text = text.trim();
    let (scheme, _) = text.split_once("://")?;
    let is_http = ["http", "https"].iter().any(|allowed| scheme.eq_ignore_ascii_case(allowed));
    // Browsers ignore tabs and line breaks within a URL.
    if !is_http || text.contains(char::is_control) {
        return None;
    }
    let encoded: String = text.chars().map(percent_encoded).collect();
    let (original, url) = (Url::parse(text).ok()?, Url::parse(&encoded).ok()?);
    // A backslash ends the host, but not once it is encoded.
    (url.has_host() && url.host() == original.host()).then_some(encoded)
}

/// Returns a link as a person enters it: a [public URL](public_url), or text without a scheme, such as a handle or a
/// host, with or without a port. `None` for other schemes and for URLs that take the scheme of the page.
pub fn public_link(text: &str) -> Option<String> {
    let text = text.trim();
    let visible: String = text.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
    let has_scheme = visible.split_once(':').is_some_and(|(start, rest)| is_scheme(start) && !is_host_and_port(start, rest));
    if has_scheme {
        return public_url(text);
    }
    (!visible.replace('\\', "/").starts_with("//")).then(|| text.to_owned())
}

/// RFC 3986, section 3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Whether text with a colon is a host and a port, such as `shop.example:8080/cards`, and not a scheme.
fn is_host_and_port(start: &str, rest: &str) -> bool {
    let port = rest.split('/').next().unwrap_or_default();
    start.contains('.') && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

fn percent_encoded(c: char) -> String {
    if matches!(c, '"' | '\'' | '`' | '<' | '>' | '\\' | ' ') { format!("%{:02X}", u32::from(c)) } else { c.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_http_urls_are_public() {
        for (text, expected) in [
            ("https://a.example", Some("https://a.example")),
            ("http://a.example:8080/b?c=d#e", Some("http://a.example:8080/b?c=d#e")),
            (" HTTPS://a.example/Å ", Some("HTTPS://a.example/Å")),
            ("https://kaffé.example/", Some("https://kaffé.example/")),
            ("javascript:alert(1)", None),
            ("javascript://a.example/%0aalert(1)", None),
            ("java\nscript:alert(1)", None),
            ("https://a.example/\u{9}", Some("https://a.example/")),
            ("https://a.example/b c.pdf", Some("https://a.example/b%20c.pdf")),
            ("https://a.exa\nmple", None),
            ("data:text/html,a", None),
            ("vbscript:a", None),
            ("ftp://a.example", None),
            ("//a.example", None),
            ("\\\\a.example", None),
            ("/logo.png", None),
            ("a.example/logo.png", None),
            ("https:a.example", None),
            ("https://", None),
            ("https://a b.example", None),
            ("", None),
        ] {
            assert_eq!(public_url(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn characters_with_a_meaning_in_html_css_and_svg_are_percent_encoded() {
        for (text, expected) in [
            ("https://a.example/'\"<b>`\\ ?c='\"<d>\\", Some("https://a.example/%27%22%3Cb%3E%60%5C%20?c=%27%22%3Cd%3E%5C")),
            ("https://a.example/%27?b=%22", Some("https://a.example/%27?b=%22")),
            ("https://a.example\\@b.example", None),
            ("https://a'b.example", Some("https://a%27b.example")),
        ] {
            assert_eq!(public_url(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn links_without_a_scheme_stay_as_they_are() {
        for (text, expected) in [
            ("@aurora", Some("@aurora")),
            ("aurora.example/coffee", Some("aurora.example/coffee")),
            ("/about", Some("/about")),
            ("www.aurora.example/kort?a=b:c", Some("www.aurora.example/kort?a=b:c")),
            ("aurora.example:8080", Some("aurora.example:8080")),
            ("aurora.example:8080/kort", Some("aurora.example:8080/kort")),
            ("a.b:alert(1)", None),
            ("javascript:1", None),
            ("ftp://aurora.example", None),
            ("data:text/html,x", None),
            ("", Some("")),
            ("https://a.example", Some("https://a.example")),
            ("javascript:alert(1)", None),
            ("java\tscript:alert(1)", None),
            (" \u{1}JavaScript:alert(1)", None),
            ("mailto:a@b.example", None),
            ("//a.example", None),
            ("/\\a.example", None),
            ("/\t/a.example", None),
        ] {
            assert_eq!(public_link(text).as_deref(), expected, "{text:?}");
        }
    }
}
