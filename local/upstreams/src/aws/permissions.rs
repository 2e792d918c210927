//! Records the IAM permissions that the calls of each function require. The endpoints do not enforce policies; tests
//! compare the policies of the template with this record. One permission changes what S3 answers without refusing the call:
//! `s3:ListBucket`, which can be restricted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use http::HeaderMap;
use serde_json::Value;

use super::REGION;
use crate::faults::application;

/// The partition key attribute of the table and its indexes.
const PARTITION_KEY: &str = "pk";

/// An IAM action on a resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    pub action: String,
    pub resource: String,
    /// The condition key and its value, if policies restrict this action by one.
    pub context: Option<(&'static str, String)>,
    /// The names of the attributes of the item that DynamoDB is to write.
    pub attributes: BTreeSet<String>,
}

/// The required permissions by function. Clones share the same record.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    calls: Arc<Mutex<BTreeMap<String, BTreeSet<Call>>>>,
    listers: Arc<Mutex<Option<Listers>>>,
}

/// What one call requires, such as a transaction for each of its parts.
pub type Call = BTreeSet<Permission>;
/// Functions, each with a bucket whose objects it may list.
type Listers = BTreeSet<(String, String)>;

impl Permissions {
    /// Returns the different calls so far, keyed by the application name of the caller.
    pub fn calls(&self) -> BTreeMap<String, BTreeSet<Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on, only these functions have `s3:ListBucket`, each for a bucket. Otherwise, all have it for all buckets.
    pub fn restrict_listing(&self, listers: BTreeSet<(String, String)>) {
        *self.listers.lock().unwrap_or_else(PoisonError::into_inner) = Some(listers);
    }

    /// Whether the caller may list the objects of a bucket. S3 tells only those that an object is missing.
    pub(super) fn may_list(&self, headers: &HeaderMap, bucket: &str) -> bool {
        let function = application(headers).unwrap_or("other");
        let listers = self.listers.lock().unwrap_or_else(PoisonError::into_inner);
        listers.as_ref().is_none_or(|listers| listers.iter().any(|lister| (function, bucket) == (&lister.0, &lister.1)))
    }

    /// Records the permissions that a call requires. `headers` identify the function.
    pub(super) fn record(&self, headers: &HeaderMap, required: impl IntoIterator<Item = Permission>) {
        let function = application(headers).unwrap_or("other").to_owned();
        let mut functions = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        functions.entry(function).or_default().insert(required.into_iter().collect());
    }
}

/// Builds the ARN of a resource in this account and region.
pub(super) fn arn(service: &str, name: &str) -> String {
    format!("arn:aws:{service}:{REGION}:000000000000:{name}")
}

/// Returns the permissions for a DynamoDB operation. A transaction requires the permission of each of its parts, such
/// as `dynamodb:PutItem`.
pub(super) fn for_dynamodb(operation: &str, request: &[u8]) -> Vec<Permission> {
    let Ok(request) = serde_json::from_slice::<Value>(request) else { return Vec::new() };
    match operation {
        "TransactWriteItems" | "TransactGetItems" => {
            let items = request.get("TransactItems").and_then(Value::as_array).into_iter().flatten();
            let parts = items.filter_map(Value::as_object).flatten();
            parts.map(|(part, request)| for_item(action_of_transaction_part(part), request)).collect()
        }
        "BatchGetItem" | "BatchWriteItem" => for_batch(operation, &request).collect(),
        "Query" => vec![query(&request)],
        _ => vec![for_item(operation, &request)],
    }
}

fn action_of_transaction_part(part: &str) -> &str {
    match part {
        "Put" => "PutItem",
        "Update" => "UpdateItem",
        "Delete" => "DeleteItem",
        "Get" => "GetItem",
        _ => "ConditionCheckItem",
    }
}

fn for_item(action: &str, request: &Value) -> Permission {
    let permission = for_table(action, string_member(request, "TableName"), partition_of_item(request));
    let attributes = request.get("Item").and_then(Value::as_object).into_iter().flatten();
    Permission { attributes: attributes.map(|(name, _)| name.clone()).collect(), ..permission }
}

