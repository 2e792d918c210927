//! Numbers, codes and ids that look random but follow from a seed.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use shared::base::random::Random;

/// Without the ambiguous characters 0, 1, I and O, as in codes of the card network.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// How far the state of the generator advances for each 64 bits.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A `SplitMix64` generator: the same seed produces the same values in every run.
pub(super) struct Rng(Random);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        let state = AtomicU64::new(seed);
        Self(Random::new(move |bytes| {
            for chunk in bytes.chunks_mut(8) {
                let next = mix(state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP)).to_le_bytes();
                chunk.iter_mut().zip(next).for_each(|(byte, random)| *byte = random);
            }
        }))
    }

    /// Returns a value in `0..bound`.
    pub(super) fn below(&self, bound: i64) -> i64 {
        let below = self.0.below(u64::try_from(bound).unwrap_or_default());
        i64::try_from(below).unwrap_or_default()
    }

    pub(super) fn pick<T: Copy + Default>(&self, values: &[T]) -> T {
        let index = self.0.below(u64::try_from(values.len()).unwrap_or_default());
        usize::try_from(index).ok().and_then(|index| values.get(index).copied()).unwrap_or_default()
    }

    pub(super) fn code(&self, length: usize) -> String {
        (0..length).map(|_| char::from(self.pick(ALPHABET))).collect()
    }

    /// A version 7 UUID, as the functions create them: sorted by time.
    pub(super) fn uuid(&self, at: Timestamp) -> String {
        self.0.uuid(at).to_string()
    }
}

fn mix(state: u64) -> u64 {
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_from_the_seed() {
        let values = |seed| {
            let rng = Rng::new(seed);
            (rng.below(1 << 62), rng.code(16), rng.uuid(Timestamp::UNIX_EPOCH), rng.code(16))
        };
        assert_eq!(values(1), values(1));
        assert_ne!(values(1), values(2));
        assert_ne!(values(1).1, values(1).3);
    }
}
