/// A `SplitMix64` generator: the same seed yields the same numbers.
#[derive(Debug, Clone)]
pub struct SeededRandom(u64);

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns an independent generator that is seeded by the next number of this one.
    pub fn fork(&mut self) -> Self {
        Self(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `bound - 1`.
    pub fn below(&mut self, bound: i64) -> i64 {
        i64::try_from(self.next() % u64::try_from(bound).unwrap()).unwrap()
    }

    /// Returns `true` with this probability, in percent.
    pub fn percent(&mut self, probability: u64) -> bool {
        self.next() % 100 < probability
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let position = usize::try_from(self.below(i64::try_from(from.len()).unwrap())).unwrap();
        &from[position]
    }
}
