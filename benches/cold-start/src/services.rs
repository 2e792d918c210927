//! What functions talk to: the local system without its API, behind endpoints as fast as this machine allows.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tempfile::TempDir;
use test_support::{LocalProcess, workspace_root};

use crate::Failure;
use crate::endpoint::{Authority, Endpoint};

pub(crate) type Environment = BTreeMap<String, String>;

/// Everything runs until this is dropped.
pub(crate) struct Services {
    /// What a function finds in its environment.
    pub(crate) environment: Environment,
    pub(crate) dynamodb: Endpoint,
    _others: Vec<Endpoint>,
    _local: LocalProcess,
    _folder: TempDir,
}

impl Services {
    pub(crate) async fn start(local: &Path) -> Result<Self, Failure> {
        let (folder, authority) = (tempfile::tempdir()?, Authority::new()?);
        let process = LocalProcess::start(local, folder.path(), ["--services-only"]).await?;
        let mut environment = environment(&process.url("api")).await?;

        // The private one beside Amazon's, so that those are read as well.
        let bundle = folder.path().join("ca.pem");
        let amazon = std::fs::read_to_string(workspace_root().join("shared/src/amazon-roots.pem"))?;
        std::fs::write(&bundle, format!("{amazon}\n{}", authority.pem()))?;
        for name in ["AWS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"] {
            environment.insert(name.to_owned(), bundle.display().to_string());
        }

        let dynamodb = "AWS_ENDPOINT_URL_DYNAMODB";
        let dynamodb = stand_before(dynamodb, &mut environment, Some(&authority)).await?;
        let mut others = Vec::new();
        for name in ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SES", "AWS_ENDPOINT_URL_SECRETS_MANAGER"] {
            others.push(stand_before(name, &mut environment, Some(&authority)).await?);
        }
        others.push(stand_before("CARD_NETWORK_URL", &mut environment, None).await?);
        Ok(Self { environment, dynamodb, _others: others, _local: process, _folder: folder })
    }
}

/// Puts an endpoint before the service that a variable names.
async fn stand_before(
    variable: &str,
    environment: &mut Environment,
    authority: Option<&Authority>,
) -> Result<Endpoint, Failure> {
    let url = environment.get_mut(variable).ok_or_else(|| format!("{variable} is not set"))?;
    let endpoint = match authority {
        Some(authority) => Endpoint::with_tls(url, authority).await?,
        None => Endpoint::plain(url).await?,
    };
    url.clone_from(&endpoint.url);
    Ok(endpoint)
}

async fn environment(api: &str) -> Result<Environment, Failure> {
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let answer = client.get(format!("{api}/__local/environment").parse()?).await?;
    let lines = String::from_utf8(answer.into_body().collect().await?.to_bytes().into())?;
    let variables = lines.lines().filter_map(|line| line.split_once('='));
    Ok(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}
