//! What each function needs leave for at AWS, as seen from its calls: nothing here asks for leave, and so a policy can
//! only be compared with what was needed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use serde_json::Value;

use super::REGION;
use crate::faults::application;

/// The attribute that a table is partitioned by.
const PARTITION_KEY: &str = "pk";

/// One action on one resource, in the words of a policy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    pub action: String,
    pub resource: String,
    /// What a policy's condition can ask about, and what it is.
    pub context: Option<(&'static str, String)>,
}

/// The permissions that were needed, by the application name of who needed them. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Permissions(Arc<Mutex<ByFunction>>);

type ByFunction = BTreeMap<String, BTreeSet<Permission>>;

impl Permissions {
    /// All that were needed so far.
    pub fn by_function(&self) -> BTreeMap<String, BTreeSet<Permission>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what a call with these headers needs.
    pub(super) fn need(&self, headers: &HeaderMap, needed: impl IntoIterator<Item = Permission>) {
        let function = application(headers).unwrap_or("other").to_owned();
        let mut functions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        functions.entry(function).or_default().extend(needed);
    }
}

/// The name of something in this account.
pub(super) fn arn(service: &str, name: &str) -> String {
    format!("arn:aws:{service}:{REGION}:000000000000:{name}")
}

/// What an operation of DynamoDB needs. A transaction needs the permission of each single write in it.
pub(super) fn of_dynamodb(operation: &str, request: &[u8]) -> Vec<Permission> {
    let Ok(request) = serde_json::from_slice::<Value>(request) else { return Vec::new() };
    match operation {
        "TransactWriteItems" | "TransactGetItems" => {
            let items = request.get("TransactItems").and_then(Value::as_array).into_iter().flatten();
            let parts = items.filter_map(Value::as_object).flatten();
            parts.map(|(part, request)| on_item(action_of_part(part), request)).collect()
        }
        "BatchGetItem" | "BatchWriteItem" => in_batch(operation, &request).collect(),
        "Query" => vec![query(&request)],
        _ => vec![on_item(operation, &request)],
    }
}

fn action_of_part(part: &str) -> &str {
    match part {
        "Put" => "PutItem",
        "Update" => "UpdateItem",
        "Delete" => "DeleteItem",
        "Get" => "GetItem",
        _ => "ConditionCheckItem",
    }
}

fn on_item(action: &str, request: &Value) -> Permission {
    on_table(action, text(request, "TableName"), partition_of_item(request))
}

fn in_batch<'a>(action: &'a str, request: &'a Value) -> impl Iterator<Item = Permission> {
    let tables = request.get("RequestItems").and_then(Value::as_object).into_iter().flatten();
    tables.flat_map(move |(table, wanted)| {
        let keys = wanted.get("Keys").and_then(Value::as_array).into_iter().flatten();
        let of_keys = keys.map(|key| key.get(PARTITION_KEY));
        let writes = wanted.as_array().into_iter().flatten().filter_map(Value::as_object);
        let of_writes = writes.flat_map(|write| write.values()).map(partition_of_item);
        of_keys.chain(of_writes).map(move |partition| on_table(action, table, partition))
    })
}

fn query(request: &Value) -> Permission {
    let table = text(request, "TableName");
    let resource = match request.get("IndexName").and_then(Value::as_str) {
        Some(index) => format!("{table}/index/{index}"),
        None => table.to_owned(),
    };
    on_table("Query", &resource, queried_partition(request))
}

/// The value in a condition such as `#pk = :pk AND …`. A partition is always asked for by equality.
fn queried_partition(request: &Value) -> Option<&Value> {
    let mut words = text(request, "KeyConditionExpression").split_whitespace();
    let value = words.find(|word| *word == "=").and_then(|_| words.next())?;
    request.get("ExpressionAttributeValues")?.get(value)
}

/// The partition of the row that is put or named.
fn partition_of_item(request: &Value) -> Option<&Value> {
    request.get("Item").or_else(|| request.get("Key"))?.get(PARTITION_KEY)
}

fn on_table(action: &str, table: &str, partition: Option<&Value>) -> Permission {
    let partition = partition.and_then(|value| value.get("S")).and_then(Value::as_str);
    Permission {
        action: format!("dynamodb:{action}"),
        resource: arn("dynamodb", &format!("table/{table}")),
        context: partition.map(|partition| ("dynamodb:LeadingKeys", kind(partition).to_owned())),
    }
}

