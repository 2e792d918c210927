//! What is fuzzed: one function for each reader of input that somebody hostile can write. It asserts what has to hold for every
//! input, so that a panic is a finding.
//!
//! `.ci/fuzz` runs the functions by libFuzzer. `tests/replay.rs` runs them on `../corpora`, which keeps the inputs that a run found
//! worth keeping, and those that were findings once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a panic is a finding"
)]

pub mod cost;

mod body;
mod canonical_body;
mod cursor;
mod decimal;
mod decision;
mod document_url;
mod email;
mod image;
mod key;
mod link;
mod offer;
mod offer_list;
mod search_text;
mod segment;
mod stream_record;
mod support;
mod upload;

pub use body::body;
pub use canonical_body::canonical_body;
pub use cursor::cursor;
pub use decimal::decimal;
pub use decision::decision;
pub use document_url::document_url;
pub use email::email;
pub use image::image;
pub use key::key;
pub use link::link;
pub use offer::offer;
pub use offer_list::offer_list;
pub use search_text::search_text;
pub use segment::segment;
pub use stream_record::stream_record;
pub use upload::upload;

pub type Target = fn(&[u8]);

/// All targets, by their names.
pub const TARGETS: [(&str, Target); 16] = [
    ("body", body),
    ("canonical_body", canonical_body),
    ("cursor", cursor),
    ("decimal", decimal),
    ("decision", decision),
    ("document_url", document_url),
    ("email", email),
    ("image", image),
    ("key", key),
    ("link", link),
    ("offer", offer),
    ("offer_list", offer_list),
    ("search_text", search_text),
    ("segment", segment),
    ("stream_record", stream_record),
    ("upload", upload),
];
