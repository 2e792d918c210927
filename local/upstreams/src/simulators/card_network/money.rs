//! Amounts: decimal text on the wire, integer minor units in the ledger. Conversions never use binary floats.

/// An ISO 4217 currency and its number of decimal places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Currency {
    pub(super) code: String,
    decimals: u32,
}

impl Currency {
    pub(super) fn from_code(code: &str) -> Option<Self> {
        let decimals = iso_currency::Currency::from_code(code)?.exponent()?;
        Some(Self { code: code.to_owned(), decimals: decimals.into() })
    }

    /// Parses a decimal amount into minor units. Returns `None` if `text` is not a number, is negative, or has more
    /// significant decimal places than the currency.
    pub(super) fn minor_units(&self, text: &str) -> Option<u64> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: u64 = digits.parse().ok()?;
        let shift = exponent.checked_add_unsigned(self.decimals)?.checked_sub(fraction.len().try_into().ok()?)?;
        let scale = 10_u64.checked_pow(shift.unsigned_abs())?;
        if shift >= 0 { digits.checked_mul(scale) } else { digits.is_multiple_of(scale).then_some(digits / scale) }
    }

    /// Formats an amount in decimal units, such as `25` or `25.50`.
    pub(super) fn format_decimal(&self, minor_units: u64) -> String {
        let unit = 10_u64.pow(self.decimals);
        match (minor_units / unit, minor_units % unit) {
            (whole, 0) => whole.to_string(),
            (whole, rest) => format!("{whole}.{rest:0width$}", width = self.decimals as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_amounts_exactly_with_the_decimal_places_of_the_currency() {
        for (currency, text, minor_units) in [
            ("EUR", "12.34", Some(1234)),
            ("EUR", "25", Some(2500)),
            ("EUR", "25.5", Some(2550)),
            ("EUR", "25.500", Some(2550)),
            ("EUR", "25.505", None),
            ("EUR", "0.29", Some(29)),
            ("EUR", "90071992547409.93", Some(9_007_199_254_740_993)),
            ("EUR", "1e3", Some(100_000)),
            ("EUR", "1.5E-1", Some(15)),
            ("EUR", "1e99", None),
            ("EUR", "-1", None),
            ("EUR", "+1", None),
            ("EUR", "", None),
            ("EUR", "1.2.3", None),
            ("EUR", "12,34", None),
            ("JPY", "500", Some(500)),
            ("JPY", "500.0", Some(500)),
            ("JPY", "500.5", None),
            ("KWD", "1.234", Some(1234)),
            ("KWD", "1.2345", None),
        ] {
            assert_eq!(Currency::from_code(currency).unwrap().minor_units(text), minor_units, "{currency} {text}");
        }
        assert_eq!(Currency::from_code("unknown"), None);
    }

    #[test]
    fn formats_decimal_places_only_if_the_amount_has_a_fraction() {
        for (currency, minor_units, text) in
            [("EUR", 2500, "25"), ("EUR", 2550, "25.50"), ("EUR", 7, "0.07"), ("JPY", 500, "500"), ("KWD", 1, "0.001")]
        {
            assert_eq!(Currency::from_code(currency).unwrap().format_decimal(minor_units), text);
        }
    }
}
