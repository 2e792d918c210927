//! Settlements: what a merchant is owed for each sale or redemption, after fees.

pub mod model;
pub mod rows;
pub mod view;
