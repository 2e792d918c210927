//! Projections: what the entries of a merchant add up to, and the lists and reports that are made of it.
//!
//! A tally is recounted from its entries whenever one of them changes ([`recount`]), and never incremented: a change that is
//! reported twice, late or in another order leads to the same tally.

pub mod calendars;
pub mod compare;
pub mod exports;
pub mod lists;
mod live;
mod merge;
pub mod model;
pub mod outlook;
mod parts;
mod past;
pub mod recount;
#[cfg(test)]
#[path = "../../tests/projections/recounts.rs"]
mod recounts;
pub mod reports;
pub mod rows;
pub mod search;
