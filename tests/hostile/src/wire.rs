//! HTTP as bytes on a connection, where no client stands in the way.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use world::ApiResponse;

/// A request that has no answer by then hangs.
const PATIENCE: Duration = Duration::from_secs(20);
/// No answer is larger.
const MAX_ANSWER_BYTES: usize = 20 * 1024 * 1024;

/// What came of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Answered(ApiResponse),
    /// The connection was closed without an answer.
    Closed,
    /// Neither an answer nor the end.
    Hung,
    /// Something that is no HTTP.
    Unreadable(Vec<u8>),
}

/// Sends these bytes from an address of this machine, and ends this side of the connection then if `is_all`.
pub(crate) async fn exchange(bytes: &[u8], server: SocketAddr, from: Ipv4Addr, is_all: bool) -> Outcome {
    let exchange = async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((from, 0).into()).unwrap();
        let mut connection = socket.connect(server).await.unwrap();
        // The server may answer and close before it has read everything.
        let sent = connection.write_all(bytes).await;
        if sent.is_ok() && is_all {
            let _ = connection.shutdown().await;
        }
        read(&mut connection, bytes.starts_with(b"HEAD ")).await
    };
    timeout(PATIENCE, exchange).await.unwrap_or(Outcome::Hung)
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
fn parse(received: &[u8], is_head: bool, has_ended: bool) -> Option<ApiResponse> {
    let end = received.windows(4).position(|window| window == b"\r\n\r\n")?;
    let mut lines = received[..end].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let status: u16 = std::str::from_utf8(lines.next()?.strip_prefix(b"HTTP/1.")?.get(2..5)?).ok()?.parse().ok()?;
    let body = &received[end + 4..];
    if status < 200 && status != 101 {
        return parse(body, is_head, has_ended);
    }
    let mut headers = HeaderMap::new();
    for line in lines {
        let colon = line.iter().position(|byte| *byte == b':')?;
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?;
        headers.append(HeaderName::from_bytes(&line[..colon]).ok()?, value);
    }
    let length = headers.get("content-length").and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let bytes = match length {
        _ if is_head || matches!(status, 101 | 204 | 304) => Vec::new(),
        Some(length) => body.get(..length)?.to_owned(),
        None if has_ended => body.to_owned(),
        None => return None,
    };
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&bytes)));
    Some(ApiResponse { status, headers, body, bytes })
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
