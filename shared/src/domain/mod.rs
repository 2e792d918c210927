//! Business rules. Nothing here does I/O or knows HTTP, AWS, JSON or the card network.

pub mod fees;
pub mod ids;
pub mod merchant;
pub mod money;
pub mod offer;
pub mod open_enum;
pub mod order;
pub mod prices;
pub mod projection;
pub mod redemption;
pub mod reports;
pub mod settlement;
pub mod team;
