//! Tallies, the reports that are made of them, and exports.

pub mod export;
pub mod reports;
pub mod tally;
pub mod visit;
