//! Everything that the functions talk to, on this machine: DynamoDB, S3, SES and Secrets Manager endpoints that
//! speak the AWS wire protocols, and simulators of the card network and the identity verifier.
//!
//! Each endpoint is an HTTP server of its own ([`server`]), consults [`faults`] before it answers, and keeps its
//! state in memory or below a data directory.

mod ambient;
pub mod aws;
pub mod calls;
pub mod faults;
pub mod journal;
pub mod server;
pub mod simulators;
