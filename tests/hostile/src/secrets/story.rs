//! A day of a merchant: every route, failures of every upstream, jobs, webhooks and exports.

use std::net::{IpAddr, Ipv4Addr};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::http::SESSION_COOKIE;
use world::shop::{card, member, merchant, offer, order, payment, with};
use world::{ApiResponse, Caller, System, client_at, contract, events};

use super::Evidence;
use crate::request::form;

/// From where all requests come. No text has it but an address.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 113, 97, 211));
const PDF: &[u8] = b"%PDF-1.4\n1 0 obj <<>> endobj\n%%EOF";
const BUCKETS: [&str; 3] = ["portal-images", "portal-files", "portal-search"];
/// The keys of the local system with which the portal calls its upstreams.
const NETWORK_KEY: &str = "local-card-network-key";
const VERIFIER_KEY: &str = "local-verifier-key";

const ADMIN: &str = "admin-61f0c2d98ba7e354@canary.example";
const APPLICANT: &str = "applicant-0d83b1f6a925c74e@canary.example";
const INVITED: &str = "invited-9e4a70c3d81b265f@canary.example";
const BUYER: &str = "buyer-3c96e0a7f24d815b@canary.example";
const PHONE: &str = "7058319462";
const RECIPIENT: &str = "+467094718253";
const DIRECTOR: &str = "Director a85d2f07c13e694b";
const CARD: &str = "QR-CANARY-STORED";
const WRONG: &str = "wrong-2b7e91d4f60ca385";

/// Which answers have something secret, and where. Of links, it is the signature.
const SECRETS: [(&str, &str, &str); 14] = [
    ("session token", "POST /api/auth/session", "/data/token"),
    ("pairing code", "POST /api/auth/tills", "/data/pairingCode"),
    ("pairing code", "POST /api/auth/tills/{id}/pairing", "/data/pairingCode"),
    ("token of a till", "POST /api/auth/tills/pairing", "/data/token"),
    ("key of a program", "POST /api/auth/keys", "/data/key"),
    ("key of a program", "POST /api/auth/keys/{id}/rotation", "/data/key"),
    ("secret of a webhook", "POST /api/bff/webhooks", "/data/secret"),
    ("secret of a webhook", "POST /api/bff/webhooks/{id}/rotation", "/data/secret"),
    ("code of a card", "POST /api/bff/pos/issue", "/data/qrCode"),
    ("code of a card", "POST /api/bff/pos/issue", "/data/cardNo"),
    ("code of a card", "POST /api/bff/pos/issue", "/data/reservationCode"),
    ("code of a card", "POST /api/bff/pos/issue", "/data/orderHash"),
    ("signature of a link", "POST /api/onboarding/upload", "/previewUrl"),
    ("signature of a link", "GET /api/onboarding/document", "/url"),
];

struct Story {
    system: System,
    anonymous: Caller,
    evidence: Evidence,
    /// Counts idempotency keys and names of files.
    sent: usize,
}

pub(super) async fn play() -> Evidence {
    let system = System::demo().await;
    system.local.sign_in_to_demo().await.unwrap();
    let anonymous = Caller::anonymous(client_at(CLIENT), &system.local.listening.api);
    let mut story = Story { system, anonymous, evidence: Evidence::default(), sent: 0 };
    for (kind, text) in [
        ("key of the card network", NETWORK_KEY),
        ("key of the verifier", VERIFIER_KEY),
        ("signing key of the verifier", "local-verifier-signing-key"),
        ("key of codes", "local-key-that-one-time-codes-follow-from"),
        ("credential of AWS", &*story.system.local.environment["AWS_SECRET_ACCESS_KEY"]),
        ("address of a client", &*CLIENT.to_string()),
        ("address of a user", ADMIN),
        ("address of a user", APPLICANT),
        ("address of a user", INVITED),
        ("address of a buyer", BUYER),
        ("phone of a user", PHONE),
        ("phone of a recipient", RECIPIENT),
        ("name of a director", DIRECTOR),
        ("code of a card", CARD),
        ("rejected credential", WRONG),
    ] {
        story.evidence.note(kind, text);
    }
    story.system.load_fixtures(&fixtures()).await;
    story.replay_events().await;
    let admin = story.team().await;
    let till = story.till(&admin).await;
    story.keys(&admin).await;
    story.sales(&till).await;
    story.reads(&admin).await;
    story.webhooks(&admin).await;
    story.files(&admin).await;
    story.application().await;
    story.strangers().await;
    story.failures_of_upstreams(&admin, &till).await;
    story.system.drain().await;
    story.collect().await;
    story.evidence
}

