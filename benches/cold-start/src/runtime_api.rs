//! The Lambda Runtime API, with a stopwatch: when a function asks for an event, and when it answers.

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

/// What a function did, and when.
#[derive(Debug)]
pub(crate) enum Step {
    AskedForAnEvent(Instant),
    Answered(Instant, Bytes),
    Failed(Bytes),
}

/// The API for one function. It stops when this is dropped.
pub(crate) struct RuntimeApi {
    pub(crate) address: SocketAddr,
    events: mpsc::UnboundedSender<Bytes>,
    steps: mpsc::UnboundedReceiver<Step>,
    _connections: JoinSet<()>,
}

#[derive(Clone)]
struct Watch {
    events: Arc<Mutex<mpsc::UnboundedReceiver<Bytes>>>,
    steps: mpsc::UnboundedSender<Step>,
}

impl RuntimeApi {
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (events, next) = mpsc::unbounded_channel();
        let (stepped, steps) = mpsc::unbounded_channel();
        let watch = Watch { events: Arc::new(Mutex::new(next)), steps: stepped };
        let mut connections = JoinSet::new();
        connections.spawn(serve(listener, None, watch));
        Ok(Self { address, events, steps, _connections: connections })
    }

    /// Hands an event to the function, which has asked for it.
    pub(crate) fn hand_over(&self, event: &Value) {
        // Nobody listens only where the function is gone, and then no step comes, either.
        drop(self.events.send(event.to_string().into()));
    }

    pub(crate) async fn step(&mut self) -> Option<Step> {
        self.steps.recv().await
    }
}

impl Handler for Watch {
    type Failure = hyper::Error;

    async fn answer(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
        let path = request.uri().path().to_owned();
        if path.ends_with("/next") {
            return Ok(self.next().await.map(Full::new));
        }
        let body = request.into_body().collect().await?.to_bytes();
        let answered = path.ends_with("/response");
        let step = if answered { Step::Answered(Instant::now(), body) } else { Step::Failed(body) };
        drop(self.steps.send(step));
        let mut accepted = Response::default();
        *accepted.status_mut() = StatusCode::ACCEPTED;
        Ok(accepted)
    }
}

impl Watch {
    async fn next(&self) -> Response<Bytes> {
        drop(self.steps.send(Step::AskedForAnEvent(Instant::now())));
        match self.events.lock().await.recv().await {
            Some(event) => invocation(event),
            None => match std::future::pending::<Infallible>().await {},
        }
    }
}

fn invocation(event: Bytes) -> Response<Bytes> {
    #[expect(clippy::disallowed_methods, reason = "the deadline is one of the machine's clock")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let headers = [
        ("lambda-runtime-aws-request-id", "8476a536-e9f4-11e8-9739-2dfe598c3fcd".to_owned()),
        ("lambda-runtime-deadline-ms", (now + TIMEOUT).as_millis().to_string()),
        (
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-west-1:123456789012:function:f".to_owned(),
        ),
        ("content-type", "application/json".to_owned()),
    ];
    let response =
        headers.into_iter().fold(Response::builder(), |response, (name, value)| response.header(name, value));
    response.body(event).unwrap_or_default()
}
