//! Emulates API Gateway: converts each request to a Lambda event, invokes a function through the code that parses the
//! event on AWS, and converts the function's response back to HTTP.
//!
//! As on AWS, paths are percent-decoded, cookies are separate from the headers, binary bodies are base64-encoded,
//! responses have at most 6 MB, and invocations are aborted after the function timeout.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use aws_lambda_events::apigw::ApiGatewayV2httpResponse;
use axum::body::{Body, Bytes, to_bytes};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::LengthLimitError;
use lambda_http::request::LambdaRequest;
use lambda_http::{Adapter, Context, LambdaEvent};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use shared::app::App;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::http::{AS_DECLARED, ONLY_HTTPS, Route, Routes};
use shared::lambda::encode_delimiters;
use tower::Service;
use upstreams::guard::Guard;
use url::Url;

use crate::forbidden;
use crate::request_log::{AnsweredRequest, RequestLog};

/// The function timeout on AWS.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(15);
/// The payload quota of API Gateway.
const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;
/// Lambda's quota for a response, as JSON.
const MAX_RESPONSE_BYTES: usize = 6_291_556;

/// Routes requests to functions by path.
#[derive(Debug)]
pub(crate) struct Gateway {
    functions: Vec<Function>,
    clock: Clock,
    random: Random,
    guard: Guard,
    requests: RequestLog,
}

#[derive(Debug)]
struct Function {
    name: &'static str,
    routes: Vec<Route>,
    service: Router,
}

impl Function {
    /// Whether pages of any site may call the function.
    fn allows_any_origin(&self) -> bool {
        self.routes.iter().any(|route| route.allows_any_origin)
    }
}

impl Gateway {
    pub(crate) fn new(clock: Clock, random: Random, guard: Guard, requests: RequestLog) -> Self {
        Self { functions: Vec::new(), clock, random, guard, requests }
    }

    pub(crate) fn add(&mut self, routes: Routes, app: App) {
        let name = routes.group();
        self.functions.push(Function { name, routes: routes.routes().to_vec(), service: routes.into_router(app) });
    }

    /// Responds as API Gateway does, with the response of the function that serves the path.
    pub(crate) async fn handle(&self, client: SocketAddr, request: Request<Body>) -> Response {
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let function = percent_decode_str(&path).decode_utf8().ok().and_then(|path| self.function_for(&path));
        let at = self.clock.now();
        let response = self.respond(client, request).await;
        let elapsed = self.clock.now().duration_since(at);
        self.requests.add(AnsweredRequest {
            at,
            method,
            path,
            status: response.status().as_u16(),
            function: function.map(|function| function.name),
            milliseconds: elapsed.as_millis(),
        });
        response
    }

