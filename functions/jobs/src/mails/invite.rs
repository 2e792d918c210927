//! Mails the link of an invitation to the invited address.

use jiff::tz::TimeZone;
use shared::app::App;
use shared::team::model::team::InviteStatus;
use shared::values::ids::{ChallengeId, MerchantId};

use crate::mails::letter::{Letter, Line, greeting, in_subject, isolated};
use crate::mails::powers::in_words;
use crate::outcome::Failure;

/// Sends nothing, and returns `false`, if the invitation is over. The mail goes to the address as its account has it.
pub(crate) async fn send(app: &App, merchant: &MerchantId, invite: &ChallengeId) -> Result<bool, Failure> {
    let Some(invite) = app.store.invite(merchant, invite).await? else { return Ok(false) };
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(false) };
    if app.store.status_of_invite(&invite, app.clock.now()).await? != InviteStatus::PendingAcceptance {
        return Ok(false);
    }
    let user = app.store.user_by_email(&invite.email).await?;
    let address = user.as_ref().map_or(&invite.email, |user| &user.email);
    let maker = match &invite.made_by {
        Some(maker) => app.store.user(&maker.user_id).await?,
        None => None,
    };
    let maker = maker.map_or("A colleague".to_owned(), |maker| isolated(&maker.display_name()));
    let until = invite.expires_at.to_zoned(TimeZone::UTC).strftime("%-d %B %Y");
    let letter = Letter {
        subject: format!("You have been invited to {}", in_subject(&merchant.name)),
        greeting: greeting(&invite.first_name),
        before: vec![
            format!(
                "{maker} has invited you to work on {} in the merchant portal, as {}.",
                isolated(&merchant.name),
                in_words(&invite.powers())
            ),
            format!("Sign in with this address ({address}) to accept:"),
        ],
        stands_out: Some(Line::Link {
            text: "Open the invitation",
            url: format!("{}/invite#{}", app.settings.dashboard_base_url, invite.challenge_id),
        }),
        after: vec![
            format!("The invitation can be accepted until {until}."),
            "If you do not know this person, you can ignore this e-mail.".to_owned(),
        ],
    };
    letter.send(app, address).await?;
    Ok(true)
}
