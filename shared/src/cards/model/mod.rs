//! Orders, redemptions and the history of a card.

pub mod card_history;
pub mod card_tag;
pub mod order;
pub mod redemption;
