//! Business rules. Nothing here does I/O or knows HTTP, AWS, JSON or the card network.

pub mod audit;
pub mod calendar;
pub mod code;
pub mod csv;
pub mod export;
pub mod fees;
mod identity;
pub mod ids;
pub mod links;
pub mod merchant;
pub mod money;
pub mod offer;
pub mod open_enum;
pub mod order;
pub mod payout;
pub mod prices;
pub mod redemption;
pub mod reports;
pub mod search;
pub mod settlement;
pub mod slug;
pub mod tally;
pub mod team;
pub mod visit;
