//! The log of the calls that the simulators received, oldest first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderMap, Method, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::faults::Target;

/// One call as the upstream received it.
#[derive(Debug, Clone, Serialize)]
pub struct UpstreamCall {
    pub target: Target,
    pub method: String,
    pub path: String,
    /// Keyed by lower-case name.
    pub headers: BTreeMap<String, String>,
    /// The parsed JSON, or a JSON string with the raw text if the body is not valid JSON.
    pub body: Value,
    /// `None` until a reply is sent, and if none is ever sent.
    pub status: Option<u16>,
}

/// The call log. Clones share the same log.
#[derive(Debug, Clone, Default)]
pub struct UpstreamCalls(Arc<Mutex<Vec<UpstreamCall>>>);

impl UpstreamCalls {
    /// Returns every call so far, oldest first.
    pub fn all(&self) -> Vec<UpstreamCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the position of the call in the log.
    pub(crate) fn record(&self, target: Target, method: &Method, path: &str, headers: &HeaderMap, body: &[u8]) -> usize {
        let text = || Value::String(String::from_utf8_lossy(body).into_owned());
        let headers = headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let call = UpstreamCall {
            target,
            method: method.to_string(),
            path: path.to_owned(),
            headers,
            body: serde_json::from_slice(body).unwrap_or_else(|_| text()),
            status: None,
        };
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(call);
        calls.len() - 1
    }

    pub(crate) fn set_status(&self, call: usize, status: StatusCode) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = calls.get_mut(call) {
            call.status = Some(status.as_u16());
        }
    }
}
