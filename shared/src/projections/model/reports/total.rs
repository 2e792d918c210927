//! Counts and sums of money.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::AddAssign;

use crate::projections::model::tally::Figures;
use crate::values::{Currency, Minor, Money};

/// The currency of a label. `None` for a code that this release does not know.
pub(super) fn currency(label: &str) -> Option<Currency> {
    label.parse().ok()
}

/// Amounts, counted and summed by currency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Total(HashMap<Currency, Amounts>);

/// The sum of many large amounts does not fit into an `i64`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Amounts {
    count: u64,
    sum: i128,
}

impl AddAssign for Amounts {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
    }
}

impl Total {
    pub fn add(&mut self, amount: Money) {
        self.add_figures(amount.currency, Figures { count: 1, sum: amount.minor });
    }

    /// Adds amounts that have been counted and summed.
    pub fn add_figures(&mut self, currency: Currency, figures: Figures) {
        let amounts = Amounts { count: figures.count, sum: figures.sum.get().into() };
        *self.0.entry(currency).or_default() += amounts;
    }

    /// The number of amounts in any currency.
    pub fn count(&self) -> u64 {
        self.0.values().map(|total| total.count).sum()
    }

    pub fn sum(&self, currency: Currency) -> Minor {
        let sum = self.of(currency).sum;
        Minor::new(i64::try_from(sum).unwrap_or(if sum < 0 { i64::MIN } else { i64::MAX }))
    }

    /// The number of amounts in a currency.
    pub fn count_in(&self, currency: Currency) -> u64 {
        self.of(currency).count
    }

    /// The average of the amounts in a currency, rounded half up to a minor unit, or `None` if there are none.
    pub fn average(&self, currency: Currency) -> Option<Minor> {
        let total = self.of(currency);
        let count = i128::from(total.count);
        let rounded = (2 * total.sum + count).checked_div_euclid(2 * count)?;
        i64::try_from(rounded).ok().map(Minor::new)
    }

    /// The currency in which a report shows these amounts: the merchant's, unless all amounts are in others. Then it is the
    /// one of most amounts; of several, the first by code.
    pub fn shown_currency(&self, merchant: Option<Currency>) -> Currency {
        let most = self.0.iter().max_by_key(|(currency, total)| (total.count, Reverse(currency.code())));
        let most = most.map(|(currency, _)| *currency);
        let merchant = merchant.filter(|currency| most.is_none() || self.0.contains_key(currency));
        merchant.or(most).unwrap_or(Currency::USD)
    }

    fn of(&self, currency: Currency) -> Amounts {
        self.0.get(&currency).copied().unwrap_or_default()
    }
}

impl AddAssign<&Self> for Total {
    fn add_assign(&mut self, other: &Self) {
        for (currency, total) in &other.0 {
            *self.0.entry(*currency).or_default() += *total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn total(amounts: &[(i64, Currency)]) -> Total {
        let mut total = Total::default();
        for (units, currency) in amounts {
            total.add(Money::new(Minor::new(*units), *currency));
        }
        total
    }

    #[test]
    fn amounts_in_another_currency_are_counted_but_not_summed() {
        let total = total(&[(1000, Currency::EUR), (9999, Currency::USD), (501, Currency::EUR)]);
        assert_eq!((total.count(), total.sum(Currency::EUR).get()), (3, 1501));
        assert_eq!(
            total.average(Currency::EUR),
            Some(Minor::new(751)),
            "750.5, the average of the two EUR amounts, rounds to 751"
        );
    }

    #[test]
    fn the_average_of_amounts_whose_sum_is_too_large_is_exact() {
        let largest = total(&[(Minor::MAX.get(), Currency::EUR)].repeat(2_000));
        assert_eq!(largest.average(Currency::EUR), Some(Minor::MAX));
        assert_eq!(largest.sum(Currency::EUR).get(), i64::MAX);
    }

    #[test]
    fn there_is_no_average_without_amounts() {
        assert_eq!(total(&[]).average(Currency::EUR), None);
        assert_eq!(total(&[(1000, Currency::USD)]).average(Currency::EUR), None);
        assert_eq!(total(&[(0, Currency::EUR)]).average(Currency::EUR), Some(Minor::ZERO));
    }

    #[test]
    fn shows_the_merchants_currency_or_else_the_one_of_most_amounts() {
        let kronor = "SEK".parse().unwrap();
        let (eur, usd) = (Currency::EUR, Currency::USD);
        for (merchant, amounts, shown) in [
            (Some(kronor), &[][..], kronor),
            (None, &[], usd),
            (Some(kronor), &[(1, eur), (1, eur), (1, kronor)], kronor),
            (Some(kronor), &[(1, eur), (1, usd), (1, usd)], usd),
            (Some(kronor), &[(1, usd), (1, eur)], eur),
            (None, &[(1, kronor), (9, eur), (1, kronor)], kronor),
        ] {
            assert_eq!(total(amounts).shown_currency(merchant), shown, "{merchant:?} {amounts:?}");
        }
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
            prop_assert_eq!(&sum, &total(&[one, other].concat()));
            prop_assert!(sum.average(Currency::EUR).is_none_or(|average| (Minor::ZERO..=Minor::MAX).contains(&average)));
        }
    }
}
