//! Services that fail as they are told, shops with till and cards, and function instances that can die.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, Request};
use http_body_util::BodyExt;
use jiff::Timestamp;
use local::{fixtures, table};
use serde_json::{Value, json};
use shared::app::App;
use shared::aws;
use shared::clock::Clock;
use shared::domain::ids::{MerchantId, UserId};
use shared::domain::operation::Operation;
use shared::http::invocation::Invocation;
use shared::random::Random;
use shared::settings::Settings;
use sweep::Pass;
use test_support::ManualClock;
use tokio::sync::{Mutex, oneshot};
use tower::ServiceExt;
use upstreams::aws::{Aws, AwsOptions};
use upstreams::calls::UpstreamCalls;
use upstreams::faults::{Call, FaultKind, Faults, Hold};
use upstreams::simulators::card_network::{CardNetwork, CardNetworkOptions};

pub(crate) const ISSUE: &str = "/api/bff/pos/issue";
pub(crate) const REDEEM: &str = "/api/bff/pos/redeem";

const NETWORK_KEY: &str = "network-key";
const NETWORK_SECRET: &str = "card-network";
/// Longer than any invocation may take, and than anybody waits for one that is gone.
pub(crate) const LEASE: i64 = 25_000;

/// What every card holds at first, in minor units.
pub(crate) const CARD_VALUE: i64 = 10_000;
pub(crate) const CARDS: usize = 3;

/// The services, and as many shops as are asked for.
pub(crate) struct World {
    aws: Aws,
    pub(crate) network: CardNetwork,
    pub(crate) faults: Faults,
    pub(crate) clock: ManualClock,
    /// An instance that nothing happens to, to look at the table with.
    pub(crate) app: App,
    shops: Mutex<Vec<Shop>>,
    shops_made: AtomicUsize,
}

/// A merchant with a till.
#[derive(Debug, Clone)]
pub(crate) struct Shop {
    pub(crate) merchant: MerchantId,
    pub(crate) network_id: String,
    pub(crate) paid_on_sale: bool,
    pub(crate) cards: [String; CARDS],
    user: UserId,
}

impl World {
    pub(crate) async fn new() -> Self {
        let (faults, clock) = (Faults::default(), ManualClock::new(Clock::system().now()));
        let secret = (NETWORK_SECRET.to_owned(), json!({"apiKey": NETWORK_KEY}).to_string());
        let aws = AwsOptions { secrets: vec![secret], faults: faults.clone(), ..AwsOptions::default() };
        let aws = Aws::start(aws).await.unwrap();
        let network = CardNetworkOptions {
            data: None,
            port: 0,
            api_key: NETWORK_KEY.to_owned(),
            faults: faults.clone(),
            calls: UpstreamCalls::default(),
        };
        let network = CardNetwork::start(network).await.unwrap();
        let app = App::new(settings(&aws, &network, "books"), clock.clock(), Random::system());
        let dynamodb = aws::Aws::new(app.settings.aws.clone()).dynamodb();
        table::ensure(&dynamodb, &app.settings.table).await.unwrap();
        let (shops, shops_made) = (Mutex::default(), AtomicUsize::new(0));
        Self { aws, network, faults, clock, app, shops, shops_made }
    }

    /// A shop that nothing has happened in.
    pub(crate) async fn shop(&self) -> Shop {
        let mut shops = self.shops.lock().await;
        if shops.is_empty() {
            *shops = self.open_shops().await;
        }
        shops.pop().unwrap()
    }

    async fn open_shops(&self) -> Vec<Shop> {
        const AT_ONCE: usize = 64;
        let first = self.shops_made.fetch_add(AT_ONCE, Ordering::SeqCst);
        let shops: Vec<Shop> = (first..first + AT_ONCE).map(Shop::numbered).collect();
        let document = Shop::document(&shops).to_string();
        let document = fixtures::parse(document.as_bytes(), self.app.clock.now()).unwrap();
        fixtures::load(&document, &self.app.store, Some(&self.network)).await.unwrap();
        shops
    }

