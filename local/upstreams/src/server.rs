//! A small HTTP/1.1 server whose handler may also say nothing, or hang up: what the faults need.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::faults::FaultKind;

/// What a handler does with a call.
#[derive(Debug)]
pub enum Reply {
    Send(Response<Bytes>),
    /// Close the connection without a byte.
    HangUp,
    /// Keep the connection open and never answer.
    Silence,
}

impl Reply {
    /// A JSON body.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).unwrap_or_default();
        Self::bytes(status, "application/json", body)
    }

    /// A body of any type.
    pub fn bytes(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
        Self::Send(response)
    }
}

/// Answers as the fault says; `operation` runs only where the fault lets it. `throttled` is the service's own
/// throttling error.
pub async fn with_fault<F: Future<Output = Reply>>(
    fault: Option<FaultKind>,
    throttled: impl FnOnce() -> Reply,
    operation: F,
) -> Reply {
    match fault {
        None => operation.await,
        Some(FaultKind::Status(status)) => Reply::json(
            status,
            &serde_json::json!({"code": "FAULT", "message": "a fault that was asked for"}),
        ),
        Some(FaultKind::Body(text)) => Reply::bytes(StatusCode::OK, "application/json", text),
        Some(FaultKind::Answer(status, text)) => Reply::bytes(status, "application/json", text),
        Some(FaultKind::Timeout) => Reply::Silence,
        Some(FaultKind::Drop) => Reply::HangUp,
        Some(FaultKind::After) => {
            operation.await;
            Reply::HangUp
        }
        Some(FaultKind::Delay(time)) => {
            tokio::time::sleep(time).await;
            operation.await
        }
        Some(FaultKind::Throttle) => throttled(),
        Some(FaultKind::Hold(hold)) => {
            if hold.wait().await {
                operation.await
            } else {
                Reply::Silence
            }
        }
        Some(FaultKind::Afterwards(kind)) => {
            let reply = operation.await;
            Box::pin(with_fault(Some(*kind), throttled, std::future::ready(reply))).await
        }
    }
}

/// A listening server. It stops when this is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Listens on a loopback port, 0 for a free one, and hands every call to `handler` with its body read.
    pub async fn start<H, F>(port: u16, handler: H) -> io::Result<Self>
    where
        H: Fn(Request<Bytes>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Reply> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { address, task: tokio::spawn(accept(listener, handler)) })
    }

    /// Base URL without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept<H, F>(listener: TcpListener, handler: H)
where
    H: Fn(Request<Bytes>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    // Connections end with the server, not with the process: a restarted one must not answer from old state.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        let handler = handler.clone();
        let service = service_fn(move |request| answer(handler.clone(), request));
        connections.spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn answer<H, F>(handler: H, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, io::Error>
where
    H: Fn(Request<Bytes>) -> F,
    F: Future<Output = Reply> + Send + 'static,
{
    let (parts, body) = request.into_parts();
    let hung_up = || io::Error::from(io::ErrorKind::ConnectionAborted);
    let body = body.collect().await.map_err(|_| hung_up())?.to_bytes();
    // On a task of its own: an operation runs to its end even when the caller gives up waiting.
    let reply = tokio::spawn(handler(Request::from_parts(parts, body))).await.map_err(|_| hung_up())?;
    match reply {
        Reply::Send(response) => Ok(response.map(Full::new)),
        Reply::HangUp => Err(hung_up()),
        Reply::Silence => match std::future::pending::<Infallible>().await {},
    }
}
