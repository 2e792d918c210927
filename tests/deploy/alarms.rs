//! Whom the alarms notify, and that they notice failures of a small shop as well as those of a large one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::db::keys;
use world::workspace_root;

use crate::template::document;

const PAGE: &str = "page";
const TICKET: &str = "ticket";
/// Notify nobody: only rollouts watch them.
const FOR_ROLLOUTS: [&str; 2] = ["NewVersion", "NeverOn"];

/// The alarms of the template that are for people, by name.
fn alarms() -> BTreeMap<String, Value> {
    let template = document("template.yaml");
    let resources = template["Resources"].as_object().unwrap().clone().into_iter();
    let is_for_people = |name: &str| !FOR_ROLLOUTS.iter().any(|ending| name.ends_with(ending));
    let alarms = resources.filter(|(name, resource)| resource["Type"] == "AWS::CloudWatch::Alarm" && is_for_people(name));
    alarms.map(|(name, resource)| (name, resource["Properties"].clone())).collect()
}

/// Whether an alarm wakes somebody. It notifies the same topic when it is over.
fn topic(alarm: &Value) -> &'static str {
    assert_eq!(alarm["AlarmActions"], alarm["OKActions"], "{alarm}");
    match alarm["AlarmActions"][0].as_str().unwrap() {
        "${Pages}" => PAGE,
        "${Tickets}" => TICKET,
        other => panic!("{other}"),
    }
}

