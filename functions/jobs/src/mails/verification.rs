//! Confirms an onboarding by e-mail and sends the URL of the verification session.

use shared::app::App;
use shared::merchants::model::merchant::{Merchant, MerchantStatus};
use shared::team::model::team::User;
use shared::values::ids::{MerchantId, UserId};
use shared::values::links::public_url;

use crate::mails::letter::{Letter, Line, greeting};
use crate::outcome::Failure;

/// Sends the current session URL. Sends nothing if the merchant no longer awaits verification.
pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let Some(url) = merchant.verification.session_url.as_deref().and_then(public_url) else { return Ok(()) };
    if !merchant.status.known().is_some_and(MerchantStatus::awaits_verification) {
        return Ok(());
    }
    letter(&merchant, &user, url).send(app, &user.email).await
}

fn letter(merchant: &Merchant, user: &User, url: String) -> Letter {
    let company = match merchant.name.trim() {
        "" => "your company",
        name => name,
    };
    Letter {
        subject: "Verify your company to continue".to_owned(),
        greeting: greeting(&user.first_name),
        before: vec![
            format!("Thank you, we have received the application of {company}."),
            "The next step is to verify the company and the people who run it. Our verification partner does this on its own \
             page:"
                .to_owned(),
        ],
        stands_out: Some(Line::Link { text: "Verify the company", url }),
        after: vec![
            "It takes a few minutes. Have an identity document and the company’s registration at hand. As soon as we know the \
             result, it appears in the portal."
                .to_owned(),
            "If you did not apply, do not follow the link, and reply to this e-mail so that we can look into it.".to_owned(),
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

    fn email_to(first_name: &str, merchant_name: &str, url: &str) -> Email {
        let merchant =
            Merchant { name: merchant_name.to_owned(), ..Merchant::new(MerchantId::new("m"), jiff::Timestamp::UNIX_EPOCH) };
        letter(&merchant, &user(first_name), url.to_owned()).render().unwrap()
    }

    #[test]
    fn both_formats_contain_the_company_and_the_url() {
        let email = email_to("Anna", "Aurora Coffee", "https://verifier.example/sessions/1");
        for content in [&email.text, &email.html] {
            for expected in ["Hello Anna,", "Aurora Coffee", "https://verifier.example/sessions/1"] {
                assert!(content.contains(expected), "{expected} in {content}");
            }
        }
        let lines: Vec<&str> = email.text.lines().collect();
        assert!(lines.contains(&"https://verifier.example/sessions/1"), "the URL must be on its own line");
    }

    #[test]
    fn escapes_names_and_urls_in_html() {
        let email = email_to("<b>Anna</b>", "Fish & <script>", "https://verifier.example/?a=1&b=\"><i>");
        assert!(email.text.contains("Hello <b>Anna</b>,"));
        assert!(email.text.contains("https://verifier.example/?a=1&b=\"><i>"));
        assert!(!["<b>Anna", "<script>", "<i>", "b=\""].iter().any(|markup| email.html.contains(markup)));
    }

    #[test]
    fn blank_names_get_a_generic_text() {
        let email = email_to(" ", "", "https://verifier.example");
        assert!(email.text.starts_with("Hello,\n"));
        assert!(email.text.contains("your company"));
    }
}
