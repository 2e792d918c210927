//! The proxy in front of API Gateway: functions refuse what has not passed through it, and requests are limited by the client's address
//! that it sends.

use local::{Local, Options, StartingState};
use serde_json::{Value, json};
use world::runtime::{self, Function};
use world::{client, event, events};

const SECRET: &str = "secret-of-the-front-door";
const PREVIOUS_SECRET: &str = "previous-secret-of-the-front-door";

/// A local system and a function behind a proxy.
async fn behind_a_front_door(function: &str) -> (Local, Function) {
    let options = Options { fixtures: StartingState::Nothing, ..Options::default() };
    let local = Local::start(options).await.unwrap();
    runtime::build_binaries();
    let mut environment = local.environment.clone();
    environment.insert("CLIENT_ADDRESS_HEADER", "x-client-address".to_owned());
    environment.insert("FRONT_DOOR_SECRET", SECRET.to_owned());
    environment.insert("FRONT_DOOR_PREVIOUS_SECRET", PREVIOUS_SECRET.to_owned());
    environment.insert("ONBOARDING_CHECKS_PER_ADDRESS", "1".to_owned());
    let function = Function::start(function, &environment).await;
    (local, function)
}

fn with_headers(mut event: Value, headers: &[(&str, &str)]) -> Value {
    for (name, value) in headers {
        event["headers"][*name] = (*value).into();
    }
    event
}

/// Returns an onboarding check of a new e-mail address, which API Gateway received from `source`.
fn check(number: usize, source: &str, headers: &[(&str, &str)]) -> Value {
    let mut event = event("onboarding/check");
    event["body"] = json!({"email": format!("{number}@client.example")}).to_string().into();
    event["requestContext"]["http"]["sourceIp"] = source.into();
    with_headers(event, headers)
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_limited_by_the_address_that_the_proxy_sends() {
    let (_local, function) = behind_a_front_door("onboarding").await;
    let address = |address| ("x-client-address", address);
    let secret = |secret| ("x-front-door-secret", secret);
    let requests = [
        ("the first of an address", "192.0.2.1", vec![address("198.51.100.1"), secret(SECRET)], 200),
        ("another address", "192.0.2.1", vec![address("198.51.100.2"), secret(SECRET)], 200),
        ("the same address", "192.0.2.2", vec![address("198.51.100.1"), secret(SECRET)], 429),
        ("the previous secret", "192.0.2.2", vec![address("198.51.100.8"), secret(PREVIOUS_SECRET)], 200),
        ("no address", "192.0.2.3", vec![secret(SECRET)], 200),
        ("no address again", "192.0.2.3", vec![secret(SECRET)], 429),
    ];
    for (number, (name, source, headers, status)) in requests.into_iter().enumerate() {
        let response = function.invoke(&check(number, source, &headers)).await;
        assert_eq!(response["statusCode"], status, "{name}: {response}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_not_passed_through_the_proxy_is_refused_before_it_is_read() {
    let (local, function) = behind_a_front_door("onboarding").await;
    let usage = || async {
        let url = format!("{}/__local/usage", local.listening.api);
        let usage = client().get(url).send().await.unwrap().text().await.unwrap();
        let usage: Value = serde_json::from_str(&usage).unwrap();
        usage["onboarding"].clone()
    };
    // The function opens its connection to the table while it starts.
    assert_eq!(function.invoke(&event("onboarding/check")).await["statusCode"], 403);
    let before = usage().await;
    for (name, headers) in [
        ("no secret", vec![]),
        ("a wrong secret", vec![("x-front-door-secret", "secret-of-the-front-dooR")]),
        ("the start of the secret", vec![("x-front-door-secret", "secret")]),
        ("an empty secret", vec![("x-front-door-secret", "")]),
    ] {
        for (path, event) in events().into_iter().filter(|(path, _)| path.starts_with("onboarding/")) {
            let response = function.invoke(&with_headers(event, &headers)).await;
            assert_eq!(response["statusCode"], 403, "{name}, {path}: {response}");
            let body: Value = serde_json::from_str(response["body"].as_str().unwrap()).unwrap();
            let error = json!({"message": "This address does not serve the API.", "code": "FORBIDDEN"});
            assert_eq!(body, json!({"ok": false, "error": error}), "{name}, {path}");
        }
    }
    assert_eq!(usage().await, before, "a refused request has read the table");
    let admitted = with_headers(event("onboarding/check"), &[("x-front-door-secret", SECRET)]);
    assert_eq!(function.invoke(&admitted).await["statusCode"], 200);
    assert_ne!(usage().await, before);
    let log = function.stop();
    assert!(log.contains("has not passed through the front door") && !log.contains("secret-of-the-front"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_valid_http_is_told_so_behind_the_proxy_too() {
    let (_local, function) = behind_a_front_door("onboarding").await;
    let mut event = with_headers(event("onboarding/check"), &[("x-front-door-secret", SECRET)]);
    event["headers"]["host"] = "no host".into();
    assert_eq!(function.invoke(&event).await["statusCode"], 400);
}
