//! The permissions that the IAM policies grant must be the ones that the functions use.

use std::collections::{BTreeMap, BTreeSet};

use shared::db::to_item;
use shared::team::model::team::{Membership, Powers, Stamp};
use shared::values::{MerchantId, UserId};
use upstreams::aws::{Call, Permission};

use crate::scenario;
use crate::template::{OneOrMore, Statement, Template, matches_wildcard};

/// Statements that event source mappings use on behalf of the function. The local system does not record their use.
const USED_BY_AWS: [&str; 2] = ["ReadStream", "HandOverLostBatches"];

/// The ARN of the table, as the policies write it.
const TABLE_ARN: &str = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${TableInUse.Value}";
/// Prefixes of rows that functions use only in cases that the scenario cannot cause: a redemption whose settlement cannot
/// be computed, a recount that fails, two workers that record the same outcome, segments that were replaced an hour ago or do
/// not fit into their list, mails whose first attempt fails, a sale with a settlement that no request has ended, and a settlement
/// of no sale and no redemption that is held while it joins a payout, an invitation that is withdrawn before its mail is sent, and a
/// redemption of which the sweep learns that its code is unknown, and an export of few of many rows.
const USED_IN_RARE_CASES: [(&str, &str); 20] = [
    ("jobs", "s3:GetObject of WriteExportFiles"),
    ("sweep", "s3:GetObject of WriteExportFiles"),
    ("jobs", "COUNTER#* of GiveBackCounts"),
    ("jobs", "dynamodb:UpdateItem of GiveBackCounts"),
    ("sweep", "COUNTER#* of AddUpCardsAndWhatIsGivenBack"),
    ("projections", "s3:ListBucket of DetectMissingSegments"),
    ("projections", "s3:GetObject of WriteSegments"),
    ("sweep", "CHALLENGE#* of ReadRows"),
    ("sweep", "EMAIL#* of ReadRows"),
    ("sweep", "MERCHANT#* of ListSettlementsAndTeams"),
    ("sweep", "USER#* of ReadSettlementsAndUsers"),
    ("jobs", "REDEMPTION#* of ReadRows"),
    ("jobs", "SETTLED#* of WritePayoutsAndLinkRedemptions"),
    ("pos", "JOB#* of WriteRows"),
    ("projections", "JOB#* of PostponeRecounts"),
    ("projections", "dynamodb:PutItem of PostponeRecounts"),
    ("projections", "s3:DeleteObject of WriteSegments"),
    ("sweep", "OPERATION#* of ReadRows"),
    ("sweep", "SETTLEMENTS_OF_ORDERS#* of WriteRows"),
    ("sweep", "SETTLEMENTS_OF_OTHERS#* of WriteRows"),
];

const LEADING_KEYS: &str = "dynamodb:LeadingKeys";
const ATTRIBUTES: &str = "dynamodb:Attributes";
const WRITES: [&str; 4] = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"];

/// The policy statements by function, with the resource names of the local system.
pub(crate) struct Policies(BTreeMap<String, Vec<Statement>>);

impl Policies {
    /// Resolves the references of the template with the environment of the local system's functions.
    pub(crate) fn read(environment: &BTreeMap<&'static str, String>) -> Self {
        let references = references(environment);
        let functions = Template::read().functions().into_iter();
        let resolved = |policy: Vec<Statement>| policy.into_iter().map(|statement| statement.resolved(&references)).collect();
        Self(functions.map(|function| (function.name, resolved(function.policy))).collect())
    }

    fn grant(&self, function: &str, permission: &Permission) -> bool {
        self.grant_together(function, &[permission])
    }

    /// Whether one statement allows all of these, which have the same action.
    fn grant_together(&self, function: &str, permissions: &[&Permission]) -> bool {
        let policy = self.0.get(function).unwrap_or_else(|| panic!("no function {function}"));
        let allows = |statement: &Statement| permissions.iter().all(|permission| statement.grants(permission));
        let denies = |statement: &Statement| {
            statement.is_denial() && permissions.iter().any(|permission| statement.applies_to(permission))
        };
        policy.iter().any(allows) && !policy.iter().any(denies)
    }

