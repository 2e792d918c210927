//! The rows of tallies, segments of the search, exports and visits.

pub mod exports;
pub mod segments;
pub mod tallies;
pub mod visits;
