//! Receivers of webhooks on this machine: stand-ins for the systems of merchants. Each keeps its latest messages, and says of them
//! whether their signature is right.

#![expect(clippy::option_option, reason = "null removes a value, a missing field leaves it")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::Sha256;
use thiserror::Error;

const MAX_MESSAGES: usize = 100;
const MAX_RECEIVERS: usize = 50;
const MAX_NAME_LENGTH: usize = 40;
const MAX_DELAY_MILLISECONDS: u64 = 60_000;
/// The largest difference between the time of a signature and that of its arrival.
const TOLERANCE_SECONDS: i64 = 300;

#[derive(Debug, Error)]
pub(crate) enum ReceiverError {
    #[error("name: must have 1 to {MAX_NAME_LENGTH} lower-case letters, digits and hyphens")]
    Name,
    #[error("there are {MAX_RECEIVERS} receivers: use one of them, or restart the local system")]
    TooMany,
    #[error("secret: must be whsec_ and the key in base64")]
    Secret,
    #[error("status: must be 200 to 599")]
    Status,
    #[error("delayMilliseconds: must be at most {MAX_DELAY_MILLISECONDS}")]
    Delay,
}

/// What a receiver is told to do. What is missing stays as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Settings {
    /// The secret of an endpoint. Null forgets it.
    #[serde(default, deserialize_with = "given")]
    secret: Option<Option<String>>,
    status: Option<u16>,
    delay_milliseconds: Option<u64>,
}

/// Tells null from a missing field.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    received_at: Timestamp,
    headers: BTreeMap<String, String>,
    body: String,
    /// Whether a signature is by the secret. `None` without a secret.
    verified: Option<bool>,
    /// The status that it was answered with.
    status: u16,
}

#[derive(Debug, Default)]
struct Receiver {
    key: Option<Vec<u8>>,
    answer: Answer,
    messages: VecDeque<Message>,
}

/// How a receiver answers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) delay: Duration,
}

impl Default for Answer {
    fn default() -> Self {
        Self { status: StatusCode::NO_CONTENT, delay: Duration::ZERO }
    }
}

/// A receiver as it is shown.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Shown {
    has_secret: bool,
    status: u16,
    delay_milliseconds: u128,
    /// Oldest first.
    messages: Vec<Message>,
}

/// Clones share the receivers.
#[derive(Debug, Clone, Default)]
pub(crate) struct WebhookReceivers {
    by_name: Arc<Mutex<BTreeMap<String, Receiver>>>,
}

impl WebhookReceivers {
    /// Keeps a message, and returns how it is answered.
    pub(crate) fn receive(&self, name: &str, headers: &HeaderMap, body: &Bytes, now: Timestamp) -> Result<Answer, ReceiverError> {
        self.with(name, |receiver| {
            if receiver.messages.len() == MAX_MESSAGES {
                receiver.messages.pop_front();
            }
            let mut message = Message {
                received_at: now,
                headers: text_of(headers),
                body: String::from_utf8_lossy(body).into_owned(),
                verified: None,
                status: receiver.answer.status.as_u16(),
            };
            message.verified = receiver.key.as_deref().map(|key| is_signed(&message, key));
            receiver.messages.push_back(message);
            receiver.answer
        })
    }

    pub(crate) fn set(&self, name: &str, settings: &Settings) -> Result<(), ReceiverError> {
        let key = settings.secret.as_ref().map(|secret| secret.as_deref().map(parse_secret).transpose()).transpose()?;
        let status = settings.status.map(parse_status).transpose()?;
        if settings.delay_milliseconds.is_some_and(|delay| delay > MAX_DELAY_MILLISECONDS) {
            return Err(ReceiverError::Delay);
        }
        self.with(name, |receiver| {
            if let Some(key) = key {
                receiver.key = key;
                receiver.verify_earlier_messages();
            }
            let Answer { status: present, delay } = receiver.answer;
            receiver.answer = Answer {
                status: status.unwrap_or(present),
                delay: settings.delay_milliseconds.map_or(delay, Duration::from_millis),
            };
        })
    }

    pub(crate) fn show(&self, name: &str) -> Result<Shown, ReceiverError> {
        check_name(name)?;
        let receivers = self.lock();
        let unused = Receiver::default();
        let Receiver { key, answer, messages } = receivers.get(name).unwrap_or(&unused);
        Ok(Shown {
            has_secret: key.is_some(),
            status: answer.status.as_u16(),
            delay_milliseconds: answer.delay.as_millis(),
            messages: messages.iter().cloned().collect(),
        })
    }

    /// Forgets its messages, its secret and how it answers.
    pub(crate) fn reset(&self, name: &str) {
        self.lock().remove(name);
    }

