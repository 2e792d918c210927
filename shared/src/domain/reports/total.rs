//! Counts with sums of money.

use std::ops::AddAssign;

use crate::domain::money::{Currency, Minor, Money};

/// How many amounts there were, and what those in the shown currency add up to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Whatever the currency.
    pub count: u64,
    pub sum: Minor,
    /// How many of them are in the sum.
    summed: u64,
}

impl Total {
    pub fn add(&mut self, amount: Money, shown: Currency) {
        self.count += 1;
        if amount.currency == shown {
            self.summed += 1;
            self.sum = self.sum.saturating_add(amount.minor);
        }
    }

    /// The sum divided by the number of amounts in it, rounded half up to a minor unit; none of nothing.
    pub fn average(&self) -> Option<Minor> {
        let (sum, summed) = (i128::from(self.sum.get()), i128::from(self.summed));
        let rounded = (2 * sum + summed).checked_div_euclid(2 * summed)?;
        i64::try_from(rounded).ok().map(Minor::new)
    }
}

impl AddAssign<&Self> for Total {
    fn add_assign(&mut self, other: &Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.summed += other.summed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(amounts: &[(i64, Currency)]) -> Total {
        let mut total = Total::default();
        for (units, currency) in amounts {
            total.add(Money::new(Minor::new(*units), *currency), Currency::EUR);
        }
        total
    }

    #[test]
    fn an_amount_in_another_currency_counts_and_is_not_added() {
        let total = total(&[(1000, Currency::EUR), (9999, Currency::USD), (501, Currency::EUR)]);
        assert_eq!((total.count, total.sum.get()), (3, 1501));
        assert_eq!(total.average(), Some(Minor::new(751)), "750.5, of the two that were added");
    }

    #[test]
    fn there_is_no_average_of_nothing() {
        assert_eq!(total(&[]).average(), None);
        assert_eq!(total(&[(1000, Currency::USD)]).average(), None);
        assert_eq!(total(&[(0, Currency::EUR)]).average(), Some(Minor::ZERO));
    }

    proptest! {
        #[test]
        fn totals_of_parts_add_up_to_the_total_of_all(
            one in prop::collection::vec((0..=Minor::MAX.get(), any::<bool>()), 0..30),
            other in prop::collection::vec((0..=Minor::MAX.get(), any::<bool>()), 0..30),
        ) {
            let amounts = |rows: &[(i64, bool)]| -> Vec<_> {
                rows.iter().map(|(units, eur)| (*units, if *eur { Currency::EUR } else { Currency::USD })).collect()
            };
            let (one, other) = (amounts(&one), amounts(&other));
            let mut sum = total(&one);
            sum += &total(&other);
            prop_assert_eq!(sum, total(&[one, other].concat()));
            prop_assert!(sum.average().is_none_or(|average| (Minor::ZERO..=Minor::MAX).contains(&average)));
        }
    }
}
