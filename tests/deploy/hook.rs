//! The hook that asks every new version before it gets traffic. Runs its program from the template.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;
use local::{Local, Options, table};
use serde_json::{Value, json};
use shared::aws::Aws;
use shared::base::clock::Clock;
use shared::base::metrics::Metrics;
use shared::base::random::Random;
use shared::db::model::restore::{RestoreStep, Restores};
use shared::db::{Store, Write};
use world::runtime::{self, Function};
use world::workspace_root;

use crate::template::{Template, document};

/// Stands in for the AWS SDK for Python. What AWS answers is in `answers.json`; prints what the hook reports.
const SDK: &str = r#"
import io, json, datetime, os

class Missing(Exception):
    pass

class Client:
    class exceptions:
        PolicyNotFoundException = ResourceNotFoundException = Missing

        class ConditionalCheckFailedException(Exception):
            pass

    def __init__(self):
        with open("answers.json") as file:
            self.answers = json.load(file)

    def list_deployment_targets(self, deploymentId):
        assert deploymentId == "d-1"
        return {"targetIds": ["t-1"]}

    def batch_get_deployment_targets(self, deploymentId, targetIds):
        assert (deploymentId, targetIds) == ("d-1", ["t-1"])
        info = {"functionName": self.answers["function"], "currentVersion": "6", "targetVersion": "7"}
        return {"deploymentTargets": [{"lambdaTarget": {"lambdaFunctionInfo": info}}]}

    def invoke(self, FunctionName, Qualifier, Payload):
        assert (FunctionName, Qualifier) == (self.answers["function"], "7")
        assert json.loads(Payload)["headers"]["x-front-door-secret"] == os.environ["FRONT_DOOR_SECRET"] != ""
        # A line for each call.
        with open("calls", "a+") as file:
            file.write("call\n")
            file.seek(0)
            calls = len(file.readlines())
        failures = self.answers.get("failures", 0)
        answer = {"statusCode": 500} if calls <= failures else self.answers["answer"]
        return {"ExecutedVersion": self.answers["version"], "Payload": io.BytesIO(json.dumps(answer).encode())}

    def describe_table(self, TableName):
        if TableName not in self.answers["tables"]:
            raise Missing(TableName)
        table = self.answers["tables"][TableName]
        return {"Table": {**table, "CreationDateTime": datetime.datetime.fromisoformat(table["CreationDateTime"])}}

    def get_item(self, TableName, Key, ConsistentRead):
        assert Key == {"pk": {"S": "RESTORE#"}, "sk": {"S": "LOST"}} and ConsistentRead
        return self.answers["row"]

    # It is tested against a table.
    def update_item(self, **update):
        with open("updates", "w") as file:
            json.dump(update, file)
        raise self.exceptions.ConditionalCheckFailedException

    def get_paginator(self, operation):
        history = [{"Version": version, "Value": name} for version, name in enumerate(self.answers["history"])]
        # The order is not promised.
        pages = {
            "get_parameter_history": [{"Parameters": history[1:]}, {"Parameters": history[:1]}],
            "list_tables": [{"TableNames": list(self.answers["tables"])}],
        }[operation]
        return type("Paginator", (), {"paginate": lambda self, **_: pages})()

    def get_resource_policy(self, ResourceArn):
        if ResourceArn not in self.answers["policies"]:
            raise Missing(ResourceArn)
        return {"Policy": self.answers["policies"][ResourceArn]}

    def put_lifecycle_event_hook_execution_status(self, **status):
        print(json.dumps(status))

def client(_):
    return Client()
"#;

fn properties() -> Value {
    document("template.yaml")["Resources"]["RolloutHook"]["Properties"].clone()
}

/// The requests to each function, by its logical id: method, path and expected status.
fn requests() -> BTreeMap<String, Vec<(String, String, u16)>> {
    serde_json::from_str(properties()["Environment"]["Variables"]["REQUESTS"].as_str().unwrap()).unwrap()
}

