//! Confirms an onboarding by e-mail and sends the URL of the verification session.

use shared::app::App;
use shared::merchants::model::merchant::MerchantStatus;
use shared::values::{MerchantId, UserId, public_url};

use super::letter::{Letter, Line};
use super::member;
use super::words::{Words, isolated};
use crate::outcome::Failure;

/// Sends the current session URL. Sends nothing if the merchant no longer awaits verification.
pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId) -> Result<(), Failure> {
    let Some((merchant, user)) = member(app, merchant, user).await? else { return Ok(()) };
    let Some(url) = merchant.verification.session_url.as_deref().and_then(public_url) else { return Ok(()) };
    if !merchant.status.known().is_some_and(MerchantStatus::awaits_verification) {
        return Ok(());
    }
    let words = Words::of(&user);
    let received = match merchant.name.trim() {
        "" => words.text("verify-text-nameless"),
        name => words.with("verify-text", &[("shop", &isolated(name))]),
    };
    let letter = Letter {
        words,
        subject: words.text("verify-subject"),
        greeting: words.greeting(&user.first_name),
        before: vec![received.into(), words.text("verify-next").into()],
        stands_out: Some(Line::Link { text: words.text("verify-open"), url }),
        after: vec![words.text("verify-time"), words.text("verify-unexpected")],
    };
    letter.send(app, &user.email).await
}
