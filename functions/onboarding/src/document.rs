//! `GET /api/onboarding/document`: returns a presigned URL for a document.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::base::audit;
use shared::db::Write;
use shared::endpoint_error;
use shared::http::{
    AuthorizedPerson, Description, General, Invalid, MaybeAuthorized, NonBlank, OwnMerchant, Query, examples, permission,
};
use shared::merchants::model::audit::{AuditAction, AuditEntry};
use shared::merchants::view::document_key::{DocumentKey, folder, key_in_url};
use shared::team::model::team::User;
use utoipa::ToSchema;

const URL_EXPIRES_IN: Duration = Duration::from_mins(1);

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentLink {
    /// `true`: the request has succeeded.
    ok: bool,
    /// The presigned URL. Expires after 1 minute.
    url: String,
}

pub(crate) fn describe() -> Description {
    let key = format!("{}/onboarding/documents/{}", examples::MERCHANT, examples::DOCUMENT);
    Description::new(
        "getDocumentUrl",
        "Get a document URL",
        "Returns a presigned URL for one of the merchant's documents. Platform administrators can access every document except \
         those of merchants that they have left; the audit trail records each access.",
    )
    .query::<NonBlank>("url", "The `url` of the upload response.", true)
    .success(
        "The presigned URL.",
        json!({
            "ok": true,
            "url": format!("https://documents.s3.eu-west-1.amazonaws.com/{key}?X-Amz-Signature=…"),
        }),
    )
}

endpoint_error! {
    pub(crate) enum GetDocumentUrlError {
        /// The user has no merchant.
        NoMerchant => 400 INVALID_REQUEST "Your account is not linked to a merchant.",
        /// The `url` is missing or not that of an upload.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "url: must be the url of an uploaded document.",
        OwnMerchant(#[from] OwnMerchant),
        /// The document belongs to another merchant.
        OtherMerchant => 403 FORBIDDEN "This document belongs to another merchant.",
    }
}

/// Returns a presigned URL for the document with this upload `url`. Does not check that the document exists. Platform
/// administrators can access every document and need no merchant.
pub(crate) async fn presign_document(
    caller: MaybeAuthorized<AuthorizedPerson<permission::Onboarding>>,
    State(app): State<App>,
    query: Query,
) -> Result<Json<DocumentLink>, GetDocumentUrlError> {
    let allowed_folder = allowed_folder(&caller)?;
    let url = query.text("url").filter(|url| !url.trim().is_empty());
    let url = url.ok_or_else(|| Invalid::new("url: is missing."))?;
    let invalid_url = || Invalid::new("url: must be the url of an uploaded document.");
    let key = key_in_url(url, &app.settings.documents_bucket, &app.settings.aws.region).ok_or_else(invalid_url)?;
    if allowed_folder.is_some_and(|folder| !key.starts_with(&folder)) {
        return Err(GetDocumentUrlError::OtherMerchant);
    }
    let key = DocumentKey::parse(&key).ok_or_else(invalid_url)?;
    if caller.user().is_admin && caller.user().merchant_id.as_ref() != Some(&key.merchant) {
        audit_reading(&app, caller.user(), &key).await?;
    }
    let url = app.documents().presigned_download(&key.to_string(), &key.filename, app.clock.now(), URL_EXPIRES_IN).await;
    let url = url.map_err(|error| General::internal(error.to_string()))?;
    if caller.user().is_admin {
        audit::document_read(&caller.user().id, &key.merchant, key.id());
    }
    Ok(Json(DocumentLink { ok: true, url }))
}

/// Records that a platform administrator reads another merchant's document. Refused if they have ever belonged to it: only who
/// is a member now reads it, as any member does.
async fn audit_reading(app: &App, administrator: &User, key: &DocumentKey) -> Result<(), OwnMerchant> {
    if app.store.has_ever_belonged(&administrator.id, &key.merchant).await? {
        return Err(OwnMerchant::OwnMerchant);
    }
    let now = app.clock.now();
    let id = app.random.uuid(now).to_string();
    let entry = AuditEntry::new(id, &administrator.id, Some(&key.merchant), AuditAction::DocumentRead, now);
    // The rest of the name can contain personal data.
    let entry = AuditEntry { subject: Some(key.id().to_owned()), ..entry };
    app.store.commit(vec![Write::create(&entry)?]).await?;
    Ok(())
}

/// Returns the folder that the caller is restricted to; `None` for platform administrators.
fn allowed_folder(
    caller: &MaybeAuthorized<AuthorizedPerson<permission::Onboarding>>,
) -> Result<Option<String>, GetDocumentUrlError> {
    match caller {
        MaybeAuthorized::Authorized(caller) if caller.user.is_admin => Ok(None),
        MaybeAuthorized::NoMerchant(user) if user.is_admin => Ok(None),
        MaybeAuthorized::Authorized(caller) => Ok(Some(folder(&caller.merchant.id))),
        MaybeAuthorized::NoMerchant(_) => Err(GetDocumentUrlError::NoMerchant),
    }
}
