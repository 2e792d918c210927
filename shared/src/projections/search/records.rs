//! The content of a search segment: of each order of a month, its sort key, its statuses, and the folded texts that a search
//! looks into.
//!
//! A record is `sort key | status | payment status | text | text …`, newest order first. The separators are bytes that no
//! UTF-8 text contains, so that nothing needs to be escaped, and no text matches across two fields. A segment is stored as a
//! frame of zstd.

use std::collections::BTreeMap;
use std::io;

use jiff::Timestamp;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use crate::base::clock::iso_8601;
use crate::cards::model::order::{OrderEntry, OrderFilter};
use crate::db::keys;
use crate::values::{OpenEnum, Span, fold};

const END_OF_FIELD: u8 = 0xfe;
const END_OF_RECORD: u8 = 0xff;
/// The fastest of the usual levels: a segment is written more often than it is read.
const COMPRESSION_LEVEL: i32 = 1;

/// The records of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records(Vec<u8>);

/// New records by their sort keys. They replace older ones of the same order.
pub type Changes = BTreeMap<Vec<u8>, Vec<u8>>;

impl Records {
    /// Adds an order that is older than all others.
    pub fn push(&mut self, order: &OrderEntry) {
        self.0.extend(record(order));
        self.0.push(END_OF_RECORD);
    }

    /// Returns the records after changes.
    pub fn merged(&self, changes: &Changes) -> Self {
        let mut merged = Vec::with_capacity(self.0.len() + changes.values().map(Vec::len).sum::<usize>());
        let mut changes = changes.iter().rev().peekable();
        let mut push = |record: &[u8]| {
            merged.extend_from_slice(record);
            merged.push(END_OF_RECORD);
        };
        for old in self.iter() {
            let mut is_replaced = false;
            while let Some((key, new)) = changes.next_if(|(key, _)| key.as_slice() >= sort_key(old)) {
                is_replaced = key.as_slice() == sort_key(old);
                push(new);
            }
            if !is_replaced {
                push(old);
            }
        }
        for (_, new) in changes {
            push(new);
        }
        Self(merged)
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|byte| *byte == END_OF_RECORD).filter(|record| !record.is_empty())
    }

    /// The sort keys of the orders that match a filter, newest first.
    pub fn matching<'a>(&'a self, filter: &'a RecordFilter) -> impl Iterator<Item = &'a str> {
        let mut rest = self.0.as_slice();
        let records = std::iter::from_fn(move || {
            let found = filter.text.find(rest)?;
            let (before, after) = rest.split_at_checked(found)?;
            let start = memrchr(END_OF_RECORD, before).map_or(0, |end| end + 1);
            let end = found + memchr(END_OF_RECORD, after)?;
            let record = rest.get(start..end)?;
            rest = rest.get(end + 1..)?;
            Some(record)
        });
        records.filter(|record| filter.matches(record)).filter_map(|record| str::from_utf8(sort_key(record)).ok())
    }

    pub fn size(&self) -> usize {
        self.0.len()
    }

    pub fn pack(&self) -> io::Result<Vec<u8>> {
        zstd::bulk::compress(&self.0, COMPRESSION_LEVEL)
    }

    /// Reverses [`Self::pack`]. `size` is that of the records.
    pub fn unpack(packed: &[u8], size: usize) -> io::Result<Self> {
        zstd::bulk::decompress(packed, size).map(Self)
    }
}

/// An order's record, without the end.
pub fn record(order: &OrderEntry) -> Vec<u8> {
    let mut record = keys::entry_of_order(order).into_bytes();
    for status in [order.status.to_string(), order.payment_status.to_string()] {
        record.push(END_OF_FIELD);
        record.extend(status.into_bytes());
    }
    for text in order.searched_texts() {
        record.push(END_OF_FIELD);
        record.extend(fold(text).into_bytes());
    }
    record
}

fn sort_key(record: &[u8]) -> &[u8] {
    first_field(record).0
}

fn first_field(record: &[u8]) -> (&[u8], &[u8]) {
    match memchr(END_OF_FIELD, record) {
        Some(end) => {
            let (field, rest) = record.split_at_checked(end).unwrap_or((record, &[]));
            (field, rest.get(1..).unwrap_or_default())
        }
        None => (record, &[]),
    }
}

