//! A system of a merchant that receives webhooks.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use standardwebhooks::{Webhook, WebhookError};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A message as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether it was answered with 200 to 299, and in time.
    pub is_accepted: bool,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// How many of the signatures are by this secret, as the library of Standard Webhooks makes them.
    pub fn signatures_by(&self, secret: &str) -> usize {
        let timestamp = self.header("webhook-timestamp").parse().unwrap();
        let expected = Webhook::new(secret).unwrap().sign(self.header("webhook-id"), timestamp, &self.body).unwrap();
        self.header("webhook-signature").split(' ').filter(|signature| *signature == expected).count()
    }

    /// The verdict of the library of Standard Webhooks, whose clock is that of this machine.
    pub fn verify(&self, secret: &str) -> Result<(), WebhookError> {
        Webhook::new(secret).unwrap().verify(&self.body, &self.headers)
    }
}

#[derive(Debug, Default)]
struct State {
    received: Vec<Received>,
    /// The answers to the next messages. 204 without one.
    answers: VecDeque<Answer>,
    /// Messages that are being answered: now, and at most.
    at_once: usize,
    most_at_once: usize,
}

#[derive(Debug)]
enum Answer {
    /// With a `Retry-After`.
    Status(u16, Option<&'static str>),
    /// Once this is dropped.
    Held(u16, oneshot::Receiver<()>),
    /// The message is kept, and not answered as long as its sender waits.
    TooLate,
}

impl Answer {
    fn accepts(&self) -> bool {
        matches!(self, Self::Status(200..=299, _) | Self::Held(200..=299, _))
    }
}

/// Until it is dropped: also when the sender has given up.
struct Answering(Arc<Mutex<State>>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.lock().unwrap().at_once -= 1;
    }
}

/// Answers messages, and keeps them.
pub struct Receiver {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Receiver {
    pub async fn start() -> Self {
        let state: Arc<Mutex<State>> = Arc::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hooks", listener.local_addr().unwrap());
        let receiving = state.clone();
        let router = Router::new().fallback(move |headers: HeaderMap, body: Bytes| {
            let mut state = receiving.lock().unwrap();
            let answer = state.answers.pop_front();
            let is_accepted = answer.as_ref().is_none_or(Answer::accepts);
            state.received.push(Received { headers, body, is_accepted });
            state.at_once += 1;
            state.most_at_once = state.most_at_once.max(state.at_once);
            let answering = Answering(receiving.clone());
            async move {
                let _answering = answering;
                respond(answer).await
            }
        });
        tokio::spawn(async { axum::serve(listener, router).await });
        Self { url, state }
    }

    /// The most messages that were being answered at the same time.
    pub fn most_at_once(&self) -> usize {
        self.state.lock().unwrap().most_at_once
    }

    /// Sets the answers to the next messages.
    pub fn answer(&self, answers: impl IntoIterator<Item = u16>) {
        self.state.lock().unwrap().answers.extend(answers.into_iter().map(|status| Answer::Status(status, None)));
    }

    /// Answers the next message once what this returns is dropped.
    pub fn hold(&self, status: u16) -> oneshot::Sender<()> {
        let (sender, receiver) = oneshot::channel();
        self.state.lock().unwrap().answers.push_back(Answer::Held(status, receiver));
        sender
    }

    /// Does not answer the next message in time.
    pub fn answer_too_late(&self) {
        self.state.lock().unwrap().answers.push_back(Answer::TooLate);
    }

    /// Forgets the answers that were set: the next messages are accepted.
    pub fn recover(&self) {
        self.state.lock().unwrap().answers.clear();
    }

    pub fn ask_to_wait(&self, status: u16, retry_after: &'static str) {
        self.state.lock().unwrap().answers.push_back(Answer::Status(status, Some(retry_after)));
    }

    /// Returns the messages since the last call, oldest first.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut self.state.lock().unwrap().received)
    }
}

async fn respond(answer: Option<Answer>) -> Response {
    let (status, retry_after) = match answer {
        None => (204, None),
        Some(Answer::Status(status, retry_after)) => (status, retry_after),
        Some(Answer::Held(status, held)) => {
            let _dropped = held.await;
            (status, None)
        }
        Some(Answer::TooLate) => std::future::pending().await,
    };
    let headers = retry_after.map(|seconds| [("retry-after", seconds.to_owned())]);
    let status = StatusCode::from_u16(status).unwrap();
    match headers {
        Some(headers) => (status, headers).into_response(),
        None => status.into_response(),
    }
}
