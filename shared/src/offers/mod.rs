//! Offers: what is sold, at which prices and under which terms. They live at the card network.

pub mod model;
pub mod view;
