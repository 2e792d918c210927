//! Limits on what one caller may do: the table of them, what counts towards each, and what a caller is told.

pub mod model;
mod view;

pub use view::{count, give_back_refused, reserve, reserve_once, while_counted};
