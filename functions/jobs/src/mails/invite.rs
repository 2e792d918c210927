//! Mails the link of an invitation to the invited address.

use shared::app::App;
use shared::team::model::team::{InviteStatus, User};
use shared::values::{ChallengeId, MerchantId};

use super::letter::{Letter, Line, Paragraph};
use super::words::{Words, in_subject, isolated};
use crate::outcome::Failure;

/// Sends nothing, and returns `false`, if the invitation is over. The mail goes to the address as its account has it, in its language;
/// without an account, in the language of whoever invites.
pub(crate) async fn send(app: &App, merchant: &MerchantId, invite: &ChallengeId) -> Result<bool, Failure> {
    let Some(invite) = app.store.invite(merchant, invite).await? else { return Ok(false) };
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(false) };
    if app.store.status_of_invite(&invite, app.clock.now()).await? != InviteStatus::PendingAcceptance {
        return Ok(false);
    }
    let user = app.store.user_by_email(&invite.email).await?;
    let address = user.as_ref().map_or(&invite.email, |user| &user.email);
    let maker: Option<User> = match &invite.made_by {
        Some(maker) => app.store.user(&maker.user_id).await?.map(|maker| maker.value),
        None => None,
    };
    let language = user.as_deref().or(maker.as_ref()).map(User::reads).unwrap_or_default();
    let words = Words { language };
    let text = words.with("invite-text", &[("person", &words.person(maker.as_ref())), ("shop", &isolated(&merchant.name))]);
    let letter = Letter {
        words,
        subject: words.with("invite-subject", &[("shop", &in_subject(&merchant.name))]),
        greeting: words.greeting(&invite.first_name),
        before: vec![
            text.into(),
            Paragraph::List(words.powers(&invite.powers())),
            words.with("invite-sign-in", &[("email", address)]).into(),
        ],
        stands_out: Some(Line::Link {
            text: words.text("invite-open"),
            url: format!("{}/invite#{}", app.settings.dashboard_base_url, invite.challenge_id),
        }),
        after: vec![words.with("invite-until", &[("day", &words.day(invite.expires_at))]), words.text("invite-unexpected")],
    };
    letter.send(app, address).await?;
    Ok(true)
}
