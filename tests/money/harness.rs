//! Services with fault injection, merchants with tills and cards, and function instances that can be
//! interrupted.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use jiff::Timestamp;
use lambda_http::RequestExt;
use local::{fixtures, table};
use serde_json::{Value, json};
use shared::app::App;
use shared::aws;
use shared::base::clock::Clock;
use shared::base::invocation::Invocation;
use shared::base::random::Random;
use shared::base::settings::Settings;
use shared::db::Store;
use shared::operations::Operation;
use shared::team::model::team::SignInMethod;
use shared::values::{MerchantId, UserId};
use sweep::Pass;
use tokio::sync::{Mutex, oneshot};
use tower::ServiceExt;
use upstreams::faults::{Call, FaultKind, Faults, Hold};
use upstreams::simulators::SimulatorOptions;
use upstreams::simulators::card_network::CardNetwork;
use world::ManualClock;
use world::shop::with;

use crate::dead_connections::{Death, start_proxy};
use crate::services::Services;

pub(crate) const ISSUE: &str = "/api/bff/pos/issue";
pub(crate) const REDEEM: &str = "/api/bff/pos/redeem";
const CANCELLATION: &str = "/api/bff/pos/operations/cancellation";

const NETWORK_KEY: &str = "network-key";
const NETWORK_SECRET: &str = "card-network";
const CODE_SECRET: &str = "codes";
const BUCKET: &str = "portal";
/// The instance that reads the records. `.ci/aws/faults.py` makes no faults for it.
pub(crate) const RECONCILIATION: &str = "reconciliation";
/// Milliseconds after which the lease of an interrupted invocation has expired.
pub(crate) const LEASE: i64 = 25_000;

/// Initial value of each card, in minor units.
pub(crate) const CARD_VALUE: i64 = 10_000;
pub(crate) const CARDS: usize = 3;

pub(crate) struct Harness {
    aws: Services,
    pub(crate) network: CardNetwork,
    /// The address at which functions call the card network.
    network_url: String,
    pub(crate) faults: Faults,
    pub(crate) clock: ManualClock,
    /// An instance for reading the table. It is never interrupted.
    pub(crate) app: App,
    merchants: Mutex<Vec<TestMerchant>>,
    merchants_created: AtomicUsize,
}

/// A merchant with a till user and cards.
#[derive(Debug, Clone)]
pub(crate) struct TestMerchant {
    pub(crate) id: MerchantId,
    pub(crate) network_id: String,
    pub(crate) is_settled_on_sale: bool,
    pub(crate) cards: [String; CARDS],
    user: UserId,
}

impl Harness {
    pub(crate) async fn new() -> Self {
        Self::start(None).await
    }

    /// A harness whose card network is behind a proxy that drops idle connections.
    pub(crate) async fn behind(death: Death) -> Self {
        Self::start(Some(death)).await
    }

    async fn start(death: Option<Death>) -> Self {
        // The embedded DynamoDB deletes expired items by the real time.
        let (faults, clock) = (Faults::default(), ManualClock::new(Clock::system().now()));
        let secret = (NETWORK_SECRET, json!({"apiKey": NETWORK_KEY}).to_string());
        let secrets = [secret, (CODE_SECRET, json!({"key": "k".repeat(32)}).to_string())];
        let aws = Services::start(&faults, &secrets).await;
        let network = SimulatorOptions { api_key: NETWORK_KEY.to_owned(), faults: faults.clone(), ..SimulatorOptions::default() };
        let network = CardNetwork::start(network).await.unwrap();
        let network_url = match death {
            Some(death) => start_proxy(network.url().replace("http://", ""), death).await,
            None => network.url(),
        };
        // The calls of the tests themselves do not go through the proxy.
        let settings = settings(&aws, network.url(), RECONCILIATION);
        let app = App::new(settings, clock.clock(), Random::system());
        aws.prepare(&app.settings, &secrets).await;
        let dynamodb = aws::Aws::new(app.settings.aws.clone()).dynamodb();
        table::ensure(&dynamodb, &app.settings.table).await.unwrap();
        let (merchants, merchants_created) = (Mutex::default(), AtomicUsize::new(0));
        Self { aws, network, network_url, faults, clock, app, merchants, merchants_created }
    }

