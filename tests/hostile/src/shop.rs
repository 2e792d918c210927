//! Merchants that have one of everything.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use shared::domain::team::Permission;

use crate::request::{PNG, form};
use crate::system::{Answer, System};

/// What an id, a key or an address names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Merchant,
    Slug,
    NetworkAccount,
    Member,
    Email,
    Invitation,
    /// A code to sign in that was asked for.
    SignIn,
    Session,
    Till,
    Store,
    Offer,
    Order,
    Card,
    CardCode,
    Redemption,
    Settlement,
    Payout,
    PayoutRun,
    Export,
    Document,
    Media,
    WebhookEndpoint,
    WebhookDelivery,
    /// The reference of a sale or redemption.
    Operation,
    IdempotencyKey,
    Cursor,
}

/// A merchant, and what it has.
#[derive(Debug, Clone)]
pub(crate) struct Shop {
    /// The word that everything of the merchant contains that anybody may read.
    pub(crate) public_word: String,
    /// The word that everything else of the merchant contains.
    pub(crate) private_word: String,
    pub(crate) things: BTreeMap<Kind, Vec<String>>,
    /// The token of a paired till.
    pub(crate) till: String,
}

/// Who works for the platform: both can administer, neither has a merchant.
pub(crate) const ROOT: &str = "u-root";
pub(crate) const SECOND_ROOT: &str = "u-second-root";

/// The administrators of the platform.
pub(crate) fn platform() -> Value {
    let user = |id: &str| json!({"id": id, "email": format!("{id}@portal.example"), "isAdmin": true, "emailVerified": true});
    json!({"users": [user(ROOT), user(SECOND_ROOT)]})
}

fn public_word(name: &str) -> String {
    format!("public{name}")
}

fn private_word(name: &str) -> String {
    format!("private{name}")
}

pub(crate) fn merchant_id(name: &str) -> String {
    format!("m-{}", public_word(name))
}

/// A member of the merchant of this name.
pub(crate) fn member_id(name: &str, role: &str) -> String {
    format!("u-{}-{role}", private_word(name))
}

