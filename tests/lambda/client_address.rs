//! The client's address, by which requests are limited: as API Gateway saw it, or as the proxy in front of it sends it.

use local::{Local, Options, StartingState};
use serde_json::{Value, json};
use test_support::event;
use test_support::runtime::{self, Function};

const SECRET: &str = "secret-of-the-front-door";
const PREVIOUS_SECRET: &str = "previous-secret-of-the-front-door";

/// Returns an onboarding check of a new e-mail address, which API Gateway received from `source`.
fn check(number: usize, source: &str, headers: &[(&str, &str)]) -> Value {
    let mut event = event("onboarding/check");
    event["body"] = json!({"email": format!("{number}@client.example")}).to_string().into();
    event["requestContext"]["http"]["sourceIp"] = source.into();
    for (name, value) in headers {
        event["headers"][*name] = (*value).into();
    }
    event
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proxys_address_header_counts_only_with_its_secret() {
    let options = Options { fixtures: StartingState::Nothing, ..Options::default() };
    let local = Local::start(options).await.unwrap();
    runtime::build_binaries();
    let mut environment = local.environment.clone();
    environment.insert("CLIENT_ADDRESS_HEADER", "x-client-address".to_owned());
    environment.insert("FRONT_DOOR_SECRET", SECRET.to_owned());
    environment.insert("FRONT_DOOR_PREVIOUS_SECRET", PREVIOUS_SECRET.to_owned());
    environment.insert("ONBOARDING_CHECKS_PER_ADDRESS", "1".to_owned());
    let function = Function::start("onboarding", &environment).await;

    let address = |address| ("x-client-address", address);
    let secret = |secret| ("x-front-door-secret", secret);
    let requests = [
        ("the first of an address", "192.0.2.1", vec![address("198.51.100.1"), secret(SECRET)], 200),
        ("another address", "192.0.2.1", vec![address("198.51.100.2"), secret(SECRET)], 200),
        ("the same address", "192.0.2.2", vec![address("198.51.100.1"), secret(SECRET)], 429),
        ("the previous secret", "192.0.2.2", vec![address("198.51.100.8"), secret(PREVIOUS_SECRET)], 200),
        ("no secret", "192.0.2.3", vec![address("198.51.100.3")], 200),
        ("no secret again", "192.0.2.3", vec![address("198.51.100.4")], 429),
        ("a wrong secret", "192.0.2.3", vec![address("198.51.100.5"), secret("secret-of-the-front-dooR")], 429),
        ("the start of the secret", "192.0.2.3", vec![address("198.51.100.6"), secret("secret")], 429),
        ("an empty secret", "192.0.2.3", vec![address("198.51.100.7"), secret("")], 429),
        ("no address", "192.0.2.3", vec![secret(SECRET)], 429),
    ];
    for (number, (name, source, headers, status)) in requests.into_iter().enumerate() {
        let response = function.invoke(&check(number, source, &headers)).await;
        assert_eq!(response["statusCode"], status, "{name}: {response}");
    }
}
