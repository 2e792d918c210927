//! Prices at which a shop sells an offer.

use std::iter;

use super::money::{AmountError, Currency, Decimal, Minor};
use super::offer::{Pricing, unless_zero};

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

/// Why an offer cannot be sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotForSale {
    #[error("the price {0}")]
    UnreadablePrice(#[from] AmountError),
    #[error("no price is within the bounds or among the denominations")]
    NoPrice,
}

impl Prices {
    /// Returns the fixed price as the only option, else the denominations, else round amounts between the bounds.
    ///
    /// Denominations outside the bounds, or not representable in minor units, are skipped. The popular amount is an
    /// option as well if it can be sold.
    ///
    /// # Errors
    /// Returns an error if the offer cannot be sold: the fixed price or a bound is not representable in minor units, or
    /// no price is possible.
    pub fn of(pricing: &Pricing, currency: Currency, popular: Option<Minor>) -> Result<Self, NotForSale> {
        let minor = |price: Option<&Decimal>| price.map(|price| price.minor(currency)).transpose();
        if let Some(price) = minor(pricing.fixed_price())? {
            return Ok(Self { options: vec![price], min: Some(price), max: Some(price) });
        }
        let min = minor(unless_zero(pricing.min.as_ref()))?;
        let max = minor(unless_zero(pricing.max.as_ref()))?;
        if min.zip(max).is_some_and(|(min, max)| min > max) {
            return Err(NotForSale::NoPrice);
        }
        let is_within_bounds = |value: &Minor| min.is_none_or(|min| min <= *value) && max.is_none_or(|max| *value <= max);
        let mut denominations = denominations(pricing, currency);
        if min.or(max).is_none() && !pricing.denominations.is_empty() {
            let (min, max) = (denominations.first().copied(), denominations.last().copied());
            min.ok_or(NotForSale::NoPrice)?;
            return Ok(Self { options: denominations, min, max });
        }
        denominations.retain(is_within_bounds);
        let popular = popular.filter(|value| *value > Minor::ZERO && is_within_bounds(value));
        let options = if denominations.is_empty() {
            popular.into_iter().fold(suggestions(min, max), with_suggestion)
        } else {
            denominations.extend(popular);
            denominations.sort_unstable();
            denominations.dedup();
            denominations
        };
        Ok(Self { options, min, max })
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
        (None, Some(max)) => round_amounts(Minor::ZERO, max).into_iter().filter(|value| *value > Minor::ZERO).collect(),
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

/// Adds an amount to sorted suggestions. If there are six, it replaces the nearest one that is not a bound.
fn with_suggestion(mut suggestions: Vec<Minor>, amount: Minor) -> Vec<Minor> {
    const MAX_SUGGESTIONS: usize = 6;
    let Err(position) = suggestions.binary_search(&amount) else { return suggestions };
    if suggestions.len() < MAX_SUGGESTIONS {
        suggestions.insert(position, amount);
        return suggestions;
    }
    let last = suggestions.len() - 1;
    let between = suggestions.iter_mut().take(last).skip(1);
    if let Some(nearest) = between.min_by_key(|value| value.get().abs_diff(amount.get())) {
        *nearest = amount;
    }
    suggestions
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

    fn prices(json: [&str; 4], locked: bool, currency: &str) -> Result<Prices, NotForSale> {
        Prices::of(&pricing(json, locked), currency.parse().unwrap(), None)
    }

    fn pricing(json: [&str; 4], locked: bool) -> Pricing {
        let [default, min, max, denominations] = json;
        let decimal = |text: &str| text.parse::<Decimal>().ok();
        Pricing {
            default_price: decimal(default),
            min: decimal(min),
            max: decimal(max),
            denominations: denominations.split(' ').filter_map(decimal).collect(),
            price_locked: locked,
        }
    }

    /// Options, lower bound and upper bound.
    type Expected = (Vec<i64>, Option<i64>, Option<i64>);

    fn values(prices: Result<Prices, NotForSale>) -> Expected {
        let Prices { options, min, max } = prices.unwrap();
        (options.into_iter().map(Minor::get).collect(), min.map(Minor::get), max.map(Minor::get))
    }

    #[test]
    fn offers_fixed_prices_denominations_or_round_amounts_between_bounds() {
        let cases: [([&str; 4], bool, &str, Expected); 16] = [
            (["249.50", "", "", ""], false, "EUR", (vec![24950], Some(24950), Some(24950))),
            (["25", "10", "50", "10 20"], true, "EUR", (vec![2500], Some(2500), Some(2500))),
            (["25", "10", "50", ""], false, "EUR", (vec![1000, 2000, 3000, 4000, 5000], Some(1000), Some(5000))),
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
            (["", "10", "20", ""], false, "EUR", (vec![1000, 1200, 1400, 1600, 1800, 2000], Some(1000), Some(2000))),
            (["", "10", "10", ""], false, "EUR", (vec![1000], Some(1000), Some(1000))),
            (["", "10", "20", "5 25"], false, "EUR", (vec![1000, 1200, 1400, 1600, 1800, 2000], Some(1000), Some(2000))),
            (["", "10", "0", ""], false, "EUR", (vec![1000], Some(1000), None)),
            (["", "0", "500", ""], false, "EUR", (vec![10_000, 20_000, 30_000, 40_000, 50_000], None, Some(50_000))),
            (["0", "", "", ""], false, "EUR", (vec![], None, None)),
            (["", "", "", ""], false, "EUR", (vec![], None, None)),
        ];
        for (json, locked, currency, expected) in cases {
            assert_eq!(values(prices(json, locked, currency)), expected, "{json:?} {currency}");
        }
    }

    #[test]
    fn rejects_offers_that_cannot_be_sold_at_any_price() {
        for (json, currency) in [
            (["", "20", "10", ""], "EUR"),
            (["", "20", "10", "15"], "EUR"),
            (["", "", "", "0.001 0 -1"], "EUR"),
            (["25", "", "", "0.5"], "JPY"),
            (["249.5", "", "", ""], "JPY"),
            (["", "10.005", "50", ""], "EUR"),
            (["", "10", "1e30", ""], "EUR"),
        ] {
            assert!(prices(json, false, currency).is_err(), "{json:?} {currency}");
        }
    }

    #[test]
    fn the_popular_amount_is_an_option_if_it_can_be_sold() {
        for (json, locked, popular, expected) in [
            (["", "10", "50", ""], false, 2500, vec![1000, 2000, 2500, 3000, 4000, 5000]),
            (["", "10", "50", ""], false, 3000, vec![1000, 2000, 3000, 4000, 5000]),
            (["", "10", "50", ""], false, 5100, vec![1000, 2000, 3000, 4000, 5000]),
            (["", "10", "20", ""], false, 1050, vec![1000, 1050, 1400, 1600, 1800, 2000]),
            (["", "10", "20", ""], false, 1950, vec![1000, 1200, 1400, 1600, 1950, 2000]),
            (["", "10", "", ""], false, 2500, vec![1000, 2500]),
            (["", "", "", ""], false, 2500, vec![2500]),
            (["", "", "", ""], false, 0, vec![]),
            (["", "10", "50", "20 40"], false, 2500, vec![2000, 2500, 4000]),
            (["", "10", "50", "20 40"], false, 900, vec![2000, 4000]),
            (["", "", "", "20 40"], false, 2500, vec![2000, 4000]),
            (["30", "", "", ""], false, 2500, vec![3000]),
            (["30", "10", "50", ""], true, 2500, vec![3000]),
        ] {
            let prices = Prices::of(&pricing(json, locked), Currency::EUR, Some(Minor::new(popular)));
            assert_eq!(values(prices).0, expected, "{json:?} {popular}");
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
        fn every_option_can_be_sold_and_only_offers_without_a_price_are_rejected(
            default in prop::option::of(1..60_i64), bounds in prop::array::uniform2(prop::option::of(0..60_i64)),
            denominations in prop::collection::vec(0..60_i64, 0..4), locked: bool, popular in 0..6000_i64,
        ) {
            let decimal = |units: i64| units.to_string().parse::<Decimal>().unwrap();
            let [min, max] = bounds.map(|price| price.map(decimal));
            let default_price = default.map(decimal);
            let denominations = denominations.into_iter().map(decimal).collect();
            let pricing = Pricing { default_price, min, max, denominations, price_locked: locked };
            let can_be_sold = |value: &Minor| pricing.check(*value, Currency::EUR).is_ok();
            match Prices::of(&pricing, Currency::EUR, Some(Minor::new(popular))) {
                Ok(prices) => prop_assert!(prices.options.iter().all(can_be_sold), "{prices:?} of {pricing:?}"),
                Err(_) => prop_assert!(!(1..=6000).map(Minor::new).any(|value| can_be_sold(&value)), "{pricing:?}"),
            }
        }

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
