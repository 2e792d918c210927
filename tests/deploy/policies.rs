//! What the policies grant against what the functions need.

use std::collections::{BTreeMap, BTreeSet};

use upstreams::aws::Permission;

use crate::scenario;
use crate::template::{OneOrMore, Statement, Template, is_like};

/// Statements of which nothing is seen, since not the function itself uses them but AWS in its name.
const USED_BY_AWS: [&str; 2] = ["ReadStream", "HandOverLostBatches"];

const LEADING_KEYS: &str = "dynamodb:LeadingKeys";

/// Every statement of every function, with the names of the local system filled in.
struct Policies(BTreeMap<String, Vec<Statement>>);

impl Policies {
    /// As they would be where functions find this environment.
    fn of(environment: &BTreeMap<&'static str, String>) -> Self {
        let names = names(environment);
        let functions = Template::read().functions().into_iter();
        let filled_in =
            |policy: Vec<Statement>| policy.into_iter().map(|statement| statement.with(&names)).collect();
        Self(functions.map(|function| (function.name, filled_in(function.policy))).collect())
    }

    fn grant(&self, function: &str, permission: &Permission) -> bool {
        let policy = self.0.get(function).unwrap_or_else(|| panic!("no function {function}"));
        policy.iter().any(|statement| statement.grants(permission))
    }

    /// What is granted and not needed: actions, and kinds of rows that a condition names.
    fn beyond(&self, needed: &BTreeMap<String, BTreeSet<Permission>>) -> Vec<String> {
        let statements = self.0.iter().flat_map(|(name, policy)| policy.iter().map(move |one| (name, one)));
        let statements = statements.filter(|(_, statement)| !USED_BY_AWS.contains(&statement.sid.as_str()));
        statements
            .flat_map(|(function, statement)| {
                let needed = needed.get(function).into_iter().flatten();
                let used: Vec<&Permission> =
                    needed.filter(|permission| statement.grants(permission)).collect();
                statement.beyond(&used).into_iter().map(move |what| format!("{function}: {what}"))
            })
            .collect()
    }
}

