//! Money, in the tests' own process: the functions as they are deployed, over embedded services, with calls that are cut
//! at will and a clock that a test turns. Whatever is done to them, the card network's books and the portal's must say
//! the same in the end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod books;
mod crashes;
mod histories;
mod kill;
mod mishaps;
mod recovery;
mod same_key;
mod sweeps;
mod world;
