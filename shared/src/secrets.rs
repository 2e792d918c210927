//! Secrets Manager: read once, kept in memory, read again when told that a secret no longer works.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_secretsmanager::Client;
use aws_sdk_secretsmanager::error::DisplayErrorContext;
use serde::de::DeserializeOwned;
use thiserror::Error;
use tokio::sync::{Mutex, RwLock};
use tokio::time::Instant;

#[derive(Debug, Error)]
pub enum SecretError {
    #[error("GetSecretValue failed: {0}")]
    Call(String),
    #[error("the secret is not the JSON it should be")]
    Unreadable,
}

/// One secret, a JSON document of type `T`.
#[derive(Debug)]
pub struct Secret<T> {
    client: Client,
    id: String,
    cached: RwLock<Option<Arc<T>>>,
    last_doubt: Mutex<Option<Instant>>,
}

/// How long a doubt that anybody may have is settled by the value in memory.
const RELOAD_INTERVAL: Duration = Duration::from_secs(10);

impl<T: DeserializeOwned> Secret<T> {
    pub fn new(client: Client, id: impl Into<String>) -> Self {
        Self { client, id: id.into(), cached: RwLock::new(None), last_doubt: Mutex::new(None) }
    }

    /// The value in memory, else the one at Secrets Manager.
    pub async fn get(&self) -> Result<Arc<T>, SecretError> {
        if let Some(value) = self.cached.read().await.clone() {
            return Ok(value);
        }
        self.read_again().await
    }

    /// The value at Secrets Manager, kept from now on.
    pub async fn read_again(&self) -> Result<Arc<T>, SecretError> {
        let output = self.client.get_secret_value().secret_id(&self.id).send().await;
        let output = output.map_err(|error| SecretError::Call(DisplayErrorContext(error).to_string()))?;
        // The parser's own message could quote the secret.
        let value = output.secret_string().and_then(|json| serde_json::from_str(json).ok());
        let value: Arc<T> = Arc::new(value.ok_or(SecretError::Unreadable)?);
        *self.cached.write().await = Some(value.clone());
        Ok(value)
    }

    /// As [`Self::read_again`], but seldom, and the value in memory in between: for where strangers can raise the
    /// doubt, and must not make each of their calls cost one to Secrets Manager.
    pub async fn read_again_sparingly(&self) -> Result<Arc<T>, SecretError> {
        let mut last_doubt = self.last_doubt.lock().await;
        if last_doubt.is_some_and(|at| at.elapsed() < RELOAD_INTERVAL) {
            return self.get().await;
        }
        *last_doubt = Some(Instant::now());
        self.read_again().await
    }
}
