//! Business rules. Nothing here does I/O or knows HTTP, AWS, JSON or the card network.

pub mod administration;
pub mod audit;
pub mod browser;
pub mod calendar;
pub mod challenge;
pub mod code;
pub mod fees;
mod identity;
pub mod ids;
pub mod links;
pub mod merchant;
pub mod money;
pub mod names;
pub mod offer;
pub mod open_enum;
pub mod order;
pub mod prices;
pub mod redemption;
pub mod reports;
pub mod search;
pub mod settlement;
pub mod slug;
pub mod tally;
pub mod team;
pub mod till;
pub mod visit;
