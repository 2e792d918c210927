//! Helpers that several test packages and benchmarks share. They panic on an unexpected state, as tests do.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::missing_panics_doc)]

mod cargo;
#[cfg(feature = "shared")]
mod client;
#[cfg(feature = "shared")]
mod clock;
mod events;
mod lists;
mod local_process;
mod path_template;
mod random;
#[cfg(feature = "runtime")]
pub mod runtime;

pub use cargo::{cargo, workspace_root};
#[cfg(feature = "shared")]
pub use client::{client, client_at};
#[cfg(feature = "shared")]
pub use clock::ManualClock;
pub use events::{event, events};
pub use lists::assert_lists;
pub use local_process::LocalProcess;
pub use path_template::matches_path_template;
pub use random::SeededRandom;
