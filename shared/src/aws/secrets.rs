//! Secrets from Secrets Manager, cached in memory and reloaded when an upstream rejects them.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_secretsmanager::Client;
use serde::de::DeserializeOwned;
use thiserror::Error;
use tokio::sync::{Mutex, RwLock};
use tokio::time::Instant;

use crate::aws::sdk_error;

#[derive(Debug, Error)]
pub enum SecretError {
    #[error("GetSecretValue failed: {0}")]
    Call(String),
    #[error("the secret is not valid JSON of the expected type")]
    Invalid,
}

/// A secret that holds a JSON document of type `T`.
#[derive(Debug)]
pub struct Secret<T> {
    client: Client,
    id: String,
    cached: RwLock<Option<Arc<T>>>,
    last_reload: Mutex<Option<Instant>>,
}

/// Minimum time between two reloads that unauthenticated callers can cause.
const RELOAD_INTERVAL: Duration = Duration::from_secs(10);

impl<T: DeserializeOwned> Secret<T> {
    pub fn new(client: Client, id: impl Into<String>) -> Self {
        Self { client, id: id.into(), cached: RwLock::new(None), last_reload: Mutex::new(None) }
    }

    /// Returns the cached value; loads it on first use.
    pub async fn get(&self) -> Result<Arc<T>, SecretError> {
        if let Some(value) = self.cached.read().await.clone() {
            return Ok(value);
        }
        self.reload().await
    }

    /// Loads the value from Secrets Manager and caches it.
    pub async fn reload(&self) -> Result<Arc<T>, SecretError> {
        let output = self.client.get_secret_value().secret_id(&self.id).send().await;
        let output = output.map_err(|error| SecretError::Call(sdk_error::describe(&error)))?;
        // The parser's error is dropped: it could quote the secret.
        let value = output.secret_string().and_then(|json| serde_json::from_str(json).ok());
        let value: Arc<T> = Arc::new(value.ok_or(SecretError::Invalid)?);
        *self.cached.write().await = Some(value.clone());
        Ok(value)
    }

    /// Like [`Self::reload`], but at most once per `RELOAD_INTERVAL`; returns the cached value in between.
    ///
    /// For requests of unauthenticated callers: not every invalid signature may cause a call to Secrets Manager.
    pub async fn reload_rate_limited(&self) -> Result<Arc<T>, SecretError> {
        let mut last_reload = self.last_reload.lock().await;
        if last_reload.is_some_and(|at| at.elapsed() < RELOAD_INTERVAL) {
            return self.get().await;
        }
        *last_reload = Some(Instant::now());
        self.reload().await
    }
}
