//! The services that functions call: the embedded services of the local system behind caching proxies.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tempfile::TempDir;
use world::{LocalProcess, workspace_root};

use crate::Failure;
use crate::proxy::{CertificateAuthority, Proxy};

pub(crate) type Environment = BTreeMap<String, String>;

/// The running services. They stop when this is dropped.
pub(crate) struct Services {
    pub(crate) environment: Environment,
    pub(crate) dynamodb: Proxy,
    _others: Vec<Proxy>,
    _local: LocalProcess,
    _folder: TempDir,
}

impl Services {
    pub(crate) async fn start(local: &Path) -> Result<Self, Failure> {
        let (folder, authority) = (tempfile::tempdir()?, CertificateAuthority::new()?);
        let process = LocalProcess::start(local, folder.path(), ["--services-only"]).await?;
        drain(&process.url("api")).await?;
        let mut environment = environment(&process.url("api")).await?;

        // Includes Amazon's certificates, so that functions parse as many as on AWS.
        let bundle = folder.path().join("ca.pem");
        let amazon = std::fs::read_to_string(workspace_root().join("shared/src/aws/amazon-roots.pem"))?;
        std::fs::write(&bundle, format!("{amazon}\n{}", authority.pem()))?;
        for name in ["AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"] {
            environment.insert(name.to_owned(), bundle.display().to_string());
        }

        let dynamodb = "AWS_ENDPOINT_URL_DYNAMODB";
        let dynamodb = start_proxy(dynamodb, &mut environment, Some(&authority)).await?;
        let mut others = Vec::new();
        for name in ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SES", "AWS_ENDPOINT_URL_SECRETS_MANAGER"] {
            others.push(start_proxy(name, &mut environment, Some(&authority)).await?);
        }
        others.push(start_proxy("CARD_NETWORK_URL", &mut environment, None).await?);
        Ok(Self { environment, dynamodb, _others: others, _local: process, _folder: folder })
    }
}

/// Starts a proxy for the service whose URL is in an environment variable, and sets the variable to the proxy's URL.
async fn start_proxy(
    variable: &str,
    environment: &mut Environment,
    authority: Option<&CertificateAuthority>,
) -> Result<Proxy, Failure> {
    let url = environment.get_mut(variable).ok_or_else(|| format!("{variable} is not set"))?;
    let proxy = match authority {
        Some(authority) => Proxy::with_tls(url, authority).await?,
        None => Proxy::plain(url).await?,
    };
    url.clone_from(&proxy.url);
    Ok(proxy)
}

/// Runs all jobs that follow from the demo, so that no request of the measurement starts one.
async fn drain(api: &str) -> Result<(), Failure> {
    let drain = hyper::Request::post(format!("{api}/__local/drain")).body(Full::default())?;
    let status = client().request(drain).await?.status();
    if status.is_success() { Ok(()) } else { Err(format!("drain was answered with {status}").into()) }
}

fn client() -> Client<HttpConnector, Full<Bytes>> {
    Client::builder(TokioExecutor::new()).build_http()
}

async fn environment(api: &str) -> Result<Environment, Failure> {
    let response = client().get(format!("{api}/__local/environment").parse()?).await?;
    let lines = String::from_utf8(response.into_body().collect().await?.to_bytes().into())?;
    let variables = lines.lines().filter_map(|line| line.split_once('='));
    Ok(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
