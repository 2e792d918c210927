//! The HTTP client of every call out of a function, to AWS and to others.

use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use reqwest::Client;
use rustls::{ClientConfig, RootCertStore};

/// What is escaped in a part of a URL: all but the unreserved characters of RFC 3986.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A client for hosts with a certificate of a public authority.
pub fn client(connect_timeout: Duration) -> Client {
    client_trusting(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }, connect_timeout)
}

/// A client that follows no redirects (a key must not travel to another host), on ring.
///
/// # Panics
/// Never: all that goes into it is constant but for the roots, any of which will do, and a test builds one.
#[expect(clippy::expect_used, reason = "see Panics")]
pub fn client_trusting(roots: RootCertStore, connect_timeout: Duration) -> Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has the default protocol versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder()
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .tls_backend_preconfigured(tls)
        .build()
        .expect("the client is well configured")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_can_be_built_whatever_it_trusts() {
        let _ = client(Duration::from_secs(1));
        let _ = client_trusting(RootCertStore::empty(), Duration::from_secs(1));
    }
}
