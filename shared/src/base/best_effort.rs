//! Errors that are ignored on purpose.

use std::fmt::Display;

/// Returns the value, or logs the error with `what` and returns `None`.
///
/// Ignore errors only through this function: the metric `SwallowedFailures` counts its log lines.
pub fn best_effort<T, E: Display>(what: &'static str, result: Result<T, E>) -> Option<T> {
    result.inspect_err(|error| tracing::warn!(cause = %error, what, "carried on without")).ok()
}