    /// Returns a merchant that no test has used.
    pub(crate) async fn merchant(&self) -> TestMerchant {
        let mut merchants = self.merchants.lock().await;
        if merchants.is_empty() {
            *merchants = self.create_merchants().await;
        }
        merchants.pop().unwrap()
    }

    async fn create_merchants(&self) -> Vec<TestMerchant> {
        const BATCH: usize = 64;
        let first = self.merchants_created.fetch_add(BATCH, Ordering::SeqCst);
        let merchants: Vec<TestMerchant> = (first..first + BATCH).map(TestMerchant::numbered).collect();
        load_fixtures(&self.app, &TestMerchant::fixtures(&merchants), Some(&self.network)).await;
        merchants
    }

    /// Returns a new instance of a function: no open connections, empty caches.
    pub(crate) fn instance(&self, name: &str) -> App {
        self.instance_with_clock(name, self.clock.clock())
    }

    /// Returns a new instance of a function with an environment variable of its own.
    pub(crate) fn instance_with_setting(&self, name: &str, setting: (&str, &str)) -> App {
        let mut environment = environment(&self.aws, self.network_url.clone(), name);
        environment.retain(|(name, _)| *name != setting.0);
        environment.push((setting.0, setting.1.to_owned()));
        App::new(settings_with(&environment), self.clock.clock(), Random::system())
    }

    pub(crate) fn instance_with_clock(&self, name: &str, clock: Clock) -> App {
        App::new(settings(&self.aws, self.network_url.clone(), name), clock, Random::system())
    }

    /// Returns a signed-in till of the merchant that calls a new instance of the POS function.
    pub(crate) async fn till(&self, name: &str, merchant: &TestMerchant) -> Till {
        let token = self.sign_in(merchant).await;
        self.till_with_token(name, token)
    }

    pub(crate) fn till_with_token(&self, name: &str, token: String) -> Till {
        Till::of_instance(name, token, self.instance(name))
    }

    pub(crate) async fn sign_in(&self, merchant: &TestMerchant) -> String {
        self.sign_in_at(&self.app.store, merchant).await
    }

    pub(crate) async fn sign_in_at(&self, store: &Store, merchant: &TestMerchant) -> String {
        let user = store.user(&merchant.user).await.unwrap().unwrap();
        let secret = self.app.random.bytes();
        let token = store.open_session(&user, secret, SignInMethod::Passkey, self.app.clock.now()).await.unwrap();
        token.expose().to_owned()
    }

    /// Returns the first page of a card's history as the API shows it.
    pub(crate) async fn card_history(&self, merchant: &TestMerchant, code: &str) -> Value {
        let token = self.sign_in(merchant).await;
        let path = format!("/api/bff/cards/{code}/history?limit=100");
        let request = FunctionRequest { method: Method::GET, path: &path, token: &token, key: None, body: &Value::Null };
        let response = request.send(merchant::routes().into_router(self.app.clone()), RECONCILIATION).await.body;
        assert_eq!(response["ok"], true, "{response}");
        response["data"].clone()
    }

