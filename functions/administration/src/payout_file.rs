//! `GET /api/admin/payouts/{id}/file`: a link to the CSV file of a payout's settlements.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::endpoint_error;
use shared::http::access::{OwnMerchant, RecentlySignedIn};
use shared::http::description::Description;
use shared::http::endpoint_error::General;
use shared::http::examples;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::http::utc_time::UtcTime;
use shared::payouts::{FileLinkError, file_link};
use utoipa::ToSchema;

use crate::payouts::{BuildingError, PayoutOfPathError, payout_of_path};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutFile)]
pub(crate) struct FileLinkView {
    /// Opens the file with a plain GET, without a session.
    url: String,
    /// When the link expires: after 10 minutes.
    expires_at: UtcTime,
}

endpoint_error! {
    pub(crate) enum PayoutFileError {
        OfPath(#[from] PayoutOfPathError),
        OwnMerchant(#[from] OwnMerchant),
        Building(#[from] BuildingError),
    }
}

impl From<FileLinkError> for PayoutFileError {
    fn from(error: FileLinkError) -> Self {
        match error {
            FileLinkError::NotSealed => BuildingError::Building.into(),
            FileLinkError::Commit(error) => error.into(),
            FileLinkError::File(error) => General::internal(error.to_string()).into(),
        }
    }
}

/// The file is written before the payout can be decided. Who downloads it makes the payment by hand, so it is refused to
/// members of the merchant.
pub(crate) async fn presign(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<FileLinkView>, PayoutFileError> {
    let payout = payout_of_path(&app, &path).await?;
    administrator.require_other(&app, &payout.merchant_id).await?;
    let link = file_link(&app, &payout, &administrator.user.id).await?;
    Ok(Data(FileLinkView { url: link.url, expires_at: link.expires_at.into() }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getPayoutFile",
        "Get the file of a payout",
        "Returns a presigned URL for a CSV file of the payout's settlements, as they were when the payout was complete.",
    )
    .success(
        "The presigned URL.",
        json!({
            "url": format!("https://documents.s3.eu-west-1.amazonaws.com/payouts/{}.csv?X-Amz-Signature=…", examples::PAYOUT),
            "expiresAt": "2026-01-15T10:30:00.000Z",
        }),
    )
}