/// An [`OrderFilter`] for records.
#[derive(Debug)]
pub struct RecordFilter {
    /// The sort keys of the span lie between these texts.
    placed: Span<String>,
    status: Option<String>,
    payment_status: Option<String>,
    text: Finder<'static>,
}

impl RecordFilter {
    /// `span` is that of the days of the filter.
    pub fn new(filter: &OrderFilter, span: &Span<Timestamp>) -> Self {
        Self {
            placed: iso_8601(span.start)..iso_8601(span.end),
            status: filter.status.map(|status| OpenEnum::from(status).to_string()),
            payment_status: filter.payment_status.map(|status| OpenEnum::from(status).to_string()),
            text: Finder::new(&fold(&filter.text)).into_owned(),
        }
    }

    fn matches(&self, record: &[u8]) -> bool {
        let (sort_key, rest) = first_field(record);
        let (status, rest) = first_field(rest);
        let (payment_status, texts) = first_field(rest);
        let is = |expected: &Option<String>, found: &[u8]| expected.as_ref().is_none_or(|expected| expected.as_bytes() == found);
        sort_key >= self.placed.start.as_bytes()
            && sort_key < self.placed.end.as_bytes()
            && is(&self.status, status)
            && is(&self.payment_status, payment_status)
            && self.text.find(texts).is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cards::model::order::{Order, OrderStatus, PaymentStatus};
    use crate::values::{Currency, MerchantId, Minor, Money, OrderId};

    /// An order of a second, with a buyer.
    fn order(second: i64, name: &str, status: OrderStatus) -> OrderEntry {
        let total = Money::new(Minor::new(1), Currency::EUR);
        let created_at = Timestamp::from_second(second).unwrap();
        let mut order = Order::new(OrderId::new(format!("o{second}")), MerchantId::new("m"), created_at, total);
        order.buyer_name = Some(name.to_owned());
        order.status = status.into();
        OrderEntry::from(&order)
    }

    fn records(orders: &BTreeMap<i64, OrderEntry>) -> Records {
        let mut records = Records::default();
        orders.values().rev().for_each(|order| records.push(order));
        records
    }

    fn orders() -> impl Strategy<Value = BTreeMap<i64, OrderEntry>> {
        let status = prop::sample::select(vec![OrderStatus::Completed, OrderStatus::Failed]);
        let order = (0_i64..30, "[abÅß\u{301}µ\n]{0,4}", status);
        let orders = prop::collection::vec(order, 0..20);
        orders.prop_map(|orders| {
            orders.into_iter().map(|(second, name, status)| (second, self::order(second, &name, status))).collect()
        })
    }

    proptest! {
        #[test]
        fn finds_what_the_filter_matches(
            orders in orders(),
            text in "[abÅßo1T:]{1,3}",
            status in prop::option::of(Just(OrderStatus::Completed)),
            payment_status in prop::option::of(Just(PaymentStatus::PaymentFailed)),
            (start, end) in (0_i64..30, 0_i64..30),
        ) {
            let filter = OrderFilter { status, payment_status, text, ..OrderFilter::default() };
            let span = Timestamp::from_second(start).unwrap()..Timestamp::from_second(end).unwrap();
            let matches = |order: &&OrderEntry| span.contains(&order.created_at) && filter.matches(order);
            let expected: Vec<String> = orders.values().rev().filter(matches).map(keys::entry_of_order).collect();
            let (records, filter) = (records(&orders), RecordFilter::new(&filter, &span));
            prop_assert_eq!(records.matching(&filter).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn changes_replace_older_records_and_packing_keeps_all(before in orders(), changed in orders()) {
            let changes = changed.values().map(|order| (keys::entry_of_order(order).into_bytes(), record(order))).collect();
            let merged = records(&before).merged(&changes);
            let expected = before.into_iter().chain(changed).collect();
            prop_assert_eq!(&merged, &records(&expected));
            let packed = merged.pack().unwrap();
            prop_assert_eq!(Records::unpack(&packed, merged.size()).unwrap(), merged);
        }
    }
}