    async fn respond(&self, client: SocketAddr, request: Request<Body>) -> Response {
        let (parts, body) = request.into_parts();
        let body = match to_bytes(body, MAX_BODY_BYTES).await {
            Ok(body) => body,
            Err(error) if error.source().is_some_and(<dyn Error>::is::<LengthLimitError>) => {
                return gateway_response(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large");
            }
            Err(_) => return gateway_response(StatusCode::BAD_REQUEST, "Bad Request"),
        };
        // API Gateway responds to a preflight request by the route that the path matches before it is decoded.
        let slashes_kept = parts.uri.path().replace("%2F", "%252F").replace("%2f", "%252F");
        let encoded = if parts.method == Method::OPTIONS { &slashes_kept } else { parts.uri.path() };
        let Ok(path) = percent_decode_str(encoded).decode_utf8() else {
            return gateway_response(StatusCode::BAD_REQUEST, "Bad Request");
        };
        let context = self.context();
        let function = self.function_for(&path);
        let is_public = function.is_some_and(Function::allows_any_origin);
        if !is_public && !self.guard.accepts_origin(&parts.headers) {
            return ([("x-request-id", context.request_id)], forbidden()).into_response();
        }
        let Some(function) = function else { return not_found(&context.request_id) };
        let event = event(&parts, &encode_delimiters(&path), &body, client, &context.request_id);
        match serde_json::from_value(event) {
            Ok(event) if has_valid_host(&parts, &path) => invoke(function, event, context).await,
            _ => gateway_response(StatusCode::BAD_REQUEST, "Bad Request"),
        }
    }

    /// Returns the function that serves the path, or else the function whose group contains it, so that the 404 response
    /// has the error format of the group.
    fn function_for(&self, path: &str) -> Option<&Function> {
        let serves = |function: &&Function| function.routes.iter().any(|route| matches(route.path, path));
        let is_in_group =
            |function: &&Function| function.routes.iter().any(|route| is_same_or_below(group_path(route.path), path));
        self.functions.iter().find(serves).or_else(|| self.functions.iter().find(is_in_group))
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

/// Whether a path matches a route template such as `/api/bff/offers/{id}`.
fn matches(route: &str, path: &str) -> bool {
    let mut segments = path.split('/');
    let is_prefix =
        route.split('/').all(|expected| segments.next().is_some_and(|segment| expected.starts_with('{') || expected == segment));
    is_prefix && segments.next().is_none()
}

/// Returns the literal prefix that the routes of a group share: `/api/bff/pos` for `/api/bff/pos/issue`,
/// `/api/onboarding` for `/api/onboarding/submit`.
fn group_path(route: &str) -> &str {
    let literal = route.find("/{").map_or(route, |end| route.get(..end).unwrap_or(route));
    let has_subgroups = ["/api/bff/", "/api/public/"].iter().any(|prefix| route.starts_with(prefix));
    let segments = if has_subgroups { 3 } else { 2 };
    let end = literal.match_indices('/').nth(segments).map(|(end, _)| end);
    end.and_then(|end| literal.get(..end)).unwrap_or(literal)
}

fn is_same_or_below(parent: &str, path: &str) -> bool {
    path.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// On AWS, every event has a valid host.
fn has_valid_host(parts: &Parts, path: &str) -> bool {
    Url::parse(&format!("http://{}{path}", host(parts))).is_ok()
}

fn host(parts: &Parts) -> &str {
    parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost")
}

/// Returns an HTTP API event, payload format version 2.0.
fn event(parts: &Parts, path: &str, body: &Bytes, client: SocketAddr, request_id: &str) -> Value {
    let text = is_text(&parts.headers).then(|| std::str::from_utf8(body).ok()).flatten();
    let method = parts.method.as_str();
    let mut headers = joined_headers(&parts.headers);
    headers.insert("x-forwarded-proto".to_owned(), json!("http"));
    headers.insert("x-forwarded-for".to_owned(), json!(client.ip()));
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
                "sourceIp": client.ip(),
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
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let text_types = ["application/json", "application/javascript", "application/xml"];
    essence.is_empty() || essence.starts_with("text/") || text_types.contains(&essence.as_str()) || essence.ends_with("+json")
}

/// Returns headers by lower-case name, with repeated headers joined by commas and without cookies.
fn joined_headers(headers: &HeaderMap) -> Map<String, Value> {
    let names = headers.keys().filter(|name| *name != header::COOKIE);
    let joined = names.map(|name| {
        let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        (name.as_str().to_owned(), Value::String(values.collect::<Vec<_>>().join(",")))
    });
    joined.collect()
}

fn cookies(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(';')).map(|cookie| cookie.trim().to_owned()).collect()
}

/// Runs the function in its own task, so that it continues if the client disconnects, as on AWS.
async fn invoke(function: &Function, event: LambdaRequest, context: Context) -> Response {
    let invocation = tokio::spawn(Adapter::from(function.service.clone()).call(LambdaEvent::new(event, context)));
    let abort = invocation.abort_handle();
    match tokio::time::timeout(FUNCTION_TIMEOUT, invocation).await {
        Ok(Ok(Ok(response))) => match serde_json::to_vec(&response) {
            Ok(json) if json.len() > MAX_RESPONSE_BYTES => gateway_response(StatusCode::BAD_GATEWAY, "Bad Gateway"),
            json => json
                .ok()
                .and_then(|json| from_lambda(&json))
                .unwrap_or_else(|| gateway_response(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error")),
        },
        Ok(_) => gateway_response(StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error"),
        Err(_) => {
            abort.abort();
            gateway_response(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable")
        }
    }
}

fn from_lambda(output: &[u8]) -> Option<Response> {
    let output: ApiGatewayV2httpResponse = serde_json::from_slice(output).ok()?;
    let body = output.body.map(|body| body.to_vec()).unwrap_or_default();
    let body = if output.is_base64_encoded { BASE64_STANDARD.decode(body).ok()? } else { body };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(u16::try_from(output.status_code).ok()?).ok()?;
    for (name, value) in output.headers.iter().chain(&output.multi_value_headers) {
        response.headers_mut().insert(name, value.clone());
    }
    for cookie in output.cookies {
        response.headers_mut().append(header::SET_COOKIE, HeaderValue::from_str(&cookie).ok()?);
    }
    Some(response)
}

/// The response for a path outside all groups.
fn not_found(request_id: &str) -> Response {
    let body = json!({"ok": false, "error": {"message": "There is nothing at this address."}});
    let mut response = (StatusCode::NOT_FOUND, [("x-request-id", request_id)], Json(body)).into_response();
    response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, ONLY_HTTPS);
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, AS_DECLARED);
    response
}

/// A response from API Gateway itself.
fn gateway_response(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"message": message}))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_paths_to_routes_by_segment() {
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

    #[tokio::test]
    async fn a_response_has_at_most_6_mb() {
        // Each quote is a byte more in the JSON of the response.
        for (text, length, status) in
            [("a", 6_290_000, 200), ("a", 6_292_000, 502), ("\"", 3_140_000, 200), ("\"", 3_150_000, 502)]
        {
            let body = text.repeat(length);
            let service = Router::new().fallback(async move || body);
            let function = Function { name: "f", routes: Vec::new(), service };
            let (parts, ()) = Request::get("http://localhost/").body(()).unwrap().into_parts();
            let event = event(&parts, "/", &Bytes::new(), "127.0.0.1:1".parse().unwrap(), "id");
            let event = serde_json::from_value(event).unwrap();
            let response = invoke(&function, event, Context::default()).await;
            assert_eq!(response.status(), status, "{length}");
        }
    }

    #[test]
    fn group_paths_are_literal_prefixes() {
        assert_eq!(group_path("/api/bff/pos/issue"), "/api/bff/pos");
        assert_eq!(group_path("/api/bff/offers/{id}/status"), "/api/bff/offers");
        assert_eq!(group_path("/api/merchants/{slug}"), "/api/merchants");
        assert_eq!(group_path("/api/onboarding/submit"), "/api/onboarding");
        assert_eq!(group_path("/api/public/merchant/onboarding-check"), "/api/public/merchant");
        assert!(!is_same_or_below("/api/bff/merchant", "/api/bff/merchant-orders"));
    }
}
