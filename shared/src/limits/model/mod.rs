//! The table of limits, and how they are counted. `db/counters.rs` stores the counters.

pub mod counter;
pub mod limits;
