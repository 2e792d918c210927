//! CORS: which scripts of other origins may call an API.
//!
//! On AWS, API Gateway responds to preflight requests and sets the headers, as the template configures it. Behind any other
//! gateway, the functions do the same. A test compares the template with the policies below.
//!
//! The request's origin is returned instead of `*`: browsers reject `*` for requests with credentials, and the widget
//! sets a visitor cookie.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::fault::Fault;
use super::origin;
use crate::app::App;
use crate::base::settings::Settings;

/// What scripts of the admitted origins may send and read.
#[derive(Debug)]
pub struct Policy {
    pub methods: &'static [&'static str],
    pub request_headers: &'static [&'static str],
    /// Response headers that scripts can read.
    pub exposed_headers: &'static [&'static str],
    /// Seconds that a browser may cache a preflight response. Browsers cap it at a day or less.
    pub max_age: u32,
}

/// The policy of route tables that [allow any origin](super::routes::Routes::allow_any_origin).
pub const PUBLIC: Policy =
    Policy { methods: &["GET", "POST"], request_headers: &["content-type"], exposed_headers: &["x-request-id"], max_age: 86_400 };

/// The origins that [`PUBLIC`] admits, as API Gateway writes them: all of these schemes.
pub const PUBLIC_ORIGINS: [&str; 2] = ["https://*", "http://*"];

/// The policy of all other route tables. It admits the origins of the dashboard, which are a setting.
pub const PORTAL: Policy = Policy {
    methods: &["GET", "POST", "PUT", "PATCH", "DELETE"],
    request_headers: &[
        "authorization",
        "content-type",
        "idempotency-key",
        "idempotency-made-at",
        "x-expected-merchant",
        "pairing-attempt",
    ],
    exposed_headers: &["x-request-id", "idempotent-replayed", "retry-after", "money-moved", "session-merchant", "date"],
    max_age: 7200,
};

/// The CORS configuration of one route table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cors {
    pub(super) allows_any_origin: bool,
}

impl Cors {
    fn policy(self) -> &'static Policy {
        if self.allows_any_origin { &PUBLIC } else { &PORTAL }
    }

    /// The request's origin, if the policy admits it.
    fn admitted_origin(self, request_headers: &HeaderMap, settings: &Settings) -> Option<HeaderValue> {
        let value = request_headers.get(header::ORIGIN)?;
        let origin = value.to_str().ok()?;
        let is_admitted = if self.allows_any_origin {
            let schemes = PUBLIC_ORIGINS.iter().filter_map(|pattern| pattern.strip_suffix('*'));
            schemes.into_iter().any(|scheme| origin.len() > scheme.len() && origin.starts_with(scheme))
        } else {
            origin::is_dashboard(origin, settings)
        };
        is_admitted.then(|| value.clone())
    }

    /// Allows scripts of an admitted origin to read the response, errors included.
    pub(super) async fn allow_origin(self, app: App, request: Request, next: Next) -> Response {
        let origin = self.admitted_origin(request.headers(), &app.settings);
        let is_preflight = request.method() == Method::OPTIONS;
        let mut response = next.run(request).await;
        let headers = response.headers_mut();
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        if let Some(origin) = origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
            if !is_preflight {
                insert(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, &self.policy().exposed_headers.join(","));
            }
        }
        response
    }

    /// Responds to a preflight request. Any other method that the route does not support is a 405, as is a preflight
    /// request of an origin that the policy does not admit.
    pub(super) fn preflight(self, app: &App, method: &Method, request_headers: &HeaderMap) -> Result<Response, Fault> {
        let is_admitted = self.admitted_origin(request_headers, &app.settings).is_some();
        if method != Method::OPTIONS || !(is_admitted || self.allows_any_origin) {
            return Err(Fault::wrong_method());
        }
        let mut response = StatusCode::NO_CONTENT.into_response();
        if is_admitted {
            let (headers, policy) = (response.headers_mut(), self.policy());
            insert(headers, header::ACCESS_CONTROL_ALLOW_METHODS, &policy.methods.join(","));
            insert(headers, header::ACCESS_CONTROL_ALLOW_HEADERS, &policy.request_headers.join(","));
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from(policy.max_age));
        }
        Ok(response)
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
