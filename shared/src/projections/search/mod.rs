//! Search in a merchant's orders, for a text or a status.
//!
//! A search for a part of a word has to look at every order, so what it looks at is small: the orders of each month are a
//! *segment*, a compressed object in S3 ([`records`]). Orders that have changed since the segments were written are read from
//! the table, and take the place of what the segments say of them. So a search finds what the rows contain, at any moment.
//!
//! [`Writer`] renews the segments. It may be interrupted at any point, and run several times at once.

mod error;
mod objects;
mod page;
pub mod records;
mod write;

pub use self::error::SearchError;
pub use self::objects::SegmentObjects;
pub use self::page::orders;
pub use self::write::Writer;