    /// Runs the sweep once on a new instance.
    pub(crate) fn sweep(&self, name: &str) -> impl Future<Output = Result<Pass, String>> + Send + 'static {
        run_sweep(self.instance(name))
    }

    pub(crate) fn clear_faults(&self) {
        self.faults.replace(Vec::new());
    }

    /// Clears all faults, then lets leases and delays expire and runs the sweep until no work is left.
    pub(crate) async fn sweep_until_idle(&self) {
        const MAX_SWEEPS: usize = 20;
        /// Milliseconds. Exceeds every lease and every retry delay.
        const INTERVAL: i64 = 1_000_000;
        self.clear_faults();
        for _ in 0..MAX_SWEEPS {
            self.clock.advance_milliseconds(INTERVAL);
            if run_sweep(self.app.clone()).await.unwrap() == Pass::default() {
                return;
            }
        }
        panic!("work is left after {MAX_SWEEPS} sweeps");
    }

    pub(crate) async fn open_operations(&self) -> Vec<Operation> {
        let open = self.app.store.due_operations(Timestamp::MAX, u16::MAX).await.unwrap();
        open.into_iter().map(|operation| operation.value).collect()
    }

    /// Runs an invocation of a function and interrupts it at a crash point, or completes it if it has fewer points.
    /// `faults` applies to the other upstream calls.
    pub(crate) async fn run_until_crash<T: Send + 'static>(
        &self,
        point: usize,
        mut faults: impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static,
        invocation: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Crash> {
        let (hold, mut held) = Hold::new();
        let (crash_sender, crash) = oneshot::channel();
        let mut crash_sender = Some(crash_sender);
        let mut points = CrashPoints::default();
        self.faults.decide(move |call| {
            let fault = faults(call);
            let Some(side) = points.pass(call, point) else { return fault };
            if let Some(sender) = crash_sender.take() {
                let _ = sender.send(Crash(format!("{side:?} {}", call.operation)));
            }
            Some(match side {
                Side::Before => FaultKind::Hold(hold.clone()),
                Side::After => FaultKind::OnReply(Box::new(FaultKind::Hold(hold.clone()))),
            })
        });
        let mut running = tokio::spawn(invocation);
        let result = tokio::select! {
            completed = &mut running => Ok(completed.unwrap()),
            () = held.reached() => Err(crash.await.unwrap()),
        };
        if result.is_err() {
            running.abort();
            let _ = running.await;
        }
        self.clear_faults();
        result
    }
}

pub(crate) async fn load_fixtures(app: &App, fixtures: &Value, network: Option<&CardNetwork>) {
    let fixtures = fixtures::parse(fixtures.to_string().as_bytes(), app.clock.now()).unwrap();
    fixtures::load(&fixtures, &app.store, network).await.unwrap();
}

/// A request to a function in the test's process.
pub(crate) struct FunctionRequest<'a> {
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    pub(crate) token: &'a str,
    pub(crate) key: Option<&'a str>,
    pub(crate) body: &'a Value,
}

impl FunctionRequest<'_> {
    /// Invokes a function, with the name of its instance as the id of the request. The future owns all of its state, so it can be
    /// aborted at any point.
    pub(crate) fn send(&self, function: Router, instance: &str) -> impl Future<Output = Response> + Send + 'static + use<> {
        let mut request = Request::builder().method(&self.method).uri(self.path).header("content-type", "application/json");
        request = request.header("authorization", format!("Bearer {}", self.token));
        if let Some(key) = self.key {
            request = request.header("idempotency-key", key);
        }
        let mut request = request.body(Body::from(self.body.to_string())).unwrap();
        let mut context = lambda_http::Context::default();
        instance.clone_into(&mut context.request_id);
        request.extensions_mut().insert(context);
        let request = request.with_raw_http_path(self.path.split('?').next().unwrap());
        async move {
            let (head, body) = function.oneshot(request).await.unwrap().into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            Response { status: head.status.as_u16(), headers: head.headers, body: serde_json::from_slice(&body).unwrap() }
        }
    }
}

/// Runs the sweep once on this instance.
pub(crate) async fn run_sweep(app: App) -> Result<Pass, String> {
    let invocation = Invocation::new(&app.clock, app.settings.aws.function_name.clone());
    sweep::sweep(&app, &invocation, app.clock.now()).await.map_err(|error| error.to_string())
}

