//! Compares the deployment template with the code: routes, IAM permissions, metrics and the log lines that CloudWatch
//! counts; and the guides with both.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod alarms;
mod caching;
mod clients;
mod concurrency;
mod cost;
mod dependencies;
mod front;
mod guides;
mod hook;
mod kept;
mod metrics;
mod policies;
mod rollouts;
mod routes;
mod scenario;
mod storage;
mod template;
mod workflows;
