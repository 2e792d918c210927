//! Aggregates by day.

use std::ops::AddAssign;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::values::{Day, PeriodSlot, ReportPeriod};

/// One aggregate for each day of a period, and one for the preceding period.
#[derive(Debug)]
pub struct Timeline<T> {
    period: ReportPeriod,
    daily: Vec<T>,
    preceding: T,
}

impl<T: Default> Timeline<T> {
    pub fn new(period: ReportPeriod) -> Self {
        Self { daily: period.iter().map(|_| T::default()).collect(), preceding: T::default(), period }
    }

    /// Returns the aggregate for a timestamp, or `None` if it is outside both periods.
    pub fn aggregate_mut(&mut self, time: Timestamp) -> Option<&mut T> {
        match self.period.slot(time)? {
            PeriodSlot::Preceding => Some(&mut self.preceding),
            PeriodSlot::Day(index) => self.daily.get_mut(index),
        }
    }
}

impl<T> Timeline<T> {
    /// Returns the aggregate of a day of the period, or that of the preceding period if the day is earlier.
    pub fn on_mut(&mut self, date: Date) -> Option<&mut T> {
        if date < self.period.iter().next()?.date {
            return Some(&mut self.preceding);
        }
        let index = self.period.iter().position(|day| day.date == date)?;
        self.daily.get_mut(index)
    }

    /// Iterates over the days of the period with their aggregates, oldest first.
    pub fn series(&self) -> impl ExactSizeIterator<Item = (&Day, &T)> {
        self.period.iter().zip(&self.daily)
    }

    /// Returns the aggregate of the preceding period.
    pub fn preceding(&self) -> &T {
        &self.preceding
    }

    pub fn preceding_mut(&mut self) -> &mut T {
        &mut self.preceding
    }

    /// The same days and periods, with other aggregates.
    pub fn map<U>(&self, aggregate: impl Fn(&T) -> U) -> Timeline<U> {
        Timeline {
            period: self.period.clone(),
            daily: self.daily.iter().map(&aggregate).collect(),
            preceding: aggregate(&self.preceding),
        }
    }

    /// Returns `true` if a timestamp is in the period itself.
    pub fn contains(&self, time: Timestamp) -> bool {
        self.period.contains(time)
    }
}

impl<T: Default + for<'a> AddAssign<&'a T>> Timeline<T> {
    /// Returns the aggregate of the whole period.
    pub fn total(&self) -> T {
        let mut total = T::default();
        for aggregate in &self.daily {
            total += aggregate;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::time_zone;
    use jiff::SignedDuration;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_timestamp_in_the_two_periods_is_counted_once(
            seconds_ago in prop::collection::vec(-2_i64 * 86_400..40 * 86_400, 0..200),
        ) {
            let now: Timestamp = "2026-03-30T12:00:00Z".parse().unwrap();
            let period = ReportPeriod::ending_at(now, &time_zone("Europe/Stockholm"), 14);
            let range = period.range_with_preceding();
            let mut timeline = Timeline::<u64>::new(period);
            let mut expected = 0;
            for seconds in seconds_ago {
                let time = now - SignedDuration::from_secs(seconds);
                expected += u64::from(range.contains(&time));
                if let Some(count) = timeline.aggregate_mut(time) {
                    *count += 1;
                }
            }
            prop_assert_eq!(timeline.total() + timeline.preceding(), expected);
            prop_assert_eq!(timeline.series().map(|(_, count)| count).sum::<u64>(), timeline.total());
        }
    }
}
