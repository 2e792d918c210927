//! How much is tried.

use world::SeededRandom;

/// How much an attack tries, and with which random choices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Whether only the part is tried that runs in CI.
    pub(crate) quick: bool,
    /// Whether it is printed what was reached.
    pub(crate) verbose: bool,
    pub(crate) seed: u64,
}

impl Effort {
    /// One of two counts.
    pub(crate) fn choose<T>(self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    pub(crate) fn random(self) -> SeededRandom {
        SeededRandom::new(self.seed)
    }
}
