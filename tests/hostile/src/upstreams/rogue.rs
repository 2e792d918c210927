//! A server of raw TCP that answers each call with a behaviour.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::behaviours::{Act, Behaviour};
use crate::report::Report;

/// Longer requests are cut.
const MAX_REQUEST_BYTES: usize = 1024 * 1024;

/// A request as it came.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    /// The head, with the request line.
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        headers.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// All bytes of the request.
    pub(super) fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), b"\r\n\r\n", &self.body].concat()
    }

    /// Reads the next request of a connection. `None` if it ends before.
    async fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut read = Vec::new();
        let end = loop {
            if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end;
            }
            receive(stream, &mut read).await?;
        };
        let head = String::from_utf8_lossy(&read[..end]).into_owned();
        let mut words = head.split(' ').map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        let mut request = Self { method, path, head, body: read.split_off(end + 4) };
        let length: usize = request.header("content-length").map_or(0, |length| length.parse().unwrap());
        while request.body.len() < length {
            receive(stream, &mut request.body).await?;
        }
        Some(request)
    }
}

async fn receive(stream: &mut TcpStream, into: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 8192];
    let length = stream.read(&mut buffer).await.ok().filter(|length| *length > 0)?;
    into.extend(&buffer[..length]);
    (into.len() <= MAX_REQUEST_BYTES).then_some(())
}

/// What the honest upstream would answer to a request, which behaviours distort.
pub(super) struct Honest {
    pub(super) request: Request,
    /// The JSON of the body.
    pub(super) body: String,
    /// A server to which nothing may lead.
    pub(super) trap: String,
}

/// Which behaviour answers a call, or none for an honest answer, and the honest answer.
type Choose = dyn Fn(&Request) -> (Option<&'static Behaviour>, Value) + Send + Sync;

/// Answers calls with behaviours. It stops when dropped.
pub(super) struct Rogue {
    pub(super) url: String,
    is_honest: Arc<AtomicBool>,
    /// Connections to the trap.
    trapped: Arc<AtomicUsize>,
    _servers: JoinSet<()>,
}

impl Rogue {
    pub(super) async fn start(choose: impl Fn(&Request) -> (Option<&'static Behaviour>, Value) + Send + Sync + 'static) -> Self {
        let [(url, listener), (trap, trap_listener)] = [listen().await, listen().await];
        let (is_honest, trapped) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let choose: Arc<Choose> = Arc::new(choose);
        let (honest, counted) = (is_honest.clone(), trapped.clone());
        let mut servers = JoinSet::new();
        servers.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                while connections.try_join_next().is_some() {}
                connections.spawn(converse(stream, choose.clone(), honest.clone(), trap.clone()));
            }
        });
        servers.spawn(async move {
            while let Ok((mut stream, _)) = trap_listener.accept().await {
                counted.fetch_add(1, Ordering::Relaxed);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}").await;
            }
        });
        Self { url, is_honest, trapped, _servers: servers }
    }

    /// Answers all calls honestly from now on.
    pub(super) fn reform(&self) {
        self.is_honest.store(true, Ordering::Relaxed);
    }

    /// Nobody may have followed a redirect.
    pub(super) fn check_trap(&self, report: &Report) {
        match self.trapped.load(Ordering::Relaxed) {
            0 => {}
            trapped => report.breach(format!("{trapped} redirects were followed")),
        }
    }
}

async fn listen() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    (format!("http://{}", listener.local_addr().unwrap()), listener)
}

/// Answers the requests of a connection for as long as it is left open.
async fn converse(mut stream: TcpStream, choose: Arc<Choose>, is_honest: Arc<AtomicBool>, trap: String) {
    while let Some(request) = Request::read(&mut stream).await {
        let (behaviour, body) = choose(&request);
        let is_missing = body.is_null() || body.get("code").is_some();
        let honest = Honest { request, body: body.to_string(), trap: trap.clone() };
        let stays_open = match behaviour.filter(|_| !is_honest.load(Ordering::Relaxed)) {
            Some(behaviour) => perform(&behaviour.act, &honest, &mut stream).await,
            None => {
                let (status, length) = (if is_missing { "404 Not Found" } else { "200 OK" }, honest.body.len());
                let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n");
                stream.write_all((head + &honest.body).as_bytes()).await.is_ok()
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
    let is_open = match act {
        Act::Answer(bytes) | Act::AnswerAndStay(bytes) | Act::AnswerAndHang(bytes) => {
            stream.write_all(&bytes(honest)).await.is_ok()
        }
        Act::AnswerAfter(pause, bytes) => {
            tokio::time::sleep(*pause).await;
            stream.write_all(&bytes(honest)).await.is_ok()
        }
        Act::Trickle(pause, bytes) => {
            for byte in bytes(honest) {
                if stream.write_all(&[byte]).await.is_err() {
                    break;
                }
                tokio::time::sleep(*pause).await;
            }
            false
        }
        Act::Repeat { start, chunk, times } => {
            let (mut is_open, chunk) = (stream.write_all(&start(honest)).await.is_ok(), chunk());
            for _ in 0..*times {
                is_open = is_open && stream.write_all(&chunk).await.is_ok();
            }
            is_open
        }
        Act::Reset => stream.set_zero_linger().is_ok(),
    };
    if matches!(act, Act::AnswerAndHang(_)) {
        // Until the other side closes the connection.
        while receive(stream, &mut Vec::new()).await.is_some() {}
    }
    is_open && matches!(act, Act::AnswerAndStay(_))
}
