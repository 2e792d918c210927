//! Idempotency keys of issue and redeem, and replayed responses.

use shared::app::App;
use shared::base::invocation::Invocation;
use shared::endpoint_error;
use shared::http::{EndpointError, IntentHeaders, Invalid, KeyError, RawBody, Replayable, Replayed};
use shared::merchants::model::merchant::Merchant;
use shared::operations::{Certainty, EarlierRequest, IdempotencyKey, OperationKind, OperationStatus, ScopedKey};
use shared::team::model::till::Operator;

use crate::active::{ActiveError, require_active};

pub(crate) const KEY_TEXT: &str = "1 to 255 visible ASCII characters without a comma, stored for two years. For 90 days, \
                                   repeating the request with the same body returns the first response, with \
                                   `Idempotent-Replayed: true`; its card codes are null after a week. After that, a repeat is \
                                   rejected (409, `KEY_EXPIRED`). After an error that was not caused by the request (the card \
                                   network was busy or unreachable), a repeat is a new attempt. Required for programs, which \
                                   call with an API key (400, `IDEMPOTENCY_KEY_REQUIRED`).";

endpoint_error! {
    pub(crate) enum AttemptError {
        /// A header is malformed.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST
            "Idempotency-Key: must be given once, with 1 to 255 visible ASCII characters and no comma.",
        Active(#[from] ActiveError),
        Required(#[from] KeyRequired),
        Key(#[from] KeyError),
    }
}

endpoint_error! {
    pub(crate) enum KeyRequired {
        /// A program did not send an `Idempotency-Key`, without which it could not repeat the request safely.
        Required => 400 IDEMPOTENCY_KEY_REQUIRED "Idempotency-Key: is required for requests with an API key.",
    }
}

/// A program repeats its requests: only those that can be told to be repeats are let in.
pub(crate) fn require_key(by: &Operator, headers: &Result<IntentHeaders, Invalid>) -> Result<(), KeyRequired> {
    match (by, headers) {
        (Operator::Key(_), Ok(IntentHeaders { key: None, .. })) => Err(KeyRequired::Required),
        (Operator::Key(_) | Operator::User(_) | Operator::Till(_), _) => Ok(()),
    }
}

endpoint_error! {
    pub(crate) enum TimeError {
        /// Too little time was left, and nothing was done.
        TooLittle => 504 TOO_LITTLE_TIME "There was too little time left. Nothing was done.",
    }
}

/// What an issue or a redeem is, by its idempotency key.
pub(crate) enum Attempt {
    /// Nothing has begun under its key.
    First(Option<IdempotencyKey>),
    Repeat(Box<EarlierRequest>),
}

impl Attempt {
    /// An earlier request is answered whatever may have changed since. Of a first one, the merchant has to be active and the
    /// headers well-formed.
    pub(crate) async fn of(
        app: &App,
        invocation: &Invocation,
        merchant: &Merchant,
        kind: OperationKind,
        headers: Result<IntentHeaders, Invalid>,
        body: &RawBody,
        certainty: &mut Certainty,
    ) -> Result<Self, AttemptError> {
        let key = headers.map(|IntentHeaders { key, made_at }| {
            let key = key.map(|key| ScopedKey::new(&merchant.id, kind, &key, made_at));
            key.map(|key| IdempotencyKey::new(key, body.json()))
        });
        if let Ok(key) = &key {
            let earlier = certainty.look_up(app, invocation, key.as_ref()).await;
            if let Some(earlier) = earlier.map_err(KeyError::from)? {
                return Ok(Self::Repeat(Box::new(earlier)));
            }
        }
        require_active(merchant)?;
        Ok(Self::First(key?))
    }
}

/// The response to an earlier request, marked as one if it is final.
pub(crate) fn replayed<T, E: EndpointError + From<Replayed>>(
    status: &OperationStatus,
    respond: impl FnOnce(&OperationStatus) -> Result<T, E>,
) -> Result<Replayable<T>, E> {
    let response = respond(status);
    match status {
        OperationStatus::Closed(_) => response.map(Replayable::Replayed).map_err(|error| Replayed::new(error).into()),
        OperationStatus::Unknown => response.map(Replayable::First),
    }
}
