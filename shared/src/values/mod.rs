//! Values that all subjects share: money, ids, names, dates, languages. Nothing here does I/O, or knows JSON, HTTP or AWS.

pub mod calendar;
pub mod color;
pub mod csv;
pub mod file_type;
pub mod ids;
pub mod language;
pub mod links;
pub mod messages;
pub mod money;
pub mod names;
pub mod open_enum;
pub mod period;
pub mod search;
pub mod slug;
pub mod span;
