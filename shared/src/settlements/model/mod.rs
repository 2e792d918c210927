//! A settlement and the fees that lead to it.

pub mod fees;
pub mod settlement;