/// Runs a Python program with the hook as the module `index`, and returns what it prints.
fn run(folder: &Path, program: &str, environment: &[(&str, &str)]) -> String {
    std::fs::write(folder.join("index.py"), properties()["Code"]["ZipFile"].as_str().unwrap()).unwrap();
    std::fs::write(folder.join("boto3.py"), SDK).unwrap();
    let requests = properties()["Environment"]["Variables"]["REQUESTS"].as_str().unwrap().to_owned();
    let output = Command::new("python3")
        .args(["-B", "-c", program])
        .current_dir(folder)
        .env("PYTHONPATH", folder)
        .env("REQUESTS", requests)
        .env("FRONT_DOOR_SECRET", "front")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The status that the hook reports, and the problems that it logs.
fn report(answers: &Value, restored_table: &str) -> (String, Vec<String>) {
    report_in(tempfile::tempdir().unwrap().path(), answers, restored_table)
}

fn report_in(folder: &Path, answers: &Value, restored_table: &str) -> (String, Vec<String>) {
    std::fs::write(folder.join("answers.json"), answers.to_string()).unwrap();
    let program = "import index; index.handler({'DeploymentId': 'd-1', 'LifecycleEventHookExecutionId': 'e-1'}, None)";
    let environment = [
        ("STACK", "portal-prod"),
        ("PAUSES", "[0, 0]"),
        ("TABLE", if restored_table.is_empty() { "portal-prod-Table-1" } else { "" }),
        ("FORMER_TABLE", answers["former"].as_str().unwrap()),
        ("RESTORED_TABLE", restored_table),
        ("RESTORED_TABLE_STREAM", "2026-11-05T10:12:13.456"),
        ("TABLE_PARAMETER", "/portal-prod/table"),
    ];
    let printed = run(folder, program, &environment);
    let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [.., log, status] = &lines[..] else { panic!("{printed}") };
    assert_eq!((&status["deploymentId"], &status["lifecycleEventHookExecutionId"]), (&json!("d-1"), &json!("e-1")));
    let problems = log["problems"].as_array().unwrap().iter().map(|problem| problem.as_str().unwrap().to_owned()).collect();
    (status["status"].as_str().unwrap().to_owned(), problems)
}

/// What AWS answers about a healthy version, and about a table that was restored from another one.
fn healthy() -> Value {
    json!({
        "function": "portal-prod-PosFunction-AbC1", "version": "7", "answer": {"statusCode": 401},
        "tables": {
            "portal-prod-Table-1": {
                "TableName": "portal-prod-Table-1", "TableArn": "former", "CreationDateTime": "2026-01-01T00:00:00+00:00",
            },
            "portal-restored-1": {
                "TableArn": "restored", "LatestStreamLabel": "2026-11-05T10:12:13.456", "RestoreSummary": {},
                "CreationDateTime": "2026-11-05T09:30:00+00:00",
            },
            "portal-restored-2": {
                "TableName": "portal-restored-2", "TableArn": "younger", "CreationDateTime": "2026-11-06T00:00:00+00:00",
            },
        },
        "row": {"Item": {"table": {"S": "portal-restored-1"}, "step": {"S": "PREPARED"}}},
        "history": ["portal-prod-Table-1", "portal-restored-1", "portal-restored-2", "deleted", "portal-restored-1"],
        "policies": {"former": closing_policy()}, "former": "deleted",
    })
}

/// The policy by which `admin/restore-table` closes a table.
fn closing_policy() -> String {
    let script = std::fs::read_to_string(workspace_root().join("admin/restore-table")).unwrap();
    let (_, rest) = script.split_once("cat <<JSON\n").unwrap();
    rest.split_once("\nJSON").unwrap().0.to_owned()
}

#[test]
fn every_function_with_routes_is_asked_before_it_gets_traffic() {
    let functions: Vec<_> = Template::read().functions().into_iter().filter(|function| !function.routes.is_empty()).collect();
    for function in &functions {
        let preference = &function.properties["DeploymentPreference"];
        assert_eq!(preference["Hooks"], json!({"PreTraffic": "${RolloutHook}"}), "{}", function.name);
    }
    let ids: BTreeSet<String> = functions.iter().map(crate::template::Function::logical_id).collect();
    assert_eq!(requests().into_keys().collect::<BTreeSet<_>>(), ids, "functions that are asked, and those with routes");
}

#[test]
fn the_hook_may_only_ask_the_functions_with_routes_look_at_tables_and_report() {
    let role = document("template.yaml")["Resources"]["RolloutHookRole"]["Properties"].clone();
    assert!(role["ManagedPolicyArns"].is_null());
    let statements = role["Policies"][0]["PolicyDocument"]["Statement"].as_array().unwrap().clone();
    let listed = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let of_all: BTreeSet<String> = statements
        .iter()
        .flat_map(|statement| listed(&statement["Action"]))
        .map(|action| action.as_str().unwrap().to_owned())
        .collect();
    let expected = "codedeploy:BatchGetDeploymentTargets codedeploy:ListDeploymentTargets \
                    codedeploy:PutLifecycleEventHookExecutionStatus dynamodb:DescribeTable dynamodb:GetItem \
                    dynamodb:GetResourcePolicy dynamodb:ListTables dynamodb:UpdateItem lambda:InvokeFunction \
                    logs:CreateLogStream logs:PutLogEvents ssm:GetParameterHistory";
    assert_eq!(of_all, expected.split(' ').map(str::to_owned).collect());
    let invoke = statements.iter().find(|statement| statement["Action"] == "lambda:InvokeFunction").unwrap();
    let arn = |id: &String| {
        format!("arn:${{AWS::Partition}}:lambda:${{AWS::Region}}:${{AWS::AccountId}}:function:${{AWS::StackName}}-{id}-*:*")
    };
    let allowed: BTreeSet<String> =
        listed(&invoke["Resource"]).iter().map(|resource| resource.as_str().unwrap().to_owned()).collect();
    assert_eq!(allowed, requests().keys().map(arn).collect());
}

#[test]
fn a_version_that_does_not_answer_as_expected_gets_no_traffic() {
    assert_eq!(report(&healthy(), ""), ("Succeeded".to_owned(), vec![]));
    for (member, value, problem) in [
        ("answer", json!({"statusCode": 500}), "GET /api/bff/pos/offers: 500 instead of 401"),
        ("answer", json!({"statusCode": 200}), "GET /api/bff/pos/offers: 200 instead of 401"),
        ("answer", json!({"errorType": "Runtime.ExitError"}), "None instead of 401"),
        ("answer", Value::Null, "None instead of 401"),
        ("version", json!("6"), "version 6 answered instead of 7"),
        ("function", json!("portal-prod-JobsFunction-AbC1"), "KeyError: 'JobsFunction'"),
    ] {
        let mut answers = healthy();
        answers[member] = value.clone();
        let (status, problems) = report(&answers, "");
        assert_eq!(status, "Failed", "{member}: {value}");
        assert!(matches!(&problems[..], [found] if found.contains(problem)), "{member}: {value}: {problems:?}");
    }
}

/// IAM may not know the new policies yet.
#[test]
fn a_version_that_answers_at_the_third_attempt_gets_traffic() {
    for (failures, expected) in [(2, "Succeeded"), (3, "Failed")] {
        let mut answers = healthy();
        answers["failures"] = failures.into();
        assert_eq!(report(&answers, "").0, expected, "{failures}");
    }
    let attempts = properties()["Environment"]["Variables"]["PAUSES"].clone();
    assert_eq!(serde_json::from_str::<Vec<u64>>(attempts.as_str().unwrap()).unwrap().len(), 2);
}

/// Runs the hooks of as many functions at once, in an account that runs so many functions. All ask before one of them is answered:
/// no other order leaves them less. Prints how many rollouts go on.
const AT_ONCE: &str = r#"
import boto3, index, threading

class Account:
    def __init__(self, free):
        self.free, self.hooks, self.arrived, self.round = free, 0, 0, 0
        self.changed = threading.Condition()

    def take(self):
        with self.changed:
            self.free -= 1 if (taken := self.free > 0) else 0
            return taken

    def give(self):
        with self.changed:
            self.free += 1

    # Waits until all hooks that run have come here.
    def wait_for_all(self):
        with self.changed:
            self.arrived += 1
            round = self.round
            self.go_on()
            self.changed.wait_for(lambda: self.round > round)

    def end_hook(self):
        with self.changed:
            self.free += 1
            self.hooks -= 1
            self.go_on()

    def go_on(self):
        if self.arrived == self.hooks:
            self.arrived, self.round = 0, self.round + 1
            self.changed.notify_all()

class Client(boto3.Client):
    def invoke(self, **call):
        account.wait_for_all()
        taken = account.take()
        account.wait_for_all()
        if not taken:
            raise Exception("TooManyRequestsException")
        account.give()
        return super().invoke(**call)

    def put_lifecycle_event_hook_execution_status(self, status, **_):
        reported.append(status)

def hook():
    index.handler({"DeploymentId": "d-1", "LifecycleEventHookExecutionId": "e-1"}, None)
    account.end_hook()

boto3.client = lambda _: Client()
index.print = lambda _: None
account, reported = Account(CONCURRENCY), []
# Those for which there is no room do not begin.
threads = [threading.Thread(target=hook) for _ in range(HOOKS) if account.take()]
account.hooks = len(threads)
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(reported.count("Succeeded"))
"#;

#[test]
fn rollouts_of_all_functions_at_once_pass_unless_the_account_is_new() {
    let hooks = requests().len();
    let guide = std::fs::read_to_string(workspace_root().join("docs/deploy.md")).unwrap();
    for (concurrency, passed) in [(10, 0), (hooks + 1, 7), (hooks + 2, hooks), (2 * hooks, hooks), (100, hooks)] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("answers.json"), healthy().to_string()).unwrap();
        let program = AT_ONCE.replace("CONCURRENCY", &concurrency.to_string()).replace("HOOKS", &hooks.to_string());
        let environment = [
            ("STACK", "portal-prod"),
            ("PAUSES", "[0, 0]"),
            ("TABLE", "portal-prod-Table-1"),
            ("RESTORED_TABLE", ""),
            ("TABLE_PARAMETER", "/portal-prod/table"),
        ];
        assert_eq!(run(folder.path(), &program, &environment).trim(), passed.to_string(), "{concurrency}");
    }
    let states = format!("{hooks} hooks and their functions need {} of these 100", hooks + 2);
    assert!(guide.contains(&states), "docs/deploy.md does not state: {states}");
}

