//! The merchants' system that receives webhooks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;

/// The bodies of the messages that have arrived, by message id.
type Messages = BTreeMap<String, Vec<Bytes>>;

pub(super) struct Receiver {
    pub(super) url: String,
    messages: Arc<Mutex<Messages>>,
}

impl Receiver {
    pub(super) async fn start() -> Self {
        let messages: Arc<Mutex<Messages>> = Arc::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let receiving = messages.clone();
        let router = Router::new().fallback(move |headers: HeaderMap, body: Bytes| {
            let id = headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned();
            receiving.lock().unwrap().entry(id).or_default().push(body);
            async { StatusCode::NO_CONTENT }
        });
        tokio::spawn(async { axum::serve(listener, router).await });
        Self { url, messages }
    }

    /// The messages, each once. A second arrival of a message has the same bytes: others are returned as errors.
    pub(super) fn messages(&self) -> (Vec<Value>, Vec<String>) {
        let messages = self.messages.lock().unwrap();
        let differs = |bodies: &Vec<Bytes>| bodies.iter().any(|body| body != &bodies[0]);
        let errors = messages.iter().filter(|(_, bodies)| differs(bodies));
        let errors = errors.map(|(id, _)| format!("the message {id} arrived with different bodies")).collect();
        (messages.values().map(|bodies| serde_json::from_slice(&bodies[0]).unwrap()).collect(), errors)
    }
}
