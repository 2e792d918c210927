//! The connection to an endpoint: to addresses that are allowed, and to nothing that an answer names.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, StatusCode};
use jiff::Timestamp;
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;
use url::{Host, Url};

use crate::domain::webhook::{Attempt, Hosts, MAX_ATTEMPT_DURATION, Reply};
use crate::outbound;

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
        Self { client: outbound::client_to_strangers(CONNECT_TIMEOUT, resolver), hosts }
    }

    /// Sends a message, and reads nothing of the answer but its head.
    pub async fn send(&self, url: &str, headers: &MessageHeaders<'_>, body: &str, at: Timestamp) -> (Attempt, Reply) {
        let begun = Instant::now();
        let timeout = Duration::try_from(MAX_ATTEMPT_DURATION).unwrap_or_default();
        let result = tokio::time::timeout(timeout, self.post(url, headers, body)).await;
        let (status, error, reply) = match result {
            Ok(Ok((status, reply))) => (Some(status.as_u16()), error_of_status(status), reply),
            Ok(Err(error)) => (None, Some(error), Reply::default()),
            Err(_) => (None, Some("no answer within 10 seconds".to_owned()), Reply::default()),
        };
        let milliseconds = u32::try_from(begun.elapsed().as_millis()).unwrap_or(u32::MAX);
        (Attempt { at, status, milliseconds, error }, reply)
    }

    async fn post(&self, url: &str, headers: &MessageHeaders<'_>, body: &str) -> Result<(StatusCode, Reply), String> {
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
        let reply = Reply { retry_after: retry_after(status, response.headers()), is_gone: status == StatusCode::GONE };
        Ok((status, reply))
    }
}

fn error_of_status(status: StatusCode) -> Option<String> {
    if status.is_success() {
        return None;
    }
    Some(if status.is_redirection() { "redirects are not followed".to_owned() } else { format!("status {}", status.as_u16()) })
}

/// In seconds. A date is not read: hardly any endpoint sends one.
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<u32> {
    let counts = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let text = headers.get(RETRY_AFTER).filter(|_| counts)?.to_str().ok()?.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u32::MAX))
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
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "0x7f.1",
            "0177.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "localhost",
            "a.localhost",
        ] {
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
        for (answer, status, error, retry_after) in [
            ("HTTP/1.1 204 No Content\r\n\r\n", Some(204), None, None),
            ("HTTP/1.1 299 Fine\r\ncontent-length: 1000000000\r\n\r\n", Some(299), None, None),
            (
                "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\n\r\n",
                Some(302),
                Some("redirects are not followed"),
                None,
            ),
            ("HTTP/1.1 307 Moved\r\nlocation: /again\r\n\r\n", Some(307), Some("redirects are not followed"), None),
            ("HTTP/1.1 410 Gone\r\n\r\n", Some(410), Some("status 410"), None),
            ("HTTP/1.1 429 Slow\r\nretry-after: 120\r\n\r\n", Some(429), Some("status 429"), Some(120)),
            ("HTTP/1.1 503 Down\r\nretry-after: 99999999999\r\n\r\n", Some(503), Some("status 503"), Some(u32::MAX)),
            ("HTTP/1.1 503 Down\r\nretry-after: tomorrow\r\n\r\n", Some(503), Some("status 503"), None),
            ("HTTP/1.1 500 Down\r\nretry-after: 120\r\n\r\n", Some(500), Some("status 500"), None),
            ("", None, Some("the connection was closed without an answer"), None),
            ("no HTTP at all\r\n\r\n", None, Some("the connection was closed without an answer"), None),
        ] {
            let (url, _, connections) = receiver(answer).await;
            let (attempt, reply) = send(&sender, &url).await;
            assert_eq!((attempt.status, attempt.error.as_deref()), (status, error), "{answer}");
            assert_eq!((reply.retry_after, reply.is_gone), (retry_after, status == Some(410)), "{answer}");
            assert_eq!(connections.load(Ordering::SeqCst), 1, "{answer}");
        }
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let (attempt, _) = send(&sender, &format!("http://{closed}/")).await;
        assert_eq!(attempt.error.as_deref(), Some("no connection"));
    }
}
