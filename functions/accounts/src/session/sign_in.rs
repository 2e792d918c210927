//! `POST /api/auth/session`: exchanges a mailed code for a session.

use axum::extract::State;
use http::HeaderMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::jobs::{Job, Task};
use shared::db::{StoreError, Stored, Write};
use shared::endpoint_error;
use shared::http::access::{self, PublicToPeople};
use shared::http::body::{JsonBody, enum_from_string};
use shared::http::description::Description;
use shared::http::endpoint_error::Invalid;
use shared::http::reply::{Data, WithCookies};
use shared::team::model::browser;
use shared::team::model::challenge::{Challenge, ChallengePurpose};
use shared::team::model::team::User;
use shared::team::rows::sessions::{Session, Token};
use shared::values::ids::{ChallengeId, UserId};
use utoipa::ToSchema;

use crate::session::browser::{session_cookie, user_agent};
use crate::session::device::Device;
use crate::session::{self, SessionView};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SignIn {
    /// The `challengeId` of the response to the request for the code.
    challenge_id: ChallengeId,
    /// As e-mailed. Case, spaces and dashes do not matter.
    code: String,
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
    headers: HeaderMap,
    JsonBody(body): JsonBody<SignIn>,
) -> Result<WithCookies<Data<NewSession>>, SignInError> {
    let challenge = proven_challenge(&app, &body.challenge_id, &body.code).await?;
    if challenge.purpose != ChallengePurpose::SignIn {
        return Err(CodeError::NotValid.into());
    }
    let signed_in = open_session(&app, &headers, challenge).await?;
    let view = session::view_of_token(&app, &signed_in.token).await?;
    let (token, cookie) = match body.transport {
        Transport::Bearer => (Some(signed_in.token.expose().to_owned()), None),
        Transport::Cookie => (None, session_cookie(&signed_in.token)),
    };
    let cookies = [cookie, signed_in.device.set_cookie()];
    Ok(WithCookies::new(cookies, Data(NewSession { session: view, token })))
}

struct OpenedSession {
    token: Token,
    device: Device,
}

/// Uses the challenge up, and opens the session in the same transaction: however many requests have the right code, one of
/// them gets a session. An address without a user becomes one.
async fn open_session(app: &App, headers: &HeaderMap, challenge: Stored<Challenge>) -> Result<OpenedSession, CodeError> {
    let key = app.code_key().await?;
    let now = app.clock.now();
    let user_agent = user_agent(headers);
    let previous = access::cookie_token(headers);
    let mut challenge = challenge;
    let mut attempts = app.store.attempts("a sign-in");
    loop {
        let (user, mut writes) = verified_user(app, &challenge.email, now).await?;
        let known = Device::of_user(headers, &key, &user.id);
        if known.is_none() && user.first_signed_in_at != Some(now) {
            let browser = browser::describe(user_agent.unwrap_or_default());
            let task = Task::NewDeviceMail { user_id: user.id.clone(), browser };
            writes.push(Write::create(&Job::new(None, task, now, &app.random))?);
        }
        let token = Token::issue(app.random.bytes(), &user);
        writes.push(Write::create(&Session::new(&user, &token, user_agent, now))?);
        writes.push(Write::delete(&challenge)?);
        if let Some(previous) = &previous
            && let Some(session) = app.store.session(previous).await?
        {
            writes.push(Write::delete(&session)?);
        }
        if attempts.committed(app.store.commit(writes).await).await? {
            let device = known.unwrap_or_else(|| Device::new(app, &key, &user.id));
            return Ok(OpenedSession { token, device });
        }
        // Another attempt at the code changes the challenge, but does not use it up.
        let unused = app.store.challenge(&challenge.id).await?;
        challenge = unused.filter(|challenge| challenge.expires_at > now).ok_or(CodeError::NotValid)?;
    }
}

/// The user with an address, which a code has just verified, and what has to be written for that.
async fn verified_user(app: &App, email: &str, now: Timestamp) -> Result<(User, Vec<Write>), StoreError> {
    let Some(known) = app.store.user_by_email(email).await? else {
        let id = UserId::new(app.random.uuid(now).to_string());
        let user = User { email_verified: true, first_signed_in_at: Some(now), ..User::new(id, email) };
        let writes = app.store.new_user(&user)?;
        return Ok((user, writes));
    };
    let user = User { email_verified: true, first_signed_in_at: known.first_signed_in_at.or(Some(now)), ..known.value.clone() };
    let write = if user == known.value { Write::require_unchanged(&known)? } else { Write::replace(&known, &user)? };
    Ok((user, vec![write]))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "signIn",
        "Sign in",
        "Exchanges a mailed code for a session of 12 hours. If the request has a session cookie, that session ends. An address \
         without an account gets one. The user is notified by e-mail of a sign-in with a new browser.",
    )
    .body::<SignIn>(json!({"challengeId": "5f0c6f7c4b1d4c0f9a3d2e1b0a998877", "code": "ABCD-EFGH"}))
    .success("The session.", session::example())
}
