//! Key performance indicators with their change from the preceding period.

use serde::{Serialize, Serializer};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::values::Minor;

/// A number with one decimal place, serialized without a trailing zero: `12.5`, `100`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tenths(i64);

impl Tenths {
    pub const ZERO: Self = Self(0);
    const HUNDRED: Self = Self(1000);

    /// Returns `100 × part / whole`, rounded half away from zero. `whole` must not be 0.
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
        #[expect(clippy::cast_precision_loss, reason = "percentages beyond 2^53 need no decimal place")]
        serializer.serialize_f64(self.0 as f64 / 10.0)
    }
}

/// Returns `part` as a percentage of `whole`, or `None` if `whole` is 0.
pub fn percentage(part: u64, whole: u64) -> Option<Tenths> {
    (whole > 0).then(|| Tenths::percent(part.into(), whole.into()))
}

/// A value that a [`Kpi`] can compare between periods.
pub trait KpiValue: Copy {
    fn to_i128(self) -> i128;
}

impl KpiValue for u64 {
    fn to_i128(self) -> i128 {
        self.into()
    }
}

impl KpiValue for Minor {
    fn to_i128(self) -> i128 {
        self.get().into()
    }
}

/// A missing average compares as 0.
impl KpiValue for Option<Minor> {
    fn to_i128(self) -> i128 {
        self.map_or(0, KpiValue::to_i128)
    }
}

/// A value and its change from the preceding period, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Kpi<T> {
    #[schema(schema_with = value_schema::<T>)]
    value: T,
    /// The change from the preceding period in percent: 100 if the preceding value is 0 and this one is not; 0 if both
    /// are 0.
    change_pct: Tenths,
}

/// The schema of `T`, with the description of the field: `utoipa` drops the doc comment of a field of a generic type.
fn value_schema<T: PartialSchema>() -> RefOr<Schema> {
    let text = "The value of the period. An amount is in minor units of the report's currency.";
    let mut schema = T::schema();
    match &mut schema {
        RefOr::T(Schema::Object(object)) => object.description = Some(text.to_owned()),
        RefOr::T(Schema::OneOf(nullable)) => {
            nullable.description = Some(format!("{text} Null if there is nothing to average."));
        }
        _ => {}
    }
    schema
}

impl<T: KpiValue> Kpi<T> {
    pub fn new(value: T, preceding: T) -> Self {
        Self { change_pct: percent_change(value.to_i128(), preceding.to_i128()), value }
    }
}

fn percent_change(value: i128, preceding: i128) -> Tenths {
    match (value, preceding) {
        (0, 0) => Tenths::ZERO,
        (1.., 0) => Tenths::HUNDRED,
        (..0, 0) => Tenths(-Tenths::HUNDRED.0),
        // Divides by the absolute value, so that an increase is positive even from a negative value.
        _ => Tenths::percent(value - preceding, preceding.abs()),
    }
}

/// A percentage and its change from the preceding period, in percentage points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PercentageKpi {
    /// The percentage of the period. Null if there is nothing to compute it from.
    value_pct: Option<Tenths>,
    /// The change from the preceding period in percentage points: the difference of the two rounded percentages; 0 if
    /// one of them is null.
    change_pp: Tenths,
}

impl PercentageKpi {
    pub fn new(value: Option<Tenths>, preceding: Option<Tenths>) -> Self {
        let change = value.zip(preceding).map(|(value, preceding)| Tenths(value.0.saturating_sub(preceding.0)));
        Self { value_pct: value, change_pp: change.unwrap_or_default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_change_is_relative_to_the_preceding_value() {
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
            assert_eq!(json!(percent_change(value, preceding)), expected, "{value} after {preceding}");
        }
    }

    #[test]
    fn a_missing_average_is_null_and_compares_as_0() {
        let kpi = |value: Option<i64>, preceding: Option<i64>| json!(Kpi::new(value.map(Minor::new), preceding.map(Minor::new)));
        assert_eq!(kpi(None, None), json!({"value": null, "changePct": 0}));
        assert_eq!(kpi(Some(250), None), json!({"value": 250, "changePct": 100}));
        assert_eq!(kpi(None, Some(250)), json!({"value": null, "changePct": -100}));
    }

    #[test]
    fn percentage_points_are_the_difference_of_rounded_percentages() {
        let kpi = |(part, whole), (preceding_part, preceding_whole)| {
            json!(PercentageKpi::new(percentage(part, whole), percentage(preceding_part, preceding_whole)))
        };
        assert_eq!(kpi((1, 3), (2, 3)), json!({"valuePct": 33.3, "changePp": -33.4}));
        assert_eq!(kpi((1, 2), (1, 3)), json!({"valuePct": 50, "changePp": 16.7}));
        assert_eq!(kpi((3, 2), (0, 2)), json!({"valuePct": 150, "changePp": 150}));
        assert_eq!(kpi((1, 0), (1, 2)), json!({"valuePct": null, "changePp": 0}));
        assert_eq!(kpi((1, 2), (0, 0)), json!({"valuePct": 50, "changePp": 0}));
    }

    proptest! {
        #[test]
        fn a_change_has_the_sign_of_the_difference(value: i64, preceding: i64) {
            let change = percent_change(value.into(), preceding.into());
            match value.cmp(&preceding) {
                std::cmp::Ordering::Greater => prop_assert!(change >= Tenths::ZERO),
                std::cmp::Ordering::Equal => prop_assert_eq!(change, Tenths::ZERO),
                std::cmp::Ordering::Less => prop_assert!(change <= Tenths::ZERO),
            }
        }

        #[test]
        fn a_percentage_of_the_whole_is_between_0_and_100(part in 0..=1_000_000_u64, rest in 1..=1_000_000_u64) {
            let percentage = percentage(part, part + rest).unwrap();
            prop_assert!((Tenths::ZERO..=Tenths::HUNDRED).contains(&percentage));
        }
    }
}
