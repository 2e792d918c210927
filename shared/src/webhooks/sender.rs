//! The connection to an endpoint: to addresses that are allowed, and to nothing that an answer names.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, StatusCode};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;
use url::{Host, Url};

use crate::base::outbound;
use crate::webhooks::model::{Attempt, Hosts, MAX_ATTEMPT_DURATION, Reply};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const AGENT: HeaderValue = HeaderValue::from_static("gift-card-portal/1");
const NOT_ALLOWED: &str = "address not allowed";

/// The headers of a message, after Standard Webhooks 1.0.
#[derive(Debug)]
pub struct MessageHeaders<'a> {
    pub id: &'a str,
    /// Seconds, of the attempt.
    pub timestamp: i64,
    /// One signature, or two separated by a blank.
    pub signatures: &'a str,
}

/// Sends messages to endpoints.
#[derive(Debug, Clone)]
pub struct Sender {
    client: Client,
    hosts: Arc<Hosts>,
    /// An endpoint has to answer within this time.
    timeout: Duration,
}

impl Sender {
    pub fn new(hosts: Hosts) -> Self {
        Self::with_resolver(hosts, system)
    }

    /// With another resolver, for tests.
    fn with_resolver<F: Future<Output = Result<Vec<IpAddr>, ResolveError>> + Send + 'static>(
        hosts: Hosts,
        resolve: impl Fn(String) -> F + Send + Sync + 'static,
    ) -> Self {
        let hosts = Arc::new(hosts);
        let resolver = AllowedAddresses { hosts: hosts.clone(), resolve: Arc::new(move |name| Box::pin(resolve(name))) };
        let timeout = Duration::try_from(MAX_ATTEMPT_DURATION).unwrap_or_default();
        Self { client: outbound::client_to_strangers(CONNECT_TIMEOUT, resolver), hosts, timeout }
    }

    /// With another time to answer, for tests.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sends a message, and reads nothing of the answer but its head.
    pub async fn send(&self, url: &str, headers: &MessageHeaders<'_>, body: &str, at: Timestamp) -> (Attempt, Reply) {
        let begun = Instant::now();
        let result = tokio::time::timeout(self.timeout, self.post(url, headers, body, at)).await;
        let (status, error, reply) = match result {
            Ok(Ok((status, reply))) => (Some(status.as_u16()), error_of_status(status), reply),
            Ok(Err(error)) => (None, Some(error), Reply::default()),
            Err(_) => (None, Some("no answer within 10 seconds".to_owned()), Reply::default()),
        };
        let milliseconds = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        (Attempt { at, status, milliseconds, error }, reply)
    }

    async fn post(
        &self,
        url: &str,
        headers: &MessageHeaders<'_>,
        body: &str,
        at: Timestamp,
    ) -> Result<(StatusCode, Reply), String> {
        let url = Url::parse(url).map_err(|_| NOT_ALLOWED.to_owned())?;
        // The resolver is not asked about addresses.
        let is_allowed = match url.host() {
            Some(Host::Domain(_)) => true,
            Some(Host::Ipv4(address)) => self.hosts.allow(address.into()),
            Some(Host::Ipv6(address)) => self.hosts.allow(address.into()),
            None => false,
        };
        if !is_allowed {
            return Err(NOT_ALLOWED.to_owned());
        }
        let request = self
            .client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, AGENT)
            .header("webhook-id", headers.id)
            .header("webhook-timestamp", headers.timestamp)
            .header("webhook-signature", headers.signatures)
            .body(body.to_owned());
        let response = request.send().await.map_err(|error| words(&error))?;
        let status = response.status();
        let reply = Reply { retry_after: retry_after(status, response.headers(), at), is_gone: status == StatusCode::GONE };
        Ok((status, reply))
    }
}

fn error_of_status(status: StatusCode) -> Option<String> {
    if status.is_success() {
        return None;
    }
    Some(if status.is_redirection() { "redirects are not followed".to_owned() } else { format!("status {}", status.as_u16()) })
}

/// In seconds: a number of them, or a date such as `Wed, 25 Nov 2026 10:00:00 GMT`.
fn retry_after(status: StatusCode, headers: &HeaderMap, at: Timestamp) -> Option<u32> {
    let counts = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let text = headers.get(RETRY_AFTER).filter(|_| counts)?.to_str().ok()?.trim();
    if text.is_empty() {
        return None;
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().unwrap_or(u32::MAX));
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    let seconds = date.duration_since(at).as_secs();
    Some(u32::try_from(seconds.max(0)).unwrap_or(u32::MAX))
}

