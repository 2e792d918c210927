//! Known values in unusable replies of every upstream, which no log may contain.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use world::runtime::{self, Function};
use world::{Log, System, events};

/// A secret or a card code in a reply.
const CANARY: &str = "CANARY-9752000011112222";

/// A reply that is cut off, a reply of another service, and rows whose attributes have invalid types and values.
fn replies() -> Vec<(&'static str, &'static str, String)> {
    let row = json!({
        "pk": {"S": CANARY}, "sk": {"S": CANARY}, "id": {"S": CANARY}, "created_at": {"S": CANARY},
        "merchant_id": {"M": {CANARY: {"S": CANARY}}}, "version": {"N": CANARY}, "total": {"S": CANARY},
        "role": {"L": [{"S": CANARY}]}, "fees": {"S": CANARY}, "state": {"S": CANARY}, "reference": {"N": CANARY},
    });
    let cut_off = |text: String| text[..text.len() - 3].to_owned();
    let secret = json!({"SecretString": json!({"apiKey": CANARY, "signingKey": CANARY}).to_string()});
    vec![
        // First: the functions cache secrets.
        ("secretsmanager", "*", cut_off(secret.to_string())),
        ("secretsmanager", "*", json!({"SecretString": CANARY}).to_string()),
        ("dynamodb", "BatchGetItem", cut_off(json!({"Responses": {"portal": [row]}}).to_string())),
        ("dynamodb", "BatchGetItem", json!({"Responses": {"portal": {CANARY: row}}}).to_string()),
        ("dynamodb", "BatchGetItem", CANARY.to_owned()),
        ("dynamodb", "GetItem", json!({"Item": row}).to_string()),
        ("dynamodb", "GetItem", cut_off(json!({"Item": row}).to_string())),
        ("dynamodb", "GetItem", json!({"Item": {"pk": {"S": true, "N": CANARY}}}).to_string()),
        ("dynamodb", "Query", json!({"Items": [row], "Count": 1}).to_string()),
        ("dynamodb", "Query", cut_off(json!({"Items": [row], "Count": 1}).to_string())),
        ("dynamodb", "TransactWriteItems", cut_off(json!({"ItemCollectionMetrics": {CANARY: CANARY}}).to_string())),
        ("s3", "*", format!("<Error><Code>{CANARY}</Code>")),
        ("ses", "*", format!("<SendEmailResponse><SendEmailResult><MessageId>{CANARY}")),
        ("ses", "*", json!({CANARY: CANARY}).to_string()),
        ("card-network", "*", cut_off(json!({"cardNo": CANARY, "qrCode": CANARY}).to_string())),
        ("card-network", "*", json!({"cardNo": [CANARY], "retailStores": CANARY, "status": CANARY}).to_string()),
        ("verifier", "*", cut_off(json!({"verification": {"id": CANARY}}).to_string())),
        ("verifier", "*", json!({"verification": {"id": CANARY, "status": 7, "expiresAt": CANARY}}).to_string()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_log_contains_a_value_of_an_unusable_reply() {
    // The workers of the local system run in this process.
    let worker_log = Log::of_process();
    let system = System::demo().await;
    system.local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    let events: Vec<(String, Value)> = events().into_iter().collect();
    let names = events.iter().map(|(name, _)| name.split('/').next().unwrap()).chain(["sweep"]);
    let mut functions: BTreeMap<&str, Function> = BTreeMap::new();
    for name in names {
        if !functions.contains_key(name) {
            functions.insert(name, Function::start(name, &system.local.environment).await);
        }
    }

    for (target, operation, reply) in replies() {
        system.set_fault(target, operation, "body", reply).await;
        for (name, event) in &events {
            functions[name.split('/').next().unwrap()].invoke(event).await;
        }
        functions["sweep"].invoke(&json!({})).await;
    }
    system.set_faults(json!([])).await;

    let mut logs: Vec<String> = functions.into_values().map(Function::stop).collect();
    logs.push(worker_log.text());
    let lines: Vec<&str> = logs.iter().flat_map(|log| log.lines()).collect();
    let leaks: Vec<&&str> = lines.iter().filter(|line| line.contains("9752000011112222")).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
    for expected in ["GetItem failed", "Query failed", "GetSecretValue failed", "unreadable row"] {
        assert!(lines.iter().any(|line| line.contains(expected)), "nothing was logged as {expected:?}");
    }
}