#[test]
fn no_version_uses_a_restored_table_while_a_former_one_is_open() {
    const TABLE: &str = "portal-restored-1";
    assert_eq!(report(&healthy(), TABLE), ("Succeeded".to_owned(), vec![]));
    let open = json!({"Version": "2012-10-17", "Statement": [{"Sid": "Closed", "Effect": "Allow"}]}).to_string();
    for (pointer, value, problem) in [
        ("/policies", json!({}), "portal-prod-Table-1 is open to writes"),
        ("/policies/former", json!(open), "portal-prod-Table-1 is open to writes"),
        ("/policies", json!({"former": closing_policy(), "restored": closing_policy()}), "portal-restored-1 is closed to writes"),
        ("/row", json!({}), "portal-restored-1 is not prepared"),
        ("/row/Item/step", json!({"S": "PREPARING"}), "portal-restored-1 is not prepared"),
        // What an earlier restore has left in the rows.
        ("/row/Item/table", json!({"S": "portal-restored-0"}), "portal-restored-1 is not prepared"),
        ("/former", json!("portal-prod-Table-1"), "FormerTable is not deleted, which"),
        ("/tables/portal-restored-1/LatestStreamLabel", json!("other"), "RestoredTableStream is not the stream"),
        ("/tables", json!({}), "Missing: portal-restored-1"),
    ] {
        let mut answers = healthy();
        *answers.pointer_mut(pointer).unwrap() = value;
        let (status, problems) = report(&answers, TABLE);
        assert_eq!(status, "Failed", "{pointer}");
        assert!(matches!(&problems[..], [found] if found.contains(problem)), "{pointer}: {problems:?}");
    }
    // Deployments after the restore is complete, and a table that was not restored, but left behind by a deleted stack.
    let mut answers = healthy();
    answers["row"]["Item"]["step"]["S"] = json!("IN_USE");
    assert_eq!(report(&answers, TABLE).0, "Succeeded");
    let mut answers = healthy();
    answers["row"] = json!({});
    answers["tables"][TABLE].as_object_mut().unwrap().remove("RestoreSummary");
    assert_eq!(report(&answers, TABLE).0, "Succeeded");
}

