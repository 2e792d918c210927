//! Makes every function use all of its permissions: each route, each worker, and the recovery from failures.

use axum::Router;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use canary::Canary;
use futures_util::future::join;
use hmac::{Hmac, KeyInit, Mac};
use http::{StatusCode, Uri};
use jiff::SignedDuration;
use local::Local;
use percent_encoding::{NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sha2::Sha256;
use shared::app::App;
use shared::cards::model::order::Order;
use shared::cards::model::redemption::Redemption;
use shared::db::keys::{self, Listed, listed_rows};
use shared::db::{Job, News, Task, Write};
use shared::merchants::model::merchant::{Document, MerchantStatus};
use shared::payouts::PayoutRun;
use shared::projections::model::tally::Family;
use shared::projections::rows::segments::Segment;
use shared::settlements::model::fees::{FeeTerms, SettlementTerms};
use shared::settlements::model::settlement::{Settlement, SourceType};
use shared::values::{
    Currency, MerchantId, Minor, Minute, Money, ObjectId, OpenEnum, OrderId, QrCode, RedemptionId, SettlementId, UserId,
    WebhookEndpointId, later,
};
use shared::webhooks::SigningSecret;
use shared::webhooks::model::{Endpoint, EndpointSettings, EventType, Hosts, WebhookUrl};
use tokio::net::TcpListener;
use world::shop::{self, ISSUE, REDEEM, payment, sale};
use world::{ApiResponse, Authenticator, Caller, System, client, event, events};

use crate::policies::Policies;

pub(crate) const TEST_TILL_SECRET: &str = "portal/test/till";
const CANCELLATION: &str = "/api/bff/pos/operations/cancellation";
const PROFILE: &str = "/api/bff/merchant";
const PAYOUTS: &str = "/api/admin/payouts";

/// The local verifier signs its decisions with this key.
const SIGNING_KEY: &str = "local-verifier-signing-key";

pub(crate) async fn run() -> Local {
    let scenario = Scenario::start().await;
    scenario.add_endpoints().await;
    scenario.send_events().await;
    scenario.manage_endpoints().await;
    scenario.tell_of_an_endpoint_later().await;
    scenario.sign_in_by_code().await;
    scenario.use_passkeys().await;
    scenario.build_a_team().await;
    scenario.use_keys().await;
    scenario.download_document().await;
    scenario.get_image().await;
    scenario.return_to_the_widget().await;
    scenario.sell_with_settlement_on_sale().await;
    scenario.sell_for_another_merchant().await;
    scenario.redeem_a_card_of_the_own_till().await;
    scenario.read_own_invites().await;
    scenario.submit_and_receive_resubmission_request().await;
    scenario.system.drain().await;
    scenario.create_with_keys().await;
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
    scenario.system.local
}

struct Scenario {
    system: System,
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

/// The body of a success. It is not compared with the description of the API, which does not know the values of a newer release.
async fn success(request: RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    assert!(response.status().is_success(), "{response:?}");
    serde_json::from_str(&response.text().await.unwrap()).unwrap_or_default()
}

impl Scenario {
    async fn start() -> Self {
        let system = System::demo().await;
        system.local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
        // S3 answers as it would with the policies of the template.
        system.local.restrict_listing(Policies::read(&system.local.environment).listers());
        Self { system, receiver: start_receiver().await }
    }

    /// Returns the body of a success.
    async fn send(&self, user: &str, method: Method, path: &str, body: &Value) -> Value {
        success(self.system.sign_in(user).await.request_with_json(method, path, body)).await
    }

    async fn get(&self, user: &str, path: &str) -> Value {
        success(self.system.sign_in(user).await.request(Method::GET, path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> ApiResponse {
        self.system.anonymous().post(path, body).await.ok()
    }

    /// Downloads a file. S3 knows by the user agent which function has signed the URL, and checks its permissions.
    async fn download(&self, url: &Value, function: &str) {
        let download = client().get(url.as_str().unwrap()).header("user-agent", format!("app/{function}"));
        assert_eq!(download.send().await.unwrap().status(), 200);
    }

    /// A user who signs in by a mailed code.
    async fn sign_in_by_mail(&self, email: &str) -> Caller {
        let requested = self.post("/api/auth/code", &json!({"email": email})).await;
        let (id, code) = (requested.text("/data/challengeId"), self.system.code_mailed_to(email).await);
        let session = json!({"challengeId": id, "code": code, "transport": "bearer"});
        self.system.with_token(&self.post("/api/auth/session", &session).await.text("/data/token"))
    }

    /// Founds and gives up a merchant, invites, accepts and removes a member, and pairs and revokes a till.
    async fn build_a_team(&self) {
        let owner = self.sign_in_by_mail("owner@example.com").await;
        owner.post("/api/auth/merchant", &json!({"name": "Short lived", "slug": "short-lived"})).await.ok();
        let ida = json!({
            "email": "ida@shop.example", "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "FULL",
        });
        let invite = owner.post("/api/auth/invites", &ida).await;
        let path = format!("/api/auth/invites/{}", invite.text("/data/challengeId"));
        let code = self.system.code_mailed_to("owner@example.com").await;
        owner.post(&format!("{path}/verification"), &json!({"code": code})).await.ok();
        self.system.drain().await;
        let member = self.sign_in_by_mail("ida@shop.example").await;
        member.post(&format!("{path}/acceptance"), &Value::Null).await.ok();
        let member = member.get("/api/auth/session").await.text("/data/user/id");
        owner.delete(&format!("/api/auth/members/{member}")).await.ok();

        let till = owner.post("/api/auth/tills", &json!({"name": "Counter", "retailStoreId": "1"})).await;
        let paired = self.post("/api/auth/tills/pairing", &json!({"code": till.at("/data/pairingCode")})).await;
        self.system.drain().await;
        self.system.with_token(&paired.text("/data/token")).get("/api/auth/session").await.ok();
        owner.delete(&format!("/api/auth/tills/{}", till.text("/data/id"))).await.ok();
        owner.delete("/api/auth/merchant").await.ok();
    }

    /// Each function notes the first use of a key; and keys are rotated, used and not, revoked, and end with their maker and merchant.
    async fn use_keys(&self) {
        let permissions = "portal.information portal.organization portal.gift_cards portal.analytics portal.reports \
                           portal.orders portal.pos";
        let body = json!({"name": "ERP", "permissions": permissions.split(' ').collect::<Vec<_>>(), "readOnly": true});
        let anna = self.system.sign_in("u-anna").await;
        let paths = "/api/bff/merchant /api/bff/offers /api/bff/analytics/overview /api/bff/settlements \
                     /api/bff/merchant-orders /api/bff/pos/offers /api/onboarding/document /api/auth/session \
                     /api/admin/merchants /api/bff/exports/none /api/bff/webhooks";
        for path in paths.split(' ') {
            let made = anna.post("/api/auth/keys", &body).await.ok();
            let key = format!("/api/auth/keys/{}", made.text("/data/id"));
            let program = self.system.with_token(&made.text("/data/key"));
            if path == "/api/bff/merchant" {
                anna.post(&format!("{key}/rotation"), &json!({"overlapHours": 1})).await.ok();
                program.get(path).await.ok();
                anna.post(&format!("{key}/rotation"), &json!({"overlapHours": 1})).await.ok();
            }
            program.get(path).await;
            anna.get("/api/auth/keys").await.ok();
            anna.delete(&key).await.ok();
        }
        let owner = self.sign_in_by_mail("closing@example.com").await;
        let merchant = owner.post("/api/auth/merchant", &json!({"name": "Closing", "slug": "closing"})).await.text("/data/id");
        owner.post("/api/auth/keys", &body).await.ok();
        self.system.change_merchant(&merchant, |merchant| merchant.status = MerchantStatus::Active.into()).await;
        let inactive = json!({"status": "INACTIVE", "reason": "closed"});
        self.send("u-root", Method::PATCH, &format!("/api/admin/merchants/{merchant}"), &inactive).await;
        self.system.drain().await;
    }

    /// Signs a user in by mailed codes, for the first time and again, and out.
    async fn sign_in_by_code(&self) {
        let first = self.sign_in_by_mail("stranger@example.com").await;
        let requested = self.post("/api/auth/code", &json!({"email": "stranger@example.com"})).await;
        let code = self.system.code_mailed_to("stranger@example.com").await;
        let session = json!({"challengeId": requested.at("/data/challengeId"), "code": code});
        let again = self.system.anonymous().request_with_json(Method::POST, "/api/auth/session", &session);
        let again = again.header("cookie", format!("__Host-portal_session={}", first.token()));
        Caller::send_request(again).await.ok();
        self.system.drain().await;
        self.sign_in_by_mail("stranger@example.com").await.delete("/api/auth/session").await.ok();
    }

    /// Adds passkeys, signs in with one, turns codes off and on, and removes one; and ends a session.
    async fn use_passkeys(&self) {
        let user = self.sign_in_by_mail("passkeys@example.com").await;
        let (mut phone, mut key) = (Authenticator::of(&self.system).await, Authenticator::of(&self.system).await);
        phone.add(&user, "Phone").await;
        key.add(&user, "Key").await;
        let user = self.system.with_token(&phone.sign_in(&self.system).await.text("/data/token"));
        user.patch("/api/auth/session/user", &json!({"mailSignIn": false})).await.ok();
        let other = user.get("/api/auth/sessions").await.row("/data", "current", false);
        user.delete(&format!("/api/auth/sessions/{}", other["id"].as_str().unwrap())).await.ok();
        "https://evil.example".clone_into(&mut phone.origin);
        assert_eq!(phone.sign_in(&self.system).await.status, 400);
        let passkey = user.get("/api/auth/passkeys").await.text("/data/0/id");
        user.delete(&format!("/api/auth/passkeys/{passkey}")).await.ok();
        self.system.drain().await;
    }

    /// Sends the HTTP request of every HTTP API event.
    async fn send_events(&self) {
        for event in events().into_values() {
            if event["version"] == "2.0" {
                self.request_of(&event).send().await.unwrap();
            }
        }
    }

    /// Sends the request of an event, and returns the success.
    async fn repeat(&self, name: &str) -> ApiResponse {
        Caller::send_request(self.request_of(&event(name))).await.ok()
    }

    fn request_of(&self, event: &Value) -> RequestBuilder {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let method = text("/requestContext/http/method").parse().unwrap();
        let path = format!("{}?{}", text("/rawPath"), text("/rawQueryString"));
        let request = self.system.anonymous().request(method, &path);
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
        let app = self.system.local.app();
        let merchants = self.get("u-root", "/api/admin/merchants?limit=200").await;
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
        let send = async |method: Method, path: &str, body: Value| self.send("u-anna", method, path, &body).await;
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
        self.system.local.send_due_webhooks().await;
        let deliveries = format!("{path}/deliveries");
        send(Method::GET, &deliveries, Value::Null).await;
        let retry = format!("{deliveries}/{}/retry", sent["data"]["deliveryId"].as_str().unwrap());
        send(Method::POST, &retry, json!({})).await;
        let dropped = async {
            self.send("u-anna", Method::POST, ISSUE, &sale(100)).await;
            let unwanted = json!({"events": ["merchant.status_changed"]});
            send(Method::PATCH, &format!("{webhooks}/e-told"), unwanted.clone()).await;
            send(Method::PATCH, &path, unwanted).await;
        };
        self.system.local.pause(dropped).await;
        self.system.local.send_due_webhooks().await;
        let everything = json!({"events": EventType::ALL});
        send(Method::PATCH, &format!("{webhooks}/e-told"), everything).await;
        let till = send(Method::POST, "/api/auth/tills", json!({"name": "Counter", "retailStoreId": "1"})).await;
        let paired = self.post("/api/auth/tills/pairing", &json!({"code": till["data"]["pairingCode"]})).await;
        self.system.with_token(&paired.text("/data/token")).sell(100).await;
        self.system.local.send_due_webhooks().await;
        send(Method::PATCH, &path, json!({"url": format!("{}/gone", self.receiver)})).await;
        send(Method::POST, &format!("{path}/test"), test).await;
        self.system.local.send_due_webhooks().await;
        send(Method::DELETE, &path, Value::Null).await;
        self.system.local.send_due_webhooks().await;
    }

    /// Creates something with an idempotency key, by each function that does.
    async fn create_with_keys(&self) {
        let anna = self.system.sign_in("u-anna").await;
        for (path, body) in [
            ("/api/bff/offers", json!({"name": "Keyed", "giftCardOfferType": "GIFTCARD_DIGITAL"})),
            ("/api/bff/retail-store", json!({"name": "Keyed"})),
            ("/api/auth/tills", json!({"name": "Keyed", "retailStoreId": "1"})),
            ("/api/bff/exports", json!({"kind": "orders", "from": "2026-01-01", "to": "2026-01-01"})),
            ("/api/bff/webhooks", json!({"url": self.receiver, "events": ["merchant.status_changed"]})),
        ] {
            anna.post_with_key(path, "key", &body).await.ok();
        }
        self.system.drain().await;
    }

    async fn download_document(&self) {
        let uploaded = self.repeat("onboarding/upload-base64").await;
        let document = format!("/api/onboarding/document?url={}", percent_encoded(&uploaded.text("/url")));
        let presigned = self.get("u-anna", &document).await;
        self.download(&presigned["url"], "onboarding").await;
        // Who reads another merchant's document is recorded.
        self.get("u-root", &document).await;
    }

    /// Opens the link of an administrator to the document of an application.
    async fn download_document_of_merchant(&self) {
        let uploaded = self.repeat("onboarding/upload-base64").await;
        let document = Document { r#type: "REGISTRATION".to_owned(), url: uploaded.text("/url"), name: None };
        self.system.change_merchant("m-aurora", |merchant| merchant.documents = vec![document]).await;
        let aurora = self.get("u-root", "/api/admin/merchants/m-aurora").await;
        self.download(&aurora["data"]["profile"]["documents"][0]["link"], "administration").await;
    }

    async fn upload_image(&self) -> String {
        self.repeat("offers/media-base64").await.text("/data/key")
    }

    async fn get_image(&self) {
        let key = &self.upload_image().await;
        let image = format!("/api/public/gift-card-image?key={}", percent_encoded(key));
        assert_eq!(self.system.anonymous().get(&image).await.status, 200);
    }

    async fn guess_codes(&self) {
        let balance = self.system.anonymous().post("/api/merchants/aurora-coffee/balance", &json!({"code": "GUESS"})).await;
        assert_eq!(balance.status, 404);
        for path in ["/api/bff/cards/GUESS", "/api/bff/pos/card/GUESS"] {
            assert_eq!(self.system.sign_in("u-anna").await.get(path).await.status, 404, "{path}");
        }
    }

    async fn run_canary(&self) {
        let token = self.system.local.sign_in("u-anna").await.unwrap().unwrap();
        self.system.local.rotate_secret(TEST_TILL_SECRET, &json!({"token": token})).await.unwrap();
        let app = self.system.local.app();
        let mut settings = app.settings.clone();
        "canary".clone_into(&mut settings.aws.function_name);
        let app = App::new(settings, app.clock.clone(), app.random.clone());
        let variables =
            [("TEST_MERCHANT", "m-aurora"), ("TEST_NETWORK_ACCOUNT", "1001"), ("TEST_TILL_SECRET_ID", TEST_TILL_SECRET)];
        let variable = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Canary::read(&app, variable).unwrap().run(&app).await.unwrap();
    }

    /// The jobs function deletes the versions of the first images, and the sweep those of the last one. On a slow machine, the sweep can
    /// also come before the jobs function once.
    async fn take_images_down(&self) {
        let key = "public/gift-cards/designs/0199c1f2-7a3b-7c4d-8e5f-0123456789ab-none.png";
        let unknown = json!({"key": key, "reason": "A test"});
        let root = self.system.sign_in("u-root").await;
        assert_eq!(root.send(Method::DELETE, "/api/admin/media", Some(&unknown)).await.status, 404);
        let failed_list = json!({"target": "s3", "match": "ListObjectVersions", "kind": "status", "value": 400});
        for faults in [json!([]), json!([]), json!([failed_list])] {
            let body = json!({"key": self.upload_image().await, "reason": "A test"});
            self.system.set_faults(faults).await;
            self.send("u-root", Method::DELETE, "/api/admin/media", &body).await;
            self.system.finish_work().await;
        }
    }

    /// Requests the widget's catalog with the cookie of an earlier visit.
    async fn return_to_the_widget(&self) {
        let catalog = self.system.anonymous().request(Method::GET, "/api/bff/widget/giftcards?merchantId=m-aurora");
        Caller::send_request(catalog.header("cookie", format!("gc_as={}", "0f".repeat(16)))).await.ok();
    }

    async fn sell_with_settlement_on_sale(&self) {
        for _original_and_repetition in 0..2 {
            let sale = self.system.sign_in("u-lena").await.request_with_json(Method::POST, ISSUE, &sale(50));
            let sale = sale.header("idempotency-key", "receipt-1");
            Caller::send_request(sale.header("idempotency-made-at", "2026-01-15T10:00:00.000Z")).await.ok();
        }
    }

    /// Its settlement is held from the start. Then it is held later, as if the sale had been recorded after the redemption: by the jobs
    /// function and by the sweep.
    async fn redeem_a_card_of_the_own_till(&self) {
        let till = self.system.sign_in("u-anna").await;
        let sold = till.sell(100).await;
        let redeemed = till.redeem(&sold.text("/data/qrCode"), 1).await;
        let (app, merchant) = (self.system.local.app(), MerchantId::new("m-aurora"));
        let (id, now) = (RedemptionId::new(redeemed.text("/redemptionId")), app.clock.now());
        for due in [now, later(now, SignedDuration::from_hours(1))] {
            let redemption = app.store.redemption(&merchant, &id).await.unwrap().unwrap();
            let unlinked = Redemption { card: None, ..redemption.value.clone() };
            let settlement = SettlementId::new(format!("settlement-{id}"));
            let settlement = app.store.settlement(&merchant, &settlement).await.unwrap().unwrap();
            let unheld = settlement.lift_hold(None, now).unwrap().unwrap();
            let unheld = Settlement { gift_card_id: None, order_id: None, hold_lifted: false, ..unheld };
            let task = Task::ClaimRedemptions { order_id: OrderId::new(sold.text("/data/orderId")) };
            let job = Job::new(merchant.clone(), task, now, &app.random).due_at(due);
            let writes = [Write::replace(&redemption, &unlinked), Write::replace(&settlement, &unheld), Write::create(&job)];
            app.store.commit(writes.into_iter().collect::<Result<_, _>>().unwrap()).await.unwrap();
            self.system.drain().await;
        }
    }

    /// The sweep sends what could not be sent at once.
    async fn tell_of_an_endpoint_later(&self) {
        let app = self.system.local.app();
        let now = app.clock.now();
        let (recipient, news) = (UserId::new("u-anna"), News::WebhookSet { endpoint_id: WebhookEndpointId::new("e-told") });
        let job = Job::new(MerchantId::new("m-aurora"), Task::TeamNewsMail { recipient, news, at: now }, now, &app.random);
        let job = Write::create(&job.due_at(later(now, SignedDuration::from_hours(1)))).unwrap();
        app.store.commit(vec![job]).await.unwrap();
        self.system.drain().await;
    }

    async fn sell_for_another_merchant(&self) {
        let mut sale = shop::sale(100);
        sale["merchantId"] = "m-aurora".into();
        self.send("u-root", Method::POST, ISSUE, &sale).await;
    }

    async fn read_own_invites(&self) {
        self.get("u-iris", PROFILE).await;
    }

    async fn submit_and_receive_resubmission_request(&self) {
        self.submit().await;
        self.system.drain().await;
        let company = self.get("u-freya", PROFILE).await;
        let company = &company["data"]["company"];
        let session_id = company["verifierSessionUrl"].as_str().unwrap().rsplit('/').next().unwrap();
        let decision = json!({"verification": {
            "id": session_id, "vendorData": "m-fjord", "companyId": company["verifierCompanyId"],
            "status": "resubmission_requested", "reason": null, "decidedAt": "2026-01-01T12:00:00Z",
        }});
        let decision = decision.to_string();
        let mac = Hmac::<Sha256>::new_from_slice(SIGNING_KEY.as_bytes()).unwrap().chain_update(&decision);
        let request = self.system.anonymous().request(Method::POST, "/api/public/merchant/kyb-decision");
        let request = request.header("x-hmac-signature", hex::encode(mac.finalize().into_bytes()));
        Caller::send_request(request.header("content-type", "application/json").body(decision)).await.ok();
    }

    async fn submit(&self) {
        let application = json!({
            "registrationNumber": "912 345 678", "vatNumber": "NO912345678MVA",
            "legalAddress": {"line1": "Storgata 1", "city": "Oslo", "postalCode": "0155", "country": "NO"},
            "directors": [{"name": "Freya Haugen", "role": "CEO"}],
            "termsAccepted": true, "privacyAccepted": true,
        });
        self.send("u-freya", Method::POST, "/api/onboarding/submit", &application).await;
    }

    /// Delays one of two updates, so that it conflicts and reads the profile again.
    async fn update_profile_concurrently(&self) {
        let anna = self.system.sign_in("u-anna").await;
        let update = async |legal_name: &str| {
            anna.put(PROFILE, &json!({"company": {"legalName": legal_name}})).await.ok();
        };
        let delay = json!({"target": "dynamodb", "match": "TransactWriteItems", "kind": "delay", "value": 500});
        self.system.set_faults(json!([delay])).await;
        join(update("Aurora One AB"), update("Aurora Two AB")).await;
    }

    /// Makes every upstream fail, the card network after it has moved the money, so that the sweep has to complete all
    /// work.
    async fn fail_and_recover(&self) {
        let fault =
            |target: &str, operation: &str| json!({"target": target, "match": operation, "kind": "drop", "times": "always"});
        self.system
            .set_faults(json!([
                json!({"target": "card-network", "match": "POST /v1/cards/*", "kind": "after", "times": "always"}),
                fault("card-network", "GET /v1/operations/*"),
                fault("card-network", "PATCH *"),
                fault("verifier", "*"),
                fault("ses", "*"),
            ]))
            .await;
        let update = json!({"company": {"legalName": "Aurora Coffee and Tea AB"}});
        self.send("u-anna", Method::PUT, PROFILE, &update).await;
        self.submit().await;
        for (path, body) in [(ISSUE, sale(100)), (REDEEM, payment("DEMO-AURORA-1000", 1))] {
            assert_eq!(self.system.sign_in("u-anna").await.post(path, &body).await.status, 504, "{path}");
        }
        // One of its redemptions is open.
        self.get("u-anna", "/api/bff/cards/DEMO-AURORA-1000/history").await;
        assert_ne!(self.system.drain().await["pending"], 0);

        self.system.set_faults(json!([])).await;
        self.system.finish_work().await;
    }

    /// Gives back a redemption: once with success, once the till's function closes the failed sale, and once the sweep.
    async fn give_back(&self) {
        let till = self.system.sign_in("u-anna").await;
        let mut sale = shop::sale(100);
        sale["refundOf"] = till.redeem("DEMO-AURORA-1000", 300).await.at("/redemptionId").clone();
        let fault = |operation: &str| json!({"target": "card-network", "match": operation, "kind": "drop", "times": "always"});
        for (faults, status) in [
            (json!([]), 200),
            (json!([fault("POST /v1/cards/issue")]), 502),
            (json!([fault("POST /v1/cards/issue"), fault("GET /v1/operations/*")]), 504),
        ] {
            self.system.set_faults(faults).await;
            assert_eq!(till.post(ISSUE, &sale).await.status, status);
        }
        self.system.set_faults(json!([])).await;
        self.system.finish_work().await;
        self.get("u-anna", "/api/bff/cards/DEMO-AURORA-1000/history").await;
    }

    /// Lets redemptions fail that the card network never receives. The first is closed by the till's function, the other
    /// one by the sweep.
    async fn free_idempotency_keys(&self) {
        let fault = |operation: &str| json!({"target": "card-network", "match": operation, "kind": "drop", "times": "always"});
        let till = self.system.sign_in("u-anna").await;
        for (faults, status) in [
            (json!([fault("POST /v1/cards/redeem")]), 502),
            (json!([fault("POST /v1/cards/redeem"), fault("GET /v1/operations/*")]), 504),
        ] {
            self.system.set_faults(faults).await;
            assert_eq!(till.post_with_key(REDEEM, "receipt-2", &payment("DEMO-AURORA-1000", 1)).await.status, status);
        }
        self.system.set_faults(json!([])).await;
        self.system.finish_work().await;
        for key in ["receipt-2", "receipt-3"] {
            let body = json!({"kind": "REDEEM", "idempotencyKey": key});
            let request = till.request_with_json(Method::POST, CANCELLATION, &body);
            Caller::send_request(request.header("idempotency-made-at", "2026-01-01T00:00:00.000Z")).await.ok();
        }
    }

    async fn change_time_zone(&self) {
        let update = json!({"company": {"timeZone": "Asia/Tokyo"}});
        self.send("u-anna", Method::PUT, PROFILE, &update).await;
        self.system.drain().await;
    }

    /// Recounts by the jobs function and by the sweep, and by the projections after changes of every kind of settlement.
    async fn recount_all_families(&self) {
        let app = self.system.local.app();
        let (merchant, now) = (MerchantId::new("m-aurora"), app.clock.now());
        for due in [now, later(now, SignedDuration::from_hours(1))] {
            let job = |family| {
                let task = Task::Recount { family, minutes: [Minute::of(now)].into() };
                Write::create(&Job::new(merchant.clone(), task, now, &app.random).due_at(due)).unwrap()
            };
            app.store.commit(Family::ALL.map(job).into()).await.unwrap();
            self.system.drain().await;
        }
        let settlements = app.store.scan_all::<Settlement>(listed_rows(Listed::Settlements, Some(&merchant))).await.unwrap();
        for source_type in [OpenEnum::from(SourceType::Order), OpenEnum::Unknown("FROM_A_NEWER_RELEASE".to_owned())] {
            let read = settlements.iter().max_by_key(|settlement| settlement.eligible_at).unwrap();
            let changed = Settlement { source_type, ..read.value.clone() };
            let id = SettlementId::new(format!("{:?}", changed.source_type));
            app.store.commit(vec![Write::create(&Settlement { id, ..changed }).unwrap()]).await.unwrap();
        }
        self.system.drain().await;
        self.system.change_merchant("m-aurora", |merchant| merchant.settlement_mode = None).await;
        let order = settlements.iter().find_map(|settlement| settlement.order_id.as_ref()).unwrap();
        for path in ["/api/bff/settlements".to_owned(), format!("/api/bff/settlements/by-source?orderId={order}")] {
            self.get("u-anna", &path).await;
        }
    }

    /// Writes the segments of a merchant twice. The second time, what has changed before is forgotten.
    async fn renew_segments(&self) {
        let app = self.system.local.app();
        let changed_at = later(app.clock.now(), SignedDuration::from_hours(-1));
        for id in ["first", "second"] {
            let total = Money::new(Minor::new(100), Currency::EUR);
            let order = Order::new(OrderId::new(id), MerchantId::new("m-segments"), changed_at, total);
            app.store.commit(vec![Write::create(&order).unwrap()]).await.unwrap();
            self.system.drain().await;
        }
    }

    async fn search(&self) {
        let found = self.get("u-anna", "/api/bff/merchant-orders?q=a").await;
        assert_ne!(found["orders"], json!([]), "{found}");
        // After a restore, the list can name objects that have been deleted since.
        let store = self.system.store();
        let list = store.segments(&MerchantId::new("m-aurora")).await.unwrap().unwrap();
        let mut missing = list.value.clone();
        for segment in missing.segments.iter_mut().flatten() {
            *segment = Segment { object: ObjectId::new("missing"), content: None, ..segment.clone() };
        }
        store.commit(vec![Write::replace(&list, &missing).unwrap()]).await.unwrap();
        assert_eq!(self.get("u-anna", "/api/bff/merchant-orders?q=a").await, found);
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
                let body = json!({"held": held, "reason": "A test"});
                self.send("u-root", Method::PATCH, &path, &body).await;
            }
        }
        self.add_pending_settlement("payout-unchecked", "REDEMPTION").await;
        self.add_settlement_of_own_sale("payout-own-sale").await;
        for query in ["", "?held=true"] {
            let path = format!("/api/admin/settlements{query}");
            self.get("u-root", &path).await;
        }
        let preview = format!("{PAYOUTS}/preview");
        self.get("u-root", &preview).await;
        for (key, body) in [("all", json!({})), ("none", json!({"merchantId": "m-fjord"}))] {
            let run = self.system.sign_in("u-root").await.post_with_key(PAYOUTS, key, &body).await.ok();
            let path = format!("{PAYOUTS}/runs/{}", run.text("/data/runId"));
            self.get("u-root", &path).await;
        }
        self.system.drain().await;
        self.decide_payouts(0).await;
        self.system.drain().await;

        let (store, clock) = (self.system.store(), &self.system.local.app().clock);
        let lease = || keys::payouts_lease(&MerchantId::new("m-aurora"));
        self.add_delayed_run().await;
        self.add_settlement_of_own_sale("payout-own-sale-for-the-sweep").await;
        for step in ["make", "cancel"] {
            // Without the lease, the jobs function leaves the job to the sweep.
            let lease = store.try_acquire_lease(lease(), clock).await.unwrap().unwrap();
            if step == "cancel" {
                self.decide_payouts(0).await;
            }
            self.system.drain().await;
            store.release_lease(&lease).await.unwrap();
            self.system.finish_work().await;
        }

        self.system.sign_in("u-root").await.post_with_key(PAYOUTS, "paid", &json!({})).await.ok();
        self.system.drain().await;
        self.decide_payouts(1).await;
        self.system.finish_work().await;
    }

    /// A settlement that is not held, of a redemption whose card has to be looked up.
    async fn add_pending_settlement(&self, id: &str, source_type: &str) {
        let store = self.system.store();
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
        let code = self.system.sign_in("u-anna").await.sell(100).await.text("/data/qrCode");
        self.add_pending_settlement(id, "REDEMPTION").await;
        let store = self.system.store();
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
        let app = self.system.local.app();
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

    /// Decides all payouts that can be decided, after their files were downloaded: the first ones are paid, all others
    /// are cancelled.
    async fn decide_payouts(&self, paid: usize) {
        for filter in ["", "?runId=none", "?merchantId=none"] {
            self.get("u-root", &format!("{PAYOUTS}{filter}")).await;
        }
        let in_batch = format!("{PAYOUTS}?status=IN_BATCH");
        let listed = self.get("u-root", &in_batch).await;
        let payouts = listed["data"]["payouts"].as_array().unwrap();
        assert!(payouts.len() >= paid.max(1));
        for (number, payout) in payouts.iter().enumerate() {
            let path = format!("{PAYOUTS}/{}", payout["id"].as_str().unwrap());
            let settlements = format!("/api/admin/settlements?payoutId={}", payout["id"].as_str().unwrap());
            self.get("u-root", &settlements).await;
            self.get("u-root", &path).await;
            self.download(&self.get("u-root", &format!("{path}/file")).await["data"]["url"], "administration").await;
            if payout["merchantId"] == "m-aurora" {
                let path = format!("/api/bff/payouts/{}", payout["id"].as_str().unwrap());
                self.get("u-anna", &path).await;
                self.download(&self.get("u-anna", &format!("{path}/file")).await["data"]["url"], "settlements").await;
            }
            let (by, decision) = if number < paid {
                ("u-rut", json!({"status": "PAID", "reference": "A test"}))
            } else {
                ("u-root", json!({"status": "CANCELLED", "reason": "A test"}))
            };
            self.send(by, Method::PATCH, &path, &decision).await;
        }
    }

    /// Exports files of both types, each once by the sweep, because the first attempt fails.
    async fn export(&self) {
        let failed_upload = json!({"target": "s3", "match": "UploadPart", "kind": "status", "value": 400});
        let failed_workbook = json!({"target": "s3", "match": "PutObject", "kind": "status", "value": 400});
        for (kind, format, faults) in [
            ("redemptions", "csv", json!([])),
            ("settlements", "csv", json!([failed_upload])),
            ("redemptions", "xlsx", json!([])),
            ("redemptions", "xlsx", json!([failed_workbook])),
        ] {
            self.system.set_faults(faults).await;
            let body = json!({"kind": kind, "format": format, "from": "2026-01-01", "to": "2026-12-31"});
            let started = self.send("u-anna", Method::POST, "/api/bff/exports", &body).await;
            self.system.drain().await;
            let path = format!("/api/bff/exports/{}", started["data"]["id"].as_str().unwrap());
            let export = self.get("u-anna", &path).await;
            self.download(&export["data"]["url"], "exports").await;
        }
    }

    /// Claims and releases slugs and accounts at the card network, and tells the merchant's administrators of its status.
    async fn administer_merchants(&self) {
        let account = json!({"cardNetwork": {"merchants": [{"merchantId": "2001", "name": "Fjord"}]}});
        self.system.load_fixtures(&account).await;
        let aurora = self.get("u-root", "/api/admin/merchants/m-aurora").await;
        let version = &aurora["data"]["identityVersion"];
        for (merchant, change) in [
            ("m-fjord", json!({"slug": "fjord", "networkMerchantId": "2001", "reason": "a new account"})),
            ("m-fjord", json!({"networkMerchantId": null, "reason": "the account is closed"})),
            ("m-hinode", json!({"status": "SUSPENDED", "reason": "complaints"})),
            ("m-aurora", json!({"identityReviewed": version, "reason": "the register agrees"})),
        ] {
            let path = format!("/api/admin/merchants/{merchant}");
            self.send("u-root", Method::PATCH, &path, &change).await;
        }
        let audit = "/api/admin/merchants/m-aurora/audit?onlyChanges=true";
        self.get("u-root", audit).await;
        self.download_document_of_merchant().await;
        self.system.finish_work().await;
    }
}

fn percent_encoded(value: &str) -> PercentEncode<'_> {
    utf8_percent_encode(value, NON_ALPHANUMERIC)
}
