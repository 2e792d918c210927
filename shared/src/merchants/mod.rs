//! Merchants: who they are, what has been agreed with them, and the log of what was done to them, by themselves or by the platform.

pub mod model;
pub mod rows;
pub mod view;
