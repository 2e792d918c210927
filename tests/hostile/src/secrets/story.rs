//! A day of a merchant: every route, failures of every upstream, jobs, webhooks and exports.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use local::{Local, Options};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use world::{SeededRandom, client_at, events};

use super::Evidence;
use super::canaries::Canaries;
use super::places::Place;
use crate::contract;
use crate::effort::Effort;
use crate::system::{Answer, System};

/// Whose requests come from an address that is recognized. No text has it but an address.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 113, 97, 211));
const PDF: &[u8] = b"%PDF-1.4\n1 0 obj <<>> endobj\n%%EOF";
const BUCKETS: [&str; 3] = ["portal-images", "portal-files", "portal-search"];
/// The keys of the local system with which the portal calls its upstreams.
const NETWORK_KEY: &str = "local-card-network-key";
const VERIFIER_KEY: &str = "local-verifier-key";

struct Story {
    system: System,
    client: reqwest::Client,
    random: SeededRandom,
    canaries: Canaries,
    places: Vec<Place>,
    called: BTreeSet<(String, String)>,
    failures: Vec<String>,
}

/// The texts of the fixtures.
struct People {
    admin: String,
    applicant: String,
    invited: String,
    buyer: String,
    phone: String,
    director: String,
}

fn fixtures(people: &People) -> Value {
    let merchant = |id: &str, status: &str, account: Option<&str>| {
        json!({"id": id, "slug": id, "status": status, "name": "Canary", "legalName": "Canary AB", "currency": "SEK", "networkMerchantId": account,
            "settlementMode": "SETTLEMENT_ON_REDEMPTION", "brand": {"logoUrl": "https://c.example/l.png"},
            "directors": [{"name": people.director, "role": "CEO"}]})
    };
    let user = |id: &str, email: &str, merchant: &str| {
        json!({"id": id, "email": email, "emailVerified": true, "firstName": "Cara", "lastName": "Nary", "phonePrefix": "+46",
            "phone": people.phone, "merchantId": merchant, "merchantTeamRole": "ADMIN"})
    };
    json!({
        "merchants": [merchant("m-canary", "ACTIVE", Some("7001")), merchant("m-applies", "DRAFT", None)],
        "users": [user("u-canary", &people.admin, "m-canary"), user("u-applies", &people.applicant, "m-applies")],
        "orders": [{"id": "o-canary", "merchantId": "m-canary", "createdAt": "now-2h", "status": "COMPLETED",
            "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "currency": "SEK", "totalAmountMinor": 50000,
            "buyerEmail": people.buyer, "buyerName": "B", "recipientEmail": people.buyer, "deliveryType": "EMAIL",
            "giftCards": [{"id": "g-canary", "qrCode": "QR-CANARY-STORED", "status": "ISSUED", "valueMinor": 50000, "currency": "SEK"}]}],
        "cardNetwork": {
            "merchants": [{"merchantId": "7001", "name": "Canary"}],
            "offers": [{"merchantId": "7001", "giftCardOfferId": 7501, "name": "Card", "giftCardOfferType": "GIFTCARD_DIGITAL",
                "giftCardOfferStatus": "AVAILABLE", "currency": "SEK", "minPrice": 1, "maxPrice": 5000}],
            "cards": [{"merchantId": "7001", "qrCode": "QR-CANARY-STORED", "status": "ACTIVE", "value": 500, "valueRemains": 500, "currency": "SEK"}],
        },
    })
}

impl Story {
    fn text(&mut self, prefix: &str) -> String {
        format!("{prefix}{:016x}", self.random.below(i64::MAX))
    }

