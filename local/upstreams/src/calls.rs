//! The calls that the simulators received, oldest first, for a test to look at.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderMap, Method, StatusCode};
use serde::Serialize;
use serde_json::Value;

use crate::faults::Target;

/// One call as an upstream saw it.
#[derive(Debug, Clone, Serialize)]
pub struct UpstreamCall {
    pub target: Target,
    pub method: String,
    pub path: String,
    /// By lower-case name.
    pub headers: BTreeMap<String, String>,
    /// JSON where it parses, else the text.
    pub body: Value,
    /// None while or when no answer was sent.
    pub status: Option<u16>,
}

/// The log of calls. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct UpstreamCalls(Arc<Mutex<Vec<UpstreamCall>>>);

/// Where a call stands in the log, to add its status once known.
#[derive(Debug, Clone, Copy)]
pub struct CallNumber(usize);

impl UpstreamCalls {
    /// Every call so far.
    pub fn all(&self) -> Vec<UpstreamCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn record(
        &self,
        target: Target,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
        body: &[u8],
    ) -> CallNumber {
        let text = || Value::String(String::from_utf8_lossy(body).into_owned());
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            })
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
        CallNumber(calls.len() - 1)
    }

    pub(crate) fn answered(&self, number: CallNumber, status: StatusCode) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = calls.get_mut(number.0) {
            call.status = Some(status.as_u16());
        }
    }
}
