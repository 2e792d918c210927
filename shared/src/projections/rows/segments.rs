//! The search segments of a merchant's orders: the list of them, and the orders that have changed since.
//!
//! Every change of an order also writes a [`ChangedOrder`]. It is deleted after the order has been written to a segment, so
//! that the segments and the changed orders together are always complete.

use std::cmp::Reverse;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::cards::model::order::{Order, OrderEntry};
use crate::db::keys::{self, Key};
use crate::db::{Entity, Item, Range, Store, StoreError, Stored, item_key, to_item};
use crate::projections::model::tally::Family;
use crate::values::{MerchantId, ObjectId};

/// The segments of a merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentList {
    pub merchant_id: MerchantId,
    pub written_at: Timestamp,
    /// Whether more orders had changed by then than were written.
    pub is_behind: bool,
    /// One for each month of UTC with orders, newest first. `None` before they are written for the first time.
    pub segments: Option<Vec<Segment>>,
    /// Objects that are not used yet, or no longer.
    pub unused: Vec<UnusedObject>,
}

/// The orders of a month, as an object in S3.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The first day of the month.
    pub month: Date,
    /// The object's id. It belongs to one content and is never used again.
    pub object: ObjectId,
    /// The size after unpacking, in bytes.
    pub size: usize,
    /// The content of the object in base64, if it is small. A merchant with few orders is searched without S3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedObject {
    pub object: ObjectId,
    pub since: Timestamp,
}

/// How long the changes of orders are collected before they are written.
const INTERVAL: SignedDuration = SignedDuration::from_mins(5);
/// How long an eventual read of an entry may trail its change.
const CHANGE_RETENTION: SignedDuration = SignedDuration::from_mins(1);
/// How long an object that is in no segment may still be read, or written by a worker that has stalled.
const UNUSED_RETENTION: SignedDuration = SignedDuration::from_hours(1);

/// The size of all contents in a list, in bytes of base64: what two read units pay for.
pub const MAX_CONTENTS: usize = 7 * 1024;

impl SegmentList {
    /// The list before any segment is written.
    pub fn new(merchant_id: MerchantId, now: Timestamp) -> Self {
        Self { merchant_id, written_at: now, is_behind: false, segments: None, unused: Vec::new() }
    }

    /// Whether changes should be written now.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.is_behind || now.duration_since(self.written_at) >= INTERVAL
    }

    /// The objects that nobody reads or writes any more.
    pub fn expired_objects(&self, now: Timestamp) -> impl Iterator<Item = &ObjectId> {
        let is_expired = move |unused: &&UnusedObject| now.duration_since(unused.since) >= UNUSED_RETENTION;
        self.unused.iter().filter(is_expired).map(|unused| &unused.object)
    }

    /// Adds objects that are about to be written, and removes those that have been deleted.
    pub fn plan(&mut self, written: impl Iterator<Item = ObjectId>, deleted: &[ObjectId], now: Timestamp) {
        self.unused.retain(|unused| !deleted.contains(&unused.object));
        self.unused.extend(written.map(|object| UnusedObject { object, since: now }));
    }

    /// Uses these segments in place of those of the same months.
    pub fn replace(&mut self, mut segments: Vec<Segment>, now: Timestamp) {
        let is_replaced = |old: &&Segment| segments.iter().any(|segment| segment.month == old.month);
        let kept: Vec<Segment> = self.segments.iter().flatten().filter(|old| !is_replaced(old)).cloned().collect();
        segments.extend(kept);
        self.replace_all(segments, now);
    }

    /// Uses these segments and no others.
    pub fn replace_all(&mut self, mut segments: Vec<Segment>, now: Timestamp) {
        segments.sort_by_key(|segment| Reverse(segment.month));
        drop_contents(&mut segments);
        let is_used = |object: &ObjectId| segments.iter().any(|segment| segment.object == *object);
        self.unused.retain(|unused| !is_used(&unused.object));
        let replaced = self.segments.iter().flatten().filter(|segment| !is_used(&segment.object));
        self.unused.extend(replaced.map(|segment| UnusedObject { object: segment.object.clone(), since: now }));
        self.segments = Some(segments);
        self.written_at = now;
    }
}

/// Keeps the contents of the newest segments, as many as have room in the list.
fn drop_contents(segments: &mut [Segment]) {
    let mut size = 0;
    for segment in segments {
        size += segment.content.as_ref().map_or(0, String::len);
        if size > MAX_CONTENTS {
            segment.content = None;
        }
    }
}

impl Entity for SegmentList {
    fn key(&self) -> Key {
        keys::segments(&self.merchant_id)
    }
}

/// An order that has changed since the segments were written. Its version is that of the order.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangedOrder {
    #[serde(flatten)]
    key: Key,
    pub entry: OrderEntry,
    pub changed_at: Timestamp,
}

impl ChangedOrder {
    /// Time and id of the order.
    pub fn sort_key(&self) -> &str {
        &self.key.sk
    }

    /// Whether no search needs it any more, because eventual reads of the order's entry know of the change by now.
    pub fn can_be_forgotten(&self, now: Timestamp) -> bool {
        now.duration_since(self.changed_at) >= CHANGE_RETENTION
    }
}

