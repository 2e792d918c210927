//! Rows that outlive a release: several releases share the table during a gradual deployment, and a deployment may be
//! rolled back.
//!
//! `golden/` contains rows of every kind as a release wrote them, as DynamoDB JSON. A release that changes what is stored
//! adds the next file (`golden/2.json`) and lists it in `golden.rs`. An older file is never edited: its rows are in the
//! table, and this release has to read them. To write a file with the current code:
//!
//! ```text
//! GOLDEN_FILE=golden/2.json cargo test -p tests --test rows -- --ignored writes_golden_rows
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod defaults;
mod enums;
mod generate;
mod golden;
mod reads;
mod support;
mod unreadable;
