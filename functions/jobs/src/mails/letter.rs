//! The renderer of all mails: paragraphs, and one line that stands out, a code or a link.

use askama::Template;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use shared::app::App;
use shared::aws::mail::Email;
use shared::values::names::{is_invisible, is_joiner};

use crate::outcome::Failure;

/// The content of a mail. `stands_out` has a line of its own between the paragraphs.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) subject: String,
    pub(crate) greeting: String,
    pub(crate) before: Vec<String>,
    pub(crate) stands_out: Option<Line>,
    pub(crate) after: Vec<String>,
}

#[derive(Debug)]
pub(crate) enum Line {
    Code(String),
    Link { text: &'static str, url: String },
}

#[derive(Template)]
#[template(path = "letter.txt")]
struct Text<'a> {
    letter: &'a Letter,
}

#[derive(Template)]
#[template(path = "letter.html")]
struct Html<'a> {
    letter: &'a Letter,
}

/// `Hello Anna,`, or `Hello,` without a name.
pub(crate) fn greeting(first_name: &str) -> String {
    match in_subject(first_name).trim() {
        "" => "Hello,".to_owned(),
        name => format!("Hello {name},"),
    }
}

/// A name within a sentence, between characters that keep it from changing the direction of the text around it.
pub(crate) fn isolated(name: &str) -> String {
    format!("\u{2068}{}\u{2069}", in_subject(name))
}

/// A name without invisible characters.
pub(crate) fn in_subject(name: &str) -> String {
    name.chars().filter(|character| !is_invisible(*character) || is_joiner(*character)).collect()
}

/// Such as `5 November 2026 at 09:03 UTC`.
pub(crate) fn date_and_time(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%-d %B %Y at %H:%M UTC").to_string()
}

impl Letter {
    pub(crate) async fn send(self, app: &App, to: &str) -> Result<(), Failure> {
        Ok(app.mail().send(to, &self.render()?).await?)
    }

    pub(crate) fn render(self) -> Result<Email, askama::Error> {
        let text = Text { letter: &self }.render()?;
        let html = Html { letter: &self }.render()?;
        Ok(Email { subject: self.subject, text, html })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter(stands_out: Option<Line>) -> Letter {
        Letter {
            subject: "S".to_owned(),
            greeting: greeting("<b>Anna</b>"),
            before: vec!["One & two.".to_owned()],
            stands_out,
            after: vec!["Three.".to_owned(), "Four.".to_owned()],
        }
    }

    #[test]
    fn the_line_that_stands_out_has_a_line_of_its_own() {
        let link = || Line::Link { text: "Open it", url: "https://portal.example/?a=1&b=\"><i>".to_owned() };
        for (line, expected) in
            [(Line::Code("ABCD-EFGH".to_owned()), "ABCD-EFGH"), (link(), "https://portal.example/?a=1&b=\"><i>")]
        {
            let email = letter(Some(line)).render().unwrap();
            assert!(email.text.lines().any(|line| line == expected), "{}", email.text);
        }
        let email = letter(Some(link())).render().unwrap();
        assert!(!["<b>Anna", "<i>", "b=\""].iter().any(|markup| email.html.contains(markup)), "{}", email.html);
    }

    #[test]
    fn a_name_cannot_reorder_the_sentence_around_it() {
        let name = "Anna\u{202e}\n\u{200b} <b>";
        assert_eq!(isolated(name), "\u{2068}Anna <b>\u{2069}");
        assert_eq!(greeting(name), "Hello Anna <b>,");
    }

    #[test]
    fn paragraphs_are_separated_by_an_empty_line() {
        let email = letter(None).render().unwrap();
        assert_eq!(email.text, "Hello <b>Anna</b>,\n\nOne & two.\n\nThree.\n\nFour.\n");
    }
}
