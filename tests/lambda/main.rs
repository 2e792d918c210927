//! Invokes the function binaries with API Gateway events over the Lambda Runtime API.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod api_gateway;
mod canary;
mod environment;
mod event_sources;
mod exports;
mod front_door;
mod log;
#[path = "../deploy/template.rs"]
#[allow(dead_code, reason = "tests/deploy uses all of it")]
mod template;
mod test_sale;

use std::collections::{BTreeMap, BTreeSet};

use local::{Local, Options};
use serde_json::Value;
use world::runtime::{self, Function};
use world::{client, events, external_aws, matches_path_template};

/// Events whose expected status is not 200.
const EXPECTED_ERRORS: &[(&str, i64)] = &[
    ("accounts/create-till", 201),
    ("accounts/create-key", 201),
    ("accounts/add-passkey", 400),
    ("accounts/remove-passkey", 404),
    ("accounts/end-session", 404),
    ("accounts/rotate-no-key", 404),
    ("accounts/revoke-no-key", 404),
    ("accounts/pair-till-with-a-wrong-code", 400),
    ("accounts/renew-pairing-code-of-no-till", 404),
    ("accounts/revoke-no-till", 404),
    ("accounts/abandon-active-merchant", 409),
    ("accounts/accept-invite-that-is-over", 410),
    ("accounts/confirm-invite-that-is-gone", 404),
    ("accounts/found-merchant-again", 409),
    ("accounts/invite", 201),
    ("accounts/remove-member-that-is-gone", 404),
    ("accounts/resend-invite-that-is-gone", 404),
    ("accounts/withdraw-invite-that-is-gone", 404),
    ("accounts/request-code", 202),
    ("accounts/sign-in-with-a-wrong-code", 400),
    ("accounts/sign-out-everywhere-without-a-session", 401),
    ("exports/create", 202),
    ("exports/export-that-is-gone", 404),
    // The session's user is no platform administrator.
    ("administration/audit-trail", 403),
    ("administration/decide-payout", 403),
    ("administration/hold-settlement", 403),
    ("administration/payout", 403),
    ("administration/payout-file", 403),
    ("administration/payout-preview", 403),
    ("administration/payout-run", 403),
    ("administration/payouts", 403),
    ("administration/settlements", 403),
    ("administration/start-payouts", 403),
    ("administration/take-down-no-image", 403),
    ("analytics/sales-by-another-merchant", 403),
    ("merchant/invite", 400),
    ("onboarding/decision-without-a-signature", 401),
    ("onboarding/submit-by-an-active-merchant", 403),
    ("pos/card-decoded-path", 404),
    ("pos/operation", 404),
    ("settlements/payout-file-that-is-gone", 404),
    ("settlements/payout-that-is-gone", 404),
    ("storefront/get-card-balance", 404),
    ("storefront/image-that-is-gone", 404),
    ("storefront/show-card-balance", 400),
    ("webhooks/change-endpoint-that-is-gone", 404),
    ("webhooks/create", 201),
    ("webhooks/delete-endpoint-that-is-gone", 404),
    ("webhooks/deliveries-of-endpoint-that-is-gone", 404),
    ("webhooks/retry-delivery-that-is-gone", 404),
    ("webhooks/rotate-secret-that-is-gone", 404),
    ("webhooks/test-endpoint-that-is-gone", 404),
];

/// Events whose response sets a cookie.
const COOKIES: [(&str, &str); 2] = [("accounts/sign-out", "__Host-portal_session"), ("widget/gift-cards", "gc_as")];

#[tokio::test(flavor = "multi_thread")]
async fn every_event_gets_the_expected_response_from_its_function() {
    let local = Local::start(Options { external_aws: external_aws(), ..Options::default() }).await.unwrap();
    local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    let mut functions: BTreeMap<String, Function> = BTreeMap::new();
    for (name, event) in events() {
        let function_name = name.split('/').next().unwrap();
        if !functions.contains_key(function_name) {
            let function = Function::start(function_name, &environment::of_template(function_name, &local)).await;
            functions.insert(function_name.to_owned(), function);
        }
        let response = functions[function_name].invoke(&of_system(event, &local)).await;
        let expected = EXPECTED_ERRORS.iter().find(|(event, _)| *event == name).map_or(200, |(_, status)| *status);
        assert_eq!(response["statusCode"], expected, "{name}: {response}");
        assert!(!header(&response, "x-request-id").is_empty(), "{name}: {response}");
        let cookie = response["cookies"][0].as_str().and_then(|cookie| Some(cookie.split_once('=')?.0));
        let expected = COOKIES.iter().find(|(event, _)| *event == name).map(|(_, cookie)| *cookie);
        assert_eq!(cookie, expected, "{name}: {response}");
    }
}

/// Buckets of other AWS services than the embedded ones have names of their own.
fn of_system(mut event: Value, local: &Local) -> Value {
    if let Some(query) = event["rawQueryString"].as_str() {
        event["rawQueryString"] =
            query.replace("portal-files.s3", &format!("{}.s3", local.app().settings.documents_bucket)).into();
    }
    event
}

#[tokio::test]
async fn the_environment_route_lists_the_variables_of_the_functions() {
    let options = Options { services_only: true, ..Options::default() };
    let local = Local::start(options).await.unwrap();
    let url = format!("{}/__local/environment?api=http://localhost:9000", local.listening.api);
    let lines = client().get(url).send().await.unwrap().text().await.unwrap();
    let actual: BTreeMap<&str, &str> = lines.lines().map(|line| line.split_once('=').unwrap()).collect();
    let mut expected = local.environment.clone();
    expected.insert("PORTAL_BASE_URL", "http://localhost:9000".to_owned());
    assert_eq!(actual, expected.iter().map(|(name, value)| (*name, value.as_str())).collect());
}

/// Returns a response header of either payload format version, or an empty string.
fn header<'a>(response: &'a Value, name: &str) -> &'a str {
    let single = response["headers"][name].as_str();
    single.or_else(|| response["multiValueHeaders"][name][0].as_str()).unwrap_or_default()
}

#[test]
fn every_route_has_an_event() {
    let events = events();
    let mut missing = BTreeSet::new();
    for table in local::route_tables() {
        for route in table.routes() {
            let is_event_of_route = |(name, event): (&String, &Value)| {
                let (method, path) = method_and_path(event);
                name.starts_with(&format!("{}/", table.group()))
                    && method == route.method.as_str()
                    && matches_path_template(route.path, &path)
            };
            if !events.iter().any(is_event_of_route) {
                missing.insert(format!("{} {} in events/{}/", route.method, route.path, table.group()));
            }
        }
    }
    assert!(missing.is_empty(), "routes without an event: {missing:#?}");
}

fn method_and_path(event: &Value) -> (String, String) {
    let http = &event["requestContext"]["http"];
    let method = http["method"].as_str().or(event["httpMethod"].as_str()).unwrap();
    let path = event["rawPath"].as_str().or(event["path"].as_str()).unwrap();
    (method.to_owned(), path.to_owned())
}
