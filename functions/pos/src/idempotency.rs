//! `Idempotency-Key`: a repeat of a request gets the answer of the first.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use serde_json::Value;
use sha2::{Digest, Sha256};
use shared::app::App;
use shared::domain::ids::{MerchantId, Reference};
use shared::domain::operation::Operation;
use shared::http::body::RawBody;
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::operations::{self, Standing};
use shared::store::idempotency::{KeyedRoute, UsedKey};

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
pub(crate) const KEY_HEADER: &str = "Idempotency-Key";
pub(crate) const KEY_TEXT: &str = "1 to 255 visible ASCII characters, kept for 24 hours: a repeat with the same body gets \
     the first answer, with `Idempotent-Replayed: true`.";
const LONGEST: usize = 255;
/// Seconds after which a repeat that came too early may come again.
const RETRY_AFTER_SECONDS: u32 = 2;

/// The header, where there is one. 400 unless it is 1 to 255 visible ASCII characters.
#[derive(Debug)]
pub(crate) struct KeyHeader(Option<String>);

impl FromRequestParts<App> for KeyHeader {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        let mut values = parts.headers.get_all(HEADER).into_iter();
        let key = match (values.next(), values.next()) {
            (None, _) => None,
            (Some(value), None) => Some(value.as_bytes()),
            (Some(_), Some(_)) => return Err(Fault::invalid("Idempotency-Key: is given more than once.")),
        };
        let readable = |key: &[u8]| {
            let valid = (1..=LONGEST).contains(&key.len()) && key.iter().all(u8::is_ascii_graphic);
            valid.then(|| String::from_utf8_lossy(key).into_owned())
        };
        let invalid = || Fault::invalid("Idempotency-Key: must be 1 to 255 visible ASCII characters.");
        key.map(|key| readable(key).ok_or_else(invalid)).transpose().map(Self)
    }
}

/// A key with the request that it came with.
#[derive(Debug)]
pub(crate) struct Keyed {
    key: String,
    fingerprint: String,
    merchant: MerchantId,
    route: KeyedRoute,
}

/// An operation that was begun by an earlier request with the same key.
#[derive(Debug)]
pub(crate) struct Earlier {
    pub(crate) operation: Operation,
    pub(crate) standing: Standing,
}

impl Keyed {
    pub(crate) fn new(
        header: KeyHeader,
        body: &RawBody,
        merchant: &MerchantId,
        route: KeyedRoute,
    ) -> Option<Self> {
        let fingerprint = fingerprint(body);
        header.0.map(|key| Self { key, fingerprint, merchant: merchant.clone(), route })
    }

    /// What became of the first request with this key. 422 where it was another request, 409 while it is at work.
    pub(crate) async fn earlier(&self, app: &App, invocation: &Invocation) -> Result<Option<Earlier>, Fault> {
        let used = app.store.used_key(&self.merchant, self.route, &self.key).await?;
        let Some(used) = used else { return Ok(None) };
        let operation = app.store.operation(&used.reference).await?;
        let operation = operation.ok_or_else(|| Fault::internal("a used key stands for no operation"))?;
        // An open one holds on to its key: whoever sold again now could have sold twice.
        if operation.outcome().is_some() && used.has_expired(app.clock.now()) {
            return Ok(None);
        }
        if used.fingerprint != self.fingerprint {
            return Err(Fault::unprocessable("Idempotency-Key: was used with another request."));
        }
        match operations::resume(app, invocation, operation.clone()).await? {
            Some(standing) => Ok(Some(Earlier { operation: operation.value, standing })),
            None => Err(at_work()),
        }
    }

    /// The row that makes the key stand for an operation.
    pub(crate) fn used_for(&self, reference: Reference, app: &App) -> UsedKey {
        let now = app.clock.now();
        UsedKey::new(&self.merchant, self.route, &self.key, self.fingerprint.clone(), reference, now)
    }
}

pub(crate) fn at_work() -> Fault {
    Fault::in_progress("The first request with this Idempotency-Key is still at work.", RETRY_AFTER_SECONDS)
}

/// The same for bodies that say the same, whatever their spaces and the order of their fields.
fn fingerprint(body: &RawBody) -> String {
    match serde_json::from_slice::<Value>(&body.0) {
        Ok(json) => hex::encode(Sha256::digest(json.to_string())),
        // Deeper than a Value can be.
        Err(_) => hex::encode(Sha256::digest(&body.0)),
    }
}

/// Marks the final answer of an earlier request.
pub(crate) fn replayed(answer: impl IntoResponse, standing: &Standing) -> Response {
    let mut response = answer.into_response();
    if matches!(standing, Standing::Closed(_)) {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
    }
    response
}
