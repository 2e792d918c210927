//! `GET /api/admin/payouts/{id}/file`: a link to the CSV file of a payout's settlements.

use std::time::Duration;

use axum::extract::State;
use jiff::SignedDuration;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::audit;
use shared::clock::later;
use shared::domain::audit::{AuditAction, AuditEntry};
use shared::files::payout_file;
use shared::http::access::RecentlySignedIn;
use shared::http::description::Description;
use shared::http::examples;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::http::utc_time::UtcTime;
use shared::store::Write;
use utoipa::ToSchema;

use crate::audit_entry::new_audit_entry;
use crate::payouts::{building, payout_of_path};

const EXPIRES_IN: SignedDuration = SignedDuration::from_mins(10);

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutFile)]
pub(crate) struct FileLink {
    /// Opens the file with a plain GET, without a session.
    url: String,
    /// When the link expires: after 10 minutes.
    expires_at: UtcTime,
}

/// The file is written before the payout can be decided. Who downloads it makes the payment by hand, so it is refused to
/// members of the merchant.
pub(crate) async fn presign(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<FileLink>, Fault> {
    let payout = payout_of_path(&app, &path).await?;
    administrator.require_other(&app, &payout.merchant_id).await?;
    if !payout.is_sealed() {
        return Err(building());
    }
    let now = app.clock.now();
    let (by, merchant) = (&administrator.user.id, Some(&payout.merchant_id));
    let entry = AuditEntry {
        subject: Some(payout.id.to_string()),
        ..new_audit_entry(&app, by, merchant, AuditAction::PayoutFileRead, now)
    };
    app.store.commit(vec![Write::create(&entry)?]).await?;
    audit::administration(&entry);
    let expires_in = Duration::try_from(EXPIRES_IN).unwrap_or_default();
    let url = app.documents().presigned_url(&payout_file(&payout.id), now, expires_in).await;
    let url = url.map_err(|error| Fault::internal(error.to_string()))?;
    Ok(Data(FileLink { url, expires_at: later(now, EXPIRES_IN).into() }))
}

pub(crate) fn describe() -> Description {
    Description::new("getPayoutFile", 
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
    .error(404, "There is no such payout.")
    .message("There is no such payout.")
    .coded_error(409, &["BATCH_BUILDING"], "Settlements are still joining the payout (`BATCH_BUILDING`).")
}
