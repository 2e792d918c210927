//! Makes every function use all of its permissions: each route, each worker, and the recovery from failures.

use axum::Router;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use canary::Canary;
use futures_util::future::join;
use hmac::{Hmac, KeyInit, Mac};
use http::{StatusCode, Uri};
use jiff::SignedDuration;
use local::{Local, Options};
use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::Sha256;
use shared::app::App;
use shared::clock::later;
use shared::domain::calendar::Minute;
use shared::domain::fees::{FeeTerms, SettlementTerms};
use shared::domain::ids::{MerchantId, ObjectId, OrderId, QrCode, RedemptionId, SettlementId, UserId, WebhookEndpointId};
use shared::domain::merchant::{Document, Merchant};
use shared::domain::money::{Currency, Minor, Money};
use shared::domain::open_enum::OpenEnum;
use shared::domain::order::Order;
use shared::domain::redemption::Redemption;
use shared::domain::settlement::{Settlement, SourceType};
use shared::domain::tally::Family;
use shared::domain::webhook::{Endpoint, EndpointSettings, EventType, Hosts, WebhookUrl};
use shared::payouts::PayoutRun;
use shared::store::Write;
use shared::store::jobs::{Job, Task};
use shared::store::keys::{self, Listed, listed_rows};
use shared::store::segments::Segment;
use shared::webhooks::SigningSecret;
use test_support::{client, event, events};
use tokio::net::TcpListener;

use crate::policies::Policies;

pub(crate) const TEST_TILL_SECRET: &str = "portal/test/till";
const ISSUE: &str = "/api/bff/pos/issue";
const REDEEM: &str = "/api/bff/pos/redeem";
const CANCELLATION: &str = "/api/bff/pos/operations/cancellation";
const PROFILE: &str = "/api/bff/merchant";
const PAYOUTS: &str = "/api/admin/payouts";

/// The local verifier signs its decisions with this key.
const SIGNING_KEY: &str = "local-verifier-signing-key";

/// Runs the whole scenario and returns the local system.
pub(crate) async fn run() -> Local {
    let scenario = Scenario::start().await;
    scenario.add_endpoints().await;
    scenario.send_events().await;
    scenario.manage_endpoints().await;
    scenario.sign_in_by_code().await;
    scenario.build_a_team().await;
    scenario.download_document().await;
    scenario.get_image().await;
    scenario.return_to_the_widget().await;
    scenario.sell_with_settlement_on_sale().await;
    scenario.sell_for_another_merchant().await;
    scenario.redeem_a_card_of_the_own_till().await;
    scenario.read_own_invites().await;
    scenario.submit_and_receive_resubmission_request().await;
    scenario.drain().await;
    scenario.update_profile_concurrently().await;
    scenario.fail_and_recover().await;
    scenario.free_idempotency_keys().await;
    scenario.give_back().await;
    scenario.change_time_zone().await;
    scenario.recount_all_families().await;
    scenario.renew_segments().await;
    scenario.search().await;
    scenario.export().await;
    scenario.administer_merchants().await;
    scenario.pay_out().await;
    scenario.guess_codes().await;
    scenario.take_images_down().await;
    scenario.run_canary().await;
    scenario.local
}

struct Scenario {
    local: Local,
    client: Client,
    /// A system that accepts webhooks.
    receiver: String,
}

/// Answers 410 and 503 where the path says so.
async fn start_receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let router = Router::new().fallback(async |uri: Uri| match uri.path() {
        "//gone" => StatusCode::GONE,
        "//unavailable" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::NO_CONTENT,
    });
    tokio::spawn(async { axum::serve(listener, router).await });
    url
}

