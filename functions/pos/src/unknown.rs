//! The `details` of the response while it is not known whether money moved.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The same value in every such response.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unknown {
    Unknown,
}

/// The details as JSON.
pub(crate) fn details(details: &impl Serialize) -> Value {
    serde_json::to_value(details).unwrap_or_default()
}