/// Where an invocation was interrupted.
#[derive(Debug)]
pub(crate) struct Crash(#[expect(dead_code, reason = "printed by failing tests")] String);

/// The side of a call's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// Counts the points at which interrupting an invocation makes a difference: before each upstream call, and after each
/// call with an effect.
#[derive(Debug, Default)]
pub(crate) struct CrashPoints(usize);

impl CrashPoints {
    /// Returns the number of points so far.
    pub(crate) fn passed(&self) -> usize {
        self.0
    }

    /// Counts the points of this call. Returns the side of the call that `point` is on, if it is one of them.
    pub(crate) fn pass(&mut self, call: Call<'_>, point: usize) -> Option<Side> {
        // The sweep queries its index many times before it changes anything.
        if call.operation == "Query" {
            return None;
        }
        let before = self.0;
        self.0 += 1 + usize::from(has_effect(call.operation));
        match point.checked_sub(before) {
            Some(0) => Some(Side::Before),
            Some(1) if has_effect(call.operation) => Some(Side::After),
            _ => None,
        }
    }
}

/// A lookup also has an effect: the card network refuses a reference from then on that it did not know.
fn has_effect(operation: &str) -> bool {
    operation == "TransactWriteItems" || operation.starts_with("POST /v1/") || operation.starts_with("GET /v1/operations/")
}

/// An error of DynamoDB with these fields.
pub(crate) fn dynamodb_error(code: &str, fields: &Value) -> FaultKind {
    let body = with(json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}")}), fields);
    FaultKind::Response(StatusCode::BAD_REQUEST, body.to_string())
}

/// How a table that a restore has closed refuses a write.
pub(crate) fn closed_table() -> FaultKind {
    let message = "not authorized with an explicit deny in a resource-based policy";
    dynamodb_error("AccessDeniedException", &json!({"message": message}))
}

/// Whether the call issues or redeems a card.
pub(crate) fn moves_money(call: Call<'_>) -> bool {
    call.operation.starts_with("POST /v1/cards/")
}

/// Whether the call looks up the outcome of an operation.
pub(crate) fn is_lookup(call: Call<'_>) -> bool {
    call.operation.starts_with("GET /v1/operations/")
}

fn settings(aws: &Services, network_url: String, function: &str) -> Settings {
    settings_with(&environment(aws, network_url, function))
}

fn environment<'a>(aws: &Services, network_url: String, function: &str) -> Vec<(&'a str, String)> {
    let mut environment = aws.environment();
    environment.extend([("AWS_LAMBDA_FUNCTION_NAME", function.to_owned()), ("CARD_NETWORK_URL", network_url)]);
    environment
}

/// Returns the settings of a function with these environment variables and defaults for the others.
pub(crate) fn settings_with(environment: &[(&str, String)]) -> Settings {
    let default = |name: &str| {
        Some(match name {
            "AWS_REGION" => upstreams::aws::REGION,
            "AWS_ACCESS_KEY_ID" => upstreams::aws::ACCESS_KEY_ID,
            "AWS_SECRET_ACCESS_KEY" => upstreams::aws::SECRET_ACCESS_KEY,
            "CARD_NETWORK_SECRET_ID" => NETWORK_SECRET,
            "MAIL_FROM" => "portal@example.com",
            "TABLE_NAME" | "VERIFIER_SECRET_ID" => "portal",
            "CODE_SECRET_ID" => CODE_SECRET,
            "BUCKET_NAME" | "SEARCH_BUCKET_NAME" => BUCKET,
            // Tests do not wait.
            "PAYOUT_SETTLEMENTS_PER_SECOND" => "0",
            "PORTAL_BASE_URL" | "WEBSHOP_BASE_URL" | "VERIFIER_URL" | "CARD_NETWORK_URL" => "https://none.example",
            _ => return None,
        })
    };
    let set = |name: &str| environment.iter().find(|(set, _)| *set == name).map(|(_, value)| value.clone());
    Settings::read(|name| set(name).or_else(|| default(name).map(str::to_owned))).unwrap()
}

