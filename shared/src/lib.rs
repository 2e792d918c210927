//! The library that all functions of the merchant portal share.
//!
//! - [`domain`]: business rules, without I/O.
//! - [`store`], [`card_network`], [`verifier`], [`files`], [`mail`] and [`secrets`]: one client per external service.
//! - [`keys`]: keys of merchants' own programs, with their rows.
//! - [`operations`]: the state machine that moves money.
//! - [`payouts`]: how merchants are paid what they are owed.
//! - [`projections`]: tallies, and the lists and reports that are made of them.
//! - [`http`]: route tables, access checks, typed requests and responses, and errors.
//! - [`metrics`]: CloudWatch metrics.
//! - [`app`]: the settings and clients of a function. [`lambda`] is its entry point.
//!
//! `tests/layers.rs` enforces which module may use which.

pub mod app;
pub mod audit;
pub mod aws;
pub mod backoff;
pub mod best_effort;
pub mod card_network;
pub mod clock;
pub mod domain;
pub mod files;
pub mod http;
pub mod invocation;
pub mod json;
pub mod keys;
pub mod lambda;
pub mod mail;
pub mod metrics;
pub mod operations;
pub mod outbound;
pub mod payouts;
pub mod projections;
pub mod random;
pub mod sdk_error;
pub mod secrets;
pub mod settings;
pub mod store;
pub mod verifier;
pub mod webhooks;
