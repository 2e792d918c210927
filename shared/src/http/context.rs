//! What API Gateway and Lambda know about a request: its invocation, whether it has passed through the front door, and the
//! address of its client.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderName, StatusCode, header};
use jiff::Timestamp;
use lambda_http::request::RequestContext;
use subtle::ConstantTimeEq;

use super::fault::Fault;
use crate::app::App;
use crate::base::invocation::Invocation;
use crate::base::settings::{FrontDoor, Settings};
use crate::values::Language;

/// The invocation of a request, with the deadline that Lambda sets.
pub(super) fn invocation(app: &App, extensions: &Extensions) -> Invocation {
    let context = extensions.get::<lambda_http::Context>();
    let request_id = context.map(|context| context.request_id.clone()).unwrap_or_default();
    let invocation = Invocation::new(&app.clock, request_id);
    let deadline = context.and_then(|context| i64::try_from(context.deadline).ok());
    let deadline = deadline.filter(|deadline| *deadline > 0);
    match deadline.and_then(|deadline| Timestamp::from_millisecond(deadline).ok()) {
        Some(deadline) => invocation.until(deadline),
        None => invocation,
    }
}

impl FromRequestParts<App> for Invocation {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let known = parts.extensions.get::<Self>().cloned();
        Ok(known.unwrap_or_else(|| invocation(app, &parts.extensions)))
    }
}

/// The language that a browser prefers.
pub fn preferred_language(headers: &HeaderMap) -> Language {
    let accepted = headers.get_all(header::ACCEPT_LANGUAGE).into_iter().filter_map(|value| value.to_str().ok());
    Language::preferred(&accepted.collect::<Vec<_>>().join(","))
}

/// The header with the secret of the proxy in front of API Gateway.
pub(super) const FRONT_DOOR_SECRET: HeaderName = HeaderName::from_static("x-front-door-secret");

/// 403 if there is a proxy in front of API Gateway and the request has not passed through it: API Gateway can also be called
/// directly, past the limits of the proxy.
pub(super) fn require_front_door(headers: &HeaderMap, settings: &Settings) -> Result<(), Fault> {
    match &settings.front_door {
        Some(front_door) if !passed_through(front_door, headers) => {
            let fault = Fault::access(StatusCode::FORBIDDEN, "This address does not serve the API.");
            Err(fault.caused_by("the request has not passed through the front door"))
        }
        _ => Ok(()),
    }
}

/// Whether the request has a secret of the proxy. Compared in constant time, so that the secret cannot be guessed byte
/// by byte.
fn passed_through(front_door: &FrontDoor, headers: &HeaderMap) -> bool {
    let Some(sent) = headers.get(FRONT_DOOR_SECRET) else { return false };
    let secrets = [Some(&front_door.secret), front_door.previous_secret.as_ref()];
    secrets.into_iter().flatten().any(|secret| sent.as_bytes().ct_eq(secret.expose().as_bytes()).into())
}

/// The client's address: the one that API Gateway saw, or the one in the header of the proxy in front of it, through which every
/// request has passed that reaches a handler. `None` for events that were not made by API Gateway.
#[derive(Debug, Clone, Copy)]
pub struct ClientAddress(pub Option<IpAddr>);

impl FromRequestParts<App> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let front_door = app.settings.front_door.as_ref();
        let forwarded = front_door.and_then(|front_door| address_in_header(&parts.headers, &front_door.address_header));
        Ok(Self(forwarded.or_else(|| parts.extensions.get().and_then(source_address))))
    }
}

fn source_address(context: &RequestContext) -> Option<IpAddr> {
    match context {
        RequestContext::ApiGatewayV2(context) => context.http.source_ip.as_deref()?.parse().ok(),
        RequestContext::ApiGatewayV1(context) => context.identity.source_ip.as_deref()?.parse().ok(),
        _ => None,
    }
}

/// One address, with or without a port.
fn address_in_header(headers: &HeaderMap, name: &HeaderName) -> Option<IpAddr> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    text.parse().or_else(|_| text.parse().map(|with_port: SocketAddr| with_port.ip())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::settings::SecretString;

    #[test]
    fn the_proxy_can_send_either_of_its_secrets() {
        let front_door = |previous: Option<&str>| FrontDoor {
            address_header: HeaderName::from_static("x-client"),
            secret: SecretString::new("new"),
            previous_secret: previous.map(SecretString::new),
        };
        for (previous, sent, passes) in [
            (Some("old"), "new", true),
            (Some("old"), "old", true),
            (Some("old"), "older", false),
            (Some("old"), "", false),
            (None, "new", true),
            (None, "old", false),
            (None, "", false),
        ] {
            let headers = HeaderMap::from_iter([(FRONT_DOOR_SECRET, sent.parse().unwrap())]);
            assert_eq!(passed_through(&front_door(previous), &headers), passes, "{previous:?}, {sent}");
        }
        assert!(!passed_through(&front_door(None), &HeaderMap::new()));
    }

    #[test]
    fn a_header_contains_one_address_or_is_ignored() {
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
            assert_eq!(address_in_header(&headers, &name), expected, "{value}");
        }
    }
}
