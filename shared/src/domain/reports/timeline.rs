//! Tallies by day.

use std::ops::AddAssign;

use jiff::Timestamp;

use super::days::{Day, Days, PeriodSlot};

/// What was counted on each day of a period, and in the whole of the period before.
#[derive(Debug)]
pub struct Timeline<T> {
    days: Days,
    daily: Vec<T>,
    preceding: T,
}

impl<T: Default> Timeline<T> {
    pub fn new(days: Days) -> Self {
        Self { daily: days.iter().map(|_| T::default()).collect(), preceding: T::default(), days }
    }

    /// The tally to which something that happened then belongs; none outside of both periods.
    pub fn at(&mut self, time: Timestamp) -> Option<&mut T> {
        match self.days.place(time)? {
            PeriodSlot::Preceding => Some(&mut self.preceding),
            PeriodSlot::Day(position) => self.daily.get_mut(position),
        }
    }
}

impl<T> Timeline<T> {
    /// Every day of the period with its tally, oldest first.
    pub fn series(&self) -> impl ExactSizeIterator<Item = (&Day, &T)> {
        self.days.iter().zip(&self.daily)
    }

    /// The tally of the period before.
    pub fn preceding(&self) -> &T {
        &self.preceding
    }

    /// Whether a time belongs to one of the days.
    pub fn shows(&self, time: Timestamp) -> bool {
        self.days.shows(time)
    }
}

impl<T: Default + for<'a> AddAssign<&'a T>> Timeline<T> {
    /// The tally of the whole period.
    pub fn total(&self) -> T {
        let mut total = T::default();
        for tally in &self.daily {
            total += tally;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reports::days::time_zone;
    use jiff::SignedDuration;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_happened_in_the_two_periods_is_counted_once(
            back in prop::collection::vec(-2_i64 * 86_400..40 * 86_400, 0..200),
        ) {
            let now: Timestamp = "2026-03-30T12:00:00Z".parse().unwrap();
            let days = Days::up_to(now, &time_zone("Europe/Stockholm"), 14);
            let both_periods = days.both_periods();
            let mut timeline = Timeline::<u64>::new(days);
            let mut expected = 0;
            for seconds in back {
                let time = now - SignedDuration::from_secs(seconds);
                expected += u64::from(both_periods.contains(&time));
                if let Some(count) = timeline.at(time) {
                    *count += 1;
                }
            }
            prop_assert_eq!(timeline.total() + timeline.preceding(), expected);
            prop_assert_eq!(timeline.series().map(|(_, count)| count).sum::<u64>(), timeline.total());
        }
    }
}