    fn with<T>(&self, name: &str, act: impl FnOnce(&mut Receiver) -> T) -> Result<T, ReceiverError> {
        check_name(name)?;
        let mut receivers = self.lock();
        if !receivers.contains_key(name) && receivers.len() == MAX_RECEIVERS {
            return Err(ReceiverError::TooMany);
        }
        Ok(act(receivers.entry(name.to_owned()).or_default()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Receiver>> {
        self.by_name.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receiver {
    /// A secret is often entered after the first message. What an earlier secret has signed stays verified.
    fn verify_earlier_messages(&mut self) {
        let Some(key) = &self.key else { return };
        for message in self.messages.iter_mut().filter(|message| message.verified != Some(true)) {
            message.verified = Some(is_signed(message, key));
        }
    }
}

fn check_name(name: &str) -> Result<(), ReceiverError> {
    let is_valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=MAX_NAME_LENGTH).contains(&name.len()) && name.bytes().all(is_valid) { Ok(()) } else { Err(ReceiverError::Name) }
}

fn parse_secret(secret: &str) -> Result<Vec<u8>, ReceiverError> {
    let key = secret.trim().strip_prefix("whsec_").and_then(|key| BASE64_STANDARD.decode(key).ok());
    key.filter(|key| !key.is_empty()).ok_or(ReceiverError::Secret)
}

/// Statuses below 200 are no answers.
fn parse_status(status: u16) -> Result<StatusCode, ReceiverError> {
    let status = StatusCode::from_u16(status).ok().filter(|status| (200..600).contains(&status.as_u16()));
    status.ok_or(ReceiverError::Status)
}

fn text_of(headers: &HeaderMap) -> BTreeMap<String, String> {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect()
}

/// Whether one of the signatures is by the key, and was made lately: the rules of Standard Webhooks 1.0.
fn is_signed(message: &Message, key: &[u8]) -> bool {
    let header = |name: &str| message.headers.get(name).map(String::as_str).unwrap_or_default();
    let Ok(time) = header("webhook-timestamp").parse::<i64>() else { return false };
    if message.received_at.as_second().abs_diff(time) > TOLERANCE_SECONDS.unsigned_abs() {
        return false;
    }
    let signed = format!("{}.{time}.{}", header("webhook-id"), message.body);
    header("webhook-signature").split(' ').any(|signature| {
        let signature = signature.strip_prefix("v1,").and_then(|text| BASE64_STANDARD.decode(text).ok());
        let mac = Hmac::<Sha256>::new_from_slice(key).map(|mac| mac.chain_update(&signed)).ok();
        signature.zip(mac).is_some_and(|(signature, mac)| mac.verify_slice(&signature).is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the libraries of Standard Webhooks.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    const TIME: i64 = 1_614_265_330;

    fn receive(receivers: &WebhookReceivers, signature: &str, second: i64) -> Answer {
        let mut headers = HeaderMap::new();
        headers.insert("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek".parse().unwrap());
        headers.insert("webhook-timestamp", TIME.into());
        headers.insert("webhook-signature", signature.parse().unwrap());
        let body = Bytes::from_static(b"{\"test\": 2432232314}");
        receivers.receive("a", &headers, &body, Timestamp::from_second(second).unwrap()).unwrap()
    }

    fn settings(json: &str) -> Settings {
        serde_json::from_str(json).unwrap()
    }

    fn verified(receivers: &WebhookReceivers) -> Vec<Option<bool>> {
        receivers.show("a").unwrap().messages.iter().map(|message| message.verified).collect()
    }

    #[test]
    fn tells_whether_a_message_is_signed() {
        let receivers = WebhookReceivers::default();
        receive(&receivers, SIGNATURE, TIME);
        assert_eq!(verified(&receivers), [None]);
        receivers.set("a", &settings(&format!(r#"{{"secret": "{SECRET}"}}"#))).unwrap();
        assert_eq!(verified(&receivers), [Some(true)], "also what has arrived before the secret was set");
        receive(&receivers, &format!("v1,AAAA {SIGNATURE}"), TIME + 300);
        receive(&receivers, SIGNATURE, TIME + 301);
        receive(&receivers, "v1,AAAA", TIME);
        receive(&receivers, SIGNATURE.strip_prefix("v1,").unwrap(), TIME);
        assert_eq!(verified(&receivers), [Some(true), Some(true), Some(false), Some(false), Some(false)]);
        receivers.set("a", &settings(r#"{"secret": null}"#)).unwrap();
        receive(&receivers, SIGNATURE, TIME);
        assert_eq!(verified(&receivers).last(), Some(&None));
    }

    #[test]
    fn answers_as_it_is_told_to() {
        let receivers = WebhookReceivers::default();
        assert_eq!(receive(&receivers, "", TIME).status, 204);
        receivers.set("a", &settings(r#"{"status": 503, "delayMilliseconds": 20}"#)).unwrap();
        receivers.set("a", &settings("{}")).unwrap();
        let answer = receive(&receivers, "", TIME);
        assert_eq!((answer.status.as_u16(), answer.delay), (503, Duration::from_millis(20)));
        receivers.reset("a");
        assert_eq!(receive(&receivers, "", TIME).status, 204);
    }

    #[test]
    fn is_bounded() {
        let receivers = WebhookReceivers::default();
        for _ in 0..=MAX_MESSAGES {
            receive(&receivers, "", TIME);
        }
        assert_eq!(receivers.show("a").unwrap().messages.len(), MAX_MESSAGES);
        for number in 1..MAX_RECEIVERS {
            receivers.set(&format!("r-{number}"), &Settings::default()).unwrap();
        }
        assert!(matches!(receivers.set("another", &Settings::default()), Err(ReceiverError::TooMany)));
        receivers.set("a", &Settings::default()).unwrap();
    }

    #[test]
    fn refuses_what_is_invalid() {
        let receivers = WebhookReceivers::default();
        for json in [
            r#"{"secret": "MfKQ9r8G"}"#,
            r#"{"secret": "whsec_"}"#,
            r#"{"secret": "whsec_?"}"#,
            r#"{"status": 100}"#,
            r#"{"status": 600}"#,
            r#"{"delayMilliseconds": 60001}"#,
        ] {
            assert!(receivers.set("a", &settings(json)).is_err(), "{json}");
        }
        let long = "a".repeat(MAX_NAME_LENGTH + 1);
        for name in ["", "A", "a/b", "ä", &long] {
            assert!(receivers.show(name).is_err(), "{name}");
        }
    }
}
