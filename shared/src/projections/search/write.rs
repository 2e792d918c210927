//! Writes the search segments.
//!
//! An object has a new name whenever it is written, and the list of segments is replaced only if nobody has replaced it since
//! it was read. So a worker that stalls, dies or races with another one changes nothing that is in use. The name is in the list
//! before the object is written, so that an object that never gets into use is deleted as well. A changed order is forgotten
//! last, and only if it has not changed again: its version says so.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::error::SearchError;
use super::objects::SegmentObjects;
use super::records::{Changes, Records, record};
use crate::base::random::Random;
use crate::cards::model::order::OrderEntry;
use crate::db::{Range, Store, Stored, Write, keys};
use crate::projections::model::tally::Family;
use crate::projections::rows::segments::{ChangedOrder, MAX_CONTENTS, Segment, SegmentList};
use crate::values::{MerchantId, ObjectId, date_of};

/// Changed orders that are written at once. The others follow with the next change.
const MAX_CHANGES: u16 = 5000;
/// A merchant with more orders and no segments has to be [rebuilt](Writer::rebuild): that takes too long for the stream.
const MAX_FIRST_ORDERS: u16 = 5000;
/// Entries that are read with one call.
const ENTRIES_PER_CALL: u16 = 1000;
/// Calls that are made at once.
const CONCURRENT_CALLS: usize = 16;

/// What the segments are written with.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    pub store: &'a Store,
    pub objects: &'a SegmentObjects,
    pub random: &'a Random,
    pub now: Timestamp,
}

impl Writer<'_> {
    /// Writes the orders that have changed, if it is time to. A merchant with few orders and no segments gets its first ones.
    pub async fn renew(&self, merchant: &MerchantId) -> Result<(), SearchError> {
        match self.store.segments(merchant).await? {
            Some(list) if list.segments.is_some() => {
                if list.is_due(self.now) {
                    self.write_changes(list).await
                } else {
                    Ok(())
                }
            }
            list => self.write_first(merchant, list).await,
        }
    }

    /// Writes all segments anew from the entries. Returns whether it did: not if another worker has written some meanwhile.
    /// `progress` is told how many orders have been read.
    pub async fn rebuild(&self, merchant: &MerchantId, mut progress: impl FnMut(usize)) -> Result<bool, SearchError> {
        // Before the entries, so that nothing that is written meanwhile is lost.
        let list = self.store.segments(merchant).await?;
        let mut months = Months::default();
        let mut done = 0;
        let visit = |order: OrderEntry| {
            months.push(&order);
            done += 1;
            progress(done);
        };
        self.store.for_each(newest_entries(merchant).limit(ENTRIES_PER_CALL), visit).await?;
        self.replace(merchant, list, &Replacement::of_all(months)?).await
    }

    async fn write_first(&self, merchant: &MerchantId, list: Option<Stored<SegmentList>>) -> Result<(), SearchError> {
        let orders = self.store.query_items(newest_entries(merchant).limit(MAX_FIRST_ORDERS)).await?;
        if orders.len() >= usize::from(MAX_FIRST_ORDERS) {
            return Ok(());
        }
        let mut months = Months::default();
        for order in orders.into_iter().filter_map(|order| self.store.readable_value(order)) {
            months.push(&order);
        }
        self.replace(merchant, list, &Replacement::of_all(months)?).await?;
        Ok(())
    }

    async fn write_changes(&self, list: Stored<SegmentList>) -> Result<(), SearchError> {
        let merchant = list.merchant_id.clone();
        let changed = self.store.oldest_changed_orders(&merchant, MAX_CHANGES).await?;
        if changed.is_empty() {
            return Ok(());
        }
        let mut packed = Vec::new();
        for (month, changes) in by_month(&changed) {
            let segment = list.segments.iter().flatten().find(|segment| segment.month == month);
            let records = match segment {
                Some(segment) => self.objects.read(&merchant, segment).await?,
                None => Records::default(),
            };
            packed.push(Packed::new(month, &records.merged(&changes))?);
        }
        let is_behind = changed.len() >= usize::from(MAX_CHANGES);
        let replacement = Replacement { packed, of_all: false, is_behind };
        if self.replace(&merchant, Some(list), &replacement).await? {
            self.forget(&changed).await?;
        }
        Ok(())
    }

    /// Replaces segments, unless the list has changed since it was read. Returns whether it did.
    async fn replace(
        &self,
        merchant: &MerchantId,
        read: Option<Stored<SegmentList>>,
        replacement: &Replacement,
    ) -> Result<bool, SearchError> {
        let segments: Vec<Segment> = replacement.packed.iter().map(|packed| packed.segment(self.new_object())).collect();
        let Some(planned) = self.plan(merchant, read, &segments).await? else { return Ok(false) };
        let writes = segments
            .iter()
            .zip(&replacement.packed)
            .map(|(segment, packed)| self.objects.write(merchant, &segment.object, packed.bytes.clone()));
        all(writes.collect()).await?;
        let mut list = planned.value.clone();
        list.is_behind = replacement.is_behind;
        if replacement.of_all {
            list.replace_all(segments, self.now);
        } else {
            list.replace(segments, self.now);
        }
        Ok(self.store.commit_if_possible(vec![Write::replace(&planned, &list)?]).await?)
    }

    /// Writes the names of the objects into the list, and deletes objects that have not been used for long. `None` if the list
    /// has changed since it was read.
    async fn plan(
        &self,
        merchant: &MerchantId,
        read: Option<Stored<SegmentList>>,
        segments: &[Segment],
    ) -> Result<Option<Stored<SegmentList>>, SearchError> {
        let mut list = read.as_ref().map_or_else(|| SegmentList::new(merchant.clone(), self.now), |read| read.value.clone());
        let expired: Vec<ObjectId> = list.expired_objects(self.now).cloned().collect();
        all(expired.iter().map(|object| self.objects.delete(merchant, object)).collect()).await?;
        list.plan(segments.iter().map(|segment| segment.object.clone()), &expired, self.now);
        let (write, planned) = match read {
            Some(read) => (Write::replace(&read, &list)?, read.replaced(list)),
            None => (Write::create(&list)?, Stored::created(list)),
        };
        Ok(self.store.commit_if_possible(vec![write]).await?.then_some(planned))
    }

    fn new_object(&self) -> ObjectId {
        ObjectId::new(self.random.uuid(self.now).to_string())
    }

    /// Keeps the latest changes, for searches that read the entries eventually. They are written and forgotten with the next ones.
    async fn forget(&self, changed: &[Stored<ChangedOrder>]) -> Result<(), SearchError> {
        let forgotten = changed.iter().filter(|order| order.can_be_forgotten(self.now));
        all(forgotten.map(|order| self.forget_one(order)).collect()).await
    }

    /// Keeps an order that has changed again.
    async fn forget_one(&self, order: &Stored<ChangedOrder>) -> Result<(), SearchError> {
        self.store.delete_if_unchanged(order).await?;
        Ok(())
    }
}

