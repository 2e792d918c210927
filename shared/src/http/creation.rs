//! Calls that create something, and create it once however often a request is repeated with the same `Idempotency-Key`.
//!
//! The order is part of the types. The body of a [`CreationRequest`] is read only after its key was looked up, and its response,
//! [`Once`], is made of what a transaction has [made](Made): one that contains the row of the key.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::openapi::ResponseBuilder;

use super::body::RawBody;
use super::description::idempotent_replayed;
use super::endpoint_error::{General, Invalid, RetryAfter};
use super::fault::REPLAYED;
use super::idempotency_key::{KeyHeader, ReusedError};
use super::reply::Data;
use super::schemas::Schemas;
use super::success::Success;
use crate::app::App;
use crate::base::best_effort::best_effort;
use crate::card_network::NetworkError;
use crate::db::counters::Member;
use crate::db::creations::Creation;
use crate::db::leases::Lease;
use crate::db::{CommitError, Entity, Store, StoreError, Write, keys};
use crate::endpoint_error;
use crate::operations::fingerprint;

/// Text of the header in the API description.
pub const CREATION_KEY_TEXT: &str = "1 to 255 visible ASCII characters without a comma, stored for 24 hours for this caller, \
                                     merchant and operation. Repeating the request with the same body creates nothing: it \
                                     returns the first response with `Idempotent-Replayed: true`, in which secrets and codes are \
                                     null. After an error, a repeat is a new attempt.";

/// A request to create something, whose key was not looked up yet.
#[derive(Debug)]
pub struct CreationRequest {
    key: Option<String>,
    body: RawBody,
}

impl FromRequest<App> for CreationRequest {
    type Rejection = General;

    async fn from_request(request: Request, app: &App) -> Result<Self, General> {
        let (mut parts, body) = request.into_parts();
        let KeyHeader(key) = KeyHeader::from_request_parts(&mut parts, app).await?;
        Ok(Self { key, body: RawBody::from_request(Request::from_parts(parts, body), app).await? })
    }
}

