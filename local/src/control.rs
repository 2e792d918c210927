//! The control calls under `/__local`: what a developer or a test needs of the local system and no deployed
//! function has.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::app::App;
use shared::domain::ids::UserId;
use shared::http::access::SESSION_COOKIE;
use shared::store::StoreError;
use shared::store::sessions::Token;
use upstreams::calls::UpstreamCall;
use upstreams::faults::Fault;

use crate::fixtures;
use crate::services::Services;
use crate::workers::{Settled, Workers};

/// What the control calls work on.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    pub(crate) app: App,
    pub(crate) services: Services,
    pub(crate) workers: Workers,
    pub(crate) environment: BTreeMap<&'static str, String>,
}

pub(crate) fn routes(control: Control) -> Router {
    Router::new()
        .route("/__local/fixtures", post(load_fixtures).layer(DefaultBodyLimit::disable()))
        .route("/__local/sessions", post(sign_in).merge(delete(sign_out)))
        .route("/__local/mail", get(mail))
        .route("/__local/settle", post(settle))
        .route("/__local/faults", post(set_faults))
        .route("/__local/upstream-calls", get(upstream_calls))
        .route("/__local/environment", get(environment))
        .route("/__local/usage", get(usage).merge(delete(reset_usage)))
        .route("/openapi.json", get(openapi))
        .with_state(control)
}

async fn openapi() -> Result<Response, Refusal> {
    let document = crate::openapi::json(&crate::route_tables()).map_err(Refusal::failed)?;
    Ok(([(http::header::CONTENT_TYPE, "application/json")], document).into_response())
}

/// Something that a control call cannot do.
#[derive(Debug)]
struct Refusal(StatusCode, String);

impl Refusal {
    fn failed(error: impl std::fmt::Display) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"ok": false, "error": {"message": self.1}}))).into_response()
    }
}

fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refusal> {
    let mut json = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut json)
        .map_err(|error| Refusal(StatusCode::BAD_REQUEST, error.to_string()))
}

async fn load_fixtures(State(control): State<Control>, body: Bytes) -> Result<Json<Value>, Refusal> {
    let document = fixtures::parse(&body, control.app.clock.now()).map_err(|error| {
        let message = error.to_string();
        Refusal(StatusCode::BAD_REQUEST, message)
    })?;
    let network = control.services.card_network();
    fixtures::load(&document, &control.app.store, network).await.map_err(Refusal::failed)?;
    Ok(Json(json!({"ok": true})))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SignIn {
    user_id: UserId,
}

async fn sign_in(State(control): State<Control>, body: Bytes) -> Result<Json<Value>, Refusal> {
    let SignIn { user_id } = read(&body)?;
    let token = control.sign_in(&user_id, control.app.random.bytes()).await.map_err(Refusal::failed)?;
    let token = token.ok_or_else(|| Refusal(StatusCode::NOT_FOUND, "There is no such user.".to_owned()))?;
    Ok(Json(json!({"token": token.expose(), "cookie": format!("{SESSION_COOKIE}={}", token.expose())})))
}

impl Control {
    /// A session for a user; none where there is no such user.
    pub(crate) async fn sign_in(&self, user: &UserId, secret: [u8; 32]) -> Result<Option<Token>, StoreError> {
        let Some(user) = self.app.store.user(user).await? else { return Ok(None) };
        self.app.store.open_session(&user, secret, self.app.clock.now()).await.map(Some)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignOut {
    token: String,
}

async fn sign_out(State(control): State<Control>, body: Bytes) -> Result<Json<Value>, Refusal> {
    let SignOut { token } = read(&body)?;
    control.app.store.end_session(&Token::new(token)).await.map_err(Refusal::failed)?;
    Ok(Json(json!({"ok": true})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServedAt {
    /// Base URL under which something else serves the API.
    api: Option<String>,
}

/// What a function has to find in its environment, as lines `NAME=value`.
async fn environment(State(control): State<Control>, Query(served): Query<ServedAt>) -> String {
    let mut environment = control.environment;
    if let Some(api) = served.api {
        environment.insert("PORTAL_BASE_URL", api);
    }
    environment.iter().flat_map(|(name, value)| [name, "=", value.as_str(), "\n"]).collect()
}

async fn mail(State(control): State<Control>) -> Response {
    Json(control.services.mails()).into_response()
}

async fn settle(State(control): State<Control>) -> Result<Json<Settled>, Refusal> {
    control.workers.settle().await.map(Json).map_err(Refusal::failed)
}

async fn set_faults(State(control): State<Control>, body: Bytes) -> Result<Json<Value>, Refusal> {
    let faults: Vec<Fault> = read(&body)?;
    control.services.faults().replace(faults);
    Ok(Json(json!({"ok": true})))
}

async fn upstream_calls(State(control): State<Control>) -> Json<Vec<UpstreamCall>> {
    Json(control.services.calls().all())
}

async fn usage(State(control): State<Control>) -> Json<Value> {
    Json(control.services.usage())
}

async fn reset_usage(State(control): State<Control>) -> Json<Value> {
    control.services.reset_usage();
    Json(json!({"ok": true}))
}
