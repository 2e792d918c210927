//! Counts and sums of money.

use std::ops::AddAssign;

use crate::domain::money::{Currency, Minor, Money};

/// The number of amounts, and the sum of those in the report currency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Number of amounts in any currency.
    pub count: u64,
    pub sum: Minor,
    /// Number of amounts in the sum.
    summed_count: u64,
}

impl Total {
    pub fn add(&mut self, amount: Money, currency: Currency) {
        self.count += 1;
        if amount.currency == currency {
            self.summed_count += 1;
            self.sum = self.sum.saturating_add(amount.minor);
        }
    }

    /// Returns the average of the summed amounts, rounded half up to a minor unit, or `None` if there are none.
    pub fn average(&self) -> Option<Minor> {
        let (sum, count) = (i128::from(self.sum.get()), i128::from(self.summed_count));
        let rounded = (2 * sum + count).checked_div_euclid(2 * count)?;
        i64::try_from(rounded).ok().map(Minor::new)
    }
}

impl AddAssign<&Self> for Total {
    fn add_assign(&mut self, other: &Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.summed_count += other.summed_count;
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
    fn amounts_in_another_currency_are_counted_but_not_summed() {
        let total = total(&[(1000, Currency::EUR), (9999, Currency::USD), (501, Currency::EUR)]);
        assert_eq!((total.count, total.sum.get()), (3, 1501));
        assert_eq!(
            total.average(),
            Some(Minor::new(751)),
            "750.5, the average of the two EUR amounts, rounds to 751"
        );
    }

    #[test]
    fn there_is_no_average_without_amounts() {
        assert_eq!(total(&[]).average(), None);
        assert_eq!(total(&[(1000, Currency::USD)]).average(), None);
        assert_eq!(total(&[(0, Currency::EUR)]).average(), Some(Minor::ZERO));
    }

    proptest! {
        #[test]
        fn the_sum_of_totals_is_the_total_of_all_amounts(
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
