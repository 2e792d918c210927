//! The table, which a restored one can replace, and the buckets.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::{AttributeDefinition, GlobalSecondaryIndexDescription as Index, KeySchemaElement};
use local::{Local, Options, table};
use serde_json::{Value, json};
use shared::aws::Aws;
use world::workspace_root;

use crate::template::{Function, OneOrMore, Statement, Template, document};

#[test]
fn a_restored_table_replaces_the_one_of_the_stack() {
    let template = document("template.yaml");
    let resources = &template["Resources"];
    assert_eq!(resources["Table"]["Condition"], "CreatesTable");
    let variables = &template["Globals"]["Function"]["Environment"]["Variables"];
    for name in [&variables["TABLE_NAME"], &resources["TableInUse"]["Properties"]["Value"]] {
        assert_eq!(name["!If"], serde_json::json!(["CreatesTable", "${Table}", "${RestoredTable}"]));
    }
    let feed = &resources["DeliveriesFeed"]["Properties"]["EventSourceArn"]["!If"];
    assert!(feed[2].as_str().is_some_and(|arn| arn.ends_with("/${RestoredTable}/stream/${RestoredTableStream}")));
    // Every other reference has to be to the table in use.
    let text = std::fs::read_to_string(workspace_root().join("template.yaml")).unwrap();
    let is_direct = |line: &&str| ["!Ref Table,", "!Ref Table}", "Table.", "${Table}"].iter().any(|it| line.contains(it));
    let is_conditional = |line: &str| line.contains("!If [CreatesTable, ") || line.contains("TableInUse.Value");
    let direct: Vec<&str> = text.lines().filter(is_direct).filter(|line| !is_conditional(line)).collect();
    assert!(direct.is_empty(), "{direct:#?}");
}

