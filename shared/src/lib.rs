//! What every function of the merchant portal is built on.
//!
//! [`domain`] holds the rules and does nothing else. [`store`], [`card_network`], [`verifier`], [`files`], [`mail`]
//! and [`secrets`] each speak to one thing outside. [`http`] turns requests into typed handlers and faults into
//! responses. [`operations`] is the state machine that moves money. [`metrics`] counts what becomes of all that.
//! [`app`] puts them together for one function, and [`lambda`] runs it.

pub mod app;
pub mod aws;
pub mod backoff;
pub mod best_effort;
pub mod card_network;
pub mod clock;
pub mod domain;
pub mod files;
pub mod http;
pub mod invocation;
mod json;
pub mod lambda;
pub mod mail;
pub mod metrics;
pub mod operations;
pub mod outbound;
pub mod random;
pub mod secrets;
pub mod settings;
pub mod store;
pub mod verifier;