impl Scenario {
    async fn start() -> Self {
        let local = Local::start(Options::default()).await.unwrap();
        local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
        // S3 answers as it would with the policies of the template.
        local.restrict_listing(Policies::read(&local.environment).listers());
        Self { local, client: client(), receiver: start_receiver().await }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.local.listening.api))
    }

    async fn request_by(&self, user: &str, method: Method, path: &str) -> RequestBuilder {
        let token = self.local.sign_in(user).await.unwrap().unwrap();
        self.request(method, path).bearer_auth(token).header("content-type", "application/json")
    }

    async fn set_faults(&self, faults: &Value) {
        success(self.request(Method::POST, "/__local/faults").body(faults.to_string())).await;
    }

    async fn drain(&self) -> Value {
        success(self.request(Method::POST, "/__local/drain")).await
    }

    /// The code that was mailed last.
    async fn mailed_code(&self) -> String {
        self.drain().await;
        let mails = success(self.request(Method::GET, "/__local/mail")).await;
        let lines = |mail: &Value| -> Vec<String> { mail["text"].as_str().unwrap().lines().map(str::to_owned).collect() };
        let mut lines = mails.as_array().unwrap().iter().rev().flat_map(lines);
        lines.find(|line| line.len() == 9 && line.as_bytes()[4] == b'-').unwrap()
    }

    /// The token of a user who signs in by a mailed code.
    async fn token_by_code(&self, email: &str) -> String {
        let post = |path| self.request(Method::POST, path).header("content-type", "application/json");
        let requested = success(post("/api/auth/code").body(json!({"email": email}).to_string())).await;
        let (id, code) = (&requested["data"]["challengeId"], self.mailed_code().await);
        let body = json!({"challengeId": id, "code": code, "transport": "bearer"}).to_string();
        success(post("/api/auth/session").body(body)).await["data"]["token"].as_str().unwrap().to_owned()
    }

    /// Founds and gives up a merchant, invites, accepts and removes a member, and pairs and revokes a till.
    async fn build_a_team(&self) {
        let owner = self.token_by_code("owner@example.com").await;
        let send = |method: Method, path: &str, token: &str, body: Value| {
            let request = self.request(method, path).header("content-type", "application/json");
            success(request.bearer_auth(token).body(body.to_string()))
        };
        let merchant = json!({"name": "Short lived", "slug": "short-lived"});
        send(Method::POST, "/api/auth/merchant", &owner, merchant.clone()).await;
        let ida = json!({
            "email": "ida@shop.example", "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "FULL",
        });
        let invite = send(Method::POST, "/api/auth/invites", &owner, ida).await;
        let path = format!("/api/auth/invites/{}", invite["data"]["challengeId"].as_str().unwrap());
        let code = self.mailed_code().await;
        send(Method::POST, &format!("{path}/verification"), &owner, json!({"code": code})).await;
        self.drain().await;
        let member = self.token_by_code("ida@shop.example").await;
        send(Method::POST, &format!("{path}/acceptance"), &member, Value::Null).await;
        let session = success(self.request(Method::GET, "/api/auth/session").bearer_auth(&member)).await;
        let member = format!("/api/auth/members/{}", session["data"]["user"]["id"].as_str().unwrap());
        send(Method::DELETE, &member, &owner, Value::Null).await;

        let till = json!({"name": "Counter", "retailStoreId": "1"});
        let till = send(Method::POST, "/api/auth/tills", &owner, till).await;
        let code = json!({"code": till["data"]["pairingCode"]}).to_string();
        let pair = self.request(Method::POST, "/api/auth/tills/pairing").header("content-type", "application/json");
        let paired = success(pair.body(code)).await;
        self.drain().await;
        let token = paired["data"]["token"].as_str().unwrap();
        success(self.request(Method::GET, "/api/auth/session").bearer_auth(token)).await;
        let till = format!("/api/auth/tills/{}", till["data"]["id"].as_str().unwrap());
        send(Method::DELETE, &till, &owner, Value::Null).await;
        send(Method::DELETE, "/api/auth/merchant", &owner, Value::Null).await;
    }

    /// Signs a user in by mailed codes, for the first time and again, and out.
    async fn sign_in_by_code(&self) {
        let first = self.token_by_code("stranger@example.com").await;
        let requested = self.request(Method::POST, "/api/auth/code").header("content-type", "application/json");
        let requested = success(requested.body(json!({"email": "stranger@example.com"}).to_string())).await;
        let (id, code) = (&requested["data"]["challengeId"], self.mailed_code().await);
        let body = json!({"challengeId": id, "code": code}).to_string();
        let again = self.request(Method::POST, "/api/auth/session").header("content-type", "application/json");
        success(again.header("cookie", format!("__Host-portal_session={first}")).body(body)).await;
        self.drain().await;
        let third = self.token_by_code("stranger@example.com").await;
        success(self.request(Method::DELETE, "/api/auth/session").bearer_auth(third)).await;
    }

    /// Sends the HTTP request of every HTTP API event.
    async fn send_events(&self) {
        for event in events().into_values() {
            if event["version"] == "2.0" {
                self.request_of(&event).send().await.unwrap();
            }
        }
    }

    fn request_of(&self, event: &Value) -> RequestBuilder {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let method = text("/requestContext/http/method").parse().unwrap();
        let request = self.request(method, &format!("{}?{}", text("/rawPath"), text("/rawQueryString")));
        let headers = event["headers"].as_object().unwrap().iter().filter(|(name, _)| *name != "host");
        let request = headers.fold(request, |request, (name, value)| request.header(name, value.as_str().unwrap()));
        let body = text("/body");
        if event["isBase64Encoded"] == true {
            return request.body(BASE64_STANDARD.decode(body).unwrap());
        }
        request.body(body.to_owned())
    }

    /// Every merchant is told everything.
    async fn add_endpoints(&self) {
        let app = self.local.app();
        let merchants = success(self.request_by("u-root", Method::GET, "/api/admin/merchants?limit=200").await).await;
        let key = app.code_key().await.unwrap();
        for merchant in merchants["data"]["merchants"].as_array().unwrap() {
            let merchant = MerchantId::new(merchant["id"].as_str().unwrap());
            let id = WebhookEndpointId::new("e-told");
            let settings = EndpointSettings {
                url: WebhookUrl::parse(&self.receiver, &Hosts::Local).unwrap(),
                events: EventType::ALL.map(Into::into).into(),
                description: None,
                secret: SigningSecret::new(&app.random).seal(&key, &merchant, &id, &app.random).unwrap(),
            };
            let endpoint = Endpoint::new(id, merchant.clone(), settings, UserId::new("u-root"), app.clock.now());
            let webhooks = app.store.webhooks(&merchant).await.unwrap().unwrap();
            let writes = vec![Write::create(&endpoint).unwrap(), webhooks.with(&endpoint).unwrap()];
            app.store.commit(writes).await.unwrap();
        }
    }

    /// Changes, tests, disables and deletes endpoints. One of the events has created one at an address that cannot be reached.
    async fn manage_endpoints(&self) {
        let send = async |method: Method, path: &str, body: Value| {
            success(self.request_by("u-anna", method, path).await.body(body.to_string())).await
        };
        let webhooks = "/api/bff/webhooks";
        let listed = send(Method::GET, webhooks, Value::Null).await;
        for endpoint in listed["data"].as_array().unwrap().iter().filter(|endpoint| endpoint["url"] != self.receiver) {
            let path = format!("{webhooks}/{}", endpoint["id"].as_str().unwrap());
            send(Method::DELETE, &path, Value::Null).await;
        }
        let created = json!({"url": format!("{}/unavailable", self.receiver), "events": EventType::ALL});
        let created = send(Method::POST, webhooks, created).await;
        let path = format!("{webhooks}/{}", created["data"]["id"].as_str().unwrap());
        send(Method::POST, &format!("{path}/rotation"), json!({"immediately": true})).await;
        let test = json!({"event": "payout.paid"});
        let sent = send(Method::POST, &format!("{path}/test"), test.clone()).await;
        self.local.send_due_webhooks().await.unwrap();
        let deliveries = format!("{path}/deliveries");
        send(Method::GET, &deliveries, Value::Null).await;
        let retry = format!("{deliveries}/{}/retry", sent["data"]["deliveryId"].as_str().unwrap());
        send(Method::POST, &retry, json!({})).await;
        let dropped = async {
            success(self.request_by("u-anna", Method::POST, ISSUE).await.body(sale_of(100).to_string())).await;
            let unwanted = json!({"events": ["merchant.status_changed"]});
            send(Method::PATCH, &format!("{webhooks}/e-told"), unwanted.clone()).await;
            send(Method::PATCH, &path, unwanted).await;
        };
        self.local.pause(dropped).await;
        self.local.send_due_webhooks().await.unwrap();
        let everything = json!({"events": EventType::ALL});
        send(Method::PATCH, &format!("{webhooks}/e-told"), everything).await;
        let till = send(Method::POST, "/api/auth/tills", json!({"name": "Counter", "retailStoreId": "1"})).await;
        let code = json!({"code": till["data"]["pairingCode"]}).to_string();
        let pair = self.request(Method::POST, "/api/auth/tills/pairing").header("content-type", "application/json");
        let paired = success(pair.body(code)).await;
        let sale = self.request(Method::POST, ISSUE).bearer_auth(paired["data"]["token"].as_str().unwrap());
        success(sale.body(sale_of(100).to_string())).await;
        self.local.send_due_webhooks().await.unwrap();
        send(Method::PATCH, &path, json!({"url": format!("{}/gone", self.receiver)})).await;
        send(Method::POST, &format!("{path}/test"), test).await;
        self.local.send_due_webhooks().await.unwrap();
        send(Method::DELETE, &path, Value::Null).await;
    }

    async fn download_document(&self) {
        let uploaded = success(self.request_of(&event("onboarding/upload-base64"))).await;
        let url = uploaded["url"].as_str().unwrap();
        let document = format!("/api/onboarding/document?url={}", percent_encoded(url));
        let presigned = success(self.request_by("u-anna", Method::GET, &document).await).await;
        // S3 checks the permissions of the function that signed the URL.
        let download = self.client.get(presigned["url"].as_str().unwrap()).header("user-agent", "app/onboarding");
        assert_eq!(download.send().await.unwrap().status(), 200);
        // Who reads another merchant's document is recorded.
        success(self.request_by("u-root", Method::GET, &document).await).await;
    }

    /// Opens the link of an administrator to the document of an application.
    async fn download_document_of_merchant(&self) {
        let uploaded = success(self.request_of(&event("onboarding/upload-base64"))).await;
        let document =
            Document { r#type: "REGISTRATION".to_owned(), url: uploaded["url"].as_str().unwrap().to_owned(), name: None };
        let store = &self.local.app().store;
        let aurora = store.merchant(&MerchantId::new("m-aurora")).await.unwrap().unwrap();
        let with_document = Merchant { documents: vec![document], ..aurora.value.clone() };
        store.commit(vec![Write::replace(&aurora, &with_document).unwrap()]).await.unwrap();
        let aurora = success(self.request_by("u-root", Method::GET, "/api/admin/merchants/m-aurora").await).await;
        let link = aurora["data"]["profile"]["documents"][0]["link"].as_str().unwrap();
        let download = self.client.get(link).header("user-agent", "app/administration").send().await.unwrap();
        assert_eq!(download.status(), 200);
    }

    /// Uploads an image and returns its key.
    async fn upload_image(&self) -> String {
        let uploaded = success(self.request_of(&event("offers/media-base64"))).await;
        uploaded["data"]["key"].as_str().unwrap().to_owned()
    }

    async fn get_image(&self) {
        let key = &self.upload_image().await;
        let image = format!("/api/public/gift-card-image?key={}", percent_encoded(key));
        let image = self.request(Method::GET, &image);
        assert_eq!(image.send().await.unwrap().status(), 200);
    }

    async fn guess_codes(&self) {
        for path in ["/api/bff/cards/GUESS", "/api/bff/pos/card/GUESS"] {
            let request = self.request_by("u-anna", Method::GET, path).await;
            assert_eq!(request.send().await.unwrap().status(), 404, "{path}");
        }
    }

    async fn run_canary(&self) {
        let token = self.local.sign_in("u-anna").await.unwrap().unwrap();
        self.local.rotate_secret(TEST_TILL_SECRET, &json!({"token": token})).await.unwrap();
        let app = self.local.app();
        let mut settings = app.settings.clone();
        "canary".clone_into(&mut settings.aws.function_name);
        let app = App::new(settings, app.clock.clone(), app.random.clone());
        let variables =
            [("TEST_MERCHANT", "m-aurora"), ("TEST_NETWORK_ACCOUNT", "1001"), ("TEST_TILL_SECRET_ID", TEST_TILL_SECRET)];
        let variable = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Canary::read(&app, variable).unwrap().run(&app).await.unwrap();
    }

    /// The jobs function deletes the versions of the first image, and the sweep those of the second.
    async fn take_images_down(&self) {
        let key = "public/gift-cards/designs/0199c1f2-7a3b-7c4d-8e5f-0123456789ab-none.png";
        let unknown = self.request_by("u-root", Method::DELETE, "/api/admin/media").await;
        let unknown = unknown.body(json!({"key": key, "reason": "A test"}).to_string());
        assert_eq!(unknown.send().await.unwrap().status(), 404);
        let failed_list = json!({"target": "s3", "match": "ListObjectVersions", "kind": "status", "value": 400});
        for faults in [json!([]), json!([failed_list])] {
            let body = json!({"key": self.upload_image().await, "reason": "A test"}).to_string();
            self.set_faults(&faults).await;
            success(self.request_by("u-root", Method::DELETE, "/api/admin/media").await.body(body)).await;
            assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}));
        }
    }

    /// Requests the widget's catalog with the cookie of an earlier visit.
    async fn return_to_the_widget(&self) {
        let catalog = || self.request(Method::GET, "/api/bff/widget/giftcards?merchantId=m-aurora");
        let cookie = format!("gc_as={}", "0f".repeat(16));
        success(catalog().header("cookie", cookie)).await;
    }

    async fn sell_with_settlement_on_sale(&self) {
        for _original_and_repetition in 0..2 {
            let sale = self.request_by("u-lena", Method::POST, ISSUE).await;
            let sale = sale.header("idempotency-key", "receipt-1");
            let sale = sale.header("idempotency-made-at", "2026-01-15T10:00:00.000Z");
            success(sale.body(sale_of(50).to_string())).await;
        }
    }

    /// Its settlement is held from the start.
    async fn redeem_a_card_of_the_own_till(&self) {
        let sale = self.request_by("u-anna", Method::POST, ISSUE).await.body(sale_of(100).to_string());
        let code = success(sale).await["data"]["qrCode"].clone();
        let redemption = json!({"qrCode": code, "redeemAmount": 1, "purchaseAmount": 1}).to_string();
        success(self.request_by("u-anna", Method::POST, REDEEM).await.body(redemption)).await;
    }

    async fn sell_for_another_merchant(&self) {
        let mut sale = sale_of(100);
        sale["merchantId"] = "m-aurora".into();
        success(self.request_by("u-root", Method::POST, ISSUE).await.body(sale.to_string())).await;
    }

    async fn read_own_invites(&self) {
        success(self.request_by("u-iris", Method::GET, PROFILE).await).await;
    }

    async fn submit_and_receive_resubmission_request(&self) {
        self.submit().await;
        self.drain().await;
        let company = success(self.request_by("u-freya", Method::GET, PROFILE).await).await;
        let company = &company["data"]["company"];
        let session_id = company["verifierSessionUrl"].as_str().unwrap().rsplit('/').next().unwrap();
        let decision = json!({"verification": {
            "id": session_id, "vendorData": "m-fjord", "companyId": company["verifierCompanyId"],
            "status": "resubmission_requested", "reason": null, "decidedAt": "2026-01-01T12:00:00Z",
        }});
        let decision = decision.to_string();
        let mac = Hmac::<Sha256>::new_from_slice(SIGNING_KEY.as_bytes()).unwrap().chain_update(&decision);
        let request = self.request(Method::POST, "/api/public/merchant/kyb-decision");
        let request = request.header("x-hmac-signature", hex::encode(mac.finalize().into_bytes()));
        success(request.header("content-type", "application/json").body(decision)).await;
    }

    async fn submit(&self) {
        let application = json!({
            "registrationNumber": "912 345 678", "vatNumber": "NO912345678MVA",
            "legalAddress": {"line1": "Storgata 1", "city": "Oslo", "postalCode": "0155", "country": "NO"},
            "directors": [{"name": "Freya Haugen", "role": "CEO"}],
            "termsAccepted": true, "privacyAccepted": true,
        });
        let request = self.request_by("u-freya", Method::POST, "/api/onboarding/submit").await;
        success(request.body(application.to_string())).await;
    }

    /// Delays one of two updates, so that it conflicts and reads the profile again.
    async fn update_profile_concurrently(&self) {
        let update = async |legal_name: &str| {
            let body = json!({"company": {"legalName": legal_name}}).to_string();
            self.request_by("u-anna", Method::PUT, PROFILE).await.body(body)
        };
        let (first, second) = (update("Aurora One AB").await, update("Aurora Two AB").await);
        let delay = json!({"target": "dynamodb", "match": "TransactWriteItems", "kind": "delay", "value": 500});
        self.set_faults(&json!([delay])).await;
        join(success(first), success(second)).await;
    }

    /// Makes every upstream fail, the card network after it has moved the money, so that the sweep has to complete all
    /// work.
    async fn fail_and_recover(&self) {
        let fault =
            |target: &str, operation: &str| json!({"target": target, "match": operation, "kind": "drop", "times": "always"});
        self.set_faults(&json!([
            json!({"target": "card-network", "match": "POST /v1/cards/*", "kind": "after", "times": "always"}),
            fault("card-network", "GET /v1/operations/*"),
            fault("card-network", "PATCH *"),
            fault("verifier", "*"),
            fault("ses", "*"),
        ]))
        .await;
        let update = json!({"company": {"legalName": "Aurora Coffee and Tea AB"}});
        success(self.request_by("u-anna", Method::PUT, PROFILE).await.body(update.to_string())).await;
        self.submit().await;
        let redemption = json!({"qrCode": "DEMO-AURORA-1000", "redeemAmount": 1, "purchaseAmount": 1});
        for (path, body) in [(ISSUE, sale_of(100)), (REDEEM, redemption)] {
            let request = self.request_by("u-anna", Method::POST, path).await.body(body.to_string());
            assert_eq!(request.send().await.unwrap().status(), 504, "{path}");
        }
        // One of its redemptions is open.
        success(self.request_by("u-anna", Method::GET, "/api/bff/cards/DEMO-AURORA-1000/history").await).await;
        assert_ne!(self.drain().await["pending"], 0);

        self.set_faults(&json!([])).await;
        assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}));
    }

    /// Gives back a redemption: once with success, once the till's function closes the failed sale, and once the sweep.
    async fn give_back(&self) {
        let redemption = json!({"qrCode": "DEMO-AURORA-1000", "redeemAmount": 300, "purchaseAmount": 300});
        let redeemed = self.request_by("u-anna", Method::POST, REDEEM).await.body(redemption.to_string());
        let mut sale = sale_of(100);
        sale["refundOf"] = success(redeemed).await["redemptionId"].clone();
        let fault = |operation: &str| json!({"target": "card-network", "match": operation, "kind": "drop", "times": "always"});
        for (faults, status) in [
            (json!([]), 200),
            (json!([fault("POST /v1/cards/issue")]), 502),
            (json!([fault("POST /v1/cards/issue"), fault("GET /v1/operations/*")]), 504),
        ] {
            self.set_faults(&faults).await;
            let request = self.request_by("u-anna", Method::POST, ISSUE).await.body(sale.to_string());
            assert_eq!(request.send().await.unwrap().status(), status);
        }
        self.set_faults(&json!([])).await;
        assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}));
        success(self.request_by("u-anna", Method::GET, "/api/bff/cards/DEMO-AURORA-1000/history").await).await;
    }

    /// Lets redemptions fail that the card network never receives. The first is closed by the till's function, the other
    /// one by the sweep.
    async fn free_idempotency_keys(&self) {
        let fault = |operation: &str| json!({"target": "card-network", "match": operation, "kind": "drop", "times": "always"});
        let redemption = json!({"qrCode": "DEMO-AURORA-1000", "redeemAmount": 1, "purchaseAmount": 1});
        for (faults, status) in [
            (json!([fault("POST /v1/cards/redeem")]), 502),
            (json!([fault("POST /v1/cards/redeem"), fault("GET /v1/operations/*")]), 504),
        ] {
            self.set_faults(&faults).await;
            let request = self.request_by("u-anna", Method::POST, REDEEM).await;
            let request = request.header("idempotency-key", "receipt-2").body(redemption.to_string());
            assert_eq!(request.send().await.unwrap().status(), status);
        }
        self.set_faults(&json!([])).await;
        assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}));
        for key in ["receipt-2", "receipt-3"] {
            let request = self.request_by("u-anna", Method::POST, CANCELLATION).await;
            let body = json!({"kind": "REDEEM", "idempotencyKey": key});
            success(request.header("idempotency-made-at", "2026-01-01T00:00:00.000Z").body(body.to_string())).await;
        }
    }

    async fn change_time_zone(&self) {
        let update = json!({"company": {"timeZone": "Asia/Tokyo"}});
        success(self.request_by("u-anna", Method::PUT, PROFILE).await.body(update.to_string())).await;
        self.drain().await;
    }

    /// Recounts by the jobs function and by the sweep, and by the projections after changes of every kind of settlement.
    async fn recount_all_families(&self) {
        let app = self.local.app();
        let (merchant, now) = (MerchantId::new("m-aurora"), app.clock.now());
        for due in [now, later(now, SignedDuration::from_hours(1))] {
            let job = |family| {
                let task = Task::Recount { family, minutes: [Minute::of(now)].into() };
                Write::create(&Job::new(merchant.clone(), task, now, &app.random).due_at(due)).unwrap()
            };
            app.store.commit(Family::ALL.map(job).into()).await.unwrap();
            self.drain().await;
        }
        let settlements = app.store.scan_all::<Settlement>(listed_rows(Listed::Settlements, Some(&merchant))).await.unwrap();
        for source_type in [OpenEnum::from(SourceType::Order), OpenEnum::Unknown("FROM_A_NEWER_RELEASE".to_owned())] {
            let read = settlements.iter().max_by_key(|settlement| settlement.eligible_at).unwrap();
            let changed = Settlement { source_type, ..read.value.clone() };
            let id = SettlementId::new(format!("{:?}", changed.source_type));
            app.store.commit(vec![Write::create(&Settlement { id, ..changed }).unwrap()]).await.unwrap();
        }
        self.drain().await;
        self.change_merchant(|merchant| merchant.settlement_mode = None).await;
        let order = settlements.iter().find_map(|settlement| settlement.order_id.as_ref()).unwrap();
        for path in ["/api/bff/settlements".to_owned(), format!("/api/bff/settlements/by-source?orderId={order}")] {
            success(self.request_by("u-anna", Method::GET, &path).await).await;
        }
    }

    async fn change_merchant(&self, change: impl FnOnce(&mut Merchant)) {
        let store = &self.local.app().store;
        let merchant = store.merchant(&MerchantId::new("m-aurora")).await.unwrap().unwrap();
        let mut changed = merchant.value.clone();
        change(&mut changed);
        store.commit(vec![Write::replace(&merchant, &changed).unwrap()]).await.unwrap();
    }

    /// Writes the segments of a merchant twice. The second time, what has changed before is forgotten.
    async fn renew_segments(&self) {
        let app = self.local.app();
        let changed_at = later(app.clock.now(), SignedDuration::from_hours(-1));
        for id in ["first", "second"] {
            let total = Money::new(Minor::new(100), Currency::EUR);
            let order = Order::new(OrderId::new(id), MerchantId::new("m-segments"), changed_at, total);
            app.store.commit(vec![Write::create(&order).unwrap()]).await.unwrap();
            self.drain().await;
        }
    }

    /// Finds orders in the segments that were written after the first sale.
    async fn search(&self) {
        let found = success(self.request_by("u-anna", Method::GET, "/api/bff/merchant-orders?q=a").await).await;
        assert_ne!(found["orders"], json!([]), "{found}");
        // After a restore, the list can name objects that have been deleted since.
        let store = &self.local.app().store;
        let list = store.segments(&MerchantId::new("m-aurora")).await.unwrap().unwrap();
        let mut missing = list.value.clone();
        for segment in missing.segments.iter_mut().flatten() {
            *segment = Segment { object: ObjectId::new("missing"), content: None, ..segment.clone() };
        }
        store.commit(vec![Write::replace(&list, &missing).unwrap()]).await.unwrap();
        let found_again = success(self.request_by("u-anna", Method::GET, "/api/bff/merchant-orders?q=a").await).await;
        assert_eq!(found_again, found);
        let replaced = list.replaced(missing);
        store.commit(vec![Write::replace(&replaced, &list.value).unwrap()]).await.unwrap();
    }

    /// Holds, releases and pays out settlements of every kind. The jobs function makes and cancels the first payouts, the
    /// sweep the second ones.
    async fn pay_out(&self) {
        for source_type in ["ORDER", "REDEMPTION", "FROM_A_NEWER_RELEASE"] {
            self.add_pending_settlement(&format!("payout-{source_type}"), source_type).await;
            for held in [true, false] {
                let path = format!("/api/admin/settlements/m-aurora/payout-{source_type}");
                let body = json!({"held": held, "reason": "A test"}).to_string();
                success(self.request_by("u-root", Method::PATCH, &path).await.body(body)).await;
            }
        }
        self.add_pending_settlement("payout-unchecked", "REDEMPTION").await;
        self.add_settlement_of_own_sale("payout-own-sale").await;
        for query in ["", "?held=true"] {
            let path = format!("/api/admin/settlements{query}");
            success(self.request_by("u-root", Method::GET, &path).await).await;
        }
        let preview = format!("{PAYOUTS}/preview");
        success(self.request_by("u-root", Method::GET, &preview).await).await;
        for (key, body) in [("all", json!({})), ("none", json!({"merchantId": "m-fjord"}))] {
            let run = self.request_by("u-root", Method::POST, PAYOUTS).await.header("idempotency-key", key);
            let run = success(run.body(body.to_string())).await;
            let path = format!("{PAYOUTS}/runs/{}", run["data"]["runId"].as_str().unwrap());
            success(self.request_by("u-root", Method::GET, &path).await).await;
        }
        self.drain().await;
        self.decide_payouts(0).await;
        self.drain().await;

        let (store, clock) = (&self.local.app().store, &self.local.app().clock);
        let lease = || keys::payouts_lease(&MerchantId::new("m-aurora"));
        self.add_delayed_run().await;
        self.add_settlement_of_own_sale("payout-own-sale-for-the-sweep").await;
        for step in ["make", "cancel"] {
            // Without the lease, the jobs function leaves the job to the sweep.
            let lease = store.try_acquire_lease(lease(), clock).await.unwrap().unwrap();
            if step == "cancel" {
                self.decide_payouts(0).await;
            }
            self.drain().await;
            store.release_lease(&lease).await.unwrap();
            assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}));
        }

        let run = self.request_by("u-root", Method::POST, PAYOUTS).await.header("idempotency-key", "paid");
        success(run.body("{}")).await;
        self.drain().await;
        self.decide_payouts(1).await;
        assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}));
    }

    /// A settlement that is not held, of a redemption whose card has to be looked up.
    async fn add_pending_settlement(&self, id: &str, source_type: &str) {
        let store = &self.local.app().store;
        let merchant = MerchantId::new("m-aurora");
        let redemptions = store.scan_all::<Redemption>(listed_rows(Listed::Redemptions, Some(&merchant))).await.unwrap();
        let redemption = redemptions.iter().find(|redemption| redemption.qr_code.is_some()).unwrap();
        let terms = Some(SettlementTerms { fees: FeeTerms::default(), payout_delay_days: 0 });
        let redemption = Redemption { terms, card: None, reply_disagrees: false, ..redemption.value.clone() };
        let past = "2026-01-01T00:00:00Z".parse().unwrap();
        let settlement = Settlement::of_redemption(&redemption, past).unwrap().unwrap();
        let source_type = serde_json::from_value(json!(source_type)).unwrap();
        let settlement = Settlement { id: SettlementId::new(id), source_type, ..settlement };
        store.commit(vec![Write::create(&settlement).unwrap()]).await.unwrap();
    }

    /// A settlement that is held when it would join a payout: its card was sold at the merchant's own till.
    async fn add_settlement_of_own_sale(&self, id: &str) {
        let sale = self.request_by("u-anna", Method::POST, ISSUE).await.body(sale_of(100).to_string());
        let code = success(sale).await["data"]["qrCode"].as_str().unwrap().to_owned();
        self.add_pending_settlement(id, "REDEMPTION").await;
        let store = &self.local.app().store;
        let merchant = MerchantId::new("m-aurora");
        let settlement = store.settlement(&merchant, &SettlementId::new(id)).await.unwrap().unwrap();
        let of_card = settlement.redemption_id.clone().unwrap();
        let redemption = store.redemption(&merchant, &of_card).await.unwrap().unwrap();
        let own = Redemption {
            id: RedemptionId::new(format!("redemption-{id}")),
            qr_code: Some(QrCode::new(code)),
            ..redemption.value.clone()
        };
        let changed = Settlement { redemption_id: Some(own.id.clone()), ..settlement.value.clone() };
        let writes = vec![Write::create(&own).unwrap(), Write::replace(&settlement, &changed).unwrap()];
        store.commit(writes).await.unwrap();
    }

    /// A run that only the sweep executes, because its job is due later.
    async fn add_delayed_run(&self) {
        let app = self.local.app();
        let now = app.clock.now();
        let run = PayoutRun {
            id: PayoutRun::id_of("delayed"),
            fingerprint: String::new(),
            merchant_id: None,
            currency: None,
            eligible_before: now,
            created_by: UserId::new("u-root"),
            created_at: now,
            own_merchant_id: None,
            after: None,
            finished_at: None,
        };
        let task = Task::RunPayouts { run_id: run.id.clone() };
        let job = Job::new(None, task, now, &app.random).due_at(later(now, SignedDuration::from_hours(1)));
        let writes = vec![Write::create(&run).unwrap(), Write::create(&job).unwrap()];
        app.store.commit(writes).await.unwrap();
    }

    /// Opens the link to a payout's file. S3 knows by the user agent which function has signed it.
    async fn download_payout_file(&self, user: &str, path: &str, user_agent: &str) {
        let link = success(self.request_by(user, Method::GET, path).await).await;
        let download = self.client.get(link["data"]["url"].as_str().unwrap());
        let download = download.header("user-agent", user_agent).send().await.unwrap();
        assert_eq!(download.status(), 200);
    }

    /// Decides all payouts that can be decided, after their files were downloaded: the first ones are paid, all others
    /// are cancelled.
    async fn decide_payouts(&self, paid: usize) {
        for filter in ["", "?runId=none", "?merchantId=none"] {
            success(self.request_by("u-root", Method::GET, &format!("{PAYOUTS}{filter}")).await).await;
        }
        let in_batch = format!("{PAYOUTS}?status=IN_BATCH");
        let listed = success(self.request_by("u-root", Method::GET, &in_batch).await).await;
        let payouts = listed["data"]["payouts"].as_array().unwrap();
        assert!(payouts.len() >= paid.max(1));
        for (number, payout) in payouts.iter().enumerate() {
            let path = format!("{PAYOUTS}/{}", payout["id"].as_str().unwrap());
            let settlements = format!("/api/admin/settlements?payoutId={}", payout["id"].as_str().unwrap());
            success(self.request_by("u-root", Method::GET, &settlements).await).await;
            success(self.request_by("u-root", Method::GET, &path).await).await;
            self.download_payout_file("u-root", &format!("{path}/file"), "app/administration").await;
            if payout["merchantId"] == "m-aurora" {
                let path = format!("/api/bff/payouts/{}", payout["id"].as_str().unwrap());
                success(self.request_by("u-anna", Method::GET, &path).await).await;
                self.download_payout_file("u-anna", &format!("{path}/file"), "app/settlements").await;
            }
            let (by, decision) = if number < paid {
                ("u-rut", json!({"status": "PAID", "reference": "A test"}))
            } else {
                ("u-root", json!({"status": "CANCELLED", "reason": "A test"}))
            };
            success(self.request_by(by, Method::PATCH, &path).await.body(decision.to_string())).await;
        }
    }

    /// Exports twice: the sweep writes the second file, whose first part fails.
    async fn export(&self) {
        let failed_upload = json!({"target": "s3", "match": "UploadPart", "kind": "status", "value": 400});
        for (kind, faults) in [("redemptions", json!([])), ("settlements", json!([failed_upload]))] {
            self.set_faults(&faults).await;
            let body = json!({"kind": kind, "from": "2026-01-01", "to": "2026-12-31"}).to_string();
            let started = success(self.request_by("u-anna", Method::POST, "/api/bff/exports").await.body(body)).await;
            self.drain().await;
            let path = format!("/api/bff/exports/{}", started["data"]["id"].as_str().unwrap());
            let export = success(self.request_by("u-anna", Method::GET, &path).await).await;
            let download = self.client.get(export["data"]["url"].as_str().unwrap());
            // S3 checks the permissions of the function that signed the URL.
            let download = download.header("user-agent", "app/exports").send().await.unwrap();
            assert_eq!(download.status(), 200);
        }
    }

    /// Claims and releases slugs and accounts at the card network, and tells the merchant's administrators of its status.
    async fn administer_merchants(&self) {
        let account = json!({"cardNetwork": {"merchants": [{"merchantId": "2001", "name": "Fjord"}]}});
        success(self.request(Method::POST, "/__local/fixtures").body(account.to_string())).await;
        let aurora = success(self.request_by("u-root", Method::GET, "/api/admin/merchants/m-aurora").await).await;
        let version = &aurora["data"]["identityVersion"];
        for (merchant, change) in [
            ("m-fjord", json!({"slug": "fjord", "networkMerchantId": "2001", "reason": "a new account"})),
            ("m-fjord", json!({"networkMerchantId": null, "reason": "the account is closed"})),
            ("m-hinode", json!({"status": "SUSPENDED", "reason": "complaints"})),
            ("m-aurora", json!({"identityReviewed": version, "reason": "the register agrees"})),
        ] {
            let path = format!("/api/admin/merchants/{merchant}");
            success(self.request_by("u-root", Method::PATCH, &path).await.body(change.to_string())).await;
        }
        let audit = "/api/admin/merchants/m-aurora/audit?onlyChanges=true";
        success(self.request_by("u-root", Method::GET, audit).await).await;
        self.download_document_of_merchant().await;
        assert_eq!(self.drain().await, json!({"pending": 0, "dead": 0}));
    }
}

fn percent_encoded(value: &str) -> PercentEncode<'_> {
    utf8_percent_encode(value, NON_ALPHANUMERIC)
}

fn sale_of(value: u32) -> Value {
    json!({"value": value, "deliveryDetails": {"deliveryType": "QR"}})
}

/// Sends a request and returns the body of the success response.
async fn success(request: RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    let (status, path) = (response.status(), response.url().path().to_owned());
    let text = response.text().await.unwrap();
    assert!(status.is_success(), "{status} at {path}: {text}");
    serde_json::from_str(&text).unwrap()
}
