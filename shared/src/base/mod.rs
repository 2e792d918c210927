//! What every part of the service stands on: time, chance, settings, metrics, and calls to other systems.

pub mod audit;
pub mod backoff;
pub mod best_effort;
pub mod clock;
pub mod invocation;
pub mod json;
pub mod metrics;
pub mod outbound;
pub mod random;
pub mod settings;
