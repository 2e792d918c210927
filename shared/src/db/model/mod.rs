//! What a restored table has lost.

pub mod restore;
