//! What the template counts, watches and shows is something that the code says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use test_support::workspace_root;

use crate::template::Template;

/// Where the metrics of the portal itself go.
const OWN: &str = "Portal/${AWS::StackName}";

/// All that runs on AWS, as one text.
fn sources() -> String {
    let folders = ["functions", "shared/src"].map(|folder| workspace_root().join(folder));
    let files = folders.iter().flat_map(|folder| rust_files(folder));
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Fails where the code does not have the text as a literal.
fn assert_said(sources: &str, text: &str) {
    assert!(sources.contains(&format!("\"{text}\"")), "the code says nowhere {text:?}");
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}"))
}

/// The metrics that CloudWatch counts from lines of the log.
fn counted(template: &Template) -> BTreeSet<&str> {
    let filters = template.all("AWS::Logs::MetricFilter");
    filters
        .flat_map(|filter| list(&filter["MetricTransformations"]))
        .map(|of| text(&of["MetricName"]))
        .collect()
}

#[test]
fn every_line_that_is_counted_is_logged() {
    let (template, sources) = (Template::read(), sources());
    for filter in template.all("AWS::Logs::MetricFilter") {
        // Every other part of a pattern stands in quotes.
        let wanted: Vec<&str> = text(&filter["FilterPattern"]).split('"').skip(1).step_by(2).collect();
        assert!(!wanted.is_empty(), "{filter}");
        for wanted in wanted {
            assert_said(&sources, wanted);
        }
    }
}

#[test]
fn every_alarm_watches_a_metric_that_there_is() {
    let (template, sources) = (Template::read(), sources());
    let counted = counted(&template);
    for alarm in template.all("AWS::CloudWatch::Alarm").filter(|alarm| alarm["Namespace"] == OWN) {
        let metric = text(&alarm["MetricName"]);
        if !counted.contains(metric) {
            assert_said(&sources, metric);
        }
        for dimension in list(&alarm["Dimensions"]) {
            assert_said(&sources, text(&dimension["Name"]));
            assert_said(&sources, text(&dimension["Value"]));
        }
    }
}

#[test]
fn the_dashboard_shows_metrics_that_there_are() {
    let (template, sources) = (Template::read(), sources());
    let counted = counted(&template);
    let body = text(&template.properties("Dashboard")["DashboardBody"]);
    let dashboard: Value = serde_json::from_str(body).unwrap();
    for widget in list(&dashboard["widgets"]) {
        for metric in own_metrics(&widget["properties"]["metrics"]) {
            if !counted.contains(metric) {
                assert_said(&sources, metric);
            }
        }
    }
}

/// The portal's own among a widget's metrics: `[namespace, name, …]`, where `.` repeats what stands above.
fn own_metrics(metrics: &Value) -> Vec<&str> {
    let mut above = ("", "");
    let mut own = Vec::new();
    for metric in list(metrics).filter(|metric| metric[1].is_string()) {
        let [namespace, name] = [text(&metric[0]), text(&metric[1])];
        above = (repeated(namespace, above.0), repeated(name, above.1));
        own.extend((above.0 == OWN).then_some(above.1));
    }
    own
}

fn repeated<'a>(said: &'a str, above: &'a str) -> &'a str {
    if said == "." { above } else { said }
}
