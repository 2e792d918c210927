//! The logs of the function binaries: access log, metrics in the embedded metric format, and no secrets.

use std::collections::BTreeMap;

use jiff::Timestamp;
use local::stream::Stream;
use local::{Local, Options};
use serde_json::{Value, json};
use shared::db::Write;
use shared::db::model::restore::{LostSpan, Restores};
use world::runtime::{self, Function, METRICS_NAMESPACE, REQUEST_ID};
use world::{client, events};

const EMAIL: &str = "buyer@private.example";
const IDEMPOTENCY_KEY: &str = "idempotency-key-of-a-till";
const QUERY: &str = "value-of-a-query-parameter";
const UNKNOWN_CARD: &str = "QR-UNKNOWN-CARD";

/// The log of a function.
struct Log {
    text: String,
    lines: Vec<Value>,
}

impl Log {
    /// Stops the function and parses its log.
    fn of(function: Function) -> Self {
        let text = function.stop();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { text, lines }
    }

    fn lines_with_message(&self, message: &str) -> Vec<&Value> {
        self.lines.iter().filter(|line| line["message"] == message).collect()
    }

    /// Returns the values of all metrics by name and dimensions, such as `Operations issue succeeded`.
    fn metrics(&self) -> BTreeMap<String, Vec<u64>> {
        let mut metrics: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.get("_aws").is_some()) {
            for (name, value) in metrics_of_line(line) {
                metrics.entry(name).or_default().push(value);
            }
        }
        metrics
    }
}

/// Returns the metrics that CloudWatch extracts from a line. Panics if the line is invalid.
fn metrics_of_line(line: &Value) -> Vec<(String, u64)> {
    assert!(
        line["_aws"]["Timestamp"].as_u64().is_some_and(|timestamp| timestamp > 1_700_000_000_000),
        "the timestamp is not in milliseconds: {line}"
    );
    let mut metrics = Vec::new();
    for directive in line["_aws"]["CloudWatchMetrics"].as_array().unwrap() {
        assert_eq!(directive["Namespace"], METRICS_NAMESPACE);
        for set in directive["Dimensions"].as_array().unwrap() {
            let values = set.as_array().unwrap().iter().map(|name| line[name.as_str().unwrap()].as_str().unwrap());
            let values: Vec<&str> = values.collect();
            for metric in directive["Metrics"].as_array().unwrap() {
                let name = metric["Name"].as_str().unwrap();
                assert!(["Count", "Milliseconds", "Seconds"].contains(&metric["Unit"].as_str().unwrap()), "{line}");
                metrics.push(([&[name], &values[..]].concat().join(" "), line[name].as_u64().unwrap()));
            }
        }
    }
    metrics
}

/// Replaces the body of an event and adds an idempotency key.
fn with_body(event: &Value, body: &Value) -> Value {
    let mut event = event.clone();
    event["body"] = body.to_string().into();
    event["headers"]["idempotency-key"] = IDEMPOTENCY_KEY.into();
    event
}

