//! How new versions of the functions are published and rolled out. `.ci/versions.py` checks the translated template.

use serde_json::json;

use crate::template::Template;

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

#[test]
fn every_rollout_can_ignore_alarms() {
    let template = Template::read();
    let functions = template.resources_of_type("AWS::Serverless::Function");
    let rollouts = functions.map(|function| &function["DeploymentPreference"]).filter(|rollout| !rollout.is_null());
    for rollout in rollouts {
        let alarms = &rollout["Alarms"]["!If"];
        assert_eq!(alarms[0], "RollsBackOnAlarm", "{rollout}");
        assert_eq!(alarms[1].as_array().map(Vec::len), Some(2), "{rollout}");
        // CodeDeploy keeps the alarms of a group if it is given none.
        assert_eq!(alarms[2], json!(["${NeverOn}"]), "{rollout}");
    }
    let alarm = template.properties("NeverOn");
    assert_eq!((&alarm["Namespace"], &alarm["MetricName"]), (&"${AWS::StackName}/None".into(), &"None".into()));
    assert_eq!(alarm["TreatMissingData"], "notBreaching");
}
