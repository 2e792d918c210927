//! `POST /api/auth/passkeys`: adds a passkey.

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{SignInNews, Stored, Write};
use shared::endpoint_error;
use shared::http::{Created, Description, Invalid, JsonBody};
use shared::limits::model::PASSKEYS;
use shared::team::model::passkey::{Passkey, PasskeyOwner};
use shared::team::model::team::User;
use shared::team::rows::passkeys::PasskeyRegistration;
use shared::team::rows::sessions::SignedInUser;
use shared::values::names::{MIN_PERSON, Name};
use shared::values::{ChallengeId, PasskeyId};
use utoipa::ToSchema;

use super::relying_party::{MadePasskey, NewCredential, RelyingParty};
use super::{PasskeyView, example, mail};

type PasskeyName = Name<MIN_PERSON>;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewPasskey {
    /// The `challengeId` of the options.
    challenge_id: ChallengeId,
    /// A name by which the user knows the passkey, without `://`.
    name: PasskeyName,
    /// What `navigator.credentials.create` returned, as JSON (`toJSON()`).
    #[schema(value_type = Object)]
    credential: Value,
    /// The code that an operator has handed to a platform administrator. Ignored for others.
    #[serde(default)]
    #[schema(nullable = false)]
    enrolment_code: Option<String>,
}

endpoint_error! {
    pub(crate) enum AddPasskeyError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "name: must have at least one letter or digit.",
        Passkey(#[from] PasskeyError),
        /// A platform administrator sent no enrolment code that is good.
        NotEnrolled => 403 ENROLMENT_REQUIRED "enrolmentCode: ask an operator of the platform for a new code.",
        /// The user has too many passkeys.
        TooMany => 409 PASSKEY_LIMIT "You already have 10 passkeys. Remove one that you no longer use.",
        /// The user has this passkey.
        Known => 409 PASSKEY_KNOWN "You have already added this passkey.",
    }
}

endpoint_error! {
    /// The same whatever the reason.
    pub(crate) enum PasskeyError {
        /// The passkey or its challenge is wrong, was used or has expired.
        NotValid => 400 PASSKEY_INVALID "The passkey was not accepted, or it took too long. Please try again.",
    }
}

pub(crate) async fn add_passkey(
    caller: SignedInUser,
    State(app): State<App>,
    JsonBody(body): JsonBody<NewPasskey>,
) -> Result<Created<PasskeyView>, AddPasskeyError> {
    require_enrolment(&app, &caller.user, &body)?;
    let registration = app.store.passkey_registration(&body.challenge_id).await?.ok_or(PasskeyError::NotValid)?;
    let is_of_session = registration.session_id == caller.session.details.id;
    if !is_of_session || registration.expires_at <= app.clock.now() {
        return Err(PasskeyError::NotValid.into());
    }
    let credential = NewCredential::parse(&body.credential).ok_or(PasskeyError::NotValid)?;
    require_unknown(&app.store.passkeys_of(&caller.user).await?, &credential.id())?;
    // Whatever is wrong with the passkey, the challenge is used up.
    if !app.store.commit_if_possible(vec![Write::delete(&registration)?]).await? {
        return Err(PasskeyError::NotValid.into());
    }
    let made = RelyingParty::new(&app.settings).made(&credential, &registration.state)?.ok_or(PasskeyError::NotValid)?;
    let passkey = new_passkey(&app, &body, &registration, &credential, made);
    write(&app, caller, &body, &passkey).await?;
    Ok(Created(PasskeyView::from(&passkey)))
}

/// Whoever reads a platform administrator's mail could sign in by a code, and would add a passkey of their own.
fn require_enrolment(app: &App, user: &User, body: &NewPasskey) -> Result<(), AddPasskeyError> {
    let is_good = |code: &String| user.enrolment.as_ref().is_some_and(|enrolment| enrolment.is(code, app.clock.now()));
    if user.is_appointed_admin && !body.enrolment_code.as_ref().is_some_and(is_good) {
        return Err(AddPasskeyError::NotEnrolled);
    }
    Ok(())
}

fn require_unknown(known: &[Stored<Passkey>], credential_id: &str) -> Result<(), AddPasskeyError> {
    if known.iter().any(|passkey| passkey.credential_id == credential_id) {
        return Err(AddPasskeyError::Known);
    }
    if known.len() >= PASSKEYS.max {
        return Err(AddPasskeyError::TooMany);
    }
    Ok(())
}

fn new_passkey(
    app: &App,
    body: &NewPasskey,
    registration: &PasskeyRegistration,
    credential: &NewCredential,
    made: MadePasskey,
) -> Passkey {
    Passkey {
        id: PasskeyId::new(hex::encode(app.random.bytes::<16>())),
        handle: registration.handle.clone(),
        name: body.name.clone().into_string(),
        credential_id: credential.id(),
        credential: made.credential,
        backed_up: made.backed_up,
        created_at: app.clock.now(),
        last_used_at: None,
    }
}

/// The passkey, and the user with its handle and without the enrolment code, in one transaction. Who has been made an administrator or
/// has lost their passkeys meanwhile is another user than the one who asked.
async fn write(app: &App, caller: SignedInUser, body: &NewPasskey, passkey: &Passkey) -> Result<(), AddPasskeyError> {
    let mut attempts = app.store.attempts("a passkey");
    loop {
        let user = app.store.user(&caller.user.id).await?.ok_or(PasskeyError::NotValid)?;
        if user.session_generation != caller.user.session_generation {
            return Err(PasskeyError::NotValid.into());
        }
        require_enrolment(app, &user, body)?;
        require_unknown(&app.store.passkeys_of(&user).await?, &passkey.credential_id)?;
        let writes = match &user.passkey_handle {
            None => vec![Write::create(&PasskeyOwner { handle: passkey.handle.clone(), user_id: user.id.clone() })?],
            Some(handle) if *handle == passkey.handle => Vec::new(),
            // Another passkey was the first one.
            Some(_) => return Err(PasskeyError::NotValid.into()),
        };
        let changed = User { passkey_handle: Some(passkey.handle.clone()), enrolment: None, ..user.value.clone() };
        let news = SignInNews::PasskeyAdded { name: passkey.name.clone() };
        let more = [Write::create(passkey)?, Write::replace(&user, &changed)?, mail(app, &user, news)?];
        let writes = writes.into_iter().chain(more).collect();
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(());
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "addPasskey",
        "Add a passkey",
        "Adds a passkey that a browser has made. The user is notified by e-mail. A platform administrator needs a code that an \
         operator has handed to them.",
    )
    .body::<NewPasskey>(json!({
        "challengeId": "5f0c6f7c4b1d4c0f9a3d2e1b0a998877", "name": "Phone",
        "credential": {
            "id": "AQIDBAUGBwgJCgsMDQ4PEA", "rawId": "AQIDBAUGBwgJCgsMDQ4PEA", "type": "public-key",
            "response": {"clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", "attestationObject": "o2NmbXRkbm9uZQ"},
        },
    }))
    .success("The passkey.", example())
}
