//! Events that others have collected, and requests that are not valid HTTP: each gets a response, or an error that names
//! the kind of the event.

use std::fs;
use std::path::PathBuf;

use local::{Local, Options, StartingState};
use serde_json::{Value, json};
use world::runtime::{self, Function, REQUEST_ID};
use world::{event, workspace_root};

/// The errors for events that are not HTTP requests.
const OTHER_EVENTS: [(&str, &str); 8] = [
    ("custom-auth-request", "a Lambda authorizer"),
    ("custom-auth-request-type-request", "a Lambda authorizer"),
    ("v2-custom-authorizer-v1-request", "a Lambda authorizer"),
    ("v2-custom-authorizer-v2-request", "a Lambda authorizer"),
    ("v2-custom-authorizer-websocket-request", "a Lambda authorizer"),
    ("websocket-request", "a WebSocket API"),
    ("websocket-request-disconnect-route", "a WebSocket API"),
    ("websocket-request-without-method", "a WebSocket API"),
];

async fn system() -> Local {
    let options = Options { fixtures: StartingState::Nothing, ..Options::default() };
    let local = Local::start(options).await.unwrap();
    runtime::build_binaries();
    local
}

fn collected_events() -> Vec<(String, Value)> {
    let files = fs::read_dir(workspace_root().join("tests/lambda/api_gateway")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "json")).collect();
    assert!(files.len() > OTHER_EVENTS.len());
    let name = |file: &PathBuf| file.file_stem().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|file| (name(file), serde_json::from_slice(&fs::read(file).unwrap()).unwrap())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_collected_event_gets_a_response_or_an_error_with_its_kind() {
    let local = system().await;
    let function = Function::start("pos", &local.environment).await;
    for (name, event) in collected_events() {
        let response = function.invoke(&event).await;
        match OTHER_EVENTS.iter().find(|(other, _)| *other == name) {
            Some((_, kind)) => {
                let message = response["errorMessage"].as_str().unwrap_or_else(|| panic!("{name}: {response}"));
                assert!(message.contains(kind), "{name}: {message}");
            }
            // Its host is `1234567890.execute-api.{dns_suffix}`.
            None if name == "console-request" => assert_eq!(response["statusCode"], 400, "{response}"),
            None => assert_eq!(response["statusCode"], 404, "{name}: {response}"),
        }
    }
    for (event, kind) in [
        (json!({"Records": []}), "a batch of records"),
        (json!({"detail-type": "Scheduled Event", "source": "aws.events"}), "EventBridge"),
        (json!({"httpMethod": "GET", "requestContext": {"elb": {}}}), "a load balancer"),
        (json!({}), "an unknown event"),
        (json!([]), "an unknown event"),
        (json!("text"), "an unknown event"),
        (json!({"requestContext": "text"}), "an unknown event"),
    ] {
        let response = function.invoke(&event).await;
        assert!(response["errorMessage"].as_str().unwrap().contains(kind), "{event}: {response}");
    }
}

/// Returns copies of an event, each with another part that is not valid HTTP.
fn malformed(event: &Value) -> Vec<Value> {
    let with = |changes: &[(&str, Value)]| {
        let mut event = event.clone();
        for (pointer, value) in changes {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            event.pointer_mut(parent).unwrap()[name] = value.clone();
        }
        event
    };
    let is_v2 = event["version"] == "2.0";
    let mut events = vec![
        with(&[("/headers/host", json!("no host"))]),
        with(&[("/headers/host", json!("a.example:port"))]),
        with(&[("/headers/x", json!("line\nbreak"))]),
        with(&[("/headers/not a name", json!("x"))]),
        with(&[("/body", json!("not base64")), ("/isBase64Encoded", json!(true))]),
    ];
    if is_v2 {
        let queries = ["\"", "a=\"b\"", "a b", "\u{1}", "a=\n"];
        events.extend(queries.map(|query| with(&[("/rawQueryString", json!(query))])));
        events.push(with(&[("/requestContext/http/method", json!("NO METHOD"))]));
    } else {
        events.push(with(&[("/httpMethod", json!("NO METHOD"))]));
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_not_valid_http_get_400_in_the_format_of_the_group() {
    let local = system().await;
    let message = "The request is not valid HTTP.";
    for (name, events, message_at) in [
        ("pos", ["pos/card", "pos/card-payload-1"], "/error/message"),
        ("orders", ["orders/list", "orders/list-payload-1"], "/error"),
    ] {
        let function = Function::start(name, &local.environment).await;
        for original in events {
            for event in malformed(&event(original)) {
                let response = function.invoke(&event).await;
                assert_eq!(response["statusCode"], 400, "{event}: {response}");
                let body: Value = serde_json::from_str(response["body"].as_str().unwrap()).unwrap();
                assert_eq!(body.pointer(message_at).unwrap(), message, "{event}: {response}");
                assert!(response.to_string().contains(REQUEST_ID), "{event}: {response}");
            }
        }
        let log = function.stop();
        assert!(!log.contains("panicked"), "{log}");
    }
}
