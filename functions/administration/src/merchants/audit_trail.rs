//! `GET /api/admin/merchants/{id}/audit`: the audit trail of a merchant, latest first.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::base::audit;
use shared::db::{Cursor, Write};
use shared::endpoint_error;
use shared::http::{CursorError, Data, Description, OwnMerchant, PathIds, PlatformAdministrator, Query};
use shared::merchants::model::audit::AuditAction;
use utoipa::ToSchema;

use crate::merchants::merchant::{AuditView, audit_example};
use crate::merchants::of_path::{MerchantOfPathError, find, merchant_id};
use crate::people::{self, Person, people};

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 200;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditPage)]
pub(crate) struct PageView {
    /// The entries of the page, newest first.
    audit: Vec<AuditView>,
    /// The people named in the entries.
    people: Vec<Person>,
    /// The `cursor` of the next page; null on the last one. A page can be shorter than `limit` although more follow.
    next: Option<String>,
}

endpoint_error! {
    pub(crate) enum AuditTrailError {
        Cursor(#[from] CursorError),
        OwnMerchant(#[from] OwnMerchant),
        OfPath(#[from] MerchantOfPathError),
    }
}

/// Who read it is in the trail before it is shown.
pub(crate) async fn audit_trail(
    administrator: PlatformAdministrator,
    State(app): State<App>,
    path: PathIds,
    query: Query,
) -> Result<Data<PageView>, AuditTrailError> {
    let id = merchant_id(&path)?;
    let after = query.cursor().map(|text| Cursor::parse(text).ok_or(CursorError::Unknown)).transpose()?;
    administrator.require_other(&app, &id).await?;
    find(&app, &id).await?;
    let entry = app.store.new_audit_entry(&administrator.user.id, Some(&id), AuditAction::MerchantRead, app.clock.now());
    app.store.commit(vec![Write::create(&entry)?]).await?;
    audit::administration(&entry);
    let only_changes = query.text("onlyChanges") == Some("true");
    let limit = usize::from(query.limit(DEFAULT_LIMIT, MAX_LIMIT));
    let page = app.store.audit_page(&id, only_changes, after, limit).await?;
    let people = people(&app, page.entries.iter().map(|entry| &entry.by)).await?;
    let audit = page.entries.into_iter().map(AuditView::from).collect();
    Ok(Data(PageView { audit, people, next: page.next.map(|next| next.to_string()) }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getAuditTrail",
        "Get the audit trail of a merchant",
        "Returns what platform administrators did to a merchant, who viewed it, and how its identity changed; newest first.",
    )
    .query::<bool>("onlyChanges", "`true` omits the entries of people who only viewed the merchant.", false)
    .query::<String>("cursor", "The `next` of the previous page.", false)
    .query::<i64>("limit", "1 to 200; default 50.", false)
    .success("A page of the audit trail.", json!({"audit": [audit_example()], "people": [people::example()], "next": null}))
}
