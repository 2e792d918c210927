//! Amounts: decimal text on the wire, integer minor units in the books. No binary float in between.

/// A currency of ISO 4217 with its number of decimals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Currency {
    pub(super) code: String,
    decimals: u32,
}

impl Currency {
    pub(super) fn named(code: &str) -> Option<Self> {
        let decimals = iso_currency::Currency::from_code(code)?.exponent()?;
        Some(Self { code: code.to_owned(), decimals: decimals.into() })
    }

    /// The minor units that `text` says exactly; None when it is no such number, is negative, or has more decimals
    /// than the currency.
    pub(super) fn minor_units(&self, text: &str) -> Option<u64> {
        let (number, power) = match text.split_once(['e', 'E']) {
            Some((number, power)) => (number, power.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}");
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: u64 = digits.parse().ok()?;
        let shift =
            power.checked_add_unsigned(self.decimals)?.checked_sub(fraction.len().try_into().ok()?)?;
        let scale = 10_u64.checked_pow(shift.unsigned_abs())?;
        if shift >= 0 {
            digits.checked_mul(scale)
        } else {
            digits.is_multiple_of(scale).then_some(digits / scale)
        }
    }

    /// The amount in decimal units: `25`, `25.50`.
    pub(super) fn decimal(&self, minor_units: u64) -> String {
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
    fn amounts_are_exact_in_the_decimals_of_the_currency() {
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
            assert_eq!(
                Currency::named(currency).unwrap().minor_units(text),
                minor_units,
                "{currency} {text}"
            );
        }
        assert_eq!(Currency::named("nothing"), None);
    }

    #[test]
    fn decimals_are_written_only_when_there_are_any() {
        for (currency, minor_units, text) in [
            ("EUR", 2500, "25"),
            ("EUR", 2550, "25.50"),
            ("EUR", 7, "0.07"),
            ("JPY", 500, "500"),
            ("KWD", 1, "0.001"),
        ] {
            assert_eq!(Currency::named(currency).unwrap().decimal(minor_units), text);
        }
    }
}
