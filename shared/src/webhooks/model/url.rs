//! The URL of an endpoint, checked when it is entered. Where it leads is judged again at every connection.

use thiserror::Error;
use url::{Host, Url};

use super::address::is_public;

const MAX_LENGTH: usize = 500;
const PORTS: [u16; 2] = [443, 8443];

/// Why an address is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UrlError {
    #[error("must be at most {MAX_LENGTH} characters")]
    TooLong,
    #[error("must be an absolute URL without spaces and control characters")]
    Malformed,
    #[error("must begin with https://")]
    Scheme,
    #[error("must not contain a user or a password")]
    Credentials,
    #[error("must not contain a fragment")]
    Fragment,
    #[error("must name a host, such as hooks.example.com, not an IP address")]
    Address,
    #[error("must name a host that contains a dot and does not end with one")]
    Host,
    #[error("must have port 443 or 8443")]
    Port,
    #[error("must not be an address of this platform")]
    OwnHost,
}

/// The hosts that an endpoint can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hosts {
    /// Those of the internet, but for the platform's own ones.
    Public { own: Vec<String> },
    /// Also those of this machine, by `http`. For the local system.
    Local,
}

/// The URL of an endpoint, as browsers write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl WebhookUrl {
    pub fn parse(text: &str, hosts: &Hosts) -> Result<Self, UrlError> {
        if text.chars().count() > MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(UrlError::Malformed);
        }
        let url = Url::parse(text).map_err(|_| UrlError::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() || has_empty_credentials(text) {
            return Err(UrlError::Credentials);
        }
        if url.fragment().is_some() {
            return Err(UrlError::Fragment);
        }
        let host = url.host().ok_or(UrlError::Malformed)?;
        if *hosts == Hosts::Local && is_of_this_machine(&host) && matches!(url.scheme(), "http" | "https") {
            return Ok(Self(url.into()));
        }
        if url.scheme() != "https" {
            return Err(UrlError::Scheme);
        }
        let Host::Domain(name) = host else { return Err(UrlError::Address) };
        if name.ends_with('.') || !name.contains('.') || name.split('.').any(str::is_empty) {
            return Err(UrlError::Host);
        }
        if is_local_name(name) {
            return Err(UrlError::Address);
        }
        if !url.port_or_known_default().is_some_and(|port| PORTS.contains(&port)) {
            return Err(UrlError::Port);
        }
        if let Hosts::Public { own } = hosts
            && own.iter().any(|own| is_within(name, own))
        {
            return Err(UrlError::OwnHost);
        }
        if url.as_str().chars().count() > MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        Ok(Self(url.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl Hosts {
    /// The hosts of the internet, but for those of these URLs.
    pub fn public<'a>(own_urls: impl IntoIterator<Item = &'a str>) -> Self {
        let hosts = own_urls.into_iter().filter_map(|url| Url::parse(url).ok()?.host_str().map(str::to_owned));
        Self::Public { own: hosts.collect() }
    }

    /// Whether a connection to an address is made.
    pub fn allow(&self, address: std::net::IpAddr) -> bool {
        match self {
            Self::Public { .. } => is_public(address),
            Self::Local => address.is_loopback(),
        }
    }
}

/// Whether the URL has an empty user or password, which the parser leaves out.
fn has_empty_credentials(text: &str) -> bool {
    let after_scheme = text.split_once("//").map_or(text, |(_, rest)| rest);
    let authority = after_scheme.split(['/', '?', '#']).next().unwrap_or_default();
    authority.contains('@')
}

/// Names that resolvers answer themselves (RFC 6761, RFC 6762, RFC 8375 and ICANN's `internal`).
fn is_local_name(name: &str) -> bool {
    ["localhost", "local", "internal", "home.arpa", "onion", "invalid", "test"].iter().any(|local| is_within(name, local))
}

/// Whether a host is the other one, or below it.
fn is_within(host: &str, other: &str) -> bool {
    host == other || host.strip_suffix(other).is_some_and(|rest| rest.ends_with('.'))
}

fn is_of_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => is_within(name, "localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_host_of_the_internet() {
        let own = ["https://api.portal.example", "https://shop.example/cards"];
        let hosts = Hosts::public(own);
        let long = format!("https://hooks.example/{}", "a".repeat(478));
        let too_long = format!("{long}a");
        for (text, expected) in [
            ("https://hooks.example.com", Ok("https://hooks.example.com/")),
            ("HTTPS://Hooks.Example.com:443/a?b=c", Ok("https://hooks.example.com/a?b=c")),
            ("https://hooks.example.com:8443/", Ok("https://hooks.example.com:8443/")),
            ("https://kaffé.example/", Ok("https://xn--kaff-epa.example/")),
            ("https://portal.example/", Ok("https://portal.example/")),
            ("https://myapi.portal.example.com/", Ok("https://myapi.portal.example.com/")),
            (&long, Ok(long.as_str())),
            (&too_long, Err(UrlError::TooLong)),
            ("", Err(UrlError::Malformed)),
            ("hooks.example.com", Err(UrlError::Malformed)),
            ("//hooks.example.com/", Err(UrlError::Malformed)),
            (" https://hooks.example.com/", Err(UrlError::Malformed)),
            ("https://hooks.example.com/\n", Err(UrlError::Malformed)),
            ("https://hooks.exa\tmple.com/", Err(UrlError::Malformed)),
            ("https:\\\\hooks.example.com/", Err(UrlError::Malformed)),
            ("https://hooks.example.com\\@evil.example/", Err(UrlError::Malformed)),
            ("https://", Err(UrlError::Malformed)),
            ("https://a b.example/", Err(UrlError::Malformed)),
            ("http://hooks.example.com/", Err(UrlError::Scheme)),
            ("ftp://hooks.example.com/", Err(UrlError::Scheme)),
            ("wss://hooks.example.com/", Err(UrlError::Scheme)),
            ("file://hooks.example.com/etc/passwd", Err(UrlError::Scheme)),
            ("javascript:alert(1)", Err(UrlError::Malformed)),
            ("https://user@hooks.example.com/", Err(UrlError::Credentials)),
            ("https://user:secret@hooks.example.com/", Err(UrlError::Credentials)),
            ("https://:secret@hooks.example.com/", Err(UrlError::Credentials)),
            ("https://@hooks.example.com/", Err(UrlError::Credentials)),
            ("https://hooks.example.com@127.0.0.1/", Err(UrlError::Credentials)),
            ("https://hooks.example.com/#", Err(UrlError::Fragment)),
            ("https://hooks.example.com/#a", Err(UrlError::Fragment)),
            ("https://localhost/", Err(UrlError::Host)),
            ("https://intranet/", Err(UrlError::Host)),
            ("https://hooks.example.com./", Err(UrlError::Host)),
            ("https://hooks..example.com/", Err(UrlError::Host)),
            ("https://app.localhost/", Err(UrlError::Address)),
            ("https://printer.local/", Err(UrlError::Address)),
            ("https://metadata.google.internal/", Err(UrlError::Address)),
            ("https://router.home.arpa/", Err(UrlError::Address)),
            ("https://127.0.0.1/", Err(UrlError::Address)),
            ("https://8.8.8.8/", Err(UrlError::Address)),
            ("https://127.1/", Err(UrlError::Address)),
            ("https://0x7f.1/", Err(UrlError::Address)),
            ("https://0x7f000001/", Err(UrlError::Address)),
            ("https://0177.0.0.1/", Err(UrlError::Address)),
            ("https://2130706433/", Err(UrlError::Address)),
            ("https://0/", Err(UrlError::Address)),
            ("https://127.0.0.1./", Err(UrlError::Address)),
            ("https://１２７.0.0.1/", Err(UrlError::Address)),
            ("https://127。0。0。1/", Err(UrlError::Address)),
            ("https://①②⑦.0.0.1/", Err(UrlError::Address)),
            ("https://[::1]/", Err(UrlError::Address)),
            ("https://[::ffff:7f00:1]/", Err(UrlError::Address)),
            ("https://[2606:4700:4700::1111]/", Err(UrlError::Address)),
            ("https://[::1%25lo]/", Err(UrlError::Malformed)),
            ("https://256.0.0.1/", Err(UrlError::Malformed)),
            ("https://hooks.example.com:80/", Err(UrlError::Port)),
            ("https://hooks.example.com:22/", Err(UrlError::Port)),
            ("https://hooks.example.com:0/", Err(UrlError::Port)),
            ("https://hooks.example.com:65536/", Err(UrlError::Malformed)),
            ("https://hooks.example.com:8443a/", Err(UrlError::Malformed)),
            ("https://api.portal.example/", Err(UrlError::OwnHost)),
            ("https://API.portal.example:8443/", Err(UrlError::OwnHost)),
            ("https://eu.api.portal.example/", Err(UrlError::OwnHost)),
            ("https://api%2Eportal.example/", Err(UrlError::OwnHost)),
            ("https://shop.example/", Err(UrlError::OwnHost)),
            ("https://ｓhop.example/", Err(UrlError::OwnHost)),
        ] {
            let parsed = WebhookUrl::parse(text, &hosts);
            assert_eq!(parsed.as_ref().map(WebhookUrl::as_str).map_err(|error| *error), expected, "{text}");
        }
    }

    #[test]
    fn the_local_system_also_takes_this_machine() {
        for (text, expected) in [
            ("http://localhost:9000/hook", Ok("http://localhost:9000/hook")),
            ("http://127.0.0.1:9000/hook", Ok("http://127.0.0.1:9000/hook")),
            ("http://127.1:9000/", Ok("http://127.0.0.1:9000/")),
            ("http://[::1]:9000/", Ok("http://[::1]:9000/")),
            ("https://app.localhost/", Ok("https://app.localhost/")),
            ("https://hooks.example.com/", Ok("https://hooks.example.com/")),
            ("http://hooks.example.com/", Err(UrlError::Scheme)),
            ("http://10.0.0.1/", Err(UrlError::Scheme)),
            ("https://10.0.0.1/", Err(UrlError::Address)),
            ("http://user@localhost/", Err(UrlError::Credentials)),
            ("ftp://localhost/", Err(UrlError::Scheme)),
        ] {
            let parsed = WebhookUrl::parse(text, &Hosts::Local);
            assert_eq!(parsed.as_ref().map(WebhookUrl::as_str).map_err(|error| *error), expected, "{text}");
        }
    }
}
