//! The rows of merchants and of their logs.

pub mod activities;
pub mod administration;
mod audit;
pub mod merchants;
mod take_downs;
