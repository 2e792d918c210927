//! Search segments: a search finds what the filter matches, and any bytes in a segment are read without harm.

use std::collections::BTreeMap;

use jiff::Timestamp;
use shared::cards::model::order::{Order, OrderEntry, OrderFilter, OrderStatus};
use shared::db::keys;
use shared::projections::search::records::{Changes, RecordFilter, Records, record};
use shared::values::{Currency, MerchantId, Minor, Money, OrderId};

use crate::support::{text, texts};

pub fn segment(data: &[u8]) {
    let [searched, before, changed] = texts(data);
    let filter = OrderFilter { text: searched, ..OrderFilter::default() };
    let span = Timestamp::from_second(2).unwrap()..Timestamp::from_second(40).unwrap();
    let record_filter = RecordFilter::new(&filter, &span);
    // A segment that is not ours, as bytes and as an object.
    for packed in [data.to_vec(), zstd::bulk::compress(data, 1).unwrap()] {
        if let Ok(records) = Records::unpack(&packed, data.len()) {
            assert!(records.size() <= data.len());
            assert!(records.matching(&record_filter).count() <= data.len());
            let _ = records.merged(&Changes::new());
        }
    }

    let (before, changed) = (orders(&before), orders(&changed));
    let changes = changed.iter().map(|order| (keys::entry_of_order(order.1).into_bytes(), record(order.1))).collect();
    let merged = records(&before).merged(&changes);
    let all: BTreeMap<i64, OrderEntry> = before.into_iter().chain(changed).collect();
    assert_eq!(merged, records(&all));
    assert_eq!(Records::unpack(&merged.pack().unwrap(), merged.size()).unwrap(), merged);
    for status in [None, Some(OrderStatus::Completed)] {
        let filter = OrderFilter { status, ..filter.clone() };
        let matches = |order: &&OrderEntry| span.contains(&order.created_at) && filter.matches(order);
        let expected: Vec<String> = all.values().rev().filter(matches).map(keys::entry_of_order).collect();
        assert_eq!(merged.matching(&RecordFilter::new(&filter, &span)).collect::<Vec<_>>(), expected);
    }
}

/// Orders of different seconds, one a line: the first character decides the second and the status.
fn orders(lines: &str) -> BTreeMap<i64, OrderEntry> {
    let order = |line: &str| {
        let first = line.bytes().next().map_or(0, i64::from);
        let total = Money::new(Minor::new(1), Currency::EUR);
        let created_at = Timestamp::from_second(first % 64).unwrap();
        let mut order = Order::new(OrderId::new(format!("o{}", first % 64)), MerchantId::new("m"), created_at, total);
        order.buyer_name = Some(line.to_owned());
        order.buyer_email = line.split('@').nth(1).map(str::to_owned);
        order.status = if first < 64 { OrderStatus::Completed } else { OrderStatus::Failed }.into();
        (first % 64, OrderEntry::from(&order))
    };
    text(lines.as_bytes()).lines().map(order).collect()
}

fn records(orders: &BTreeMap<i64, OrderEntry>) -> Records {
    let mut records = Records::default();
    orders.values().rev().for_each(|order| records.push(order));
    records
}
