//! Keeps the tallies and the search segments of merchants equal to their entries. `shared::projections` explains how.

use std::collections::{BTreeMap, BTreeSet};

use aws_lambda_events::dynamodb::EventRecord;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use jiff::Timestamp;
use shared::app::App;
use shared::db::heartbeats::Heartbeat;
use shared::db::{CommitError, Item, Task, item_key, keys};
use shared::projections::model::tally::Family;
use shared::projections::recount::recount;
use shared::projections::search::Writer;
use shared::values::{MerchantId, Minute};

/// The minutes in which entries have changed.
pub type Changes = BTreeMap<(MerchantId, Family), BTreeSet<Minute>>;

/// Merchants and families that are recounted at once.
const MAX_CONCURRENT: usize = 8;
/// The principal of deletions of expired rows.
const TIME_TO_LIVE: &str = "dynamodb.amazonaws.com";

/// The changes that the records of a batch report. The tallies of an expired entry expire with it.
pub fn changes(records: &[EventRecord]) -> Changes {
    let mut changes = Changes::new();
    for record in records.iter().filter(|record| !is_expiry(record)) {
        if let Some((merchant, family, minute)) = changed_minute(record) {
            changes.entry((merchant, family)).or_default().insert(minute);
        }
    }
    changes
}

/// Reports how old heartbeats are.
pub fn report_heartbeats(app: &App, records: &[EventRecord]) {
    let now = app.clock.now();
    for age in records.iter().filter_map(|record| Heartbeat::age(record.change.new_image.clone().into(), now)) {
        app.metrics.record_heartbeat("projections", age);
    }
}

/// Reports entries of audit trails and activities that were changed or deleted. No function does either, and none may: whoever
/// did it has other permissions. The expiry of an activity is none of these.
pub fn report_changed_trails(app: &App, records: &[EventRecord]) {
    let changed: Vec<String> = records.iter().filter_map(changed_trail).collect();
    if changed.is_empty() {
        return;
    }
    app.metrics.record_changed_trails(changed.len() as u64);
    tracing::error!(?changed, "entries of a trail were changed or deleted");
}

/// The key of the entry, for the log.
fn changed_trail(record: &EventRecord) -> Option<String> {
    if record.event_name == "INSERT" || is_expiry(record) {
        return None;
    }
    let keys: Item = record.change.keys.clone().into();
    let key = item_key(&keys)?;
    let is_trail = [keys::AUDIT_TRAILS, keys::ACTIVITIES].iter().any(|prefix| key.pk.starts_with(prefix));
    is_trail.then(|| key.loggable())
}

fn is_expiry(record: &EventRecord) -> bool {
    let identity = record.user_identity.as_ref();
    identity.is_some_and(|identity| identity.principal_id == TIME_TO_LIVE)
}

/// An entry that moves to another time is another row, so that its key tells what to recount.
fn changed_minute(record: &EventRecord) -> Option<(MerchantId, Family, Minute)> {
    let keys: Item = record.change.keys.clone().into();
    let key = item_key(&keys)?;
    let (merchant, family) = keys::parse_entries(&key.pk)?;
    let (time, _id) = key.sk.split_once('#')?;
    let time: Timestamp = time.parse().ok()?;
    Some((merchant, family, Minute::of(time)))
}

/// Recounts the tallies of all changes, and renews the search segments of the merchants whose orders have changed.
///
/// # Errors
/// Fails if a recount fails and cannot become a job either.
pub async fn project(app: &App, changes: Changes) -> Result<(), CommitError> {
    let with_orders: Vec<MerchantId> =
        changes.keys().filter(|(_, family)| *family == Family::Orders).map(|(merchant, _)| merchant.clone()).collect();
    let recounts = changes.into_iter().map(|((merchant, family), minutes)| recount_or_postpone(app, merchant, family, minutes));
    stream::iter(recounts).buffer_unordered(MAX_CONCURRENT).try_collect::<()>().await?;
    for merchant in with_orders {
        renew_segments(app, &merchant).await;
    }
    Ok(())
}

/// A recount that fails becomes a job, so that it holds up no other.
async fn recount_or_postpone(
    app: &App,
    merchant: MerchantId,
    family: Family,
    minutes: BTreeSet<Minute>,
) -> Result<(), CommitError> {
    let Err(error) = recount(&app.store, &merchant, family, &minutes).await else { return Ok(()) };
    tracing::warn!(cause = %error, %merchant, "a recount failed and became a job");
    let job = app.store.enqueue(merchant, Task::Recount { family, minutes }, app.clock.now())?;
    app.store.commit(vec![job]).await
}

/// What fails is done with the next change. Until then, searches read the changed orders from the table.
async fn renew_segments(app: &App, merchant: &MerchantId) {
    let (store, objects, random) = (&app.store, app.segments(), &app.random);
    let writer = Writer { store, objects, random, now: app.clock.now() };
    if let Err(error) = writer.renew(merchant).await {
        app.metrics.record_failed_renewal();
        tracing::error!(cause = %error, %merchant, "the search segments were not renewed");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(pk: &str, sk: &str, principal: Option<&str>) -> EventRecord {
        let identity = principal.map(|id| json!({"type": "Service", "principalId": id}));
        let record = json!({
            "awsRegion": "eu-west-1",
            "eventID": "1",
            "eventName": "MODIFY",
            "userIdentity": identity,
            "dynamodb": {"Keys": {"pk": {"S": pk}, "sk": {"S": sk}}, "SizeBytes": 1},
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn changes_and_deletions_of_trails_are_reported() {
        let event = |name: &str, pk, principal| {
            let mut event = record(pk, "2026-01-01T10:00:00.000Z#e", principal);
            event.event_name = name.to_owned();
            event
        };
        for (record, is_reported) in [
            (event("INSERT", "AUDIT#m", None), false),
            (event("INSERT", "ACTIVITY#m", None), false),
            (event("MODIFY", "AUDIT#", None), true),
            (event("MODIFY", "ACTIVITY#m", None), true),
            (event("REMOVE", "AUDIT#m", None), true),
            (event("REMOVE", "ACTIVITY#m", Some("AIDAEXAMPLE")), true),
            (event("REMOVE", "ACTIVITY#m", Some(TIME_TO_LIVE)), false),
            (event("REMOVE", "ORDERS#m", None), false),
        ] {
            assert_eq!(changed_trail(&record).is_some(), is_reported, "{record:?}");
        }
    }

    #[test]
    fn entries_change_the_minute_of_their_key() {
        let records = [
            record("ORDERS#m%23", "2026-01-01T10:00:59.999Z#o-1", None),
            record("ORDERS#m%23", "2026-01-01T10:00:00.000Z#o-2", Some("user")),
            record("REDEMPTIONS#m%23", "2026-01-01T10:00:00.000Z#r#1", None),
            record("VISITS#m%23", "2024-01-01T10:00:00.000Z#v", Some(TIME_TO_LIVE)),
            record("CHANGED_ORDERS#m", "2026-01-01T10:00:00.000Z#o-1", None),
            record("TALLIES#m#ORDERS", "QUARTER#2026-01-01T10:00:00.000Z", None),
            record("MERCHANT#m", "MERCHANT", None),
        ];
        let minute = Minute::of("2026-01-01T10:00:00Z".parse().unwrap());
        let expected =
            [Family::Orders, Family::Redemptions].map(|family| ((MerchantId::new("m#"), family), BTreeSet::from([minute])));
        assert_eq!(changes(&records), expected.into());
    }
}
