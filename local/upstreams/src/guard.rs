//! Which requests the servers of the local system accept. Every web page that a developer opens can send requests to
//! this machine, and one whose host name resolves to it (DNS rebinding) can also read the responses. Both are recognized
//! by their headers.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri, header};

/// The host name by which containers reach this machine.
const CONTAINER_HOST: &str = "host.docker.internal";

/// Accepts requests to a loopback name or address that are not sent by a page of another site. Clones share the settings.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    /// Origins to accept in addition to those on this machine. `:*` at the end stands for any port.
    origins: Arc<[String]>,
    accepts_containers: bool,
}

impl Guard {
    pub fn new(origins: &[String], accepts_containers: bool) -> Self {
        Self { origins: origins.into(), accepts_containers }
    }

    /// Whether the request was sent to this machine, and not by a page of another site.
    pub fn accepts(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        self.accepts_host(uri, headers) && self.accepts_origin(headers)
    }

    /// Whether the request was sent to a loopback name or address.
    pub fn accepts_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let accepts = |authority: &Authority| {
            is_loopback(authority)
                || (self.accepts_containers && authority.host() == CONTAINER_HOST && !headers.contains_key(header::ORIGIN))
        };
        let mut hosts = headers.get_all(header::HOST).iter().peekable();
        hosts.peek().is_some()
            && hosts.all(|host| Authority::try_from(host.as_bytes()).is_ok_and(|host| accepts(&host)))
            && uri.authority().is_none_or(accepts)
    }

    /// Whether the request was sent by a page on this machine or of an accepted origin, or by a client that is not a
    /// browser.
    pub fn accepts_origin(&self, headers: &HeaderMap) -> bool {
        headers.get_all(header::ORIGIN).iter().all(|origin| {
            is_local_origin(origin)
                || origin.to_str().is_ok_and(|origin| self.origins.iter().any(|listed| matches(listed, origin)))
        })
    }
}

fn is_loopback(authority: &Authority) -> bool {
    let host = authority.host();
    let ipv6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    !authority.as_str().contains('@')
        && (is_localhost(host)
            || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || ipv6.is_some_and(|host| host.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback())))
}

/// `localhost` or a name below it. No other site can have such a name.
fn is_localhost(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host.strip_suffix("localhost").is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn is_local_origin(origin: &HeaderValue) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| Authority::try_from(authority).is_ok_and(|host| is_loopback(&host)))
}

fn matches(listed: &str, origin: &str) -> bool {
    let Some(listed) = listed.strip_suffix(":*") else { return listed == origin };
    let port = origin.strip_prefix(listed).map(|rest| rest.strip_prefix(':').unwrap_or(rest));
    port.is_some_and(|port| port.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_loopback_hosts_are_accepted() {
        let uri = Uri::from_static("/");
        let accepted = "localhost LOCALHOST:8080 bucket.localhost:4567 127.0.0.1:1 127.1.2.3 [::1]:8080";
        let refused = "evillocalhost evil.example localhost.evil.example 127.0.0.1.evil.example localhost@evil.example \
                       evil@localhost 192.168.0.1 0.0.0.0:8080 [::ffff:127.0.0.1] host.docker.internal";
        let accepts = |host| Guard::default().accepts(&uri, &headers(&[("host", host)]));
        accepted.split(' ').for_each(|host| assert!(accepts(host), "{host}"));
        refused.split(' ').chain([""]).for_each(|host| assert!(!accepts(host), "{host}"));
        assert!(!Guard::default().accepts(&uri, &HeaderMap::new()), "no host");
        let two = headers(&[("host", "localhost"), ("host", "evil.example")]);
        assert!(!Guard::default().accepts(&uri, &two));
        let absolute = Uri::from_static("http://evil.example/");
        assert!(!Guard::default().accepts(&absolute, &headers(&[("host", "localhost")])));
    }

    #[test]
    fn only_pages_of_this_machine_and_of_listed_origins_are_accepted() {
        let guard = Guard::new(&["https://dashboard.example".to_owned(), "http://dev.example:*".to_owned()], false);
        let accepted = "http://localhost:5173 https://127.0.0.1 http://[::1]:1 https://dashboard.example \
                        http://dev.example:3000";
        let refused = "https://dashboard.example:8443 http://dev.example.evil.example https://evil.example \
                       http://localhost.evil.example http://localhost@evil.example file://localhost null";
        let accepts = |origin| guard.accepts(&Uri::from_static("/"), &headers(&[("host", "localhost"), ("origin", origin)]));
        accepted.split(' ').for_each(|origin| assert!(accepts(origin), "{origin}"));
        refused.split(' ').chain([""]).for_each(|origin| assert!(!accepts(origin), "{origin}"));
    }

    #[test]
    fn containers_are_accepted_if_asked_for_and_without_an_origin() {
        let uri = Uri::from_static("/");
        let host = ("host", "host.docker.internal:4566");
        let guard = Guard::new(&[], true);
        assert!(guard.accepts(&uri, &headers(&[host])));
        assert!(!guard.accepts(&uri, &headers(&[host, ("origin", "http://localhost:1")])));
    }
}
