//! `POST /api/auth/passkeys/challenge`: what a page needs to sign in with a passkey.

use axum::extract::State;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::http::{Data, Description, General, PublicToPeople};
use shared::team::model::passkey::CHALLENGE_LIFETIME;
use shared::values::ChallengeId;
use utoipa::ToSchema;

use super::relying_party::RelyingParty;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PasskeyChallenge {
    /// To be sent with the passkey's answer. Good once, within 5 minutes.
    challenge_id: ChallengeId,
    /// For `PublicKeyCredential.parseRequestOptionsFromJSON`, and then `navigator.credentials.get`.
    #[schema(value_type = Object)]
    options: Value,
}

/// The time, and random bytes. The challenge follows from it by a keyed hash: anybody can ask for one, so nothing is stored.
const TIME_BYTES: usize = 8;
const ID_BYTES: usize = TIME_BYTES + 16;

fn new_id(app: &App) -> ChallengeId {
    let time = app.clock.now().as_millisecond().to_be_bytes();
    ChallengeId::new(BASE64.encode([&time[..], &app.random.bytes::<16>()].concat()))
}

/// Whether it is an id of a challenge that is not over. That we have made it is shown by who knows its challenge.
pub(super) fn is_open(id: &ChallengeId, now: Timestamp) -> bool {
    let bytes = BASE64.decode(id.as_str()).ok().filter(|bytes| bytes.len() == ID_BYTES);
    let time = bytes.and_then(|bytes| bytes.first_chunk().copied()).map(i64::from_be_bytes);
    let made_at = time.and_then(|time| Timestamp::from_millisecond(time).ok());
    // The clock of the instance that has made it may be ahead.
    made_at.is_some_and(|made_at| now.duration_since(made_at).abs() < CHALLENGE_LIFETIME)
}

pub(crate) async fn passkey_challenge(_: PublicToPeople, State(app): State<App>) -> Result<Data<PasskeyChallenge>, General> {
    let challenge_id = new_id(&app);
    let challenge = app.code_key().await?.passkey_challenge(challenge_id.as_str());
    Ok(Data(PasskeyChallenge { challenge_id, options: RelyingParty::new(&app.settings).request(&challenge) }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getPasskeyChallenge",
        "Get a challenge for a passkey",
        "Returns a challenge for a sign-in with a passkey, which can be used once, within 5 minutes. The response does not \
         depend on who asks.",
    )
    .success(
        "The challenge.",
        json!({
            "challengeId": "AAABnAAAAABfDGx_SxTwz5o9LhsKmYh3",
            "options": {
                "challenge": "q2m1n0r9s8t7u6v5w4x3y2z1A0B9C8D7E6F5G4H3I2J", "rpId": "portal.example",
                "userVerification": "required", "timeout": 300_000,
            },
        }),
    )
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use shared::values::later;

    use super::*;

    #[test]
    fn a_challenge_is_open_for_five_minutes() {
        let made_at = Timestamp::from_second(1_767_607_200).unwrap();
        let id = |bytes: &[u8]| ChallengeId::new(BASE64.encode(bytes));
        let of = |random: &[u8]| id(&[&made_at.as_millisecond().to_be_bytes()[..], random].concat());
        for (id, after, expected) in [
            (of(&[0; 16]), 0, true),
            (of(&[0; 16]), 299, true),
            (of(&[0; 16]), 300, false),
            (of(&[0; 16]), -1, true),
            (of(&[0; 16]), -300, false),
            (of(&[0; 15]), 0, false),
            (id(&[0xff; 24]), 0, false),
            (ChallengeId::new("no id"), 0, false),
            (ChallengeId::new(""), 0, false),
        ] {
            assert_eq!(is_open(&id, later(made_at, SignedDuration::from_secs(after))), expected, "{id} {after}");
        }
    }
}
