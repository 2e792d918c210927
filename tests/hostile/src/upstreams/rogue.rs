//! A server of raw TCP that answers each call with a behaviour.

use std::collections::HashMap;
use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::behaviours::{Act, Behaviour};

/// Longer requests are cut.
const MAX_REQUEST_BYTES: usize = 1024 * 1024;

/// A request as it came.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The head, with the request line.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// All bytes of the request.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), b"\r\n\r\n", &self.body].concat()
    }

    /// Reads the next request of a connection. `None` if it ends before.
    pub(crate) async fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut read = Vec::new();
        loop {
            let end = read.windows(4).position(|bytes| bytes == b"\r\n\r\n");
            if let Some(end) = end {
                let head = String::from_utf8_lossy(&read[..end]).into_owned();
                let mut words = head.split(' ').map(str::to_owned);
                let (method, path) = (words.next()?, words.next()?);
                let mut request = Self { method, path, head, body: read.split_off(end + 4) };
                let length: usize = request.header("content-length").map_or(0, |length| length.parse().unwrap());
                while request.body.len() < length {
                    receive(stream, &mut request.body).await?;
                }
                return Some(request);
            }
            receive(stream, &mut read).await?;
        }
    }
}

async fn receive(stream: &mut TcpStream, into: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 8192];
    let length = stream.read(&mut buffer).await.ok().filter(|length| *length > 0)?;
    into.extend(&buffer[..length]);
    (into.len() <= MAX_REQUEST_BYTES).then_some(())
}

/// What the honest network or verifier would answer to a request, which behaviours distort.
pub(crate) struct Honest {
    pub(crate) request: Request,
    /// The JSON of the body.
    pub(crate) body: String,
    /// A server to which nothing may lead.
    pub(crate) trap: String,
}

/// Which behaviour answers a call, and with what it begins.
type Choose = dyn Fn(&Request) -> (Option<&'static Behaviour>, Value) + Send + Sync;

/// Answers calls with behaviours. It stops when dropped.
pub(crate) struct Rogue {
    pub(crate) url: String,
    /// Whether all calls are answered honestly.
    pub(crate) is_honest: Arc<AtomicBool>,
    _server: JoinSet<()>,
}

impl Rogue {
    /// `choose` returns the behaviour that answers a call, or none for an honest answer, and the honest answer.
    pub(crate) async fn start(
        trap: &Trap,
        choose: impl Fn(&Request) -> (Option<&'static Behaviour>, Value) + Send + Sync + 'static,
    ) -> Self {
        let (url, listener) = listen().await;
        let is_honest = Arc::new(AtomicBool::new(false));
        let choose: Arc<Choose> = Arc::new(choose);
        let mut server = JoinSet::new();
        let (honest, trap) = (is_honest.clone(), trap.url.clone());
        server.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                while connections.try_join_next().is_some() {}
                connections.spawn(converse(stream, choose.clone(), honest.clone(), trap.clone()));
            }
        });
        Self { url, is_honest, _server: server }
    }
}

pub(crate) async fn listen() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    (format!("http://{}", listener.local_addr().unwrap()), listener)
}

/// Answers the requests of a connection for as long as it is left open.
async fn converse(mut stream: TcpStream, choose: Arc<Choose>, honest: Arc<AtomicBool>, trap: String) {
    while let Some(request) = Request::read(&mut stream).await {
        let (behaviour, body) = choose(&request);
        let behaviour = behaviour.filter(|_| !honest.load(Ordering::Relaxed));
        let context = Honest { request, body: body.to_string(), trap: trap.clone() };
        let stays_open = match behaviour {
            Some(behaviour) => perform(&behaviour.act, &context, &mut stream).await,
            None => {
                let status = if context.body == "null" { "404 Not Found" } else { "200 OK" };
                let length = context.body.len();
                let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
                stream.write_all(format!("{head}{}", context.body).as_bytes()).await.is_ok()
            }
        };
        if !stays_open {
            let _ = stream.shutdown().await;
            return;
        }
    }
}

/// Returns whether the connection stays open. Errors are the other side's: it has closed the connection.
async fn perform(act: &Act, honest: &Honest, stream: &mut TcpStream) -> bool {
    match act {
        Act::Answer(bytes) => {
            let _ = stream.write_all(&bytes(honest)).await;
            false
        }
        Act::AnswerAndStay(bytes) => stream.write_all(&bytes(honest)).await.is_ok(),
        Act::AnswerAndHang(bytes) => {
            let _ = stream.write_all(&bytes(honest)).await;
            until_closed(stream).await;
            false
        }
        Act::AnswerAfter(pause, bytes) => {
            tokio::time::sleep(*pause).await;
            let _ = stream.write_all(&bytes(honest)).await;
            false
        }
        Act::Trickle(pause, bytes) => {
            for byte in bytes(honest) {
                if stream.write_all(&[byte]).await.is_err() {
                    return false;
                }
                tokio::time::sleep(*pause).await;
            }
            false
        }
        Act::Repeat { start, chunk, times } => {
            if stream.write_all(&start(honest)).await.is_err() {
                return false;
            }
            let chunk = chunk();
            for _ in 0..*times {
                if stream.write_all(&chunk).await.is_err() {
                    return false;
                }
            }
            false
        }
        Act::Reset => {
            let _ = stream.set_zero_linger();
            false
        }
    }
}

async fn until_closed(stream: &mut TcpStream) {
    let mut buffer = [0; 64];
    while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {}
}

/// A server that nobody may connect to: it counts those who do, and keeps what they send.
pub(crate) struct Trap {
    pub(crate) url: String,
    connections: Arc<AtomicUsize>,
    _server: JoinSet<()>,
}

impl Trap {
    pub(crate) async fn start() -> Self {
        let (url, listener) = listen().await;
        let connections: Arc<AtomicUsize> = Arc::default();
        let counted = connections.clone();
        let mut server = JoinSet::new();
        server.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}").await;
            }
            pending::<()>().await;
        });
        Self { url, connections, _server: server }
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// What the network knows of references: the merchant's number, and what it says when it is asked.
#[derive(Clone, Default)]
pub(crate) struct References(Arc<Mutex<HashMap<String, (usize, Value)>>>);

impl References {
    pub(crate) fn remember(&self, reference: &str, number: usize, answer: Value) {
        let mut references = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        references.entry(reference.to_owned()).or_insert((number, answer));
    }

    pub(crate) fn get(&self, reference: &str) -> Option<(usize, Value)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(reference).cloned()
    }
}

/// A reply to the question for an operation.
pub(crate) fn recorded(reference: &str, kind: &str, status: u16, result: &Value) -> Value {
    let word = if status < 400 { "SUCCEEDED" } else { "FAILED" };
    json!({"reference": reference, "kind": kind, "status": word, "httpStatus": status, "result": result})
}

/// Pauses of behaviours that are slower than any time-out.
pub(crate) const SLOW: Duration = Duration::from_millis(300);
