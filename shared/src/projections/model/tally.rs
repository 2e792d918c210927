//! Tallies: counts and sums of a merchant's orders, redemptions, settlements and visits within a span of time.
//!
//! A tally is a pure function of the entries of its span. Tallies of adjacent spans can be added.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::{AddAssign, SubAssign};
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use crate::values::{Calendar, Minor, Minute};

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
    /// Issued gift cards, by whether they were sold or give back, and currency.
    IssuedCards,
    /// By status and currency, and those that succeeded also by whether the merchant issued the card.
    Redemptions,
    /// Succeeded redemptions: by `store` or `source`, its name, and currency.
    RedemptionNames,
    /// Net amounts, by status and currency, and those that are pending also by whether they are held.
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
    pub const ALL: [Self; 9] = [
        Self::Orders,
        Self::IssuedCards,
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
            Self::Orders | Self::IssuedCards => Family::Orders,
            Self::Redemptions | Self::RedemptionNames => Family::Redemptions,
            Self::Settlements(kind) => Family::Settlements(kind),
            Self::Visits | Self::VisitNames => Family::Visits,
        }
    }
}

/// A series, and the calendar by whose days and months it is added up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatedSeries {
    series: Series,
    calendar: Calendar,
}

impl DatedSeries {
    /// `calendar` is one of the merchant's. Settlements are added up by UTC's days nevertheless.
    pub fn new(series: Series, calendar: &Calendar) -> Self {
        match series {
            Series::Settlements(kind) => Self::of_settlements(kind),
            series => Self { series, calendar: calendar.clone() },
        }
    }

    pub fn of_settlements(kind: SettlementKind) -> Self {
        Self { series: Series::Settlements(kind), calendar: Calendar::utc() }
    }

    /// The series of a family, by each of the merchant's calendars.
    pub fn of_family<'a>(family: Family, calendars: impl IntoIterator<Item = &'a Calendar>) -> Vec<Self> {
        if let Family::Settlements(kind) = family {
            return vec![Self::of_settlements(kind)];
        }
        let of_calendar = |calendar| family.series().map(move |series| Self::new(series, calendar));
        calendars.into_iter().flat_map(of_calendar).collect()
    }

    pub fn series(&self) -> Series {
        self.series
    }

    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    pub fn zone(&self) -> TimeZone {
        self.calendar.zone()
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
///
/// It is stored as a text, which is read several times faster than a list of lists: `PAID|EUR|=2,700;FAILED|EUR|=1`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<Vec<String>, Figures>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    pub count: u64,
    /// In minor units of the currency among the labels.
    pub sum: Minor,
}

/// What separates the parts of a stored tally, and what escapes them in a label.
const SEPARATORS: [(char, &str); 5] = [('%', "%25"), ('|', "%7C"), (';', "%3B"), ('=', "%3D"), ('~', "%7E")];
/// Separates the latest minutes of a day.
const END_OF_MINUTE: char = '~';

/// The tally of a day or of a month, as the sum of others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sum {
    pub tally: Tally,
    /// Empty for a month.
    #[serde(default, skip_serializing_if = "LatestMinutes::is_empty")]
    pub latest: LatestMinutes,
}

/// The last minutes of a day in which something was counted, latest first. They tell the live minutes from those before, so
/// that nobody has to read the minutes of today. They stay a text until then: those of other days are never looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatestMinutes(String);

/// One more than are live: it shows that those before it are not.
const MAX_LATEST: usize = 3;
/// In bytes. Names can be so many that the latest minutes would be larger than the day. The minutes are then read.
const MAX_LATEST_SIZE: usize = 2000;

impl Sum {
    /// The sum of a day's minutes, oldest first.
    pub fn of_day(minutes: &[(Minute, Tally)]) -> Self {
        let tally = minutes.iter().map(|(_, tally)| tally).collect();
        Self { tally, latest: LatestMinutes::of(minutes) }
    }

