//! `POST /api/onboarding/upload`: a document for the onboarding, stored where only its merchant gets at it.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::files::{FileError, FileType};
use shared::http::access::{HasMerchant, OrBadRequest};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::upload::Upload;
use utoipa::ToSchema;

use crate::document_key::DocumentKey;

const PREVIEW_TTL: Duration = Duration::from_hours(1);

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UploadedDocument)]
pub(crate) struct Uploaded {
    ok: bool,
    /// What names the document from now on. It opens nothing: the bucket is private.
    url: String,
    /// Opens the document for an hour.
    preview_url: String,
    /// `<merchant_id>/onboarding/documents/<uuid>-<name>.<ext>`.
    key: String,
    /// As the caller named it.
    original_name: String,
    /// `<uuid>-<name>.<ext>`.
    filename: String,
}
pub(crate) fn describe() -> Description {
    Description::new("Upload a document", "Stores a PDF or an image of at most 4 MiB, told by its content.")
        .upload()
        .answer::<Uploaded>(
            "The document is stored.",
            json!({
                "ok": true,
                "url": "https://files.s3.eu-west-1.amazonaws.com/m-1/onboarding/documents/0199-passport.pdf",
                "previewUrl": "https://files.s3.eu-west-1.amazonaws.com/m-1/onboarding/documents/0199-passport.pdf?X-Amz-Signature=…",
                "key": "m-1/onboarding/documents/0199-passport.pdf",
                "originalName": "passport.pdf",
                "filename": "0199-passport.pdf",
            }),
        )
        .refuses(400, "There is no file.")
        .refuses(415, "The file is neither a PDF nor a PNG, JPEG, GIF or WebP image.")
}

/// The names and links of the stored document.
///
/// 400 without a file, 413 for one that is too large, 415 for one that is neither a PDF nor a PNG, JPEG, GIF or WebP
/// image, 500 where it could not be stored.
pub(crate) async fn upload(
    caller: HasMerchant<OrBadRequest>,
    State(app): State<App>,
    file: Upload,
) -> Result<Json<Uploaded>, Fault> {
    let file_type = FileType::of_document(&file.bytes)
        .ok_or_else(|| Fault::unsupported_type("file: must be a PDF or a PNG, JPEG, GIF or WebP image."))?;
    let now = app.clock.now();
    let key = DocumentKey::new(&caller.merchant.id, app.random.uuid(now), &file.name, file_type);
    let failed = |error: FileError| Fault::failed("The document could not be stored.", error.to_string());
    app.files().put(&key.to_string(), file.bytes, file_type).await.map_err(failed)?;
    let preview_url = app.files().presigned_url(&key.to_string(), now, PREVIEW_TTL);
    Ok(Json(Uploaded {
        ok: true,
        url: key.url(app.settings.bucket.name(), app.settings.bucket.region()),
        preview_url,
        key: key.to_string(),
        original_name: file.name,
        filename: key.filename,
    }))
}
