//! The file of a payout, as merchants and platform administrators open it.

use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::endpoint_error;
use crate::http::{General, UtcTime, examples};
use crate::payouts::{FileLink, FileLinkError};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutFile)]
pub struct PayoutFileView {
    /// Opens the file with a plain GET, without a session.
    url: String,
    /// When the link expires: after 10 minutes.
    expires_at: UtcTime,
}

impl PayoutFileView {
    /// As the API description shows it.
    pub fn example() -> Value {
        json!({
            "url": format!("https://documents.s3.eu-west-1.amazonaws.com/payouts/{}.csv?X-Amz-Signature=…", examples::PAYOUT),
            "expiresAt": "2026-01-15T10:30:00.000Z",
        })
    }
}

impl From<FileLink> for PayoutFileView {
    fn from(link: FileLink) -> Self {
        Self { url: link.url, expires_at: link.expires_at.into() }
    }
}

endpoint_error! {
    pub enum BuildingError {
        /// Settlements are still joining the payout.
        Building => 409 BATCH_BUILDING "Settlements are still joining the payout. Try again later.",
    }
}

impl From<FileLinkError> for BuildingError {
    fn from(error: FileLinkError) -> Self {
        match error {
            FileLinkError::NotSealed => Self::Building,
            FileLinkError::Commit(error) => error.into(),
            FileLinkError::File(error) => General::internal(error.to_string()).into(),
        }
    }
}
