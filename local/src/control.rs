//! Control calls under `/__local`, for developers and tests. No deployed function contains them.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::StoreError;
use shared::http::{SESSION_COOKIE, cookie};
use shared::team::model::team::SignInMethod;
use shared::team::rows::sessions::{self, Token};
use shared::values::UserId;
use upstreams::calls::UpstreamCall;
use upstreams::faults::Fault;

use crate::fixtures::{Fixtures, LoadError};
use crate::request_log::{AnsweredRequest, RequestLog};
use crate::services::Services;
use crate::users::{self, KnownUser};
use crate::webhook_receivers::{Answer, ReceiverError, Settings, Shown, WebhookReceivers};
use crate::workers::{Remaining, Workers};
use crate::{fixtures, mail_page, reference};

/// The maximum number of users in the console's list.
const MAX_USERS: usize = 100;

#[derive(Debug, Clone)]
pub(crate) struct Control {
    pub(crate) app: App,
    pub(crate) requests: RequestLog,
    pub(crate) webhook_receivers: WebhookReceivers,
    pub(crate) services: Services,
    pub(crate) workers: Workers,
    pub(crate) environment: BTreeMap<&'static str, String>,
}

pub(crate) fn routes(control: Control) -> Router {
    Router::new()
        .route("/__local/fixtures", post(load_fixtures).layer(DefaultBodyLimit::disable()))
        .route("/__local/sessions", post(sign_in).merge(delete(sign_out)))
        .route("/__local/users", get(users))
        .route("/__local/requests", get(requests))
        .route("/__local/mail", get(mail))
        .route("/__local/mail/{number}/html", get(mail_as_html))
        .route("/__local/drain", post(drain))
        // Its earlier name.
        .route("/__local/settle", post(drain))
        .route("/__local/faults", get(faults).merge(post(set_faults)))
        .route("/__local/upstream-calls", get(upstream_calls))
        .route(
            "/__local/webhooks/receiver/{name}",
            get(received_webhooks).merge(post(receive_webhook)).merge(put(set_receiver)).merge(delete(reset_receiver)),
        )
        .route("/__local/environment", get(environment))
        .route("/__local/usage", get(usage).merge(delete(reset_usage)))
        .route("/openapi.json", get(openapi))
        .route("/reference", get(reference::page))
        .route("/reference/scalar.js", get(reference::script))
        .with_state(control)
}

async fn openapi() -> Result<Response, ControlError> {
    let document = crate::openapi::json(&crate::route_tables()).map_err(ControlError::internal)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], document).into_response())
}

/// An error response of a control call.
#[derive(Debug)]
pub(crate) struct ControlError(pub(crate) StatusCode, pub(crate) String);

impl ControlError {
    fn internal(error: impl std::fmt::Display) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl IntoResponse for ControlError {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"ok": false, "error": {"message": self.1}}))).into_response()
    }
}

impl From<ReceiverError> for ControlError {
    fn from(error: ReceiverError) -> Self {
        Self(StatusCode::BAD_REQUEST, error.to_string())
    }
}

fn parse<T: DeserializeOwned>(body: &Bytes) -> Result<T, ControlError> {
    let mut json = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut json).map_err(|error| ControlError(StatusCode::BAD_REQUEST, error.to_string()))
}