fn for_batch<'a>(action: &'a str, request: &'a Value) -> impl Iterator<Item = Permission> {
    let tables = request.get("RequestItems").and_then(Value::as_object).into_iter().flatten();
    tables.flat_map(move |(table, requests)| {
        let keys = requests.get("Keys").and_then(Value::as_array).into_iter().flatten();
        let read_partitions = keys.map(|key| key.get(PARTITION_KEY));
        let writes = requests.as_array().into_iter().flatten().filter_map(Value::as_object);
        let written_partitions = writes.flat_map(|write| write.values()).map(partition_of_item);
        read_partitions.chain(written_partitions).map(move |partition| for_table(action, table, partition))
    })
}

fn query(request: &Value) -> Permission {
    let table = string_member(request, "TableName");
    let resource = match request.get("IndexName").and_then(Value::as_str) {
        Some(index) => format!("{table}/index/{index}"),
        None => table.to_owned(),
    };
    for_table("Query", &resource, queried_partition(request))
}

/// The partition key value in a key condition such as `#pk = :pk AND …`. DynamoDB requires equality for the partition
/// key.
fn queried_partition(request: &Value) -> Option<&Value> {
    let mut tokens = string_member(request, "KeyConditionExpression").split_whitespace();
    let value = tokens.find(|token| *token == "=").and_then(|_| tokens.next())?;
    request.get("ExpressionAttributeValues")?.get(value)
}

/// The partition key value of the item to write or of the key in the request.
fn partition_of_item(request: &Value) -> Option<&Value> {
    request.get("Item").or_else(|| request.get("Key"))?.get(PARTITION_KEY)
}

fn for_table(action: &str, table: &str, partition: Option<&Value>) -> Permission {
    let partition = partition.and_then(|value| value.get("S")).and_then(Value::as_str);
    Permission {
        action: format!("dynamodb:{action}"),
        resource: arn("dynamodb", &format!("table/{table}")),
        context: partition.map(|partition| ("dynamodb:LeadingKeys", partition_prefix(partition).to_owned())),
        ..Permission::default()
    }
}

/// The prefix of a partition key value, such as `MERCHANT#`. Policies restrict `dynamodb:LeadingKeys` by prefix only.
fn partition_prefix(partition: &str) -> &str {
    partition.split_inclusive('#').next().unwrap_or_default()
}

fn string_member<'a>(request: &'a Value, name: &str) -> &'a str {
    request.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the permissions for an S3 operation on an object, or for a list of versions. For a missing object S3 returns 403 instead of 404 unless
/// the caller has `s3:ListBucket`.
pub(super) fn for_s3(operation: &str, (bucket, key): (&str, &str), is_missing: bool, has_tags: bool) -> Vec<Permission> {
    let (action, key) = match operation {
        "ListObjectVersions" => ("ListBucketVersions", None),
        "HeadObject" => ("GetObject", Some(key)),
        "CreateMultipartUpload" | "UploadPart" | "CompleteMultipartUpload" => ("PutObject", Some(key)),
        operation => (operation, Some(key)),
    };
    let permission = |action: &str, resource: String| Permission {
        action: format!("s3:{action}"),
        resource: format!("arn:aws:s3:::{resource}"),
        ..Permission::default()
    };
    let list_permission = is_missing.then(|| permission("ListBucket", bucket.to_owned()));
    let resource = key.map_or_else(|| bucket.to_owned(), |key| format!("{bucket}/{key}"));
    let tag_permission = has_tags.then(|| permission("PutObjectTagging", resource.clone()));
    std::iter::once(permission(action, resource)).chain(tag_permission).chain(list_permission).collect()
}

/// Returns the permissions for sending a mail: for the sender, for each recipient, as in the SES sandbox, and for the
/// configuration set.
pub(super) fn for_ses(operation: &str, sender: &str, recipients: &[String], configuration_set: Option<&str>) -> Vec<Permission> {
    let identities = recipients.iter().map(String::as_str).chain([sender]);
    let identities = identities.map(|address| format!("identity/{address}"));
    let configuration_set = configuration_set.map(|name| format!("configuration-set/{name}"));
    let resources = identities.chain(configuration_set);
    let permission = |resource: String| Permission {
        action: format!("ses:{operation}"),
        resource: arn("ses", &resource),
        context: Some(("ses:FromAddress", sender.to_owned())),
        ..Permission::default()
    };
    resources.map(permission).collect()
}

/// Returns the permission for an operation on a secret.
pub(super) fn for_secrets_manager(operation: &str, arn: String) -> Permission {
    Permission { action: format!("secretsmanager:{operation}"), resource: arn, ..Permission::default() }
}