endpoint_error! {
    pub enum CreationKeyError {
        /// Another request with this key is in progress.
        InProgress(RetryAfter) => 409 IN_PROGRESS "The first request with this Idempotency-Key is still in progress.",
        Reused(#[from] ReusedError),
    }
}

endpoint_error! {
    pub enum OutcomeUnknown {
        /// It is unknown whether the first request with this key created anything.
        Unknown => 409 OUTCOME_UNKNOWN
            "It is unknown whether the first request with this Idempotency-Key created it. Check the list before you create it \
             with another key.",
    }
}

/// To wait for another request: four seconds, on average.
const MAX_ATTEMPTS: u32 = 11;
const IN_PROGRESS_RETRY_AFTER: RetryAfter = RetryAfter(5);

impl CreationRequest {
    /// With `{}` for a body that is blank.
    #[must_use]
    pub fn or_empty(mut self) -> Self {
        if self.body.json().trim_ascii().is_empty() {
            self.body = RawBody("{}".into());
        }
        self
    }

    /// The part of the body that the access check depends on.
    pub fn read_for_access_check<T: DeserializeOwned>(&self) -> Result<T, Invalid> {
        self.body.parse()
    }

    /// Creates what the body says, or returns the first response to a request of this member with the same key. `call` tells
    /// apart calls with the same key.
    pub async fn once<B: DeserializeOwned, R, E, F>(
        self,
        app: &App,
        call: &str,
        member: Member<'_>,
        create: impl FnOnce(B, CreationKey) -> F,
    ) -> Result<Once<R>, E>
    where
        E: From<StoreError> + From<Invalid> + From<CreationKeyError>,
        F: Future<Output = Result<Made<R>, E>>,
    {
        let without_answer = || StoreError::UnreadableRow("the key of a creation has no answer".to_owned()).into();
        self.run(app, call, member, without_answer, create).await
    }

    /// As [`Self::once`], for what the card network creates: its key is written before the network is asked.
    pub async fn once_at_network<B: DeserializeOwned, R, E, F>(
        self,
        app: &App,
        call: &str,
        member: Member<'_>,
        create: impl FnOnce(B, NetworkCreationKey) -> F,
    ) -> Result<Once<R>, E>
    where
        E: From<StoreError> + From<Invalid> + From<CreationKeyError> + From<OutcomeUnknown>,
        F: Future<Output = Result<Made<R>, E>>,
    {
        let create = |body, key| create(body, NetworkCreationKey(key));
        self.run(app, call, member, || OutcomeUnknown::Unknown.into(), create).await
    }

    async fn run<B: DeserializeOwned, R, E, F>(
        self,
        app: &App,
        call: &str,
        member: Member<'_>,
        without_answer: impl FnOnce() -> E,
        create: impl FnOnce(B, CreationKey) -> F,
    ) -> Result<Once<R>, E>
    where
        E: From<StoreError> + From<Invalid> + From<CreationKeyError>,
        F: Future<Output = Result<Made<R>, E>>,
    {
        let Some(key) = self.key else {
            let Made(response) = Box::pin(create(self.body.parse()?, CreationKey(None))).await?;
            return Ok(Once(Ok(response)));
        };
        let key = keys::creation(member.merchant, call, &member.who.to_string(), &key);
        let row = Creation::new(key, fingerprint(self.body.json()), app.clock.now());
        let lease = match answer_or_lease(app, &row).await? {
            Ok(lease) => lease,
            Err(answer) => return Ok(Once(Err(answer))),
        };
        let once = async {
            match Earlier::find(app, &row).await? {
                Some(Earlier::Answered(answer)) => Ok(Once(Err(answer))),
                Some(Earlier::WithoutAnswer) => Err(without_answer()),
                None => {
                    let Made(response) = Box::pin(create(self.body.parse()?, CreationKey(Some(row)))).await?;
                    Ok(Once(Ok(response)))
                }
            }
        };
        let once = once.await;
        best_effort("the end of a lease of an idempotency key", app.store.release_lease(&lease).await);
        once
    }
}

/// The lease of a key that has no answer. Of two requests at the same moment, one waits until it can be answered as the other one.
async fn answer_or_lease(app: &App, row: &Creation) -> Result<Result<Lease, Box<RawValue>>, CreationKeyError> {
    for attempt in 0..MAX_ATTEMPTS {
        if let Some(Earlier::Answered(answer)) = Earlier::find(app, row).await? {
            return Ok(Err(answer));
        }
        if let Some(lease) = app.store.try_acquire_lease(keys::creation_lease(&row.key()), &app.clock).await? {
            return Ok(Ok(lease));
        }
        app.store.back_off(attempt).await;
    }
    Err(CreationKeyError::InProgress(IN_PROGRESS_RETRY_AFTER))
}

/// What an earlier request with the same key has left.
enum Earlier {
    Answered(Box<RawValue>),
    WithoutAnswer,
}

impl Earlier {
    async fn find(app: &App, row: &Creation) -> Result<Option<Self>, CreationKeyError> {
        let Some(earlier) = app.store.creation(&row.key(), app.clock.now()).await? else { return Ok(None) };
        if earlier.fingerprint != row.fingerprint {
            return Err(ReusedError::Reused.into());
        }
        let Some(answer) = earlier.answer else { return Ok(Some(Self::WithoutAnswer)) };
        let answer = RawValue::from_string(answer);
        let answer = answer.map_err(|_| StoreError::UnreadableRow("the answer of a creation is not JSON".to_owned()))?;
        Ok(Some(Self::Answered(answer)))
    }
}

/// The key of a request, if it has one.
#[derive(Debug)]
pub struct CreationKey(Option<Creation>);

impl CreationKey {
    /// Commits the writes that create something, together with the key. A repeat is answered with `answer`, which is stored:
    /// secrets and codes are added to what was [made](Made::map).
    pub async fn commit<T: Serialize>(&self, store: &Store, mut writes: Vec<Write>, answer: T) -> Result<Made<T>, CommitError> {
        if let Some(row) = &self.0 {
            writes.push(row.with_answer(to_json(&answer)?).create()?);
        }
        store.commit(writes).await?;
        Ok(Made(answer))
    }
}

fn to_json(answer: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(answer).map_err(|_| StoreError::UnreadableRow("an answer cannot be stored".to_owned()))
}

/// The key of a request for what the card network creates, if it has one.
#[derive(Debug)]
pub struct NetworkCreationKey(CreationKey);

impl NetworkCreationKey {
    /// Writes the key, then asks the network. What it refuses frees the key. As long as its outcome is unknown, or its response could
    /// not be stored, repeats are [told so](OutcomeUnknown).
    pub async fn ask<T: Serialize>(
        self,
        store: &Store,
        ask: impl Future<Output = Result<T, NetworkError>>,
    ) -> Result<Result<Made<T>, NetworkError>, CommitError> {
        let key = self.0;
        if let Some(row) = &key.0 {
            store.commit(vec![row.create()?]).await?;
        }
        let outcome = ask.await;
        if let Some(row) = key.0 {
            let write = match &outcome {
                Ok(answer) => Some(to_json(answer).and_then(|answer| row.answered(answer))),
                Err(error) if error.did_nothing() => Some(row.freed()),
                Err(_) => None,
            };
            if let Some(write) = write {
                let written = async { store.commit(vec![write?]).await };
                best_effort("the outcome of a creation", written.await);
            }
        }
        Ok(outcome.map(Made))
    }
}

/// What was created, and is remembered under the key of the request.
#[derive(Debug)]
pub struct Made<T>(T);

impl<T> Made<T> {
    /// The response, with what is shown only once.
    pub fn map<U>(self, show: impl FnOnce(T) -> U) -> Made<U> {
        Made(show(self.0))
    }
}

/// The response of a call that creates something: the first one, or its `data` without secrets and codes.
#[derive(Debug)]
pub struct Once<R>(Result<R, Box<RawValue>>);

impl<R: Success> IntoResponse for Once<R> {
    fn into_response(self) -> Response {
        match self.0 {
            Ok(first) => first.into_response(),
            Err(answer) => {
                let mut response = (R::STATUS, Data(answer)).into_response();
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                response
            }
        }
    }
}

impl<R: Success> Success for Once<R> {
    const STATUS: StatusCode = R::STATUS;

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        R::describe(response, example, schemas).header("Idempotent-Replayed", idempotent_replayed())
    }
}