    /// The permissions that are not granted where a call is judged as a whole: by action, with all its leading keys at once.
    /// IAM's documentation does not say whether a transaction is judged this way or part by part.
    fn refused_as_a_whole<'a>(&self, function: &str, call: &'a Call) -> Vec<Vec<&'a Permission>> {
        let mut by_action: BTreeMap<(&str, &str), Vec<&Permission>> = BTreeMap::new();
        for permission in call {
            by_action.entry((&permission.action, &permission.resource)).or_default().push(permission);
        }
        by_action.into_values().filter(|permissions| !self.grant_together(function, permissions)).collect()
    }

    /// The functions that may list the objects of a bucket, each with the bucket.
    pub(crate) fn listers(&self) -> BTreeSet<(String, String)> {
        let of_function = |(function, policy): (&String, &Vec<Statement>)| {
            let lists = |statement: &&Statement| statement.action.strings().contains(&"s3:ListBucket");
            let arns = policy.iter().filter(lists).flat_map(|statement| statement.resource.strings());
            let buckets = arns.filter_map(|arn| arn.strip_prefix("arn:aws:s3:::"));
            buckets.map(|bucket| (function.clone(), bucket.to_owned())).collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_function).collect()
    }

    fn functions_with(&self, actions: &[&str], row: (&str, &str, &BTreeSet<String>)) -> Vec<&String> {
        let (table, prefix, attributes) = row;
        let may = |function: &&String| {
            actions.iter().any(|action| {
                let (action, resource) = (format!("dynamodb:{action}"), table.to_owned());
                let context = Some((LEADING_KEYS, prefix.to_owned()));
                let attributes = attributes.clone();
                self.grant(function, &Permission { action, resource, context, attributes })
            })
        };
        self.0.keys().filter(may).collect()
    }

    /// Takes out one permission at a time: an action, a resource or a leading key of a statement. Returns how many there are, and those
    /// that these calls do not miss.
    fn take_out_each(&self, calls: &BTreeMap<String, BTreeSet<Call>>) -> (usize, Vec<String>) {
        let (mut count, mut unmissed) = (0, Vec::new());
        for (function, policy) in &self.0 {
            for (position, statement) in policy.iter().enumerate().filter(|(_, statement)| statement.is_used_by_the_function()) {
                for (taken, rest) in statement.without_each() {
                    let mut policy = policy.clone();
                    policy[position] = rest;
                    let changed = Self(BTreeMap::from([(function.clone(), policy)]));
                    let mut calls = calls.get(function).into_iter().flatten();
                    let is_missed = calls.any(|call| !changed.refused_as_a_whole(function, call).is_empty());
                    if !is_missed && !USED_IN_RARE_CASES.contains(&(function.as_str(), taken.as_str())) {
                        unmissed.push(format!("{function}: {taken}"));
                    }
                    count += 1;
                }
            }
        }
        (count, unmissed)
    }

    /// Returns the granted actions and the leading key patterns that no function uses.
    fn unused(&self, used: &BTreeMap<String, BTreeSet<Permission>>) -> Vec<String> {
        let statements = self.0.iter().flat_map(|(function, policy)| policy.iter().map(move |statement| (function, statement)));
        let statements = statements.filter(|(_, statement)| statement.is_used_by_the_function());
        statements
            .flat_map(|(function, statement)| {
                let used = used.get(function).into_iter().flatten();
                let used: Vec<&Permission> = used.filter(|permission| statement.grants(permission)).collect();
                let unused = statement.unused(&used).into_iter();
                let unused = unused.filter(|unused| !USED_IN_RARE_CASES.contains(&(function.as_str(), unused.as_str())));
                unused.map(move |unused| format!("{function}: {unused}"))
            })
            .collect()
    }
}

