//! Metrics in the CloudWatch embedded metric format: each is a line on standard output that CloudWatch extracts from
//! the log. This needs no API call, and nothing is buffered that a frozen execution environment could lose.

use std::io::Write;
use std::sync::Arc;

use http::StatusCode;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::base::clock::Clock;

/// Writes metrics of one namespace.
#[derive(Debug, Clone)]
pub struct Metrics {
    namespace: Option<Arc<str>>,
    with_routes: bool,
    version: Option<Arc<str>>,
    clock: Clock,
}

/// Every metric of the portal. CloudWatch bills each combination of dimension values, so dimensions have few values and
/// never include a merchant.
impl Metrics {
    /// Without a namespace, nothing is written.
    pub fn new(namespace: Option<&str>, clock: Clock) -> Self {
        Self { namespace: namespace.map(Arc::from), with_routes: true, version: None, clock }
    }

    /// Sets whether there are metrics of each route.
    #[must_use]
    pub fn with_routes(self, with_routes: bool) -> Self {
        Self { with_routes, ..self }
    }

    /// Sets the version of the function, so that failures of a new one can be told from those of the former one.
    #[must_use]
    pub fn of_version(self, version: Option<&str>) -> Self {
        Self { version: version.map(Arc::from), ..self }
    }

    /// Records a request. `route` is the method and the path template.
    pub fn record_request(&self, function: &str, route: &str, status: StatusCode, milliseconds: u64) {
        if self.with_routes {
            let metrics = [
                Metric::milliseconds("Milliseconds", milliseconds),
                Metric::count("ClientErrors", status.is_client_error().into()),
                Metric::count("ServerErrors", status.is_server_error().into()),
            ];
            self.print(&[("Function", function), ("Route", route)], &[&["Function", "Route"]], &metrics);
        }
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            let metrics = [Metric::count("InternalErrors", 1)];
            match &self.version {
                Some(version) => {
                    self.print(&[("Function", function), ("Version", version)], &[&[], &["Function", "Version"]], &metrics);
                }
                None => self.print(&[], &[&[]], &metrics),
            }
        }
    }

    /// Records a call to an upstream. `result` is `ok`, `refused`, `failed` or `timeout`.
    pub fn record_upstream_call(&self, upstream: &str, result: &str, milliseconds: u64) {
        let metrics = [Metric::milliseconds("UpstreamMilliseconds", milliseconds)];
        self.print(&[("Upstream", upstream), ("Result", result)], &[&["Upstream", "Result"]], &metrics);
    }

    /// Records the outcome of an issue or a redeem. `result` is `succeeded`, `refused` or `unknown`.
    pub fn record_operation(&self, operation: &str, result: &str) {
        let dimensions = [("Operation", operation), ("Result", result)];
        let metrics = [Metric::count("Operations", 1)];
        self.print(&dimensions, &[&["Operation", "Result"], &["Result"]], &metrics);
    }

    /// Records a redemption whose reply from the card network names something else than was asked for.
    pub fn record_disagreeing_reply(&self) {
        self.print(&[], &[&[]], &[Metric::count("DisagreeingReplies", 1)]);
    }

    /// Records a card holder who was refused because too many codes of cards were tried at the merchant.
    pub fn record_stopped_balance(&self) {
        self.print(&[], &[&[]], &[Metric::count("StoppedBalances", 1)]);
    }

    /// Records a settlement that was in a payout when its card turned out to be one that the merchant sold at its own till.
    pub fn record_late_own_sale(&self) {
        self.print(&[], &[&[]], &[Metric::count("LateOwnSales", 1)]);
    }

    /// Records a sale or redemption that was refused because a restore may have lost an earlier attempt at it.
    pub fn record_refusal_after_restore(&self) {
        self.print(&[], &[&[]], &[Metric::count("RefusedAfterRestore", 1)]);
    }

    /// Records a decision of the identity verifier that is dated in the future, and was ignored.
    pub fn record_future_decision(&self) {
        self.print(&[], &[&[]], &[Metric::count("FutureDecisions", 1)]);
    }

    /// Records a job that failed its last attempt.
    pub fn record_dead_job(&self) {
        self.print(&[], &[&[]], &[Metric::count("DeadJobs", 1)]);
    }

    /// Records a webhook endpoint that was disabled because of its answers.
    pub fn record_disabled_webhook(&self) {
        self.print(&[], &[&[]], &[Metric::count("DisabledWebhooks", 1)]);
    }

    /// Records how long the longest due delivery of a webhook has waited for a worker.
    pub fn record_webhooks(&self, oldest_due_seconds: u64) {
        let metrics = [Metric { name: "WebhookDelaySeconds", unit: Unit::Seconds, value: oldest_due_seconds }];
        self.print(&[], &[&[]], &metrics);
    }

    /// Records a row that was left out of a list because it is unreadable.
    pub fn record_unreadable_row(&self) {
        self.print(&[], &[&[]], &[Metric::count("UnreadableRows", 1)]);
    }

    /// Records that rows were changed or deleted which are only ever created.
    pub fn record_changed_trails(&self, rows: u64) {
        self.print(&[], &[&[]], &[Metric::count("ChangedTrails", rows)]);
    }

    /// Records how old the heartbeat was when a reader of the table's stream received it.
    pub fn record_heartbeat(&self, reader: &str, age_seconds: u64) {
        let metrics = [Metric { name: "HeartbeatSeconds", unit: Unit::Seconds, value: age_seconds }];
        self.print(&[("Reader", reader)], &[&["Reader"]], &metrics);
    }

    /// Records whether the canary could sell and redeem.
    pub fn record_canary(&self, failed: bool) {
        self.print(&[], &[&[]], &[Metric::count("CanaryFailures", failed.into())]);
    }

    /// Records that search segments could not be written.
    pub fn record_failed_renewal(&self) {
        self.print(&[], &[&[]], &[Metric::count("FailedRenewals", 1)]);
    }

    /// Records the number and the age of the operations that are open after a sweep.
    pub fn record_sweep(&self, open: u64, oldest_open_seconds: u64) {
        let metrics = [
            Metric::count("OpenOutcomes", open),
            Metric { name: "OldestOpenSeconds", unit: Unit::Seconds, value: oldest_open_seconds },
        ];
        self.print(&[], &[&[]], &metrics);
    }

    fn print(&self, dimensions: Dimensions, dimension_sets: &[&[&str]], metrics: &[Metric]) {
        let Some(mut line) = self.line(dimensions, dimension_sets, metrics) else { return };
        line.push(b'\n');
        // One write per line, so that lines do not interleave. A metric that cannot be written must not fail a request.
        let _ = std::io::stdout().lock().write_all(&line);
    }

    fn line(&self, dimensions: Dimensions, dimension_sets: &[&[&str]], metrics: &[Metric]) -> Option<Vec<u8>> {
        let namespace = self.namespace.as_ref()?;
        let directive = Directive { namespace, dimensions: dimension_sets, metrics };
        let timestamp = self.clock.now().as_millisecond();
        let metadata = Metadata { timestamp, cloud_watch_metrics: [directive] };
        serde_json::to_vec(&Line { metadata, dimensions, metrics }).ok()
    }
}

