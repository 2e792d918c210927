//! `POST /api/onboarding/upload`: uploads a private document for the onboarding.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::aws::files::{FileError, FileType};
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, Description, General, Invalid, Upload, examples, permission};
use shared::limits;
use shared::limits::model::{DOCUMENTS, UsedUp};
use shared::merchants::view::document_key::DocumentKey;
use utoipa::ToSchema;

const PREVIEW_TTL: Duration = Duration::from_hours(1);

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UploadedDocument {
    /// `true`: the request has succeeded.
    ok: bool,
    /// Identifies the document in later requests. Not readable without a signature: the bucket is private.
    url: String,
    /// A presigned URL. Expires after 1 hour.
    preview_url: String,
    /// `<merchant_id>/onboarding/documents/<uuid>-<name>.<ext>`.
    key: String,
    /// The filename in the request, decoded; empty if it has none.
    original_name: String,
    /// `<uuid>-<name>.<ext>`.
    filename: String,
}

pub(crate) fn describe() -> Description {
    let filename = examples::DOCUMENT;
    let key = format!("{}/onboarding/documents/{filename}", examples::MERCHANT);
    Description::new(
        "uploadDocument",
        "Upload a document",
        "Accepts a PDF, PNG, JPEG, GIF or WebP file of at most 4 MiB. The type is detected from the content. The file is \
         stored byte for byte, with its metadata, and every link to it is a download.",
    )
    .upload()
    .success(
        "The document is stored.",
        json!({
            "ok": true,
            "url": format!("https://documents.s3.eu-west-1.amazonaws.com/{key}"),
            "previewUrl": format!("https://documents.s3.eu-west-1.amazonaws.com/{key}?X-Amz-Signature=…"),
            "key": key,
            "originalName": "registration.pdf",
            "filename": filename,
        }),
    )
}

endpoint_error! {
    pub(crate) enum UploadDocumentError {
        /// The file is missing.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "file: is missing.",
        /// The file is not a PDF, PNG, JPEG, GIF or WebP file.
        UnsupportedType => 415 UNSUPPORTED_TYPE "file: must be a PDF or a PNG, JPEG, GIF or WebP image.",
        /// The caller has uploaded 100 documents within a day, or all members of the merchant together 200.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 100 document uploads a day. Please try again in 12 hours.",
    }
}

/// Stores the document as it is, and returns its key and URLs.
pub(crate) async fn upload_document(
    caller: AuthorizedPerson<permission::Onboarding>,
    State(app): State<App>,
    file: Upload,
) -> Result<Json<UploadedDocument>, UploadDocumentError> {
    let file_type = FileType::of_document(&file.bytes).ok_or(UploadDocumentError::UnsupportedType)?;
    limits::count::<UploadDocumentError>(&app, &caller.member().within(DOCUMENTS)).await?;
    let now = app.clock.now();
    let key = DocumentKey::new(&caller.merchant.id, app.random.uuid(now), &file.name, file_type);
    let failed = |error: FileError| General::failed("The document could not be stored.", error.to_string());
    app.documents().put_document(&key.to_string(), file.bytes, file_type).await.map_err(failed)?;
    let preview_url = app.documents().presigned_download(&key.to_string(), &key.filename, now, PREVIEW_TTL).await;
    let preview_url = preview_url.map_err(failed)?;
    Ok(Json(UploadedDocument {
        ok: true,
        url: key.url(&app.settings.documents_bucket, &app.settings.aws.region),
        preview_url,
        key: key.to_string(),
        original_name: file.name,
        filename: key.filename,
    }))
}
