//! Tells a user by mail that the onboarding was received, and where to verify the company.

use askama::Template;
use shared::app::App;
use shared::domain::ids::{MerchantId, UserId};
use shared::domain::merchant::Merchant;
use shared::domain::team::User;
use shared::mail::Letter;

use crate::Failure;

const SUBJECT: &str = "Verify your company to continue";

#[derive(Debug)]
struct Facts<'a> {
    greeting: String,
    company: &'a str,
    link: &'a str,
}

#[derive(Template)]
#[template(path = "verification.txt")]
struct Text<'a> {
    facts: &'a Facts<'a>,
}

#[derive(Template)]
#[template(path = "verification.html")]
struct Html<'a> {
    subject: &'a str,
    facts: &'a Facts<'a>,
}

/// Sends the link as it is by now; none once the company was verified, or is not waited for any more.
pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let Some(link) = &merchant.verification.session_url else { return Ok(()) };
    if !merchant.status.awaits_verification() {
        return Ok(());
    }
    Ok(app.mail().send(&user.email, &letter(&Facts::of(&merchant, &user, link))?).await?)
}

impl<'a> Facts<'a> {
    fn of(merchant: &'a Merchant, user: &User, link: &'a str) -> Self {
        let greeting = match user.first_name.trim() {
            "" => "Hello,".to_owned(),
            name => format!("Hello {name},"),
        };
        let company = match merchant.name.trim() {
            "" => "your company",
            name => name,
        };
        Self { greeting, company, link }
    }
}

fn letter(facts: &Facts<'_>) -> Result<Letter, askama::Error> {
    let text = Text { facts }.render()?;
    let html = Html { subject: SUBJECT, facts }.render()?;
    Ok(Letter { subject: SUBJECT.to_owned(), text, html })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(first_name: &str) -> User {
        User {
            id: UserId::new("u"),
            email: "a@b.example".to_owned(),
            first_name: first_name.to_owned(),
            last_name: String::new(),
            phone_prefix: None,
            phone: None,
            email_verified: true,
            is_admin: false,
            merchant_id: None,
        }
    }

    fn letter_to(first_name: &str, merchant_name: &str, link: &str) -> Letter {
        let merchant = Merchant { name: merchant_name.to_owned(), ..Merchant::new(MerchantId::new("m")) };
        letter(&Facts::of(&merchant, &user(first_name), link)).unwrap()
    }

    #[test]
    fn both_forms_name_the_company_and_hold_the_link() {
        let letter = letter_to("Anna", "Aurora Coffee", "https://verifier.example/sessions/1");
        for form in [&letter.text, &letter.html] {
            for fact in ["Hello Anna,", "Aurora Coffee", "https://verifier.example/sessions/1"] {
                assert!(form.contains(fact), "{fact} in {form}");
            }
        }
        let lines: Vec<&str> = letter.text.lines().collect();
        assert!(lines.contains(&"https://verifier.example/sessions/1"), "the link has a line of its own");
    }

    #[test]
    fn names_and_links_are_no_markup() {
        let letter = letter_to("<b>Anna</b>", "Fish & <script>", "https://verifier.example/?a=1&b=\"><i>");
        assert!(letter.text.contains("Hello <b>Anna</b>,"));
        assert!(letter.text.contains("https://verifier.example/?a=1&b=\"><i>"));
        assert!(!["<b>Anna", "<script>", "<i>", "b=\""].iter().any(|markup| letter.html.contains(markup)));
    }

    #[test]
    fn nobody_is_called_by_an_empty_name() {
        let letter = letter_to(" ", "", "https://verifier.example");
        assert!(letter.text.starts_with("Hello,\n"));
        assert!(letter.text.contains("your company"));
    }
}