    /// A fresh instance of a function: no open connection, nothing in memory.
    pub(crate) fn instance(&self, name: &str) -> App {
        self.instance_with_clock(name, self.clock.clock())
    }

    pub(crate) fn instance_with_clock(&self, name: &str, clock: Clock) -> App {
        App::new(settings(&self.aws, &self.network, name), clock, Random::system())
    }

    /// A till of the shop, at a fresh instance of the function behind it.
    pub(crate) async fn till(&self, name: &str, shop: &Shop) -> Till {
        let token = self.sign_in(shop).await;
        self.till_with(name, token)
    }

    pub(crate) fn till_with(&self, name: &str, token: String) -> Till {
        Till { name: name.to_owned(), token, router: pos::routes().into_router(self.instance(name)) }
    }

    pub(crate) async fn sign_in(&self, shop: &Shop) -> String {
        let user = self.app.store.user(&shop.user).await.unwrap().unwrap();
        let secret = self.app.random.bytes();
        let token = self.app.store.open_session(&user, secret, self.app.clock.now()).await.unwrap();
        token.expose().to_owned()
    }

    /// One run of the sweep at a fresh instance.
    pub(crate) fn sweep(&self, name: &str) -> impl Future<Output = Result<Pass, String>> + Send + 'static {
        sweep_with(self.instance(name))
    }

    /// From now on nothing fails.
    pub(crate) fn heal(&self) {
        self.faults.replace(Vec::new());
    }

    /// Lets all leases and delays run out and sweeps, until nothing is left to do.
    pub(crate) async fn settle(&self) {
        const MOST: usize = 20;
        /// Past every lease, and every delay by which something could have been put off.
        const LATER: i64 = 1_000_000;
        self.heal();
        for _ in 0..MOST {
            self.clock.advance_milliseconds(LATER);
            if sweep_with(self.app.clone()).await.unwrap() == Pass::default() {
                return;
            }
        }
        panic!("something is left to do after {MOST} sweeps");
    }

    pub(crate) async fn open_operations(&self) -> Vec<Operation> {
        let open = self.app.store.due_operations(Timestamp::MAX, u16::MAX).await.unwrap();
        open.into_iter().map(|operation| operation.value).collect()
    }

    /// Runs an invocation of a function, and ends it at a point on its way; the rest of its calls fare as `fate` says.
    /// What it returns, or where it died. With fewer points on its way it comes to its end.
    pub(crate) async fn run_until<T: Send + 'static>(
        &self,
        point: usize,
        mut fate: impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static,
        invocation: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Died> {
        let (hold, mut held) = Hold::new();
        let (died, place) = oneshot::channel();
        let mut died = Some(died);
        let mut points = Points::default();
        self.faults.decide(move |call| {
            let fate = fate(call);
            let Some(when) = points.pass(call, point) else { return fate };
            if let Some(died) = died.take() {
                let _ = died.send(Died(format!("{when:?} {}", call.operation)));
            }
            Some(match when {
                When::Before => FaultKind::Hold(hold.clone()),
                When::After => FaultKind::OnReply(Box::new(FaultKind::Hold(hold.clone()))),
            })
        });
        let mut running = tokio::spawn(invocation);
        let ended = tokio::select! {
            ended = &mut running => Ok(ended.unwrap()),
            () = held.reached() => Err(place.await.unwrap()),
        };
        if ended.is_err() {
            running.abort();
            let _ = running.await;
        }
        self.heal();
        ended
    }
}

/// One run of the sweep at this instance.
pub(crate) async fn sweep_with(app: App) -> Result<Pass, String> {
    let invocation = Invocation::of_worker(&app.clock, app.settings.aws.function_name.clone());
    sweep::sweep(&app, &invocation, app.clock.now()).await.map_err(|error| error.to_string())
}

/// Where an invocation died.
#[derive(Debug)]
pub(crate) struct Died(#[expect(dead_code, reason = "for the messages of tests that fail")] String);

/// On which side of a call's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    After,
}

