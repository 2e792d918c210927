//! A merchant, its identity, and the entries of its logs.

pub mod activity;
pub mod administration;
pub mod audit;
mod identity;
pub mod merchant;
pub mod take_down;
