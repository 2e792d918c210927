use std::io;
use std::path::PathBuf;

use local::StartError;
use local::generate::GenerateError;
use reqwest::StatusCode;
use shared::db::StoreError;
use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum BenchError {
    #[error(transparent)]
    Generate(#[from] GenerateError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a request failed: {0}")]
    Request(#[from] reqwest::Error),
    #[error("{path} responded with {status}: {body}")]
    Status { path: String, status: StatusCode, body: String },
    #[error("{path} responded with invalid JSON: {source}")]
    Json { path: String, source: serde_json::Error },
    #[error("cannot receive webhooks: {0}")]
    Receiver(io::Error),
    #[error("the response of {path} has no {pointer}")]
    Missing { path: String, pointer: &'static str },
    #[error("{path} was given up, but the other requests depend on its response")]
    GivenUp { path: String },
    #[error("cannot use {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("the data of {0} does not have the merchant, or it is served from its rows since an interrupted run: delete it")]
    UnusableData(String),
}
