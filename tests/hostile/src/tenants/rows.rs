//! All rows of the table, and which of them have changed.

use std::collections::BTreeMap;

use serde_json::Value;
use world::System;

/// Rows that strangers may cause or change: what is counted, what is asked for by mail, and who read what. And those that workers change
/// as time passes.
const OF_NOBODY: &str =
    "COUNTER# AUDIT# CHALLENGE# VISIT# VISITS# SESSION# SESSIONS# JOB# HEARTBEAT# TIME_ZONES# CHANGED_ORDERS# SEGMENTS# TALLIES#";

/// The rows by their keys.
#[derive(Debug)]
pub(super) struct Rows(BTreeMap<String, Value>);

impl Rows {
    pub(super) async fn read(system: &System) -> Self {
        let rows = system.rows().await.into_iter();
        let keyed = rows.map(|row| (["pk", "sk"].map(|name| row[name]["S"].as_str().unwrap()).join(" "), row));
        Self(keyed.filter(|(key, _)| !OF_NOBODY.split(' ').any(|prefix| key.starts_with(prefix))).collect())
    }

    /// The rows that somebody other than `callers` has, and that were changed, removed, or added to `others`. The texts are ids of
    /// merchants.
    pub(super) fn changed(&self, later: &Self, callers: &[String], others: &[String]) -> Vec<String> {
        let mentions = |text: &str, ids: &[String]| ids.iter().any(|id| text.contains(id));
        let old = self.0.iter().filter(|(key, row)| later.0.get(*key) != Some(row));
        let old = old.filter(|(key, row)| !mentions(&format!("{key} {row}"), callers));
        let old = old.map(|(key, row)| format!("{key} was {row}, and is {:?}", later.0.get(key)));
        let new = later.0.iter().filter(|(key, _)| !self.0.contains_key(*key) && mentions(key, others));
        old.chain(new.map(|(key, row)| format!("{key} is new: {row}"))).collect()
    }
}