/// The deployment that made the restored table the stack's has been forgotten, or the stack was deleted and is made again.
#[test]
fn no_version_uses_a_new_table_while_there_is_another_one() {
    let with = |history: Value, tables: &[(&str, &str)]| {
        let mut answers = healthy();
        answers["history"] = history;
        let tables = tables.iter().map(|(name, born)| ((*name).to_owned(), json!({"CreationDateTime": born})));
        answers["tables"] = tables.collect::<serde_json::Map<_, _>>().into();
        report(&answers, "")
    };
    let (own, early, late) = ("portal-prod-Table-1", "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00");
    let (first, other) = ((own, early), ("portal-prod-Table-0", early));
    assert_eq!(with(json!([own]), &[first]).0, "Succeeded", "the first deployment");
    let rolled_back = with(json!([own, "portal-restored-1", own]), &[first, ("portal-restored-1", late)]);
    assert_eq!(rolled_back.0, "Succeeded", "a switch that was rolled back");
    let other_stack = ("portal-staging-Table-1", early);
    assert_eq!(with(json!([own]), &[(own, late), other_stack]).0, "Succeeded", "another stack");
    for (history, tables, had) in [
        (
            json!(["portal-prod-Table-0", "portal-restored-1", own]),
            vec![(own, late)],
            vec!["portal-prod-Table-0", "portal-restored-1"],
        ),
        (json!(["portal-restored-1", own]), vec![(own, late)], vec!["portal-restored-1"]),
        (json!([own]), vec![(own, late), other], vec!["portal-prod-Table-0"]),
    ] {
        let said =
            |other| format!("{own} is new and empty, and the stack has had {other}: deploy its present one as RestoredTable");
        assert_eq!(with(history, &tables), ("Failed".to_owned(), had.into_iter().map(said).collect()));
    }
}

