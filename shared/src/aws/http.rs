//! The HTTP connector of the AWS SDK clients: the `reqwest` client that every other call uses.
//!
//! The SDK's own connector would add HTTP/2, which no function uses, and a second copy of the HTTP stack to every
//! binary. Two of its features are lost:
//!
//! - Connection poisoning. After a transient failure, the SDK's connector closes the connection. Here a connection that
//!   returned a 5xx response stays in the pool, and the retry may use it again.
//! - The SDK's connect timeout. The client's own connect timeout applies; `HttpConnectorSettings` are ignored.
//!
//! Attempt and operation timeouts and retries happen above the connector and are not affected.

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpClient, SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use reqwest::{Body, Client, Error, Request};

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
            let response = client.execute(to_reqwest(request)?).await.map_err(to_connector_error)?;
            from_reqwest(http::Response::from(response))
        })
    }
}

/// The SDK sets `Content-Length`, so a wrapped body is not sent in chunks.
fn to_reqwest(request: HttpRequest) -> Result<Request, ConnectorError> {
    let request = request.try_into_http1x().map_err(|error| ConnectorError::user(error.into()))?;
    Request::try_from(request.map(Body::wrap)).map_err(|error| ConnectorError::user(error.into()))
}

fn from_reqwest(response: http::Response<Body>) -> Result<HttpResponse, ConnectorError> {
    let response = response.map(SdkBody::from_body_1_x);
    HttpResponse::try_from(response).map_err(|error| ConnectorError::other(error.into(), None))
}

/// Both kinds are retried. The URL is removed because errors are logged.
fn to_connector_error(error: Error) -> ConnectorError {
    let error = error.without_url();
    if error.is_timeout() { ConnectorError::timeout(error.into()) } else { ConnectorError::io(error.into()) }
}
