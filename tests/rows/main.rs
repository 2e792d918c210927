//! Rows that outlive a release: several releases share the table during a gradual deployment, and a deployment may be
//! rolled back.
//!
//! `golden/1.json` contains rows of every kind as this release wrote them, as DynamoDB JSON. The first release after it that
//! changes what is stored adds `golden/2.json`: `golden::rows` reads that one, and the tests of `reads.rs` read both, each with
//! snapshots of its own. The older file is not edited: its rows are in the table, and the new release has to read them. To write
//! a file with the current code:
//!
//! ```text
//! GOLDEN_FILE=golden/1.json cargo test --workspace --test rows -- --ignored writes_golden_rows
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod enums;
mod generate;
mod golden;
mod reads;
mod support;
mod unreadable;
