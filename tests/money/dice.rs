//! Chance that can be repeated.

/// `SplitMix64`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Dice that fall by themselves from now on.
    pub(crate) fn another(&mut self) -> Self {
        Self(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 up to, and without, `bound`.
    pub(crate) fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.next() % 100 < chance
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.percent(50)
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let position = usize::try_from(self.below(i64::try_from(from.len()).unwrap())).unwrap();
        &from[position]
    }
}