/// From then on, it cannot be prepared any more.
#[tokio::test]
async fn a_table_is_in_use_before_a_version_uses_it() {
    const TABLE: &str = "portal-restored-1";
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(report_in(folder.path(), &healthy(), TABLE).0, "Succeeded");
    let update: Value = serde_json::from_str(&std::fs::read_to_string(folder.path().join("updates")).unwrap()).unwrap();

    let local = Local::start(Options::default()).await.unwrap();
    let client = Aws::new(local.app().settings.aws.clone()).dynamodb();
    table::ensure(&client, TABLE).await.unwrap();
    let store = Store::new(client.clone(), TABLE, Random::system(), Metrics::new(None, Clock::system()));
    let preparing = |table| Restores::default().preparing(table, Timestamp::UNIX_EPOCH).unwrap();
    for (before, step) in [
        (preparing(TABLE), RestoreStep::Preparing),
        (preparing(TABLE).prepared(), RestoreStep::InUse),
        (preparing("portal-restored-0").prepared(), RestoreStep::Prepared),
    ] {
        store.commit(vec![Write::put(&before).unwrap()]).await.unwrap();
        for _ in 0..2 {
            drop(carry_out(&client, &update).await);
            let read = store.restores().await.unwrap().unwrap();
            assert_eq!(read.value, Restores { step, ..before.clone() });
        }
    }

    let mut answers = healthy();
    answers["policies"] = json!({});
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(report_in(folder.path(), &answers, TABLE).0, "Failed");
    assert!(!folder.path().join("updates").exists(), "a refused version does not use the table");
}