/// Segments to be put in place.
struct Replacement {
    packed: Vec<Packed>,
    /// Whether there are no others.
    of_all: bool,
    /// Whether more orders have changed.
    is_behind: bool,
}

impl Replacement {
    /// Changes that were made while the entries were read are still to be written.
    fn of_all(months: Months) -> Result<Self, SearchError> {
        Ok(Self { packed: months.pack()?, of_all: true, is_behind: true })
    }
}

/// The records of each month, for orders that come newest first. Each month is packed as soon as it is complete.
#[derive(Default)]
struct Months {
    current: Option<(Date, Records)>,
    packed: Vec<std::io::Result<Packed>>,
}

impl Months {
    fn push(&mut self, order: &OrderEntry) {
        let month = month_of(order);
        if self.current.as_ref().is_some_and(|(current, _)| *current != month) {
            self.pack_current();
        }
        let (_, records) = self.current.get_or_insert_with(|| (month, Records::default()));
        records.push(order);
    }

    fn pack_current(&mut self) {
        let packed = self.current.take().map(|(month, records)| Packed::new(month, &records));
        self.packed.extend(packed);
    }

    fn pack(mut self) -> Result<Vec<Packed>, SearchError> {
        self.pack_current();
        Ok(self.packed.into_iter().collect::<Result<_, _>>()?)
    }
}

/// The records of a month as they are stored.
struct Packed {
    month: Date,
    bytes: Bytes,
    size: usize,
}

impl Packed {
    fn new(month: Date, records: &Records) -> std::io::Result<Self> {
        Ok(Self { month, bytes: records.pack()?.into(), size: records.size() })
    }

    fn segment(&self, object: ObjectId) -> Segment {
        let content = (self.bytes.len() <= MAX_CONTENTS).then(|| STANDARD.encode(&self.bytes));
        Segment { month: self.month, object, size: self.size, content }
    }
}

fn newest_entries(merchant: &MerchantId) -> Range {
    Range::of_table(keys::entries(merchant, Family::Orders)).descending()
}

fn by_month(changed: &[Stored<ChangedOrder>]) -> BTreeMap<Date, Changes> {
    let mut months: BTreeMap<Date, Changes> = BTreeMap::new();
    for order in changed {
        let changes = months.entry(month_of(&order.entry)).or_default();
        changes.insert(order.sort_key().as_bytes().to_vec(), record(&order.entry));
    }
    months
}

fn month_of(order: &OrderEntry) -> Date {
    date_of(order.created_at, &TimeZone::UTC).first_of_month()
}

/// Waits for several calls at once.
async fn all(calls: Vec<impl Future<Output = Result<(), SearchError>>>) -> Result<(), SearchError> {
    stream::iter(calls).buffer_unordered(CONCURRENT_CALLS).try_collect().await
}
