//! `POST /api/auth/passkeys/options`: what a page needs to make a passkey.

use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::Write;
use shared::http::{Data, Description, General, RecentUser};
use shared::team::model::passkey::{CHALLENGE_LIFETIME, PasskeyHandle};
use shared::team::rows::passkeys::PasskeyRegistration;
use shared::values::{ChallengeId, later};
use utoipa::ToSchema;

use super::relying_party::RelyingParty;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PasskeyOptions {
    /// To be sent with the new passkey. Good once, within 5 minutes, for this session.
    challenge_id: ChallengeId,
    /// For `PublicKeyCredential.parseCreationOptionsFromJSON`, and then `navigator.credentials.create`.
    #[schema(value_type = Object)]
    options: Value,
}

pub(crate) async fn passkey_options(
    RecentUser(caller): RecentUser,
    State(app): State<App>,
) -> Result<Data<PasskeyOptions>, General> {
    let known = app.store.passkeys_of(&caller.user).await?;
    let handle = caller.user.passkey_handle.clone().unwrap_or_else(|| PasskeyHandle::new(app.random.bytes()));
    let (options, state) = RelyingParty::new(&app.settings).creation(&caller.user, &handle, &known)?;
    let registration = PasskeyRegistration {
        id: ChallengeId::new(hex::encode(app.random.bytes::<16>())),
        session_id: caller.session.details.id.clone(),
        handle,
        state,
        expires_at: later(app.clock.now(), CHALLENGE_LIFETIME),
    };
    app.store.commit(vec![Write::create(&registration)?]).await?;
    Ok(Data(PasskeyOptions { challenge_id: registration.id, options }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getPasskeyOptions",
        "Start to add a passkey",
        "Returns what a browser needs to make a passkey: discoverable, and with user verification. It can be used once, within 5 \
         minutes, in this session.",
    )
    .success(
        "The options.",
        json!({
            "challengeId": "5f0c6f7c4b1d4c0f9a3d2e1b0a998877",
            "options": {
                "rp": {"name": "Merchant portal", "id": "portal.example"},
                "user": {"id": "mZ2k5Qn8Rf2L0wJt7yXc1g", "name": "anna@example.com", "displayName": "Anna Berg"},
                "challenge": "q2m1n0r9s8t7u6v5w4x3y2z1A0B9C8D7E6F5G4H3I2J",
                "pubKeyCredParams": [{"type": "public-key", "alg": -7}, {"type": "public-key", "alg": -257}],
                "timeout": 300_000, "attestation": "none", "excludeCredentials": [],
                "authenticatorSelection": {"residentKey": "required", "requireResidentKey": true, "userVerification": "required"},
            },
        }),
    )
}
