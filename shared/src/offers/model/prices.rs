//! Prices of an offer: what limits the value of a card, and which prices a shop suggests.

use std::iter;

use super::terms::{SaleProblem, Term};
use crate::values::{Currency, Decimal, Minor, Money};

/// The prices of an offer as the card network has them, in its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pricing {
    pub default_price: Term<Decimal>,
    pub min: Term<Decimal>,
    pub max: Term<Decimal>,
    /// Without those that cannot be read, unless none can.
    pub denominations: Term<Vec<Decimal>>,
    pub price_locked: Term<bool>,
}

/// The prices at which an offer can be sold, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PriceRule {
    Fixed(Minor),
    /// In ascending order, without duplicates.
    OneOf(Vec<Minor>),
    /// Both included. Any price, where there are no bounds.
    Between {
        min: Option<Minor>,
        max: Option<Minor>,
        /// Some prices between them, as [`OneOf`](Self::OneOf).
        suggested: Vec<Minor>,
    },
}

/// Why a value cannot be sold under an offer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    #[error("must equal the fixed price of the offer, {0}")]
    NotTheFixedPrice(Decimal),
    #[error("must be one of the offer's denominations")]
    NotADenomination,
    #[error("must be at least {0}")]
    BelowMin(Decimal),
    #[error("must be at most {0}")]
    AboveMax(Decimal),
}

const DEFAULT_PRICE: &str = "defaultPrice";
const MAX_PRICE: &str = "maxPrice";

impl Pricing {
    /// What limits a sale: the default price, if it is locked or there are neither bounds nor denominations; else the bounds;
    /// else the denominations.
    ///
    /// # Errors
    /// Returns an error if one of these cannot be read or is not exact in minor units, or no price is possible.
    pub fn rule(&self, currency: Currency) -> Result<PriceRule, SaleProblem> {
        let default_price = || amount(DEFAULT_PRICE, &self.default_price, currency);
        let is_locked = self.price_locked.limit()? == Some(&true);
        if is_locked && let Some(price) = default_price()? {
            return Ok(PriceRule::Fixed(price));
        }
        let (min, max) = (amount("minPrice", &self.min, currency)?, amount(MAX_PRICE, &self.max, currency)?);
        if min.or(max).is_some() {
            if min.zip(max).is_some_and(|(min, max)| min > max) {
                return Err(SaleProblem::new(MAX_PRICE, "must not be less than minPrice"));
            }
            let mut suggested = denominations(self.denominations.limit().ok().flatten(), currency);
            suggested.retain(|price| is_between(*price, min, max));
            return Ok(PriceRule::Between { min, max, suggested });
        }
        if let Some(list) = self.denominations.limit()?.filter(|list| !list.is_empty()) {
            let prices = denominations(Some(list), currency);
            let has_price = !prices.is_empty();
            return has_price.then_some(PriceRule::OneOf(prices)).ok_or_else(|| {
                SaleProblem::new("denominations", format!("must have an amount of {currency} that is greater than 0"))
            });
        }
        Ok(default_price()?.map_or(PriceRule::Between { min: None, max: None, suggested: Vec::new() }, PriceRule::Fixed))
    }
}

/// `None` for an amount of 0: old records have one where none was set.
fn amount(field: &str, term: &Term<Decimal>, currency: Currency) -> Result<Option<Minor>, SaleProblem> {
    let Some(price) = term.limit()? else { return Ok(None) };
    let price = price.minor(currency).map_err(|error| SaleProblem::new(field, error))?;
    if price < Minor::ZERO {
        Err(SaleProblem::new(field, "must not be negative"))
    } else {
        Ok(Some(price).filter(|price| *price > Minor::ZERO))
    }
}

fn denominations(list: Option<&Vec<Decimal>>, currency: Currency) -> Vec<Minor> {
    let amounts = list.into_iter().flatten().filter_map(|value| value.minor(currency).ok());
    let mut options: Vec<Minor> = amounts.filter(|value| *value > Minor::ZERO).collect();
    options.sort_unstable();
    options.dedup();
    options
}

fn is_between(value: Minor, min: Option<Minor>, max: Option<Minor>) -> bool {
    min.is_none_or(|min| min <= value) && max.is_none_or(|max| value <= max)
}

impl PriceRule {
    /// Checks that a card of this value can be sold.
    pub fn check(&self, value: Minor, currency: Currency) -> Result<(), PriceError> {
        let units = |minor: &Minor| Money::new(*minor, currency).decimal();
        match self {
            Self::Fixed(price) if *price != value => Err(PriceError::NotTheFixedPrice(units(price))),
            Self::OneOf(prices) if !prices.contains(&value) => Err(PriceError::NotADenomination),
            Self::Between { min: Some(min), .. } if value < *min => Err(PriceError::BelowMin(units(min))),
            Self::Between { max: Some(max), .. } if value > *max => Err(PriceError::AboveMax(units(max))),
            _ => Ok(()),
        }
    }
}

