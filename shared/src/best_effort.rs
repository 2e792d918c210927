//! Failures that are swallowed on purpose.

use std::fmt::Display;

/// Carries on without `what` where it failed. This is the one way to swallow an error: it leaves a line in the log,
/// by which such failures are counted.
pub fn best_effort<T, E: Display>(what: &'static str, result: Result<T, E>) -> Option<T> {
    result.inspect_err(|error| tracing::warn!(cause = %error, what, "carried on without")).ok()
}
