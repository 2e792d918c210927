//! `GET /api/onboarding/document`: a short-lived link to a document.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::access::{Session, no_merchant};
use shared::http::description::{Description, NonBlank};
use shared::http::fault::Fault;
use shared::http::query::Query;
use utoipa::ToSchema;

use crate::document_key::{DocumentKey, folder, key_in_url};

const TTL: Duration = Duration::from_mins(1);

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentLink)]
pub(crate) struct Link {
    ok: bool,
    /// Opens the document for a minute.
    url: String,
}
pub(crate) fn describe() -> Description {
    Description::new("Open a document", "A link to a document of the merchant's; platform administrators see any.")
        .query::<NonBlank>("url", "The `url` of the upload.", true)
        .answer::<Link>(
            "The link.",
            json!({
                "ok": true,
                "url": "https://files.s3.eu-west-1.amazonaws.com/m-1/onboarding/documents/0199-passport.pdf?X-Amz-Signature=…",
            }),
        )
        .refuses(400, "The `url` is missing or none that an upload has given, or the user has no merchant.")
        .refuses(403, "The document is another merchant's.")
}

/// A link to the document that `url` names as its upload did. Whether there is one, the link itself will tell.
///
/// 400 for a `url` that no upload can have given, and for a user without a merchant; 403 for another merchant's
/// document. Platform administrators may see any, and need no merchant.
pub(crate) async fn document(
    caller: Session,
    State(app): State<App>,
    query: Query,
) -> Result<Json<Link>, Fault> {
    let folder = own_folder(&caller)?;
    let url = query.text("url").filter(|url| !url.trim().is_empty());
    let url = url.ok_or_else(|| Fault::invalid("url: is missing."))?;
    let unknown = || Fault::invalid("url: must be one that an upload has given.");
    let key =
        key_in_url(url, app.settings.bucket.name(), app.settings.bucket.region()).ok_or_else(unknown)?;
    if folder.is_some_and(|own| !key.starts_with(&own)) {
        return Err(Fault::forbidden("This document belongs to another merchant."));
    }
    let key = DocumentKey::parse(&key).ok_or_else(unknown)?;
    let url = app.files().presigned_url(&key.to_string(), app.clock.now(), TTL);
    Ok(Json(Link { ok: true, url }))
}

/// The folder that a caller is kept to; none for an administrator.
fn own_folder(caller: &Session) -> Result<Option<String>, Fault> {
    if caller.user.is_admin {
        return Ok(None);
    }
    let workspace = caller.workspace.as_ref().ok_or_else(|| no_merchant(StatusCode::BAD_REQUEST))?;
    Ok(Some(folder(&workspace.merchant.id)))
}
