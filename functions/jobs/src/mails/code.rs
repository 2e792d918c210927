//! Mails the one-time code of a challenge.

use shared::app::App;
use shared::team::model::challenge::{Challenge, ChallengePurpose};
use shared::team::model::team::User;
use shared::values::{ChallengeId, Language};

use super::letter::{Letter, Line, Paragraph};
use super::words::{Words, isolated, utc};
use crate::outcome::Failure;

/// Sends nothing if the code was used, or has expired. The mail goes to the address as its account has it, in the language of the
/// browser that asked.
pub(crate) async fn send(app: &App, challenge: &ChallengeId) -> Result<(), Failure> {
    let Some(challenge) = app.store.challenge(challenge).await? else { return Ok(()) };
    if !challenge.is_open(app.clock.now()) {
        return Ok(());
    }
    let words = Words { language: Language::stored(challenge.language.as_ref()) };
    let user = app.store.user_by_email(&challenge.email).await?;
    if let Some(user) =
        user.as_ref().filter(|user| user.signs_in_by_passkey_alone && challenge.purpose == ChallengePurpose::SignIn)
    {
        return codes_are_off(app, &challenge, user, words).await;
    }
    let (address, first_name) = match &user {
        Some(user) => (&user.email, user.first_name.as_str()),
        None => (&challenge.email, ""),
    };
    let code = challenge.code(&*app.code_key().await?);
    let Some(purpose) = purpose(app, &challenge, words).await? else { return Ok(()) };
    let (from, until) = (utc(challenge.created_at), utc(challenge.expires_at));
    let browser = words.browser(challenge.browser.as_ref());
    let letter = Letter {
        words,
        subject: words.text(purpose.subject),
        greeting: words.greeting(first_name),
        before: purpose.text,
        stands_out: Some(Line::Code(code.expose())),
        after: vec![
            words.with("code-details", &[("from", &from), ("until", &until), ("browser", &browser)]),
            words.text("code-secret"),
            words.text(purpose.unexpected),
        ],
    };
    letter.send(app, address).await
}

/// What the code is for, and what to do if one did not ask for it.
struct Purpose {
    subject: &'static str,
    text: Vec<Paragraph>,
    unexpected: &'static str,
}

/// `None` if the invitation that the code confirms is withdrawn.
async fn purpose(app: &App, challenge: &Challenge, words: Words) -> Result<Option<Purpose>, Failure> {
    let portal_url = &app.settings.portal_base_url;
    let host = portal_url.split("://").last().unwrap_or(portal_url);
    let ChallengePurpose::ConfirmInvite { merchant_id } = &challenge.purpose else {
        let text = words.with("code-text", &[("host", host)]);
        return Ok(Some(Purpose { subject: "code-subject", text: vec![text.into()], unexpected: "code-unexpected" }));
    };
    let Some(invite) = app.store.invite(merchant_id, &challenge.id).await? else { return Ok(None) };
    let person = isolated(&format!("{} {}", invite.first_name, invite.last_name));
    let text = words.with("confirm-text", &[("person", &person), ("email", &isolated(&invite.email)), ("host", host)]);
    let powers = Paragraph::List(words.powers(&invite.powers()));
    let text = vec![text.into(), powers, words.text("confirm-enter").into()];
    Ok(Some(Purpose { subject: "confirm-subject", text, unexpected: "confirm-unexpected" }))
}

/// In place of a code that would be worthless.
async fn codes_are_off(app: &App, challenge: &Challenge, user: &User, words: Words) -> Result<(), Failure> {
    let (time, browser) = (utc(challenge.created_at), words.browser(challenge.browser.as_ref()));
    let letter = Letter {
        words,
        subject: words.text("codes-off-subject"),
        greeting: words.greeting(&user.first_name),
        before: vec![words.with("codes-off-text", &[("time", &time), ("browser", &browser)]).into()],
        stands_out: Some(Line::portal(words, app)),
        after: vec![words.text("codes-off-unexpected")],
    };
    letter.send(app, &user.email).await
}
