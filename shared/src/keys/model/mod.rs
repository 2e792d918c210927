//! A key, and its text.

pub mod key;
pub mod text;
