//! API Gateway on this machine: it hands each request to a function as the event that AWS would send, through the
//! very code that reads it there, and turns the function's answer back into HTTP.
//!
//! What AWS does, it does: paths come percent-decoded, cookies apart from the headers, bodies that are no text in
//! base64, and an invocation that takes too long is ended.

use std::net::SocketAddr;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Context, LambdaEvent};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::app::App;
use shared::clock::Clock;
use shared::http::routes::{Route, Routes};
use shared::random::Random;
use tower::Service;
use url::Url;

/// What a function is given on AWS before it is stopped.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(15);
/// The largest body that API Gateway takes.
const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// The functions, by the paths that they serve.
#[derive(Debug)]
pub(crate) struct Gateway {
    functions: Vec<Function>,
    clock: Clock,
    random: Random,
}

#[derive(Debug)]
struct Function {
    routes: Vec<Route>,
    service: Router,
}

impl Gateway {
    pub(crate) fn new(clock: Clock, random: Random) -> Self {
        Self { functions: Vec::new(), clock, random }
    }

    /// Puts a function behind the gateway.
    pub(crate) fn add(&mut self, routes: Routes, app: App) {
        self.functions.push(Function { routes: routes.listed().to_vec(), service: routes.into_router(app) });
    }

    /// Answers a request as API Gateway and the function behind it would.
    pub(crate) async fn answer(&self, caller: SocketAddr, request: Request<Body>) -> Response {
        let (parts, body) = request.into_parts();
        let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
            return own_answer(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large");
        };
        let Ok(path) = percent_decode_str(parts.uri.path()).decode_utf8() else {
            return own_answer(StatusCode::BAD_REQUEST, "Bad Request");
        };
        let context = self.context();
        let Some(function) = self.function_for(&path) else { return nothing_here(&context.request_id) };
        let event = event(&parts, &path, &body, caller, &context.request_id);
        match serde_json::from_value(event) {
            Ok(event) if host_is_readable(&parts, &path) => invoke(function, event, context).await,
            _ => own_answer(StatusCode::BAD_REQUEST, "Bad Request"),
        }
    }

    /// The function that has a route of this path, else the one whose routes begin as the path does: its answer to
    /// what it does not serve is in the shape of its group.
    fn function_for(&self, path: &str) -> Option<&Function> {
        let serves = |function: &&Function| function.routes.iter().any(|route| matches(route.path, path));
        let is_near =
            |function: &&Function| function.routes.iter().any(|route| is_below(group_path(route.path), path));
        self.functions.iter().find(serves).or_else(|| self.functions.iter().find(is_near))
    }

    fn context(&self) -> Context {
        let now = self.clock.now();
        let deadline = now.checked_add(FUNCTION_TIMEOUT).unwrap_or(now);
        let mut context = Context::default();
        context.request_id = self.random.uuid(now).to_string();
        context.deadline = u64::try_from(deadline.as_millisecond()).unwrap_or_default();
        context
    }
}

/// Whether a path is one of a route's, whose parameters stand in braces.
fn matches(route: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    let fits = route
        .split('/')
        .all(|wanted| parts.next().is_some_and(|part| wanted.starts_with('{') || wanted == part));
    fits && parts.next().is_none()
}

/// The fixed beginning that the routes of one group share: `/api/bff/pos` of `/api/bff/pos/issue`, `/api/onboarding`
/// of `/api/onboarding/submit`.
fn group_path(route: &str) -> &str {
    let fixed = route.find("/{").map_or(route, |end| route.get(..end).unwrap_or(route));
    let has_family = ["/api/bff/", "/api/public/"].iter().any(|family| route.starts_with(family));
    let slashes_within = if has_family { 3 } else { 2 };
    let next_slash = fixed.match_indices('/').nth(slashes_within).map(|(end, _)| end);
    next_slash.and_then(|end| fixed.get(..end)).unwrap_or(fixed)
}

fn is_below(parent: &str, path: &str) -> bool {
    path.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// AWS never sends an event without a host that reads as one.
fn host_is_readable(parts: &Parts, path: &str) -> bool {
    Url::parse(&format!("http://{}{path}", host(parts))).is_ok()
}

fn host(parts: &Parts) -> &str {
    parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost")
}

/// The event of an HTTP API, payload format 2.0.
fn event(parts: &Parts, path: &str, body: &Bytes, caller: SocketAddr, request_id: &str) -> Value {
    let text = is_text(&parts.headers).then(|| std::str::from_utf8(body).ok()).flatten();
    let method = parts.method.as_str();
    let mut headers = joined_headers(&parts.headers);
    headers.insert("x-forwarded-proto".to_owned(), json!("http"));
    headers.insert("x-forwarded-for".to_owned(), json!(caller.ip()));
    json!({
        "version": "2.0",
        "routeKey": format!("{method} {path}"),
        "rawPath": path,
        "rawQueryString": parts.uri.query().unwrap_or_default(),
        "cookies": cookies(&parts.headers),
        "headers": headers,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "local",
            "domainName": host(parts),
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": caller.ip(),
                "userAgent": parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()),
            },
            "requestId": request_id,
            "stage": "$default",
            "timeEpoch": 0,
        },
        "body": (!body.is_empty()).then(|| text.map_or_else(|| BASE64_STANDARD.encode(body), str::to_owned)),
        "isBase64Encoded": !body.is_empty() && text.is_none(),
    })
}

