//! Clients for hosts outside of AWS.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use rustls::{ClientConfig, RootCertStore};

/// A client that follows no redirects (a key must not travel to another host), on ring with the public roots.
///
/// # Panics
/// Never: all that goes into it is constant, and a test builds one.
#[expect(clippy::expect_used, reason = "see Panics")]
pub fn client(connect_timeout: Duration) -> Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
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
    #[test]
    fn a_client_can_be_built() {
        let _ = super::client(std::time::Duration::from_secs(1));
    }
}
