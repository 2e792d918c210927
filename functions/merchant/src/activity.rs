//! `GET /api/bff/merchant/activity`: who changed the team, the tills, the company or the status, latest first.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::{Authorized, CursorError, Data, Description, Query, UtcTime, examples, permission};
use shared::merchants::model::activity::{Activity, ActivityAction, ActorKind, Fields, Target};
use shared::merchants::rows::activities::ActivityCursor;
use shared::values::OpenEnum;
use utoipa::ToSchema;

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 200;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityPage)]
pub(crate) struct PageView {
    /// The events of the page, newest first.
    events: Vec<EventView>,
    /// The `cursor` of the next page. Null on the last page.
    next: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityEvent)]
struct EventView {
    /// The id of the event.
    id: String,
    /// When it happened.
    at: UtcTime,
    /// Who did it.
    actor: ActorView,
    /// What was done.
    #[schema(value_type = ActivityAction)]
    action: OpenEnum<ActivityAction>,
    /// The target of the action. Null if it is the merchant itself.
    target: Option<Target>,
    /// The changed fields with their previous values. Null if there were none.
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
    from: Option<Fields>,
    /// The changed or set fields with their new values. Null if there are none.
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
    to: Option<Fields>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ActivityActor)]
struct ActorView {
    /// A member of the team, a till, an administrator of the platform, or the system itself.
    #[schema(value_type = ActorKind)]
    kind: OpenEnum<ActorKind>,
    /// The id of the member or till. Null for the platform and the system.
    id: Option<String>,
    /// The name of the member or the till at the time. Null for the platform and the system.
    name: Option<String>,
    /// The e-mail address of the member at the time, because members choose their own names. Null for all others.
    address: Option<String>,
}

impl From<Activity> for EventView {
    fn from(activity: Activity) -> Self {
        let Activity { id, at, actor, action, target, from, to, .. } = activity;
        let actor = ActorView { kind: actor.kind, id: actor.id, name: actor.name, address: actor.address };
        Self { id, at: at.into(), actor, action, target, from, to }
    }
}

pub(crate) async fn list_activity(
    caller: Authorized<permission::TeamInvite>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<PageView>, CursorError> {
    let limit = query.limit(DEFAULT_LIMIT, MAX_LIMIT);
    let cursor = query.cursor();
    let after = cursor.map(|text| ActivityCursor::parse(text).ok_or(CursorError::Unknown)).transpose()?;
    let (activities, next) = app.store.activities(&caller.merchant.id, after.as_ref(), limit).await?;
    let events = activities.into_iter().map(|activity| EventView::from(activity.value)).collect();
    Ok(Data(PageView { events, next: next.map(|next| next.to_string()) }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listActivity",
        "List the activity",
        "Returns the events of the merchant, newest first: invitations, members who joined, left or were removed, changes of \
         roles and names, tills, changes of the company, exports, and each new status. Events are kept for two years.",
    )
    .query::<String>("cursor", "The `next` of the previous page.", false)
    .query::<i64>("limit", "1 to 200; default 50.", false)
    .success(
        "A page of events.",
        json!({
            "events": [{
                "id": "019a6d50-c040-7a17-895e-60af93bd04cf", "at": "2026-01-05T10:00:00.000Z",
                "actor": {"kind": "MEMBER", "id": examples::OWNER, "name": "Anna Berg", "address": "anna@example.com"},
                "action": "ROLE_CHANGED",
                "target": {"id": examples::MEMBER, "name": "Bo Ek"},
                "from": {"merchantTeamRole": "FULL"}, "to": {"merchantTeamRole": "VIEWER"},
            }],
            "next": null,
        }),
    )
}