/// A merchant with a team, offers, cards, sales, redemptions and settlements. `number` tells the accounts at the card network
/// apart: it has one digit.
pub(crate) fn fixtures(name: &str, number: u32, status: &str) -> Value {
    let (public, private, merchant) = (public_word(name), private_word(name), merchant_id(name));
    let account = format!("88{number}01");
    let member = |role: &str, fields: Value| {
        let mut user = json!({
            "id": member_id(name, role), "email": format!("{role}@{private}.example"), "firstName": format!("{private} {role}"),
            "lastName": private, "emailVerified": true, "merchantId": merchant,
        });
        user.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        user
    };
    let mut users = vec![
        member("admin", json!({"merchantTeamRole": "ADMIN"})),
        member("unset", json!({})),
        member("full", json!({"merchantTeamRole": "FULL"})),
        member("viewer", json!({"merchantTeamRole": "VIEWER"})),
        member("spare", json!({"merchantTeamRole": "VIEWER"})),
    ];
    users.extend(permissions().iter().map(|permission| member(permission, json!({"permissions": [permission]}))));
    let order = |id: u32, currency: &str| {
        json!({
            "id": format!("o-{private}-{id}"), "merchantId": merchant, "createdAt": format!("now-{}h", id + 50), "status": "COMPLETED",
            "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "fulfilmentStatus": "FULFILMENT_FULFILLED", "currency": currency,
            "totalAmountMinor": 50_000, "buyerEmail": format!("buyer@{private}.example"), "buyerName": format!("{private} buyer"),
            "recipientName": format!("{private} recipient"), "deliveryType": "EMAIL",
            "paymentTransactionId": format!("pay-{private}-{id}"), "fraud": {"status": "REVIEW", "decidedAt": "now-49h"},
            "items": [{"offerName": format!("{private} item"), "quantity": 1, "amountMinor": 50_000, "currency": currency}],
            "giftCards": [{"id": format!("g-{private}-{id}"), "qrCode": card_code(&private, id), "status": "ISSUED",
                           "valueMinor": 50_000, "currency": currency}],
        })
    };
    let settlement = |id: u32, currency: &str, held: bool| {
        json!({
            "id": format!("s-{private}-{id}"), "merchantId": merchant, "sourceType": "REDEMPTION",
            "sourceId": format!("r-{private}-{id}"), "orderId": format!("o-{private}-{id}"),
            "giftCardId": format!("g-{private}-{id}"), "redemptionId": format!("r-{private}-{id}"), "grossAmountMinor": 10_000,
            "feeAmountMinor": 350, "netAmountMinor": 9_650, "currency": currency, "status": "PENDING", "held": held,
            "eligibleAt": "now-20h", "createdAt": "now-40h",
        })
    };
    let redemption = |id: u32| {
        json!({
            "id": format!("r-{private}-{id}"), "merchantId": merchant, "occurredAt": format!("now-{}h", id + 40),
            "status": "SUCCEEDED", "source": "POS", "storeName": format!("{private} store"), "amountMinor": 10_000,
            "currency": "SEK", "qrCode": card_code(&private, id),
        })
    };
    let card = |id: u32| {
        json!({"merchantId": account, "qrCode": card_code(&private, id), "networkCode": format!("NC-{private}-{id}"),
               "status": "ACTIVE", "value": 5_000, "valueRemains": 4_900, "currency": "SEK"})
    };
    let offer = |id: u32, kind: &str| {
        json!({"merchantId": account, "giftCardOfferId": offer_id(number, id), "name": format!("{public} offer {id}"),
               "giftCardOfferType": kind, "giftCardOfferStatus": "AVAILABLE", "currency": "SEK", "minPrice": 50,
               "maxPrice": 5_000})
    };
    let invite = |id: &str, verified: Option<&str>| {
        json!({
            "challengeId": format!("{private}-invite-{id}"), "merchantId": merchant, "email": format!("invited-{id}@{private}.example"),
            "firstName": private, "lastName": private, "merchantTeamRole": "VIEWER", "verifiedAt": verified,
            "verificationExpiresAt": "now+60d", "expiresAt": "now+60d",
        })
    };
    let visit = |id: u32| {
        json!({"merchantId": merchant, "sessionId": format!("v-{private}-{id}"), "startedAt": format!("now-{id}h"),
               "embed": private, "entry": format!("/{private}")})
    };
    json!({
        "merchants": [{
            "id": merchant, "slug": format!("{public}-shop"), "status": status, "name": format!("{public} shop"),
            "legalName": format!("{private} AB"), "tradeName": private, "tradingName": private,
            "registrationNumber": format!("{private}-556677"), "vatNumber": format!("{private}-SE55"), "country": "SE",
            "currency": "SEK", "timeZone": "Europe/Stockholm", "numberOfLocations": 4, "externalMerchantId": private,
            "networkMerchantId": account, "defaultOfferId": offer_id(number, 1).to_string(),
            "settlementMode": "SETTLEMENT_ON_REDEMPTION", "fees": {"percentBps": 250, "fixedMinor": 100}, "payoutDelayDays": 7,
            "legalAddress": {"line1": private, "city": private, "state": "", "postalCode": "111 22", "country": "SE"},
            "directors": [{"name": private, "role": "CEO"}],
            "brand": {"logoUrl": format!("https://{public}.example/logo.png"), "category": private,
                      "website": format!("https://{public}.example")},
        }],
        "users": users,
        "invites": [invite("1", None), invite("2", Some("now-1h"))],
        "orders": [order(1, "SEK"), order(2, "SEK"), order(3, "EUR")],
        "redemptions": [redemption(1), redemption(2), redemption(3)],
        "settlements": [settlement(1, "SEK", false), settlement(2, "SEK", false), settlement(3, "EUR", false),
                        settlement(4, "SEK", true)],
        "analyticsSessions": [visit(1), visit(2)],
        "cardNetwork": {
            "merchants": [{"merchantId": account, "name": format!("{public} shop"), "termsUrl": format!("https://{public}.example/terms")}],
            "stores": [{"merchantId": account, "externalId": format!("{private}-main"), "name": format!("{private} main street")}],
            "offers": [offer(1, "GIFTCARD_DIGITAL"), offer(2, "GIFTCARD_DIGITAL"), offer(3, "REFUND_DIGITAL")],
            "cards": [card(1), card(2), card(3)],
        },
    })
}

/// Every permission, as it is written. Of each, a merchant has a member that has nothing else.
pub(crate) fn permissions() -> Vec<String> {
    Permission::ALL.iter().map(|permission| serde_json::to_value(permission).unwrap().as_str().unwrap().to_owned()).collect()
}

