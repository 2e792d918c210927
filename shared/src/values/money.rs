//! Money: integer minor units with the exponent of ISO 4217, and exact decimals.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;
use utoipa::ToSchema;

/// A currency of ISO 4217 that has minor units (gold and the test codes have none).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Currency(iso_currency::Currency);

impl Currency {
    pub const EUR: Self = Self(iso_currency::Currency::EUR);
    pub const USD: Self = Self(iso_currency::Currency::USD);

    /// The number of decimals of the minor unit: JPY 0, EUR 2, KWD 3.
    pub fn exponent(self) -> u32 {
        self.0.exponent().map_or(2, u32::from)
    }

    /// The three-letter code.
    pub fn code(self) -> &'static str {
        self.0.code()
    }

    /// The currency sign if it is unambiguous, otherwise the code.
    pub fn symbol(self) -> &'static str {
        match self.code() {
            "EUR" => "€",
            "GBP" => "£",
            "JPY" => "¥",
            "USD" => "$",
            code => code,
        }
    }

    /// The prefix of amounts.
    fn prefix(self) -> String {
        let symbol = self.symbol();
        if symbol == self.code() { format!("{symbol} ") } else { symbol.to_owned() }
    }
}

/// The text is not a currency code of ISO 4217.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be an ISO 4217 currency code")]
pub struct UnknownCurrency;

/// ISO 4217 does not list the currency any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be a currency that is in use today")]
pub struct PastCurrency;

impl Currency {
    /// The currency, for something new. Those that ISO 4217 does not list today stay where records have them.
    ///
    /// # Errors
    /// Returns an error if another currency has replaced it.
    pub fn require_current(self) -> Result<Self, PastCurrency> {
        // Venezuela has two currencies.
        let is_current = self.0.is_superseded().is_none() || self.code() == "VES";
        if is_current { Ok(self) } else { Err(PastCurrency) }
    }
}

/// Reads a code in any case, with blanks around it: the only reader of codes.
impl FromStr for Currency {
    type Err = UnknownCurrency;