impl TestMerchant {
    /// Returns the fixtures document of these merchants.
    pub(crate) fn fixtures(merchants: &[Self]) -> Value {
        json!({
            "merchants": merchants.iter().map(Self::merchant_record).collect::<Vec<_>>(),
            "users": merchants.iter().map(Self::user_record).collect::<Vec<_>>(),
            "cardNetwork": {
                "offers": merchants.iter().flat_map(Self::offer_records).collect::<Vec<_>>(),
                "cards": merchants.iter().flat_map(Self::card_records).collect::<Vec<_>>(),
            },
        })
    }

    pub(crate) fn numbered(number: usize) -> Self {
        Self {
            id: MerchantId::new(format!("m-{number}")),
            network_id: (1_000_000 + number).to_string(),
            is_settled_on_sale: number.is_multiple_of(3),
            cards: std::array::from_fn(|card| format!("QR-{number}-{card}")),
            user: UserId::new(format!("u-{number}")),
        }
    }

    fn merchant_record(&self) -> Value {
        let mode = if self.is_settled_on_sale { "SETTLEMENT_ON_SALE" } else { "SETTLEMENT_ON_REDEMPTION" };
        json!({
            "id": self.id, "slug": self.id, "name": self.id, "status": "ACTIVE", "currency": "EUR",
            "networkMerchantId": self.network_id, "settlementMode": mode, "payoutDelayDays": 7,
            "fees": {"percentBps": 250, "fixedMinor": 10}, "brand": {"logoUrl": "https://shop.example/logo.png"},
        })
    }

    fn user_record(&self) -> Value {
        json!({
            "id": self.user, "email": format!("{}@shop.example", self.user), "merchantId": self.id,
            "permissions": ["portal.pos", "portal.gift_cards"],
        })
    }

    /// Returns an offer to sell, and one to give back.
    fn offer_records(&self) -> [Value; 2] {
        let number: u64 = self.network_id.parse().unwrap();
        let offer = |id: u64, offer_type: &str, min: f64| {
            json!({
                "giftCardOfferId": id, "merchantId": self.network_id, "name": "Card", "currency": "EUR",
                "giftCardOfferType": offer_type, "giftCardOfferStatus": "AVAILABLE", "minPrice": min, "maxPrice": 1000,
            })
        };
        [offer(number, "GIFTCARD_DIGITAL", 1.0), offer(number * 10, "REFUND_DIGITAL", 0.01)]
    }

    fn card_records(&self) -> Vec<Value> {
        let record = |code: &String| {
            json!({
                "qrCode": code, "merchantId": self.network_id, "status": "ACTIVE", "currency": "EUR",
                "value": CARD_VALUE / 100, "valueRemains": CARD_VALUE / 100, "networkCode": format!("N-{code}"),
            })
        };
        self.cards.iter().map(record).collect()
    }
}

/// A client of the POS routes.
#[derive(Clone)]
pub(crate) struct Till {
    name: String,
    token: String,
    router: Router,
}

/// A request for a sale or a redemption.
#[derive(Debug, Clone)]
pub(crate) struct PosRequest {
    pub(crate) path: &'static str,
    pub(crate) idempotency_key: Option<String>,
    /// The payment reference of a sale or the store name of a redemption. Identifies the record in the table.
    pub(crate) label: String,
    pub(crate) body: Value,
}

impl PosRequest {
    pub(crate) fn sale(label: &str, minor: i64) -> Self {
        let body = json!({
            "value": units(minor), "paymentReference": label, "deliveryDetails": {"deliveryType": "QR"},
        });
        Self { path: ISSUE, idempotency_key: None, label: label.to_owned(), body }
    }

    pub(crate) fn redemption(label: &str, code: &str, minor: i64) -> Self {
        let amount = units(minor);
        let body = json!({"qrCode": code, "redeemAmount": amount, "purchaseAmount": amount, "retailStoreName": label});
        Self { path: REDEEM, idempotency_key: None, label: label.to_owned(), body }
    }

