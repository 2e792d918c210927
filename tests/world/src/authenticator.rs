//! An authenticator in software, with the browser around it: makes passkeys and signs with them, and lies where it is told to.

use std::sync::atomic::{AtomicU8, Ordering};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};

use crate::{ApiResponse, Caller, System};

const PASSKEYS: &str = "/api/auth/passkeys";
const CHALLENGE: &str = "/api/auth/passkeys/challenge";

const HAS_CREDENTIAL: u8 = 0x40;

/// A passkey, and what is told of its use.
pub struct Authenticator {
    key: EcdsaKeyPair,
    credential_id: Vec<u8>,
    handle: String,
    /// 0 for an authenticator without a counter.
    pub counter: u32,
    /// What it says of the user and of itself.
    pub flags: u8,
    /// Of the page.
    pub origin: String,
    pub in_frame_of_others: bool,
    /// What it signs for, in place of what the page asks.
    pub rp_id: Option<String>,
    pub signs_type: Option<&'static str>,
}

impl Authenticator {
    pub const USER_PRESENT: u8 = 0x01;
    pub const USER_VERIFIED: u8 = 0x04;
    /// That it is a copy, and may be one.
    pub const BACKED_UP: u8 = 0x18;

    /// At a page of this origin.
    pub fn at(origin: &str) -> Self {
        static MADE: AtomicU8 = AtomicU8::new(0);
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random).unwrap();
        Self {
            key,
            credential_id: vec![MADE.fetch_add(1, Ordering::Relaxed); 16],
            handle: String::new(),
            counter: 0,
            flags: Self::USER_PRESENT | Self::USER_VERIFIED,
            origin: origin.to_owned(),
            in_frame_of_others: false,
            rp_id: None,
            signs_type: None,
        }
    }

    /// At a page of the dashboard.
    pub async fn of(system: &System) -> Self {
        let challenge = system.anonymous().post(CHALLENGE, &json!({})).await;
        Self::at(&format!("http://{}:8081", challenge.text("/data/options/rpId")))
    }

    /// Adds its passkey to the caller's, and returns the id.
    pub async fn add(&mut self, caller: &Caller, name: &str) -> String {
        let options = caller.post(&format!("{PASSKEYS}/options"), &json!({})).await.ok();
        let credential = self.make(options.at("/data/options"));
        let body = json!({"challengeId": options.at("/data/challengeId"), "name": name, "credential": credential});
        let added = caller.post(PASSKEYS, &body).await;
        assert_eq!(added.status, 201, "{added:?}");
        added.text("/data/id")
    }

    /// Signs in as a program does.
    pub async fn sign_in(&mut self, system: &System) -> ApiResponse {
        let challenge = system.anonymous().post(CHALLENGE, &json!({})).await.ok();
        let credential = self.sign(challenge.at("/data/options"));
        let challenge_id = challenge.at("/data/challengeId");
        let body = json!({"challengeId": challenge_id, "credential": credential, "transport": "bearer"});
        system.anonymous().post("/api/auth/session", &body).await
    }

    /// The answer to `navigator.credentials.create`, as JSON.
    pub fn make(&mut self, options: &Value) -> Value {
        options["user"]["id"].as_str().unwrap().clone_into(&mut self.handle);
        let client_data = self.client_data("webauthn.create", &options["challenge"]);
        let mut data = self.data(options["rp"]["id"].as_str().unwrap(), HAS_CREDENTIAL);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.credential_id.len()).unwrap().to_be_bytes());
        data.extend(&self.credential_id);
        data.extend(self.public_key());
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(data);
        self.credential(json!({"clientDataJSON": BASE64.encode(client_data), "attestationObject": BASE64.encode(attestation)}))
    }

    /// The answer to `navigator.credentials.get`, as JSON.
    pub fn sign(&mut self, options: &Value) -> Value {
        if self.counter > 0 {
            self.counter += 1;
        }
        let client_data = self.client_data("webauthn.get", &options["challenge"]);
        let data = self.data(options["rpId"].as_str().unwrap(), 0);
        let signed = [&data[..], digest(&SHA256, client_data.as_bytes()).as_ref()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        self.credential(json!({
            "clientDataJSON": BASE64.encode(client_data), "authenticatorData": BASE64.encode(data),
            "signature": BASE64.encode(signature), "userHandle": self.handle,
        }))
    }

    fn credential(&self, response: Value) -> Value {
        let id = BASE64.encode(&self.credential_id);
        json!({"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": {}})
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> String {
        let kind = self.signs_type.unwrap_or(kind);
        json!({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": self.in_frame_of_others}).to_string()
    }

    fn data(&self, rp_id: &str, more: u8) -> Vec<u8> {
        let rp_id = self.rp_id.as_deref().unwrap_or(rp_id);
        [digest(&SHA256, rp_id.as_bytes()).as_ref(), &[self.flags | more], &self.counter.to_be_bytes()[..]].concat()
    }

    /// In COSE: an elliptic curve key for ES256.
    fn public_key(&self) -> Vec<u8> {
        let (x, y) = self.key.public_key().as_ref()[1..].split_at(32);
        [&b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20"[..], x, b"\x22\x58\x20", y].concat()
    }
}
