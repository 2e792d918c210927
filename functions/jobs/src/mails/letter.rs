//! The renderer of all mails: paragraphs, and one line that stands out, a code or a link.

use askama::Template;
use shared::app::App;
use shared::aws::mail::Email;

use super::words::Words;
use crate::outcome::Failure;

/// The content of a mail. `stands_out` has a line of its own between the paragraphs.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) words: Words,
    pub(crate) subject: String,
    pub(crate) greeting: String,
    pub(crate) before: Vec<Paragraph>,
    pub(crate) stands_out: Option<Line>,
    pub(crate) after: Vec<String>,
}

#[derive(Debug)]
pub(crate) enum Paragraph {
    Text(String),
    List(Vec<String>),
}

#[derive(Debug)]
pub(crate) enum Line {
    Code(String),
    Link { text: String, url: String },
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

impl Line {
    pub(crate) fn portal(words: Words, app: &App) -> Self {
        Self::Link { text: words.text("open-portal"), url: app.settings.dashboard_base_url.clone() }
    }
}

impl From<String> for Paragraph {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
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
    use shared::values::Language;

    use super::*;

    fn letter(stands_out: Option<Line>) -> Letter {
        let words = Words { language: Language::English };
        Letter {
            words,
            subject: "S".to_owned(),
            greeting: words.greeting("<b>Anna</b>"),
            before: vec!["One & two.".to_owned().into(), Paragraph::List(vec!["<i>".to_owned(), "b".to_owned()])],
            stands_out,
            after: vec!["Three.".to_owned(), "Four.".to_owned()],
        }
    }

    #[test]
    fn the_line_that_stands_out_has_a_line_of_its_own() {
        let link = || Line::Link { text: "Open it".to_owned(), url: "https://portal.example/?a=1&b=\"><i>".to_owned() };
        for (line, expected) in
            [(Line::Code("ABCD-EFGH".to_owned()), "ABCD-EFGH"), (link(), "https://portal.example/?a=1&b=\"><i>")]
        {
            let email = letter(Some(line)).render().unwrap();
            assert!(email.text.lines().any(|line| line == expected), "{}", email.text);
        }
        let email = letter(Some(link())).render().unwrap();
        assert!(!["<b>Anna", "<i>", "b=\""].iter().any(|markup| email.html.contains(markup)), "{}", email.html);
        assert!(email.html.contains("<html lang=\"en\">"), "{}", email.html);
    }

    #[test]
    fn paragraphs_are_separated_by_an_empty_line() {
        let email = letter(None).render().unwrap();
        assert_eq!(email.text, "Hello <b>Anna</b>,\n\nOne & two.\n\n- <i>\n- b\n\nThree.\n\nFour.\n");
    }
}
