//! What is known of one request beyond the request itself.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderName};
use jiff::{SignedDuration, Timestamp};
use lambda_http::request::RequestContext;

use crate::app::App;
use crate::clock::Clock;

/// One invocation of a function: its id, its caller's address, the time it has, and the part of it that others took.
/// Clones are of the same invocation.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub request_id: String,
    /// The address that API Gateway saw, or the one that a trusted proxy in front of it names; none for events that
    /// are made by hand.
    pub caller: Option<IpAddr>,
    pub deadline: Timestamp,
    clock: Clock,
    /// Milliseconds.
    waited: Arc<AtomicU64>,
}

/// No answer takes longer than this, however much time a function is given.
const LONGEST: SignedDuration = SignedDuration::from_millis(14_500);
/// Left over for the way back, once a function has answered.
const RESERVE: SignedDuration = SignedDuration::from_millis(500);

impl Invocation {
    /// An invocation that has as much time as there is, for work that no request asked for.
    pub fn of_worker(clock: &Clock, request_id: String) -> Self {
        let deadline = later(clock.now(), LONGEST);
        Self { request_id, caller: None, deadline, clock: clock.clone(), waited: Arc::default() }
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
            waited: Arc::default(),
        }
    }

    /// How long the invocation may still take.
    pub fn time_left(&self) -> Duration {
        Duration::try_from(self.deadline.duration_since(self.clock.now())).unwrap_or_default()
    }

    /// Waits for the answer of somebody outside, and says for how many milliseconds.
    pub async fn wait_for<T>(&self, answer: impl Future<Output = T>) -> (T, u64) {
        let started = self.clock.now();
        let answer = answer.await;
        let milliseconds = self.clock.milliseconds_since(started);
        self.waited.fetch_add(milliseconds, Ordering::Relaxed);
        (answer, milliseconds)
    }

    /// All that was waited for until now, in milliseconds. Calls made at the same time count one by one.
    pub fn upstream_milliseconds(&self) -> u64 {
        self.waited.load(Ordering::Relaxed)
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

    #[tokio::test]
    async fn waits_add_up_whichever_clone_waits() {
        let hands = Arc::new(AtomicU64::new(0));
        let clock = {
            let hands = hands.clone();
            Clock::new(move || {
                Timestamp::from_millisecond(hands.load(Ordering::Relaxed).cast_signed()).unwrap()
            })
        };
        let invocation = Invocation::of_worker(&clock, "r".to_owned());
        for (waiting, milliseconds) in [(&invocation, 30), (&invocation.clone(), 12)] {
            let answer = async { hands.fetch_add(milliseconds, Ordering::Relaxed) };
            assert_eq!(waiting.wait_for(answer).await.1, milliseconds);
        }
        assert_eq!(invocation.upstream_milliseconds(), 42);
    }

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
