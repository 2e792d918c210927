//! An offer, its prices, its terms and its image.

pub mod image;
pub mod offer;
pub mod prices;
pub mod terms;