fn card_code(private: &str, id: u32) -> String {
    format!("CARD-{}-{id}", private.to_uppercase())
}

fn offer_id(number: u32, id: u32) -> u32 {
    7_700_000 + number * 100 + id
}

/// Does what a merchant does day by day, so that it has one of everything. Loads its fixtures first.
pub(crate) async fn open(system: &System, name: &str, number: u32) -> Shop {
    let loaded = system.call(None, Method::POST, "/__local/fixtures", Some(&fixtures(name, number, "ACTIVE"))).await;
    assert_eq!(loaded.status, 200, "{}", String::from_utf8_lossy(&loaded.body));
    let token = system.sign_in(&member_id(name, "admin")).await;
    let private = private_word(name);
    let mut opening = Opening { system, token, private: private.clone(), things: BTreeMap::new() };
    opening.note_fixtures(name, number);
    let till = opening.tills().await;
    opening.webhook(name).await;
    opening.invitation().await;
    opening.files().await;
    opening.sales(&till).await;
    opening.payouts(&merchant_id(name)).await;
    opening.export().await;
    opening.sign_ins(name).await;
    opening.deliveries().await;
    opening.cursors().await;
    Shop { public_word: public_word(name), private_word: private, things: opening.things, till }
}

struct Opening<'a> {
    system: &'a System,
    token: String,
    private: String,
    things: BTreeMap<Kind, Vec<String>>,
}

