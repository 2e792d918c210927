//! A sign-in with a passkey.

use std::time::Duration;

use http::HeaderMap;
use serde_json::Value;
use shared::app::App;
use shared::db::counters::Caller;
use shared::db::{SignInNews, Stored, Write};
use shared::endpoint_error;
use shared::http::{ClientAddress, preferred_language};
use shared::limits;
use shared::limits::model::{PASSKEY_ATTEMPTS, UsedUp};
use shared::team::model::passkey::Passkey;
use shared::team::model::team::{SignInMethod, User};
use shared::values::ChallengeId;
use tokio::time::{Instant, sleep_until};

use super::add::PasskeyError;
use super::challenge::is_open;
use super::mail;
use super::relying_party::{Answer, RelyingParty, Verdict};
use crate::session::opening::{OpenedSession, Opening};

endpoint_error! {
    pub(crate) enum PasskeySignInError {
        Passkey(#[from] PasskeyError),
        /// Too many passkeys of the client were refused.
        TooManyAttempts(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many passkeys were refused from your network. Please try again later.",
    }
}

/// How long it takes to refuse a passkey, at least. Longer than any refusal takes: the time does not tell what is wrong.
const REFUSAL_TIME: Duration = Duration::from_millis(300);

pub(crate) async fn sign_in(
    app: &App,
    headers: &HeaderMap,
    ClientAddress(client): ClientAddress,
    challenge_id: &ChallengeId,
    credential: &Value,
) -> Result<OpenedSession, PasskeySignInError> {
    let earliest_refusal = Instant::now() + REFUSAL_TIME;
    let attempt = limits::reserve::<PasskeySignInError>(app, &[(PASSKEY_ATTEMPTS, Caller::Address(client))]).await?;
    let opened = open_session(app, headers, challenge_id, credential).await;
    match &opened {
        // Only those that fail count.
        Ok(_) => app.store.give_back(attempt).await,
        Err(PasskeySignInError::Passkey(PasskeyError::NotValid)) => sleep_until(earliest_refusal).await,
        Err(_) => {}
    }
    opened
}

async fn open_session(
    app: &App,
    headers: &HeaderMap,
    challenge_id: &ChallengeId,
    credential: &Value,
) -> Result<OpenedSession, PasskeySignInError> {
    let (key, now) = (app.code_key().await?, app.clock.now());
    let challenge = key.passkey_challenge(challenge_id.as_str());
    let answer = Answer::parse(credential).filter(|answer| is_open(challenge_id, now) && answer.is_for(&challenge));
    let answer = answer.ok_or(PasskeyError::NotValid)?;
    if !app.store.use_up_challenge(challenge_id, now).await? {
        return Err(PasskeyError::NotValid.into());
    }
    let mut attempts = app.store.attempts("a sign-in");
    loop {
        let (user, passkey) = owner(app, &answer).await?.ok_or(PasskeyError::NotValid)?;
        let (credential, backed_up) = match RelyingParty::new(&app.settings).verify(&answer, &challenge, &passkey)? {
            Verdict::Good { credential, backed_up } => (credential, backed_up),
            Verdict::Copied => {
                let news = SignInNews::PasskeyCopied { name: passkey.name.clone() };
                app.store.commit(vec![mail(app, &user, news)?]).await?;
                return Err(PasskeyError::NotValid.into());
            }
            Verdict::Bad => return Err(PasskeyError::NotValid.into()),
        };
        let used = Passkey { credential, backed_up, last_used_at: Some(now), ..passkey.value.clone() };
        let reader = user.reading(preferred_language(headers));
        let mut opening = Opening::new(app, headers, &key, &user, SignInMethod::Passkey, now).await?;
        let mut writes = vec![Write::replace(&passkey, &used)?, Write::replace_if_different(&user, &reader)?];
        writes.append(&mut opening.writes);
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(opening.opened(app, &key, &user));
        }
    }
}

/// The user whose handle the authenticator has sent, and the passkey of theirs that it has used.
async fn owner(app: &App, answer: &Answer) -> Result<Option<(Stored<User>, Stored<Passkey>)>, PasskeySignInError> {
    let found = app.store.passkeys_of_handle(&answer.handle).await?;
    let Some(owner) = found.owner else { return Ok(None) };
    let user = app.store.user(&owner.user_id).await?;
    let user = user.filter(|user| user.passkey_handle.as_ref() == Some(&answer.handle));
    let id = answer.credential_id();
    let passkey = found.all.into_iter().find(|passkey| passkey.credential_id == id);
    Ok(user.zip(passkey))
}