    pub fn of_month<'a>(days: impl Iterator<Item = &'a Tally>) -> Self {
        Self { tally: days.collect(), latest: LatestMinutes::default() }
    }

    /// What a day counts before a minute. `None` if its latest minutes do not tell.
    pub fn before(&self, end: Timestamp) -> Option<Tally> {
        let (late, earlier): (Vec<_>, Vec<_>) = self.latest.parse()?.into_iter().partition(|(minute, _)| minute.start() >= end);
        let late: Tally = late.iter().map(|(_, tally)| tally).collect();
        let is_known = !earlier.is_empty() || late.total() == self.tally.total();
        is_known.then(|| {
            let mut before = self.tally.clone();
            before -= &late;
            before
        })
    }
}

impl LatestMinutes {
    fn of(minutes: &[(Minute, Tally)]) -> Self {
        let counted = minutes.iter().rev().filter(|(_, tally)| !tally.is_empty());
        let latest: Vec<String> =
            counted.take(MAX_LATEST).map(|(minute, tally)| format!("{}={tally}", minute.start().as_second())).collect();
        let text = latest.join(&END_OF_MINUTE.to_string());
        Self(if text.len() <= MAX_LATEST_SIZE { text } else { String::new() })
    }

    fn parse(&self) -> Option<Vec<(Minute, Tally)>> {
        let minutes = self.0.split(END_OF_MINUTE).filter(|minute| !minute.is_empty());
        minutes
            .map(|minute| {
                let (start, tally) = minute.split_once('=')?;
                let start = Timestamp::from_second(start.parse().ok()?).ok()?;
                Some((Minute::of(start), tally.parse().ok()?))
            })
            .collect()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

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

    /// The number of all that was counted.
    pub fn total(&self) -> u64 {
        self.count_where(|_| true)
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
        for (labels, added) in &other.0 {
            match self.0.get_mut(labels) {
                Some(figures) => *figures += *added,
                None => {
                    self.0.insert(labels.clone(), *added);
                }
            }
        }
    }
}

/// Removes what the tally contains. Groups of which nothing is left disappear.
impl SubAssign<&Self> for Tally {
    fn sub_assign(&mut self, other: &Self) {
        for (labels, removed) in &other.0 {
            let Some(figures) = self.0.get_mut(labels) else { continue };
            figures.count = figures.count.saturating_sub(removed.count);
            figures.sum = figures.sum.saturating_sub(removed.sum);
            if figures.count == 0 {
                self.0.remove(labels);
            }
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

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (labels, Figures { count, sum })) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str(";")?;
            }
            for label in labels {
                write!(formatter, "{}|", escape(label))?;
            }
            write!(formatter, "={count}")?;
            if *sum != Minor::ZERO {
                write!(formatter, ",{}", sum.get())?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a tally")]
pub struct InvalidTally;

impl FromStr for Tally {
    type Err = InvalidTally;

    fn from_str(text: &str) -> Result<Self, InvalidTally> {
        let groups = text.split(';').filter(|group| !group.is_empty());
        groups.map(|group| parse_group(group).ok_or(InvalidTally)).collect::<Result<_, _>>().map(Self)
    }
}

fn parse_group(group: &str) -> Option<(Vec<String>, Figures)> {
    let (labels, figures) = group.split_once('=')?;
    let (count, sum) = figures.split_once(',').unwrap_or((figures, "0"));
    let figures = Figures { count: count.parse().ok()?, sum: Minor::new(sum.parse().ok()?) };
    Some((labels.split_terminator('|').map(unescape).collect(), figures))
}

fn escape(label: &str) -> Cow<'_, str> {
    let is_separator = |char| SEPARATORS.iter().any(|(separator, _)| *separator == char);
    if !label.contains(is_separator) {
        return label.into();
    }
    SEPARATORS.iter().fold(label.to_owned(), |label, (char, escaped)| label.replace(*char, escaped)).into()
}

fn unescape(escaped: &str) -> String {
    if !escaped.contains('%') {
        return escaped.to_owned();
    }
    SEPARATORS
        .iter()
        .rev()
        .fold(escaped.to_owned(), |label, (char, escaped)| label.replace(escaped, char.encode_utf8(&mut [0; 4])))
}

impl Serialize for Tally {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Tally {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
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
        let listed: Vec<_> =
            tally.iter().map(|(labels, figures)| (labels[0].as_str(), figures.count, figures.sum.get())).collect();
        assert_eq!(listed, [("s1", 2, 120), ("s2", 1, 5)]);
        assert_eq!(tally.count_where(|labels| labels[0] == "s1"), 2);
    }