/// An `UpdateItem` as the AWS SDK for Python takes it.
async fn carry_out(client: &aws_sdk_dynamodb::Client, update: &Value) -> Result<(), Box<dyn std::error::Error>> {
    let value = |value: &Value| match (value["S"].as_str(), value["N"].as_str()) {
        (Some(text), _) => AttributeValue::S(text.to_owned()),
        (None, number) => AttributeValue::N(number.unwrap().to_owned()),
    };
    let members = |name: &str| update[name].as_object().unwrap().clone();
    let values = members("ExpressionAttributeValues").into_iter().map(|(name, of)| (name, value(&of))).collect();
    let names =
        members("ExpressionAttributeNames").into_iter().map(|(name, of)| (name, of.as_str().unwrap().to_owned())).collect();
    client
        .update_item()
        .table_name(update["TableName"].as_str().unwrap())
        .set_key(Some(members("Key").into_iter().map(|(name, of)| (name, value(&of))).collect()))
        .update_expression(update["UpdateExpression"].as_str().unwrap())
        .condition_expression(update["ConditionExpression"].as_str().unwrap())
        .set_expression_attribute_names(Some(names))
        .set_expression_attribute_values(Some(values))
        .send()
        .await?;
    Ok(())
}

#[test]
fn a_closed_table_refuses_every_write() {
    let policy: Value = serde_json::from_str(&closing_policy()).unwrap();
    let [statement] = &policy["Statement"].as_array().unwrap()[..] else { panic!("{policy}") };
    assert_eq!((&statement["Effect"], &statement["Principal"]), (&json!("Deny"), &json!("*")));
    assert!(statement["Condition"].is_null(), "nobody is excepted");
    let denied: BTreeSet<&str> = statement["Action"].as_array().unwrap().iter().map(|action| action.as_str().unwrap()).collect();
    let functions = Template::read().functions().into_iter();
    let actions = functions
        .flat_map(|function| function.policy)
        .flat_map(|statement| statement.action.strings().into_iter().map(str::to_owned).collect::<Vec<_>>());
    let reads = ["Get", "BatchGet", "Query", "Describe", "List", "ConditionCheck"];
    let writes = actions
        .filter(|action| action.strip_prefix("dynamodb:").is_some_and(|name| !reads.iter().any(|read| name.starts_with(read))));
    for write in writes {
        assert!(denied.contains(write.as_str()), "{write}");
    }
    let script = std::fs::read_to_string(workspace_root().join("admin/restore-table")).unwrap();
    let (_, restore) = script.split_once("closing $source to writes").unwrap();
    let (before, _) = restore.split_once("restoring $source").unwrap();
    assert!(before.contains("close \"$source\"\n"), "the table is closed before it is restored");
}

/// The functions answer the requests of the hook as it expects, read the table for it, and write nothing.
#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_the_hook_read_the_table_and_change_nothing() {
    let local = Local::start(Options::default()).await.unwrap();
    runtime::build_binaries();
    let folder = tempfile::tempdir().unwrap();
    for (id, requests) in requests() {
        let name = id.strip_suffix("Function").unwrap().to_lowercase();
        let function = Function::start(&name, &local.environment).await;
        for (method, path, expected) in requests {
            let program = format!("import index, json; print(json.dumps(index.event({method:?}, {path:?})))");
            let event = serde_json::from_str(&run(folder.path(), &program, &[])).unwrap();
            let answer = function.invoke(&event).await;
            assert_eq!(answer["statusCode"], expected, "{name}: {method} {path}: {answer}");
        }
        function.stop();
        let calls = local.calls();
        let actions: BTreeSet<&str> =
            calls.get(&name).into_iter().flatten().flatten().map(|permission| permission.action.as_str()).collect();
        assert!(
            actions.iter().any(|action| ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"].contains(action)),
            "{name}: {actions:?}"
        );
        for write in ["Put", "Update", "Delete", "BatchWrite"] {
            let writes = |action: &&&str| action.split(':').next_back().unwrap().starts_with(write);
            assert_eq!(actions.iter().find(writes), None, "{name}");
        }
    }
}