    /// A sale that gives back something of a redemption.
    pub(crate) fn giving_back(label: &str, redemption: &str, minor: i64) -> Self {
        let mut request = Self::sale(label, minor);
        request.body["refundOf"] = redemption.into();
        request
    }

    /// Sets the idempotency key to the label.
    pub(crate) fn with_idempotency_key(self) -> Self {
        Self { idempotency_key: Some(self.label.clone()), ..self }
    }
}

/// Converts minor units to a decimal number.
fn units(minor: i64) -> Value {
    serde_json::from_str(&format!("{}.{:02}", minor / 100, minor % 100)).unwrap()
}

impl Till {
    pub(crate) fn of_instance(name: &str, token: String, app: App) -> Self {
        Self { name: name.to_owned(), token, router: pos::routes().into_router(app) }
    }

    /// Invokes the POS function.
    pub(crate) fn send(&self, pos_request: &PosRequest) -> impl Future<Output = Response> + Send + 'static {
        self.post(pos_request.path, pos_request.idempotency_key.as_ref(), &pos_request.body)
    }

    /// Cancels a request that has an idempotency key, as [`Self::send`] sends it.
    pub(crate) fn cancel(&self, pos_request: &PosRequest) -> impl Future<Output = Response> + Send + 'static {
        let kind = if pos_request.path == ISSUE { "ISSUE" } else { "REDEEM" };
        self.post(CANCELLATION, None, &json!({"kind": kind, "idempotencyKey": pos_request.idempotency_key}))
    }

    fn post(&self, path: &str, key: Option<&String>, body: &Value) -> impl Future<Output = Response> + Send + 'static + use<> {
        let (token, key) = (self.token.as_str(), key.map(String::as_str));
        FunctionRequest { method: Method::POST, path, token, key, body }.send(self.router.clone(), &self.name)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

/// The outcome that a response reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The money moved.
    Succeeded,
    /// The card network refused the operation: the money did not move, and a retry under the same key cannot move it.
    Refused,
    /// The operation failed for a reason that says nothing about the request: the money did not move, and a retry is a new
    /// attempt.
    Failed,
    /// The outcome is unknown so far. The client retries later.
    Open,
    /// The request was rejected before an operation was recorded.
    Rejected,
}

impl Response {
    pub(crate) fn outcome(&self) -> Outcome {
        let message = self.body.pointer("/error/message").or(self.body.get("error")).and_then(Value::as_str);
        let is_refusal = matches!(message, Some("The card network did not issue the card." | "Redeem failed"));
        match self.status {
            200 => Outcome::Succeeded,
            409 if self.headers.contains_key("retry-after") && !is_refusal => Outcome::Open,
            504 if self.detail("outcome") == "unknown" => Outcome::Open,
            408 | 429 | 500.. if is_refusal => Outcome::Failed,
            409 if self.detail("code") == "REFERENCE_FENCED" => Outcome::Failed,
            _ if is_refusal => Outcome::Refused,
            _ => Outcome::Rejected,
        }
    }

    /// What the response says for certain about the money of the request.
    pub(crate) fn money_moved(&self) -> &str {
        self.header("money-moved").unwrap_or_else(|| panic!("no Money-Moved: {self:?}"))
    }

    /// Whether a sale was refused because there is nothing, or not as much, to give back.
    pub(crate) fn is_no_return(&self) -> bool {
        let code = self.body.pointer("/error/code").and_then(Value::as_str);
        self.status == 400 && matches!(code, Some("REFUND_TOO_LARGE" | "NO_SUCH_REDEMPTION"))
    }

    pub(crate) fn is_final(&self) -> bool {
        matches!(self.outcome(), Outcome::Succeeded | Outcome::Refused)
    }

    pub(crate) fn is_replay(&self) -> bool {
        self.header("idempotent-replayed") == Some("true")
    }

    pub(crate) fn detail(&self, name: &str) -> &Value {
        let details = self.body.pointer("/error/details").or(self.body.get("details"));
        details.and_then(|details| details.get(name)).unwrap_or(&Value::Null)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}
