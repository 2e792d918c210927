//! The rules, without any input or output: nothing here knows HTTP, AWS or the card network.

pub mod ids;
pub mod merchant;
pub mod money;
pub mod offer;
pub mod operation;
pub mod order;
pub mod prices;
pub mod redemption;
pub mod reports;
pub mod settlement;
pub mod team;
