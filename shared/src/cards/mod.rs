//! Gift cards: the orders that sold them, their redemptions, what was given back, and the history of each card.

pub mod model;
pub mod rows;
pub mod view;
