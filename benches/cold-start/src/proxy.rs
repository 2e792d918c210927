//! A caching proxy for a local service, with TLS if the AWS service uses it. It caches the responses to read requests, so
//! that the measured time excludes the local database, and to the counting of reports and searches, of which the benchmark makes
//! more than a member may. It forwards other write requests.

use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{HeaderMap, Method, Request, Response, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::Failure;
use crate::server::{Handler, serve};

/// Signs the certificates of the proxies.
pub(crate) struct CertificateAuthority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl CertificateAuthority {
    pub(crate) fn new() -> Result<Self, Failure> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // A name that differs from the proxies': with the same name, their certificates would appear self-signed.
        params.distinguished_name.push(DnType::CommonName, "certificate authority of the cold-start benchmark");
        Ok(Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate()?)? })
    }

    pub(crate) fn pem(&self) -> String {
        self.issuer.pem()
    }

    fn tls_acceptor(&self) -> Result<TlsAcceptor, Failure> {
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new(["localhost".to_owned()])?.signed_by(&key, &self.issuer)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(key.serialize_der())?;
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

pub(crate) struct Proxy {
    pub(crate) url: String,
    cache: Cache,
    _connections: JoinSet<()>,
}

impl Proxy {
    pub(crate) async fn with_tls(service: &str, authority: &CertificateAuthority) -> Result<Self, Failure> {
        Self::start(service, Some(authority.tls_acceptor()?)).await
    }

    pub(crate) async fn plain(service: &str) -> Result<Self, Failure> {
        Self::start(service, None).await
    }

    async fn start(service: &str, tls: Option<TlsAcceptor>) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://localhost:{}", listener.local_addr()?.port());
        let client = Client::builder(TokioExecutor::new()).build_http();
        let cache = Cache { service: service.parse()?, client, responses: Arc::default() };
        let mut connections = JoinSet::new();
        connections.spawn(serve(listener, tls, cache.clone()));
        Ok(Self { url, cache, _connections: connections })
    }

    /// Returns the longest cached request body of an operation.
    pub(crate) fn longest_request(&self, operation: &str) -> Option<Bytes> {
        let responses = self.cache.responses();
        let bodies = responses.keys().filter(|key| key.target.ends_with(operation)).map(|key| key.body.clone());
        bodies.max_by_key(Bytes::len)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct CacheKey {
    method: Method,
    path: Option<PathAndQuery>,
    /// The `x-amz-target` header: version and operation.
    target: String,
    /// JSON with sorted fields: the SDK sends them in random order.
    body: Bytes,
}

impl CacheKey {
    fn is_cached(&self) -> bool {
        const CACHED: [&str; 5] = [".GetItem", ".BatchGetItem", ".Query", ".GetSecretValue", ".UpdateItem"];
        self.method == Method::GET || CACHED.iter().any(|operation| self.target.ends_with(operation))
    }
}

fn with_sorted_fields(body: &Bytes) -> Bytes {
    serde_json::from_slice::<Value>(body).map_or_else(|_| body.clone(), |json| json.to_string().into())
}

#[derive(Clone)]
struct Cache {
    service: Uri,
    client: Client<HttpConnector, Full<Bytes>>,
    responses: Arc<Mutex<HashMap<CacheKey, Response<Bytes>>>>,
}

impl Handler for Cache {
    type Error = io::Error;

    async fn handle(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, io::Error> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let target = parts.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
        let key = CacheKey {
            method: parts.method,
            path: parts.uri.path_and_query().cloned(),
            target: target.unwrap_or_default().to_owned(),
            body: with_sorted_fields(&body),
        };
        let cached = self.responses().get(&key).cloned();
        let response = match cached {
            Some(cached) => cached,
            None => self.forward(key, body, parts.headers).await?,
        };
        Ok(response.map(Full::new))
    }
}

impl Cache {
    async fn forward(&self, key: CacheKey, body: Bytes, headers: HeaderMap) -> Result<Response<Bytes>, io::Error> {
        let mut uri = self.service.clone().into_parts();
        uri.path_and_query.clone_from(&key.path);
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = key.method.clone();
        *request.uri_mut() = Uri::from_parts(uri).map_err(io::Error::other)?;
        *request.headers_mut() = headers;
        let (mut parts, body) = self.client.request(request).await.map_err(io::Error::other)?.into_parts();
        parts.headers.remove(header::DATE);
        let response = Response::from_parts(parts, body.collect().await.map_err(io::Error::other)?.to_bytes());
        if key.is_cached() && response.status().is_success() {
            self.responses().insert(key, response.clone());
        }
        Ok(response)
    }

    fn responses(&self) -> MutexGuard<'_, HashMap<CacheKey, Response<Bytes>>> {
        self.responses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
