//! `GET /api/bff/exports/{id}`: how far an export is, and a link to its file.

use std::time::Duration;

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Data, Description, General, MayRead, PathIds, PermissionSet, UtcTime, examples};
use shared::projections::model::export::{Export, ExportKind, ExportState};
use shared::team::model::team::Permission;
use shared::values::{ExportId, later};
use utoipa::ToSchema;

/// The permissions of all kinds of exports.
#[derive(Debug)]
pub(crate) struct AnyExport;

impl PermissionSet for AnyExport {
    const PERMISSIONS: &'static [Permission] = &[Permission::Orders, Permission::Reports, Permission::Analytics];
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum ExportStatus {
    Running,
    Ready,
    Failed,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = ExportFailureCode)]
pub(crate) enum FailureCode {
    TooManyRows,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Export)]
pub(crate) struct ExportView {
    /// The id of the export.
    id: ExportId,
    /// What the file contains.
    kind: ExportKind,
    /// `RUNNING` until the file is `READY`, or the export has `FAILED`.
    status: ExportStatus,
    /// The number of rows in the file, or of those written so far. Null if the export has failed.
    rows: Option<u64>,
    /// A link to the file, which needs no session and is signed anew for each request. Null unless the export is ready.
    url: Option<String>,
    /// Why the export has failed: `TOO_MANY_ROWS` if a workbook would have more than 200,000 rows. Null otherwise.
    code: Option<FailureCode>,
    /// When the link expires: after 10 minutes, or sooner if the file does. Null without a link.
    expires_at: Option<UtcTime>,
}

const URL_EXPIRES_IN: Duration = Duration::from_mins(10);

endpoint_error! {
    pub(crate) enum ExportError {
        /// There is no such export, or it has expired.
        NoSuchExport => 404 NOT_FOUND "There is no such export.",
    }
}

/// Returns an export of the merchant. It expires a day after it was started.
pub(crate) async fn get(
    caller: MayRead<AnyExport>,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<ExportView>, ExportError> {
    let id = path.get("id").map(ExportId::new).ok_or(ExportError::NoSuchExport)?;
    let now = app.clock.now();
    let export = app.store.export(&caller.merchant.id, &id, now).await?;
    let export = export.ok_or(ExportError::NoSuchExport)?.value;
    caller.require(export.kind.permission())?;
    let (status, rows, code) = match export.state_at(now) {
        ExportState::Running(progress) => (ExportStatus::Running, Some(progress.rows), None),
        ExportState::Ready { rows } => (ExportStatus::Ready, Some(*rows), None),
        ExportState::Failed => (ExportStatus::Failed, None, None),
        ExportState::TooManyRows => (ExportStatus::Failed, None, Some(FailureCode::TooManyRows)),
    };
    let link = match export.state {
        ExportState::Ready { .. } => Some(link(&app, &export).await?),
        ExportState::Running(_) | ExportState::Failed | ExportState::TooManyRows => None,
    };
    let (url, expires_at) = link.unzip();
    Ok(Data(ExportView { id: export.id, kind: export.kind, status, rows, url, code, expires_at }))
}

/// The link does not outlive the file.
async fn link(app: &App, export: &Export) -> Result<(String, UtcTime), General> {
    let now = app.clock.now();
    let rest = Duration::try_from(export.expires_at().duration_since(now)).unwrap_or_default();
    // A link is signed for whole seconds.
    let expires_in = Duration::from_secs(URL_EXPIRES_IN.min(rest).as_secs().max(1));
    let url = app.documents().presigned_url(&export.object_key, now, expires_in).await;
    let url = url.map_err(|error| General::internal(error.to_string()))?;
    let expires_at = later(now, expires_in.try_into().unwrap_or_default());
    Ok((url, expires_at.into()))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getExport",
        "Get an export",
        "Returns the progress of an export and, once it is ready, a link to its file. An export and its file are deleted a day \
         after it was started. Requires the permission of its kind, for reading.",
    )
    .success("The export.", example())
}

fn example() -> serde_json::Value {
    json!({
        "id": "019c18a5-1d00-78f6-994e-3bf91a61dbe2", "kind": "orders", "status": "READY", "rows": 1200,
        "url": format!("https://documents.s3.eu-west-1.amazonaws.com/exports/{}/1fe0235e36c636601c1996ec854e6a1c.csv?X-Amz-Signature=…", examples::MERCHANT),
        "code": null,
        "expiresAt": "2026-02-01T10:10:00.000Z",
    })
}
