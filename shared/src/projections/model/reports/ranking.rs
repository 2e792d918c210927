//! Aggregates by name.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// One aggregate for each name, listed from largest to smallest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ranking<T>(BTreeMap<String, T>);

impl<T: Default> Ranking<T> {
    /// Returns the aggregate for `name`, inserting a default.
    pub fn entry(&mut self, name: &str) -> &mut T {
        self.0.entry(name.to_owned()).or_default()
    }
}

impl<T> Ranking<T> {
    /// Returns up to `limit` entries, largest `key` first. Ties are sorted by name.
    pub fn top<K: Ord>(&self, limit: usize, key: impl Fn(&T) -> K) -> impl Iterator<Item = (&str, &T)> {
        let mut entries: Vec<(&str, &T)> = self.0.iter().map(|(name, aggregate)| (name.as_str(), aggregate)).collect();
        entries.sort_by_key(|(_, aggregate)| Reverse(key(aggregate)));
        entries.into_iter().take(limit)
    }
}

impl<T: Default + for<'a> AddAssign<&'a T>> AddAssign<&Self> for Ranking<T> {
    fn add_assign(&mut self, other: &Self) {
        for (name, aggregate) in &other.0 {
            *self.entry(name) += aggregate;
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
            *ranking.entry(name) += 1;
        }
        ranking
    }

    proptest! {
        #[test]
        fn the_sum_of_rankings_is_the_ranking_of_all_names(
            one in prop::collection::vec("[a-e]", 0..30), other in prop::collection::vec("[a-e]", 0..30),
        ) {
            let mut sum = ranking(one.iter().map(String::as_str));
            sum += &ranking(other.iter().map(String::as_str));
            prop_assert_eq!(sum, ranking(one.iter().chain(&other).map(String::as_str)));
        }
    }
}
