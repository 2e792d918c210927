//! Simulators of the external providers. They implement the HTTP contracts of the providers and keep their own
//! records, so that tests can compare these with the records of the portal.

pub mod card_network;
pub mod verifier;

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use subtle::ConstantTimeEq;

use crate::calls::UpstreamCalls;
use crate::faults::{Call, Faults, Target};
use crate::guard::Guard;
use crate::server::{Reply, with_fault};

/// Configuration of a simulator.
#[derive(Debug, Clone, Default)]
pub struct SimulatorOptions {
    /// The directory for the state. `None` keeps the state in memory.
    pub data: Option<PathBuf>,
    /// The port to listen on. 0 selects a free port.
    pub port: u16,
    /// What callers have to send: as a bearer token to the card network, in `X-Auth-Client` to the verifier.
    pub api_key: String,
    pub faults: Faults,
    pub calls: UpstreamCalls,
    pub guard: Guard,
}

/// Logs each call to a simulator and applies injected faults.
#[derive(Debug, Clone)]
struct Interceptor {
    target: Target,
    faults: Faults,
    calls: UpstreamCalls,
}

impl Interceptor {
    async fn intercept(&self, request: &Request<Bytes>, operation: impl Future<Output = Reply>) -> Reply {
        let (method, path) = (request.method(), request.uri().path());
        let call = self.calls.record(self.target, method, path, request.headers(), request.body());
        let operation_name = format!("{method} {path}");
        let fault = self.faults.take(Call { target: self.target, operation: &operation_name, headers: request.headers() });
        let reply = with_fault(fault, throttled, operation).await;
        if let Reply::Send(response) = &reply {
            self.calls.set_status(call, response.status());
        }
        reply
    }
}

fn throttled() -> Reply {
    const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("30");
    let mut reply = error_reply(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMITED", "too many calls");
    if let Reply::Send(response) = &mut reply {
        response.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_SECONDS);
    }
    reply
}

/// The error body of both providers.
#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
}

fn error_reply(status: StatusCode, code: &str, message: &str) -> Reply {
    Reply::json(status, &ErrorBody { code, message })
}

/// The percent-decoded segments of a path.
fn segments(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned()).collect()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Compares secrets in constant time.
fn secrets_match(actual: &str, expected: &str) -> bool {
    actual.as_bytes().ct_eq(expected.as_bytes()).into()
}

/// Builds a client for calls to the portal. Its root certificates and crypto provider are set explicitly, so it does
/// not depend on the defaults of the process.
fn http_client() -> io::Result<reqwest::Client> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build().map_err(io::Error::other)
}
