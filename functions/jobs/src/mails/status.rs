//! Tells an administrator of a merchant by e-mail that the platform changed its status.

use shared::app::App;
use shared::merchants::model::merchant::{Merchant, MerchantStatus};
use shared::team::model::team::User;
use shared::values::ids::{MerchantId, UserId};

use crate::mails::letter::{Letter, Line, greeting, isolated};
use crate::outcome::Failure;

/// Sends the current status. Sends nothing to a user who has left the merchant.
pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let Some(status) = merchant.status.known() else { return Ok(()) };
    if user.merchant_id.as_ref() != Some(&merchant.id) {
        return Ok(());
    }
    letter(&merchant, status, &user, &app.settings.dashboard_base_url).send(app, &user.email).await
}

fn letter(merchant: &Merchant, status: MerchantStatus, user: &User, portal_url: &str) -> Letter {
    let name = match merchant.name.trim() {
        "" => "Your merchant account",
        name => &isolated(name),
    };
    let (state, explanation) = texts(status);
    Letter {
        subject: "The status of your merchant account has changed".to_owned(),
        greeting: greeting(&user.first_name),
        before: vec![format!("{name} {state}."), explanation.to_owned()],
        stands_out: Some(Line::Link { text: "Open the portal", url: portal_url.to_owned() }),
        after: vec!["If you have questions, reply to this e-mail.".to_owned()],
    }
}

/// What a merchant of this status is, and what that means for it.
fn texts(status: MerchantStatus) -> (&'static str, &'static str) {
    match status {
        MerchantStatus::Active => ("is active", "Your tills can sell and redeem gift cards."),
        MerchantStatus::Suspended => ("is suspended", "Until further notice, gift cards can neither be sold nor redeemed."),
        MerchantStatus::Inactive => ("is closed", "Gift cards can no longer be sold or redeemed."),
        MerchantStatus::Declined => ("was declined", "We cannot accept your company’s application."),
        MerchantStatus::WaitingForInfo => (
            "is waiting for more information",
            "We cannot decide on your application yet. Complete it in the portal and submit it again.",
        ),
        MerchantStatus::Draft => ("is a draft", "Complete the application in the portal and submit it."),
        MerchantStatus::Submitted | MerchantStatus::KybInProgress | MerchantStatus::DecisionPending => {
            ("is being reviewed", "We will notify you as soon as we have decided on your application.")
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::aws::mail::Email;

    use super::*;

    fn email_to(first_name: &str, merchant_name: &str, status: MerchantStatus) -> Email {
        let merchant =
            Merchant { name: merchant_name.to_owned(), ..Merchant::new(MerchantId::new("m"), jiff::Timestamp::UNIX_EPOCH) };
        let user = User { first_name: first_name.to_owned(), ..User::new(UserId::new("u"), "a@b.example") };
        letter(&merchant, status, &user, "https://portal.example").render().unwrap()
    }

    #[test]
    fn both_formats_name_the_merchant_its_status_and_what_follows() {
        let email = email_to("Anna", "Aurora Coffee", MerchantStatus::Active);
        for content in [&email.text, &email.html] {
            for expected in
                ["Hello Anna,", "\u{2068}Aurora Coffee\u{2069} is active.", "can sell and redeem", "https://portal.example"]
            {
                assert!(content.contains(expected), "{expected} in {content}");
            }
        }
    }

    #[test]
    fn escapes_names_in_html() {
        let email = email_to("<b>Anna</b>", "Fish & <script>", MerchantStatus::Suspended);
        assert!(email.text.contains("Hello <b>Anna</b>,"));
        assert!(email.text.contains("\u{2068}Fish & <script>\u{2069} is suspended."));
        assert!(!email.html.contains("<b>Anna") && !email.html.contains("<script>"));
    }

    #[test]
    fn blank_names_get_a_generic_text() {
        let email = email_to(" ", "", MerchantStatus::Inactive);
        assert!(email.text.starts_with("Hello,\n"));
        assert!(email.text.contains("Your merchant account is closed."));
    }
}