/// The roles change before the versions do, which is when they would lose the table that they know.
#[test]
fn versions_that_still_serve_during_a_switch_read_the_former_table() {
    for function in Template::read().functions().iter().filter(|function| !function.routes.is_empty()) {
        let [(condition, statement)] = &function.conditional[..] else { panic!("{}", function.name) };
        assert_eq!((condition.as_str(), statement.sid.as_str()), ("HasFormerTable", "ReadFormerTable"), "{}", function.name);
        assert!(statement.resource.strings()[0].ends_with(":table/${FormerTable}"), "{}", function.name);
        assert_eq!(statement.action.strings(), ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"]);
    }
}

#[test]
fn documents_have_a_bucket_that_is_logged_and_expires() {
    let template = Template::read();
    let documents = template.properties("DocumentsBucket");
    assert_eq!(documents["LoggingConfiguration"]["DestinationBucketName"], "${DocumentsAccessLogs}");
    let rules = |bucket: &Value| bucket["LifecycleConfiguration"]["Rules"].as_array().unwrap().clone();
    let expires = |bucket: &Value| rules(bucket).iter().any(|rule| !rule["ExpirationInDays"].is_null());
    let expiry = |rule: &Value| rule["ExpirationInDays"].as_str().map(|days| (days.to_owned(), rule["TagFilters"].clone()));
    let expiries: Vec<(String, Value)> = rules(documents).iter().filter_map(expiry).collect();
    let identity_documents = serde_json::json!([{"Key": "kind", "Value": "identity-document"}]);
    let expected = [("${DocumentRetentionDays}", identity_documents), ("${PayoutRetentionDays}", Value::Null)];
    assert_eq!(expiries, expected.map(|(days, tags)| (days.to_owned(), tags)), "files of payouts are kept longer than documents");
    assert!(rules(documents).iter().any(|rule| !rule["NoncurrentVersionExpiration"].is_null()));
    assert!(expires(template.properties("DocumentsAccessLogs")));
    let exports = rules(documents).into_iter().find(|rule| rule["Prefix"] == "exports/").unwrap();
    assert_eq!(exports["ExpirationInDays"], 1);
    assert_eq!(exports["NoncurrentVersionExpiration"]["NoncurrentDays"], 1);
    let aborts = |rule: &Value| rule["Prefix"].is_null() && rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"] == 1;
    assert!(rules(documents).iter().any(aborts));
}

/// A name that is misspelt, and a protection that is lost, are noticed by no test that has the local table alone.
#[tokio::test]
async fn the_table_is_the_one_of_the_tests_and_is_protected() {
    let local = Local::start(Options::default()).await.unwrap();
    let client = Aws::new(local.app().settings.aws.clone()).dynamodb();
    table::ensure(&client, "compared").await.unwrap();
    let table = client.describe_table().table_name("compared").send().await.unwrap().table.unwrap();
    let expiry = client.describe_time_to_live().table_name("compared").send().await.unwrap().time_to_live_description.unwrap();
    let keys = |keys: &[KeySchemaElement]| -> Vec<Value> {
        keys.iter().map(|key| json!({"AttributeName": key.attribute_name, "KeyType": key.key_type.as_str()})).collect()
    };
    let attribute =
        |of: &AttributeDefinition| json!({"AttributeName": of.attribute_name, "AttributeType": of.attribute_type.as_str()});
    let attributes: Vec<Value> = table.attribute_definitions().iter().map(attribute).collect();
    let projection = |index: &Index| index.projection.clone().unwrap().projection_type.unwrap();
    let index = |index: &Index| {
        json!({
            "IndexName": index.index_name,
            "KeySchema": keys(index.key_schema()),
            "Projection": {"ProjectionType": projection(index).as_str()},
        })
    };
    let indexes: Vec<Value> = table.global_secondary_indexes().iter().map(index).collect();
    let resource = &document("template.yaml")["Resources"]["Table"];
    let (reads, writes) = (20_000, 10_000);
    let restore = std::fs::read_to_string(workspace_root().join("admin/restore-table")).unwrap();
    assert!(restore.contains(&format!("MaxReadRequestUnits={reads},MaxWriteRequestUnits={writes}")), "of a restored table too");
    let expected = json!({
        "OnDemandThroughput": {"MaxReadRequestUnits": reads, "MaxWriteRequestUnits": writes},
        "KeySchema": keys(table.key_schema()),
        "AttributeDefinitions": attributes,
        "GlobalSecondaryIndexes": indexes,
        "BillingMode": table.billing_mode_summary.unwrap().billing_mode.unwrap().as_str(),
        "StreamSpecification": {"StreamViewType": table.stream_specification.unwrap().stream_view_type.unwrap().as_str()},
        "TimeToLiveSpecification": {"AttributeName": expiry.attribute_name, "Enabled": true},
        "DeletionProtectionEnabled": true,
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true},
    });
    assert_eq!(resource["Properties"], expected);
    assert_eq!((&resource["DeletionPolicy"], &resource["UpdateReplacePolicy"]), (&json!("Retain"), &json!("Retain")));
}

