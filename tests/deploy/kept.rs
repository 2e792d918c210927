//! What every resource of a kind has, in all templates. What follows from the code has tests of its own.

use serde_json::{Value, json};
use world::workspace_root;

use crate::metrics::{assert_has_literal, sources};
use crate::template::{Template, document};

const TEMPLATES: [&str; 8] = [
    "template.yaml",
    "deploy/api-domains.yaml",
    "deploy/backup.yaml",
    "deploy/clients.yaml",
    "deploy/front-acl.yaml",
    "deploy/health.yaml",
    "deploy/pipeline.yaml",
    "deploy/trail.yaml",
];

/// Stands for every value.
const ANY: &str = "*";

/// By type. Of a list, the elements that it has to have.
fn rules() -> Value {
    let retained = json!({"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"});
    json!({
        "AWS::S3::Bucket": {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain", "Properties": {
            "BucketEncryption": {"ServerSideEncryptionConfiguration": [{"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]},
            "PublicAccessBlockConfiguration":
                {"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true},
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
            "LifecycleConfiguration": {"Rules": [{"Status": "Enabled"}]},
        }},
        "AWS::S3::BucketPolicy": {"Properties": {"PolicyDocument": {"Statement": [
            {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Condition": {"Bool": {"aws:SecureTransport": "false"}}},
        ]}}},
        "AWS::Backup::BackupVault": retained,
        "AWS::IAM::OIDCProvider": retained,
        "AWS::Logs::LogGroup": {"Properties": {"RetentionInDays": ANY}},
        "AWS::SQS::Queue": {"Properties": {"SqsManagedSseEnabled": true, "MessageRetentionPeriod": 1_209_600}},
        "AWS::Lambda::EventSourceMapping":
            {"Properties": {"FilterCriteria": ANY, "StartingPosition": "TRIM_HORIZON", "BisectBatchOnFunctionError": true}},
        "AWS::SecretsManager::Secret": {"Properties": {"GenerateSecretString": {"PasswordLength": 64}}},
        "AWS::Serverless::HttpApi":
            {"Properties": {"DefaultRouteSettings": {"ThrottlingRateLimit": ANY, "ThrottlingBurstLimit": ANY}}},
        "AWS::CloudFront::Distribution": {"Properties": {"DistributionConfig": {"ViewerCertificate":
            {"MinimumProtocolVersion": "TLSv1.2_2021", "SslSupportMethod": "sni-only"}}}},
        "AWS::CloudWatch::Alarm": {"Properties": {"AlarmName": ANY, "AlarmDescription": ANY, "TreatMissingData": ANY}},
        "AWS::WAFv2::WebACL": {"Properties": {"DefaultAction": {"Allow": {}}, "Scope": "CLOUDFRONT"}},
    })
}

fn resources() -> Vec<(String, Value)> {
    let of_file = |file: &str| {
        let resources = document(file)["Resources"].as_object().unwrap().clone();
        resources.into_iter().map(|(name, resource)| (format!("{file}: {name}"), resource)).collect::<Vec<_>>()
    };
    TEMPLATES.into_iter().flat_map(of_file).collect()
}

/// What of the expectation is missing.
fn missing(expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::String(any), _) if any == ANY && !found.is_null() => None,
        (Value::Object(members), Value::Object(_)) => {
            members.iter().find_map(|(name, expected)| missing(expected, &found[name]).map(|what| format!("{name} {what}")))
        }
        (Value::Array(elements), Value::Array(found)) => elements
            .iter()
            .find(|expected| found.iter().all(|found| missing(expected, found).is_some()))
            .map(|expected| format!("{expected}")),
        _ => (expected != found).then(|| format!("{expected}")),
    }
}

#[test]
fn every_resource_has_what_its_kind_has() {
    let (resources, rules) = (resources(), rules());
    for (kind, expected) in rules.as_object().unwrap() {
        let of_kind: Vec<_> = resources.iter().filter(|(_, resource)| resource["Type"] == *kind).collect();
        assert!(!of_kind.is_empty(), "{kind}");
        for (name, resource) in of_kind {
            assert_eq!(missing(expected, resource), None, "{name}");
        }
    }
}

#[test]
fn every_bucket_has_a_policy_and_keeps_versions_unless_it_says_why_not() {
    let resources = resources();
    for (name, bucket) in resources.iter().filter(|(_, resource)| resource["Type"] == "AWS::S3::Bucket") {
        let (file, id) = name.split_once(": ").unwrap();
        let policy = |(name, resource): &(String, Value)| {
            name.starts_with(file)
                && resource["Type"] == "AWS::S3::BucketPolicy"
                && resource["Properties"]["Bucket"] == format!("${{{id}}}")
        };
        assert!(resources.iter().any(policy), "{name}");
        let mut reasons = bucket["Metadata"]["checkov"]["skip"].as_array().into_iter().flatten();
        let keeps = bucket["Properties"]["VersioningConfiguration"]["Status"] == "Enabled";
        assert!(keeps != reasons.any(|reason| reason["id"] == "CKV_AWS_21"), "{name}");
        let forgets = bucket["Properties"]["LifecycleConfiguration"].to_string().contains("\"NoncurrentVersionExpiration\"");
        assert_eq!(keeps, forgets, "{name}: former versions are not kept for ever");
    }
}

/// A batch that is given up is found in a queue, or is never given up.
#[test]
fn no_record_of_the_stream_is_lost_in_silence() {
    for (name, feed) in resources().iter().filter(|(_, resource)| resource["Type"] == "AWS::Lambda::EventSourceMapping") {
        let properties = &feed["Properties"];
        let is_kept = properties["DestinationConfig"]["OnFailure"]["Destination"] == "${LostBatches.Arn}";
        let is_repeated = [&properties["MaximumRetryAttempts"], &properties["MaximumRecordAgeInSeconds"]]
            .iter()
            .all(|limit| **limit == json!(-1));
        assert!(is_kept != is_repeated, "{name}");
    }
}

/// A filter that is misspelt matches nothing.
#[test]
fn the_readers_of_the_stream_are_asked_about_partitions_that_exist() {
    let keys = std::fs::read_to_string(workspace_root().join("shared/src/db/keys.rs")).unwrap();
    let partitions: Vec<&str> = keys.lines().filter_map(|line| line.strip_prefix("//! | ")?.split(" | ").nth(1)).collect();
    for (name, feed) in resources().iter().filter(|(_, resource)| resource["Type"] == "AWS::Lambda::EventSourceMapping") {
        for filter in feed["Properties"]["FilterCriteria"]["Filters"].as_array().unwrap() {
            let pattern: Value = serde_json::from_str(filter["Pattern"].as_str().unwrap()).unwrap();
            for wanted in pattern["dynamodb"]["Keys"]["pk"]["S"].as_array().unwrap() {
                let prefix = wanted["prefix"].as_str().or(wanted.as_str()).unwrap();
                assert!(partitions.iter().any(|partition| partition.contains(&format!("`{prefix}"))), "{name}: {prefix}");
            }
        }
    }
}

/// A worker that is stopped earlier than its claims expire is not replaced until they do; a request has to be answered before.
#[test]
fn functions_have_the_time_that_the_code_counts_on() {
    let template = document("template.yaml");
    let timeout = |name: &str| template["Resources"][name]["Properties"]["Timeout"].as_u64();
    assert_eq!(template["Globals"]["Function"]["Timeout"], 15);
    for function in Template::read().functions() {
        let expected = match function.name.as_str() {
            "jobs" | "projections" | "sweep" => Some(60),
            "deliveries" => Some(90),
            "canary" => Some(70),
            _ => None,
        };
        assert_eq!(timeout(&function.logical_id()), expected, "{}", function.name);
    }
}

/// A variable that is misspelt is not read, and one with the value of another is believed.
#[test]
fn every_variable_of_the_functions_is_read_and_has_the_value_that_it_is_named_after() {
    let (template, sources) = (document("template.yaml"), sources());
    for (name, value) in template["Globals"]["Function"]["Environment"]["Variables"].as_object().unwrap() {
        // Read by the AWS SDK and the Lambda runtime, or by nobody: another value starts new functions.
        if !name.starts_with("AWS_") && !name.ends_with("_GENERATION") {
            assert_has_literal(&sources, name);
        }
        let referenced = value.as_str().and_then(|text| text.strip_prefix("${")?.strip_suffix('}'));
        let Some(referenced) = referenced.filter(|_| name != "ROUTE_METRICS") else { continue };
        let (name, referenced) = (name.replace('_', "").to_lowercase(), referenced.to_lowercase());
        assert!(name.starts_with(referenced.trim_end_matches("arn")), "{name}: {referenced}");
    }
}

#[test]
fn the_sweep_runs_each_minute_somebody_is_told_and_the_boundary_names_what_is_of_the_stage() {
    let resources = &document("template.yaml")["Resources"];
    let schedule = &resources["SweepFunction"]["Properties"]["Events"]["EveryMinute"]["Properties"]["ScheduleExpression"];
    assert_eq!(schedule, "rate(1 minute)");
    for (mail, topic) in [("PageMail", "${Pages}"), ("TicketMail", "${Tickets}")] {
        let expected = json!({"TopicArn": topic, "Protocol": "email", "Endpoint": "${AlarmEmail}"});
        assert_eq!(resources[mail]["Properties"], expected, "{mail}");
    }
    let boundary = &document("deploy/pipeline.yaml")["Resources"]["Boundary"]["Properties"]["PolicyDocument"]["Statement"];
    for statement in boundary.as_array().unwrap().iter().filter(|statement| statement["Resource"] != "*") {
        let text = statement["Resource"].to_string();
        let is_of_the_stage =
            |arn: &str| ["${PortalStack}", "${Stage}", "portal-restored-", ":ses:"].iter().any(|part| arn.contains(part));
        assert!(text.split("\",\"").all(is_of_the_stage), "{text}");
    }
    let unlimited = boundary.as_array().unwrap().iter().filter(|statement| statement["Resource"] == "*");
    assert_eq!(unlimited.map(|statement| &statement["Sid"]).collect::<Vec<_>>(), ["RolloutsAlarmsAndTraces"]);
}

/// Alarms that differ in nothing but the function share a line.
#[test]
fn the_alarms_are_these() {
    let mut shapes: Vec<(String, Vec<String>)> = Vec::new();
    for (name, alarm) in resources().into_iter().filter(|(_, resource)| resource["Type"] == "AWS::CloudWatch::Alarm") {
        let name = name.rsplit_once(' ').unwrap().1.to_owned();
        let mut shape = alarm["Properties"].clone();
        for member in ["AlarmName", "AlarmDescription", "AlarmActions", "OKActions"] {
            shape.as_object_mut().unwrap().remove(member);
        }
        let function = ["Errors", "NewVersion"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        let shape =
            shape.to_string().replace(function, "FUNCTION").replace(&format!("\"{}\"", function.to_lowercase()), "\"function\"");
        match shapes.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, names)) => names.push(name),
            None => shapes.push((shape, vec![name])),
        }
    }
    let lines: Vec<String> = shapes.into_iter().map(|(shape, names)| format!("{}: {shape}", names.join(", "))).collect();
    insta::assert_snapshot!("alarms", lines.join("\n"));
}

/// An update that would replace one by an empty one fails. A restore takes the table out of the stack, which keeps it.
#[test]
fn no_update_of_a_stack_replaces_the_table_or_a_bucket() {
    let policy: Value =
        serde_json::from_str(&std::fs::read_to_string(workspace_root().join("deploy/stack-policy.json")).unwrap()).unwrap();
    let denied = |action: &str, kind: &str| {
        policy["Statement"].as_array().unwrap().iter().any(|statement| {
            let kinds = statement["Condition"]["StringEquals"]["ResourceType"].as_array().cloned().unwrap_or_default();
            (&statement["Effect"], &statement["Action"], &statement["Resource"]) == (&json!("Deny"), &json!(action), &json!("*"))
                && kinds.contains(&json!(kind))
        })
    };
    assert!(denied("Update:Replace", "AWS::DynamoDB::Table") && denied("Update:Replace", "AWS::S3::Bucket"));
    assert!(denied("Update:Delete", "AWS::S3::Bucket"));
}