fn fixtures() -> Value {
    let details = json!({
        "legalName": "Canary AB", "brand": {"logoUrl": "https://c.example/l.png"}, "directors": [{"name": DIRECTOR, "role": "CEO"}],
    });
    let user = |email: &str| json!({"email": email, "emailVerified": true, "phonePrefix": "+46", "phone": PHONE});
    let sold = json!({
        "merchantId": "m-canary", "status": "COMPLETED", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "currency": "SEK",
        "totalAmountMinor": 50_000, "buyerEmail": BUYER, "buyerName": "B", "recipientEmail": BUYER, "deliveryType": "EMAIL",
        "giftCards": [{"id": "g-canary", "qrCode": CARD, "status": "ISSUED", "valueMinor": 50_000, "currency": "SEK"}],
    });
    let draft = with(details.clone(), &json!({"status": "DRAFT", "networkMerchantId": null}));
    json!({
        "merchants": [merchant("m-canary", "7001", "SEK", &details), merchant("m-applies", "", "SEK", &draft)],
        "users": [member("u-canary", "m-canary", &user(ADMIN)), member("u-applies", "m-applies", &user(APPLICANT))],
        "orders": [order("o-canary", "now-2h", &sold)],
        "cardNetwork": {
            "merchants": [{"merchantId": "7001", "name": "Canary"}],
            "offers": [offer("7001", 7501, &json!({"currency": "SEK", "minPrice": 1, "maxPrice": 5000}))],
            "cards": [card("7001", CARD, 500, "SEK")],
        },
    })
}

fn json_request(caller: &Caller, method: &Method, path: &str, body: &Value) -> RequestBuilder {
    let request = caller.request(method.clone(), path);
    if body.is_null() { request } else { request.header("content-type", "application/json").body(body.to_string()) }
}

