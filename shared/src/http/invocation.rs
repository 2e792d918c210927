//! What is known of one request beyond the request itself.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderName};
use jiff::{SignedDuration, Timestamp};
use lambda_http::request::RequestContext;

use crate::app::App;
use crate::clock::Clock;

/// One invocation of a function: its id, its caller's address, and the time it has.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub request_id: String,
    /// The address that API Gateway saw, or the one that a trusted proxy in front of it names; none for events that
    /// are made by hand.
    pub caller: Option<IpAddr>,
    pub deadline: Timestamp,
    clock: Clock,
}

/// No answer takes longer than this, however much time a function is given.
const LONGEST: SignedDuration = SignedDuration::from_millis(14_500);
/// Left over for the way back, once a function has answered.
const RESERVE: SignedDuration = SignedDuration::from_millis(500);

impl Invocation {
    /// An invocation that has as much time as there is, for work that no request asked for.
    pub fn of_worker(clock: &Clock, request_id: String) -> Self {
        let deadline = later(clock.now(), LONGEST);
        Self { request_id, caller: None, deadline, clock: clock.clone() }
    }

    pub(super) fn of_request(app: &App, headers: &HeaderMap, extensions: &Extensions) -> Self {
        let named = app.settings.client_address_header.as_ref().and_then(|name| named_address(headers, name));
        let context = extensions.get::<lambda_http::Context>();
        let now = app.clock.now();
        let given =
            context.and_then(|context| i64::try_from(context.deadline).ok()).filter(|deadline| *deadline > 0);
        let given = given.and_then(|deadline| Timestamp::from_millisecond(deadline).ok());
        let deadline = given
            .map_or_else(|| later(now, LONGEST), |given| later(given, -RESERVE).min(later(now, LONGEST)));
        Self {
            request_id: context.map(|context| context.request_id.clone()).unwrap_or_default(),
            caller: named.or_else(|| extensions.get().and_then(source_address)),
            deadline,
            clock: app.clock.clone(),
        }
    }

    /// How long the invocation may still take.
    pub fn time_left(&self) -> Duration {
        Duration::try_from(self.deadline.duration_since(self.clock.now())).unwrap_or_default()
    }
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(at)
}

fn source_address(context: &RequestContext) -> Option<IpAddr> {
    match context {
        RequestContext::ApiGatewayV2(context) => context.http.source_ip.as_deref()?.parse().ok(),
        RequestContext::ApiGatewayV1(context) => context.identity.source_ip.as_deref()?.parse().ok(),
        _ => None,
    }
}

/// One address, with or without a port.
fn named_address(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    text.parse().or_else(|_| text.parse().map(|with_port: SocketAddr| with_port.ip())).ok()
}

impl FromRequestParts<App> for Invocation {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let known = parts.extensions.get::<Self>().cloned();
        Ok(known.unwrap_or_else(|| Self::of_request(app, &parts.headers, &parts.extensions)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_one_address_or_none() {
        for (value, address) in [
            ("192.0.2.1", Some("192.0.2.1")),
            (" 192.0.2.1:443 ", Some("192.0.2.1")),
            ("2001:db8::1", Some("2001:db8::1")),
            ("[2001:db8::1]:443", Some("2001:db8::1")),
            ("192.0.2.1, 192.0.2.2", None),
            ("unknown", None),
            ("", None),
        ] {
            let name = HeaderName::from_static("x-client");
            let headers = HeaderMap::from_iter([(name.clone(), value.parse().unwrap())]);
            let expected = address.map(|address| address.parse().unwrap());
            assert_eq!(named_address(&headers, &name), expected, "{value}");
        }
    }
}