/// What is written while a restore compares the tables would be lost: counts of calls, and when keys were used, may be. The hook can ask no function that
/// is stopped.
#[test]
fn a_restore_stops_every_function_that_writes_rows_and_starts_those_with_routes_before_the_switch() {
    const WRITES: [&str; 4] = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"];
    let writes = |action: &str| WRITES.iter().any(|write| action == format!("dynamodb:{write}"));
    let mut writers = Template::read().functions();
    let counts = |statement: &Statement| {
        let keys = statement.condition.values().filter_map(|keys| keys.get("dynamodb:LeadingKeys"));
        let keys: Vec<&str> = keys.flat_map(OneOrMore::strings).collect();
        matches!(keys[..], ["COUNTER#*" | "KEY_USE#*"])
    };
    writers.retain(|function| {
        let statements = function.policy.iter().filter(|statement| !counts(statement));
        statements.flat_map(|statement| statement.action.strings()).any(writes)
    });
    let text = std::fs::read_to_string(workspace_root().join("docs/restore.md")).unwrap();
    let listed = |variable: &str| {
        let (_, after) = text.split_once(&format!("{variable}=\"")).unwrap();
        let (names, _) = after.split_once('"').unwrap();
        names.split_whitespace().map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let ids: BTreeSet<String> = writers.iter().map(Function::logical_id).collect();
    assert_eq!(listed("FUNCTIONS"), ids, "stopped by docs/restore.md, and those that may write");
    writers.retain(|function| !function.routes.is_empty());
    let ids: BTreeSet<String> = writers.iter().map(Function::logical_id).collect();
    assert_eq!(listed("WITH_ROUTES"), ids, "started before the switch, and those that the hook asks");
    let position = |step: &str| text.find(step).unwrap_or_else(|| panic!("no step {step}"));
    let steps = ["**Stop everything", "**Close the old table", "**Start the functions with routes**", "**Switch the stack**"];
    assert!(steps.map(position).is_sorted(), "the old table is closed before anything writes again");
}

/// Stacks, hosts and certificates by their names in the templates: one that is added has to be thought of.
#[test]
fn a_lost_region_is_replaced_by_every_stack_and_host_of_the_product() {
    let text = std::fs::read_to_string(workspace_root().join("docs/restore.md")).unwrap();
    let (_, section) = text.split_once("\n### Before it happens\n").unwrap();
    let (section, _) = section.split_once("\n### What is accepted").unwrap();
    let files = std::fs::read_dir(workspace_root().join("deploy")).unwrap().map(|entry| entry.unwrap().path());
    let stacks = files.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    let stacks = stacks.map(|path| format!("deploy/{}", path.file_name().unwrap().to_str().unwrap())).collect();
    let needs_a_value =
        |name: &str| ["Host", "CertificateArn", "WebAclArn"].iter().any(|end| name.ends_with(end)) && name != "PublicApiHost";
    let parameters = |template: &str| -> Vec<String> {
        let parameters = document(template)["Parameters"].as_object().unwrap().clone();
        parameters.into_iter().map(|(name, _)| name).filter(|name| needs_a_value(name)).collect()
    };
    let named =
        [stacks, parameters("template.yaml"), parameters("deploy/clients.yaml"), vec!["deploy/publish-clients".to_owned()]]
            .concat();
    assert!(named.len() >= 12, "{named:?}");
    let missing: Vec<_> =
        named.iter().filter(|name| !section.contains(&format!("{name}`")) && !section.contains(&format!("{name} "))).collect();
    assert!(missing.is_empty(), "docs/restore.md does not say when these come: {missing:?}");
}

#[test]
fn every_step_of_a_restore_says_what_happens_if_it_stops_half_way() {
    let text = std::fs::read_to_string(workspace_root().join("docs/restore.md")).unwrap();
    let (_, section) = text.split_once("\n## Steps\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let mut number = 0;
    let mut rest = section;
    while let Some((_, step)) = rest.split_once(&format!("\n{}. **", number + 1)) {
        number += 1;
        rest = step;
        let step = step.split(&format!("\n{}. **", number + 1)).next().unwrap();
        assert!(step.contains("*If it stops half way*"), "step {number}");
    }
    assert_eq!(number, 9);
}

#[test]
fn backups_lie_in_a_locked_vault_for_as_long_as_its_lock_demands() {
    let backup = document("deploy/backup.yaml");
    let resources = &backup["Resources"];
    let lock = &resources["LockedVault"]["Properties"]["LockConfiguration"];
    for retention in [&lock["MinRetentionDays"], &lock["MaxRetentionDays"]] {
        assert_eq!(retention, "${RetentionDays}");
    }
    assert!(!lock["ChangeableForDays"].is_null(), "without it, whoever may unlock the vault can delete the backups");
    let copy = &resources["Plan"]["Properties"]["BackupPlan"]["BackupPlanRule"][0]["CopyActions"][0];
    let (to, days) = (&copy["DestinationBackupVaultArn"], &copy["Lifecycle"]["DeleteAfterDays"]);
    assert_eq!((to, days), (&"${CopyTo}".into(), &"${RetentionDays}".into()));
}
