//! The upstream services of the functions, embedded in one process: DynamoDB, S3, SES and Secrets Manager endpoints
//! that implement the AWS wire protocols, and simulators of the card network and the identity verifier.
//!
//! Each endpoint is a separate HTTP [`server`], applies injected [`faults`] before it replies, and keeps its state
//! in memory or in a data directory.

pub mod aws;
pub mod calls;
mod clock;
pub mod faults;
pub mod guard;
mod journal;
mod random;
pub mod server;
pub mod simulators;
