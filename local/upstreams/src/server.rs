//! A minimal HTTP/1.1 server. To support fault injection, a handler can also drop the connection or never reply.

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
use crate::guard::Guard;

/// The reaction of a handler to a call.
#[derive(Debug)]
pub enum Reply {
    Send(Response<Bytes>),
    /// Close the connection without sending a byte.
    Drop,
    /// Keep the connection open and never reply.
    Timeout,
}

impl Reply {
    pub fn json(status: StatusCode, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).unwrap_or_default();
        Self::bytes(status, "application/json", body)
    }

    pub fn bytes(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
        Self::Send(response)
    }
}

/// Returns the reply to a call, subject to `fault`. Faults that occur before the operation never run `operation`.
/// `throttled` returns the throttling error of the service.
pub async fn with_fault<F: Future<Output = Reply>>(
    fault: Option<FaultKind>,
    throttled: impl FnOnce() -> Reply,
    operation: F,
) -> Reply {
    match fault {
        None => operation.await,
        Some(FaultKind::Status(status)) => {
            Reply::json(status, &serde_json::json!({"code": "FAULT", "message": "a fault that was asked for"}))
        }
        Some(FaultKind::Body(text)) => Reply::bytes(StatusCode::OK, "application/json", text),
        Some(FaultKind::Response(status, text)) => Reply::bytes(status, "application/json", text),
        Some(FaultKind::Timeout) => Reply::Timeout,
        Some(FaultKind::Drop) => Reply::Drop,
        Some(FaultKind::After) => {
            operation.await;
            Reply::Drop
        }
        Some(FaultKind::Delay(time)) => {
            tokio::time::sleep(time).await;
            operation.await
        }
        Some(FaultKind::Throttle) => throttled(),
        Some(FaultKind::Hold(hold)) => {
            if hold.wait_for_release().await {
                operation.await
            } else {
                Reply::Timeout
            }
        }
        Some(FaultKind::OnReply(kind)) => {
            let reply = operation.await;
            Box::pin(with_fault(Some(*kind), throttled, std::future::ready(reply))).await
        }
    }
}

/// A listening server. Dropping it stops the server and closes its connections.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Listens on a loopback `port` and passes each request that `guard` accepts, with its complete body, to `handler`.
    /// Port 0 selects a free port.
    pub async fn start<H, F>(port: u16, guard: Guard, handler: H) -> io::Result<Self>
    where
        H: Fn(Request<Bytes>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Reply> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let address = listener.local_addr()?;
        Ok(Self { address, task: tokio::spawn(accept(listener, guard, handler)) })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept<H, F>(listener: TcpListener, guard: Guard, handler: H)
where
    H: Fn(Request<Bytes>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    // Dropping the set closes all connections with the server: clients of a stopped server must not read stale state.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        let (guard, handler) = (guard.clone(), handler.clone());
        let service = service_fn(move |request| respond(guard.clone(), handler.clone(), request));
        connections.spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn respond<H, F>(guard: Guard, handler: H, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, io::Error>
where
    H: Fn(Request<Bytes>) -> F,
    F: Future<Output = Reply> + Send + 'static,
{
    let (parts, body) = request.into_parts();
    if !guard.accepts(&parts.uri, &parts.headers) {
        let mut forbidden = Response::new(Full::from("This server accepts requests of this machine only.\n"));
        *forbidden.status_mut() = StatusCode::FORBIDDEN;
        return Ok(forbidden);
    }
    let aborted = || io::Error::from(io::ErrorKind::ConnectionAborted);
    let body = body.collect().await.map_err(|_| aborted())?.to_bytes();
    // Runs on a separate task so that the operation completes even if the client disconnects.
    let reply = tokio::spawn(handler(Request::from_parts(parts, body))).await.map_err(|_| aborted())?;
    match reply {
        Reply::Send(response) => Ok(response.map(Full::new)),
        Reply::Drop => Err(aborted()),
        Reply::Timeout => match std::future::pending::<Infallible>().await {},
    }
}
