//! `Idempotency-Key`: the operation that a key belongs to, and its status.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::key_row::{KeyRow, Use};
use super::operation::{Operation, OperationKind};
use super::recover::{OperationStatus, recover};
use crate::app::App;
use crate::base::invocation::Invocation;
use crate::card_network::Outcome;
use crate::db::keys::{self, Key};
use crate::db::model::restore::Restores;
use crate::db::{Store, StoreError, Stored, from_item, item_key};
use crate::values::{Decimal, MerchantId, Reference, later};

/// How long a closed operation answers repeats of its request. An open one answers them in any case.
const REPLAYED_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);

/// A key of a merchant and a kind of operation.
#[derive(Debug)]
pub struct ScopedKey {
    pub(super) row_key: Key,
    /// When the client made the request for the first time, as far as it says so.
    made_at: Option<Timestamp>,
}

/// The key of a request, with the fingerprint of its body.
#[derive(Debug)]
pub struct IdempotencyKey {
    key: ScopedKey,
    fingerprint: String,
}

/// An operation that was begun by an earlier request with the same key.
#[derive(Debug)]
pub struct EarlierRequest {
    pub operation: Operation,
    pub(super) status: OperationStatus,
    /// Whether the key is closed: nothing else begins under it, even if the operation fails.
    pub(super) key_is_closed: bool,
}

#[derive(Debug, Error)]
pub enum IdempotencyError {
    /// The key was used with another body.
    #[error("the idempotency key was used with another request")]
    Reused,
    /// The first request is still being processed.
    #[error("the first request with this idempotency key is in progress")]
    InProgress,
    /// The key was closed before an operation was begun under it.
    #[error("the idempotency key was closed")]
    Cancelled,
    /// The operation of the key was closed too long ago to be replayed.
    #[error("the idempotency key has expired")]
    Expired { has_succeeded: bool },
    /// It may have been used in a span of time that a restore has lost.
    #[error("the idempotency key may have been used before a restore")]
    Restored,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ScopedKey {
    pub fn new(merchant: &MerchantId, kind: OperationKind, key: &str, made_at: Option<Timestamp>) -> Self {
        Self { row_key: keys::idempotency(merchant, kind.name(), key), made_at }
    }

    /// The row of the key, and whether the request was made in a span of time that the table has lost. One round trip.
    pub(super) async fn read(&self, store: &Store) -> Result<(Option<Stored<KeyRow>>, bool), StoreError> {
        let Some(made_at) = self.made_at else { return Ok((store.get(&self.row_key).await?, false)) };
        let (mut row, mut is_lost) = (None, false);
        for item in store.get_items(&[self.row_key.clone(), keys::restores()]).await? {
            if item_key(&item).as_ref() == Some(&self.row_key) {
                row = Some(from_item(item)?);
            } else {
                is_lost = from_item::<Restores>(item)?.contain(made_at);
            }
        }
        Ok((row, is_lost))
    }
}

impl IdempotencyKey {
    pub fn new(key: ScopedKey, body: &[u8]) -> Self {
        Self { key, fingerprint: fingerprint(body) }
    }

    /// The earlier request with this key, if there is one. Its operation is recovered if it is still open.
    pub(super) async fn earlier_request(
        &self,
        app: &App,
        invocation: &Invocation,
    ) -> Result<Option<EarlierRequest>, IdempotencyError> {
        self.find_earlier_request(app, invocation).await.inspect_err(|error| {
            if matches!(error, IdempotencyError::Restored) {
                app.metrics.record_refusal_after_restore();
            }
        })
    }

    async fn find_earlier_request(&self, app: &App, invocation: &Invocation) -> Result<Option<EarlierRequest>, IdempotencyError> {
        let (row, is_lost) = self.key.read(&app.store).await?;
        let earlier = match row {
            Some(row) => self.request_of(app, invocation, &row).await?,
            None => None,
        };
        if earlier.is_none() && is_lost {
            return Err(IdempotencyError::Restored);
        }
        Ok(earlier)
    }

    /// The earlier request with this key, unless the key is free again.
    async fn request_of(
        &self,
        app: &App,
        invocation: &Invocation,
        row: &KeyRow,
    ) -> Result<Option<EarlierRequest>, IdempotencyError> {
        let now = app.clock.now();
        let key_is_closed = row.is_closed();
        let Some(used) = &row.used else {
            return if row.has_expired(now) { Ok(None) } else { Err(IdempotencyError::Cancelled) };
        };
        let operation = app.store.operation(&used.reference, now).await?;
        // The key of an open operation does not expire: another sale under it could be the second one.
        let is_open = operation.as_ref().is_some_and(|operation| operation.outcome().is_none());
        if !is_open && row.has_expired(now) {
            return Ok(None);
        }
        // The key was carried over by a restore, from a table that had the operation.
        let operation = operation.ok_or(IdempotencyError::Restored)?;
        if operation.frees_its_key() && !key_is_closed {
            return Ok(None);
        }
        if used.fingerprint != self.fingerprint {
            return Err(IdempotencyError::Reused);
        }
        if !operation.answers_repeats(now) {
            let has_succeeded = matches!(operation.outcome(), Some(Outcome::Succeeded(_)));
            return Err(IdempotencyError::Expired { has_succeeded });
        }
        match recover(app, invocation, operation.clone()).await? {
            Some(status) => Ok(Some(EarlierRequest { operation: operation.value, status, key_is_closed })),
            None => Err(IdempotencyError::InProgress),
        }
    }

