//! Compares the deployment template with the code: routes, IAM permissions, metrics and the log lines that CloudWatch
//! counts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod dependencies;
mod metrics;
mod policies;
mod routes;
mod scenario;
mod template;