/// The prices that a shop suggests.
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
    /// The popular amount is an option as well if it is between bounds.
    pub fn of(rule: PriceRule, popular: Option<Minor>) -> Self {
        match rule {
            PriceRule::Fixed(price) => Self { options: vec![price], min: Some(price), max: Some(price) },
            PriceRule::OneOf(options) => {
                let (min, max) = (options.first().copied(), options.last().copied());
                Self { options, min, max }
            }
            PriceRule::Between { min, max, suggested } => {
                let popular = popular.filter(|value| *value > Minor::ZERO && is_between(*value, min, max));
                let options = if suggested.is_empty() {
                    popular.into_iter().fold(suggestions(min, max), with_suggestion)
                } else {
                    let mut options = suggested;
                    options.extend(popular);
                    options.sort_unstable();
                    options.dedup();
                    options
                };
                Self { options, min, max }
            }
        }
    }
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

    fn prices(json: [&str; 4], locked: bool, currency: &str) -> Result<Prices, SaleProblem> {
        Ok(Prices::of(pricing(json, locked).rule(currency.parse().unwrap())?, None))
    }

    fn pricing(json: [&str; 4], locked: bool) -> Pricing {
        let [default, min, max, denominations] = json;
        let decimal = |text: &str| text.parse::<Decimal>().map_or(Term::Absent, Term::Read);
        Pricing {
            default_price: decimal(default),
            min: decimal(min),
            max: decimal(max),
            denominations: Term::Read(denominations.split(' ').filter_map(|text| text.parse().ok()).collect()),
            price_locked: Term::Read(locked),
        }
    }

    /// Options, lower bound and upper bound.
    type Expected = (Vec<i64>, Option<i64>, Option<i64>);

    fn values(prices: Result<Prices, SaleProblem>) -> Expected {
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
    fn a_value_must_match_the_offers_prices() {
        let (fixed, bounded) = (["25", "", "", ""], ["25", "10", "50", "10 25"]);
        for (json, locked, value, accepted) in [
            (fixed, false, 2500, true),
            (fixed, false, 2501, false),
            (bounded, true, 2500, true),
            (bounded, true, 3000, false),
            (bounded, false, 999, false),
            (bounded, false, 1000, true),
            (bounded, false, 1234, true),
            (bounded, false, 5000, true),
            (bounded, false, 5001, false),
            (["", "", "", "10 25"], false, 1000, true),
            (["", "", "", "10 25"], false, 1500, false),
            (["", "", "", ""], false, 1, true),
            (["0", "", "", ""], false, 1, true),
            (["0.00", "10", "50", ""], true, 999, false),
            (["0.00", "10", "50", ""], true, 1000, true),
        ] {
            let rule = pricing(json, locked).rule(Currency::EUR).unwrap();
            assert_eq!(rule.check(Minor::new(value), Currency::EUR).is_ok(), accepted, "{value} in {rule:?}");
        }
    }

    #[test]
    fn only_what_limits_a_sale_has_to_be_read() {
        let unreadable = |field| Term::Unreadable { text: "?".to_owned(), problem: SaleProblem::new(field, "?") };
        let (no, ten) = (|| Term::Absent, || Term::Read("10".parse::<Decimal>().unwrap()));
        let list = || Term::Unreadable { text: "?".to_owned(), problem: SaleProblem::new("denominations", "?") };
        for (default_price, min, max, denominations, price_locked, expected) in [
            (unreadable("defaultPrice"), no(), no(), Term::Absent, Term::Absent, Some("defaultPrice: ?.")),
            (unreadable("defaultPrice"), ten(), no(), Term::Absent, Term::Absent, None),
            (unreadable("defaultPrice"), ten(), no(), Term::Absent, Term::Read(true), Some("defaultPrice: ?.")),
            (ten(), unreadable("minPrice"), no(), Term::Absent, Term::Absent, Some("minPrice: ?.")),
            (ten(), unreadable("minPrice"), no(), list(), Term::Read(true), None),
            (no(), ten(), unreadable("maxPrice"), Term::Absent, Term::Absent, Some("maxPrice: ?.")),
            (no(), ten(), no(), list(), Term::Absent, None),
            (ten(), no(), no(), list(), Term::Absent, Some("denominations: ?.")),
        ] {
            let pricing = Pricing { default_price, min, max, denominations, price_locked };
            let problem = pricing.rule(Currency::EUR).err().map(|problem| problem.to_string());
            assert_eq!(problem.as_deref(), expected, "{pricing:?}");
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
            (["-25", "", "", ""], "EUR"),
            (["", "", "-1", ""], "EUR"),
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
            let prices = pricing(json, locked).rule(Currency::EUR).map(|rule| Prices::of(rule, Some(Minor::new(popular))));
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
        fn every_option_can_be_sold_and_every_rule_has_a_price(
            default in prop::option::of(1..60_i64), bounds in prop::array::uniform2(prop::option::of(0..60_i64)),
            denominations in prop::collection::vec(0..60_i64, 0..4), locked: bool, popular in 0..6000_i64,
        ) {
            let decimal = |units: i64| units.to_string().parse::<Decimal>().unwrap();
            let term = |price: Option<i64>| price.map_or(Term::Absent, |units| Term::Read(decimal(units)));
            let [min, max] = bounds.map(term);
            let denominations = Term::Read(denominations.into_iter().map(decimal).collect());
            let pricing = Pricing { default_price: term(default), min, max, denominations, price_locked: Term::Read(locked) };
            let Ok(rule) = pricing.rule(Currency::EUR) else { return Ok(()) };
            let can_be_sold = |value: &Minor| rule.check(*value, Currency::EUR).is_ok();
            let prices = Prices::of(rule.clone(), Some(Minor::new(popular)));
            prop_assert!(prices.options.iter().all(can_be_sold), "{prices:?} of {pricing:?}");
            prop_assert!((1..=6000).map(Minor::new).any(|value| can_be_sold(&value)), "{pricing:?}");
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
