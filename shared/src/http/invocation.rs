//! What is known of one request beyond the request itself.

use std::convert::Infallible;
use std::net::IpAddr;
use std::time::Duration;

use axum::extract::FromRequestParts;
use http::Extensions;
use http::request::Parts;
use jiff::{SignedDuration, Timestamp};
use lambda_http::request::RequestContext;

use crate::app::App;
use crate::clock::Clock;

/// One invocation of a function: its id, its caller's address, and the time it has.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub request_id: String,
    /// The address that API Gateway saw; none for events that are made by hand.
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

    pub(super) fn of_request(app: &App, extensions: &Extensions) -> Self {
        let context = extensions.get::<lambda_http::Context>();
        let now = app.clock.now();
        let given =
            context.and_then(|context| i64::try_from(context.deadline).ok()).filter(|deadline| *deadline > 0);
        let given = given.and_then(|deadline| Timestamp::from_millisecond(deadline).ok());
        let deadline = given
            .map_or_else(|| later(now, LONGEST), |given| later(given, -RESERVE).min(later(now, LONGEST)));
        Self {
            request_id: context.map(|context| context.request_id.clone()).unwrap_or_default(),
            caller: extensions.get().and_then(source_address),
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

impl FromRequestParts<App> for Invocation {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let known = parts.extensions.get::<Self>().cloned();
        Ok(known.unwrap_or_else(|| Self::of_request(app, &parts.extensions)))
    }
}