type Dimensions<'a> = &'a [(&'static str, &'a str)];

/// A metric value with its name and unit.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Metric {
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

impl Metric {
    fn count(name: &'static str, value: u64) -> Self {
        Self { name, unit: Unit::Count, value }
    }

    fn milliseconds(name: &'static str, value: u64) -> Self {
        Self { name, unit: Unit::Milliseconds, value }
    }
}

/// The `_aws` member: tells CloudWatch which members of the line are metrics.
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
    /// Dimension sets; an empty set yields a metric without dimensions.
    dimensions: &'a [&'a [&'a str]],
    metrics: &'a [Metric],
}

struct Line<'a> {
    metadata: Metadata<'a>,
    dimensions: Dimensions<'a>,
    metrics: &'a [Metric],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("_aws", &self.metadata)?;
        for (name, value) in self.dimensions {
            line.serialize_entry(name, value)?;
        }
        for Metric { name, value, .. } in self.metrics {
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

    fn recorder(namespace: Option<&str>) -> Metrics {
        let now = Timestamp::from_millisecond(1_767_225_600_123).unwrap();
        Metrics::new(namespace, Clock::new(move || now))
    }

    #[test]
    fn writes_metric_directives_with_dimensions_and_values() {
        let dimensions = [("Operation", "issue"), ("Result", "succeeded")];
        let metrics = [Metric::count("Operations", 1), Metric::milliseconds("Milliseconds", 250)];
        let dimension_sets: [&[&str]; 2] = [&["Operation", "Result"], &[]];
        let line = recorder(Some("Portal/test")).line(&dimensions, &dimension_sets, &metrics).unwrap();
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
        assert!(!line.contains(&b'\n'), "a metric is a single line");
    }

    #[test]
    fn writes_nothing_without_a_namespace() {
        assert_eq!(recorder(None).line(&[], &[&[]], &[Metric::count("Operations", 1)]), None);
    }
}
