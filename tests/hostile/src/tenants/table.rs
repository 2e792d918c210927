//! All rows of the table, and which of them have changed.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use shared::aws::Aws;
use shared::store::keys::{PK, SK};

use crate::system::System;

/// Rows that strangers may cause or change: what is counted, what is asked for by mail, and who read what.
const OF_STRANGERS: [&str; 7] = ["RATE#", "AUDIT#", "CHALLENGE#", "VISIT#", "VISITS#", "SESSION#", "SESSIONS#"];
/// Rows that workers change as time passes.
const OF_WORKERS: [&str; 5] = ["JOB#", "HEARTBEAT#", "CHANGED_ORDERS#", "SEGMENTS#", "TALLIES#"];

/// The rows by their keys.
#[derive(Debug)]
pub(super) struct Rows(BTreeMap<(String, String), String>);

impl Rows {
    pub(super) async fn read(system: &System) -> Self {
        let app = system.local.app();
        let dynamodb = Aws::new(app.settings.aws.clone()).dynamodb();
        let mut rows = BTreeMap::new();
        let mut start = None;
        loop {
            let page = dynamodb.scan().table_name(&app.settings.table).consistent_read(true).set_exclusive_start_key(start);
            let page = page.send().await.unwrap();
            for item in page.items.unwrap_or_default() {
                let key = [PK, SK].map(|name| item[name].as_s().unwrap().clone());
                rows.insert(key.into(), text(&AttributeValue::M(item)));
            }
            start = page.last_evaluated_key;
            if start.is_none() {
                return Self(rows);
            }
        }
    }

    /// The rows that somebody other than `callers` has, and that were changed, removed or added. The texts are ids of merchants.
    pub(super) fn changed(&self, later: &Self, callers: &[&str], others: &[&str]) -> Vec<String> {
        let mention = |texts: &[&str], key: &(String, String), row: &str| {
            texts.iter().any(|text| key.0.contains(text) || key.1.contains(text) || row.contains(text))
        };
        let is_of_nobody =
            |key: &(String, String)| OF_STRANGERS.iter().chain(&OF_WORKERS).any(|prefix| key.0.starts_with(prefix));
        let mut changed = Vec::new();
        for (key, row) in &self.0 {
            if !is_of_nobody(key) && !mention(callers, key, row) && later.0.get(key) != Some(row) {
                let now = later.0.get(key).map_or("nothing", String::as_str);
                changed.push(format!("{key:?} was {row}, and is {now}"));
            }
        }
        for (key, row) in &later.0 {
            if !is_of_nobody(key) && !self.0.contains_key(key) && mention(others, key, "") {
                changed.push(format!("{key:?} is new: {row}"));
            }
        }
        changed
    }
}

/// The same text for the same value, whatever the order of its attributes.
fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::M(attributes) => {
            let sorted: BTreeMap<&String, String> = attributes.iter().map(|(name, value)| (name, text(value))).collect();
            let attributes: Vec<String> = sorted.into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
            format!("{{{}}}", attributes.join(", "))
        }
        AttributeValue::L(members) => format!("[{}]", members.iter().map(text).collect::<Vec<_>>().join(", ")),
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.clone(),
        other => format!("{other:?}"),
    }
}
