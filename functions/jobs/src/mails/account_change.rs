//! Notifies a user by e-mail that the merchant's details were changed from their account, or with a key of theirs.

use jiff::Timestamp;
use shared::app::App;
use shared::merchants::model::merchant::Merchant;
use shared::team::model::team::User;
use shared::values::ids::{MerchantId, UserId};

use crate::mails::letter::{Letter, Line, date_and_time, greeting, isolated};
use crate::outcome::Failure;

pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId, changed_at: Timestamp) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    // The maker of the key that made the change can have left.
    if user.merchant_id.as_ref() != Some(&merchant.id) {
        return Ok(());
    }
    letter(&merchant, &user, changed_at, &app.settings.dashboard_base_url).send(app, &user.email).await
}

fn letter(merchant: &Merchant, user: &User, changed_at: Timestamp, portal_url: &str) -> Letter {
    let name = match merchant.name.trim() {
        "" => "your merchant account",
        name => &isolated(name),
    };
    let changed_at = date_and_time(changed_at);
    Letter {
        subject: "Your merchant details were changed".to_owned(),
        greeting: greeting(&user.first_name),
        before: vec![
            format!("The details of {name} were changed on {changed_at}, from your account or with a key that you created."),
            "The change can be to the company’s names or numbers, its website, its logo or its time zone. See the current \
             details:"
                .to_owned(),
        ],
        stands_out: Some(Line::Link { text: "Open the portal", url: portal_url.to_owned() }),
        after: vec![
            "If this was not you, tell an administrator of your team, and reply to this e-mail so that we can look into it."
                .to_owned(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use shared::aws::mail::Email;

    use super::*;

    fn user(first_name: &str) -> User {
        User { first_name: first_name.to_owned(), ..User::new(UserId::new("u"), "a@b.example") }
    }

    fn email_to(first_name: &str, merchant_name: &str) -> Email {
        let merchant = Merchant { name: merchant_name.to_owned(), ..Merchant::new(MerchantId::new("m"), Timestamp::UNIX_EPOCH) };
        let changed_at = "2026-11-05T09:03:00Z".parse().unwrap();
        letter(&merchant, &user(first_name), changed_at, "https://portal.example").render().unwrap()
    }

    #[test]
    fn both_formats_name_the_merchant_and_the_time_of_the_change() {
        let email = email_to("Anna", "Aurora Coffee");
        for content in [&email.text, &email.html] {
            for expected in ["Hello Anna,", "Aurora Coffee", "5 November 2026 at 09:03 UTC", "https://portal.example"] {
                assert!(content.contains(expected), "{expected} in {content}");
            }
        }
    }

    #[test]
    fn escapes_names_in_html() {
        let email = email_to("<b>Anna</b>", "Fish & <script>");
        assert!(email.text.contains("Hello <b>Anna</b>,"));
        assert!(email.text.contains("Fish & <script>"));
        assert!(!email.html.contains("<b>Anna") && !email.html.contains("<script>"));
    }

    #[test]
    fn blank_names_get_a_generic_text() {
        let email = email_to(" ", "");
        assert!(email.text.starts_with("Hello,\n"));
        assert!(email.text.contains("your merchant account"));
    }
}
