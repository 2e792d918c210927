//! The real function binaries, fed with API Gateway events over the Lambda Runtime API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod log;
mod runtime;

use std::collections::{BTreeMap, BTreeSet};

use local::{Local, Options};
use runtime::Function;
use serde_json::Value;
use test_support::{client, events};

/// Events whose documented answer is no 200, by their names.
const OTHER_STATUSES: [(&str, i64); 6] = [
    ("analytics/sales-by-another-merchant", 403),
    ("merchant/invite", 400),
    ("onboarding/decision-without-a-signature", 401),
    ("onboarding/submit-by-an-active-merchant", 403),
    ("pos/card-decoded-path", 404),
    ("storefront/image-that-is-gone", 404),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_event_gets_its_documented_answer_from_the_binary_it_is_for() {
    let local = Local::start(Options::default()).await.unwrap();
    local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    let mut functions: BTreeMap<String, Function> = BTreeMap::new();
    for (name, event) in events() {
        let group = name.split('/').next().unwrap();
        if !functions.contains_key(group) {
            let function = Function::start(group, &local.environment).await;
            functions.insert(group.to_owned(), function);
        }
        let answer = functions[group].invoke(&event).await;
        let expected =
            OTHER_STATUSES.iter().find(|(other, _)| *other == name).map_or(200, |(_, status)| *status);
        assert_eq!(answer["statusCode"], expected, "{name}: {answer}");
        assert!(!header(&answer, "x-request-id").is_empty(), "{name}: {answer}");
        let sets_cookie = answer["cookies"][0].as_str().is_some_and(|cookie| cookie.starts_with("gc_as="));
        assert_eq!(sets_cookie, name == "widget/gift-cards", "{name}: {answer}");
    }
}

#[tokio::test]
async fn the_local_system_says_what_a_function_has_to_find_in_its_environment() {
    let options = Options { services_only: true, ..Options::default() };
    let local = Local::start(options).await.unwrap();
    let url = format!("{}/__local/environment?api=http://localhost:9000", local.listening.api);
    let lines = client().get(url).send().await.unwrap().text().await.unwrap();
    let told: BTreeMap<&str, &str> = lines.lines().map(|line| line.split_once('=').unwrap()).collect();
    let mut expected = local.environment.clone();
    expected.insert("PORTAL_BASE_URL", "http://localhost:9000".to_owned());
    assert_eq!(told, expected.iter().map(|(name, value)| (*name, value.as_str())).collect());
}

/// A header of either payload format.
fn header<'a>(answer: &'a Value, name: &str) -> &'a str {
    let single = answer["headers"][name].as_str();
    single.or_else(|| answer["multiValueHeaders"][name][0].as_str()).unwrap_or_default()
}

#[test]
fn every_route_has_an_event() {
    let events = events();
    let mut missing = BTreeSet::new();
    for table in local::route_tables() {
        for route in table.listed() {
            let is_for = |(name, event): (&String, &Value)| {
                let (method, path) = method_and_path(event);
                name.starts_with(&format!("{}/", table.group()))
                    && method == route.method.as_str()
                    && fits(route.path, &path)
            };
            if !events.iter().any(is_for) {
                missing.insert(format!("{} {}", route.method, route.path));
            }
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

fn method_and_path(event: &Value) -> (String, String) {
    let http = &event["requestContext"]["http"];
    let method = http["method"].as_str().or(event["httpMethod"].as_str()).unwrap();
    let path = event["rawPath"].as_str().or(event["path"].as_str()).unwrap();
    (method.to_owned(), path.to_owned())
}

fn fits(route: &str, path: &str) -> bool {
    let (route, path): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), path.split('/').collect());
    route.len() == path.len()
        && route.iter().zip(path).all(|(want, part)| want.starts_with('{') || *want == part)
}