/// The points at which an invocation can be ended with different consequences: before each of its calls, and after each
/// that has an effect.
#[derive(Debug, Default)]
pub(crate) struct Points(usize);

impl Points {
    /// How many there were so far.
    pub(crate) fn passed(&self) -> usize {
        self.0
    }

    /// Whether the point lies at this call, and on which side of its effect.
    pub(crate) fn pass(&mut self, call: Call<'_>, point: usize) -> Option<When> {
        // The sweep reads its index in many calls, all of them long before anything happens.
        if call.operation == "Query" {
            return None;
        }
        let before = self.0;
        self.0 += 1 + usize::from(has_effect(call.operation));
        match point.checked_sub(before) {
            Some(0) => Some(When::Before),
            Some(1) if has_effect(call.operation) => Some(When::After),
            _ => None,
        }
    }
}

/// To ask for an operation that the network does not know has one, too: the network refuses it from then on.
fn has_effect(operation: &str) -> bool {
    operation == "TransactWriteItems"
        || operation.starts_with("POST /v1/")
        || operation.starts_with("GET /v1/operations/")
}

fn settings(aws: &Aws, network: &CardNetwork, function: &str) -> Settings {
    settings_with(&[
        ("AWS_LAMBDA_FUNCTION_NAME", function.to_owned()),
        ("AWS_ENDPOINT_URL_DYNAMODB", aws.dynamodb.url()),
        ("AWS_ENDPOINT_URL_S3", aws.s3.url()),
        ("AWS_ENDPOINT_URL_SES", aws.ses.url()),
        ("AWS_ENDPOINT_URL_SECRETS_MANAGER", aws.secrets_manager.url()),
        ("CARD_NETWORK_URL", network.url()),
    ])
}

/// The settings of a function with these variables in its environment.
pub(crate) fn settings_with(environment: &[(&str, String)]) -> Settings {
    let usual = |name: &str| {
        Some(match name {
            "AWS_REGION" => upstreams::aws::REGION,
            "AWS_ACCESS_KEY_ID" => upstreams::aws::ACCESS_KEY_ID,
            "AWS_SECRET_ACCESS_KEY" => upstreams::aws::SECRET_ACCESS_KEY,
            "CARD_NETWORK_SECRET_ID" => NETWORK_SECRET,
            "MAIL_FROM" => "portal@example.com",
            "TABLE_NAME" | "BUCKET_NAME" | "VERIFIER_SECRET_ID" => "portal",
            "PORTAL_BASE_URL" | "WEBSHOP_BASE_URL" | "VERIFIER_URL" | "CARD_NETWORK_URL" => {
                "https://none.example"
            }
            _ => return None,
        })
    };
    let given =
        |name: &str| environment.iter().find(|(given, _)| *given == name).map(|(_, value)| value.clone());
    Settings::read(|name| given(name).or_else(|| usual(name).map(str::to_owned))).unwrap()
}

impl Shop {
    /// The fixtures document that opens these shops.
    pub(crate) fn document(shops: &[Self]) -> Value {
        json!({
            "merchants": shops.iter().map(Self::merchant_record).collect::<Vec<_>>(),
            "users": shops.iter().map(Self::user_record).collect::<Vec<_>>(),
            "cardNetwork": {
                "offers": shops.iter().map(Self::offer_record).collect::<Vec<_>>(),
                "cards": shops.iter().flat_map(Self::card_records).collect::<Vec<_>>(),
            },
        })
    }

    pub(crate) fn numbered(number: usize) -> Self {
        Self {
            merchant: MerchantId::new(format!("m-{number}")),
            network_id: (1_000_000 + number).to_string(),
            paid_on_sale: number.is_multiple_of(3),
            cards: std::array::from_fn(|card| format!("QR-{number}-{card}")),
            user: UserId::new(format!("u-{number}")),
        }
    }

