//! The AWS services of a harness: the embedded ones, or those at `AWS_ENDPOINT_FOR_TESTS` (`.ci/aws/run` runs moto there) behind a server
//! that makes the faults of the tests.

use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use reqwest::Client;
use serde_json::json;
use shared::aws::Aws;
use shared::base::settings::Settings;
use upstreams::aws::{AwsOptions, REGION};
use upstreams::faults::{Call, FaultKind, Faults, Target};
use upstreams::guard::Guard;
use upstreams::server::{Reply, Server, with_fault};
use world::client;

/// What the functions call their resources, and where these are.
pub(crate) struct Services {
    running: Running,
    /// Begins the names of all resources.
    prefix: String,
}

enum Running {
    Embedded(Box<upstreams::aws::Aws>),
    Elsewhere(Server),
}

impl Services {
    /// Starts the services with secrets of these names.
    pub(crate) async fn start(faults: &Faults, secrets: &[(&str, String)]) -> Self {
        match std::env::var("AWS_ENDPOINT_FOR_TESTS") {
            Ok(endpoint) => Self::elsewhere(endpoint, faults.clone()).await,
            Err(_) => Self::embedded(faults.clone(), secrets).await,
        }
    }

    async fn embedded(faults: Faults, secrets: &[(&str, String)]) -> Self {
        let secrets = secrets.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let aws = upstreams::aws::Aws::start(AwsOptions { secrets, faults, ..AwsOptions::default() }).await.unwrap();
        aws.s3.create_bucket("portal").unwrap();
        Self { running: Running::Embedded(Box::new(aws)), prefix: String::new() }
    }

    async fn elsewhere(endpoint: String, faults: Faults) -> Self {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let prefix = format!("money-{}-{}-", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        let client = client();
        let handler = move |request| forward(client.clone(), endpoint.clone(), faults.clone(), request);
        let server = Server::start(0, Guard::default(), handler).await.unwrap();
        Self { running: Running::Elsewhere(server), prefix }
    }

    /// Creates the resources that the embedded services have from the start.
    pub(crate) async fn prepare(&self, settings: &Settings, secrets: &[(&str, String)]) {
        let Running::Elsewhere(server) = &self.running else { return };
        let client = Aws::new(settings.aws.clone()).secrets_manager();
        for (name, value) in secrets {
            client.create_secret().name(format!("{}{name}", self.prefix)).secret_string(value).send().await.unwrap();
        }
        let location =
            format!("<CreateBucketConfiguration><LocationConstraint>{REGION}</LocationConstraint></CreateBucketConfiguration>");
        let create = world::client().put(format!("{}/{}", server.url(), settings.bucket)).body(location);
        let credentials = format!("AWS4-HMAC-SHA256 Credential=local/20260101/{REGION}/s3/aws4_request");
        let created = create.header("authorization", credentials).send().await.unwrap();
        assert!(created.status().is_success(), "{}", created.text().await.unwrap());
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let urls = match &self.running {
            Running::Embedded(aws) => [aws.dynamodb.url(), aws.s3.url(), aws.ses.url(), aws.secrets_manager.url()],
            Running::Elsewhere(server) => [(); 4].map(|()| server.url()),
        };
        let endpoints =
            ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SES", "AWS_ENDPOINT_URL_SECRETS_MANAGER"];
        let name = |name: &str| format!("{}{name}", self.prefix);
        let resources = [
            ("TABLE_NAME", name("portal")),
            ("BUCKET_NAME", name("portal")),
            ("SEARCH_BUCKET_NAME", name("portal")),
            ("CARD_NETWORK_SECRET_ID", name("card-network")),
            ("CODE_SECRET_ID", name("codes")),
        ];
        endpoints.into_iter().zip(urls).chain(resources).collect()
    }
}

/// Carries out a call, with the fault that the tests want.
async fn forward(client: Client, endpoint: String, faults: Faults, request: Request<Bytes>) -> Reply {
    let (target, operation) = operation(&request);
    let fault = faults.take(Call { target, operation: &operation, headers: request.headers() });
    if let Some(FaultKind::Status(status)) = fault {
        return error(status, "InternalServerError");
    }
    let throttled = || error(StatusCode::BAD_REQUEST, "ProvisionedThroughputExceededException");
    with_fault(fault, throttled, send(client, endpoint, request)).await
}

/// The operation by its name in AWS. Only calls to DynamoDB have names here: the tests of money let no others fail.
fn operation(request: &Request<Bytes>) -> (Target, String) {
    let target = request.headers().get("x-amz-target").map(|target| target.to_str().unwrap());
    match target.and_then(|target| target.split_once('.')) {
        Some(("DynamoDB_20120810", operation)) => (Target::Dynamodb, operation.to_owned()),
        Some((_, operation)) => (Target::Secretsmanager, operation.to_owned()),
        None => (Target::S3, request.method().to_string()),
    }
}

fn error(status: StatusCode, code: &str) -> Reply {
    let body = json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "a fault that was asked for"});
    Reply::bytes(status, "application/x-amz-json-1.0", body.to_string())
}

/// A connection that breaks is passed on.
async fn send(client: Client, endpoint: String, request: Request<Bytes>) -> Reply {
    let (mut head, body) = request.into_parts();
    head.headers.remove("host");
    let url = format!("{endpoint}{}", head.uri);
    let Ok(answer) = client.request(head.method, url).headers(head.headers).body(body).send().await else { return Reply::Drop };
    let (status, headers) = (answer.status(), answer.headers().clone());
    let Ok(body) = answer.bytes().await else { return Reply::Drop };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Reply::Send(response)
}