/// A partition without its id, such as `MERCHANT#`: policies know no more of it, and there are few kinds.
fn kind(partition: &str) -> &str {
    partition.split_inclusive('#').next().unwrap_or_default()
}

fn text<'a>(request: &'a Value, name: &str) -> &'a str {
    request.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// What an operation of S3 on an object needs. To whoever may not list the bucket, a missing object is forbidden.
pub(super) fn of_s3(operation: &str, bucket: &str, key: &str, is_missing: bool) -> Vec<Permission> {
    let action = if operation == "HeadObject" { "GetObject" } else { operation };
    let on = |action: &str, resource: String| Permission {
        action: format!("s3:{action}"),
        resource: format!("arn:aws:s3:::{resource}"),
        context: None,
    };
    let listing = is_missing.then(|| on("ListBucket", bucket.to_owned()));
    std::iter::once(on(action, format!("{bucket}/{key}"))).chain(listing).collect()
}

/// What sending a mail needs.
pub(super) fn of_ses(operation: &str, sender: &str) -> Permission {
    Permission {
        action: format!("ses:{operation}"),
        resource: arn("ses", &format!("identity/{sender}")),
        context: Some(("ses:FromAddress", sender.to_owned())),
    }
}

/// What an operation on a secret needs.
pub(super) fn of_secrets_manager(operation: &str, arn: String) -> Permission {
    Permission { action: format!("secretsmanager:{operation}"), resource: arn, context: None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn needed(operation: &str, request: &Value) -> Vec<String> {
        let needed = of_dynamodb(operation, request.to_string().as_bytes());
        let shown = needed.into_iter().map(|permission| {
            let resource = permission.resource.rsplit_once(':').unwrap().1.to_owned();
            format!("{} {resource} {}", permission.action, permission.context.unwrap_or_default().1)
        });
        shown.collect()
    }

    #[test]
    fn a_transaction_needs_what_each_of_its_writes_needs() {
        let item = json!({"pk": {"S": "USER#1"}, "sk": {"S": "USER"}});
        let row = |item_or_key: &str| json!({"TableName": "t", item_or_key: item});
        let writes = json!({"TransactItems": [
            {"Put": row("Item")}, {"Delete": row("Key")}, {"Update": row("Key")}, {"ConditionCheck": row("Key")},
        ]});
        let expected = ["PutItem", "DeleteItem", "UpdateItem", "ConditionCheckItem"]
            .map(|action| format!("dynamodb:{action} table/t USER#"));
        assert_eq!(needed("TransactWriteItems", &writes), expected);
    }

    #[test]
    fn a_batch_needs_its_own_permission_for_each_row() {
        let key = |pk: &str| json!({"pk": {"S": pk}});
        let read = json!({"RequestItems": {"t": {"Keys": [key("A#1"), key("B#2")]}}});
        let batch_get = ["dynamodb:BatchGetItem table/t A#", "dynamodb:BatchGetItem table/t B#"];
        assert_eq!(needed("BatchGetItem", &read), batch_get);
        let write = json!({"RequestItems": {"t": [
            {"PutRequest": {"Item": key("A#1")}}, {"DeleteRequest": {"Key": key("B#2")}},
        ]}});
        let batch_write = ["dynamodb:BatchWriteItem table/t A#", "dynamodb:BatchWriteItem table/t B#"];
        assert_eq!(needed("BatchWriteItem", &write), batch_write);
    }

    #[test]
    fn a_query_is_about_a_partition_of_the_table_or_of_an_index() {
        let mut query = json!({
            "TableName": "t", "KeyConditionExpression": "#pk = :pk AND #sk BETWEEN :from AND :to",
            "ExpressionAttributeValues": {":from": {"S": "x#"}, ":pk": {"S": "ORDERS#m"}},
        });
        assert_eq!(needed("Query", &query), ["dynamodb:Query table/t ORDERS#"]);
        query["IndexName"] = json!("lists");
        assert_eq!(needed("Query", &query), ["dynamodb:Query table/t/index/lists ORDERS#"]);
    }
}
