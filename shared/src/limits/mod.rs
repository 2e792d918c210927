//! Limits on what one caller may do: the table of them, what counts towards each, and what a caller is told.

pub mod model;
pub mod view;
