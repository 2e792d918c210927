//! The library that all functions of the merchant portal share.
//!
//! - [`values`], [`base`], [`aws`], [`db`], [`http`]: what every subject stands on.
//! - [`card_network`], [`verifier`]: one client per external service.
//! - [`merchants`], [`team`], [`keys`], [`offers`], [`cards`], [`settlements`], [`webhooks`], [`limits`]: a subject each.
//! - [`projections`]: tallies, and the lists and reports that are made of them.
//! - [`operations`]: the state machine that moves money. [`payouts`]: how merchants are paid what they are owed.
//! - [`app`]: the settings and clients of a function. [`lambda`] is its entry point.
//!
//! In the folder of a subject, `model` is what it means, without I/O; `rows` is how it is stored; `view` is how requests and responses
//! show it; any other file is a step of what it does. `tests/layers.rs` enforces which module may use which.

pub mod app;
pub mod aws;
pub mod base;
pub mod card_network;
pub mod cards;
pub mod db;
pub mod http;
pub mod keys;
pub mod lambda;
pub mod limits;
pub mod merchants;
pub mod offers;
pub mod operations;
pub mod payouts;
pub mod projections;
pub mod settlements;
pub mod team;
pub mod values;
pub mod verifier;
pub mod webhooks;