    /// The minutes of a day in which as many were counted, one for each element.
    fn day(counts: &[usize]) -> Vec<(Minute, Tally)> {
        let minutes = counts.iter().enumerate().map(|(minute, count)| {
            let rows: Vec<_> = (0..*count).map(|row| (u8::try_from(row % 3).unwrap(), 7)).collect();
            (Minute::of(Timestamp::from_second(60 * i64::try_from(minute).unwrap()).unwrap()), tally(&rows))
        });
        minutes.collect()
    }

    #[test]
    fn a_day_does_not_know_what_lies_before_more_than_its_latest_minutes() {
        let start = |minute: i64| Timestamp::from_second(60 * minute).unwrap();
        let sum = Sum::of_day(&day(&[1, 1, 0, 1, 1]));
        assert_eq!(sum.before(start(0)), None);
        assert_eq!(sum.before(start(1)), None);
        assert_eq!(sum.before(start(2)), Some(tally(&[(0, 7), (0, 7)])));
        let without_latest = Sum { latest: LatestMinutes::default(), ..sum };
        assert_eq!(without_latest.before(start(100)), None);
        assert_eq!(Sum::default().before(start(0)), Some(Tally::default()));
    }

    #[test]
    fn a_tally_is_stored_as_a_text() {
        let mut tally = Tally::default();
        tally.add(["PAID", "EUR"], Minor::new(-7));
        tally.add_one([]);
        tally.add_one([""]);
        tally.add_one(["50 %7C", "a|b;c=d~\"\n"]);
        let text = "=1;|=1;50 %257C|a%7Cb%3Bc%3Dd%7E\"\n|=1;PAID|EUR|=1,-7";
        assert_eq!(tally.to_string(), text);
        assert_eq!(text.parse(), Ok(tally.clone()));
        assert_eq!(serde_json::from_value::<Tally>(serde_json::json!(text)).unwrap(), tally);
        for invalid in ["PAID", "PAID|=", "PAID|=x", "PAID|=1,x", "PAID|=-1"] {
            assert_eq!(invalid.parse::<Tally>(), Err(InvalidTally), "{invalid}");
        }
    }

    proptest! {
        #[test]
        fn any_label_can_be_stored(labels in prop::collection::vec("[%|;=~,0-9A-Fa ]{0,6}", 0..4)) {
            let mut tally = Tally::default();
            *tally.figures(labels) += Figures { count: 3, sum: Minor::new(4) };
            prop_assert_eq!(tally.to_string().parse(), Ok(tally));
        }

        #[test]
        fn what_a_day_counts_before_a_minute_is_the_sum_of_the_minutes_before(
            counts in prop::collection::vec(prop::sample::select(vec![0_usize, 0, 1, 4]), 0..8),
            live in 0..2_usize,
        ) {
            let minutes = day(&counts);
            let end = counts.len().saturating_sub(live);
            let expected = Sum::of_day(&minutes[..end]).tally;
            let end = Timestamp::from_second(60 * i64::try_from(end).unwrap()).unwrap();
            prop_assert_eq!(Sum::of_day(&minutes).before(end), Some(expected));
        }

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
