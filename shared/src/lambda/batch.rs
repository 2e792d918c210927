//! Batches of a stream. Lambda repeats a batch that fails, so that a record that cannot be read would stop its shard.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The records that can be read. The others are in the log, by their ids.
#[derive(Debug)]
pub struct Batch<R> {
    pub records: Vec<R>,
}

#[derive(Deserialize)]
struct RawBatch {
    #[serde(rename = "Records")]
    records: Vec<Box<RawValue>>,
}

/// What tells an operator which record it is, as far as that can be read.
#[derive(Debug, Default, Deserialize)]
struct RecordId {
    #[serde(default, rename = "eventID")]
    event_id: Option<String>,
    #[serde(default)]
    dynamodb: SequenceNumber,
}

#[derive(Debug, Default, Deserialize)]
struct SequenceNumber {
    #[serde(default, rename = "SequenceNumber")]
    sequence_number: Option<String>,
}

impl<'de, R: DeserializeOwned> Deserialize<'de> for Batch<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let batch = RawBatch::deserialize(deserializer)?;
        Ok(Self { records: batch.records.iter().filter_map(|record| readable(record)).collect() })
    }
}

/// The cause is without the values that it is about, which can be personal data.
fn readable<R: DeserializeOwned>(record: &RawValue) -> Option<R> {
    let read = serde_json::from_str(record.get());
    let Err(error) = read else { return read.ok() };
    let id: RecordId = serde_json::from_str(record.get()).unwrap_or_default();
    let (event, sequence_number) = (id.event_id, id.dynamodb.sequence_number);
    let (line, column) = (error.line(), error.column());
    tracing::error!(event, sequence_number, line, column, "a record of the stream cannot be read");
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Number {
        n: u8,
    }

    #[test]
    fn records_that_cannot_be_read_are_left_out_one_by_one() {
        for (batch, expected) in [
            (r#"{"Records": [{"n": 1}, {"n": "two"}, null, [], {"n": 300}, {"n": 3}]}"#, &[1, 3][..]),
            (r#"{"Records": [{"eventID": 7, "dynamodb": []}]}"#, &[]),
            (r#"{"Records": []}"#, &[]),
        ] {
            let batch: Batch<Number> = serde_json::from_str(batch).unwrap();
            assert_eq!(batch.records, expected.iter().map(|n| Number { n: *n }).collect::<Vec<_>>());
        }
    }

    #[test]
    fn another_event_is_no_batch() {
        for event in ["{}", r#"{"Records": {}}"#, "[]"] {
            assert!(serde_json::from_str::<Batch<Number>>(event).is_err(), "{event}");
        }
    }
}
