//! The rows of orders, redemptions and histories.

pub mod card_history;
pub mod given_back;
pub mod orders;
pub mod redemptions;
