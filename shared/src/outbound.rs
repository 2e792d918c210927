//! The HTTP client for outbound calls: AWS, the card network and the verifier.

use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use reqwest::Client;
use rustls::{ClientConfig, RootCertStore};

/// The characters to percent-encode in a URL component: all except the unreserved characters of RFC 3986, section 2.3.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns a client that trusts public certificate authorities.
pub fn client(connect_timeout: Duration) -> Client {
    client_trusting(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }, connect_timeout)
}

/// Returns a client that trusts only `roots`. It does not follow redirects: API keys must not reach another host.
///
/// # Panics
/// Never: the configuration is constant except for the roots, and every set of roots is valid.
#[expect(clippy::expect_used, reason = "see Panics")]
pub fn client_trusting(roots: RootCertStore, connect_timeout: Duration) -> Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default protocol versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder()
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .tls_backend_preconfigured(tls)
        .build()
        .expect("the client configuration is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_a_client_for_any_set_of_roots() {
        let _ = client(Duration::from_secs(1));
        let _ = client_trusting(RootCertStore::empty(), Duration::from_secs(1));
    }
}
