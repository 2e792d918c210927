//! `POST /api/auth/session`: exchanges a mailed code, or what a passkey has signed, for a session.

use axum::extract::State;
use http::HeaderMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{StoreError, Stored, Write};
use shared::endpoint_error;
use shared::http::{
    ClientAddress, Data, Description, Invalid, JsonBody, PublicToPeople, WithCookies, enum_from_string, non_null,
    preferred_language,
};
use shared::team::model::challenge::{Challenge, ChallengePurpose};
use shared::team::model::team::{SignInMethod, User};
use shared::values::{ChallengeId, UserId};
use utoipa::ToSchema;

use crate::passkeys;
use crate::passkeys::sign_in::PasskeySignInError;
use crate::session::browser::session_cookie;
use crate::session::opening::{OpenedSession, Opening};
use crate::session::{self, SessionView};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SignIn {
    /// The `challengeId` of the response to the request for the code, or for the challenge of a passkey.
    challenge_id: ChallengeId,
    /// As e-mailed. Case, spaces and dashes do not matter. Without a credential.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false)]
    code: Option<String>,
    /// What `navigator.credentials.get` returned for a passkey, as JSON (`toJSON()`). Without a code.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false, value_type = Option<Object>)]
    credential: Option<Value>,
    /// How the session is returned and sent. Default: `cookie`.
    #[serde(default, deserialize_with = "enum_from_string")]
    transport: Transport,
}

/// How the session is sent with requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Transport {
    /// For browsers: the response sets a cookie that no script can read.
    #[default]
    Cookie,
    /// For programs: the response has a token for the header `Authorization`.
    Bearer,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignedIn)]
pub(crate) struct NewSession {
    #[serde(flatten)]
    session: SessionView,
    /// Only with the transport `bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    token: Option<String>,
}

endpoint_error! {
    pub(crate) enum SignInError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "challengeId: is missing.",
        Code(#[from] CodeError),
        Passkey(#[from] PasskeySignInError),
    }
}

endpoint_error! {
    /// The same for every code that is not valid, whatever the reason.
    pub(crate) enum CodeError {
        /// The code is wrong, was used or has expired.
        NotValid => 400 CODE_INVALID "The code is wrong, was used, or has expired.",
    }
}

/// Counts an attempt at a challenge, then compares the code.
pub(crate) async fn proven_challenge(app: &App, id: &ChallengeId, code: &str) -> Result<Stored<Challenge>, CodeError> {
    let key = app.code_key().await?;
    let challenge = app.store.count_attempt(id, app.clock.now()).await?;
    challenge.filter(|challenge| challenge.code(&key).is(code)).ok_or(CodeError::NotValid)
}

pub(crate) async fn sign_in(
    _: PublicToPeople,
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    JsonBody(body): JsonBody<SignIn>,
) -> Result<WithCookies<Data<NewSession>>, SignInError> {
    let signed_in = match (&body.code, &body.credential) {
        (Some(code), None) => by_code(&app, &headers, &body.challenge_id, code).await?,
        (None, Some(credential)) => passkeys::sign_in::sign_in(&app, &headers, client, &body.challenge_id, credential).await?,
        _ => return Err(Invalid::new("code: must be sent without a credential, or a credential without it.").into()),
    };
    let view = session::view_of_token(&app, &signed_in.token).await?;
    let (token, cookie) = match body.transport {
        Transport::Bearer => (Some(signed_in.token.expose().to_owned()), None),
        Transport::Cookie => (None, session_cookie(&signed_in.token)),
    };
    let cookies = [cookie, signed_in.device.set_cookie()];
    Ok(WithCookies::new(cookies, Data(NewSession { session: view, token })))
}

/// Uses the challenge up, and opens the session in the same transaction: however many requests have the right code, one of
/// them gets a session. An address without a user becomes one.
async fn by_code(app: &App, headers: &HeaderMap, challenge: &ChallengeId, code: &str) -> Result<OpenedSession, CodeError> {
    let mut challenge = proven_challenge(app, challenge, code).await?;
    if challenge.purpose != ChallengePurpose::SignIn {
        return Err(CodeError::NotValid);
    }
    let (key, now) = (app.code_key().await?, app.clock.now());
    let mut attempts = app.store.attempts("a sign-in");
    loop {
        let (user, mut writes) = verified_user(app, headers, &challenge.email, now).await?;
        if user.signs_in_by_passkey_alone {
            return Err(CodeError::NotValid);
        }
        let mut opening = Opening::new(app, headers, &key, &user, SignInMethod::Code, now).await?;
        writes.push(Write::delete(&challenge)?);
        writes.append(&mut opening.writes);
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(opening.opened(app, &key, &user));
        }
        // Another attempt at the code changes the challenge, but does not use it up.
        let unused = app.store.challenge(&challenge.id).await?;
        challenge = unused.filter(|challenge| challenge.expires_at > now).ok_or(CodeError::NotValid)?;
    }
}

/// The user with an address, which a code has just verified, and what has to be written for that.
async fn verified_user(app: &App, headers: &HeaderMap, email: &str, now: Timestamp) -> Result<(User, Vec<Write>), StoreError> {
    let language = preferred_language(headers);
    let Some(known) = app.store.user_by_email(email).await? else {
        let id = UserId::new(app.random.uuid(now).to_string());
        let user = User { email_verified: true, first_signed_in_at: Some(now), ..User::new(id, email).reading(language) };
        let writes = app.store.new_user(&user)?;
        return Ok((user, writes));
    };
    let user =
        User { email_verified: true, first_signed_in_at: known.first_signed_in_at.or(Some(now)), ..known.reading(language) };
    let write = Write::replace_if_different(&known, &user)?;
    Ok((user, vec![write]))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "signIn",
        "Sign in",
        "Exchanges a mailed code, or the answer of a passkey to a challenge, for a session of 12 hours. If the request has a \
         session cookie, that session ends. An address without an account gets one. The user is notified by e-mail of a sign-in \
         with a new browser. A client can fail 600 times an hour with passkeys.",
    )
    .body::<SignIn>(json!({"challengeId": "5f0c6f7c4b1d4c0f9a3d2e1b0a998877", "code": "ABCD-EFGH"}))
    .success("The session.", session::example())
}
