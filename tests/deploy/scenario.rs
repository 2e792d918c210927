//! Everything that the functions do, once: each route, each worker, and what comes only after something has failed.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::future::join;
use hmac::{Hmac, Mac};
use local::{Local, Options};
use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::Sha256;
use test_support::{client, event, events};

const ISSUE: &str = "/api/bff/pos/issue";
const PROFILE: &str = "/api/bff/merchant";

/// The key that the local system's verifier signs its decisions with.
const SIGNING_KEY: &str = "local-verifier-signing-key";

/// The local system after all of it.
pub(crate) async fn played() -> Local {
    let scenario = Scenario::start().await;
    scenario.play_events().await;
    scenario.show_a_document().await;
    scenario.show_an_image().await;
    scenario.sell_where_sales_are_settled().await;
    scenario.apply_and_be_asked_again().await;
    scenario.settle().await;
    scenario.change_one_profile_twice_at_once().await;
    scenario.fail_and_catch_up().await;
    scenario.local
}

struct Scenario {
    local: Local,
    client: Client,
}

impl Scenario {
    async fn start() -> Self {
        let local = Local::start(Options::default()).await.unwrap();
        local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
        Self { local, client: client() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.local.listening.api))
    }

    async fn by(&self, user: &str, method: Method, path: &str) -> RequestBuilder {
        let token = self.local.sign_in(user).await.unwrap().unwrap();
        self.request(method, path).bearer_auth(token).header("content-type", "application/json")
    }

    async fn faults(&self, faults: &Value) {
        answer(self.request(Method::POST, "/__local/faults").body(faults.to_string())).await;
    }

    async fn settle(&self) -> Value {
        answer(self.request(Method::POST, "/__local/settle")).await
    }

    /// The events of every route, as the requests that API Gateway would have made them of.
    async fn play_events(&self) {
        for event in events().into_values() {
            if event["version"] == "2.0" {
                self.of_event(&event).send().await.unwrap();
            }
        }
    }

    fn of_event(&self, event: &Value) -> RequestBuilder {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let method = text("/requestContext/http/method").parse().unwrap();
        let request = self.request(method, &format!("{}?{}", text("/rawPath"), text("/rawQueryString")));
        let headers = event["headers"].as_object().unwrap().iter().filter(|(name, _)| *name != "host");
        let request =
            headers.fold(request, |request, (name, value)| request.header(name, value.as_str().unwrap()));
        let body = text("/body");
        if event["isBase64Encoded"] == true {
            return request.body(BASE64_STANDARD.decode(body).unwrap());
        }
        request.body(body.to_owned())
    }

    async fn show_a_document(&self) {
        let uploaded = answer(self.of_event(&event("onboarding/upload-base64"))).await;
        let url = uploaded["url"].as_str().unwrap();
        let document = format!("/api/onboarding/document?url={}", encoded(url));
        let link = answer(self.by("u-anna", Method::GET, &document).await).await;
        // A link is worth what whoever signed it may do.
        let followed = self.client.get(link["url"].as_str().unwrap()).header("user-agent", "app/onboarding");
        assert_eq!(followed.send().await.unwrap().status(), 200);
    }

    async fn show_an_image(&self) {
        let uploaded = answer(self.of_event(&event("offers/media-base64"))).await;
        let key = uploaded["data"]["key"].as_str().unwrap();
        let image = format!("/api/public/gift-card-image?key={}", encoded(key));
        let image = self.request(Method::GET, &image);
        assert_eq!(image.send().await.unwrap().status(), 200);
    }

    async fn sell_where_sales_are_settled(&self) {
        let sale = self.by("u-lena", Method::POST, ISSUE).await.header("idempotency-key", "receipt-1");
        answer(sale.body(sale_of(50).to_string())).await;
    }

    async fn apply_and_be_asked_again(&self) {
        self.apply().await;
        self.settle().await;
        let company = answer(self.by("u-freya", Method::GET, PROFILE).await).await;
        let company = &company["data"]["company"];
        let session = company["verifierSessionUrl"].as_str().unwrap().rsplit('/').next().unwrap();
        let decision = json!({"verification": {
            "id": session, "vendorData": "m-fjord", "companyId": company["verifierCompanyId"],
            "status": "resubmission_requested", "reason": null, "decidedAt": "2026-01-01T12:00:00Z",
        }});
        let decision = decision.to_string();
        let mac = Hmac::<Sha256>::new_from_slice(SIGNING_KEY.as_bytes()).unwrap().chain_update(&decision);
        let told = self.request(Method::POST, "/api/public/merchant/kyb-decision");
        let told = told.header("x-hmac-signature", hex::encode(mac.finalize().into_bytes()));
        answer(told.header("content-type", "application/json").body(decision)).await;
    }

    async fn apply(&self) {
        let complete = json!({
            "registrationNumber": "912 345 678", "vatNumber": "NO912345678MVA",
            "legalAddress": {"line1": "Storgata 1", "city": "Oslo", "postalCode": "0155", "country": "NO"},
            "directors": [{"name": "Freya Haugen", "role": "CEO"}],
            "termsAccepted": true, "privacyAccepted": true,
        });
        let submit = self.by("u-freya", Method::POST, "/api/onboarding/submit").await;
        answer(submit.body(complete.to_string())).await;
    }

    /// One of the two comes late, and has to read again what the other has changed.
    async fn change_one_profile_twice_at_once(&self) {
        let change = async |legal_name: &str| {
            let change = json!({"company": {"legalName": legal_name}}).to_string();
            self.by("u-anna", Method::PUT, PROFILE).await.body(change)
        };
        let (one, other) = (change("Aurora One AB").await, change("Aurora Two AB").await);
        let late =
            json!({"target": "dynamodb", "match": "TransactWriteItems", "kind": "delay", "value": 500});
        self.faults(&json!([late])).await;
        join(answer(one), answer(other)).await;
    }

    /// Whoever was to do it the first time fails: it is all left to the sweep.
    async fn fail_and_catch_up(&self) {
        let fault = |target: &str, operation: &str| json!({"target": target, "match": operation, "kind": "drop", "times": "always"});
        self.faults(&json!([
            fault("card-network", "POST /v1/cards/*"),
            fault("card-network", "GET /v1/operations/*"),
            fault("card-network", "PATCH *"),
            fault("verifier", "*"),
            fault("ses", "*"),
        ]))
        .await;
        let change = json!({"company": {"legalName": "Aurora Coffee and Tea AB"}});
        answer(self.by("u-anna", Method::PUT, PROFILE).await.body(change.to_string())).await;
        self.apply().await;
        let sale = self.by("u-anna", Method::POST, ISSUE).await.body(sale_of(100).to_string());
        assert_eq!(sale.send().await.unwrap().status(), 504);
        assert_ne!(self.settle().await["pending"], 0);

        self.faults(&json!([])).await;
        assert_eq!(self.settle().await, json!({"pending": 0, "dead": 0}));
    }
}

fn encoded(value: &str) -> PercentEncode<'_> {
    utf8_percent_encode(value, NON_ALPHANUMERIC)
}

fn sale_of(value: u32) -> Value {
    json!({"value": value, "deliveryDetails": {"deliveryType": "QR"}})
}

/// The answer to a request that is a good one.
async fn answer(request: RequestBuilder) -> Value {
    let answer = request.send().await.unwrap();
    let (status, path) = (answer.status(), answer.url().path().to_owned());
    let text = answer.text().await.unwrap();
    assert!(status.is_success(), "{status} at {path}: {text}");
    serde_json::from_str(&text).unwrap()
}
