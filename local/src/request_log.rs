//! The latest requests to the API, for the terminal and the console.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use serde::Serialize;

const KEPT: usize = 200;

/// A request that has been answered.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AnsweredRequest {
    pub(crate) at: Timestamp,
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    pub(crate) status: u16,
    /// The function that responded, if one did.
    pub(crate) function: Option<&'static str>,
    pub(crate) milliseconds: i128,
}

/// Clones share the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestLog {
    latest: Arc<Mutex<VecDeque<AnsweredRequest>>>,
    /// Whether each request is printed.
    prints: bool,
}

impl RequestLog {
    pub(crate) fn new(prints: bool) -> Self {
        Self { latest: Arc::default(), prints }
    }

    pub(crate) fn add(&self, request: AnsweredRequest) {
        if self.prints {
            let AnsweredRequest { method, path, status, function, milliseconds, .. } = &request;
            let function = function.unwrap_or("no function");
            println!("{status} {method:<6} {path}  {function}, {milliseconds} ms");
        }
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.len() == KEPT {
            latest.pop_front();
        }
        latest.push_back(request);
    }

    /// Oldest first.
    pub(crate) fn latest(&self) -> Vec<AnsweredRequest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
