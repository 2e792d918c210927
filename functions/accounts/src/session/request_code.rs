//! `POST /api/auth/code`: mails a one-time code to an address, whether or not it has an account.

use axum::extract::State;
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::counters::Caller;
use shared::db::{Task, Write};
use shared::endpoint_error;
use shared::http::{Accepted, ClientAddress, Description, Invalid, JsonBody, PublicToPeople, preferred_language};
use shared::limits;
use shared::limits::model::{
    SIGN_IN_CODES_OF_ADDRESS, SIGN_IN_CODES_OF_ADDRESS_AND_CLIENT, SIGN_IN_CODES_OF_BROWSER, SIGN_IN_CODES_OF_CLIENT, UsedUp,
};
use shared::team::model::browser::describe as describe_browser;
use shared::team::model::challenge::{Challenge, ChallengePurpose, LIFETIME};
use shared::values::{ChallengeId, later};
use utoipa::ToSchema;

use crate::email::EmailAddress;
use crate::session::browser::user_agent;
use crate::session::device::Device;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeRequest {
    /// The address to mail the code to. It need not have an account.
    email: EmailAddress,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeRequested {
    /// Identifies the code at sign-in: without it, the code cannot be used. Keep it until the user has entered the code.
    challenge_id: ChallengeId,
}

endpoint_error! {
    pub(crate) enum RequestCodeError {
        /// The e-mail address is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "email: must be a valid e-mail address.",
        /// Too many codes were requested.
        TooManyCodes(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "Too many codes were requested. Please try again later.",
    }
}

/// Whether somebody has the address is not even looked up before the response: the mail is a job, for every address alike.
pub(crate) async fn request_code(
    _: PublicToPeople,
    State(app): State<App>,
    client: ClientAddress,
    headers: HeaderMap,
    JsonBody(body): JsonBody<CodeRequest>,
) -> Result<Accepted<CodeRequested>, RequestCodeError> {
    let email = body.email.into_string();
    let device = Device::of_address(&app, &headers, &email).await?;
    admit_code(&app, client, &email, device.as_ref()).await?;
    let challenge = new_challenge(&app, ChallengePurpose::SignIn, email, &headers);
    let task = Task::CodeMail { challenge_id: challenge.id.clone() };
    let job = app.store.enqueue(None, task, challenge.created_at)?;
    app.store.commit(vec![Write::create(&challenge)?, job]).await?;
    Ok(Accepted(CodeRequested { challenge_id: challenge.id }))
}

async fn admit_code(
    app: &App,
    ClientAddress(client): ClientAddress,
    email: &str,
    device: Option<&Device>,
) -> Result<(), RequestCodeError> {
    if let Some(device) = device {
        let own = [(SIGN_IN_CODES_OF_BROWSER, Caller::Device(device.nonce()))];
        if app.store.reserve(&own, 1, app.clock.now()).await?.is_ok() {
            return Ok(());
        }
    }
    let limits = [
        (SIGN_IN_CODES_OF_CLIENT, Caller::Address(client)),
        (SIGN_IN_CODES_OF_ADDRESS_AND_CLIENT, Caller::EmailAt(email, client)),
        (SIGN_IN_CODES_OF_ADDRESS, Caller::Email(email)),
    ];
    limits::count(app, &limits).await
}

/// A new challenge for the owner of an address.
pub(crate) fn new_challenge(app: &App, purpose: ChallengePurpose, email: String, headers: &HeaderMap) -> Challenge {
    let now = app.clock.now();
    Challenge {
        id: ChallengeId::new(hex::encode(app.random.bytes::<16>())),
        purpose,
        email,
        nonce: hex::encode(app.random.bytes::<16>()),
        attempts: 0,
        created_at: now,
        expires_at: later(now, LIFETIME),
        browser: describe_browser(user_agent(headers).unwrap_or_default()),
        language: Some(preferred_language(headers).into()),
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "requestSignInCode",
        "Request a sign-in code",
        "E-mails a code of eight characters, which can be used once, within 10 minutes and 5 attempts. The response is the same \
         for every address. An address without an account gets one when its code is used. Per hour, an address can get 5 codes \
         from one client and 20 in total, and a client can request 60; a browser that has signed in before has a separate \
         allowance of 5.",
    )
    .body::<CodeRequest>(json!({"email": "anna@example.com"}))
    .success("The code will be e-mailed.", json!({"challengeId": "5f0c6f7c4b1d4c0f9a3d2e1b0a998877"}))
}
