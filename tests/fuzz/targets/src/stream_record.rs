//! Records of the table's stream: one that cannot be read costs no other one.

use aws_lambda_events::dynamodb::EventRecord;
use serde_json::json;
use serde_json::value::RawValue;
use shared::db::heartbeats::Heartbeat;
use shared::lambda::Batch;
use shared::values::MerchantId;

use crate::support::APP;

pub fn stream_record(data: &[u8]) {
    if let Ok(Batch { records }) = serde_json::from_slice::<Batch<EventRecord>>(data) {
        read(&records);
    }
    let Ok(record) = serde_json::from_slice::<&RawValue>(data) else { return };
    let [first, last] = ["m-1", "m-2"].map(|merchant| {
        json!({
            "awsRegion": "eu-west-1", "eventID": merchant, "eventName": "MODIFY",
            "dynamodb": {"Keys": {"pk": {"S": format!("ORDERS#{merchant}")}, "sk": {"S": "2026-01-01T10:00:00.000Z#o"}}, "SizeBytes": 1},
        })
    });
    let batch = format!(r#"{{"Records":[{first},{},{last}]}}"#, record.get());
    let Batch { records } = serde_json::from_str::<Batch<EventRecord>>(&batch).unwrap();
    assert!((2..=3).contains(&records.len()));
    read(&records);
    let changes = projections::changes(&records);
    for merchant in ["m-1", "m-2"] {
        assert!(changes.keys().any(|(changed, _)| *changed == MerchantId::new(merchant)), "{merchant}");
    }
}

/// What the workers make of the records.
fn read(records: &[EventRecord]) {
    let now = APP.clock.now();
    jobs::report_heartbeats(&APP, records);
    projections::report_changed_trails(&APP, records);
    for record in records {
        let _ = Heartbeat::age(record.change.new_image.clone().into(), now);
        if let Some(job) = jobs::job_from_record(record.clone(), now) {
            assert!(record.event_name == "INSERT" && !job.waits(now));
        }
    }
    assert!(projections::changes(records).values().flatten().count() <= records.len());
}
