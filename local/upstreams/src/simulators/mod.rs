//! The outside providers, simulated: they speak the providers' HTTP contracts and keep books of their own, so that
//! what they did can be compared with what the portal recorded.

pub mod card_network;
pub mod verifier;

use std::fs;
use std::future::Future;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use percent_encoding::percent_decode_str;
use serde::Serialize;
use serde::de::DeserializeOwned;
use subtle::ConstantTimeEq;

use crate::calls::UpstreamCalls;
use crate::faults::{Call, Faults, Target};
use crate::journal::Journal;
use crate::server::{Reply, with_fault};

/// Where every call to a simulator passes: it is written down, and it fails if somebody asked for that.
#[derive(Debug, Clone)]
struct Gate {
    target: Target,
    faults: Faults,
    calls: UpstreamCalls,
}

impl Gate {
    /// Answers with the reply of `operation`, or as the fault in its place says.
    async fn pass(&self, request: &Request<Bytes>, operation: impl Future<Output = Reply>) -> Reply {
        let (method, path) = (request.method(), request.uri().path());
        let call = self.calls.record(self.target, method, path, request.headers(), request.body());
        let operation_name = format!("{method} {path}");
        let fault = self.faults.take(Call {
            target: self.target,
            operation: &operation_name,
            headers: request.headers(),
        });
        let reply = with_fault(fault, throttled, operation).await;
        if let Reply::Send(response) = &reply {
            self.calls.answered(call, response.status());
        }
        reply
    }
}

fn throttled() -> Reply {
    const SECONDS: HeaderValue = HeaderValue::from_static("30");
    let mut reply = refusal(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMITED", "too many calls");
    if let Reply::Send(response) = &mut reply {
        response.headers_mut().insert(RETRY_AFTER, SECONDS);
    }
    reply
}

/// An error body as both providers write it.
#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
}

fn refusal(status: StatusCode, code: &str, message: &str) -> Reply {
    Reply::json(status, &ErrorBody { code, message })
}

/// The journal `name` below the data directory, read back into `replay`; without a directory one in memory.
fn open_journal<E: DeserializeOwned>(
    data: Option<&Path>,
    name: &str,
    replay: impl FnMut(E),
) -> io::Result<Journal> {
    let Some(data) = data else { return Ok(Journal::in_memory()) };
    fs::create_dir_all(data)?;
    Journal::open(&data.join(name), replay)
}

/// The parts of a path between its slashes, decoded.
fn segments(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Compares secrets in a time that does not tell where they differ.
fn same_secret(given: &str, expected: &str) -> bool {
    given.as_bytes().ct_eq(expected.as_bytes()).into()
}

/// A client for calls to the portal. It brings its own roots and crypto: it asks nothing of the process around it.
fn http_client() -> io::Result<reqwest::Client> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy().build().map_err(io::Error::other)
}
