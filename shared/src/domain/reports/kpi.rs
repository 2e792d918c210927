//! Figures beside those of the preceding period.

use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::domain::money::Minor;

/// A number with one decimal, which it shows only where it has one: `12.5`, `100`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenths(i64);

impl Tenths {
    pub const ZERO: Self = Self(0);
    const HUNDRED: Self = Self(1000);

    /// `100 × part / whole`, rounded half away from zero. `whole` is not 0.
    fn percent(part: i128, whole: i128) -> Self {
        let (part, whole, positive) = (part.abs(), whole.abs(), part.signum() == whole.signum());
        let rounded = part.saturating_mul(2000).saturating_add(whole).checked_div(whole.saturating_mul(2));
        let tenths = rounded.and_then(|tenths| i64::try_from(tenths).ok()).unwrap_or(i64::MAX);
        Self(if positive { tenths } else { -tenths })
    }
}

impl Serialize for Tenths {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 10 == 0 {
            return serializer.serialize_i64(self.0 / 10);
        }
        #[expect(clippy::cast_precision_loss, reason = "a percentage that large has no use for its decimal")]
        serializer.serialize_f64(self.0 as f64 / 10.0)
    }
}

/// What percentage `part` is of `whole`; none of nothing.
pub fn percentage(part: u64, whole: u64) -> Option<Tenths> {
    (whole > 0).then(|| Tenths::percent(part.into(), whole.into()))
}

/// A figure that can be compared.
pub trait Figure: Copy {
    fn number(self) -> i128;
}

impl Figure for u64 {
    fn number(self) -> i128 {
        self.into()
    }
}

impl Figure for Minor {
    fn number(self) -> i128 {
        self.get().into()
    }
}

/// An average of nothing compares as 0.
impl Figure for Option<Minor> {
    fn number(self) -> i128 {
        self.map_or(0, Figure::number)
    }
}

/// A figure, and by how much percent it differs from that of the preceding period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Kpi<T> {
    value: T,
    /// 100 where there was nothing before, 0 where there is nothing now either.
    change_pct: Tenths,
}

impl<T: Figure> Kpi<T> {
    pub fn new(value: T, preceding: T) -> Self {
        Self { change_pct: change(value.number(), preceding.number()), value }
    }
}

fn change(value: i128, preceding: i128) -> Tenths {
    match (value, preceding) {
        (0, 0) => Tenths::ZERO,
        (1.., 0) => Tenths::HUNDRED,
        (..0, 0) => Tenths(-Tenths::HUNDRED.0),
        // Against what there was, whatever its sign: more is always a rise.
        _ => Tenths::percent(value - preceding, preceding.abs()),
    }
}

/// A percentage, and by how many percentage points it differs from that of the preceding period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PercentageKpi {
    value_pct: Option<Tenths>,
    /// Between the two as they are shown; 0 where one of them is missing.
    change_pp: Tenths,
}

impl PercentageKpi {
    pub fn new(value: Option<Tenths>, preceding: Option<Tenths>) -> Self {
        let change =
            value.zip(preceding).map(|(value, preceding)| Tenths(value.0.saturating_sub(preceding.0)));
        Self { value_pct: value, change_pp: change.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_change_is_a_percentage_of_what_was_before() {
        for (value, preceding, expected) in [
            (0, 0, json!(0)),
            (5, 0, json!(100)),
            (-5, 0, json!(-100)),
            (0, 5, json!(-100)),
            (5, 5, json!(0)),
            (9, 8, json!(12.5)),
            (7, 8, json!(-12.5)),
            (4, 3, json!(33.3)),
            (5, 3, json!(66.7)),
            (20_001, 20_000, json!(0)),
            (2001, 2000, json!(0.1)),
            (1999, 2000, json!(-0.1)),
            (300, 1, json!(29900)),
            (5, -10, json!(150)),
            (-20, -10, json!(-100)),
        ] {
            assert_eq!(json!(change(value, preceding)), expected, "{value} after {preceding}");
        }
    }

    #[test]
    fn an_average_of_nothing_is_null_and_compares_as_0() {
        let kpi = |value: Option<i64>, preceding: Option<i64>| {
            json!(Kpi::new(value.map(Minor::new), preceding.map(Minor::new)))
        };
        assert_eq!(kpi(None, None), json!({"value": null, "changePct": 0}));
        assert_eq!(kpi(Some(250), None), json!({"value": 250, "changePct": 100}));
        assert_eq!(kpi(None, Some(250)), json!({"value": null, "changePct": -100}));
    }

    #[test]
    fn percentages_differ_by_what_is_shown() {
        let kpi = |(part, whole), (part_before, whole_before)| {
            json!(PercentageKpi::new(percentage(part, whole), percentage(part_before, whole_before)))
        };
        assert_eq!(kpi((1, 3), (2, 3)), json!({"valuePct": 33.3, "changePp": -33.4}));
        assert_eq!(kpi((1, 2), (1, 3)), json!({"valuePct": 50, "changePp": 16.7}));
        assert_eq!(kpi((3, 2), (0, 2)), json!({"valuePct": 150, "changePp": 150}));
        assert_eq!(kpi((1, 0), (1, 2)), json!({"valuePct": null, "changePp": 0}));
        assert_eq!(kpi((1, 2), (0, 0)), json!({"valuePct": 50, "changePp": 0}));
    }

    proptest! {
        #[test]
        fn a_change_has_the_sign_of_the_difference_and_survives_any_figure(value: i64, preceding: i64) {
            let changed = change(value.into(), preceding.into());
            match value.cmp(&preceding) {
                std::cmp::Ordering::Greater => prop_assert!(changed >= Tenths::ZERO),
                std::cmp::Ordering::Equal => prop_assert_eq!(changed, Tenths::ZERO),
                std::cmp::Ordering::Less => prop_assert!(changed <= Tenths::ZERO),
            }
        }

        #[test]
        fn a_share_lies_between_0_and_100(part in 0..=1_000_000_u64, rest in 1..=1_000_000_u64) {
            let share = percentage(part, part + rest).unwrap();
            prop_assert!((Tenths::ZERO..=Tenths::HUNDRED).contains(&share));
        }
    }
}
