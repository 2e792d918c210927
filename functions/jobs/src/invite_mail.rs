//! Mails the link of an invitation to the invited address.

use jiff::tz::TimeZone;
use shared::app::App;
use shared::domain::ids::{ChallengeId, MerchantId};

use crate::Failure;
use crate::letter::{Letter, Line, greeting};

/// Sends nothing if the invitation is over. The mail goes to the address as its account has it.
pub(crate) async fn send(app: &App, merchant: &MerchantId, invite: &ChallengeId) -> Result<(), Failure> {
    let Some(invite) = app.store.invite(merchant, invite).await? else { return Ok(()) };
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    if invite.verified_at.is_none() || !invite.is_open(app.clock.now()) {
        return Ok(());
    }
    let user = app.store.user_by_email(&invite.email).await?;
    let address = user.as_ref().map_or(&invite.email, |user| &user.email);
    let maker = match &invite.made_by {
        Some(maker) => app.store.user(maker).await?,
        None => None,
    };
    let maker = maker.map(|maker| format!("{} {}", maker.first_name, maker.last_name).trim().to_owned());
    let maker = maker.filter(|name| !name.is_empty()).unwrap_or_else(|| "A colleague".to_owned());
    let until = invite.expires_at.to_zoned(TimeZone::UTC).strftime("%-d %B %Y");
    let letter = Letter {
        subject: format!("You are invited to {}", merchant.name),
        greeting: greeting(&invite.first_name),
        before: vec![format!(
            "{maker} invites you to work on {} in the merchant portal. Sign in with this address ({address}) to accept:",
            merchant.name
        )],
        stands_out: Some(Line::Link {
            text: "Open the invitation",
            url: format!("{}/invite#{}", app.settings.portal_base_url, invite.challenge_id),
        }),
        after: vec![
            format!("The invitation can be accepted until {until}."),
            "Do you not know who that is? Then there is nothing to do.".to_owned(),
        ],
    };
    Ok(app.mail().send(address, &letter.render()?).await?)
}
