//! Tells a user by mail that the merchant's details were changed from their account.

use askama::Template;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use shared::app::App;
use shared::domain::ids::{MerchantId, UserId};
use shared::domain::merchant::Merchant;
use shared::domain::team::User;
use shared::mail::Letter;

use crate::Failure;

const SUBJECT: &str = "Your merchant details were changed";

#[derive(Debug)]
struct Facts {
    greeting: String,
    merchant: String,
    changed_at: String,
    portal: String,
}

#[derive(Template)]
#[template(path = "account_change.txt")]
struct Text<'a> {
    facts: &'a Facts,
}

#[derive(Template)]
#[template(path = "account_change.html")]
struct Html<'a> {
    subject: &'a str,
    facts: &'a Facts,
}

pub(crate) async fn send(
    app: &App,
    merchant: &MerchantId,
    user: &UserId,
    changed_at: Timestamp,
) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let facts = Facts::of(&merchant, &user, changed_at, &app.settings.portal_base_url);
    Ok(app.mail().send(&user.email, &letter(&facts)?).await?)
}

impl Facts {
    fn of(merchant: &Merchant, user: &User, changed_at: Timestamp, portal: &str) -> Self {
        let greeting = match user.first_name.trim() {
            "" => "Hello,".to_owned(),
            name => format!("Hello {name},"),
        };
        let merchant = match merchant.name.trim() {
            "" => "your merchant account".to_owned(),
            name => name.to_owned(),
        };
        let changed_at = changed_at.to_zoned(TimeZone::UTC).strftime("%-d %B %Y at %H:%M UTC").to_string();
        Self { greeting, merchant, changed_at, portal: portal.to_owned() }
    }
}

fn letter(facts: &Facts) -> Result<Letter, askama::Error> {
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

    fn letter_to(first_name: &str, merchant_name: &str) -> Letter {
        let merchant = Merchant { name: merchant_name.to_owned(), ..Merchant::new(MerchantId::new("m")) };
        let changed_at = "2026-11-05T09:03:00Z".parse().unwrap();
        let facts = Facts::of(&merchant, &user(first_name), changed_at, "https://portal.example");
        letter(&facts).unwrap()
    }

    #[test]
    fn both_forms_say_whose_details_changed_and_when() {
        let letter = letter_to("Anna", "Aurora Coffee");
        for form in [&letter.text, &letter.html] {
            for fact in
                ["Hello Anna,", "Aurora Coffee", "5 November 2026 at 09:03 UTC", "https://portal.example"]
            {
                assert!(form.contains(fact), "{fact} in {form}");
            }
        }
    }

    #[test]
    fn names_are_no_markup() {
        let letter = letter_to("<b>Anna</b>", "Fish & <script>");
        assert!(letter.text.contains("Hello <b>Anna</b>,"));
        assert!(letter.text.contains("Fish & <script>"));
        assert!(!letter.html.contains("<b>Anna") && !letter.html.contains("<script>"));
    }

    #[test]
    fn nobody_is_called_by_an_empty_name() {
        let letter = letter_to(" ", "");
        assert!(letter.text.starts_with("Hello,\n"));
        assert!(letter.text.contains("your merchant account"));
    }
}
