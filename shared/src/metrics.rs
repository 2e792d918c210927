//! Metrics, in CloudWatch's embedded format: each is a line on standard output, which CloudWatch reads in the log. So
//! none costs a call, and none waits for a next time that may never come.

use std::io::Write;
use std::sync::Arc;

use http::StatusCode;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::clock::Clock;

/// Clones share everything.
#[derive(Debug, Clone)]
pub struct Metrics {
    namespace: Option<Arc<str>>,
    clock: Clock,
}

/// Every metric there is. Each combination of dimensions is one to pay for: their values are few, and never a
/// merchant.
impl Metrics {
    /// Without a namespace nothing is printed.
    pub fn new(namespace: Option<&str>, clock: Clock) -> Self {
        Self { namespace: namespace.map(Arc::from), clock }
    }

    /// A request was answered, by the route of this method and template.
    pub fn answered(&self, function: &str, route: &str, status: StatusCode, milliseconds: u64) {
        let measures = [
            Measure::milliseconds("Milliseconds", milliseconds),
            Measure::count("ClientErrors", status.is_client_error().into()),
            Measure::count("ServerErrors", status.is_server_error().into()),
        ];
        self.print(&[("Function", function), ("Route", route)], &[&["Function", "Route"]], &measures);
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            self.print(&[], &[&[]], &[Measure::count("InternalErrors", 1)]);
        }
    }

    /// A call to somebody outside ended: `ok`, `refused`, `failed` or `timeout`.
    pub fn called(&self, upstream: &str, result: &str, milliseconds: u64) {
        let measures = [Measure::milliseconds("UpstreamMilliseconds", milliseconds)];
        self.print(&[("Upstream", upstream), ("Result", result)], &[&["Upstream", "Result"]], &measures);
    }

    /// An issue or a redeem `succeeded`, was `refused`, or had to be left `unknown`.
    pub fn moved_money(&self, operation: &str, result: &str) {
        let dimensions = [("Operation", operation), ("Result", result)];
        let measures = [Measure::count("Operations", 1)];
        self.print(&dimensions, &[&["Operation", "Result"], &["Result"]], &measures);
    }

    /// A job failed for the last time.
    pub fn job_died(&self) {
        self.print(&[], &[&[]], &[Measure::count("DeadJobs", 1)]);
    }

    /// A row of a list was unreadable and left out.
    pub fn unreadable_row(&self) {
        self.print(&[], &[&[]], &[Measure::count("UnreadableRows", 1)]);
    }

    /// A sweep came to its end and found so many operations open.
    pub fn swept(&self, open: u64, oldest_open_seconds: u64) {
        let measures = [
            Measure::count("OpenOutcomes", open),
            Measure { name: "OldestOpenSeconds", unit: Unit::Seconds, value: oldest_open_seconds },
        ];
        self.print(&[], &[&[]], &measures);
    }

    fn print(&self, dimensions: Dimensions, by: &[&[&str]], measures: &[Measure]) {
        let Some(mut line) = self.line(dimensions, by, measures) else { return };
        line.push(b'\n');
        // As a whole, so that no other line comes in between. A metric that cannot be printed fails nobody's request.
        let _ = std::io::stdout().lock().write_all(&line);
    }

    fn line(&self, dimensions: Dimensions, by: &[&[&str]], measures: &[Measure]) -> Option<Vec<u8>> {
        let directive = Directive { namespace: self.namespace.as_ref()?, dimensions: by, metrics: measures };
        let timestamp = self.clock.now().as_millisecond();
        let metadata = Metadata { timestamp, cloud_watch_metrics: [directive] };
        serde_json::to_vec(&Line { metadata, dimensions, measures }).ok()
    }
}

type Dimensions<'a> = &'a [(&'static str, &'a str)];

/// One number, and what it is of.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Measure {
    name: &'static str,
    unit: Unit,
    #[serde(skip)]
    value: u64,
}

#[derive(Debug, Clone, Copy, Serialize)]
enum Unit {
    Count,
    Milliseconds,
    Seconds,
}

impl Measure {
    fn count(name: &'static str, value: u64) -> Self {
        Self { name, unit: Unit::Count, value }
    }

    fn milliseconds(name: &'static str, value: u64) -> Self {
        Self { name, unit: Unit::Milliseconds, value }
    }
}

/// What tells CloudWatch which members of a line are metrics.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metadata<'a> {
    timestamp: i64,
    cloud_watch_metrics: [Directive<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Directive<'a> {
    namespace: &'a str,
    /// The combinations by which the metrics are told apart; an empty one for a metric of the whole portal.
    dimensions: &'a [&'a [&'a str]],
    metrics: &'a [Measure],
}

struct Line<'a> {
    metadata: Metadata<'a>,
    dimensions: Dimensions<'a>,
    measures: &'a [Measure],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("_aws", &self.metadata)?;
        for (name, value) in self.dimensions {
            line.serialize_entry(name, value)?;
        }
        for Measure { name, value, .. } in self.measures {
            line.serialize_entry(name, value)?;
        }
        line.end()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn metrics(namespace: Option<&str>) -> Metrics {
        let now = Timestamp::from_millisecond(1_767_225_600_123).unwrap();
        Metrics::new(namespace, Clock::new(move || now))
    }

    #[test]
    fn a_line_names_its_metrics_and_holds_their_values_beside_them() {
        let dimensions = [("Operation", "issue"), ("Result", "succeeded")];
        let measures = [Measure::count("Operations", 1), Measure::milliseconds("Milliseconds", 250)];
        let by: [&[&str]; 2] = [&["Operation", "Result"], &[]];
        let line = metrics(Some("Portal/test")).line(&dimensions, &by, &measures).unwrap();
        let expected = json!({
            "_aws": {
                "Timestamp": 1_767_225_600_123_i64,
                "CloudWatchMetrics": [{
                    "Namespace": "Portal/test",
                    "Dimensions": [["Operation", "Result"], []],
                    "Metrics": [
                        {"Name": "Operations", "Unit": "Count"},
                        {"Name": "Milliseconds", "Unit": "Milliseconds"},
                    ],
                }],
            },
            "Operation": "issue",
            "Result": "succeeded",
            "Operations": 1,
            "Milliseconds": 250,
        });
        assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), expected);
        assert!(!line.contains(&b'\n'), "one line");
    }

    #[test]
    fn without_a_namespace_there_is_nothing_to_print() {
        assert_eq!(metrics(None).line(&[], &[&[]], &[Measure::count("Operations", 1)]), None);
    }
}
