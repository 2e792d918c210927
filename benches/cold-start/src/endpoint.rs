//! Stands in front of a local service, with TLS where AWS has it. What was read once is answered from memory from then
//! on, so that the time of a request is the function's own and not that of a database on this machine. Writes go through.

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

/// Signs for the endpoints.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Result<Self, Failure> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Another name than the endpoints' own, which would look as if they had signed for themselves.
        params.distinguished_name.push(DnType::CommonName, "authority of the cold-start harness");
        Ok(Self { issuer: CertifiedIssuer::self_signed(params, KeyPair::generate()?)? })
    }

    pub(crate) fn pem(&self) -> String {
        self.issuer.pem()
    }

    fn server(&self) -> Result<TlsAcceptor, Failure> {
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

/// A listening endpoint. It stops when this is dropped.
pub(crate) struct Endpoint {
    pub(crate) url: String,
    replay: Replay,
    _connections: JoinSet<()>,
}

impl Endpoint {
    /// In front of the service at this URL, with TLS.
    pub(crate) async fn with_tls(service: &str, authority: &Authority) -> Result<Self, Failure> {
        Self::start(service, Some(authority.server()?)).await
    }

    /// In front of the service at this URL, without TLS.
    pub(crate) async fn plain(service: &str) -> Result<Self, Failure> {
        Self::start(service, None).await
    }

    async fn start(service: &str, tls: Option<TlsAcceptor>) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://localhost:{}", listener.local_addr()?.port());
        let client = Client::builder(TokioExecutor::new()).build_http();
        let replay = Replay { service: service.parse()?, client, known: Arc::default() };
        let mut connections = JoinSet::new();
        connections.spawn(serve(listener, tls, replay.clone()));
        Ok(Self { url, replay, _connections: connections })
    }

    /// The body of the longest call of an operation so far.
    pub(crate) fn longest_call(&self, operation: &str) -> Option<Bytes> {
        let known = self.replay.known();
        let calls =
            known.keys().filter(|call| call.target.ends_with(operation)).map(|call| call.body.clone());
        calls.max_by_key(Bytes::len)
    }
}

/// What tells one call from another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Call {
    method: Method,
    path: Option<PathAndQuery>,
    /// `x-amz-target`: version and operation.
    target: String,
    /// Fields in the order of their names: the SDK's own is another one each time.
    body: Bytes,
}

impl Call {
    fn is_read(&self) -> bool {
        const READS: [&str; 4] = [".GetItem", ".BatchGetItem", ".Query", ".GetSecretValue"];
        self.method == Method::GET || READS.iter().any(|read| self.target.ends_with(read))
    }
}

fn in_order(body: &Bytes) -> Bytes {
    serde_json::from_slice::<Value>(body).map_or_else(|_| body.clone(), |json| json.to_string().into())
}

#[derive(Clone)]
struct Replay {
    service: Uri,
    client: Client<HttpConnector, Full<Bytes>>,
    known: Arc<Mutex<HashMap<Call, Response<Bytes>>>>,
}

impl Handler for Replay {
    type Failure = io::Error;

    async fn answer(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, io::Error> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let target = parts.headers.get("x-amz-target").and_then(|target| target.to_str().ok());
        let call = Call {
            method: parts.method,
            path: parts.uri.path_and_query().cloned(),
            target: target.unwrap_or_default().to_owned(),
            body: in_order(&body),
        };
        let known = self.known().get(&call).cloned();
        let answer = match known {
            Some(known) => known,
            None => self.pass_on(call, body, parts.headers).await?,
        };
        Ok(answer.map(Full::new))
    }
}

impl Replay {
    async fn pass_on(
        &self,
        call: Call,
        body: Bytes,
        headers: HeaderMap,
    ) -> Result<Response<Bytes>, io::Error> {
        let mut uri = self.service.clone().into_parts();
        uri.path_and_query.clone_from(&call.path);
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = call.method.clone();
        *request.uri_mut() = Uri::from_parts(uri).map_err(io::Error::other)?;
        *request.headers_mut() = headers;
        let (mut parts, body) = self.client.request(request).await.map_err(io::Error::other)?.into_parts();
        parts.headers.remove(header::DATE);
        let answer = Response::from_parts(parts, body.collect().await.map_err(io::Error::other)?.to_bytes());
        if call.is_read() && answer.status().is_success() {
            self.known().insert(call, answer.clone());
        }
        Ok(answer)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Call, Response<Bytes>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
