//! Prices at which a shop sells an offer.

use std::iter;

use super::money::{AmountError, Currency, Decimal, Minor};
use super::offer::{Pricing, bound};

/// The price options of an offer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices {
    /// Suggested amounts in ascending order, without duplicates.
    pub options: Vec<Minor>,
    /// The lowest price a buyer can choose.
    pub min: Option<Minor>,
    /// The highest price a buyer can choose.
    pub max: Option<Minor>,
}

impl Prices {
    /// Returns the fixed price as the only option, else the denominations, else round amounts between the bounds.
    ///
    /// Denominations outside the bounds, or not representable in minor units, are skipped.
    ///
    /// # Errors
    /// Returns an error if the fixed price or a bound is not representable in minor units: the offer cannot be sold.
    pub fn of(pricing: &Pricing, currency: Currency) -> Result<Self, AmountError> {
        let minor = |price: Option<&Decimal>| price.map(|price| price.minor(currency)).transpose();
        if let Some(price) = minor(bound(pricing.fixed_price()))? {
            return Ok(Self { options: vec![price], min: Some(price), max: Some(price) });
        }
        let min = minor(bound(pricing.min.as_ref()))?;
        let max = minor(bound(pricing.max.as_ref()))?;
        if pricing.denominations.is_empty() {
            return Ok(Self { options: suggestions(min, max), min, max });
        }
        let mut options = denominations(pricing, currency);
        if min.or(max).is_some() {
            options
                .retain(|value| min.is_none_or(|min| min <= *value) && max.is_none_or(|max| *value <= max));
            return Ok(Self { options, min, max });
        }
        Ok(Self { min: options.first().copied(), max: options.last().copied(), options })
    }
}

fn denominations(pricing: &Pricing, currency: Currency) -> Vec<Minor> {
    let amounts = pricing.denominations.iter().filter_map(|value| value.minor(currency).ok());
    let mut options: Vec<Minor> = amounts.filter(|value| *value > Minor::ZERO).collect();
    options.sort_unstable();
    options.dedup();
    options
}

fn suggestions(min: Option<Minor>, max: Option<Minor>) -> Vec<Minor> {
    match (min, max) {
        (Some(min), Some(max)) => round_amounts(min, max),
        (Some(min), None) => vec![min],
        (None, Some(max)) => {
            round_amounts(Minor::ZERO, max).into_iter().filter(|value| *value > Minor::ZERO).collect()
        }
        (None, None) => Vec::new(),
    }
}

/// Returns four to six amounts from `min` to `max` inclusive; fewer if the range holds fewer. The amounts between the
/// bounds are multiples of one round step. Neither bound may be negative.
fn round_amounts(min: Minor, max: Minor) -> Vec<Minor> {
    /// Amounts between the two bounds.
    const MAX_BETWEEN: i64 = 4;
    let (first, last) = (min.get(), max.get());
    if first >= last {
        return if first == last { vec![min] } else { Vec::new() };
    }
    let is_large_enough = |step: &i64| (last - 1) / step - first / step <= MAX_BETWEEN;
    let step = round_steps().find(is_large_enough).unwrap_or(last);
    let between = (first / step + 1..=(last - 1) / step).map(|times| times * step);
    iter::once(first).chain(between).chain(iter::once(last)).map(Minor::new).collect()
}

