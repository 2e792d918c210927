//! Runs `admin` against the local system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod card_histories;
mod check;
mod first_merchant;
mod operator;
mod restored_table;
mod tallies;