    fn from_str(code: &str) -> Result<Self, UnknownCurrency> {
        let currency = iso_currency::Currency::from_code(&code.trim().to_ascii_uppercase());
        currency.filter(|currency| currency.exponent().is_some()).map(Self).ok_or(UnknownCurrency)
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Currency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Currency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Why a text is not an amount of a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AmountError {
    #[error("must be a decimal number")]
    NotDecimal,
    #[error("has more decimal places than the currency")]
    TooPrecise,
    #[error("is too large")]
    TooLarge,
}

/// An amount in minor units. The currency is stored next to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Minor(i64);

impl Minor {
    pub const ZERO: Self = Self(0);
    /// The maximum amount: 2^53 - 1, the largest integer that every JSON parser represents exactly.
    pub const MAX: Self = Self(9_007_199_254_740_991);

    pub const fn new(units: i64) -> Self {
        Self(units)
    }

    pub const fn get(self) -> i64 {
        self.0
    }

    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// Saturates at `i64::MAX`. For totals in reports.
    pub fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Saturates at `i64::MIN`. For totals in reports.
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// An amount with its currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Money {
    pub minor: Minor,
    pub currency: Currency,
}

impl Money {
    pub const fn new(minor: Minor, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// The amount in currency units, without trailing zeros: 2550 EUR is `25.5`.
    pub fn decimal(self) -> Decimal {
        Decimal::from_parts(self.minor.0 < 0, &self.minor.0.unsigned_abs().to_string(), -i64::from(self.currency.exponent()))
    }

    /// The amount as shown to people, with all decimals of the currency: `€25.50`, `SEK 25.50`, `¥2550`.
    pub fn label(self) -> String {
        format!("{}{}{}", self.sign(), self.currency.prefix(), self.unsigned_units())
    }

    /// The amount in currency units with all decimals of the currency: `25.50`, `-0.05`; JPY `2550`.
    pub fn units(self) -> String {
        format!("{}{}", self.sign(), self.unsigned_units())
    }

    fn sign(self) -> &'static str {
        if self.minor.0 < 0 { "-" } else { "" }
    }

    fn unsigned_units(self) -> String {
        let places = usize::try_from(self.currency.exponent()).unwrap_or_default();
        let digits = format!("{:0>width$}", self.minor.0.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let point = if places > 0 { "." } else { "" };
        format!("{whole}{point}{fraction}")
    }
}

/// An exact decimal number, as clients and the card network write amounts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
    /// The value is `digits × 10^exponent`.
    exponent: i64,
}

/// The maximum number of digits and of decimal places. They bound the memory for input such as `1e999999999`.
const MAX_DIGITS: usize = 40;
const MAX_EXPONENT: u64 = 40;

impl Decimal {
    fn from_parts(negative: bool, digits: &str, exponent: i64) -> Self {
        let significant = digits.trim_end_matches('0');
        let exponent = exponent.saturating_add(i64::try_from(digits.len() - significant.len()).unwrap_or(i64::MAX));
        let significant = significant.trim_start_matches('0');
        if significant.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        Self { negative, digits: significant.to_owned(), exponent }
    }

    /// The value in minor units. An error if it is not exact.
    pub fn minor(&self, currency: Currency) -> Result<Minor, AmountError> {
        let shift = self.exponent.saturating_add(i64::from(currency.exponent()));
        let power = u32::try_from(shift).map_err(|_| AmountError::TooPrecise)?;
        if self.digits.is_empty() {
            return Ok(Minor::ZERO);
        }
        let units: i64 = self.digits.parse().map_err(|_| AmountError::TooLarge)?;
        let units = 10_i64.checked_pow(power).and_then(|ten| units.checked_mul(ten)).ok_or(AmountError::TooLarge)?;
        if units > Minor::MAX.get() {
            return Err(AmountError::TooLarge);
        }
        Ok(Minor(if self.negative { -units } else { units }))
    }

    pub fn is_positive(&self) -> bool {
        !self.negative && !self.digits.is_empty()
    }
}

impl FromStr for Decimal {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let (negative, unsigned) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, power) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, p)| (m, Some(p)));
        let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
        let fraction_digits = fraction.unwrap_or_default();
        let signed_power = power.map(|power| power.strip_prefix(['+', '-']).unwrap_or(power));
        let numerals = [Some(whole), fraction, signed_power];
        if !numerals.into_iter().flatten().all(is_digits) {
            return Err(AmountError::NotDecimal);
        }
        let power: i64 = power.map_or(Ok(0), str::parse).map_err(|_| AmountError::TooLarge)?;
        let exponent = i64::try_from(fraction_digits.len()).ok().and_then(|places| power.checked_sub(places));
        let exponent = exponent.ok_or(AmountError::TooLarge)?;
        let decimal = Self::from_parts(negative, &format!("{whole}{fraction_digits}"), exponent);
        if decimal.digits.len() > MAX_DIGITS || decimal.exponent.unsigned_abs() > MAX_EXPONENT {
            return Err(AmountError::TooLarge);
        }
        Ok(decimal)
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits.is_empty() {
            return f.write_str("0");
        }
        let sign = if self.negative { "-" } else { "" };
        let places = usize::try_from(self.exponent.saturating_neg()).unwrap_or_default();
        if places == 0 {
            let zeros = usize::try_from(self.exponent).unwrap_or_default();
            return write!(f, "{sign}{}{}", self.digits, "0".repeat(zeros));
        }
        let padded = format!("{:0>width$}", self.digits, width = places + 1);
        let (whole, fraction) = padded.split_at(padded.len() - places);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn minor(text: &str, currency: &str) -> Result<i64, AmountError> {
        text.parse::<Decimal>()?.minor(currency.parse().unwrap()).map(Minor::get)
    }

    #[test]
    fn decimals_convert_to_minor_units_exactly_or_are_rejected() {
        use AmountError::{NotDecimal, TooLarge, TooPrecise};
        for (text, currency, expected) in [
            ("12.34", "EUR", Ok(1234)),
            ("25.50", "SEK", Ok(2550)),
            ("25", "EUR", Ok(2500)),
            ("0.01", "EUR", Ok(1)),
            ("0.010", "EUR", Ok(1)),
            ("1e2", "EUR", Ok(10000)),
            ("125e-2", "EUR", Ok(125)),
            ("2500", "JPY", Ok(2500)),
            ("2500.0", "JPY", Ok(2500)),
            ("2500.5", "JPY", Err(TooPrecise)),
            ("1.005", "KWD", Ok(1005)),
            ("1.005", "EUR", Err(TooPrecise)),
            ("0.001", "EUR", Err(TooPrecise)),
            ("-0", "EUR", Ok(0)),
            ("-3.5", "EUR", Ok(-350)),
            ("90071992547409.91", "EUR", Ok(9_007_199_254_740_991)),
            ("90071992547409.92", "EUR", Err(TooLarge)),
            ("123456789012345678901234567890", "EUR", Err(TooLarge)),
            ("1e400", "EUR", Err(TooLarge)),
            ("1e-400", "EUR", Err(TooLarge)),
            ("1e-9223372036854775808", "EUR", Err(TooLarge)),
            ("10e9223372036854775807", "EUR", Err(TooLarge)),
            ("1e99999999999999999999", "EUR", Err(TooLarge)),
            ("", "EUR", Err(NotDecimal)),
            (".", "EUR", Err(NotDecimal)),
            ("1.", "EUR", Err(NotDecimal)),
            (".5", "EUR", Err(NotDecimal)),
            ("+1", "EUR", Err(NotDecimal)),
            ("1,5", "EUR", Err(NotDecimal)),
            ("0x10", "EUR", Err(NotDecimal)),
            ("NaN", "EUR", Err(NotDecimal)),
            ("Infinity", "EUR", Err(NotDecimal)),
            ("1e", "EUR", Err(NotDecimal)),
            ("1e+-2", "EUR", Err(NotDecimal)),
            ("--1", "EUR", Err(NotDecimal)),
            ("١", "EUR", Err(NotDecimal)),
        ] {
            assert_eq!(minor(text, currency), expected, "{text} {currency}");
        }
    }

    #[test]
    fn a_decimal_has_at_most_40_digits() {
        let is_read = |digits: usize, power: usize| format!("{}e{power}", "1".repeat(digits)).parse::<Decimal>().is_ok();
        assert!(is_read(40, 0) && is_read(1, 40));
        assert!(!is_read(41, 0) && !is_read(1, 41));
    }

    #[test]
    fn labels_show_every_decimal_of_the_currency() {
        for (units, currency, label) in [
            (2550, "EUR", "€25.50"),
            (5, "EUR", "€0.05"),
            (0, "USD", "$0.00"),
            (123_456_700, "GBP", "£1234567.00"),
            (2550, "JPY", "¥2550"),
            (0, "JPY", "¥0"),
            (2550, "SEK", "SEK 25.50"),
            (1005, "KWD", "KWD 1.005"),
            (-2550, "EUR", "-€25.50"),
            (i64::MIN, "JPY", "-¥9223372036854775808"),
        ] {
            assert_eq!(Money::new(Minor::new(units), currency.parse().unwrap()).label(), label);
        }
    }

    #[test]
    fn only_currencies_with_minor_units_are_accepted() {
        for code in ["EUR", "eur", " Eur\n"] {
            assert_eq!(code.parse(), Ok(Currency::EUR), "{code}");
        }
        for code in ["XAU", "EURO", "kr", "ZZZ", "ANG", ""] {
            assert!(code.parse::<Currency>().is_err(), "{code}");
        }
    }

    #[test]
    fn currencies_of_the_past_are_known_and_not_current() {
        for (code, is_current) in [("EUR", true), ("VES", true), ("XCG", true), ("HRK", false), ("BGN", false), ("SLL", false)] {
            assert_eq!(code.parse::<Currency>().unwrap().require_current().is_ok(), is_current, "{code}");
        }
    }

    proptest! {
        #[test]
        fn amounts_survive_a_round_trip_to_the_card_network(
            units in 0..=Minor::MAX.get(),
            code in prop::sample::select(vec!["EUR", "JPY", "KWD", "CLF"]),
        ) {
            let currency: Currency = code.parse().unwrap();
            let json = serde_json::to_string(&Money::new(Minor::new(units), currency).decimal()).unwrap();
            let back: Decimal = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(back.minor(currency), Ok(Minor::new(units)));
        }

        #[test]
        fn parsing_never_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<Decimal>();
        }
    }
}