impl Story {
    /// Sends a request, and keeps what was answered.
    async fn send(&mut self, method: &Method, path: &str, request: RequestBuilder) -> ApiResponse {
        let response = world::send(request).await.unwrap();
        let Some(template) = contract::template(method.as_str(), path) else { return response };
        let route = format!("{method} {template}");
        let headers =
            response.headers.iter().map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes())));
        let text = headers.collect::<String>() + &String::from_utf8_lossy(&response.bytes);
        self.evidence.places.push((format!("answer {route}"), text));
        self.evidence.called.insert((method.to_string(), template.to_owned()));
        for (kind, _, pointer) in SECRETS.into_iter().filter(|(_, of, _)| *of == route) {
            if let Some(text) = response.at(pointer).as_str() {
                self.evidence.note(kind, text.split_once("X-Amz-Signature=").map_or(text, |(_, signature)| signature));
            }
        }
        response
    }

    async fn call(&mut self, caller: &Caller, method: Method, path: &str, body: Value) -> ApiResponse {
        self.send(&method, path, json_request(caller, &method, path, &body)).await
    }

    async fn post(&mut self, caller: &Caller, path: &str, body: Value) -> ApiResponse {
        self.call(caller, Method::POST, path, body).await
    }

    /// As somebody without a session.
    async fn ask(&mut self, path: &str, body: Value) -> ApiResponse {
        self.post(&self.anonymous.clone(), path, body).await
    }

    async fn read(&mut self, caller: &Caller, paths: &[&str]) {
        for path in paths {
            self.call(caller, Method::GET, path, Value::Null).await;
        }
    }

    /// A text that nothing else has.
    fn unique(&mut self, kind: &'static str, start: &str) -> String {
        self.sent += 1;
        let text = format!("{start}-c41d7f90-{:04}", self.sent);
        self.evidence.note(kind, &text);
        text
    }

    /// A request that moves money, with a key.
    async fn money(&mut self, caller: &Caller, path: &str, body: Value) -> ApiResponse {
        let key = self.unique("idempotency key", "idempotency");
        let request = json_request(caller, &Method::POST, path, &body).header("idempotency-key", key);
        self.send(&Method::POST, path, request).await
    }

    async fn sell(&mut self, caller: &Caller, value: u32, delivery: Value) -> ApiResponse {
        self.money(caller, "/api/bff/pos/issue", json!({"value": value, "deliveryDetails": delivery})).await
    }

    async fn redeem(&mut self, caller: &Caller, code: &str, amount: u32) {
        self.money(caller, "/api/bff/pos/redeem", payment(code, amount)).await;
    }

    async fn mailed_code(&mut self, address: &str) -> String {
        let code = self.system.code_mailed_to(address).await;
        self.evidence.note("mailed code", &code);
        code
    }

    async fn sign_in(&mut self, address: &str, transport: &str) -> Caller {
        let challenge = self.ask("/api/auth/code", json!({"email": address})).await.text("/data/challengeId");
        let code = self.mailed_code(address).await;
        let signed_in = json!({"challengeId": challenge, "code": code, "transport": transport});
        let signed_in = self.ask("/api/auth/session", signed_in).await;
        let token = signed_in.at("/data/token").as_str().map_or_else(|| cookie(&signed_in, SESSION_COOKIE), str::to_owned);
        self.evidence.note("session token", &token);
        self.anonymous.clone().with_token(token)
    }

    /// One request to every route, as the administrators of the demo and of the platform send it.
    async fn replay_events(&mut self) {
        let root = self.system.sign_in(local::demo::PLATFORM_ADMIN).await;
        self.evidence.note("session token", root.token());
        // Signing out comes last.
        let (last, first): (Vec<_>, Vec<_>) = events().into_iter().partition(|(name, _)| name.contains("sign-out"));
        for (_, event) in first.into_iter().chain(last) {
            let text = |one: &str, other: &str| event.pointer(one).or(event.pointer(other)).and_then(Value::as_str);
            let method: Method = text("/requestContext/http/method", "/httpMethod").unwrap().parse().unwrap();
            let path = text("/rawPath", "/path").unwrap();
            let query = text("/rawQueryString", "/").filter(|query| !query.is_empty());
            let target = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
            let is_of_platform = path.starts_with("/api/admin");
            let caller = if is_of_platform { self.anonymous.clone().with_token(root.token()) } else { self.anonymous.clone() };
            let mut request = caller.request(method.clone(), &target);
            for (name, value) in event["headers"].as_object().into_iter().flatten() {
                let is_sent = match name.to_ascii_lowercase().as_str() {
                    "authorization" => !is_of_platform,
                    "content-type" | "cookie" | "x-hmac-signature" => true,
                    _ => false,
                };
                if is_sent {
                    request = request.header(name, value.as_str().unwrap());
                }
            }
            if let Some(body) = event["body"].as_str() {
                let is_encoded = event["isBase64Encoded"] == true;
                request = request.body(if is_encoded { BASE64_STANDARD.decode(body).unwrap() } else { body.into() });
            }
            self.send(&method, path, request).await;
        }
    }

    /// Signs in, invites, and lets the invited join.
    async fn team(&mut self) -> Caller {
        let admin = self.sign_in(ADMIN, "bearer").await;
        let phone = json!({"phonePrefix": "+46", "phone": PHONE});
        let invite = json!({"email": INVITED, "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "VIEWER"});
        let invited = self.post(&admin, "/api/auth/invites", with(invite, &phone)).await.text("/data/challengeId");
        let code = self.mailed_code(ADMIN).await;
        self.post(&admin, &format!("/api/auth/invites/{invited}/verification"), json!({"code": code})).await;
        let member = self.sign_in(INVITED, "cookie").await;
        self.post(&member, &format!("/api/auth/invites/{invited}/acceptance"), Value::Null).await;
        let team = ["/api/auth/session", "/api/auth/sessions", "/api/bff/merchant/users", "/api/bff/merchant/activity"];
        self.read(&admin, &team).await;
        self.call(&admin, Method::PATCH, "/api/auth/session/user", phone).await;
        self.call(&member, Method::DELETE, "/api/auth/session", Value::Null).await;
        admin
    }

    async fn till(&mut self, admin: &Caller) -> Caller {
        let till = json!({"name": "Counter", "retailStoreId": "1", "retailStoreName": "Main"});
        let code = self.post(admin, "/api/auth/tills", till).await.text("/data/pairingCode");
        let paired = self.ask("/api/auth/tills/pairing", json!({"code": code})).await;
        self.read(admin, &["/api/auth/tills"]).await;
        self.anonymous.clone().with_token(paired.text("/data/token"))
    }

    /// A key is made, used, rotated, used where it may not be, and revoked. A part of its text is no secret: its ids.
    async fn keys(&mut self, admin: &Caller) {
        let key = json!({"name": "Program", "permissions": ["portal.orders", "portal.pos"], "readOnly": false});
        let made = self.post(admin, "/api/auth/keys", key).await;
        let path = format!("/api/auth/keys/{}", made.text("/data/id"));
        let rotated = self.post(admin, &format!("{path}/rotation"), json!({})).await;
        for text in [made.text("/data/key"), rotated.text("/data/key")] {
            self.evidence.note("key of a program", text.split('_').nth(1).unwrap());
            let program = self.anonymous.clone().with_token(&text);
            self.read(&program, &["/api/auth/session", "/api/bff/merchant-orders", "/api/bff/settlements", "/api/auth/keys"])
                .await;
            self.sell(&program, 100, json!({"deliveryType": "QR"})).await;
            let mistyped = self.anonymous.clone().with_token(format!("{text}x"));
            self.read(&mistyped, &["/api/auth/session"]).await;
        }
        self.read(admin, &["/api/auth/keys"]).await;
        self.call(admin, Method::DELETE, &path, Value::Null).await;
    }

    async fn sales(&mut self, till: &Caller) {
        for delivery in [
            json!({"deliveryType": "QR"}),
            json!({"deliveryType": "EMAIL", "email": BUYER}),
            json!({"deliveryType": "SMS", "phoneNumber": RECIPIENT}),
        ] {
            let code = self.sell(till, 100, delivery).await.text("/data/qrCode");
            self.read(till, &[&format!("/api/bff/pos/card/{code}")]).await;
            self.redeem(till, &code, 10).await;
            // More than there is.
            self.redeem(till, &code, 4_000).await;
        }
        let key = self.unique("idempotency key", "idempotency");
        let cancelled = json!({"kind": "ISSUE", "idempotencyKey": key});
        self.post(till, "/api/bff/pos/operations/cancellation", cancelled).await;
    }

    async fn reads(&mut self, admin: &Caller) {
        let path = "/api/bff/merchant-orders?pageSize=50&q=canary";
        let orders = self.call(admin, Method::GET, path, Value::Null).await;
        for order in orders.list("/data/orders") {
            let id = order["id"].as_str().or(order["orderId"].as_str()).unwrap();
            self.read(admin, &[&format!("/api/bff/merchant-orders/{id}")]).await;
        }
        let of_merchant = "/api/bff/merchant-orders /api/bff/merchant /api/bff/settlements /api/bff/settlements/summary \
                           /api/bff/settlements/outstanding /api/bff/analytics/overview /api/bff/analytics/redemptions \
                           /api/bff/merchant-orders/o-canary /api/bff/merchant-orders/o-canary/gift-cards/g-canary/balance \
                           /api/bff/cards/QR-CANARY-STORED /api/bff/cards/QR-CANARY-STORED/history \
                           /api/bff/pos/card/QR-CANARY-STORED /api/merchants/m-canary /api/merchants/m-canary/catalog \
                           /shop/m-canary";
        self.read(admin, &of_merchant.split(' ').collect::<Vec<_>>()).await;
        let root = self.system.sign_in(local::demo::PLATFORM_ADMIN).await;
        let of_platform = ["merchants/m-canary", "merchants/m-canary/audit", "settlements", "merchants"];
        self.read(&root, &of_platform.map(|path| format!("/api/admin/{path}")).each_ref().map(String::as_str)).await;
        // Other merchants see none of it.
        let stranger = self.system.sign_in("u-haru").await;
        for path in ["/api/bff/merchant-orders/o-canary", "/api/bff/pos/card/QR-CANARY-STORED", "/api/bff/merchant-orders"] {
            let response = stranger.get(path).await;
            let text = String::from_utf8_lossy(&response.bytes).into_owned();
            self.evidence.places.push((format!("answer to another merchant, {path}"), text));
        }
    }

    async fn webhooks(&mut self, admin: &Caller) {
        const ENDPOINTS: &str = "/api/bff/webhooks";
        let receiver = "/__local/webhooks/receiver/canary";
        let url = format!("{}{receiver}", self.system.local.listening.api);
        let endpoint = json!({"url": url, "events": ["gift_card.issued", "gift_card.redeemed", "settlement.created"]});
        let id = self.post(admin, ENDPOINTS, endpoint).await.text("/data/id");
        self.post(admin, &format!("{ENDPOINTS}/{id}/test"), json!({"event": "gift_card.issued"})).await;
        self.post(admin, &format!("{ENDPOINTS}/{id}/rotation"), json!({})).await;
        let code = self.sell(admin, 50, json!({"deliveryType": "QR"})).await.text("/data/qrCode");
        self.redeem(admin, &code, 10).await;
        self.system.drain().await;
        self.read(admin, &[ENDPOINTS, &format!("{ENDPOINTS}/{id}/deliveries")]).await;
        let received = self.anonymous.get(receiver).await;
        let messages = received.list("/messages");
        if messages.len() < 3 {
            self.evidence.failures.push(format!("only {} webhooks arrived", messages.len()));
        }
        self.evidence.places.extend(messages.iter().map(|message| ("webhook".to_owned(), message.to_string())));
    }

    /// Documents, exports, and their links.
    async fn files(&mut self, admin: &Caller) {
        let document = self.upload(admin).await.text("/url");
        let path = format!("/api/onboarding/document?url={}", utf8_percent_encode(&document, NON_ALPHANUMERIC));
        self.read(admin, &[&path]).await;
        let export = json!({"kind": "orders", "from": "2026-01-01", "to": "2027-01-01"});
        let id = self.post(admin, "/api/bff/exports", export).await.text("/data/id");
        self.system.drain().await;
        let export = self.call(admin, Method::GET, &format!("/api/bff/exports/{id}"), Value::Null).await.text("/data/url");
        self.evidence.note("signature of a link", export.split("X-Amz-Signature=").nth(1).unwrap_or_default());
    }

    async fn upload(&mut self, admin: &Caller) -> ApiResponse {
        const PATH: &str = "/api/onboarding/upload";
        let name = self.unique("name of a file", "document");
        let request = admin.request(Method::POST, PATH).header("content-type", "multipart/form-data; boundary=b");
        self.send(&Method::POST, PATH, request.body(form(&format!("{name}.pdf"), PDF))).await
    }

    async fn application(&mut self) {
        let applicant = self.sign_in(APPLICANT, "bearer").await;
        let directors = json!({"directors": [{"name": DIRECTOR, "role": "CEO"}]});
        self.post(&applicant, "/api/onboarding/submit", with(crate::shop::application(), &directors)).await;
        self.system.drain().await;
        self.read(&applicant, &["/api/bff/merchant"]).await;
        self.ask("/api/public/merchant/onboarding-check", json!({"email": APPLICANT})).await;
    }

    /// Credentials that are wrong, in every place where a request has one.
    async fn strangers(&mut self) {
        let (stranger, anonymous) = (self.anonymous.clone().with_token(WRONG), self.anonymous.clone());
        self.read(&stranger, &["/api/bff/merchant"]).await;
        self.post(&stranger, "/api/bff/pos/issue", json!({"value": 1})).await;
        self.ask("/api/auth/session", json!({"challengeId": WRONG, "code": WRONG})).await;
        self.ask("/api/auth/tills/pairing", json!({"code": WRONG})).await;
        let decision = json!({"verification": {"id": WRONG, "vendorData": WRONG}}).to_string();
        for (method, path, header, value, body) in [
            (Method::GET, "/api/bff/merchant", "cookie", format!("{SESSION_COOKIE}={WRONG}; a={WRONG}"), String::new()),
            (Method::POST, "/api/public/merchant/kyb-decision", "x-hmac-signature", WRONG.to_owned(), decision),
            (Method::POST, "/api/auth/code", "content-type", "application/json".to_owned(), format!("{{\"email\": {WRONG}")),
        ] {
            self.send(&method, path, anonymous.request(method.clone(), path).header(header, value).body(body)).await;
        }
        let path = "/api/bff/widget/giftcards?merchantId=m-canary";
        let visit = self.call(&anonymous, Method::GET, path, Value::Null).await;
        self.evidence.note("cookie of a visit", &cookie(&visit, "gc_as"));
    }

    /// The same requests while each upstream fails in each way.
    async fn failures_of_upstreams(&mut self, admin: &Caller, till: &Caller) {
        let text = self.unique("answer of AWS", "aws-answer");
        let aws = json!({"__type": "com.amazonaws#ValidationException", "Item": {"pk": {"S": text}}, "x": text}).to_string();
        let document = format!("<Error><Code>{text}</Code><Key>{text}</Key></Error>");
        let mut faults = Vec::new();
        for target in ["dynamodb", "s3", "ses", "secretsmanager"] {
            let kinds = [("body", json!(aws)), ("body", json!(document)), ("status", json!(400)), ("drop", Value::Null)];
            faults.extend(kinds.map(|(kind, value)| (target, kind, value)));
        }
        for (target, key) in [("card-network", NETWORK_KEY), ("verifier", VERIFIER_KEY)] {
            // Some servers repeat the key with which they were called.
            let repeated = json!({"qrCode": CARD, "id": "repeated", "debug": key}).to_string();
            faults.extend([401, 422, 500].map(|status| (target, "status", json!(status))));
            faults.extend([("drop", Value::Null), ("after", Value::Null)].map(|(kind, value)| (target, kind, value)));
            faults.extend([json!("{\"qrCode\": ["), json!(repeated)].map(|body| (target, "body", body)));
        }
        for (target, kind, value) in faults {
            let fault = json!({"target": target, "match": "*", "kind": kind, "times": "always"});
            let fault = if value.is_null() { fault } else { with(fault, &json!({"value": value})) };
            self.system.set_faults(json!([fault])).await;
            self.sell(till, 100, json!({"deliveryType": "QR"})).await;
            self.redeem(till, CARD, 1).await;
            self.read(admin, &["/api/bff/pos/card/QR-CANARY-STORED", "/api/bff/merchant-orders?q=canary", "/api/bff/merchant"])
                .await;
            self.upload(admin).await;
            // Jobs fail as well.
            self.ask("/api/auth/code", json!({"email": "somebody@canary.example"})).await;
            self.system.set_faults(json!([])).await;
        }
    }

    /// Everything that is stored or was mailed.
    async fn collect(&mut self) {
        let places = &mut self.evidence.places;
        places.extend(self.system.emails().await.iter().map(|mail| ("mail".to_owned(), mail.to_string())));
        for row in self.system.rows().await {
            let kind = |key: &str| key.split_once('#').map_or(key.to_owned(), |(kind, _)| format!("{kind}#"));
            let [pk, sk] = ["pk", "sk"].map(|name| kind(row[name]["S"].as_str().unwrap()));
            let name = if pk == "MERCHANT#" { format!("row {pk}/{sk}") } else { format!("row {pk}") };
            places.push((name, row.to_string()));
        }
        let s3 = shared::aws::Aws::new(self.system.local.app().settings.aws.clone()).s3();
        for bucket in BUCKETS {
            let listed = s3.list_objects_v2().bucket(bucket).send().await.unwrap();
            for key in listed.contents().iter().filter_map(|object| object.key()) {
                let read = s3.get_object().bucket(bucket).key(key).send().await.unwrap();
                let headers = format!("{key}\n{:?}\n", read.metadata());
                let bytes = read.body.collect().await.unwrap().into_bytes();
                places.push((format!("object {bucket}/"), headers + &String::from_utf8_lossy(&bytes)));
            }
        }
        if places.len() < 500 {
            self.evidence.failures.push(format!("only {} places were found", places.len()));
        }
    }
}

/// The value of a cookie that a response sets.
fn cookie(response: &ApiResponse, name: &str) -> String {
    let cookies = response.headers.get_all("set-cookie").iter().filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    cookies.filter_map(|cookie| cookie.split_once('=')).find(|(set, _)| *set == name).unwrap_or_default().1.to_owned()
}