    /// The row that assigns the key to an operation.
    pub(super) fn used_for(&self, reference: Reference, now: Timestamp) -> KeyRow {
        let used = Use { fingerprint: self.fingerprint.clone(), reference };
        KeyRow::used(self.key.row_key.clone(), used, now)
    }
}

impl Operation {
    /// Whether a repeat of its request is answered with its outcome.
    pub fn answers_repeats(&self, now: Timestamp) -> bool {
        self.closed_at.is_none_or(|closed_at| now < later(closed_at, REPLAYED_FOR))
    }
}

/// A hash of the body's JSON value. White space, the order of fields and the spelling of numbers are ignored.
pub fn fingerprint(body: &[u8]) -> String {
    let mut canonical = String::new();
    let json = serde_json::from_slice::<&RawValue>(body).ok();
    match json.and_then(|json| write_canonical(json, 0, &mut canonical)) {
        Some(()) => hex::encode(Sha256::digest(canonical)),
        // Not JSON, or nested too deeply.
        None => hex::encode(Sha256::digest(body)),
    }
}

const MAX_DEPTH: usize = 100;

/// Writes a JSON value without white space, with sorted fields, and with numbers as exact decimals without an exponent.
fn write_canonical(json: &RawValue, depth: usize, to: &mut String) -> Option<()> {
    let text = json.get();
    match text.bytes().next()? {
        _ if depth > MAX_DEPTH => return None,
        b'{' => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            to.push('{');
            for (position, (name, value)) in fields.into_iter().enumerate() {
                if position > 0 {
                    to.push(',');
                }
                to.push_str(&serde_json::to_string(&name).ok()?);
                to.push(':');
                write_canonical(value, depth + 1, to)?;
            }
            to.push('}');
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            to.push('[');
            for (position, item) in items.into_iter().enumerate() {
                if position > 0 {
                    to.push(',');
                }
                write_canonical(item, depth + 1, to)?;
            }
            to.push(']');
        }
        b'"' => to.push_str(&serde_json::to_string(&serde_json::from_str::<String>(text).ok()?).ok()?),
        b'-' | b'0'..=b'9' => match text.parse::<Decimal>() {
            Ok(number) => to.push_str(&number.to_string()),
            // Longer than any amount.
            Err(_) => to.push_str(text),
        },
        _ => to.push_str(text),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_with_the_same_json_value_have_the_same_fingerprint() {
        for (one, other, are_same) in [
            (r#"{"value": 100}"#, r#"{"value":100.0}"#, true),
            (r#"{"value": 100}"#, r#"{ "value" : 1e2 }"#, true),
            (r#"{"a": 1, "b": [0.10, -0]}"#, r#"{"b": [1E-1, 0], "a": 1}"#, true),
            (r#"{"a": "\u0041"}"#, r#"{"a": "A"}"#, true),
            (r#"{"value": 100}"#, r#"{"value": 101}"#, false),
            (r#"{"value": 0.1}"#, r#"{"value": 0.10000000000000000001}"#, false),
            (r#"{"value": 100}"#, r#"{"value": "100"}"#, false),
            (r#"{"value": null}"#, r"{}", false),
            (r#"{"a": [1, 2]}"#, r#"{"a": [2, 1]}"#, false),
            (r#"{"a": {}}"#, r#"{"a": []}"#, false),
            ("{", "{", true),
            ("{", "{ ", false),
        ] {
            assert_eq!(fingerprint(one.as_bytes()) == fingerprint(other.as_bytes()), are_same, "{one} {other}");
        }
        let deep = "[".repeat(100_000);
        assert_ne!(fingerprint(deep.as_bytes()), fingerprint(b"["));
        let closed = format!("{deep}{}", "]".repeat(100_000));
        assert_ne!(fingerprint(closed.as_bytes()), fingerprint(b"[]"));
    }

    /// They are stored: another release has to make the same ones.
    #[test]
    fn fingerprints_of_usual_bodies_do_not_change() {
        for body in [r#"{"value": 250.5, "a": {"b": [1, true, null, "å\n"]}}"#, "{}", "[]"] {
            let compact = serde_json::from_str::<serde_json::Value>(body).unwrap().to_string();
            assert_eq!(fingerprint(body.as_bytes()), hex::encode(Sha256::digest(compact)), "{body}");
        }
    }
}
