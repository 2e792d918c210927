//! Cursors of lists.

use jiff::Timestamp;
use shared::db::{Cursor, PageStart, keys};

use crate::support::text;

pub fn cursor(data: &[u8]) {
    let text = text(data);
    match Cursor::parse(&text) {
        Some(cursor) => {
            assert_eq!(cursor.to_string(), text);
            assert_eq!(PageStart::new(Some(&text), 3), PageStart::After(cursor.clone()));
            assert!(cursor.sort_key().len() <= keys::MAX_SK_BYTES);
            let (time, id) = cursor.sort_key().split_once('#').unwrap();
            assert_eq!(keys::at_and_id(time.parse().unwrap(), id), cursor.sort_key());
            let start = PageStart::After(cursor.clone());
            assert!(!start.allows(cursor.sort_key()) && start.allows(""));
        }
        None => assert_eq!(PageStart::new(Some(&text), 3), PageStart::Offset(0)),
    }
    // A cursor of any row is read as it was displayed.
    let (time, id) = data.split_first_chunk::<6>().unwrap_or((&[0; 6], data));
    let millisecond = i64::from_be_bytes([0, 0, time[0], time[1], time[2], time[3], time[4], time[5]]);
    let Ok(at) = Timestamp::from_millisecond(millisecond) else { return };
    let sort_key = keys::at_and_id(at, &crate::support::text(id));
    let cursor = Cursor::after(sort_key.as_str());
    let is_key = sort_key.len() <= keys::MAX_SK_BYTES;
    assert_eq!(Cursor::parse(&cursor.to_string()), is_key.then_some(cursor));
}
