//! Requests as bytes on a connection, where no HTTP client stands in the way.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// A request that has no answer by then hangs.
const PATIENCE: Duration = Duration::from_secs(20);
/// No answer is larger.
const MAX_ANSWER_BYTES: usize = 20 * 1024 * 1024;

/// A request, part by part. Nothing of it needs to be valid.
#[derive(Debug, Clone)]
pub(super) struct Wire {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) version: &'static str,
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    pub(super) framing: Framing,
    pub(super) line_end: &'static str,
    /// How many bytes are sent before the client ends its side of the connection. `None` for all.
    pub(super) cut_at: Option<usize>,
}

/// How the length of the body is told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Framing {
    None,
    Length,
    /// The lines before the body, and the body as it is sent.
    Raw(String, Vec<u8>),
}

/// What came of a request.
#[derive(Debug)]
pub(super) enum Outcome {
    Answered(WireAnswer),
    /// The connection was closed without an answer.
    Closed,
    /// Neither an answer nor the end.
    Hung,
    /// Something that is no HTTP.
    Unreadable(Vec<u8>),
}

#[derive(Debug)]
pub(super) struct WireAnswer {
    pub(super) status: u16,
    /// With names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl WireAnswer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Wire {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let end = self.line_end;
        let mut bytes = format!("{} {} {}{end}", self.method, self.target, self.version).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend([name.as_bytes(), b": ", value, end.as_bytes()].concat());
        }
        match &self.framing {
            Framing::None => bytes.extend(end.as_bytes()),
            Framing::Length => {
                bytes.extend(format!("Content-Length: {}{end}{end}", self.body.len()).into_bytes());
                bytes.extend(&self.body);
            }
            Framing::Raw(lines, body) => {
                bytes.extend(format!("{lines}{end}").into_bytes());
                bytes.extend(body);
            }
        }
        bytes.truncate(self.cut_at.unwrap_or(usize::MAX));
        bytes
    }

    /// Sends the request from an address of this machine.
    pub(super) async fn send(&self, server: SocketAddr, from: Ipv4Addr) -> Outcome {
        timeout(PATIENCE, self.exchange(server, from)).await.unwrap_or(Outcome::Hung)
    }

    async fn exchange(&self, server: SocketAddr, from: Ipv4Addr) -> Outcome {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        let mut connection = socket.connect(server).await.unwrap();
        // The server may answer and close before it has read everything.
        let sent = connection.write_all(&self.bytes()).await;
        if sent.is_ok() && self.cut_at.is_some() {
            let _ = connection.shutdown().await;
        }
        read(&mut connection, self.method == "HEAD").await
    }
}

async fn read(connection: &mut TcpStream, is_head: bool) -> Outcome {
    let mut received = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        if let Some(answer) = parse(&received, is_head, false) {
            return Outcome::Answered(answer);
        }
        match connection.read(&mut buffer).await {
            Ok(read @ 1..) if received.len() < MAX_ANSWER_BYTES => received.extend(&buffer[..read]),
            _ => break,
        }
    }
    match parse(&received, is_head, true) {
        Some(answer) => Outcome::Answered(answer),
        None if received.is_empty() => Outcome::Closed,
        None => Outcome::Unreadable(received),
    }
}

/// The answer, if it is complete.
fn parse(received: &[u8], is_head: bool, has_ended: bool) -> Option<WireAnswer> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&received[..end]);
    let mut lines = head.split("\r\n");
    let status: u16 = lines.next()?.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
    let body = &received[end + 4..];
    if status < 200 && status != 101 {
        return parse(body, is_head, has_ended);
    }
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse::<usize>().ok());
    let has_no_body = is_head || matches!(status, 101 | 204 | 304);
    let body = match length {
        _ if has_no_body => Vec::new(),
        Some(length) => body.get(..length)?.to_owned(),
        None if has_ended => body.to_owned(),
        None => return None,
    };
    Some(WireAnswer { status, headers, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_once_they_are_complete() {
        let statuses = |received: &str, has_ended| parse(received.as_bytes(), false, has_ended).map(|answer| answer.status);
        for (received, has_ended, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", false, Some(200)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}", true, None),
            ("HTTP/1.1 200 OK\r\n\r\n{}", false, None),
            ("HTTP/1.1 200 OK\r\n\r\n{}", true, Some(200)),
            ("HTTP/1.1 100 Continue\r\n\r\n", true, None),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 400 No\r\nContent-Length: 0\r\n\r\n", false, Some(400)),
            ("HTTP/1.1 204 No Content\r\n\r\n", false, Some(204)),
            ("<html>", true, None),
        ] {
            assert_eq!(statuses(received, has_ended), expected, "{received}");
        }
    }
}