    fn request(&self, method: &str, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.system.local.listening.api);
        self.client.request(Method::from_bytes(method.as_bytes()).unwrap(), url)
    }

    /// Sends a request, and keeps what was answered.
    async fn send(&mut self, method: &str, path: &str, request: RequestBuilder) -> Answer {
        let answer = self.system.send(request).await.unwrap();
        if let Some(template) = contract::template(method, path) {
            self.called.insert((method.to_owned(), template.to_owned()));
            let headers: Vec<String> =
                answer.headers.iter().map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value))).collect();
            let text = format!("{}\n\n{}", headers.join("\n"), String::from_utf8_lossy(&answer.body));
            self.places.push(Place::new(format!("answer {method} {template}"), text));
        }
        answer
    }

    async fn call(&mut self, token: &str, method: &str, path: &str, body: Value) -> Value {
        let mut request = self.request(method, path).bearer_auth(token);
        if !body.is_null() {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        self.send(method, path, request).await.json()
    }

    /// As [`Self::call`], without a session.
    async fn anonymous(&mut self, method: &str, path: &str, body: Value) -> Value {
        let request = self.request(method, path).header("content-type", "application/json").body(body.to_string());
        self.send(method, path, request).await.json()
    }

    /// A request that moves money, with a key.
    async fn money(&mut self, token: &str, path: &str, body: Value) -> Value {
        let key = self.text("idempotency-");
        self.canaries.note("idempotency key", &key);
        let request = self.request("POST", path).bearer_auth(token).header("idempotency-key", &key);
        let request = request.header("content-type", "application/json").body(body.to_string());
        self.send("POST", path, request).await.json()
    }

    fn note(&mut self, kind: &'static str, text: &Value) {
        match text.as_str() {
            Some(text) if text.len() >= 8 => self.canaries.note(kind, text),
            _ => self.failures.push(format!("the story got no {kind}: {text}")),
        }
    }

    async fn faults(&mut self, faults: Value) {
        let request = self.request("POST", "/__local/faults").body(faults.to_string());
        let answer = self.system.send(request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    }

    async fn drain(&mut self) {
        let request = self.request("POST", "/__local/drain");
        self.system.send(request).await.unwrap();
    }

    async fn mails(&mut self) -> Vec<Value> {
        let request = self.request("GET", "/__local/mail");
        self.system.send(request).await.unwrap().json().as_array().cloned().unwrap_or_default()
    }

    /// The code of the latest mail to an address.
    async fn mailed_code(&mut self, to: &str) -> String {
        self.drain().await;
        let mails = self.mails().await;
        let mail = mails.iter().rev().find(|mail| mail["to"][0].as_str() == Some(to)).cloned().unwrap_or_default();
        let text = mail["text"].as_str().unwrap_or_default();
        let is_code = |line: &&str| line.len() == 9 && line.as_bytes()[4] == b'-';
        let code = text.lines().map(str::trim).find(is_code).unwrap_or_default().to_owned();
        self.note("mailed code", &json!(code));
        code
    }

    async fn sign_in(&mut self, email: &str, transport: &str) -> String {
        let challenge = self.anonymous("POST", "/api/auth/code", json!({"email": email})).await;
        let code = self.mailed_code(email).await;
        let body = json!({"challengeId": challenge["data"]["challengeId"], "code": code, "transport": transport});
        let request = self.request("POST", "/api/auth/session").header("content-type", "application/json").body(body.to_string());
        let answer = self.send("POST", "/api/auth/session", request).await;
        let cookie =
            answer.headers.get("set-cookie").map(|cookie| String::from_utf8_lossy(cookie).into_owned()).unwrap_or_default();
        let of_cookie = cookie.split(['=', ';']).nth(1).unwrap_or_default().to_owned();
        let token = answer.json()["data"]["token"].as_str().map_or(of_cookie, str::to_owned);
        self.note("session token", &json!(token));
        token
    }
}

pub(super) async fn play(effort: Effort) -> Evidence {
    let local = Local::start(Options::default()).await.unwrap();
    local.sign_in_to_demo().await.unwrap();
    let environment = local.environment.clone();
    let mut story = Story {
        system: System::of(local),
        client: client_at(CLIENT),
        random: effort.random(),
        canaries: Canaries::default(),
        places: Vec::new(),
        called: BTreeSet::new(),
        failures: Vec::new(),
    };
    for (kind, value) in [
        ("key of the card network", NETWORK_KEY),
        ("key of the verifier", VERIFIER_KEY),
        ("signing key of the verifier", "local-verifier-signing-key"),
        ("key of codes", "local-key-that-one-time-codes-follow-from"),
        ("credential of AWS", environment["AWS_SECRET_ACCESS_KEY"].as_str()),
    ] {
        story.canaries.note(kind, value);
    }
    story.canaries.note("address of a client", &CLIENT.to_string());

    let people = People {
        admin: story.text("admin-") + "@canary.example",
        applicant: story.text("applicant-") + "@canary.example",
        invited: story.text("invited-") + "@canary.example",
        buyer: story.text("buyer-") + "@canary.example",
        phone: "70".to_owned() + &story.random.below(9_999_999_999).to_string(),
        director: story.text("Director "),
    };
    for address in [&people.admin, &people.applicant, &people.invited] {
        story.canaries.note("address of a user", address);
    }
    story.canaries.note("address of a buyer", &people.buyer);
    story.canaries.note("phone of a user", &people.phone);
    story.canaries.note("name of a director", &people.director);
    story.canaries.note("code of a card", "QR-CANARY-STORED");
    let request = story.request("POST", "/__local/fixtures").body(fixtures(&people).to_string());
    assert_eq!(story.system.send(request).await.unwrap().status, 200);

    story.replay_events().await;
    let token = story.team(&people).await;
    let till = story.tills(&token).await;
    story.sales(&till, &people).await;
    story.reads(&token).await;
    story.webhooks(&token).await;
    story.files(&token, &people).await;
    story.application(&people).await;
    story.strangers().await;
    story.failures_of_upstreams(&token, &till).await;
    story.drain().await;
    story.collect().await;
    let Story { canaries, places, called, failures, .. } = story;
    Evidence { canaries, places, called, failures }
}

impl Story {
    /// One request to every route, as the administrators of the demo and of the platform send it.
    async fn replay_events(&mut self) {
        let root = self.system.sign_in(local::demo::PLATFORM_ADMIN).await;
        self.canaries.note("session token", &root);
        // Signing out comes last.
        let (last, first): (Vec<_>, Vec<_>) = events().into_iter().partition(|(name, _)| name.contains("sign-out"));
        for (_, event) in first.into_iter().chain(last) {
            let http = &event["requestContext"]["http"];
            let method = http["method"].as_str().or(event["httpMethod"].as_str()).unwrap();
            let path = event["rawPath"].as_str().or(event["path"].as_str()).unwrap();
            let query = event["rawQueryString"].as_str().filter(|query| !query.is_empty());
            let url = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
            let mut request = self.request(method, &url);
            for name in ["authorization", "content-type", "cookie", "x-hmac-signature"] {
                let values = event["headers"].as_object().into_iter().flatten();
                let value = values.filter(|(found, _)| found.eq_ignore_ascii_case(name)).find_map(|(_, value)| value.as_str());
                if let Some(value) = value.filter(|_| !(name == "authorization" && path.starts_with("/api/admin"))) {
                    request = request.header(name, value);
                }
            }
            if path.starts_with("/api/admin") {
                request = request.bearer_auth(&root);
            }
            if let Some(body) = event["body"].as_str() {
                let bytes = if event["isBase64Encoded"] == true { decode(body) } else { body.as_bytes().to_vec() };
                request = request.body(bytes);
            }
            self.send(method, path, request).await;
        }
    }

    /// Signs in, invites, and lets the invited join.
    async fn team(&mut self, people: &People) -> String {
        let token = self.sign_in(&people.admin, "bearer").await;
        let invite = json!({"email": people.invited, "firstName": "Ida", "lastName": "Holm", "phonePrefix": "+46", "phone": people.phone, "merchantTeamRole": "VIEWER"});
        let invited = self.call(&token, "POST", "/api/auth/invites", invite).await;
        let id = invited["data"]["challengeId"].as_str().unwrap_or_default().to_owned();
        let code = self.mailed_code(&people.admin).await;
        self.call(&token, "POST", &format!("/api/auth/invites/{id}/verification"), json!({"code": code})).await;
        let member = self.sign_in(&people.invited, "cookie").await;
        self.call(&member, "POST", &format!("/api/auth/invites/{id}/acceptance"), Value::Null).await;
        for path in ["/api/auth/session", "/api/auth/sessions", "/api/bff/merchant/users", "/api/bff/merchant/activity"] {
            self.call(&token, "GET", path, Value::Null).await;
        }
        self.call(&token, "PATCH", "/api/auth/session/user", json!({"phonePrefix": "+46", "phone": people.phone})).await;
        self.call(&member, "DELETE", "/api/auth/session", Value::Null).await;
        token
    }

    async fn tills(&mut self, token: &str) -> String {
        let created = self
            .call(token, "POST", "/api/auth/tills", json!({"name": "Counter", "retailStoreId": "1", "retailStoreName": "Main"}))
            .await;
        let code = created["data"]["pairingCode"].as_str().unwrap_or_default().to_owned();
        self.note("pairing code", &json!(code));
        let paired = self.anonymous("POST", "/api/auth/tills/pairing", json!({"code": code})).await;
        self.note("token of a till", &paired["data"]["token"]);
        let till = paired["data"]["token"].as_str().unwrap_or_default().to_owned();
        self.call(token, "GET", "/api/auth/tills", Value::Null).await;
        till
    }

    async fn sales(&mut self, till: &str, people: &People) {
        let phone = "+4670".to_owned() + &self.random.below(99_999_999).to_string();
        self.canaries.note("phone of a recipient", &phone);
        for delivery in [
            json!({"deliveryType": "QR"}),
            json!({"deliveryType": "EMAIL", "email": people.buyer}),
            json!({"deliveryType": "SMS", "phoneNumber": phone}),
        ] {
            let sold = self.money(till, "/api/bff/pos/issue", json!({"value": 100, "deliveryDetails": delivery})).await;
            for field in ["cardNo", "reservationCode", "orderHash"] {
                self.note("code of a card", &sold["data"][field]);
            }
            let code = sold["data"]["qrCode"].as_str().unwrap_or_default().to_owned();
            self.note("code of a card", &json!(code));
            self.call(till, "GET", &format!("/api/bff/pos/card/{code}"), Value::Null).await;
            let redemption = json!({"qrCode": code, "redeemAmount": 10, "purchaseAmount": 10});
            self.money(till, "/api/bff/pos/redeem", redemption).await;
            // More than there is.
            let redemption = json!({"qrCode": code, "redeemAmount": 4000, "purchaseAmount": 4000});
            self.money(till, "/api/bff/pos/redeem", redemption).await;
        }
        let key = self.text("idempotency-");
        self.canaries.note("idempotency key", &key);
        self.call(till, "POST", "/api/bff/pos/operations/cancellation", json!({"kind": "ISSUE", "idempotencyKey": key})).await;
    }

    async fn reads(&mut self, token: &str) {
        let orders = self.call(token, "GET", "/api/bff/merchant-orders?pageSize=50&q=canary", Value::Null).await;
        for order in orders["data"]["orders"].as_array().cloned().unwrap_or_default() {
            let id = order["id"].as_str().or(order["orderId"].as_str()).unwrap_or_default().to_owned();
            self.call(token, "GET", &format!("/api/bff/merchant-orders/{id}"), Value::Null).await;
        }
        for path in [
            "/api/bff/merchant-orders",
            "/api/bff/merchant",
            "/api/bff/settlements",
            "/api/bff/settlements/summary",
            "/api/bff/analytics/overview",
            "/api/bff/analytics/redemptions",
            "/api/bff/merchant-orders/o-canary",
            "/api/bff/merchant-orders/o-canary/gift-cards/g-canary/balance",
            "/api/bff/cards/QR-CANARY-STORED",
            "/api/bff/cards/QR-CANARY-STORED/history",
            "/api/bff/pos/card/QR-CANARY-STORED",
            "/api/merchants/m-canary",
            "/api/merchants/m-canary/catalog",
            "/shop/m-canary",
        ] {
            self.call(token, "GET", path, Value::Null).await;
        }
        let root = self.system.sign_in(local::demo::PLATFORM_ADMIN).await;
        for path in [
            "/api/admin/merchants/m-canary",
            "/api/admin/merchants/m-canary/audit",
            "/api/admin/settlements",
            "/api/admin/merchants",
        ] {
            self.call(&root, "GET", path, Value::Null).await;
        }
        // Other merchants see none of it.
        let stranger = self.system.sign_in("u-haru").await;
        for path in ["/api/bff/merchant-orders/o-canary", "/api/bff/pos/card/QR-CANARY-STORED", "/api/bff/merchant-orders"] {
            let request = self.request("GET", path).bearer_auth(&stranger);
            let answer = self.system.send(request).await.unwrap();
            self.places.push(Place::new(format!("answer to another merchant, {path}"), String::from_utf8_lossy(&answer.body)));
        }
    }

    async fn webhooks(&mut self, token: &str) {
        let url = format!("{}/__local/webhooks/receiver/canary", self.system.local.listening.api);
        let body = json!({"url": url, "events": ["gift_card.issued", "gift_card.redeemed", "settlement.created"]});
        let created = self.call(token, "POST", "/api/bff/webhooks", body).await;
        self.note("secret of a webhook", &created["data"]["secret"]);
        let id = created["data"]["id"].as_str().unwrap_or_default().to_owned();
        self.call(token, "POST", &format!("/api/bff/webhooks/{id}/test"), json!({"event": "gift_card.issued"})).await;
        let rotated = self.call(token, "POST", &format!("/api/bff/webhooks/{id}/rotation"), json!({})).await;
        self.note("secret of a webhook", &rotated["data"]["secret"]);
        let sold = self.money(token, "/api/bff/pos/issue", json!({"value": 50, "deliveryDetails": {"deliveryType": "QR"}})).await;
        self.note("code of a card", &sold["data"]["qrCode"]);
        let redemption = json!({"qrCode": sold["data"]["qrCode"], "redeemAmount": 10, "purchaseAmount": 10});
        self.money(token, "/api/bff/pos/redeem", redemption).await;
        self.drain().await;
        self.call(token, "GET", "/api/bff/webhooks", Value::Null).await;
        self.call(token, "GET", &format!("/api/bff/webhooks/{id}/deliveries"), Value::Null).await;
        let request = self.request("GET", "/__local/webhooks/receiver/canary");
        let received = self.system.send(request).await.unwrap().json();
        let messages = received["messages"].as_array().cloned().unwrap_or_default();
        if messages.len() < 3 {
            self.failures.push(format!("only {} webhooks arrived", messages.len()));
        }
        self.places.extend(messages.iter().map(|message| Place::new("webhook", message.to_string())));
    }

    /// Documents, exports, and their links.
    async fn files(&mut self, token: &str, people: &People) {
        let name = self.text("document");
        self.canaries.note("name of a file", &name);
        let uploaded = self.upload(token, &name).await;
        let url = uploaded["url"].as_str().unwrap_or_default().to_owned();
        let path = format!(
            "/api/onboarding/document?url={}",
            percent_encoding::utf8_percent_encode(&url, percent_encoding::NON_ALPHANUMERIC)
        );
        let document = self.call(token, "GET", &path, Value::Null).await;
        for link in [&uploaded["previewUrl"], &document["url"]] {
            self.note("signature of a link", &json!(signature(link)));
        }
        let created = self
            .call(token, "POST", "/api/bff/exports", json!({"kind": "orders", "from": "2026-01-01", "to": "2027-01-01"}))
            .await;
        let id = created["data"]["id"].as_str().unwrap_or_default().to_owned();
        self.drain().await;
        let export = self.call(token, "GET", &format!("/api/bff/exports/{id}"), Value::Null).await;
        self.note("signature of a link", &json!(signature(&export["data"]["url"])));
        if export["data"]["url"].as_str().is_none() {
            self.failures.push(format!("no export for {}: {created} {export}", people.admin));
        }
    }

    async fn upload(&mut self, token: &str, name: &str) -> Value {
        let head = format!("--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}.pdf\"\r\n\r\n");
        let body = [head.as_bytes(), PDF, b"\r\n--x--\r\n"].concat();
        let request = self.request("POST", "/api/onboarding/upload").bearer_auth(token);
        let request = request.header("content-type", "multipart/form-data; boundary=x").body(body);
        self.send("POST", "/api/onboarding/upload", request).await.json()
    }

    async fn application(&mut self, people: &People) {
        let token = self.sign_in(&people.applicant, "bearer").await;
        let submission = json!({
            "registrationNumber": "556677-8899", "vatNumber": "SE556677889901",
            "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
            "directors": [{"name": people.director, "role": "CEO"}], "termsAccepted": true, "privacyAccepted": true,
        });
        self.call(&token, "POST", "/api/onboarding/submit", submission).await;
        self.drain().await;
        self.call(&token, "GET", "/api/bff/merchant", Value::Null).await;
        self.anonymous("POST", "/api/public/merchant/onboarding-check", json!({"email": people.applicant})).await;
    }

    /// Credentials that are wrong, in every place where a request has one.
    async fn strangers(&mut self) {
        let wrong = self.text("wrong-");
        self.canaries.note("rejected credential", &wrong);
        self.call(&wrong, "GET", "/api/bff/merchant", Value::Null).await;
        self.call(&wrong, "POST", "/api/bff/pos/issue", json!({"value": 1})).await;
        self.anonymous("POST", "/api/auth/session", json!({"challengeId": wrong, "code": wrong})).await;
        self.anonymous("POST", "/api/auth/tills/pairing", json!({"code": wrong})).await;
        let request =
            self.request("GET", "/api/bff/merchant").header("cookie", format!("__Host-portal_session={wrong}; a={wrong}"));
        self.send("GET", "/api/bff/merchant", request).await;
        let body = json!({"verification": {"id": wrong, "vendorData": wrong}}).to_string();
        let request = self.request("POST", "/api/public/merchant/kyb-decision").header("x-hmac-signature", &wrong).body(body);
        self.send("POST", "/api/public/merchant/kyb-decision", request).await;
        let request = self
            .request("POST", "/api/auth/code")
            .header("content-type", "application/json")
            .body(format!("{{\"email\": {wrong}"));
        self.send("POST", "/api/auth/code", request).await;
        let request = self.request("GET", "/api/bff/widget/giftcards?merchantId=m-canary");
        let answer = self.send("GET", "/api/bff/widget/giftcards", request).await;
        let cookie =
            answer.headers.get("set-cookie").map(|cookie| String::from_utf8_lossy(cookie).into_owned()).unwrap_or_default();
        self.note("cookie of a visit", &json!(cookie.split(['=', ';']).nth(1).unwrap_or_default()));
    }

    /// The same requests while each upstream fails in each way.
    async fn failures_of_upstreams(&mut self, token: &str, till: &str) {
        let body = self.text("aws-answer-");
        self.canaries.note("answer of AWS", &body);
        let aws = json!({"__type": "com.amazonaws#ValidationException", "Item": {"pk": {"S": body}}, "x": body}).to_string();
        let document = format!("<Error><Code>{body}</Code><Key>{body}</Key></Error>");
        let mut kinds = Vec::new();
        for target in ["dynamodb", "s3", "ses", "secretsmanager"] {
            for answer in [&aws, &document] {
                kinds.push(json!({"target": target, "match": "*", "kind": "body", "value": answer, "times": "always"}));
            }
            kinds.push(json!({"target": target, "match": "*", "kind": "status", "value": 400, "times": "always"}));
            kinds.push(json!({"target": target, "match": "*", "kind": "drop", "times": "always"}));
        }
        for (target, key) in [("card-network", NETWORK_KEY), ("verifier", VERIFIER_KEY)] {
            for status in [401, 422, 500] {
                kinds.push(json!({"target": target, "match": "*", "kind": "status", "value": status, "times": "always"}));
            }
            kinds.push(json!({"target": target, "match": "*", "kind": "drop", "times": "always"}));
            kinds.push(json!({"target": target, "match": "*", "kind": "after", "times": "always"}));
            kinds.push(json!({"target": target, "match": "*", "kind": "body", "value": "{\"qrCode\": [", "times": "always"}));
            // Some servers repeat the key with which they were called.
            let repeated = json!({"qrCode": "QR-CANARY-STORED", "id": "repeated", "debug": key}).to_string();
            kinds.push(json!({"target": target, "match": "*", "kind": "body", "value": repeated, "times": "always"}));
        }
        for fault in kinds {
            self.faults(json!([fault])).await;
            self.money(till, "/api/bff/pos/issue", json!({"value": 100, "deliveryDetails": {"deliveryType": "QR"}})).await;
            let redemption = json!({"qrCode": "QR-CANARY-STORED", "redeemAmount": 1, "purchaseAmount": 1});
            self.money(till, "/api/bff/pos/redeem", redemption).await;
            for path in ["/api/bff/pos/card/QR-CANARY-STORED", "/api/bff/merchant-orders?q=canary", "/api/bff/merchant"] {
                self.call(token, "GET", path, Value::Null).await;
            }
            let name = self.text("document");
            self.canaries.note("name of a file", &name);
            self.upload(token, &name).await;
            // Jobs fail as well.
            self.anonymous("POST", "/api/auth/code", json!({"email": "somebody@canary.example"})).await;
            self.faults(json!([])).await;
        }
    }

    /// Everything that is stored or was mailed.
    async fn collect(&mut self) {
        let mails = self.mails().await;
        self.places.extend(mails.iter().map(|mail| Place::new("mail", mail.to_string())));
        let app = self.system.local.app();
        let aws = shared::aws::Aws::new(app.settings.aws.clone());
        let mut pages = aws.dynamodb().scan().table_name(&app.settings.table).into_paginator().send();
        while let Some(page) = pages.next().await {
            for item in page.unwrap().items.unwrap_or_default() {
                let key = |name: &str| item[name].as_s().map(String::as_str).unwrap_or_default().to_owned();
                let kind = |key: &str| key.split_once('#').map_or(key.to_owned(), |(kind, _)| format!("{kind}#"));
                let (pk, sk) = (kind(&key("pk")), kind(&key("sk")));
                let name = if pk == "MERCHANT#" { format!("row {pk}/{sk}") } else { format!("row {pk}") };
                self.places.push(Place::new(name, format!("{item:?}")));
            }
        }
        for bucket in BUCKETS {
            let listed = aws.s3().list_objects_v2().bucket(bucket).send().await.unwrap();
            for object in listed.contents() {
                let key = object.key().unwrap_or_default();
                let read = aws.s3().get_object().bucket(bucket).key(key).send().await.unwrap();
                let headers = format!("{key}\n{:?}", read.metadata());
                let bytes = read.body.collect().await.unwrap().into_bytes();
                let text = format!("{headers}\n{}", String::from_utf8_lossy(&bytes));
                self.places.push(Place::new(format!("object {bucket}/"), text));
            }
        }
        if self.places.len() < 500 {
            self.failures.push(format!("only {} places were found", self.places.len()));
        }
    }
}

fn decode(text: &str) -> Vec<u8> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

/// Of a signed link.
fn signature(link: &Value) -> String {
    let link = link.as_str().unwrap_or_default();
    link.split(['?', '&']).find_map(|part| part.strip_prefix("X-Amz-Signature=")).unwrap_or_default().to_owned()
}