/// A few words for the merchant, which say nothing of the network between.
fn words(error: &reqwest::Error) -> String {
    let mut source: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<ResolveError>() {
            return error.to_string();
        }
        if cause.downcast_ref::<rustls::Error>().is_some() {
            return "the certificate or TLS is not valid".to_owned();
        }
        // An error of an I/O operation that wraps another one does not show it as its source.
        source = cause.source().or_else(|| {
            let inner = cause.downcast_ref::<std::io::Error>()?.get_ref()?;
            Some(inner as &(dyn Error + 'static))
        });
    }
    if error.is_timeout() {
        "no connection within 5 seconds".to_owned()
    } else if error.is_connect() {
        "no connection".to_owned()
    } else {
        "the connection was closed without an answer".to_owned()
    }
}

/// Why a name leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
enum ResolveError {
    #[error("{NOT_ALLOWED}")]
    NotAllowed,
    #[error("the host was not found")]
    NotFound,
}

type Lookup = dyn Fn(String) -> std::pin::Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, ResolveError>> + Send>> + Send + Sync;

/// Resolves names, and refuses those with an address that is not allowed. The client connects to what it returns, so that no
/// second resolution can lead elsewhere.
#[derive(Clone)]
struct AllowedAddresses {
    hosts: Arc<Hosts>,
    resolve: Arc<Lookup>,
}

impl Resolve for AllowedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { hosts, resolve } = self.clone();
        Box::pin(async move {
            let addresses = if is_local(name.as_str()) {
                vec![IpAddr::from([127, 0, 0, 1])]
            } else if *hosts == Hosts::Local {
                // Nothing outside is asked for.
                return Err(ResolveError::NotAllowed.into());
            } else {
                resolve(name.as_str().to_owned()).await?
            };
            if addresses.is_empty() {
                return Err(ResolveError::NotFound.into());
            }
            if !addresses.iter().all(|address| hosts.allow(*address)) {
                return Err(ResolveError::NotAllowed.into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

fn is_local(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

async fn system(name: String) -> Result<Vec<IpAddr>, ResolveError> {
    let found = tokio::net::lookup_host((name, 0)).await.map_err(|_| ResolveError::NotFound)?;
    Ok(found.map(|address| address.ip()).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    const HEADERS: MessageHeaders<'_> = MessageHeaders { id: "msg_1", timestamp: 1_700_000_000, signatures: "v1,a v1,b" };

    fn public() -> Hosts {
        Hosts::Public { own: Vec::new() }
    }

    async fn send(sender: &Sender, url: &str) -> (Attempt, Reply) {
        sender.send(url, &HEADERS, "{}", Timestamp::UNIX_EPOCH).await
    }

    /// Answers each connection with these bytes, and returns its URL and what it has received last.
    async fn receiver(answer: &'static str) -> (String, Arc<tokio::sync::Mutex<String>>, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let (received, count) = (Arc::new(tokio::sync::Mutex::new(String::new())), Arc::new(AtomicUsize::new(0)));
        let (text, counted) = (received.clone(), count.clone());
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut buffer = vec![0; 4096];
                let length = connection.read(&mut buffer).await.unwrap_or_default();
                *text.lock().await = String::from_utf8_lossy(buffer.get(..length).unwrap_or_default()).into_owned();
                let _ = connection.write_all(answer.as_bytes()).await;
            }
        });
        (url, received, count)
    }

    #[tokio::test]
    async fn a_name_with_an_address_that_is_not_public_is_refused_as_a_whole() {
        for addresses in [
            vec!["127.0.0.1"],
            vec!["10.0.0.1"],
            vec!["169.254.169.254"],
            vec!["::1"],
            vec!["::ffff:169.254.169.254"],
            vec!["64:ff9b::a00:1"],
            vec!["fd00:ec2::254"],
            vec!["8.8.8.8", "127.0.0.1"],
            vec!["2606:4700::1111", "fe80::1"],
        ] {
            let parsed: Vec<IpAddr> = addresses.iter().map(|address| address.parse().unwrap()).collect();
            let sender = Sender::with_resolver(public(), move |_| std::future::ready(Ok(parsed.clone())));
            let (attempt, _) = send(&sender, "https://hooks.example.com/").await;
            assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some(NOT_ALLOWED)), "{addresses:?}");
        }
    }

    #[tokio::test]
    async fn a_name_is_resolved_once_for_each_attempt_and_the_answer_is_what_is_connected_to() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        // Public at first, then this machine: the second answer is judged as the first.
        let sender = Sender::with_resolver(public(), move |_| {
            let first = count.fetch_add(1, Ordering::SeqCst) == 0;
            // 192.0.0.1 … cannot be reached; the connection is not awaited.
            let address: IpAddr = if first { "203.0.114.1" } else { "127.0.0.1" }.parse().unwrap();
            std::future::ready(Ok(vec![address]))
        });
        let first = tokio::time::timeout(Duration::from_millis(50), send(&sender, "https://rebound.example.com/")).await;
        assert!(first.is_err() || first.is_ok_and(|(attempt, _)| attempt.error.as_deref() != Some(NOT_ALLOWED)));
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        let (second, _) = send(&sender, "https://rebound.example.com/").await;
        assert_eq!((asked.load(Ordering::SeqCst), second.error.as_deref()), (2, Some(NOT_ALLOWED)));
    }

    #[tokio::test]
    async fn addresses_in_urls_are_judged_as_those_of_names() {
        let (url, _, connections) = receiver("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
        let port = Url::parse(&url).unwrap().port().unwrap();
        let sender = Sender::new(public());
        let hosts = "127.0.0.1 127.1 2130706433 0x7f.1 0177.0.0.1 [::1] [::ffff:127.0.0.1] localhost a.localhost";
        for host in hosts.split(' ') {
            let (attempt, _) = send(&sender, &format!("http://{host}:{port}/")).await;
            assert_eq!(attempt.error.as_deref(), Some(NOT_ALLOWED), "{host}");
        }
        assert_eq!(connections.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn the_local_system_sends_to_this_machine_alone_and_resolves_nothing() {
        let (url, received, _) = receiver("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
        let sender = Sender::with_resolver(Hosts::Local, async |name| panic!("{name} was resolved"));
        for url in [&url, &url.replace("127.0.0.1", "localhost")] {
            let (attempt, _) = send(&sender, url).await;
            assert_eq!((attempt.status, attempt.error), (Some(200), None), "{url}");
        }
        let received = received.lock().await.to_ascii_lowercase();
        for line in [
            "post /hook http/1.1",
            "content-type: application/json",
            "user-agent: gift-card-portal/1",
            "webhook-id: msg_1",
            "webhook-timestamp: 1700000000",
            "webhook-signature: v1,a v1,b",
        ] {
            assert!(received.lines().any(|received| received == line), "{line}: {received}");
        }
        for url in ["https://hooks.example.com/", "http://10.0.0.1/", "http://8.8.8.8/", "http://[2606:4700::1111]/"] {
            let (attempt, _) = send(&sender, url).await;
            assert_eq!(attempt.error.as_deref(), Some(NOT_ALLOWED), "{url}");
        }
    }

    #[tokio::test]
    async fn any_answer_but_a_success_is_a_failure_and_none_is_followed() {
        let sender = Sender::new(Hosts::Local);
        for (answer, status, error) in [
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, None),
            ("HTTP/1.1 299 Fine\r\ncontent-length: 1000000000\r\n\r\n", 299, None),
            ("HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n", 302, Some("redirects are not followed")),
            ("HTTP/1.1 307 Moved\r\nlocation: /again\r\n\r\n", 307, Some("redirects are not followed")),
            ("HTTP/1.1 410 Gone\r\n\r\n", 410, Some("status 410")),
            ("HTTP/1.1 500 Down\r\n\r\n", 500, Some("status 500")),
            ("HTTP/1.1 999 High\r\n\r\n", 999, Some("status 999")),
            // Nobody reads the body, whatever its form.
            ("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc", 200, None),
            ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno number\r\n", 200, None),
            ("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", 200, None),
            ("HTTP/1.0 200 OK\r\n\r\n", 200, None),
        ] {
            let (url, _, connections) = receiver(answer).await;
            let (attempt, reply) = send(&sender, &url).await;
            assert_eq!((attempt.status, attempt.error.as_deref()), (Some(status), error), "{answer}");
            assert_eq!((reply.retry_after, reply.is_gone), (None, status == 410), "{answer}");
            assert_eq!(connections.load(Ordering::SeqCst), 1, "{answer}");
        }
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let (attempt, _) = send(&sender, &format!("http://{closed}/")).await;
        assert_eq!(attempt.error.as_deref(), Some("no connection"));
    }

    #[tokio::test]
    async fn what_is_no_http_is_no_answer() {
        let sender = Sender::new(Hosts::Local);
        let flood = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(200_000));
        let long = format!("HTTP/1.1 200 OK\r\na: {}\r\n\r\n", "b".repeat(10_000_000));
        for answer in [
            "",
            "no HTTP at all\r\n\r\n",
            "<html>\r\n",
            "HTTP/0.9 200 OK\r\n\r\n",
            "HTTP/2 200 OK\r\n\r\n",
            "HTTP/1.1 99 Low\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na",
            "HTTP/1.1 200 OK\r\n: no name\r\n\r\n",
            "HTTP/1.1 103 Early Hints\r\n\r\n",
            // More than is kept in memory.
            flood.leak(),
            long.leak(),
        ] {
            let (url, ..) = receiver(answer).await;
            let (attempt, _) = send(&sender, &url).await;
            let error = "the connection was closed without an answer";
            assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some(error)), "{}", answer.len());
        }
        let (url, ..) = receiver("HTTP/1.1 200 OK\r\n\r\n").await;
        let (attempt, _) = send(&sender, &url.replace("http:", "https:")).await;
        assert_eq!(attempt.error.as_deref(), Some("the certificate or TLS is not valid"));
    }

    #[tokio::test]
    async fn an_endpoint_can_ask_for_time_in_seconds_or_by_a_date() {
        let sender = Sender::new(Hosts::Local);
        for (retry_after, expected) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("99999999999", Some(u32::MAX)),
            ("Thu, 01 Jan 1970 00:02:00 GMT", Some(120)),
            ("Wed, 25 Nov 2026 10:00:00 GMT", Some(1_795_600_800)),
            ("Thu, 30 Dec 9999 10:00:00 GMT", Some(u32::MAX)),
            ("Wed, 31 Dec 1969 23:00:00 GMT", Some(0)),
            ("-120", None),
            ("+120", None),
            ("1.5", None),
            ("1e3", None),
            ("0x10", None),
            ("120, 60", None),
            ("tomorrow", None),
            ("2026-11-25T10:00:00Z", None),
            ("Mon, 25 Nov 2026 10:00:00 GMT", None),
            ("Wed, 99 Nov 2026 10:00:00 GMT", None),
            ("", None),
            ("\u{661}\u{662}", None),
        ] {
            for (status, expected) in [("503 Down", expected), ("429 Slow", expected), ("500 Down", None), ("200 OK", None)] {
                let answer = format!("HTTP/1.1 {status}\r\nretry-after: {retry_after}\r\n\r\n");
                let (url, ..) = receiver(answer.leak()).await;
                let (_, reply) = send(&sender, &url).await;
                assert_eq!(reply.retry_after, expected, "{status} {retry_after}");
            }
        }
    }

    /// Whatever it sends meanwhile, and however slowly.
    #[tokio::test]
    async fn who_gives_no_answer_in_time_has_not_accepted_the_message() {
        let sender = Sender::new(Hosts::Local).with_timeout(Duration::from_millis(200));
        for (begin, more) in [
            ("", ""),
            ("", "H"),
            ("HTTP/1.1 200 OK\r\n", "a"),
            ("HTTP/1.1 200 OK\r\na:", "\r\n "),
            ("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
            ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}/", listener.local_addr().unwrap());
            let sending = tokio::spawn(async move {
                let (mut connection, _) = listener.accept().await.unwrap();
                let _ = connection.write_all(begin.as_bytes()).await;
                // Until the sender has closed the connection.
                while !more.is_empty() && connection.write_all(more.as_bytes()).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                while more.is_empty() && connection.read(&mut [0; 4096]).await.is_ok_and(|length| length > 0) {}
            });
            let (attempt, _) = send(&sender, &url).await;
            assert_eq!((attempt.status, attempt.error.is_some()), (None, true), "{begin} {more}");
            sending.await.unwrap();
        }
        // What follows the head of an answer is not waited for.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let sending = tokio::spawn(async move {
            let (mut connection, _) = listener.accept().await.unwrap();
            let _ = connection.read(&mut [0; 4096]).await;
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n").await;
            while connection.write_all(&[b'a'; 8192]).await.is_ok() {}
        });
        let (attempt, _) = send(&sender, &url).await;
        assert_eq!((attempt.status, attempt.error), (Some(200), None));
        sending.await.unwrap();
    }
}
