//! HTTP without a client that mends addresses.

use std::collections::BTreeMap;

use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::system::Answer;

/// Sends a request for a URL exactly as it is written, with these headers beside `Host`, which they can replace. The status is 0
/// if the connection was closed without a response.
pub(super) async fn send(method: Method, url: &str, headers: &[(&str, &str)]) -> Answer {
    let rest = url.strip_prefix("http://").unwrap_or_else(|| panic!("{url}"));
    let (host, target) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let names_host = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
    let own = [("Connection", "close"), ("Content-Length", "0"), ("Host", host)];
    let own = own.iter().take(if names_host { 2 } else { 3 });
    let lines: Vec<String> = own.chain(headers).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!("{method} {target} HTTP/1.1\r\n{}\r\n", lines.concat());
    let mut stream = TcpStream::connect(host.replace("localhost", "127.0.0.1")).await.unwrap();
    let mut response = Vec::new();
    // The server closes the connection at once if it cannot read the request.
    let _ = stream.write_all(request.as_bytes()).await;
    let _ = stream.read_to_end(&mut response).await;
    parse(&response)
}

fn parse(response: &[u8]) -> Answer {
    let end = response.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(response.len());
    let head = String::from_utf8_lossy(&response[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<_, _> = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.as_bytes().to_vec())).collect();
    Answer { status, headers, body: response.get(end + 4..).unwrap_or_default().to_vec() }
}
