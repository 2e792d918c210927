//! Tallies: counts and sums of a merchant's orders, redemptions, settlements and visits within a span of time.
//!
//! A tally is a pure function of the entries of its span. Tallies of adjacent spans can be added.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::AddAssign;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::money::Minor;

/// The rows that are listed together and counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Family {
    Orders,
    Redemptions,
    Settlements(SettlementKind),
    Visits,
}

/// The source types of settlements, each listed and counted separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SettlementKind {
    Order,
    Redemption,
    /// A source type that only another release knows.
    Other,
}

impl SettlementKind {
    pub const ALL: [Self; 3] = [Self::Order, Self::Redemption, Self::Other];
}

/// What is counted in a tally of its own. Names of stores and pages are many, so that they are counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Series {
    /// By status, payment status, fraud status and currency.
    Orders,
    /// By status and currency.
    Redemptions,
    /// Succeeded redemptions: by `store` or `source`, its name, and currency.
    RedemptionNames,
    /// Net amounts, by status and currency.
    Settlements(SettlementKind),
    Visits,
    /// By `embed` or `entry`, and its name.
    VisitNames,
}

impl Family {
    pub const ALL: [Self; 6] = [
        Self::Orders,
        Self::Redemptions,
        Self::Settlements(SettlementKind::Order),
        Self::Settlements(SettlementKind::Redemption),
        Self::Settlements(SettlementKind::Other),
        Self::Visits,
    ];

    /// Its series, each of which is tallied by itself.
    pub fn series(self) -> impl Iterator<Item = Series> {
        Series::ALL.into_iter().filter(move |series| series.family() == self)
    }

    /// Whether its days and months are those of the merchant's time zone, and not UTC's.
    pub fn follows_time_zone(self) -> bool {
        !matches!(self, Self::Settlements(_))
    }
}

impl Series {
    pub const ALL: [Self; 8] = [
        Self::Orders,
        Self::Redemptions,
        Self::RedemptionNames,
        Self::Settlements(SettlementKind::Order),
        Self::Settlements(SettlementKind::Redemption),
        Self::Settlements(SettlementKind::Other),
        Self::Visits,
        Self::VisitNames,
    ];

    pub fn family(self) -> Family {
        match self {
            Self::Orders => Family::Orders,
            Self::Redemptions | Self::RedemptionNames => Family::Redemptions,
            Self::Settlements(kind) => Family::Settlements(kind),
            Self::Visits | Self::VisitNames => Family::Visits,
        }
    }
}

/// What lists show and tallies count of an order, a redemption, a settlement or a visit.
pub trait Countable {
    /// The time by which it is listed and counted.
    fn counted_at(&self) -> Timestamp;

    /// Adds it to a tally of a series of its family.
    fn count(&self, series: Series, tally: &mut Tally);
}

/// Counts and sums by labels. The labels are texts, so that values that only another release knows are counted as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Group>", into = "Vec<Group>")]
pub struct Tally(BTreeMap<Vec<String>, Figures>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    pub count: u64,
    /// In minor units of the currency among the labels.
    pub sum: Minor,
}

/// The stored form of the figures of some labels.
#[derive(Serialize, Deserialize)]
struct Group(Vec<String>, u64, Minor);

impl Tally {
    pub fn add<const N: usize>(&mut self, labels: [&str; N], amount: Minor) {
        *self.figures(labels.map(str::to_owned).into()) += Figures { count: 1, sum: amount };
    }

    /// Counts something that has no amount.
    pub fn add_one<const N: usize>(&mut self, labels: [&str; N]) {
        self.add(labels, Minor::ZERO);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The figures of all labels, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&[String], Figures)> {
        self.0.iter().map(|(labels, figures)| (labels.as_slice(), *figures))
    }

    /// The number of what was counted with labels that match.
    pub fn count_where(&self, matches: impl Fn(&[String]) -> bool) -> u64 {
        self.iter().filter(|(labels, _)| matches(labels)).map(|(_, figures)| figures.count).sum()
    }

    /// Leaves out the rarest groups, if there are more than `limit`.
    #[must_use]
    pub fn largest(self, limit: usize) -> Self {
        if self.0.len() <= limit {
            return self;
        }
        let mut groups: Vec<_> = self.0.into_iter().collect();
        groups.sort_by_key(|(_, figures)| Reverse(figures.count));
        Self(groups.into_iter().take(limit).collect())
    }

    fn figures(&mut self, labels: Vec<String>) -> &mut Figures {
        self.0.entry(labels).or_default()
    }
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
    }
}

impl AddAssign<&Self> for Tally {
    fn add_assign(&mut self, other: &Self) {
        for (labels, figures) in &other.0 {
            *self.figures(labels.clone()) += *figures;
        }
    }
}

impl<'a> FromIterator<&'a Tally> for Tally {
    fn from_iter<I: IntoIterator<Item = &'a Tally>>(tallies: I) -> Self {
        let mut sum = Self::default();
        for tally in tallies {
            sum += tally;
        }
        sum
    }
}

impl From<Vec<Group>> for Tally {
    fn from(groups: Vec<Group>) -> Self {
        Self(groups.into_iter().map(|Group(labels, count, sum)| (labels, Figures { count, sum })).collect())
    }
}

impl From<Tally> for Vec<Group> {
    fn from(Tally(groups): Tally) -> Self {
        groups.into_iter().map(|(labels, Figures { count, sum })| Group(labels, count, sum)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tally(rows: &[(u8, i64)]) -> Tally {
        let mut tally = Tally::default();
        for (label, amount) in rows {
            tally.add([&format!("s{label}"), "EUR"], Minor::new(*amount));
        }
        tally
    }

    #[test]
    fn counts_and_sums_by_labels() {
        let tally = tally(&[(1, 100), (2, 5), (1, 20)]);
        let listed: Vec<_> = tally
            .iter()
            .map(|(labels, figures)| (labels[0].as_str(), figures.count, figures.sum.get()))
            .collect();
        assert_eq!(listed, [("s1", 2, 120), ("s2", 1, 5)]);
        assert_eq!(tally.count_where(|labels| labels[0] == "s1"), 2);
    }

    proptest! {
        #[test]
        fn the_sum_of_tallies_is_the_tally_of_all_rows(
            one in prop::collection::vec((0_u8..4, 0_i64..1_000_000), 0..20),
            other in prop::collection::vec((0_u8..4, 0_i64..1_000_000), 0..20),
        ) {
            let sum: Tally = [tally(&one), tally(&other)].iter().collect();
            prop_assert_eq!(&sum, &tally(&[one, other].concat()));
            let stored = serde_json::to_string(&sum).unwrap();
            prop_assert_eq!(serde_json::from_str::<Tally>(&stored).unwrap(), sum);
        }
    }
}
