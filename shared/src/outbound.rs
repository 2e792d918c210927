//! The HTTP client for outbound calls: AWS, the card network and the verifier.

use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};

/// The characters to percent-encode in a URL component: all except the unreserved characters of RFC 3986, section 2.3.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns a client that trusts public certificate authorities.
pub fn client(connect_timeout: Duration) -> Client {
    build(builder(public_roots(), connect_timeout))
}

/// Returns a client that opens a connection for each call. While a function is frozen, the other side drops idle
/// connections without the function hearing of it: a call on one of them fails, and it is not known how far it came.
pub fn client_without_reuse(connect_timeout: Duration) -> Client {
    build(builder(public_roots(), connect_timeout).pool_max_idle_per_host(0))
}

fn public_roots() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

/// Returns a client that trusts only `roots`.
pub fn client_trusting(roots: RootCertStore, connect_timeout: Duration) -> Client {
    build(builder(roots, connect_timeout))
}

/// A client that does not follow redirects: API keys must not reach another host.
///
/// # Panics
/// Never: the configuration is constant except for the roots, and every set of roots is valid.
#[expect(clippy::expect_used, reason = "see Panics")]
fn builder(roots: RootCertStore, connect_timeout: Duration) -> ClientBuilder {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default protocol versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder().connect_timeout(connect_timeout).redirect(reqwest::redirect::Policy::none()).tls_backend_preconfigured(tls)
}

/// # Panics
/// Never: see [`builder`].
#[expect(clippy::expect_used, reason = "see Panics")]
fn build(builder: ClientBuilder) -> Client {
    builder.build().expect("the client configuration is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_a_client_for_any_set_of_roots() {
        let _ = client(Duration::from_secs(1));
        let _ = client_without_reuse(Duration::from_secs(1));
        let _ = client_trusting(RootCertStore::empty(), Duration::from_secs(1));
    }
}