/// Yields 1, 2, 3, 5, 10, 20, 25, 50, 100, 200, 250, 500, … Each step is at most twice the previous one, so the first
/// step with few enough multiples in a range still has two of them.
fn round_steps() -> impl Iterator<Item = i64> {
    let powers = iter::successors(Some(10), |power: &i64| power.checked_mul(10));
    [1, 2, 3, 5].into_iter().chain(powers.flat_map(|power| [power, 2 * power, power / 2 * 5, 5 * power]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prices(json: [&str; 4], locked: bool, currency: &str) -> Result<Prices, AmountError> {
        let [default, min, max, denominations] = json;
        let decimal = |text: &str| text.parse::<Decimal>().ok();
        let pricing = Pricing {
            default_price: decimal(default),
            min: decimal(min),
            max: decimal(max),
            denominations: denominations.split(' ').filter_map(decimal).collect(),
            price_locked: locked,
        };
        Prices::of(&pricing, currency.parse().unwrap())
    }

    /// Options, lower bound and upper bound.
    type Expected = (Vec<i64>, Option<i64>, Option<i64>);

    fn values(prices: Result<Prices, AmountError>) -> Expected {
        let Prices { options, min, max } = prices.unwrap();
        (options.into_iter().map(Minor::get).collect(), min.map(Minor::get), max.map(Minor::get))
    }

    #[test]
    fn offers_fixed_prices_denominations_or_round_amounts_between_bounds() {
        let cases: [([&str; 4], bool, &str, Expected); 16] = [
            (["249.50", "", "", ""], false, "EUR", (vec![24950], Some(24950), Some(24950))),
            (["25", "10", "50", "10 20"], true, "EUR", (vec![2500], Some(2500), Some(2500))),
            (
                ["25", "10", "50", ""],
                false,
                "EUR",
                (vec![1000, 2000, 3000, 4000, 5000], Some(1000), Some(5000)),
            ),
            (["25", "", "", "50 10 50 25.5"], false, "EUR", (vec![1000, 2550, 5000], Some(1000), Some(5000))),
            (["", "", "", "10 10.005 0 -5"], false, "EUR", (vec![1000], Some(1000), Some(1000))),
            (["", "5", "", "10 20"], false, "EUR", (vec![1000, 2000], Some(500), None)),
            (
                ["", "50", "5000", ""],
                false,
                "SEK",
                (vec![5000, 100_000, 200_000, 300_000, 400_000, 500_000], Some(5000), Some(500_000)),
            ),
            (
                ["", "500", "50000", ""],
                false,
                "JPY",
                (vec![500, 10_000, 20_000, 30_000, 40_000, 50_000], Some(500), Some(50_000)),
            ),
            (
                ["", "1", "100", ""],
                false,
                "KWD",
                (vec![1000, 20_000, 40_000, 60_000, 80_000, 100_000], Some(1000), Some(100_000)),
            ),
            (
                ["", "10", "20", ""],
                false,
                "EUR",
                (vec![1000, 1200, 1400, 1600, 1800, 2000], Some(1000), Some(2000)),
            ),
            (["", "10", "10", ""], false, "EUR", (vec![1000], Some(1000), Some(1000))),
            (["", "20", "10", ""], false, "EUR", (vec![], Some(2000), Some(1000))),
            (["", "10", "0", ""], false, "EUR", (vec![1000], Some(1000), None)),
            (
                ["", "0", "500", ""],
                false,
                "EUR",
                (vec![10_000, 20_000, 30_000, 40_000, 50_000], None, Some(50_000)),
            ),
            (["0", "", "", ""], false, "EUR", (vec![], None, None)),
            (["", "", "", ""], false, "EUR", (vec![], None, None)),
        ];
        for (json, locked, currency, expected) in cases {
            assert_eq!(values(prices(json, locked, currency)), expected, "{json:?} {currency}");
        }
    }

    #[test]
    fn rejects_prices_that_are_not_representable_in_minor_units() {
        for (json, currency) in [
            (["249.5", "", "", ""], "JPY"),
            (["", "10.005", "50", ""], "EUR"),
            (["", "10", "1e30", ""], "EUR"),
        ] {
            assert!(prices(json, false, currency).is_err(), "{json:?} {currency}");
        }
    }

    #[test]
    fn each_round_step_is_at_most_twice_the_previous_one() {
        let steps: Vec<i64> = round_steps().collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1] && pair[1] <= 2 * pair[0]), "{steps:?}");
        assert!(steps.last() > Some(&Minor::MAX.get()));
    }

    proptest! {
        #[test]
        fn suggests_four_to_six_round_amounts_within_the_bounds(
            min in prop_oneof![0..200_i64, 0..=Minor::MAX.get()],
            length in prop_oneof![0..200_i64, 0..=Minor::MAX.get()],
        ) {
            let max = min.saturating_add(length).min(Minor::MAX.get());
            let amounts = round_amounts(Minor::new(min), Minor::new(max));
            let amounts: Vec<i64> = amounts.into_iter().map(Minor::get).collect();
            prop_assert_eq!((amounts.first(), amounts.last()), (Some(&min), Some(&max)));
            prop_assert!(amounts.windows(2).all(|pair| pair[0] < pair[1]));
            let available = usize::try_from(max - min + 1).unwrap();
            prop_assert!((available.min(4)..=6).contains(&amounts.len()), "{amounts:?}");
            let between = amounts.get(1..amounts.len() - 1).unwrap_or_default();
            let divides_all = |step: i64| between.iter().all(|value| value % step == 0);
            let mut differences = between.windows(2).map(|pair| pair[1] - pair[0]);
            prop_assert!(differences.all(|step| round_steps().any(|round| round == step) && divides_all(step)));
        }
    }
}
