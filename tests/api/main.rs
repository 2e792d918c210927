//! The API as its callers see it: every test starts the local system and talks to it over the wire.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod access;
mod pos;
mod support;
