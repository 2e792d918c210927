//! How new versions of the functions are published and rolled out. `.ci/versions.py` checks the translated template.

use serde_json::json;

use crate::template::{Function, Template};

#[test]
fn every_changed_property_publishes_a_new_version() {
    let template = Template::read();
    let functions = template.resources_of_type("AWS::Serverless::Function");
    for function in functions.filter(|function| !function["AutoPublishAlias"].is_null()) {
        assert_eq!(function["AutoPublishAliasAllProperties"], true, "{}", function["Description"]);
    }
}

#[test]
fn a_warning_does_not_fail_a_deployment() {
    let template = Template::read();
    let apis = template.resources_of_type("AWS::Serverless::HttpApi");
    for api in apis.chain([template.globals("HttpApi")]) {
        assert!(api["FailOnWarnings"].is_null(), "{api}");
    }
}

/// What all functions fail together is diluted by the former version, which has most of the traffic.
#[test]
fn the_failures_of_a_new_version_alone_roll_it_back() {
    let template = Template::read();
    let functions = template.functions().into_iter().filter(|function| !function.routes.is_empty());
    for Function { name, properties, .. } in functions {
        let prefix = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
        let watched = &properties["DeploymentPreference"]["Alarms"]["!If"][1];
        assert_eq!(*watched, json!([format!("${{{prefix}Errors}}"), format!("${{{prefix}NewVersion}}"), "${InternalErrors}"]));
        let alarm = template.properties(&format!("{prefix}NewVersion"));
        // A version has no former failures, and one request of it can be all that a small shop sends.
        assert_eq!((&alarm["Threshold"], &alarm["EvaluationPeriods"]), (&json!(0.05), &json!(1)), "{name}");
        let metric = |id: &str| {
            let mut metrics = alarm["Metrics"].as_array().unwrap().iter();
            metrics.find(|metric| metric["Id"] == id).unwrap_or_else(|| panic!("{name}: no metric {id}"))
        };
        let version = format!("${{{prefix}Function.Version.Version}}");
        let of_lambda = json!([
            {"Name": "FunctionName", "Value": format!("${{{prefix}Function}}")},
            {"Name": "Resource", "Value": format!("${{{prefix}Function}}:live")},
            {"Name": "ExecutedVersion", "Value": version},
        ]);
        let of_portal = json!([{"Name": "Function", "Value": name}, {"Name": "Version", "Value": version}]);
        for (id, metric_name, dimensions) in
            [("crashed", "Errors", &of_lambda), ("internal", "InternalErrors", &of_portal), ("all", "Invocations", &of_lambda)]
        {
            let watched = &metric(id)["MetricStat"]["Metric"];
            assert_eq!((&watched["MetricName"], &watched["Dimensions"]), (&json!(metric_name), dimensions), "{name}");
        }
        assert_eq!(metric("failed")["Expression"], "SUM([crashed, internal])");
        assert_eq!(metric("ratio")["Expression"], "IF(failed >= 1, failed / FILL(all, 1), 0)");
    }
}

#[test]
fn every_rollout_can_ignore_alarms() {
    let template = Template::read();
    let functions = template.resources_of_type("AWS::Serverless::Function");
    let rollouts = functions.map(|function| &function["DeploymentPreference"]).filter(|rollout| !rollout.is_null());
    for rollout in rollouts {
        let alarms = &rollout["Alarms"]["!If"];
        assert_eq!(alarms[0], "RollsBackOnAlarm", "{rollout}");
        // CodeDeploy keeps the alarms of a group if it is given none.
        assert_eq!(alarms[2], json!(["${NeverOn}"]), "{rollout}");
    }
    let alarm = template.properties("NeverOn");
    assert_eq!((&alarm["Namespace"], &alarm["MetricName"]), (&"${AWS::StackName}/None".into(), &"None".into()));
    assert_eq!(alarm["TreatMissingData"], "notBreaching");
}
