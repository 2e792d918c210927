//! Merchants that have one of everything.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use local::Options;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::team::model::team::Permission;
use world::shop::{self, member, merchant, order, platform_administrator, redemption, with};
use world::{ApiResponse, Authenticator, Caller, PNG, System};

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
    Passkey,
    /// Of a passkey that is to be added.
    PasskeyChallenge,
    Till,
    ApiKey,
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
pub(crate) struct Shop {
    /// The word that everything of the merchant contains that anybody may read.
    pub(crate) public_word: String,
    /// The word that everything else of the merchant contains.
    pub(crate) private_word: String,
    pub(crate) things: BTreeMap<Kind, Vec<String>>,
    /// A paired till.
    pub(crate) till: Caller,
}

/// Who works for the platform: both can administer, neither has a merchant.
pub(crate) const ROOT: &str = "u-root";
pub(crate) const SECOND_ROOT: &str = "u-second-root";

/// A system with the administrators of the platform.
pub(crate) async fn system(clock: Clock) -> System {
    let system = System::without_fixtures(Options { clock, ..Options::default() }).await;
    let users = [ROOT, SECOND_ROOT].map(platform_administrator);
    system.load_fixtures(&json!({"users": users})).await;
    system
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

/// A complete application of a merchant.
pub(crate) fn application() -> Value {
    json!({
        "registrationNumber": "556677-8899", "vatNumber": "SE556677889901",
        "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
        "directors": [{"name": "Nora Lind", "role": "CEO"}], "termsAccepted": true, "privacyAccepted": true,
    })
}

/// A merchant with a team, offers, cards, sales, redemptions and settlements. `number` tells the accounts at the card network
/// apart: it has one digit.
pub(crate) fn fixtures(name: &str, number: u32, status: &str) -> Value {
    let (public, private, id) = (public_word(name), private_word(name), merchant_id(name));
    let account = format!("88{number}01");
    let of_merchant = |fields: Value| with(fields, &json!({"merchantId": id}));
    let user = |role: &str, fields: Value| {
        let named = json!({
            "email": format!("{role}@{private}.example"), "firstName": format!("{private} {role}"), "lastName": private,
            "emailVerified": true, "merchantTeamRole": null,
        });
        member(&member_id(name, role), &id, &with(named, &fields))
    };
    let roles = [("admin", "ADMIN"), ("unset", ""), ("full", "FULL"), ("viewer", "VIEWER"), ("spare", "VIEWER")];
    let mut users: Vec<Value> =
        roles.map(|(name, role)| user(name, if role.is_empty() { json!({}) } else { json!({"merchantTeamRole": role}) })).into();
    users.extend(permissions().iter().map(|permission| user(permission, json!({"permissions": [permission]}))));
    let sold = |number: u32, currency: &str| {
        let fields = json!({
            "status": "COMPLETED", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "fulfilmentStatus": "FULFILMENT_FULFILLED",
            "currency": currency, "totalAmountMinor": 50_000, "buyerEmail": format!("buyer@{private}.example"),
            "buyerName": format!("{private} buyer"), "recipientName": format!("{private} recipient"), "deliveryType": "EMAIL",
            "paymentTransactionId": format!("pay-{private}-{number}"), "fraud": {"status": "REVIEW", "decidedAt": "now-49h"},
            "items": [{"offerName": format!("{private} item"), "quantity": 1, "amountMinor": 50_000, "currency": currency}],
            "giftCards": [{"id": format!("g-{private}-{number}"), "qrCode": card_code(&private, number), "status": "ISSUED",
                           "valueMinor": 50_000, "currency": currency}],
        });
        order(&format!("o-{private}-{number}"), &format!("now-{}h", number + 50), &of_merchant(fields))
    };
    let settled = |number: u32, currency: &str, held: bool| {
        let part = |letter: &str| format!("{letter}-{private}-{number}");
        let fields = json!({
            "sourceId": part("r"), "orderId": part("o"), "giftCardId": part("g"), "redemptionId": part("r"), "grossAmountMinor": 10_000,
            "feeAmountMinor": 350, "currency": currency, "status": "PENDING", "held": held, "createdAt": "now-40h",
        });
        shop::settlement(&part("s"), "now-20h", 9_650, &of_merchant(fields))
    };
    let redeemed = |number: u32| {
        let fields = json!({"storeName": format!("{private} store"), "currency": "SEK", "qrCode": card_code(&private, number)});
        redemption(&format!("r-{private}-{number}"), &format!("now-{}h", number + 40), 10_000, &of_merchant(fields))
    };
    let card = |number: u32| {
        let card = shop::card(&account, &card_code(&private, number), 5_000, "SEK");
        with(card, &json!({"networkCode": format!("NC-{private}-{number}"), "valueRemains": 4_900}))
    };
    let offer = |id: u32, kind: &str| {
        let fields = json!({"name": format!("{public} offer {id}"), "giftCardOfferType": kind, "currency": "SEK", "minPrice": 50, "maxPrice": 5_000});
        shop::offer(&account, offer_id(number, id).into(), &fields)
    };
    let invite = |id: &str, verified: Option<&str>| {
        of_merchant(json!({
            "challengeId": format!("{private}-invite-{id}"), "email": format!("invited-{id}@{private}.example"), "firstName": private,
            "lastName": private, "merchantTeamRole": "VIEWER", "verifiedAt": verified, "verificationExpiresAt": "now+60d",
            "expiresAt": "now+60d",
        }))
    };
    let visit = |id: u32| {
        of_merchant(json!({"sessionId": format!("v-{private}-{id}"), "startedAt": format!("now-{id}h"), "embed": private,
                           "entry": format!("/{private}")}))
    };
    let company = json!({
        "slug": format!("{public}-shop"), "status": status, "name": format!("{public} shop"), "legalName": format!("{private} AB"),
        "tradeName": private, "tradingName": private, "registrationNumber": format!("{private}-556677"),
        "vatNumber": format!("{private}-SE55"), "country": "SE", "timeZone": "Europe/Stockholm", "numberOfLocations": 4,
        "externalMerchantId": private, "defaultOfferId": offer_id(number, 1).to_string(),
        "fees": {"percentBps": 250, "fixedMinor": 100}, "payoutDelayDays": 7,
        "legalAddress": {"line1": private, "city": private, "state": "", "postalCode": "111 22", "country": "SE"},
        "directors": [{"name": private, "role": "CEO"}],
        "brand": {"logoUrl": format!("https://{public}.example/logo.png"), "category": private,
                  "website": format!("https://{public}.example")},
    });
    json!({
        "merchants": [merchant(&id, &account, "SEK", &company)],
        "users": users,
        "invites": [invite("1", None), invite("2", Some("now-1h"))],
        "orders": [sold(1, "SEK"), sold(2, "SEK"), sold(3, "EUR")],
        "redemptions": [redeemed(1), redeemed(2), redeemed(3)],
        "settlements": [settled(1, "SEK", false), settled(2, "SEK", false), settled(3, "EUR", false), settled(4, "SEK", true)],
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

pub(crate) async fn paired_till(system: &System, administrator: &Caller) -> (String, Caller) {
    let made = administrator.post("/api/auth/tills", &json!({"name": "Counter", "retailStoreId": "1"})).await;
    (made.text("/data/id"), pair(system, &made).await)
}

async fn pair(system: &System, made: &ApiResponse) -> Caller {
    let code = json!({"code": made.text("/data/pairingCode")});
    system.with_token(&system.anonymous().post("/api/auth/tills/pairing", &code).await.text("/data/token"))
}

/// Does what a merchant does day by day, so that it has one of everything. Loads its fixtures first.
pub(crate) async fn open(system: &System, name: &str, number: u32) -> Shop {
    system.load_fixtures(&fixtures(name, number, "ACTIVE")).await;
    let admin = system.sign_in(&member_id(name, "admin")).await;
    let mut opening = Opening { system, admin, private: private_word(name), things: BTreeMap::new() };
    opening.note_fixtures(name, number);
    let till = opening.tills().await;
    opening.webhooks().await;
    opening.keys().await;
    opening.invitation().await;
    opening.files().await;
    opening.sales(&till).await;
    opening.payouts(&merchant_id(name)).await;
    opening.export().await;
    opening.sign_ins(name).await;
    opening.delivery().await;
    opening.cursors().await;
    Shop { public_word: public_word(name), private_word: opening.private, things: opening.things, till }
}

struct Opening<'a> {
    system: &'a System,
    admin: Caller,
    private: String,
    things: BTreeMap<Kind, Vec<String>>,
}

impl Opening<'_> {
    fn note(&mut self, kind: Kind, thing: impl Into<String>) {
        self.things.entry(kind).or_default().push(thing.into());
    }

    fn note_fixtures(&mut self, name: &str, number: u32) {
        let private = self.private.clone();
        for (kind, thing) in [
            (Kind::Merchant, merchant_id(name)),
            (Kind::Slug, format!("{}-shop", public_word(name))),
            (Kind::NetworkAccount, format!("88{number}01")),
            (Kind::Member, member_id(name, "spare")),
            (Kind::Member, member_id(name, "admin")),
            (Kind::Email, format!("spare@{private}.example")),
            (Kind::Email, format!("invited-1@{private}.example")),
            (Kind::Invitation, format!("{private}-invite-1")),
            (Kind::Invitation, format!("{private}-invite-2")),
            (Kind::Store, format!("{private}-main")),
            (Kind::Offer, offer_id(number, 1).to_string()),
            (Kind::Offer, offer_id(number, 2).to_string()),
            (Kind::Order, format!("o-{private}-1")),
            (Kind::Card, format!("g-{private}-1")),
            (Kind::CardCode, card_code(&private, 1)),
            (Kind::Redemption, format!("r-{private}-1")),
            (Kind::Settlement, format!("s-{private}-4")),
            (Kind::Settlement, format!("s-{private}-1")),
        ] {
            self.note(kind, thing);
        }
    }

    /// One till is paired, one waits. Returns the first.
    async fn tills(&mut self) -> Caller {
        let till = json!({"name": format!("{} till", self.private), "retailStoreId": format!("{}-main", self.private),
                          "retailStoreName": format!("{} main street", self.private)});
        let [first, waiting] = [self.admin.post("/api/auth/tills", &till).await, self.admin.post("/api/auth/tills", &till).await];
        for made in [&first, &waiting] {
            self.note(Kind::Till, made.text("/data/id"));
        }
        pair(self.system, &first).await
    }

    async fn keys(&mut self) {
        for _ in 0..2 {
            let key = json!({"name": format!("{} key", self.private), "permissions": ["portal.orders"], "readOnly": true});
            let made = self.admin.post("/api/auth/keys", &key).await;
            self.note(Kind::ApiKey, made.text("/data/id"));
        }
    }

    async fn webhooks(&mut self) {
        let url = format!("{}/__local/webhooks/receiver/{}", self.system.local.listening.api, self.private);
        let all = json!(["gift_card.issued", "gift_card.redeemed", "settlement.created", "payout.paid"]);
        for events in [all, json!(["settlement.held"])] {
            let created = self.admin.post("/api/bff/webhooks", &json!({"url": url, "events": events})).await;
            self.note(Kind::WebhookEndpoint, created.text("/data/id"));
        }
    }

    async fn invitation(&mut self) {
        let guest = json!({"email": format!("guest@{}.example", self.private), "firstName": "Guest", "lastName": "Guest",
                           "merchantTeamRole": "VIEWER"});
        let invited = self.admin.post("/api/auth/invites", &guest).await.text("/data/challengeId");
        // The others have been made by nobody.
        self.things.entry(Kind::Invitation).or_default().insert(0, invited);
    }

    async fn files(&mut self) {
        const MEDIA: (&str, &str, Kind) = ("/api/bff/offers/media", "/data/key", Kind::Media);
        for (path, pointer, kind) in [MEDIA, MEDIA, ("/api/onboarding/upload", "/url", Kind::Document)] {
            let uploaded = self.admin.upload(path, &format!("{}.png", self.private), PNG).await;
            self.note(kind, uploaded.text(pointer));
        }
    }

    /// Sells, redeems and gives back at the till, with keys; one sale has an outcome that is not known at first.
    async fn sales(&mut self, till: &Caller) {
        let key = |what: &str| format!("{}-key-{what}", self.private);
        let sale = with(shop::sale(500), &json!({"paymentReference": format!("{}-1", self.private)}));
        let sold = till.post_with_key(shop::ISSUE, &key("sale"), &sale).await;
        let code = sold.text("/data/qrCode");
        let redeemed = till.post_with_key(shop::REDEEM, &key("redemption"), &shop::payment(&code, 100)).await;
        let redemption = redeemed.text("/redemptionId");
        let back = with(shop::sale(50), &json!({"refundOf": redemption, "refundReason": self.private}));
        till.post_with_key(shop::ISSUE, &key("giving-back"), &back).await.ok();
        // The card network issues a card, and does not say so.
        let faults = json!([
            {"target": "card-network", "match": "POST /v1/cards/issue", "kind": "after"},
            {"target": "card-network", "match": "GET /v1/operations/*", "kind": "status", "value": 503, "times": "always"},
        ]);
        self.system.set_faults(faults).await;
        let unknown = till.post_with_key(shop::ISSUE, &key("unknown"), &sale).await;
        self.system.set_faults(json!([])).await;
        assert_eq!(unknown.status, 504, "{unknown:?}");
        let cancelled = json!({"kind": "ISSUE", "idempotencyKey": key("closed")});
        self.admin.post("/api/bff/pos/operations/cancellation", &cancelled).await.ok();
        let keys = ["sale", "redemption", "closed"].map(key);
        self.things.entry(Kind::IdempotencyKey).or_default().extend(keys);
        self.note(Kind::Operation, unknown.text("/error/details/reference"));
        self.note(Kind::Order, sold.text("/data/orderId"));
        self.note(Kind::Card, sold.text("/data/giftCardId"));
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
        const PAYOUTS: &str = "/api/admin/payouts";
        let (first, second) = (self.system.sign_in(ROOT).await, self.system.sign_in(SECOND_ROOT).await);
        let started = first.post_with_key(PAYOUTS, &format!("{}-run", self.private), &json!({"merchantId": merchant})).await;
        let run = started.text("/data/runId");
        self.finish_jobs().await;
        let listed = first.get(&format!("{PAYOUTS}?runId={run}")).await;
        let payouts = listed.list("/data/payouts");
        assert_eq!(payouts.len(), 2, "{listed:?}");
        for payout in payouts {
            let id = payout["id"].as_str().unwrap();
            if payout["currency"] == "SEK" {
                let paid = json!({"status": "PAID", "reference": format!("{}-sepa", self.private)});
                second.patch(&format!("{PAYOUTS}/{id}"), &paid).await.ok();
            }
            self.note(Kind::Payout, id);
        }
        self.note(Kind::PayoutRun, run);
        self.finish_jobs().await;
    }

    async fn export(&mut self) {
        let now = self.system.local.app().clock.now();
        let day = |hours: i64| now.saturating_sub(SignedDuration::from_hours(hours)).unwrap().strftime("%F").to_string();
        let orders = json!({"kind": "orders", "from": day(240), "to": day(0)});
        let id = self.admin.post("/api/bff/exports", &orders).await.text("/data/id");
        self.finish_jobs().await;
        let ready = self.admin.get(&format!("/api/bff/exports/{id}")).await;
        assert_eq!(ready.at("/data/status"), "READY", "{ready:?}");
        self.note(Kind::Export, id);
    }

    async fn sign_ins(&mut self, name: &str) {
        let member = self.system.sign_in(&member_id(name, "admin")).await;
        self.note(Kind::Session, member.get("/api/auth/sessions").await.text("/data/0/id"));
        // Of somebody else: removing it ends all of their sessions.
        let member = self.system.sign_in(&member_id(name, "unset")).await;
        let passkey = Authenticator::of(self.system).await.add(&member, &self.private).await;
        self.note(Kind::Passkey, passkey);
        let options = member.post("/api/auth/passkeys/options", &json!({})).await;
        self.note(Kind::PasskeyChallenge, options.text("/data/challengeId"));
        let address = json!({"email": format!("unset@{}.example", self.private)});
        let asked = self.system.anonymous().post("/api/auth/code", &address).await;
        self.note(Kind::SignIn, asked.text("/data/challengeId"));
        self.finish_jobs().await;
    }

    async fn delivery(&mut self) {
        self.system.local.send_due_webhooks().await;
        let deliveries = format!("/api/bff/webhooks/{}/deliveries", self.things[&Kind::WebhookEndpoint][0]);
        let listed = self.admin.get(&deliveries).await;
        self.note(Kind::WebhookDelivery, listed.text("/data/deliveries/0/id"));
    }

    /// The cursor of each list.
    async fn cursors(&mut self) {
        let (endpoint, code) = (&self.things[&Kind::WebhookEndpoint][0], &self.things[&Kind::CardCode][1]);
        let mut lists = vec![
            ("/api/bff/merchant-orders?pageSize=1".to_owned(), "/data/nextCursor"),
            ("/api/bff/settlements?take=1".to_owned(), "/nextCursor"),
            ("/api/bff/merchant/activity?limit=1".to_owned(), "/data/next"),
            ("/api/bff/payouts?limit=1".to_owned(), "/data/next"),
            (format!("/api/bff/webhooks/{endpoint}/deliveries?limit=1"), "/data/next"),
            (format!("/api/bff/cards/{code}/history?limit=1"), "/data/nextCursor"),
        ];
        lists.extend(self.things[&Kind::Payout].iter().map(|id| (format!("/api/bff/payouts/{id}?limit=1"), "/data/next")));
        let mut found = Vec::new();
        for (path, pointer) in lists {
            found.extend(self.admin.get(&path).await.ok().at(pointer).as_str().map(str::to_owned));
        }
        assert!(found.len() >= 6, "{found:?}");
        self.things.insert(Kind::Cursor, found);
    }
}