impl Opening<'_> {
    fn note(&mut self, kind: Kind, thing: impl Into<String>) {
        self.things.entry(kind).or_default().push(thing.into());
    }

    fn note_fixtures(&mut self, name: &str, number: u32) {
        let private = self.private.clone();
        self.note(Kind::Merchant, merchant_id(name));
        self.note(Kind::Slug, format!("{}-shop", public_word(name)));
        self.note(Kind::NetworkAccount, format!("88{number}01"));
        self.note(Kind::Member, member_id(name, "spare"));
        self.note(Kind::Member, member_id(name, "admin"));
        self.note(Kind::Email, format!("spare@{private}.example"));
        self.note(Kind::Email, format!("invited-1@{private}.example"));
        self.note(Kind::Invitation, format!("{private}-invite-1"));
        self.note(Kind::Invitation, format!("{private}-invite-2"));
        self.note(Kind::Store, format!("{private}-main"));
        self.note(Kind::Offer, offer_id(number, 1).to_string());
        self.note(Kind::Offer, offer_id(number, 2).to_string());
        self.note(Kind::Order, format!("o-{private}-1"));
        self.note(Kind::Card, format!("g-{private}-1"));
        self.note(Kind::CardCode, card_code(&private, 1));
        self.note(Kind::Redemption, format!("r-{private}-1"));
        self.note(Kind::Settlement, format!("s-{private}-4"));
        self.note(Kind::Settlement, format!("s-{private}-1"));
    }

    /// Calls the API as the merchant's administrator.
    async fn call(&self, method: Method, path: &str, body: Value) -> Value {
        let body = Some(body).filter(|body| !body.is_null());
        succeeded(path, &self.system.call(Some(&self.token), method, path, body.as_ref()).await)
    }

    async fn get(&self, path: &str) -> Value {
        self.call(Method::GET, path, Value::Null).await
    }

    async fn as_root(&self, user: &str, method: Method, path: &str, key: Option<&str>, body: Value) -> Value {
        let token = self.system.sign_in(user).await;
        let mut request = self.system.request(method, path).bearer_auth(token).header("content-type", "application/json");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        succeeded(path, &self.system.send(request).await.unwrap())
    }

    /// One till is paired, one waits. Returns the token of the first.
    async fn tills(&mut self) -> String {
        let till = json!({"name": format!("{} till", self.private), "retailStoreId": format!("{}-main", self.private),
                          "retailStoreName": format!("{} main street", self.private)});
        let paired = self.call(Method::POST, "/api/auth/tills", till.clone()).await;
        let waiting = self.call(Method::POST, "/api/auth/tills", till).await;
        for created in [&paired, &waiting] {
            self.note(Kind::Till, text(created, "/data/id"));
        }
        let code = json!({"code": text(&paired, "/data/pairingCode")});
        text(&self.call_without_session("/api/auth/tills/pairing", &code).await, "/data/token")
    }

    async fn call_without_session(&self, path: &str, body: &Value) -> Value {
        succeeded(path, &self.system.call(None, Method::POST, path, Some(body)).await)
    }

    async fn webhook(&mut self, name: &str) {
        let url = format!("{}/__local/webhooks/receiver/{}", self.system.local.listening.api, private_word(name));
        let all = json!(["gift_card.issued", "gift_card.redeemed", "settlement.created", "payout.paid"]);
        for events in [all, json!(["settlement.held"])] {
            let created = self.call(Method::POST, "/api/bff/webhooks", json!({"url": url, "events": events})).await;
            self.note(Kind::WebhookEndpoint, text(&created, "/data/id"));
        }
    }

    async fn invitation(&mut self) {
        let body = json!({"email": format!("guest@{}.example", self.private), "firstName": "Guest", "lastName": "Guest",
                          "merchantTeamRole": "VIEWER"});
        let invited = self.call(Method::POST, "/api/auth/invites", body).await;
        // The others have been made by nobody.
        self.things.entry(Kind::Invitation).or_default().insert(0, text(&invited, "/data/challengeId"));
    }

    async fn files(&mut self) {
        const MEDIA: (&str, &str, Kind) = ("/api/bff/offers/media", "/data/key", Kind::Media);
        for (path, pointer, kind) in [MEDIA, MEDIA, ("/api/onboarding/upload", "/url", Kind::Document)] {
            let request = self.system.request(Method::POST, path).bearer_auth(&self.token);
            let request = request.header("content-type", "multipart/form-data; boundary=b");
            let file = form(&format!("{}.png", self.private), PNG);
            let uploaded = self.system.send(request.body(file)).await.unwrap();
            self.note(kind, text(&succeeded(path, &uploaded), pointer));
        }
    }

    /// Sells, redeems and gives back at the till, with keys; one sale has an outcome that is not known at first.
    async fn sales(&mut self, till: &str) {
        let key = |what: &str| format!("{}-key-{what}", self.private);
        let at_till = async |path: &str, key: &str, body: &Value| {
            let request = self.system.request(Method::POST, path).bearer_auth(till).header("idempotency-key", key);
            self.system.send(request.header("content-type", "application/json").body(body.to_string())).await.unwrap()
        };
        let sale =
            json!({"value": 500, "deliveryDetails": {"deliveryType": "QR"}, "paymentReference": format!("{}-1", self.private)});
        let sold = succeeded("issue", &at_till("/api/bff/pos/issue", &key("sale"), &sale).await);
        let code = text(&sold, "/data/qrCode");
        let payment = json!({"qrCode": code, "redeemAmount": 100, "purchaseAmount": 100});
        let redeemed = succeeded("redeem", &at_till("/api/bff/pos/redeem", &key("redemption"), &payment).await);
        let redemption = text(&redeemed, "/redemptionId");
        let back =
            json!({"value": 50, "refundOf": redemption, "refundReason": self.private, "deliveryDetails": {"deliveryType": "QR"}});
        succeeded("giving back", &at_till("/api/bff/pos/issue", &key("giving-back"), &back).await);
        // The card network issues a card, and does not say so.
        let faults = json!([
            {"target": "card-network", "match": "POST /v1/cards/issue", "kind": "after"},
            {"target": "card-network", "match": "GET /v1/operations/*", "kind": "status", "value": 503, "times": "always"},
        ]);
        self.system.call(None, Method::POST, "/__local/faults", Some(&faults)).await;
        let unknown = at_till("/api/bff/pos/issue", &key("unknown"), &sale).await;
        self.system.call(None, Method::POST, "/__local/faults", Some(&json!([]))).await;
        assert_eq!(unknown.status, 504, "{unknown:?}");
        let cancelled = json!({"kind": "ISSUE", "idempotencyKey": key("closed")});
        self.call(Method::POST, "/api/bff/pos/operations/cancellation", cancelled).await;
        let keys = ["sale", "redemption", "closed"].map(key);
        self.things.entry(Kind::IdempotencyKey).or_default().extend(keys);
        self.note(Kind::Operation, text(&unknown.json(), "/error/details/reference"));
        self.note(Kind::Order, text(&sold, "/data/orderId"));
        self.note(Kind::Card, text(&sold, "/data/giftCardId"));
        self.note(Kind::CardCode, code);
        self.note(Kind::Redemption, redemption);
        self.finish_jobs().await;
    }

    async fn finish_jobs(&self) {
        for _ in 0..3 {
            self.system.drain().await;
        }
    }

    /// One payout is paid, one is open.
    async fn payouts(&mut self, merchant: &str) {
        let body = json!({"merchantId": merchant});
        let started = self.as_root(ROOT, Method::POST, "/api/admin/payouts", Some(&format!("{}-run", self.private)), body).await;
        let run = text(&started, "/data/runId");
        self.finish_jobs().await;
        let path = format!("/api/admin/payouts?runId={run}");
        let listed = self.as_root(ROOT, Method::GET, &path, None, Value::Null).await;
        let payouts = listed.pointer("/data/payouts").and_then(Value::as_array).unwrap().clone();
        assert_eq!(payouts.len(), 2, "{listed}");
        for payout in &payouts {
            let id = text(payout, "/id");
            if payout["currency"] == "SEK" {
                let paid = json!({"status": "PAID", "reference": format!("{}-sepa", self.private)});
                self.as_root(SECOND_ROOT, Method::PATCH, &format!("/api/admin/payouts/{id}"), None, paid).await;
            }
            self.note(Kind::Payout, id);
        }
        self.note(Kind::PayoutRun, run);
        self.finish_jobs().await;
    }

    async fn export(&mut self) {
        let now = self.system.local.app().clock.now();
        let day = |hours: i64| now.saturating_sub(SignedDuration::from_hours(hours)).unwrap().strftime("%F").to_string();
        let body = json!({"kind": "orders", "from": day(240), "to": day(0)});
        let started = self.call(Method::POST, "/api/bff/exports", body).await;
        let id = text(&started, "/data/id");
        self.finish_jobs().await;
        let ready = self.get(&format!("/api/bff/exports/{id}")).await;
        assert_eq!(ready["data"]["status"], "READY", "{ready}");
        self.note(Kind::Export, id);
    }

    async fn sign_ins(&mut self, name: &str) {
        let spare = self.system.sign_in(&member_id(name, "unset")).await;
        let sessions = self.system.call(Some(&spare), Method::GET, "/api/auth/sessions", None).await;
        self.note(Kind::Session, text(&succeeded("sessions", &sessions), "/data/0/id"));
        let email = json!({"email": format!("unset@{}.example", self.private)});
        let asked = self.call_without_session("/api/auth/code", &email).await;
        self.note(Kind::SignIn, text(&asked, "/data/challengeId"));
        self.finish_jobs().await;
    }

    async fn deliveries(&mut self) {
        self.system.local.send_due_webhooks().await.unwrap();
        let endpoint = self.things[&Kind::WebhookEndpoint][0].clone();
        let listed = self.get(&format!("/api/bff/webhooks/{endpoint}/deliveries")).await;
        self.note(Kind::WebhookDelivery, text(&listed, "/data/deliveries/0/id"));
    }

    /// The cursor of each list.
    async fn cursors(&mut self) {
        let (endpoint, payout) = (self.things[&Kind::WebhookEndpoint][0].clone(), self.things[&Kind::Payout].clone());
        let code = self.things[&Kind::CardCode][1].clone();
        let mut lists = vec![
            ("/api/bff/merchant-orders?pageSize=1".to_owned(), "/data/nextCursor"),
            ("/api/bff/settlements?take=1".to_owned(), "/nextCursor"),
            ("/api/bff/merchant/activity?limit=1".to_owned(), "/data/next"),
            ("/api/bff/payouts?limit=1".to_owned(), "/data/next"),
            (format!("/api/bff/webhooks/{endpoint}/deliveries?limit=1"), "/data/next"),
            (format!("/api/bff/cards/{code}/history?limit=1"), "/data/nextCursor"),
        ];
        lists.extend(payout.iter().map(|id| (format!("/api/bff/payouts/{id}?limit=1"), "/data/next")));
        let mut found = Vec::new();
        for (path, pointer) in lists {
            let page = self.get(&path).await;
            found.extend(page.pointer(pointer).and_then(Value::as_str).map(str::to_owned));
        }
        assert!(found.len() >= 6, "{found:?}");
        self.things.insert(Kind::Cursor, found);
    }
}

fn succeeded(what: &str, answer: &Answer) -> Value {
    assert!((200..300).contains(&answer.status), "{what}: {} {}", answer.status, String::from_utf8_lossy(&answer.body));
    answer.json()
}

fn text(value: &Value, pointer: &str) -> String {
    let text = value.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("no text at {pointer} in {value}")).to_owned()
}
