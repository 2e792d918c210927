//! The AWS SDK's calls over the HTTP client of all other calls. The SDK's own brings HTTP/2 along, which no function
//! speaks, and a second copy of everything below it.

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpClient, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use reqwest::{Body, Client, Error, Request};

/// `client` as the SDK takes it. The SDK itself ends what takes too long, but for connecting.
pub(super) fn client(client: Client) -> SharedHttpClient {
    let connector = SharedHttpConnector::new(Connector(client));
    http_client_fn(move |_, _| connector.clone())
}

#[derive(Debug)]
struct Connector(Client);

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let client = self.0.clone();
        HttpConnectorFuture::new(async move {
            let response = client.execute(outgoing(request)?).await.map_err(no_answer)?;
            incoming(http::Response::from(response))
        })
    }
}

/// Bodies of requests are in memory: no operation that is used here streams one.
fn outgoing(request: HttpRequest) -> Result<Request, ConnectorError> {
    let request = request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?;
    let (head, body) = request.into_parts();
    let body = body.bytes().map(Bytes::copy_from_slice);
    let body = body.ok_or_else(|| ConnectorError::user("a body is not in memory".into()))?;
    Request::try_from(http::Request::from_parts(head, body))
        .map_err(|error| ConnectorError::user(error.into()))
}

fn incoming(response: http::Response<Body>) -> Result<HttpResponse, ConnectorError> {
    let response = response.map(SdkBody::from_body_1_x);
    HttpResponse::try_from(response).map_err(|error| ConnectorError::other(error.into(), None))
}

/// Either is tried again.
fn no_answer(error: Error) -> ConnectorError {
    if error.is_timeout() { ConnectorError::timeout(error.into()) } else { ConnectorError::io(error.into()) }
}
