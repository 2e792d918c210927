//! Tells an administrator of a merchant by e-mail that the platform changed its status.

use shared::app::App;
use shared::merchants::model::merchant::MerchantStatus;
use shared::values::{MerchantId, UserId};

use super::letter::{Letter, Line};
use super::member;
use super::words::{Words, isolated};
use crate::outcome::Failure;

/// Sends the current status.
pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId) -> Result<(), Failure> {
    let Some((merchant, user)) = member(app, merchant, user).await? else { return Ok(()) };
    let Some(status) = merchant.status.known() else { return Ok(()) };
    let words = Words::of(&user);
    let shop = match merchant.name.trim() {
        "" => words.text("your-account"),
        name => isolated(name),
    };
    let (state, means) = ids(status);
    let letter = Letter {
        words,
        subject: words.text("status-subject"),
        greeting: words.greeting(&user.first_name),
        before: vec![words.with(state, &[("shop", &shop)]).into(), words.text(means).into()],
        stands_out: Some(Line::portal(words, app)),
        after: vec![words.text("status-questions")],
    };
    letter.send(app, &user.email).await
}

/// What a merchant of this status is, and what that means for it.
fn ids(status: MerchantStatus) -> (&'static str, &'static str) {
    match status {
        MerchantStatus::Active => ("status-active", "status-active-means"),
        MerchantStatus::Suspended => ("status-suspended", "status-suspended-means"),
        MerchantStatus::Inactive => ("status-closed", "status-closed-means"),
        MerchantStatus::Declined => ("status-declined", "status-declined-means"),
        MerchantStatus::WaitingForInfo => ("status-waiting", "status-waiting-means"),
        MerchantStatus::Draft => ("status-draft", "status-draft-means"),
        MerchantStatus::Submitted | MerchantStatus::KybInProgress | MerchantStatus::DecisionPending => {
            ("status-review", "status-review-means")
        }
    }
}