/// Returns the values that the template's references have in the local system.
fn references(environment: &BTreeMap<&'static str, String>) -> BTreeMap<&'static str, String> {
    let [table, bucket, documents_bucket, search_bucket] =
        ["TABLE_NAME", "BUCKET_NAME", "DOCUMENTS_BUCKET_NAME", "SEARCH_BUCKET_NAME"].map(|name| &environment[name]);
    let [mail_from, mail_configuration] = ["MAIL_FROM", "MAIL_CONFIGURATION_SET"].map(|name| &environment[name]);
    let region = &environment["AWS_REGION"];
    let account = "000000000000";
    let secret = |name| format!("arn:aws:secretsmanager:{region}:{account}:secret:{}-*", environment[name]);
    BTreeMap::from([
        ("AWS::Partition", "aws".to_owned()),
        ("AWS::Region", region.clone()),
        ("AWS::AccountId", account.to_owned()),
        ("TableInUse.Value", table.clone()),
        ("LostBatches.Arn", format!("arn:aws:sqs:{region}:{account}:lost-batches")),
        ("Bucket.Arn", format!("arn:aws:s3:::{bucket}")),
        ("DocumentsBucket.Arn", format!("arn:aws:s3:::{documents_bucket}")),
        ("SearchBucket.Arn", format!("arn:aws:s3:::{search_bucket}")),
        ("CardNetworkSecretArn", secret("CARD_NETWORK_SECRET_ID")),
        ("VerifierSecretArn", secret("VERIFIER_SECRET_ID")),
        ("CodeSecretArn", secret("CODE_SECRET_ID")),
        ("MailFrom", mail_from.clone()),
        ("MailConfiguration", mail_configuration.clone()),
        ("TestTillSecret", scenario::TEST_TILL_SECRET.to_owned()),
    ])
}

impl Statement {
    fn resolved(mut self, references: &BTreeMap<&str, String>) -> Self {
        let resolve_all = |values: &OneOrMore| {
            let resolved = values.strings().into_iter().map(|string| resolve(string, references));
            OneOrMore::More(resolved.map(Into::into).collect())
        };
        self.resource = resolve_all(&self.resource);
        for values in self.condition.values_mut().flat_map(BTreeMap::values_mut) {
            *values = resolve_all(values);
        }
        self
    }

    fn is_denial(&self) -> bool {
        match self.effect.as_str() {
            "Allow" => false,
            "Deny" => true,
            _ => panic!("{self:?}"),
        }
    }

    /// Not by AWS, and not by the version before alone.
    fn is_used_by_the_function(&self) -> bool {
        !self.is_denial() && !USED_BY_AWS.contains(&self.sid.as_str()) && !self.sid.ends_with("UntilNextRelease")
    }

    fn grants(&self, permission: &Permission) -> bool {
        !self.is_denial() && self.applies_to(permission)
    }

    fn applies_to(&self, permission: &Permission) -> bool {
        self.action.strings().contains(&permission.action.as_str())
            && self.resource.strings().iter().any(|resource| matches_wildcard(&permission.resource, resource))
            && self.conditions().all(|(operator, key, values)| {
                if (operator, key) == ("ForAnyValue:StringEquals", ATTRIBUTES) {
                    return values.iter().any(|name| permission.attributes.contains(*name));
                }
                let context = permission.context.as_ref().filter(|(name, _)| *name == key);
                context.is_some_and(|(_, value)| condition_holds(operator, value, &values))
            })
    }

    fn conditions(&self) -> impl Iterator<Item = (&str, &str, Vec<&str>)> {
        self.condition
            .iter()
            .flat_map(|(operator, keys)| keys.iter().map(|(key, values)| (operator.as_str(), key.as_str(), values.strings())))
    }

    /// The statements that lack one of this one's permissions, each with what it lacks.
    fn without_each(&self) -> Vec<(String, Self)> {
        let without = |values: &OneOrMore, taken: &str| {
            OneOrMore::More(values.strings().into_iter().filter(|value| *value != taken).map(Into::into).collect())
        };
        let name = |taken: &str| format!("{taken} of {}", self.sid);
        let actions = self.action.strings().into_iter();
        let actions = actions.map(|taken| (name(taken), Self { action: without(&self.action, taken), ..self.clone() }));
        // Without its only one, a statement is without its action.
        let resources = self.resource.strings();
        let resources = if resources.len() > 1 { resources } else { Vec::new() }.into_iter();
        let resources = resources.map(|taken| (name(taken), Self { resource: without(&self.resource, taken), ..self.clone() }));
        let keys = self.condition.get("ForAllValues:StringLike").and_then(|keys| keys.get(LEADING_KEYS));
        let keys = keys.into_iter().flat_map(|keys| keys.strings().into_iter().map(move |taken| (keys, taken)));
        let keys = keys.map(|(keys, taken)| {
            let mut statement = self.clone();
            let conditions = statement.condition.get_mut("ForAllValues:StringLike").unwrap();
            conditions.insert(LEADING_KEYS.to_owned(), without(keys, taken));
            (name(taken), statement)
        });
        actions.chain(resources).chain(keys).collect()
    }

    /// Returns the actions and condition patterns that these permissions do not use.
    fn unused(&self, used: &[&Permission]) -> Vec<String> {
        let actions = self.action.strings().into_iter();
        let unused_actions = actions.filter(|action| used.iter().all(|permission| permission.action != *action));
        let key_conditions = self.conditions().filter(|(operator, ..)| *operator == "ForAllValues:StringLike");
        let patterns = key_conditions.flat_map(|(_, _, patterns)| patterns);
        let unused_patterns = patterns.filter(|pattern| {
            let values = used.iter().filter_map(|permission| permission.context.as_ref());
            !values.into_iter().any(|(_, value)| matches_wildcard(value, pattern))
        });
        unused_actions.chain(unused_patterns).map(|unused| format!("{unused} of {}", self.sid)).collect()
    }
}

fn condition_holds(operator: &str, value: &str, expected: &[&str]) -> bool {
    let matches_any = || expected.iter().any(|pattern| matches_wildcard(value, pattern));
    match operator {
        "ForAllValues:StringLike" => matches_any(),
        "StringEquals" => expected.contains(&value),
        _ => panic!("unsupported condition operator: {operator}"),
    }
}

/// Replaces every `${Name}` with its value.
fn resolve(text: &str, references: &BTreeMap<&str, String>) -> String {
    let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
    let (name, after) = rest.split_once('}').unwrap();
    let value = references.get(name).unwrap_or_else(|| panic!("unknown reference {name}"));
    format!("{before}{value}{}", resolve(after, references))
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_grant_exactly_the_permissions_that_functions_use() {
    let local = scenario::run().await;
    let policies = &Policies::read(&local.environment);
    let mut calls = local.calls();
    // Calls of the local system itself, and calls without an application name.
    calls.retain(|function, _| !["local", "other"].contains(&function.as_str()));
    let refused: BTreeSet<_> = calls
        .iter()
        .flat_map(|(function, calls)| calls.iter().map(move |call| (function, policies.refused_as_a_whole(function, call))))
        .filter(|(_, refused)| !refused.is_empty())
        .collect();
    assert!(refused.is_empty(), "no statement allows all of a transaction's keys: {refused:#?}");

    let (count, unmissed) = policies.take_out_each(&calls);
    assert!(count > 100 && unmissed.is_empty(), "could be taken out: {unmissed:#?}");
    println!(
        "{count} permissions, each of which is missed when it is taken out, but for {} rare cases",
        USED_IN_RARE_CASES.len()
    );

    let used: BTreeMap<String, BTreeSet<Permission>> =
        calls.into_iter().map(|(function, calls)| (function, calls.into_iter().flatten().collect())).collect();
    let all_used =
        used.iter().flat_map(|(function, permissions)| permissions.iter().map(move |permission| (function, permission)));
    let missing: Vec<_> = all_used.filter(|(function, permission)| !policies.grant(function, permission)).collect();
    assert!(missing.is_empty(), "used but not granted: {missing:#?}");
    let unused = policies.unused(&used);
    assert!(unused.is_empty(), "granted but not used by the scenario: {unused:#?}");
    let functions: Vec<_> = policies.0.keys().collect();
    assert_eq!(functions, used.keys().collect::<Vec<_>>(), "functions with a policy, functions that call AWS");
}

#[tokio::test]
async fn functions_read_and_write_rows_by_prefix_only() {
    let local = local::Local::start(local::Options::default()).await.unwrap();
    let table = &resolve(TABLE_ARN, &references(&local.environment));
    for (function, policy) in &Policies::read(&local.environment).0 {
        let rows = policy.iter().filter(|statement| statement.resource.strings() == [table.as_str()]);
        for statement in rows.filter(|statement| !statement.is_denial()) {
            let [("ForAllValues:StringLike", LEADING_KEYS, patterns)] = &statement.conditions().collect::<Vec<_>>()[..] else {
                panic!("{function}: {statement:?} is not limited to rows by prefix");
            };
            for pattern in patterns {
                let prefix = pattern.strip_suffix("#*").unwrap_or_default();
                let is_prefix = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
                assert!(is_prefix, "{function}: {pattern} of {}", statement.sid);
            }
        }
    }
}

#[tokio::test]
async fn only_these_functions_write_accounts() {
    let local = local::Local::start(local::Options::default()).await.unwrap();
    let policies = Policies::read(&local.environment);
    let table = &resolve(TABLE_ARN, &references(&local.environment));
    // Memberships are in the partition of their merchant.
    for (prefix, expected) in [
        ("SESSION#", &["accounts"][..]),
        ("USER#", &["accounts"]),
        ("EMAIL#", &["accounts"]),
        ("SLUG#", &["accounts", "administration"]),
        ("NETWORK_ACCOUNT#", &["administration"]),
        ("AUDIT#", &["administration", "merchant", "onboarding"]),
        ("ACTIVITY#", &["accounts", "administration", "exports", "merchant", "onboarding", "webhooks"]),
        ("MERCHANT#", &["accounts", "administration", "jobs", "merchant", "onboarding", "sweep", "webhooks"]),
        ("PAYOUT#", &["administration", "jobs", "sweep"]),
        ("SETTLEMENT#", &["administration", "jobs", "pos", "sweep"]),
        ("EXPORT#", &["exports", "jobs", "sweep"]),
    ] {
        let functions = policies.functions_with(&WRITES, (table, prefix, &BTreeSet::new()));
        assert_eq!(functions, expected, "{prefix}");
    }
}

/// IAM cannot tell creating a row from replacing it. The code only creates these, and the stream reports every change.
#[tokio::test]
async fn no_function_updates_or_deletes_trails() {
    let local = local::Local::start(local::Options::default()).await.unwrap();
    let policies = Policies::read(&local.environment);
    let table = &resolve(TABLE_ARN, &references(&local.environment));
    for prefix in ["AUDIT#", "ACTIVITY#"] {
        let row = (table.as_str(), prefix, &BTreeSet::new());
        let functions = policies.functions_with(&["UpdateItem", "DeleteItem", "BatchWriteItem"], row);
        assert_eq!(functions, [""; 0], "{prefix}");
    }
}

#[tokio::test]
async fn only_accounts_and_the_change_of_roles_write_memberships() {
    let local = local::Local::start(local::Options::default()).await.unwrap();
    let policies = Policies::read(&local.environment);
    let table = &resolve(TABLE_ARN, &references(&local.environment));
    let powers = Powers { role: None, permissions: None };
    let membership = Membership::new(MerchantId::new("m"), UserId::new("u"), powers, Stamp::new([0; 16]));
    // Whatever the membership is, its row has these attributes, and a row without them is not read as a membership.
    let attributes: BTreeSet<String> = to_item(&membership, 1).unwrap().into_keys().collect();
    let row = (table.as_str(), "MERCHANT#", &attributes);
    assert_eq!(policies.functions_with(&["PutItem"], row), ["accounts", "merchant"]);
    // The closing of a merchant ends its keys.
    let attributes = BTreeSet::from(["key_permissions".to_owned()]);
    let row = (table.as_str(), "MERCHANT#", &attributes);
    assert_eq!(policies.functions_with(&["PutItem"], row), ["accounts", "administration", "merchant"]);
    let none = (table.as_str(), "MERCHANT#", &BTreeSet::new());
    assert_eq!(policies.functions_with(&["UpdateItem", "BatchWriteItem"], none), [""; 0]);
    assert_eq!(policies.functions_with(&["DeleteItem"], none), ["accounts"]);
}

#[tokio::test]
async fn no_function_changes_or_deletes_audit_entries() {
    let local = local::Local::start(local::Options::default()).await.unwrap();
    let policies = Policies::read(&local.environment);
    for action in ["UpdateItem", "DeleteItem", "BatchWriteItem"] {
        let action = format!("dynamodb:{action}");
        let resource = resolve(TABLE_ARN, &references(&local.environment));
        let context = Some((LEADING_KEYS, "AUDIT#".to_owned()));
        let permission = Permission { action, resource, context, attributes: BTreeSet::new() };
        let functions: Vec<&String> = policies.0.keys().filter(|function| policies.grant(function, &permission)).collect();
        assert_eq!(functions, [""; 0], "{permission:?}");
    }
}
