//! The HTTP client for outbound calls: AWS, the card network and the verifier.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC};
use reqwest::dns::Resolve;
use reqwest::{Client, ClientBuilder};
use rustls::client::WantsClientCert;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use serde::Deserialize;
use thiserror::Error;

/// The characters to percent-encode in a URL component: all except the unreserved characters of RFC 3986, section 2.3.
pub const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Whose certificates calls trust, and the certificate with which they identify themselves. By default, public certificate
/// authorities and none.
#[derive(Clone, Deserialize)]
#[serde(try_from = "TlsFields")]
pub struct Tls(ClientConfig);

/// The optional fields of a secret, as PEM.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TlsFields {
    /// Trusted instead of the public ones.
    certificate_authorities: Option<String>,
    /// Followed by those that signed it, if the other side does not know them.
    client_certificate: Option<String>,
    client_key: Option<String>,
}

/// The messages quote nothing: a secret is the source.
#[derive(Debug, Error)]
enum TlsError {
    #[error("certificateAuthorities are not certificates in PEM")]
    Authorities,
    #[error("clientCertificate and clientKey need each other")]
    Incomplete,
    #[error("clientCertificate and clientKey are not a certificate and its key in PEM")]
    Identity,
}

impl Tls {
    /// Trusts only `roots`.
    pub fn trusting(roots: RootCertStore) -> Self {
        Self(config(roots).with_no_client_auth())
    }
}

/// # Panics
/// Never: ring supports the default protocol versions.
#[expect(clippy::expect_used, reason = "see Panics")]
fn config(roots: RootCertStore) -> ConfigBuilder<ClientConfig, WantsClientCert> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring supports the default protocol versions")
        .with_root_certificates(roots)
}

impl Default for Tls {
    fn default() -> Self {
        Self::trusting(public_roots())
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls(…)")
    }
}

impl TryFrom<TlsFields> for Tls {
    type Error = TlsError;

    fn try_from(fields: TlsFields) -> Result<Self, TlsError> {
        let roots = fields.certificate_authorities.map_or_else(|| Ok(public_roots()), |pem| private_roots(&pem))?;
        match (fields.client_certificate, fields.client_key) {
            (None, None) => Ok(Self::trusting(roots)),
            (Some(chain), Some(key)) => {
                let chain = certificates(&chain).ok_or(TlsError::Identity)?;
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|_| TlsError::Identity)?;
                config(roots).with_client_auth_cert(chain, key).map(Self).map_err(|_| TlsError::Identity)
            }
            _ => Err(TlsError::Incomplete),
        }
    }
}

/// Returns a client for hosts that others have named: it connects to the addresses of this resolver, through no proxy.
pub fn client_to_strangers(connect_timeout: Duration, resolver: impl Resolve + 'static) -> Client {
    build(builder(&Tls::default(), connect_timeout).pool_max_idle_per_host(0).no_proxy().dns_resolver(resolver))
}

fn public_roots() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

fn private_roots(pem: &str) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(pem).ok_or(TlsError::Authorities)? {
        roots.add(certificate).map_err(|_| TlsError::Authorities)?;
    }
    Ok(roots)
}

/// At least one.
fn certificates(pem: &str) -> Option<Vec<CertificateDer<'static>>> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    certificates.ok().filter(|certificates| !certificates.is_empty())
}

/// Returns a client that trusts public certificate authorities.
pub fn client(connect_timeout: Duration) -> Client {
    client_with(&Tls::default(), connect_timeout)
}

pub fn client_with(tls: &Tls, connect_timeout: Duration) -> Client {
    build(builder(tls, connect_timeout))
}

/// Returns a client that opens a connection for each call. While a function is frozen, the other side drops idle
/// connections without the function hearing of it: a call on one of them fails, and it is not known how far it came.
pub fn client_without_reuse(tls: &Tls, connect_timeout: Duration) -> Client {
    build(builder(tls, connect_timeout).pool_max_idle_per_host(0))
}

/// A client that does not follow redirects: API keys must not reach another host.
fn builder(tls: &Tls, connect_timeout: Duration) -> ClientBuilder {
    let redirects = reqwest::redirect::Policy::none();
    Client::builder().connect_timeout(connect_timeout).redirect(redirects).tls_backend_preconfigured(tls.0.clone())
}

/// # Panics
/// Never: the configuration is constant except for [`Tls`], which is valid.
#[expect(clippy::expect_used, reason = "see Panics")]
fn build(builder: ClientBuilder) -> Client {
    builder.build().expect("the client configuration is valid")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn builds_a_client_for_any_set_of_roots() {
        let _ = client(Duration::from_secs(1));
        let _ = client_without_reuse(&Tls::default(), Duration::from_secs(1));
        let _ = client_with(&Tls::trusting(RootCertStore::empty()), Duration::from_secs(1));
    }

    #[test]
    fn incomplete_and_unreadable_fields_are_refused_without_being_quoted() {
        for (fields, problem) in [
            (json!({"certificateAuthorities": "secret"}), "certificateAuthorities are not certificates in PEM"),
            (json!({"certificateAuthorities": ""}), "certificateAuthorities are not certificates in PEM"),
            (json!({"clientKey": "secret"}), "clientCertificate and clientKey need each other"),
            (json!({"clientCertificate": "secret"}), "clientCertificate and clientKey need each other"),
            (
                json!({"clientCertificate": "secret", "clientKey": "secret"}),
                "clientCertificate and clientKey are not a certificate and its key in PEM",
            ),
        ] {
            let error = serde_json::from_value::<Tls>(fields.clone()).unwrap_err().to_string();
            assert_eq!(error, problem, "{fields}");
        }
        assert!(serde_json::from_value::<Tls>(json!({"apiKey": "k"})).is_ok());
    }
}