/// What the template calls things, and what they are called on this machine.
fn names(environment: &BTreeMap<&'static str, String>) -> BTreeMap<&'static str, String> {
    let [table, bucket, mail_from] =
        ["TABLE_NAME", "BUCKET_NAME", "MAIL_FROM"].map(|name| &environment[name]);
    let region = &environment["AWS_REGION"];
    let account = "000000000000";
    let secret = |name| format!("arn:aws:secretsmanager:{region}:{account}:secret:{}-*", environment[name]);
    BTreeMap::from([
        ("AWS::Partition", "aws".to_owned()),
        ("AWS::Region", region.clone()),
        ("AWS::AccountId", account.to_owned()),
        ("Table.Arn", format!("arn:aws:dynamodb:{region}:{account}:table/{table}")),
        ("Table.StreamArn", format!("arn:aws:dynamodb:{region}:{account}:table/{table}/stream/*")),
        ("LostBatches.Arn", format!("arn:aws:sqs:{region}:{account}:lost-batches")),
        ("Bucket.Arn", format!("arn:aws:s3:::{bucket}")),
        ("CardNetworkSecretArn", secret("CARD_NETWORK_SECRET_ID")),
        ("VerifierSecretArn", secret("VERIFIER_SECRET_ID")),
        ("MailFrom", mail_from.clone()),
    ])
}

impl Statement {
    fn with(mut self, names: &BTreeMap<&str, String>) -> Self {
        let fill_in = |values: &OneOrMore| {
            let texts = values.texts().into_iter().map(|text| filled_in(text, names));
            OneOrMore::More(texts.map(Into::into).collect())
        };
        self.resource = fill_in(&self.resource);
        for values in self.condition.values_mut().flat_map(BTreeMap::values_mut) {
            *values = fill_in(values);
        }
        self
    }

    fn grants(&self, permission: &Permission) -> bool {
        assert_eq!(self.effect, "Allow", "{self:?}");
        self.action.texts().contains(&permission.action.as_str())
            && self.resource.texts().iter().any(|resource| is_like(&permission.resource, resource))
            && self.conditions().all(|(operator, asked, values)| {
                let context = permission.context.as_ref().filter(|(name, _)| *name == asked);
                context.is_some_and(|(_, value)| holds(operator, value, &values))
            })
    }

    fn conditions(&self) -> impl Iterator<Item = (&str, &str, Vec<&str>)> {
        self.condition.iter().flat_map(|(operator, asked)| {
            asked.iter().map(|(name, values)| (operator.as_str(), name.as_str(), values.texts()))
        })
    }

    /// What of this is not used by these.
    fn beyond(&self, used: &[&Permission]) -> Vec<String> {
        let actions = self.action.texts().into_iter();
        let unused = actions.filter(|action| used.iter().all(|permission| permission.action != *action));
        let named = self.conditions().filter(|(operator, ..)| *operator == "ForAllValues:StringLike");
        let patterns = named.flat_map(|(_, _, patterns)| patterns);
        let of_nothing = patterns.filter(|pattern| {
            let values = used.iter().filter_map(|permission| permission.context.as_ref());
            !values.into_iter().any(|(_, value)| is_like(value, pattern))
        });
        unused.chain(of_nothing).map(|what| format!("{what} of {}", self.sid)).collect()
    }
}

fn holds(operator: &str, value: &str, wanted: &[&str]) -> bool {
    let is_like_one = || wanted.iter().any(|pattern| is_like(value, pattern));
    match operator {
        "ForAllValues:StringLike" => is_like_one(),
        "ForAllValues:StringNotLike" => !is_like_one(),
        "StringEquals" => wanted.contains(&value),
        _ => panic!("an operator that nothing here knows: {operator}"),
    }
}

/// A text with every `${Name}` filled in.
fn filled_in(text: &str, names: &BTreeMap<&str, String>) -> String {
    let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
    let (name, after) = rest.split_once('}').unwrap();
    let value = names.get(name).unwrap_or_else(|| panic!("nothing is known of {name}"));
    format!("{before}{value}{}", filled_in(after, names))
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_are_granted_what_they_need_and_nothing_else() {
    let local = scenario::played().await;
    let policies = Policies::of(&local.environment);
    let mut needed = local.permissions();
    // The local system's own doings, and whoever has no name.
    needed.retain(|function, _| !["local", "other"].contains(&function.as_str()));

    let each = needed.iter().flat_map(|(function, all)| all.iter().map(move |one| (function, one)));
    let refused: Vec<_> = each.filter(|(function, one)| !policies.grant(function, one)).collect();
    assert!(refused.is_empty(), "needed and not granted: {refused:#?}");
    let beyond = policies.beyond(&needed);
    assert!(beyond.is_empty(), "granted, and not needed in the whole scenario: {beyond:#?}");
    let functions: Vec<_> = policies.0.keys().collect();
    assert_eq!(functions, needed.keys().collect::<Vec<_>>(), "who calls AWS");
}

#[tokio::test]
async fn no_function_can_make_a_session_or_a_user() {
    let local = local::Local::start(local::Options::default()).await.unwrap();
    let policies = Policies::of(&local.environment);
    let table = &names(&local.environment)["Table.Arn"];
    let writes = ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"];
    for function in policies.0.keys() {
        for (write, kind) in
            writes.into_iter().flat_map(|write| ["SESSION#", "USER#", "EMAIL#"].map(|kind| (write, kind)))
        {
            let write = Permission {
                action: format!("dynamodb:{write}"),
                resource: table.clone(),
                context: Some((LEADING_KEYS, kind.to_owned())),
            };
            assert!(!policies.grant(function, &write), "{function}: {write:?}");
        }
    }
}
