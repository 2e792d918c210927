//! An HTTP/1.1 server with optional TLS.

use std::error::Error;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

pub(crate) trait Handler: Clone + Send + Sync + 'static {
    type Error: Error + Send + Sync + 'static;

    fn handle(self, request: Request<Incoming>) -> impl Future<Output = Result<Response<Full<Bytes>>, Self::Error>> + Send;
}

/// Serves connections until the future is dropped.
pub(crate) async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, handler: impl Handler) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let (tls, handler) = (tls.clone(), handler.clone());
        drop(stream.set_nodelay(true));
        connections.spawn(async move {
            match tls {
                None => serve_connection(stream, handler).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        serve_connection(stream, handler).await;
                    }
                }
            }
        });
    }
}

async fn serve_connection(stream: impl AsyncRead + AsyncWrite + Unpin, handler: impl Handler) {
    let service = service_fn(|request| handler.clone().handle(request));
    // Fails when the measured process is killed, which closes its connections.
    drop(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}