fn body(response: &Value) -> Value {
    serde_json::from_str(response["body"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_each_request_and_its_metrics_without_secrets() {
    let local = Local::start(Options::default()).await.unwrap();
    let token = local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    // The AWS SDK and the Lambda runtime would log secrets and requests at this level.
    let mut environment = local.environment.clone();
    environment.insert("RUST_LOG", "trace".to_owned());
    let pos = Function::start("pos", &environment).await;
    let events = events();

    let delivery_details = json!({"deliveryType": "EMAIL", "email": EMAIL});
    let sale = json!({"value": 250, "deliveryDetails": delivery_details, "paymentReference": "receipt-of-one-till"});
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
    let lost = LostSpan { from: Timestamp::UNIX_EPOCH, to: None };
    let restores = Restores { spans: vec![lost], ..Restores::default() };
    local.app().store.commit(vec![Write::put(&restores).unwrap()]).await.unwrap();
    let mut early = with_body(&events["pos/issue"], &sale);
    early["headers"]["idempotency-key"] = format!("{IDEMPOTENCY_KEY}-lost").into();
    early["headers"]["idempotency-made-at"] = "2026-01-05T10:00:00.000Z".into();
    assert_eq!(body(&pos.invoke(&early).await)["error"]["code"], "RESTORED");

    let log = Log::of(pos);
    let requests: Vec<_> = log.lines_with_message("answered").into_iter().map(access_log_entry).collect();
    let expected = [
        ("POST", "/api/bff/pos/issue", 200),
        ("POST", "/api/bff/pos/redeem", 200),
        ("POST", "/api/bff/pos/redeem", 404),
        ("GET", "/api/bff/pos/card/{qrcode}", 200),
        ("POST", "/api/bff/pos/issue", 409),
    ];
    assert_eq!(requests, expected);

    let audit = log.lines_with_message("audit").into_iter().map(|line| {
        assert_eq!(
            (&line["event"], &line["user"], &line["merchant"]),
            (&json!("money-call"), &json!("u-anna"), &json!("m-aurora"))
        );
        assert_eq!(line["reference"].as_str().unwrap().len(), 48, "{line}");
        ["kind", "amount", "currency"].map(|name| line[name].as_str().unwrap())
    });
    assert_eq!(audit.collect::<Vec<_>>(), [["issue", "250", "SEK"], ["redeem", "10", "SEK"], ["redeem", "10", "SEK"]]);

    let metrics = log.metrics();
    for (metric, values) in [
        ("ServerErrors pos POST /api/bff/pos/issue", vec![0, 0]),
        ("ClientErrors pos POST /api/bff/pos/redeem", vec![0, 1]),
        ("Operations issue succeeded", vec![1]),
        ("Operations redeem succeeded", vec![1]),
        ("Operations redeem refused", vec![1]),
        ("RefusedAfterRestore", vec![1]),
    ] {
        assert_eq!(metrics.get(metric), Some(&values), "{metric} in {metrics:?}");
    }
    assert!(metrics.contains_key("Milliseconds pos GET /api/bff/pos/card/{qrcode}"), "{metrics:?}");
    assert_eq!(metrics["UpstreamMilliseconds card network ok"].len(), 4, "offers, issue, redeem, card");
    assert_eq!(metrics["UpstreamMilliseconds card network refused"].len(), 1);

    let card_number = sold["data"]["cardNo"].as_str().unwrap();
    let secrets = [token.as_str(), EMAIL, IDEMPOTENCY_KEY, QUERY, UNKNOWN_CARD, card, card_number, "DEMO-AURORA"];
    for secret in secrets.into_iter().chain(secret_access_keys(&local)) {
        assert!(!log.text.contains(secret), "the log contains {secret}");
    }
}

/// As the runbook does it: the request by its id, then the jobs that it has enqueued by theirs.
#[tokio::test(flavor = "multi_thread")]
async fn the_log_leads_from_a_request_to_its_job() {
    let local = Local::start(Options::default()).await.unwrap();
    local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    // Workers of the local system would run the job.
    local.pause(follow_an_invitation(&local)).await;
}

async fn follow_an_invitation(local: &Local) {
    let settings = &local.app().settings;
    let mut stream = Stream::open(&local.listening.dynamodb, settings.aws.clone(), &settings.table, None).await.unwrap();
    let accounts = Function::start("accounts", &local.environment).await;
    assert_eq!(accounts.invoke(&events()["accounts/invite"]).await["statusCode"], 201);
    let log = Log::of(accounts);
    let [enqueued] = log.lines_with_message("enqueued a job")[..] else { panic!("{}", log.text) };
    assert_eq!(enqueued["span"]["request_id"], REQUEST_ID);
    let records = stream.next().await.unwrap();
    let jobs = Function::start("jobs", &local.environment).await;
    jobs.invoke(&json!({ "Records": records })).await;
    let log = Log::of(jobs);
    let [done] = log.lines_with_message("job is done")[..] else { panic!("{}", log.text) };
    assert_eq!((&done["span"]["job"], &done["span"]["kind"]), (&enqueued["job"], &json!("code mail")));
}

/// Returns the method, route and status of an access log line.
fn access_log_entry(line: &Value) -> (&str, &str, u64) {
    assert_eq!(line["span"]["request_id"], REQUEST_ID);
    assert_eq!(line["span"]["merchant"], "m-aurora");
    assert_eq!(line["span"]["user"], "u-anna");
    let [milliseconds, upstream] = ["milliseconds", "upstream_milliseconds"].map(|name| line[name].as_u64().unwrap());
    assert!(upstream <= milliseconds, "{line}");
    let text = |name: &str| line["span"][name].as_str().unwrap();
    (text("method"), text("route"), line["status"].as_u64().unwrap())
}

fn secret_access_keys(local: &Local) -> impl Iterator<Item = &str> {
    local.environment.iter().filter(|(name, _)| name.contains("SECRET_ACCESS_KEY")).map(|(_, key)| key.as_str())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sweep_logs_the_number_and_age_of_open_operations() {
    let local = Local::start(Options::default()).await.unwrap();
    runtime::build_binaries();
    let sweep = Function::start("sweep", &local.environment).await;
    sweep.invoke(&json!({})).await;
    let log = Log::of(sweep);
    let [swept] = log.lines_with_message("swept")[..] else { panic!("{}", log.text) };
    assert_eq!((&swept["open"], &swept["oldest_open_seconds"]), (&json!(0), &json!(0)));
    let expected = ["OldestOpenSeconds", "OpenOutcomes"].map(|metric| (metric.to_owned(), vec![0]));
    assert_eq!(log.metrics(), expected.into());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_audit_trail_names_changed_roles_and_documents_that_platform_administrators_read() {
    let local = Local::start(Options::default()).await.unwrap();
    local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    let root = local.sign_in("u-root").await.unwrap().unwrap();
    runtime::build_binaries();
    let events = events();

    let merchant = Function::start("merchant", &local.environment).await;
    assert_eq!(merchant.invoke(&events["merchant/change-role"]).await["statusCode"], 200);
    let log = Log::of(merchant);
    let [line] = log.lines_with_message("audit")[..] else { panic!("{}", log.text) };
    let role = serde_json::from_str::<Value>(events["merchant/change-role"]["body"].as_str().unwrap()).unwrap();
    assert_eq!((&line["event"], &line["user"]), (&json!("role-changed"), &json!("u-anna")), "{line}");
    assert_eq!((&line["merchant"], &line["member"]), (&json!("m-aurora"), &role["targetUserId"]), "{line}");
    assert!(line["from"].is_string() && line["to"].is_string(), "{line}");

    let onboarding = Function::start("onboarding", &local.environment).await;
    let uploaded = body(&onboarding.invoke(&events["onboarding/upload-base64"]).await);
    let mut read = events["onboarding/document"].clone();
    let url = uploaded["url"].as_str().unwrap();
    read["rawQueryString"] = format!("url={url}").into();
    assert_eq!(onboarding.invoke(&read).await["statusCode"], 200, "the merchant reads its own document");
    read["headers"]["authorization"] = format!("Bearer {root}").into();
    assert_eq!(onboarding.invoke(&read).await["statusCode"], 200);
    let log = Log::of(onboarding);
    let [line] = log.lines_with_message("audit")[..] else { panic!("{}", log.text) };
    assert_eq!((&line["event"], &line["user"]), (&json!("document-read"), &json!("u-root")), "{line}");
    assert_eq!(line["merchant"], "m-aurora", "{line}");
    assert!(url.contains(line["document"].as_str().unwrap()), "{line}");
    let file_name = url.rsplit('/').next().unwrap().split_at(36).1;
    assert!(!log.text.contains(file_name), "{}", log.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_cannot_be_read_holds_up_no_other() {
    let local = Local::start(Options::default()).await.unwrap();
    runtime::build_binaries();
    let record = |event_id: &str, pk: &str, image: Value| {
        json!({"awsRegion": "eu-west-1", "eventID": event_id, "eventName": "MODIFY", "dynamodb": {
            "Keys": {"pk": {"S": pk}, "sk": {"S": "2026-01-01T10:00:00.000Z#e"}}, "NewImage": image, "SequenceNumber": "42",
            "SizeBytes": 1,
        }})
    };
    let broken = record("broken", "JOB#1", json!({"email": {"TEXT": EMAIL}}));
    let readable = record("readable", "AUDIT#m", json!({}));
    for name in ["jobs", "projections"] {
        let function = Function::start(name, &local.environment).await;
        function.invoke(&json!({"Records": [broken, readable]})).await;
        let log = Log::of(function);
        let [line] = log.lines_with_message("a record of the stream cannot be read")[..] else { panic!("{name}: {}", log.text) };
        assert_eq!((&line["event"], &line["sequence_number"]), (&json!("broken"), &json!("42")));
        assert!(!log.text.contains(EMAIL), "{}", log.text);
        let changed_trails = log.lines_with_message("entries of a trail were changed or deleted").len();
        assert_eq!(changed_trails, usize::from(name == "projections"), "{}", log.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_of_the_stream_report_the_age_of_a_heartbeat() {
    let local = Local::start(Options::default()).await.unwrap();
    runtime::build_binaries();
    // One that the clock of the sweep dates ahead.
    let row = json!({"pk": {"S": "HEARTBEAT#"}, "sk": {"S": "HEARTBEAT"}, "at": {"S": "2100-01-01T00:00:00Z"}});
    let change = json!({"Keys": {"pk": row["pk"], "sk": row["sk"]}, "NewImage": row, "SizeBytes": 1});
    let record = json!({"awsRegion": "eu-west-1", "eventID": "1", "eventName": "MODIFY", "dynamodb": change});
    for reader in ["jobs", "projections"] {
        let function = Function::start(reader, &local.environment).await;
        function.invoke(&json!({"Records": [record]})).await;
        assert_eq!(Log::of(function).metrics(), [(format!("HeartbeatSeconds {reader}"), vec![0])].into());
    }
}

/// The alarm `CardNetworkFailuresInAnHour` needs two, which are two sales at most.
#[tokio::test(flavor = "multi_thread")]
async fn each_sale_counts_failed_calls_while_the_card_network_does_not_answer() {
    let local = Local::start(Options::default()).await.unwrap();
    local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    let pos = Function::start("pos", &local.environment).await;
    let dropped = json!([{"target": "card-network", "match": "*", "kind": "drop", "times": "always"}]);
    let faults = client().post(format!("{}/__local/faults", local.listening.api)).body(dropped.to_string());
    assert_eq!(faults.send().await.unwrap().status(), 200);
    let events = events();
    for number in 0..2 {
        let sale =
            json!({"value": 250, "deliveryDetails": {"deliveryType": "QR"}, "paymentReference": format!("receipt-{number}")});
        let mut event = with_body(&events["pos/issue"], &sale);
        event["headers"]["idempotency-key"] = format!("{IDEMPOTENCY_KEY}-{number}").into();
        assert!(pos.invoke(&event).await["statusCode"].as_u64() >= Some(500));
    }
    let metrics = Log::of(pos).metrics();
    let calls = |result: &str| metrics.get(&format!("UpstreamMilliseconds card network {result}")).map_or(0, Vec::len);
    assert!(calls("failed") + calls("timeout") >= 2, "{metrics:?}");
    assert_eq!(calls("ok"), 0, "{metrics:?}");
}

/// By which the alarms of a rollout tell the failures of a new version from those of the former one.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_counted_for_all_functions_and_for_the_version() {
    let local = Local::start(Options::default()).await.unwrap();
    runtime::build_binaries();
    let mut environment = local.environment.clone();
    environment.insert("TABLE_NAME", "missing".to_owned());
    let function = Function::start("pos", &environment).await;
    let offers = function.invoke(&world::event("pos/offers")).await;
    assert_eq!(offers["statusCode"], 500, "{offers}");
    let metrics = Log::of(function).metrics();
    for name in ["InternalErrors", "InternalErrors pos $LATEST"] {
        assert_eq!(metrics[name], [1], "{name}");
    }
}