impl Entity for ChangedOrder {
    fn key(&self) -> Key {
        self.key.clone()
    }
}

/// The row that reports a change of an order.
pub(crate) fn changed_order(order: &Order, version: u64) -> Result<Item, StoreError> {
    let entry = OrderEntry::from(order);
    let key = Key { pk: keys::changed_orders(&order.merchant_id), sk: keys::entry_of_order(&entry) };
    to_item(&ChangedOrder { key, entry, changed_at: order.updated_at }, version)
}

impl Store {
    pub async fn segments(&self, merchant: &MerchantId) -> Result<Option<Stored<SegmentList>>, StoreError> {
        self.get(&keys::segments(merchant)).await
    }

    /// The orders that have changed since the segments were written, newest first.
    pub async fn changed_orders(&self, merchant: &MerchantId) -> Result<Vec<Stored<ChangedOrder>>, StoreError> {
        self.query(Range::of_table(keys::changed_orders(merchant)).descending()).await
    }

    /// The oldest of them, up to a limit: those that can be forgotten come first.
    pub async fn oldest_changed_orders(
        &self,
        merchant: &MerchantId,
        limit: u16,
    ) -> Result<Vec<Stored<ChangedOrder>>, StoreError> {
        self.query(Range::of_table(keys::changed_orders(merchant)).limit(limit)).await
    }

    /// The entries of orders with these sort keys, by their sort keys. Changes of the last moments can be missing.
    pub async fn order_entries(
        &self,
        merchant: &MerchantId,
        sort_keys: impl Iterator<Item = &str>,
    ) -> Result<Vec<(String, OrderEntry)>, StoreError> {
        let pk = keys::entries(merchant, Family::Orders);
        let keys: Vec<Key> = sort_keys.map(|sk| Key { pk: pk.clone(), sk: sk.to_owned() }).collect();
        let items = self.get_items_eventually(&keys).await?;
        let entries = items.into_iter().filter_map(|item| {
            let key = item_key(&item)?;
            Some((key.sk, self.readable_value(item)?))
        });
        Ok(entries.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    fn segment(month: &str, object: &str) -> Segment {
        Segment { month: month.parse().unwrap(), object: ObjectId::new(object), size: 1, content: None }
    }

    #[test]
    fn the_newest_contents_are_kept_up_to_the_limit() {
        let with_content = |month: &str, size| Segment { content: Some("x".repeat(size)), ..segment(month, month) };
        let mut list = SegmentList::new(MerchantId::new("m"), at("2026-03-01T00:00:00Z"));
        let months = ["2026-01-01", "2026-03-01", "2026-02-01"];
        let segments = months.map(|month| with_content(month, MAX_CONTENTS / 2)).to_vec();
        list.replace_all(segments, at("2026-03-01T00:00:00Z"));
        let kept = list.segments.iter().flatten().map(|segment| segment.content.is_some());
        assert_eq!(kept.collect::<Vec<_>>(), [true, true, false]);
    }

    fn objects(list: &SegmentList) -> [Vec<&str>; 2] {
        let used = list.segments.iter().flatten().map(|segment| segment.object.as_str()).collect();
        [used, list.unused.iter().map(|unused| unused.object.as_str()).collect()]
    }

    #[test]
    fn a_replaced_segment_becomes_unused_and_expires() {
        let mut list = SegmentList::new(MerchantId::new("m"), at("2026-03-01T00:00:00Z"));
        list.plan(["a", "b"].map(ObjectId::new).into_iter(), &[], at("2026-03-01T00:00:00Z"));
        assert_eq!(objects(&list), [vec![], vec!["a", "b"]]);
        list.replace(vec![segment("2026-01-01", "a"), segment("2026-02-01", "b")], at("2026-03-01T00:00:01Z"));
        assert_eq!(objects(&list), [vec!["b", "a"], vec![]]);
        list.replace(vec![segment("2026-01-01", "c")], at("2026-03-01T01:00:00Z"));
        assert_eq!(objects(&list), [vec!["b", "c"], vec!["a"]]);
        assert_eq!(list.expired_objects(at("2026-03-01T01:59:59Z")).count(), 0);
        let expired: Vec<ObjectId> = list.expired_objects(at("2026-03-01T02:00:00Z")).cloned().collect();
        assert_eq!(expired, [ObjectId::new("a")]);
        list.plan(std::iter::empty(), &expired, at("2026-03-01T02:00:00Z"));
        list.replace_all(vec![segment("2026-03-01", "d")], at("2026-03-01T03:00:00Z"));
        assert_eq!(objects(&list), [vec!["d"], vec!["b", "c"]]);
    }

    #[test]
    fn changes_are_collected_unless_they_are_too_many() {
        let mut list = SegmentList::new(MerchantId::new("m"), at("2026-03-01T00:00:00Z"));
        assert!(!list.is_due(at("2026-03-01T00:04:59Z")));
        assert!(list.is_due(at("2026-03-01T00:05:00Z")));
        list.is_behind = true;
        assert!(list.is_due(at("2026-03-01T00:00:00Z")));
    }
}
