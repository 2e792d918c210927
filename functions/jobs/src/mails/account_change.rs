//! Notifies a user by e-mail that the merchant's details were changed from their account, or with a key of theirs.

use jiff::Timestamp;
use shared::app::App;
use shared::values::{MerchantId, UserId};

use super::letter::{Letter, Line};
use super::member;
use super::words::{Words, isolated};
use crate::outcome::Failure;

/// The maker of the key that made the change can have left.
pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId, changed_at: Timestamp) -> Result<(), Failure> {
    let Some((merchant, user)) = member(app, merchant, user).await? else { return Ok(()) };
    let words = Words::of(&user);
    let text = match merchant.name.trim() {
        "" => words.at(changed_at, "account-text-nameless", &[]),
        name => words.at(changed_at, "account-text", &[("shop", &isolated(name))]),
    };
    let letter = Letter {
        words,
        subject: words.text("account-subject"),
        greeting: words.greeting(&user.first_name),
        before: vec![text.into(), words.text("account-what").into()],
        stands_out: Some(Line::portal(words, app)),
        after: vec![words.text("account-unexpected")],
    };
    letter.send(app, &user.email).await
}
