//! Mails the one-time code of a challenge.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use shared::app::App;
use shared::team::model::challenge::{Challenge, ChallengePurpose};
use shared::team::model::code::Code;
use shared::team::model::team::User;
use shared::values::ids::ChallengeId;

use crate::mails::letter::{Letter, Line, greeting, isolated};
use crate::mails::powers::in_words;
use crate::outcome::Failure;

/// Sends nothing if the code was used, or has expired. The mail goes to the address as its account has it.
pub(crate) async fn send(app: &App, challenge: &ChallengeId) -> Result<(), Failure> {
    let Some(challenge) = app.store.challenge(challenge).await? else { return Ok(()) };
    if !challenge.is_open(app.clock.now()) {
        return Ok(());
    }
    let user = app.store.user_by_email(&challenge.email).await?;
    if let Some(user) =
        user.as_ref().filter(|user| user.signs_in_by_passkey_alone && challenge.purpose == ChallengePurpose::SignIn)
    {
        return codes_are_off(app, &challenge, user).await;
    }
    let (address, first_name) = match &user {
        Some(user) => (&user.email, user.first_name.as_str()),
        None => (&challenge.email, ""),
    };
    let code = challenge.code(&*app.code_key().await?);
    let Some(purpose) = purpose(app, &challenge).await? else { return Ok(()) };
    let letter = letter(&challenge, first_name, &code, purpose);
    letter.send(app, address).await
}

/// What the code is for, and what to do if one did not ask for it.
struct Purpose {
    subject: &'static str,
    text: String,
    unexpected: &'static str,
}

/// `None` if the invitation that the code confirms is withdrawn.
async fn purpose(app: &App, challenge: &Challenge) -> Result<Option<Purpose>, Failure> {
    let portal_url = &app.settings.portal_base_url;
    let host = portal_url.split("://").last().unwrap_or(portal_url);
    Ok(match &challenge.purpose {
        ChallengePurpose::SignIn => Some(Purpose {
            subject: "Your sign-in code",
            text: format!("Enter this code to sign in to {host}:"),
            unexpected: "If you did not request it, you can ignore this e-mail: nobody can sign in without the code.",
        }),
        ChallengePurpose::ConfirmInvite { merchant_id } => {
            let invite = app.store.invite(merchant_id, &challenge.id).await?;
            invite.map(|invite| Purpose {
                subject: "Confirm your invitation",
                text: format!(
                    "You are inviting {} ({}) to your team at {host}, as {}. Enter this code to confirm the invitation:",
                    isolated(&format!("{} {}", invite.first_name, invite.last_name)),
                    isolated(&invite.email),
                    in_words(&invite.powers()),
                ),
                unexpected: "If you did not invite this person, somebody else may be using your session: do not enter the code \
                             anywhere, open your account in the dashboard, and end all of your sessions.",
            })
        }
    })
}

/// In place of a code that would be worthless.
async fn codes_are_off(app: &App, challenge: &Challenge, user: &User) -> Result<(), Failure> {
    let asked = format!("A sign-in code was requested with {} at {}.", challenge.browser, utc(challenge.created_at));
    let letter = Letter {
        subject: "Your sign-in codes are off".to_owned(),
        greeting: greeting(&user.first_name),
        before: vec![format!("{asked} You have turned codes off: sign in with a passkey.")],
        stands_out: Some(Line::Link { text: "Open the portal", url: app.settings.dashboard_base_url.clone() }),
        after: vec![
            "If you did not request it, you can ignore this e-mail. If you have lost all of your passkeys, reply to it."
                .to_owned(),
        ],
    };
    letter.send(app, &user.email).await
}

fn letter(challenge: &Challenge, first_name: &str, code: &Code, purpose: Purpose) -> Letter {
    Letter {
        subject: purpose.subject.to_owned(),
        greeting: greeting(first_name),
        before: vec![purpose.text],
        stands_out: Some(Line::Code(code.expose())),
        after: vec![
            format!(
                "It was requested with {} at {}, and can be used once, until {}.",
                challenge.browser,
                utc(challenge.created_at),
                utc(challenge.expires_at)
            ),
            "Keep this code to yourself: do not read it out, and do not enter it anywhere else. We never ask for it.".to_owned(),
            purpose.unexpected.to_owned(),
        ],
    }
}

fn utc(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%H:%M UTC").to_string()
}
