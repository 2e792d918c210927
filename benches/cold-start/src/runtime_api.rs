//! The Lambda Runtime API for one function. Records when the function requests an event and when it responds.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use crate::server::{Handler, serve};

const TIMEOUT: Duration = Duration::from_secs(15);

/// A call of the function to the Runtime API.
#[derive(Debug)]
pub(crate) enum Step {
    NextRequested(Instant),
    Responded(Instant, Bytes),
    Failed(Bytes),
}

pub(crate) struct RuntimeApi {
    pub(crate) address: SocketAddr,
    events: mpsc::UnboundedSender<Bytes>,
    steps: mpsc::UnboundedReceiver<Step>,
    _connections: JoinSet<()>,
}

#[derive(Clone)]
struct Recorder {
    events: Arc<Mutex<mpsc::UnboundedReceiver<Bytes>>>,
    steps: mpsc::UnboundedSender<Step>,
}

impl RuntimeApi {
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (events, event_receiver) = mpsc::unbounded_channel();
        let (step_sender, steps) = mpsc::unbounded_channel();
        let recorder = Recorder { events: Arc::new(Mutex::new(event_receiver)), steps: step_sender };
        let mut connections = JoinSet::new();
        connections.spawn(serve(listener, None, recorder));
        Ok(Self { address, events, steps, _connections: connections })
    }

    pub(crate) fn send(&self, event: &Value) {
        // Fails only if the server has stopped. In this case `step` returns `None`.
        drop(self.events.send(event.to_string().into()));
    }

    pub(crate) async fn step(&mut self) -> Option<Step> {
        self.steps.recv().await
    }
}

impl Handler for Recorder {
    type Error = hyper::Error;

    async fn handle(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
        let path = request.uri().path().to_owned();
        if path.ends_with("/next") {
            return Ok(self.next().await.map(Full::new));
        }
        let body = request.into_body().collect().await?.to_bytes();
        let is_response = path.ends_with("/response");
        let step = if is_response { Step::Responded(Instant::now(), body) } else { Step::Failed(body) };
        drop(self.steps.send(step));
        let mut accepted = Response::default();
        *accepted.status_mut() = StatusCode::ACCEPTED;
        Ok(accepted)
    }
}

impl Recorder {
    async fn next(&self) -> Response<Bytes> {
        drop(self.steps.send(Step::NextRequested(Instant::now())));
        match self.events.lock().await.recv().await {
            Some(event) => invocation(event),
            None => match std::future::pending::<Infallible>().await {},
        }
    }
}

fn invocation(event: Bytes) -> Response<Bytes> {
    #[expect(clippy::disallowed_methods, reason = "the function compares the deadline with the system clock")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let headers = [
        ("lambda-runtime-aws-request-id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd".to_owned()),
        ("lambda-runtime-deadline-ms", (now + TIMEOUT).as_millis().to_string()),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:eu-west-1:123456789012:function:f".to_owned()),
        ("content-type", "application/json".to_owned()),
    ];
    let response = headers.into_iter().fold(Response::builder(), |response, (name, value)| response.header(name, value));
    response.body(event).unwrap_or_default()
}
