//! What is measured, and the results.

use std::time::Duration;

use crate::till::TillCost;

/// Bounds are set for kinds of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Orders,
    FilteredOrders,
    Search,
    Settlements,
    /// The page of a list whose rows are closest to each other in time.
    Busiest,
    Summary,
    /// Analytics of 90 days, compared with the 90 days before.
    Report,
    /// One row or a few, whatever the number of orders.
    Lookup,
}

impl Kind {
    pub(crate) const ALL: [Self; 8] = [
        Self::Orders,
        Self::FilteredOrders,
        Self::Search,
        Self::Settlements,
        Self::Busiest,
        Self::Summary,
        Self::Report,
        Self::Lookup,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Orders => "page of orders",
            Self::FilteredOrders => "page of orders with a status",
            Self::Search => "search",
            Self::Settlements => "page of settlements",
            Self::Busiest => "page of the busiest minutes of the year",
            Self::Summary => "settlement summary",
            Self::Report => "report on 90 days and the 90 before",
            Self::Lookup => "single record",
        }
    }
}

/// Where a page lies in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    First,
    Middle,
    Last,
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) kind: Kind,
    /// What is listed or reported.
    pub(crate) subject: String,
    /// `None` if the subject has no pages.
    pub(crate) place: Option<Place>,
    pub(crate) path: String,
}

impl Case {
    pub(crate) fn new(kind: Kind, subject: &str, path: String) -> Self {
        Self { kind, subject: subject.to_owned(), place: None, path }
    }

    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    pub(crate) fn name(&self) -> String {
        let place = match self.place {
            None => return self.subject.clone(),
            Some(Place::First) => "first",
            Some(Place::Middle) => "middle",
            Some(Place::Last) => "last",
        };
        format!("{}, {place} page", self.subject)
    }

    /// The function that serves the path, by which its usage is counted.
    pub(crate) fn function(&self) -> &'static str {
        let functions = [
            ("/api/bff/merchant-orders", "orders"),
            ("/api/bff/settlements", "settlements"),
            ("/api/bff/analytics", "analytics"),
        ];
        let function = functions.iter().find(|(path, _)| self.path.starts_with(path));
        function.map_or("merchant", |(_, function)| function)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Cost {
    /// The units and calls are then those until the request was given up, and so is the time.
    pub(crate) is_given_up: bool,
    pub(crate) read_units: f64,
    pub(crate) dynamodb_calls: u64,
    pub(crate) s3_requests: u64,
    /// Ascending, not empty.
    pub(crate) times: Vec<Duration>,
}

impl Cost {
    pub(crate) fn median(&self) -> Duration {
        quantile(&self.times, 50)
    }

    pub(crate) fn p99(&self) -> Duration {
        quantile(&self.times, 99)
    }
}

/// Returns the smallest of the ascending values that is not exceeded by this percentage of the values.
fn quantile(values: &[Duration], percent: usize) -> Duration {
    let rank = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(rank).copied().unwrap_or_default()
}

#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) case: Case,
    pub(crate) cost: Cost,
    /// The longest sequence of calls of which each began after the one before had ended. `None` if it was not measured.
    pub(crate) sequential_calls: Option<u64>,
}

/// The results of a merchant with this many orders.
#[derive(Debug)]
pub(crate) struct SizeResult {
    pub(crate) orders: u32,
    pub(crate) measured: Vec<Measured>,
    pub(crate) till: TillCost,
}

impl SizeResult {
    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Measured> {
        self.measured.iter().filter(move |measured| measured.case.kind == kind)
    }

    /// The read units of the most expensive request of a kind. `None` if a request was given up, or if there is none.
    pub(crate) fn read_units(&self, kind: Kind) -> Option<f64> {
        let costs = self.of_kind(kind).map(|measured| &measured.cost);
        let units: Option<Vec<f64>> = costs.map(|cost| (!cost.is_given_up).then_some(cost.read_units)).collect();
        units?.into_iter().reduce(f64::max)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::till::MovementCost;

    pub(crate) fn cost(read_units: f64) -> Cost {
        let times = vec![Duration::from_millis(5)];
        Cost { is_given_up: false, read_units, dynamodb_calls: 3, s3_requests: 0, times }
    }

    pub(crate) fn measured(kind: Kind, place: Place, read_units: f64) -> Measured {
        let case = Case::new(kind, "list", "/api/bff/merchant-orders".to_owned()).at(place);
        Measured { case, cost: cost(read_units), sequential_calls: Some(2) }
    }

    pub(crate) fn size_result(orders: u32, measured: Vec<Measured>) -> SizeResult {
        let till = TillCost {
            sale: MovementCost { written_in_all: 20.0, ..MovementCost::default() },
            redemption: MovementCost { written_in_all: 30.0, ..MovementCost::default() },
        };
        SizeResult { orders, measured, till }
    }

    #[test]
    fn the_most_expensive_request_counts_unless_one_was_given_up() {
        let first = measured(Kind::Orders, Place::First, 7.5);
        let mut result = size_result(10, vec![first, measured(Kind::Orders, Place::Last, 12.0)]);
        assert_eq!(result.read_units(Kind::Orders), Some(12.0));
        assert_eq!(result.read_units(Kind::Search), None);
        result.measured[1].cost.is_given_up = true;
        assert_eq!(result.read_units(Kind::Orders), None);
    }

    #[test]
    fn quantiles_are_measured_times() {
        let times: Vec<Duration> = (1..=30).map(Duration::from_millis).collect();
        assert_eq!(quantile(&times, 50), Duration::from_millis(15));
        assert_eq!(quantile(&times, 99), Duration::from_millis(30));
        assert_eq!(quantile(&[Duration::from_millis(7)], 50), Duration::from_millis(7));
    }
}
