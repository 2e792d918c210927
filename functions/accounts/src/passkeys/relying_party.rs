//! What the library that verifies passkeys is told, and what becomes of its answers.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::base::settings::Settings;
use shared::db::Stored;
use shared::http::General;
use shared::team::model::passkey::{CHALLENGE_LIFETIME, Passkey, PasskeyHandle};
use shared::team::model::team::User;
use url::Url;
use webauthn_rs_core::WebauthnCore;
use webauthn_rs_core::error::WebauthnError;
use webauthn_rs_core::proto::{
    AuthenticationState, CollectedClientData, Credential, PublicKeyCredential, RegisterPublicKeyCredential, RegistrationState,
    UserVerificationPolicy,
};

/// Shown by browsers and authenticators.
const NAME: &str = "Merchant portal";
const ANY_PORT: &str = ":*";

/// The portal, as authenticators know it.
pub(crate) struct RelyingParty<'a> {
    id: &'a str,
    core: WebauthnCore,
}

/// How an authenticator answers a challenge to sign in.
pub(crate) struct Answer {
    credential: PublicKeyCredential,
    client_data: CollectedClientData,
    pub(crate) handle: PasskeyHandle,
}

pub(crate) struct MadePasskey {
    pub(crate) credential: String,
    pub(crate) backed_up: bool,
}

/// What a signature shows.
pub(crate) enum Verdict {
    /// It is the passkey's. As it is now.
    Good {
        credential: String,
        backed_up: bool,
    },
    /// It is the passkey's, but its counter did not grow: there may be a copy of it.
    Copied,
    Bad,
}

impl<'a> RelyingParty<'a> {
    /// Pages of the dashboard on the relying party's host, or below it, can use its passkeys.
    pub(crate) fn new(settings: &'a Settings) -> Self {
        let id = settings.passkey_rp_id.as_str();
        let own = [&settings.portal_base_url, &settings.dashboard_base_url];
        let origins: Vec<&String> = own.into_iter().chain(&settings.dashboard_origins).collect();
        let any_port = origins.iter().any(|origin| origin.ends_with(ANY_PORT));
        let urls = origins.iter().filter_map(|origin| Url::parse(origin.trim_end_matches(ANY_PORT)).ok());
        let urls = urls.filter(|url| url.host_str().is_some_and(|host| is_within(host, id))).collect();
        let timeout = Duration::from_secs(CHALLENGE_LIFETIME.as_secs().unsigned_abs());
        Self { id, core: WebauthnCore::new_unsafe_experts_only(NAME, id, urls, timeout, Some(false), Some(any_port)) }
    }

    /// What a page needs to make a passkey, and what is needed to verify it then.
    pub(crate) fn creation(
        &self,
        user: &User,
        handle: &PasskeyHandle,
        known: &[Stored<Passkey>],
    ) -> Result<(Value, String), General> {
        let excluded = known.iter().filter_map(|passkey| BASE64.decode(&passkey.credential_id).ok());
        let builder = self
            .core
            .new_challenge_register_builder(&handle.to_bytes(), &user.email, &user.display_name())
            .map_err(unexpected)?
            .require_resident_key(true)
            .user_verification_policy(UserVerificationPolicy::Required)
            .exclude_credentials(Some(excluded.collect()));
        let (options, state) = self.core.generate_challenge_register(builder).map_err(unexpected)?;
        let options = serde_json::to_value(options.public_key).map_err(unexpected)?;
        Ok((options, serde_json::to_string(&state).map_err(unexpected)?))
    }

    /// `None` if it was not made for this challenge, here, by a user whom the authenticator has verified.
    pub(crate) fn made(&self, credential: &NewCredential, state: &str) -> Result<Option<MadePasskey>, General> {
        let state: RegistrationState = serde_json::from_str(state).map_err(unexpected)?;
        match self.core.register_credential(&credential.0, &state, None) {
            Ok(made) => {
                let backed_up = made.backup_state;
                Ok(Some(MadePasskey { credential: serde_json::to_string(&made).map_err(unexpected)?, backed_up }))
            }
            Err(error) => {
                tracing::info!(%error, "a passkey was not made as it should");
                Ok(None)
            }
        }
    }

    /// What a page needs to sign in: no list of passkeys, which would tell who has some.
    pub(crate) fn request(&self, challenge: &[u8]) -> Value {
        json!({
            "challenge": BASE64.encode(challenge), "rpId": self.id, "userVerification": "required",
            "timeout": CHALLENGE_LIFETIME.as_millis(),
        })
    }

    pub(crate) fn verify(&self, answer: &Answer, challenge: &[u8], passkey: &Passkey) -> Result<Verdict, General> {
        // The library makes challenges itself; ours follows from its id, so that nothing is stored when a page asks for it.
        let state = json!({
            "credentials": [], "policy": "required", "challenge": BASE64.encode(challenge), "appid": null,
            "allow_backup_eligible_upgrade": false,
        });
        let state: AuthenticationState = serde_json::from_value(state).map_err(unexpected)?;
        let mut known: Credential = serde_json::from_str(&passkey.credential).map_err(unexpected)?;
        match self.core.authenticate_single_credential(&answer.credential, &state, &known) {
            Ok(result) => {
                known.counter = result.counter();
                known.backup_state = result.backup_state();
                let credential = serde_json::to_string(&known).map_err(unexpected)?;
                Ok(Verdict::Good { credential, backed_up: result.backup_state() })
            }
            Err(WebauthnError::CredentialPossibleCompromise) => Ok(Verdict::Copied),
            Err(error) => {
                tracing::info!(%error, "a passkey was refused");
                Ok(Verdict::Bad)
            }
        }
    }
}

/// A passkey that is to be added, as `navigator.credentials.create` returns it.
pub(crate) struct NewCredential(RegisterPublicKeyCredential);

impl NewCredential {
    /// `None` for anything else.
    pub(crate) fn parse(credential: &Value) -> Option<Self> {
        RegisterPublicKeyCredential::deserialize(credential).ok().map(Self)
    }

    /// In base64url.
    pub(crate) fn id(&self) -> String {
        BASE64.encode(&self.0.raw_id)
    }
}

impl Answer {
    /// As `navigator.credentials.get` returns it. `None` for anything else.
    pub(crate) fn parse(credential: &Value) -> Option<Self> {
        let credential = PublicKeyCredential::deserialize(credential).ok()?;
        let client_data = serde_json::from_slice(&credential.response.client_data_json).ok()?;
        let handle = PasskeyHandle::of(credential.response.user_handle.as_deref()?)?;
        Some(Self { credential, client_data, handle })
    }

    /// Whether a page of ours, and no frame in a page of others, was given this challenge. The library does not look at frames.
    pub(crate) fn is_for(&self, challenge: &[u8]) -> bool {
        self.client_data.challenge == challenge && self.client_data.cross_origin != Some(true)
    }

    /// The authenticator's id of the passkey, in base64url.
    pub(crate) fn credential_id(&self) -> String {
        BASE64.encode(&self.credential.raw_id)
    }
}

fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn unexpected(error: impl std::fmt::Display) -> General {
    General::internal(format!("passkeys: {error}"))
}
