//! The deployment template against the code: the same routes, no permission too few or too many, and log lines that
//! are really written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod dependencies;
mod metrics;
mod policies;
mod routes;
mod scenario;
mod template;
