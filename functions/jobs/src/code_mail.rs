//! Mails the one-time code of a challenge.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use shared::app::App;
use shared::domain::challenge::{Challenge, ChallengePurpose};
use shared::domain::code::Code;
use shared::domain::ids::ChallengeId;

use crate::Failure;
use crate::letter::{Letter, Line, greeting};

/// Sends nothing if the code was used, or has expired. The mail goes to the address as its account has it.
pub(crate) async fn send(app: &App, challenge: &ChallengeId) -> Result<(), Failure> {
    let Some(challenge) = app.store.challenge(challenge).await? else { return Ok(()) };
    if !challenge.is_open(app.clock.now()) {
        return Ok(());
    }
    let user = app.store.user_by_email(&challenge.email).await?;
    let (address, first_name) = match &user {
        Some(user) => (&user.email, user.first_name.as_str()),
        None => (&challenge.email, ""),
    };
    let code = challenge.code(&*app.code_key().await?);
    let letter = letter(&challenge, first_name, &code, &app.settings.portal_base_url);
    Ok(app.mail().send(address, &letter.render()?).await?)
}

fn letter(challenge: &Challenge, first_name: &str, code: &Code, portal_url: &str) -> Letter {
    let host = portal_url.split("://").last().unwrap_or(portal_url);
    let (subject, purpose) = match &challenge.purpose {
        ChallengePurpose::SignIn => ("Your sign-in code", format!("Type this code to sign in to {host}:")),
        ChallengePurpose::ConfirmInvite { .. } => (
            "Confirm your invitation",
            format!("Type this code to confirm the invitation that you are making at {host}:"),
        ),
    };
    Letter {
        subject: subject.to_owned(),
        greeting: greeting(first_name),
        before: vec![purpose],
        stands_out: Some(Line::Code(code.expose())),
        after: vec![
            format!(
                "It was asked for with {} at {}, and is good once, until {}.",
                challenge.browser,
                utc(challenge.created_at),
                utc(challenge.expires_at)
            ),
            "Nobody else may have this code: do not read it out, and do not type it anywhere else. We never ask for it."
                .to_owned(),
            "Did you not ask for it? Then there is nothing to do: without the code, nobody gets in.".to_owned(),
        ],
    }
}

fn utc(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%H:%M UTC").to_string()
}
