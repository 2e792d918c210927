//! `DELETE /api/admin/media`: takes a published image down.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::aws::files::design_id;
use shared::base::audit;
use shared::db::{Task, Write, fill_transaction};
use shared::endpoint_error;
use shared::http::{Description, General, Invalid, JsonBody, NoData, NonBlank, OwnMerchant, RecentlySignedIn};
use shared::merchants::model::audit::{AuditAction, AuditEntry};
use shared::merchants::model::take_down::TakeDown;
use shared::values::MerchantId;
use utoipa::ToSchema;

use crate::merchants::change::Reason;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ImageTakeDown)]
pub(crate) struct Body {
    /// The `key` of the image, as in its address.
    #[schema(value_type = NonBlank)]
    key: String,
    /// The reason, for the audit trail. The merchant does not see it.
    reason: Reason,
}

endpoint_error! {
    pub(crate) enum TakeDownError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "reason: must have 1 to 500 characters on one line.",
        OwnMerchant(#[from] OwnMerchant),
        /// No such image was ever published.
        NoSuchImage => 404 NOT_FOUND "There is no such image.",
    }
}

/// The image is gone from the response on: a row says so, whatever is stored under its key. A job deletes all versions of the
/// file. The same request again deletes what has been stored under the key since.
pub(crate) async fn take_down(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    JsonBody(body): JsonBody<Body>,
) -> Result<NoData, TakeDownError> {
    let known = app.store.take_down(&body.key).await?;
    let owner = match &known {
        Some(known) => known.merchant_id.clone(),
        None => published_by(&app, &body.key).await?,
    };
    if let Some(owner) = &owner {
        administrator.require_other(&app, owner).await?;
    }
    let now = app.clock.now();
    let task = Task::DeleteImage { object_key: body.key.clone() };
    let deletion = app.store.enqueue(owner.clone(), task, now)?;
    if known.is_some() {
        app.store.commit(vec![deletion]).await?;
        return Ok(NoData);
    }
    let by = administrator.user.id.clone();
    let entry = AuditEntry {
        subject: Some(body.key.clone()),
        reason: Some(body.reason.into_string()),
        ..app.store.new_audit_entry(&by, owner.as_ref(), AuditAction::ImageTakenDown, now)
    };
    let taken_down = TakeDown { object_key: body.key.clone(), merchant_id: owner.clone(), taken_down_at: now, taken_down_by: by };
    let mut writes = vec![Write::create(&taken_down)?, Write::create(&entry)?, deletion];
    if let Some(owner) = &owner {
        let mail = |user_id| Task::TakeDownMail { user_id, object_key: body.key.clone() };
        fill_transaction(&mut writes, app.store.mail_administrators(owner, mail, now).await?);
    }
    // Otherwise another administrator has just taken it down.
    if app.store.commit_if_possible(writes).await? {
        audit::administration(&entry);
    }
    Ok(NoData)
}

/// The owner of the image, unless its file has lost it.
async fn published_by(app: &App, key: &str) -> Result<Option<MerchantId>, TakeDownError> {
    if design_id(key).is_none() {
        return Err(TakeDownError::NoSuchImage);
    }
    let owner = app.files().image_owner(key).await.map_err(|error| General::internal(error.to_string()))?;
    owner.ok_or(TakeDownError::NoSuchImage)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "takeDownImage",
        "Take down a published image",
        "Permanently deletes the image: its address returns 404 from now on, and all its versions are deleted. Browsers may show \
         a cached copy for up to an hour. The merchant's administrators are notified by e-mail. You cannot take down images of \
         your own merchant.",
    )
    .body::<Body>(json!({
        "key": "public/gift-cards/designs/019a6d6c-3780-7658-8389-8d19f9ebdacc-design.png",
        "reason": "The image imitates the page of a bank",
    }))
    .ok("The image is deleted. It may have been deleted before.")
}