async fn load_fixtures(State(control): State<Control>, body: Bytes) -> Result<Json<Value>, ControlError> {
    let document = fixtures::parse(&body, control.app.clock.now()).map_err(|error| {
        let message = error.to_string();
        ControlError(StatusCode::BAD_REQUEST, message)
    })?;
    control.load(&document).await.map_err(ControlError::internal)?;
    Ok(Json(json!({"ok": true})))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SignInRequest {
    user_id: UserId,
}

async fn sign_in(State(control): State<Control>, body: Bytes) -> Result<Response, ControlError> {
    let SignInRequest { user_id } = parse(&body)?;
    let token = control.sign_in(&user_id, control.app.random.bytes()).await.map_err(ControlError::internal)?;
    let token = token.ok_or_else(|| ControlError(StatusCode::NOT_FOUND, "There is no such user.".to_owned()))?;
    let set_cookie = cookie::set(SESSION_COOKIE, token.expose(), sessions::LIFETIME);
    let headers = AppendHeaders(set_cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    let body = json!({"token": token.expose(), "cookie": format!("{SESSION_COOKIE}={}", token.expose())});
    Ok((headers, Json(body)).into_response())
}

impl Control {
    /// Loads fixtures into the running system.
    pub(crate) async fn load(&self, fixtures: &Fixtures) -> Result<(), LoadError> {
        self.workers.pause(Box::pin(self.services.load(fixtures, &self.app))).await?;
        self.count_loaded().await;
        Ok(())
    }

    /// Counts what was loaded into external services. The embedded ones have the tallies already.
    pub(crate) async fn count_loaded(&self) {
        if self.services.external().is_none() {
            return;
        }
        if let Err(error) = self.workers.catch_up().await {
            tracing::warn!(cause = %error, "the loaded rows are counted later");
        }
    }

    /// Opens a session and returns its token, or `None` if the user does not exist.
    pub(crate) async fn sign_in(&self, user: &UserId, secret: [u8; 32]) -> Result<Option<Token>, StoreError> {
        let Some(user) = self.app.store.user(user).await? else { return Ok(None) };
        // The demo's token is the same in every run.
        self.app.store.end_session(&Token::issue(secret, &user)).await?;
        self.app.store.open_session(&user, secret, SignInMethod::Code, self.app.clock.now()).await.map(Some)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignOutRequest {
    token: String,
}

async fn sign_out(State(control): State<Control>, body: Bytes) -> Result<Json<Value>, ControlError> {
    let SignOutRequest { token } = parse(&body)?;
    control.app.store.end_session(&Token::new(token)).await.map_err(ControlError::internal)?;
    Ok(Json(json!({"ok": true})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvironmentQuery {
    /// Base URL of the API, if another tool serves it.
    api: Option<String>,
}

/// Returns the environment variables of a function as `NAME=value` lines.
async fn environment(State(control): State<Control>, Query(query): Query<EnvironmentQuery>) -> String {
    let mut environment = control.environment;
    if let Some(api) = query.api {
        environment.insert("PORTAL_BASE_URL", api);
    }
    environment.iter().flat_map(|(name, value)| [name, "=", value.as_str(), "\n"]).collect()
}

async fn users(State(control): State<Control>) -> Result<Json<Vec<KnownUser>>, ControlError> {
    let Control { app, services, .. } = control;
    let partitions = services.users(&app.settings.table, MAX_USERS).await.map_err(ControlError::internal)?;
    users::known(&app.store, &partitions).await.map(Json).map_err(ControlError::internal)
}

async fn requests(State(control): State<Control>) -> Json<Vec<AnsweredRequest>> {
    Json(control.requests.latest())
}

async fn mail(State(control): State<Control>) -> Result<Response, ControlError> {
    control.services.mails().await.map(|mails| Json(mails).into_response()).ok_or_else(no_mails)
}

fn no_mails() -> ControlError {
    not_embedded("Mails are sent by SES, which is not embedded and does not show them at /_aws/ses as LocalStack does.")
}

/// The response to a call that only the embedded services can answer.
fn not_embedded(message: &str) -> ControlError {
    ControlError(StatusCode::NOT_IMPLEMENTED, message.to_owned())
}

fn no_usage() -> ControlError {
    not_embedded("Calls are counted by the embedded services only, and --aws-endpoint or --aws-account replaces them.")
}

/// Returns the HTML of a mail. Mails are numbered from 0, in the order in which they were sent.
async fn mail_as_html(State(control): State<Control>, Path(number): Path<usize>) -> Result<Response, ControlError> {
    let mails = control.services.mails().await.ok_or_else(no_mails)?;
    let html = mails.get(number).and_then(|mail| mail.html.as_deref());
    html.map(mail_page::page)
        .ok_or_else(|| ControlError(StatusCode::NOT_FOUND, "There is no such mail, or it has no HTML.".to_owned()))
}

async fn drain(State(control): State<Control>) -> Result<Json<Remaining>, ControlError> {
    control.workers.drain().await.map(Json).map_err(ControlError::internal)
}

/// Returns the faults that still apply, whoever set them.
async fn faults(State(control): State<Control>) -> Json<Vec<Fault>> {
    Json(control.services.faults().active())
}

async fn set_faults(State(control): State<Control>, body: Bytes) -> Result<Json<Value>, ControlError> {
    let faults: Vec<Fault> = parse(&body)?;
    if control.services.embedded().is_none() && faults.iter().any(|fault| fault.target().is_aws()) {
        let message = "Only card-network and verifier can have faults: AWS is not embedded with --aws-endpoint or --aws-account.";
        return Err(not_embedded(message));
    }
    control.services.faults().replace(faults);
    Ok(Json(json!({"ok": true})))
}

async fn upstream_calls(State(control): State<Control>) -> Json<Vec<UpstreamCall>> {
    Json(control.services.calls().all())
}

/// Does what the system of a merchant does with a message: the path is the URL of an endpoint.
async fn receive_webhook(
    State(control): State<Control>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, ControlError> {
    let now = control.app.clock.now();
    let Answer { status, delay } = control.webhook_receivers.receive(&name, &headers, &body, now)?;
    tokio::time::sleep(delay).await;
    Ok(status)
}

async fn received_webhooks(State(control): State<Control>, Path(name): Path<String>) -> Result<Json<Shown>, ControlError> {
    Ok(Json(control.webhook_receivers.show(&name)?))
}

async fn set_receiver(
    State(control): State<Control>,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, ControlError> {
    let settings: Settings = parse(&body)?;
    control.webhook_receivers.set(&name, &settings)?;
    Ok(Json(json!({"ok": true})))
}

async fn reset_receiver(State(control): State<Control>, Path(name): Path<String>) -> Json<Value> {
    control.webhook_receivers.reset(&name);
    Json(json!({"ok": true}))
}

async fn usage(State(control): State<Control>) -> Result<Json<Value>, ControlError> {
    control.services.usage().map(|usage| Json(usage.to_json())).ok_or_else(no_usage)
}

async fn reset_usage(State(control): State<Control>) -> Result<Json<Value>, ControlError> {
    control.services.usage().ok_or_else(no_usage)?.reset();
    Ok(Json(json!({"ok": true})))
}