fn runbook() -> String {
    std::fs::read_to_string(workspace_root().join("docs/runbook.md")).unwrap()
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_runbook_says_which_alarm_wakes_somebody() {
    let runbook = runbook();
    let (_, table) = runbook.split_once("| alarm | topic |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut listed = BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [names_cell, topic, means, first] = cells[..] else { panic!("{row}") };
        assert!(!means.is_empty() && !first.is_empty(), "{row}");
        listed.extend(names(names_cell).map(|name| (name.to_owned(), topic.to_owned())));
    }
    // That of deploy/health.yaml.
    assert!(listed.remove(&("Unreachable".to_owned(), PAGE.to_owned())));
    let alarms = alarms();
    let expected = alarms.iter().map(|(name, alarm)| (name.clone(), topic(alarm).to_owned()));
    assert_eq!(listed, expected.collect());
}

#[test]
fn every_alarm_has_a_section_in_the_runbook() {
    let runbook = runbook();
    let sections: Vec<&str> = runbook.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    for name in alarms().keys() {
        let is_of_function = name.ends_with("Errors") && runbook.contains("### MerchantErrors … ExportsErrors");
        let has_section = sections.iter().any(|section| section.split(", ").any(|alarm| alarm == name));
        assert!(has_section || is_of_function, "docs/runbook.md has no section {name}");
    }
}

/// A count says little without the number of attempts, unless one is too many.
#[test]
fn an_alarm_on_a_count_alone_is_set_off_by_the_first() {
    // There is no count of attempts.
    const EXCEPTIONS: [(&str, u64); 1] = [("FailedRenewals", 2)];
    for (name, alarm) in alarms() {
        let exception = EXCEPTIONS.iter().find(|(exception, _)| *exception == name);
        let expected = exception.map_or(1, |(_, threshold)| *threshold);
        if alarm["Statistic"] == "Sum" {
            assert_eq!(alarm["Threshold"], expected, "{name}");
        }
    }
}

/// What a period of an alarm has measured, by the ids of its metrics. CloudWatch has no datapoint of a metric that was not published.
type Measured<'a> = &'a [(&'a str, f64)];

/// Whether a period like this one is on the wrong side of the alarm's threshold.
fn is_breached(alarm: &Value, measured: Measured) -> bool {
    let metrics = alarm["Metrics"].as_array().unwrap();
    let result = metrics.iter().find(|metric| metric["ReturnData"] != false).unwrap();
    let Some(value) = value_of(metrics, result["Id"].as_str().unwrap(), measured) else {
        return alarm["TreatMissingData"] == "breaching";
    };
    let threshold = alarm["Threshold"].as_f64().unwrap();
    match alarm["ComparisonOperator"].as_str().unwrap() {
        "GreaterThanOrEqualToThreshold" => value >= threshold,
        "GreaterThanThreshold" => value > threshold,
        "LessThanThreshold" => value < threshold,
        other => panic!("{other}"),
    }
}

/// The value of a metric or of an expression. `None` if it has no data.
fn value_of(metrics: &[Value], id: &str, measured: Measured) -> Option<f64> {
    let metric = metrics.iter().find(|metric| metric["Id"] == id).unwrap_or_else(|| panic!("no metric {id}"));
    let Some(expression) = metric["Expression"].as_str() else {
        return measured.iter().find(|(name, _)| *name == id).map(|(_, value)| *value);
    };
    evaluate(expression, &|id| value_of(metrics, id, measured))
}

/// Evaluates the part of CloudWatch's metric math that the template uses. An operation on a missing value has no value; `SUM` leaves
/// missing values out.
fn evaluate(expression: &str, value_of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    let argument = |text: &str| evaluate(text, value_of);
    if let Some((function, arguments)) = call(expression) {
        return match (function, &split(arguments)[..]) {
            ("IF", [condition, then, otherwise]) => {
                let (left, right) = condition.split_once(" >= ").unwrap();
                if argument(left)? >= argument(right)? { argument(then) } else { argument(otherwise) }
            }
            ("FILL", [metric, otherwise]) => argument(metric).or_else(|| argument(otherwise)),
            ("SUM", [list]) => {
                let values = split(list.trim_matches(['[', ']'])).into_iter().filter_map(argument);
                values.reduce(|sum, value| sum + value)
            }
            _ => panic!("{expression}"),
        };
    }
    if let Some((left, right)) = expression.split_once(" / ") {
        return Some(argument(left)? / argument(right)?);
    }
    expression.parse().ok().or_else(|| value_of(expression))
}

/// The function and the arguments of a call that is the whole expression.
fn call(expression: &str) -> Option<(&str, &str)> {
    let (function, arguments) = expression.split_once('(')?;
    let is_name = function.bytes().all(|byte| byte.is_ascii_uppercase());
    Some((function, arguments.strip_suffix(')')?)).filter(|_| is_name)
}

/// The arguments between commas, except those within brackets.
fn split(arguments: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_separator = |character: char| {
        depth += i32::from(matches!(character, '(' | '[')) - i32::from(matches!(character, ')' | ']'));
        character == ',' && depth == 0
    };
    arguments.split(is_separator).map(str::trim).collect()
}

#[test]
fn a_small_shop_and_a_large_one_are_noticed_alike() {
    let alarms = alarms();
    for (case, alarm, measured, expected) in [
        // Two sales in an hour. The sale and the lookup of its outcome fail.
        ("a small shop", "CardNetworkFailuresInAnHour", &[("timeout", 4.0)][..], true),
        ("a small shop, refused connections", "CardNetworkFailuresInAnHour", &[("broken", 2.0), ("ok", 1.0)], true),
        ("a small shop", "TillFailuresInAnHour", &[("failed", 2.0), ("all", 2.0)], true),
        ("one failure of a small shop", "TillFailuresInAnHour", &[("failed", 1.0), ("all", 1.0)], false),
        ("one failure of a small shop", "CardNetworkFailuresInAnHour", &[("timeout", 1.0)], false),
        ("a small shop without failures", "CardNetworkFailuresInAnHour", &[("ok", 4.0)], false),
        ("a closed shop", "CardNetworkFailuresInAnHour", &[], false),
        ("a closed shop", "TillFailures", &[], false),
        ("a chain in five minutes", "CardNetworkFailures", &[("ok", 9.0), ("timeout", 2.0), ("broken", 1.0)], true),
        ("a chain in five minutes", "TillFailures", &[("failed", 3.0), ("all", 12.0)], true),
        ("a chain, some failures", "CardNetworkFailures", &[("ok", 100.0), ("timeout", 4.0)], false),
        ("500 shops, as many as would have alarmed before", "CardNetworkFailures", &[("ok", 9990.0), ("timeout", 10.0)], false),
        ("500 shops", "CardNetworkFailures", &[("ok", 7000.0), ("refused", 500.0), ("timeout", 2500.0)], true),
        ("refusals are no failures", "CardNetworkFailures", &[("refused", 50.0)], false),
        ("throttled tills", "TillsThrottled", &[("failed", 5.0), ("all", 200.0)], true),
        ("throttled tills", "TillsThrottled", &[("failed", 0.0), ("all", 200.0)], false),
        ("unknown outcomes", "UnknownOutcomes", &[("unknown", 2.0)], true),
        ("unknown outcomes", "UnknownOutcomes", &[("unknown", 2.0), ("succeeded", 30.0)], false),
        ("a new version that always fails", "InternalErrors", &[("failed", 10.0), ("all", 100.0)], true),
        ("requests that are not counted", "InternalErrors", &[("failed", 2.0)], true),
        ("two of many", "InternalErrors", &[("failed", 2.0), ("all", 1000.0)], false),
        ("a dashboard", "PortalServerErrors", &[("failed", 3.0), ("all", 60.0)], true),
        ("a few visitors", "PublicServerErrorsInAnHour", &[("failed", 2.0), ("all", 8.0)], true),
        ("one slow request", "PosSlow", &[("duration", 9000.0), ("all", 2.0)], false),
        ("slow requests", "PosSlow", &[("duration", 9000.0), ("all", 20.0)], true),
        ("slow requests of a small shop", "PosSlowInAnHour", &[("duration", 9000.0), ("all", 3.0)], true),
        ("three mails", "MailBounces", &[("failed", 2.0), ("all", 3.0)], true),
    ] {
        assert_eq!(is_breached(&alarms[alarm], measured), expected, "{case}: {alarm}");
    }
}

#[test]
fn one_failure_of_a_new_version_is_enough_and_success_of_the_former_one_does_not_count() {
    let template = document("template.yaml");
    let alarm = &template["Resources"]["PosNewVersion"]["Properties"];
    for (case, measured, expected) in [
        ("no request", &[][..], false),
        ("one of one, with 500", &[("internal", 1.0), ("all", 1.0)], true),
        ("a crash", &[("crashed", 1.0), ("all", 12.0)], true),
        ("both", &[("crashed", 1.0), ("internal", 1.0), ("all", 40.0)], true),
        ("not weighted any more", &[("internal", 1.0)], true),
        ("one of many", &[("internal", 1.0), ("all", 21.0)], false),
        ("success", &[("crashed", 0.0), ("all", 3.0)], false),
    ] {
        assert_eq!(is_breached(alarm, measured), expected, "{case}");
    }
}

#[test]
fn the_canary_pages_when_it_fails_twice_or_is_missing_and_is_off_by_a_parameter() {
    let template = document("template.yaml");
    let (alarm, function) = (&template["Resources"]["CanaryFailed"], &template["Resources"]["CanaryFunction"]);
    assert_eq!((&alarm["Condition"], &template["Parameters"]["Canary"]["Default"]), (&"RunsCanary".into(), &"no".into()));
    let schedule = &function["Properties"]["Events"]["EveryFiveMinutes"]["Properties"];
    assert_eq!(schedule["ScheduleExpression"], "rate(5 minutes)");
    assert_eq!(schedule["State"], serde_json::json!({"!If": ["RunsCanary", "ENABLED", "DISABLED"]}));
    let alarm = &alarm["Properties"];
    assert_eq!((topic(alarm), &alarm["TreatMissingData"]), (PAGE, &"breaching".into()));
    // Each failure counts, and a period is as long as the schedule's.
    let (periods, needed) = (&alarm["EvaluationPeriods"], &alarm["DatapointsToAlarm"]);
    assert_eq!((&alarm["Period"], &alarm["Threshold"], periods, needed), (&300.into(), &1.into(), &2.into(), &Value::Null));
    assert_eq!((&alarm["MetricName"], &alarm["Statistic"]), (&"CanaryFailures".into(), &"Sum".into()));
}

#[test]
fn silence_sets_off_the_alarms_on_what_runs_all_the_time() {
    let alarms = alarms();
    for (alarm, metric, healthy, late) in [
        ("SweepStopped", "sweeps", 5.0, 0.0),
        ("DeliveriesStopped", "heartbeat", 1.0, 121.0),
        ("ProjectionsStopped", "heartbeat", 2.0, 121.0),
    ] {
        let alarm = &alarms[alarm];
        assert!(is_breached(alarm, &[]), "{alarm}");
        assert!(is_breached(alarm, &[(metric, late)]), "{alarm}");
        assert!(!is_breached(alarm, &[(metric, healthy)]), "{alarm}");
        assert_eq!(alarm["TreatMissingData"], "breaching", "{alarm}");
    }
}

#[test]
fn both_readers_of_the_stream_receive_the_heartbeat() {
    let template = document("template.yaml");
    let pk = keys::heartbeat().pk;
    for feed in ["DeliveriesFeed", "ProjectionsFeed"] {
        let filters = template["Resources"][feed]["Properties"]["FilterCriteria"]["Filters"].as_array().unwrap();
        let patterns = filters.iter().map(|filter| serde_json::from_str::<Value>(filter["Pattern"].as_str().unwrap()).unwrap());
        let expected = serde_json::json!({"dynamodb": {"Keys": {"pk": {"S": [pk]}}}});
        assert!(patterns.into_iter().any(|pattern| pattern == expected), "{feed}");
    }
}

#[test]
fn what_administrators_do_is_logged_where_the_stack_cannot_delete_it() {
    let template = document("template.yaml");
    let resources = &template["Resources"];
    assert_eq!(resources["AdministrationFunction"]["Properties"]["LoggingConfig"]["LogGroup"], "${AuditLogs}");
    let group = &resources["AuditLogs"];
    assert_eq!((&group["DeletionPolicy"], &group["UpdateReplacePolicy"]), (&"Retain".into(), &"Retain".into()));
    assert_eq!(group["Properties"]["RetentionInDays"], "${AuditRetentionDays}");
    assert_eq!(group["Properties"]["DeletionProtectionEnabled"], true);
    // A new stack could not create a group of the same name.
    let name = &group["Properties"]["LogGroupName"]["!Sub"];
    assert!(name[1]["Id"].to_string().contains("AWS::StackId"), "{name}");
}