fn is_text(headers: &HeaderMap) -> bool {
    let content_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let kinds = ["application/json", "application/javascript", "application/xml"];
    essence.is_empty()
        || essence.starts_with("text/")
        || kinds.contains(&essence.as_str())
        || essence.ends_with("+json")
}

/// Headers by lower-case name, several of one name joined; cookies travel apart.
fn joined_headers(headers: &HeaderMap) -> Map<String, Value> {
    let names = headers.keys().filter(|name| *name != header::COOKIE);
    let joined = names.map(|name| {
        let values =
            headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        (name.as_str().to_owned(), Value::String(values.collect::<Vec<_>>().join(",")))
    });
    joined.collect()
}

fn cookies(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(';')).map(|cookie| cookie.trim().to_owned()).collect()
}

/// Runs the function on a task of its own: on AWS, too, it goes on when the caller hangs up.
async fn invoke(function: &Function, event: LambdaRequest, context: Context) -> Response {
    let invocation =
        tokio::spawn(Adapter::from(function.service.clone()).call(LambdaEvent::new(event, context)));
    let abort = invocation.abort_handle();
    match tokio::time::timeout(FUNCTION_TIMEOUT, invocation).await {
        Ok(Ok(Ok(answer))) => serde_json::to_value(answer)
            .ok()
            .and_then(from_lambda)
            .unwrap_or_else(|| own_answer(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")),
        Ok(_) => own_answer(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"),
        Err(_) => {
            abort.abort();
            own_answer(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable")
        }
    }
}

/// A function's answer as it goes over the wire to API Gateway.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LambdaAnswer {
    status_code: u16,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    multi_value_headers: Map<String, Value>,
    #[serde(default)]
    cookies: Vec<String>,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

fn from_lambda(answer: Value) -> Option<Response> {
    let answer: LambdaAnswer = serde_json::from_value(answer).ok()?;
    let body = answer.body.unwrap_or_default();
    let body = if answer.is_base64_encoded { BASE64_STANDARD.decode(body).ok()? } else { body.into_bytes() };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(answer.status_code).ok()?;
    for (name, value) in answer.headers.iter().chain(&answer.multi_value_headers) {
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for value in values.iter().filter_map(Value::as_str) {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            response.headers_mut().insert(name, HeaderValue::from_str(value).ok()?);
        }
    }
    for cookie in answer.cookies {
        response.headers_mut().append(header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?);
    }
    Some(response)
}

/// The answer to a path of no group.
fn nothing_here(request_id: &str) -> Response {
    let body = json!({"ok": false, "error": {"message": "There is nothing at this address."}});
    (StatusCode::NOT_FOUND, [("x-request-id", request_id)], Json(body)).into_response()
}

/// What API Gateway says itself.
fn own_answer(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"message": message}))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_routes_segment_by_segment() {
        for (route, path, expected) in [
            ("/api/bff/pos/issue", "/api/bff/pos/issue", true),
            ("/api/bff/offers/{id}", "/api/bff/offers/7", true),
            ("/api/bff/offers/{id}", "/api/bff/offers", false),
            ("/api/bff/offers/{id}", "/api/bff/offers/7/status", false),
            ("/api/bff/offers/{id}/status", "/api/bff/offers/7/status", true),
        ] {
            assert_eq!(matches(route, path), expected, "{route} {path}");
        }
    }

    #[test]
    fn a_group_is_told_by_the_beginning_of_its_routes() {
        assert_eq!(group_path("/api/bff/pos/issue"), "/api/bff/pos");
        assert_eq!(group_path("/api/bff/offers/{id}/status"), "/api/bff/offers");
        assert_eq!(group_path("/api/merchants/{slug}"), "/api/merchants");
        assert_eq!(group_path("/api/onboarding/submit"), "/api/onboarding");
        assert_eq!(group_path("/api/public/merchant/onboarding-check"), "/api/public/merchant");
        assert!(!is_below("/api/bff/merchant", "/api/bff/merchant-orders"));
    }
}
