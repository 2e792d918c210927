//! Metric filters, alarms and dashboard of the template against the log messages and metrics in the code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use world::workspace_root;

use crate::template::{Template, document};

/// The metrics namespace of the portal.
const PORTAL_NAMESPACE: &str = "Portal/${AWS::StackName}";

/// Returns all source code that runs on AWS.
pub(crate) fn sources() -> String {
    let folders = ["functions", "shared/src"].map(|folder| workspace_root().join(folder));
    let files = folders.iter().flat_map(|folder| rust_files(folder));
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).collect()
}

pub(crate) fn assert_has_literal(sources: &str, text: &str) {
    assert!(sources.contains(&format!("\"{text}\"")), "the code has no literal {text:?}");
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}"))
}

/// Returns the metrics that CloudWatch extracts from log lines.
fn filter_metrics(template: &Template) -> BTreeSet<&str> {
    let filters = template.resources_of_type("AWS::Logs::MetricFilter");
    filters
        .flat_map(|filter| list(&filter["MetricTransformations"]))
        .map(|transformation| text(&transformation["MetricName"]))
        .collect()
}

#[test]
fn the_code_logs_every_line_that_a_metric_filter_counts() {
    let (template, sources) = (Template::read(), sources());
    let filters = template.resources_of_type("AWS::Logs::MetricFilter");
    for filter in filters.filter(|filter| filter["LogGroupName"] == "${Logs}") {
        // Every second part of a pattern is in quotes.
        let literals: Vec<&str> = text(&filter["FilterPattern"]).split('"').skip(1).step_by(2).collect();
        assert!(!literals.is_empty(), "{filter}");
        for literal in literals {
            assert_has_literal(&sources, literal);
        }
    }
}

/// A pattern such as `{ $.status = "5*" }` names members of the line.
#[test]
fn the_access_log_has_what_its_metric_filters_read() {
    let template = Template::read();
    let format = text(&template.globals("HttpApi")["AccessLogSettings"]["Format"]);
    let filters = template.resources_of_type("AWS::Logs::MetricFilter");
    let patterns =
        filters.filter(|filter| filter["LogGroupName"] == "${AccessLogs}").map(|filter| text(&filter["FilterPattern"]));
    let members: BTreeSet<&str> =
        patterns.flat_map(|pattern| pattern.split("$.").skip(1)).map(|rest| rest.split(' ').next().unwrap()).collect();
    assert_eq!(members, ["functionRequestId", "route", "status"].into());
    for member in members {
        assert!(format.contains(&format!("\"{member}\": \"$context.")), "{member} in {format}");
    }
}

#[test]
fn every_alarm_watches_an_existing_metric() {
    let (template, sources) = (Template::read(), sources());
    let filter_metrics = filter_metrics(&template);
    let alarms = template.resources_of_type("AWS::CloudWatch::Alarm");
    for alarm in alarms.filter(|alarm| alarm["Namespace"] == PORTAL_NAMESPACE) {
        let metric = text(&alarm["MetricName"]);
        if !filter_metrics.contains(metric) {
            assert_has_literal(&sources, metric);
        }
        assert_has_dimensions(&sources, alarm);
    }
}

#[test]
fn every_alarm_on_several_metrics_watches_existing_ones() {
    let (template, sources) = (Template::read(), sources());
    let alarms = template.resources_of_type("AWS::CloudWatch::Alarm");
    let metrics = alarms.flat_map(|alarm| list(&alarm["Metrics"])).map(|metric| &metric["MetricStat"]["Metric"]);
    let metrics: Vec<&Value> = metrics.filter(|metric| metric["Namespace"] == PORTAL_NAMESPACE).collect();
    assert!(!metrics.is_empty());
    let filter_metrics = filter_metrics(&template);
    for metric in metrics {
        let name = text(&metric["MetricName"]);
        if !filter_metrics.contains(name) {
            assert_has_literal(&sources, name);
        }
        assert_has_dimensions(&sources, metric);
    }
}

fn assert_has_dimensions(sources: &str, metric: &Value) {
    for dimension in list(&metric["Dimensions"]) {
        assert_has_literal(sources, text(&dimension["Name"]));
        let value = text(&dimension["Value"]);
        // The name of a function is that of its crate. Its version is known to AWS only.
        let is_function = workspace_root().join("functions").join(value).is_dir();
        if !is_function && !value.starts_with("${") {
            assert_has_literal(sources, value);
        }
    }
}

