//! What the real binaries write in the log: enough to follow each request, the metrics, and nothing that is a secret.

use std::collections::BTreeMap;

use local::{Local, Options};
use serde_json::{Value, json};
use test_support::events;

use crate::runtime::{self, Function, METRICS_NAMESPACE, REQUEST_ID};

const EMAIL: &str = "buyer@private.example";
const IDEMPOTENCY_KEY: &str = "key-of-one-till";
const QUERY: &str = "asked-in-a-query";
const UNKNOWN_CARD: &str = "QR-OF-NOBODY-AT-ALL";

/// A log, line by line.
struct Log {
    text: String,
    lines: Vec<Value>,
}

impl Log {
    fn of(function: Function) -> Self {
        let text = function.end();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { text, lines }
    }

    fn said(&self, message: &str) -> Vec<&Value> {
        self.lines.iter().filter(|line| line["message"] == message).collect()
    }

    /// Every value of every metric, by the metric's name and its dimensions: `Operations issue succeeded`.
    fn metrics(&self) -> BTreeMap<String, Vec<u64>> {
        let mut metrics: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.get("_aws").is_some()) {
            for (name, value) in measured(line) {
                metrics.entry(name).or_default().push(value);
            }
        }
        metrics
    }
}

/// What CloudWatch reads in a line. Fails where it would read nothing.
fn measured(line: &Value) -> Vec<(String, u64)> {
    assert!(
        line["_aws"]["Timestamp"].as_u64().is_some_and(|at| at > 1_700_000_000_000),
        "milliseconds: {line}"
    );
    let mut measured = Vec::new();
    for directive in line["_aws"]["CloudWatchMetrics"].as_array().unwrap() {
        assert_eq!(directive["Namespace"], METRICS_NAMESPACE);
        for set in directive["Dimensions"].as_array().unwrap() {
            let values =
                set.as_array().unwrap().iter().map(|name| line[name.as_str().unwrap()].as_str().unwrap());
            let values: Vec<&str> = values.collect();
            for metric in directive["Metrics"].as_array().unwrap() {
                let name = metric["Name"].as_str().unwrap();
                assert!(
                    ["Count", "Milliseconds", "Seconds"].contains(&metric["Unit"].as_str().unwrap()),
                    "{line}"
                );
                measured.push(([&[name], &values[..]].concat().join(" "), line[name].as_u64().unwrap()));
            }
        }
    }
    measured
}

/// The event of a signed-in till with another body.
fn with_body(event: &Value, body: &Value) -> Value {
    let mut event = event.clone();
    event["body"] = body.to_string().into();
    event["headers"]["idempotency-key"] = IDEMPOTENCY_KEY.into();
    event
}

fn body(answer: &Value) -> Value {
    serde_json::from_str(answer["body"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_tells_of_each_request_and_gives_nothing_away() {
    let local = Local::start(Options::default()).await.unwrap();
    let token = local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    let pos = Function::start("pos", &local.environment).await;
    let events = events();

    let delivery = json!({"deliveryType": "EMAIL", "email": EMAIL});
    let sale = json!({"value": 250, "deliveryDetails": delivery, "paymentReference": "receipt-of-one-till"});
    let sold = body(&pos.invoke(&with_body(&events["pos/issue"], &sale)).await);
    let card = sold["data"]["qrCode"].as_str().unwrap_or_else(|| panic!("{sold}"));
    for (code, ok) in [(card, true), (UNKNOWN_CARD, false)] {
        let redemption = json!({"qrCode": code, "redeemAmount": 10, "purchaseAmount": 20});
        let mut event = with_body(&events["pos/redeem"], &redemption);
        event["headers"]["idempotency-key"] = format!("{IDEMPOTENCY_KEY}-{ok}").into();
        let redeemed = body(&pos.invoke(&event).await);
        assert_eq!(redeemed["ok"] == true, ok, "{redeemed}");
    }
    let mut lookup = events["pos/card"].clone();
    lookup["rawQueryString"] = format!("q={QUERY}").into();
    pos.invoke(&lookup).await;

    let log = Log::of(pos);
    let answered: Vec<_> = log.said("answered").into_iter().map(told).collect();
    let expected = [
        ("POST", "/api/bff/pos/issue", 200),
        ("POST", "/api/bff/pos/redeem", 200),
        ("POST", "/api/bff/pos/redeem", 404),
        ("GET", "/api/bff/pos/card/{qrcode}", 200),
    ];
    assert_eq!(answered, expected);

    let metrics = log.metrics();
    for (metric, values) in [
        ("ServerErrors pos POST /api/bff/pos/issue", vec![0]),
        ("ClientErrors pos POST /api/bff/pos/redeem", vec![0, 1]),
        ("Operations issue succeeded", vec![1]),
        ("Operations redeem succeeded", vec![1]),
        ("Operations redeem refused", vec![1]),
    ] {
        assert_eq!(metrics.get(metric), Some(&values), "{metric} in {metrics:?}");
    }
    assert!(metrics.contains_key("Milliseconds pos GET /api/bff/pos/card/{qrcode}"), "{metrics:?}");
    assert_eq!(metrics["UpstreamMilliseconds card network ok"].len(), 4, "offers, issue, redeem, card");
    assert_eq!(metrics["UpstreamMilliseconds card network refused"].len(), 1);

    let card_number = sold["data"]["cardNo"].as_str().unwrap();
    let secrets =
        [token.as_str(), EMAIL, IDEMPOTENCY_KEY, QUERY, UNKNOWN_CARD, card, card_number, "DEMO-AURORA"];
    for secret in secrets.into_iter().chain(keys(&local)) {
        assert!(!log.text.contains(secret), "{secret} in the log");
    }
}

/// What the line of a request says, beside what all of them say alike.
fn told(line: &Value) -> (&str, &str, u64) {
    assert_eq!(line["span"]["request_id"], REQUEST_ID);
    assert_eq!(line["span"]["merchant"], "m-aurora");
    let [milliseconds, upstream] =
        ["milliseconds", "upstream_milliseconds"].map(|name| line[name].as_u64().unwrap());
    assert!(upstream <= milliseconds, "{line}");
    let text = |name: &str| line["span"][name].as_str().unwrap();
    (text("method"), text("route"), line["status"].as_u64().unwrap())
}

/// What opens the services to the functions.
fn keys(local: &Local) -> impl Iterator<Item = &str> {
    local
        .environment
        .iter()
        .filter(|(name, _)| name.contains("SECRET_ACCESS_KEY"))
        .map(|(_, key)| key.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_says_what_is_open() {
    let local = Local::start(Options::default()).await.unwrap();
    runtime::build_binaries();
    let sweep = Function::start("sweep", &local.environment).await;
    sweep.invoke(&json!({})).await;

    let log = Log::of(sweep);
    let [swept] = log.said("swept")[..] else { panic!("{}", log.text) };
    assert_eq!((&swept["open"], &swept["oldest_open_seconds"]), (&json!(0), &json!(0)));
    let expected = ["OldestOpenSeconds", "OpenOutcomes"].map(|metric| (metric.to_owned(), vec![0]));
    assert_eq!(log.metrics(), expected.into());
}