    fn merchant_record(&self) -> Value {
        let mode = if self.paid_on_sale { "SETTLEMENT_ON_SALE" } else { "SETTLEMENT_ON_REDEMPTION" };
        json!({
            "id": self.merchant, "slug": self.merchant, "name": self.merchant, "status": "ACTIVE", "currency": "EUR",
            "networkMerchantId": self.network_id, "settlementMode": mode, "payoutDelayDays": 7,
            "fees": {"percentBps": 250, "fixedMinor": 10}, "brand": {"logoUrl": "https://shop.example/logo.png"},
        })
    }

    fn user_record(&self) -> Value {
        json!({
            "id": self.user, "email": format!("{}@shop.example", self.user), "merchantId": self.merchant,
            "permissions": ["portal.pos"],
        })
    }

    fn offer_record(&self) -> Value {
        let number: u64 = self.network_id.parse().unwrap();
        json!({
            "giftCardOfferId": number, "merchantId": self.network_id, "name": "Card", "currency": "EUR",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "minPrice": 1,
            "maxPrice": 1000,
        })
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

/// A caller of the POS routes.
#[derive(Clone)]
pub(crate) struct Till {
    name: String,
    token: String,
    router: Router,
}

/// What a till asks for: a sale or a payment, under a label that its record can be found by.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) path: &'static str,
    pub(crate) key: Option<String>,
    pub(crate) label: String,
    pub(crate) body: Value,
}

impl Order {
    pub(crate) fn sale(label: &str, minor: i64) -> Self {
        let body = json!({
            "value": units(minor), "paymentReference": label, "deliveryDetails": {"deliveryType": "QR"},
        });
        Self { path: ISSUE, key: None, label: label.to_owned(), body }
    }

    pub(crate) fn payment(label: &str, code: &str, minor: i64) -> Self {
        let amount = units(minor);
        let body = json!({"qrCode": code, "redeemAmount": amount, "purchaseAmount": amount, "retailStoreName": label});
        Self { path: REDEEM, key: None, label: label.to_owned(), body }
    }

    /// The same under an idempotency key, which is its label.
    pub(crate) fn keyed(self) -> Self {
        Self { key: Some(self.label.clone()), ..self }
    }
}

fn units(minor: i64) -> Value {
    serde_json::from_str(&format!("{}.{:02}", minor / 100, minor % 100)).unwrap()
}

impl Till {
    /// One invocation of the function. It owns all that it needs, so that it can be ended at any point.
    pub(crate) fn place(&self, order: &Order) -> impl Future<Output = Answer> + Send + 'static {
        let mut request = Request::post(order.path).header("authorization", format!("Bearer {}", self.token));
        if let Some(key) = &order.key {
            request = request.header("idempotency-key", key);
        }
        let mut request = request.body(Body::from(order.body.to_string())).unwrap();
        let mut context = lambda_http::Context::default();
        context.request_id.clone_from(&self.name);
        request.extensions_mut().insert(context);
        let router = self.router.clone();
        async move {
            let (head, body) = router.oneshot(request).await.unwrap().into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            Answer {
                status: head.status.as_u16(),
                headers: head.headers,
                body: serde_json::from_slice(&body).unwrap(),
            }
        }
    }
}

/// What a till is answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

/// What an answer says about the money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It moved.
    Moved,
    /// It did not, and never will by this request.
    Refused,
    /// Nothing yet: ask again.
    Open,
    /// The request was turned away before anything was recorded.
    TurnedAway,
}

impl Answer {
    pub(crate) fn verdict(&self) -> Verdict {
        let message = self.body.pointer("/error/message").or(self.body.get("error")).and_then(Value::as_str);
        let is_refusal =
            matches!(message, Some("The card network did not issue the card." | "Redeem failed"));
        match self.status {
            200 => Verdict::Moved,
            409 if self.headers.contains_key("retry-after") && !is_refusal => Verdict::Open,
            504 if self.detail("outcome") == "unknown" => Verdict::Open,
            _ if is_refusal => Verdict::Refused,
            _ => Verdict::TurnedAway,
        }
    }

    pub(crate) fn detail(&self, name: &str) -> &Value {
        let details = self.body.pointer("/error/details").or(self.body.get("details"));
        details.and_then(|details| details.get(name)).unwrap_or(&Value::Null)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}
