//! Tallies by name.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// A tally for each name, from which the largest can be listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranking<T>(BTreeMap<String, T>);

impl<T: Default> Ranking<T> {
    /// The tally of this name.
    pub fn of(&mut self, name: &str) -> &mut T {
        self.0.entry(name.to_owned()).or_default()
    }
}

impl<T> Ranking<T> {
    /// At most so many, the largest first; equals go by name.
    pub fn top<K: Ord>(&self, most: usize, size: impl Fn(&T) -> K) -> impl Iterator<Item = (&str, &T)> {
        let mut entries: Vec<(&str, &T)> =
            self.0.iter().map(|(name, tally)| (name.as_str(), tally)).collect();
        entries.sort_by_key(|(_, tally)| Reverse(size(tally)));
        entries.into_iter().take(most)
    }
}

impl<T: Default + for<'a> AddAssign<&'a T>> AddAssign<&Self> for Ranking<T> {
    fn add_assign(&mut self, other: &Self) {
        for (name, tally) in &other.0 {
            *self.of(name) += tally;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranking<'a>(names: impl IntoIterator<Item = &'a str>) -> Ranking<u64> {
        let mut ranking = Ranking::default();
        for name in names {
            *ranking.of(name) += 1;
        }
        ranking
    }

    #[test]
    fn the_largest_come_first_and_equals_go_by_name() {
        let ranking = ranking(["c", "b", "b", "a", "d", "d"]);
        let top = |most| ranking.top(most, |count| *count).map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(top(8), ["b", "d", "a", "c"]);
        assert_eq!(top(3), ["b", "d", "a"]);
        assert_eq!(top(0), [""; 0]);
    }

    proptest! {
        #[test]
        fn rankings_add_up_to_the_ranking_of_all(
            one in prop::collection::vec("[a-e]", 0..30), other in prop::collection::vec("[a-e]", 0..30),
        ) {
            let mut sum = ranking(one.iter().map(String::as_str));
            sum += &ranking(other.iter().map(String::as_str));
            prop_assert_eq!(sum, ranking(one.iter().chain(&other).map(String::as_str)));
        }
    }
}
