//! Signing secrets, as Standard Webhooks 1.0 has them: `whsec_` and the key in base64.
//!
//! The table has them encrypted, by a key that follows from the key of codes. Each is bound to its endpoint, so that a row that
//! was copied to another one does not sign.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::Sha256;
use thiserror::Error;

use crate::base::random::Random;
use crate::team::model::code::CodeKey;
use crate::values::{MerchantId, WebhookEndpointId};
use crate::webhooks::model::SealedSecret;

const PREFIX: &str = "whsec_";
const KEY_LENGTH: usize = 32;

/// The stored secret cannot be decrypted: the key has been replaced, or the row was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the secret of an endpoint cannot be decrypted")]
pub struct SecretError;

/// `Debug` redacts it.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningSecret([u8; KEY_LENGTH]);

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(…)")
    }
}

impl SigningSecret {
    pub fn new(random: &Random) -> Self {
        Self(random.bytes())
    }

    /// As the merchant sees it, once.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    /// The signature of a message: `v1,` and the base64 of the HMAC of id, time and body.
    pub fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        // A key of any length is valid.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return String::new() };
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }

    /// Encrypts it for the row of its endpoint.
    pub fn seal(
        &self,
        key: &CodeKey,
        merchant: &MerchantId,
        endpoint: &WebhookEndpointId,
        random: &Random,
    ) -> Result<SealedSecret, SecretError> {
        let nonce: [u8; NONCE_LEN] = random.bytes();
        let mut sealed = self.0.to_vec();
        let aad = Aad::from(owner(merchant, endpoint));
        let key = sealing_key(key)?;
        key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed).map_err(|_| SecretError)?;
        Ok(SealedSecret(STANDARD.encode([&nonce[..], &sealed].concat())))
    }

    pub fn open(
        sealed: &SealedSecret,
        key: &CodeKey,
        merchant: &MerchantId,
        endpoint: &WebhookEndpointId,
    ) -> Result<Self, SecretError> {
        let bytes = STANDARD.decode(&sealed.0).map_err(|_| SecretError)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LEN>().ok_or(SecretError)?;
        let mut opened = sealed.to_vec();
        let aad = Aad::from(owner(merchant, endpoint));
        let key = sealing_key(key)?;
        let opened = key.open_in_place(Nonce::assume_unique_for_key(*nonce), aad, &mut opened).map_err(|_| SecretError)?;
        opened.try_into().map(Self).map_err(|_| SecretError)
    }
}

/// Authenticated with the secret. The length keeps ids apart, whatever they contain.
fn owner(merchant: &MerchantId, endpoint: &WebhookEndpointId) -> Vec<u8> {
    format!("{}:{merchant}{endpoint}", merchant.as_str().len()).into_bytes()
}

fn sealing_key(key: &CodeKey) -> Result<LessSafeKey, SecretError> {
    UnboundKey::new(&AES_256_GCM, &key.webhook_key()).map(LessSafeKey::new).map_err(|_| SecretError)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> CodeKey {
        serde_json::from_value(serde_json::json!({"key": text.repeat(32)})).unwrap()
    }

    #[test]
    fn signs_as_the_example_of_standard_webhooks() {
        // The test vector of its reference libraries.
        let bytes: Vec<u8> = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&bytes).unwrap();
        mac.update(b"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}");
        assert_eq!(STANDARD.encode(mac.finalize().into_bytes()), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let secret = SigningSecret([7; KEY_LENGTH]);
        let mut mac = Hmac::<Sha256>::new_from_slice(&[7; KEY_LENGTH]).unwrap();
        mac.update(b"msg_1.1614265330.{}");
        assert_eq!(secret.sign("msg_1", 1_614_265_330, "{}"), format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())));
        assert_eq!(secret.expose(), "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
    }

    #[test]
    fn a_sealed_secret_opens_for_its_endpoint_and_key_alone() {
        let random = Random::system();
        let (merchant, endpoint) = (MerchantId::new("m"), WebhookEndpointId::new("e"));
        let secret = SigningSecret::new(&random);
        let sealed = secret.seal(&key("a"), &merchant, &endpoint, &random).unwrap();
        let open = |sealed: &SealedSecret, key: &CodeKey, merchant: &str, endpoint: &str| {
            SigningSecret::open(sealed, key, &MerchantId::new(merchant), &WebhookEndpointId::new(endpoint))
        };
        assert_eq!(open(&sealed, &key("a"), "m", "e"), Ok(secret.clone()));
        for (key, merchant, endpoint) in [("b", "m", "e"), ("a", "n", "e"), ("a", "m", "f"), ("a", "me", "")] {
            assert_eq!(open(&sealed, &self::key(key), merchant, endpoint), Err(SecretError), "{key} {merchant} {endpoint}");
        }
        for broken in ["", "AAAA", "no base64", &sealed.0[..sealed.0.len() - 8]] {
            assert_eq!(open(&SealedSecret(broken.to_owned()), &key("a"), "m", "e"), Err(SecretError), "{broken}");
        }
        assert_ne!(secret.seal(&key("a"), &merchant, &endpoint, &random).unwrap(), sealed, "a nonce is used once");
        assert!(!sealed.0.contains(&STANDARD.encode(secret.0)));
    }
}
