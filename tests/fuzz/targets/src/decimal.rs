//! Decimals, compared with a reading that moves the point in the text.

use serde_json::value::RawValue;
use shared::values::{AmountError, Currency, Decimal, Minor, Money};

const MAX_DIGITS: usize = 40;

pub fn decimal(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let read: Result<Decimal, AmountError> = text.parse();
    match (Plain::read(text), &read) {
        (None, Err(AmountError::NotDecimal)) | (Some(Reading::TooLarge), Err(AmountError::TooLarge)) => {}
        (Some(Reading::Plain(plain)), Ok(decimal)) => {
            assert_eq!(decimal.to_string(), plain.to_string());
            assert_eq!(decimal.is_positive(), !plain.is_negative && !plain.is_zero());
            for code in ["JPY", "EUR", "KWD", "CLF"] {
                let currency: Currency = code.parse().unwrap();
                let minor = decimal.minor(currency);
                assert_eq!(minor.map(Minor::get), plain.minor(currency.exponent()), "{text} {code}");
                if let Ok(minor) = minor {
                    let money = Money::new(minor, currency);
                    assert_eq!(money.decimal(), *decimal);
                    assert_eq!(money.units().parse::<Decimal>().as_ref(), Ok(decimal));
                }
            }
            assert_eq!(decimal.to_string().parse().as_ref(), Ok(decimal));
            assert_eq!(serde_json::to_string(decimal).unwrap(), decimal.to_string());
        }
        (expected, read) => panic!("{text}: {expected:?}, not {read:?}"),
    }
    // A JSON number is read as its text, and so is a JSON string, without the blanks around it.
    if let Ok(raw) = serde_json::from_str::<&RawValue>(text)
        && raw.get().starts_with(|first: char| first == '-' || first.is_ascii_digit())
    {
        assert_eq!(Decimal::from_json(raw), raw.get().parse());
    }
    let quoted = serde_json::value::to_raw_value(&format!(" {text}\t")).unwrap();
    assert_eq!(Decimal::from_json(&quoted), text.trim().parse());
}

#[derive(Debug)]
enum Reading {
    TooLarge,
    Plain(Plain),
}

/// Digits before and after the point, without zeros at the ends.
#[derive(Debug)]
struct Plain {
    is_negative: bool,
    whole: String,
    fraction: String,
}

impl Plain {
    /// `None` for a text that is not a decimal.
    fn read(text: &str) -> Option<Reading> {
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let mut parts = unsigned.splitn(2, ['e', 'E']);
        let mantissa = parts.next()?;
        let power = parts.next();
        let mut halves = mantissa.splitn(2, '.');
        let whole = halves.next()?;
        let fraction = halves.next();
        let is_number = |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        let magnitude = power.map(|power| power.trim_start_matches(['+', '-']));
        let has_one_sign = power.zip(magnitude).is_none_or(|(power, magnitude)| power.len() - magnitude.len() <= 1);
        if !is_number(whole) || !fraction.is_none_or(is_number) || !magnitude.is_none_or(is_number) || !has_one_sign {
            return None;
        }
        // A power beyond this one is beyond any bound, zero or not.
        let power: i64 = match power.unwrap_or("0").parse() {
            Ok(power) => power,
            Err(_) => return Some(Reading::TooLarge),
        };
        let fraction = fraction.unwrap_or_default();
        let digits = format!("{whole}{fraction}");
        if digits.bytes().all(|digit| digit == b'0') {
            return Some(match power.checked_sub(fraction.len().try_into().unwrap()) {
                Some(_) => Reading::Plain(Self { is_negative: false, whole: String::new(), fraction: String::new() }),
                None => Reading::TooLarge,
            });
        }
        let leading = digits.bytes().take_while(|digit| *digit == b'0').count();
        let trailing = digits.bytes().rev().take_while(|digit| *digit == b'0').count();
        let significant = &digits[leading..digits.len() - trailing];
        // The place of the last significant digit.
        let last = i128::from(power) - fraction.len() as i128 + trailing as i128;
        if significant.len() > MAX_DIGITS || last.unsigned_abs() > MAX_DIGITS as u128 {
            return Some(Reading::TooLarge);
        }
        let zeros = "0".repeat(2 * MAX_DIGITS);
        let padded = format!("{zeros}{significant}{zeros}");
        let point = (padded.len() - zeros.len()) as i128 + last;
        let (whole, fraction) = padded.split_at(usize::try_from(point).unwrap());
        let (whole, fraction) = (whole.trim_start_matches('0').to_owned(), fraction.trim_end_matches('0').to_owned());
        Some(Reading::Plain(Self { is_negative, whole, fraction }))
    }

    fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    fn minor(&self, exponent: u32) -> Result<i64, AmountError> {
        let exponent = exponent as usize;
        if self.fraction.len() > exponent {
            return Err(AmountError::TooPrecise);
        }
        let units: u128 = format!("0{}{:0<exponent$}", self.whole, self.fraction).parse().unwrap_or(u128::MAX);
        let units = i64::try_from(units).ok().filter(|units| *units < 1 << 53).ok_or(AmountError::TooLarge)?;
        Ok(if self.is_negative { -units } else { units })
    }
}

impl std::fmt::Display for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { &self.whole };
        let point = if self.fraction.is_empty() { "" } else { "." };
        write!(f, "{sign}{whole}{point}{}", self.fraction)
    }
}