#[test]
fn the_table_the_card_network_and_the_tills_have_alarms() {
    let template = Template::read();
    let throttles = &template.properties("TableThrottles")["Metrics"];
    let watched: BTreeSet<(&str, Option<&str>)> = list(throttles)
        .map(|metric| &metric["MetricStat"]["Metric"])
        .filter(|metric| !metric.is_null())
        .map(|metric| (text(&metric["MetricName"]), metric["Dimensions"][1]["Value"].as_str()))
        .collect();
    let indexes = [None, Some("due")];
    let expected = ["ReadThrottleEvents", "WriteThrottleEvents"].into_iter().flat_map(|name| indexes.map(|index| (name, index)));
    assert_eq!(watched, expected.collect());
    let failures = list(&template.properties("CardNetworkFailures")["Metrics"]);
    let results: Vec<&str> =
        failures.filter_map(|metric| metric["MetricStat"]["Metric"]["Dimensions"][1]["Value"].as_str()).collect();
    assert_eq!(results, ["ok", "refused", "failed", "timeout"]);
    let tills = &template.properties("PosSlow")["Metrics"][1]["MetricStat"];
    assert_eq!((&tills["Stat"], &tills["Metric"]["MetricName"]), (&"p99".into(), &"Duration".into()));
}

#[test]
fn what_is_billed_by_the_metric_or_the_trace_is_off_by_default() {
    let template = document("template.yaml");
    for (parameter, default) in [("Tracing", "Disabled"), ("DetailedMetrics", "no")] {
        assert_eq!(template["Parameters"][parameter]["Default"], default);
    }
    let function = &template["Globals"]["Function"];
    assert_eq!(function["Tracing"], "${Tracing}");
    assert_eq!(function["Environment"]["Variables"]["ROUTE_METRICS"], "${DetailedMetrics}");
    for api in ["PortalApi", "PublicApi"] {
        let settings = &template["Resources"][api]["Properties"]["DefaultRouteSettings"];
        assert_eq!(settings["DetailedMetricsEnabled"]["!If"][0], "HasDetailedMetrics", "{api}");
    }
}

#[test]
fn bounces_and_complaints_of_mails_have_alarms() {
    let template = Template::read();
    let destination = &template.properties("MailFailures")["EventDestination"];
    let dimensions = &destination["CloudWatchDestination"]["DimensionConfigurations"];
    for (alarm, metric, event) in [("MailBounces", "Bounce", "bounce"), ("MailComplaints", "Complaint", "complaint")] {
        let alarm = template.properties(alarm);
        let failures =
            list(&alarm["Metrics"]).map(|metric| &metric["MetricStat"]["Metric"]).find(|found| found["MetricName"] == metric);
        let alarm = failures.unwrap_or(alarm);
        assert_eq!((&alarm["Namespace"], &alarm["MetricName"]), (&"AWS/SES".into(), &metric.into()));
        assert_eq!(alarm["Dimensions"][0]["Name"], dimensions[0]["DimensionName"]);
        assert!(list(&destination["MatchingEventTypes"]).any(|published| published == event), "{event}");
    }
}

#[test]
fn the_dashboard_shows_existing_metrics() {
    let (template, sources) = (Template::read(), sources());
    let filter_metrics = filter_metrics(&template);
    let body = text(&template.properties("Dashboard")["DashboardBody"]);
    let dashboard: Value = serde_json::from_str(body).unwrap();
    for widget in list(&dashboard["widgets"]) {
        for metric in portal_metrics(&widget["properties"]["metrics"]) {
            if !filter_metrics.contains(metric) {
                assert_has_literal(&sources, metric);
            }
        }
    }
}

/// Returns the portal's metrics of a widget. A widget lists `[namespace, name, …]`, where `.` repeats the value of the
/// previous metric.
fn portal_metrics(metrics: &Value) -> Vec<&str> {
    let mut previous = ("", "");
    let mut portal_metrics = Vec::new();
    for metric in list(metrics).filter(|metric| metric[1].is_string()) {
        let [namespace, name] = [text(&metric[0]), text(&metric[1])];
        previous = (resolve_repeat(namespace, previous.0), resolve_repeat(name, previous.1));
        portal_metrics.extend((previous.0 == PORTAL_NAMESPACE).then_some(previous.1));
    }
    portal_metrics
}

fn resolve_repeat<'a>(value: &'a str, previous: &'a str) -> &'a str {
    if value == "." { previous } else { value }
}

#[test]
fn the_access_log_has_the_clients_address_and_no_path_or_query() {
    let text = std::fs::read_to_string(workspace_root().join("template.yaml")).unwrap();
    let format = text.split("Format: >-").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(format.contains("\"client\": \"$context.identity.sourceIp\""), "{format}");
    for forbidden in ["$context.path", "rawQuery", "querystring"] {
        assert!(!format.contains(forbidden), "{forbidden}");
    }
}
