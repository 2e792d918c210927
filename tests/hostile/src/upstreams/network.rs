//! Every behaviour of a card network on every route that calls it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use local::Options;
use reqwest::Method;
use serde_json::{Value, json};

use super::behaviours::{BEHAVIOURS, Behaviour, JUNK, Truth};
use super::memory::PeakMemory;
use super::rogue::{References, Request, Rogue, Trap, recorded};
use super::{API_KEY, Found, MAX_TIME};
use crate::contract;
use crate::effort::Effort;
use crate::system::{Answer, System};

/// How many requests wait at once.
const CONCURRENCY: usize = 32;
/// More than the largest body that is accepted, with what is made of it.
const MAX_MEMORY: u64 = 96 * 1024 * 1024;

/// The merchants of a behaviour differ in what it answers.
const MERCHANTS: usize = 10;
const FIRST: usize = 10_000;
/// All calls of this merchant are answered by the behaviour.
const EVERYTHING: usize = 0;
/// Of this one, those that write something or move money.
const WRITES: usize = 1;
/// An account that no merchant has.
const FREE_ACCOUNT: usize = 2;
/// A merchant without an account.
const WITHOUT_ACCOUNT: usize = 3;

/// What a route says when the network fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// The network's status and body.
    PassedOn,
    /// The network's status.
    StatusOnly,
    /// An error of its own.
    Own,
    /// It answers without the network.
    None,
}

struct Route {
    method: &'static str,
    /// `{n}` is the number of the merchant at the network.
    path: &'static str,
    body: &'static str,
    merchant: usize,
    failure: Failure,
    /// Whether a success has fields of the network that the portal does not know.
    shows_others: bool,
}

const fn route(
    method: &'static str,
    path: &'static str,
    body: &'static str,
    merchant: usize,
    failure: Failure,
    shows_others: bool,
) -> Route {
    Route { method, path, body, merchant, failure, shows_others }
}

const STORE: &str = r#"{"externalId": "main", "name": "Main", "address1": "A 1", "city": "C", "postcode": "1", "country": "SE"}"#;
const OFFER: &str =
    r#"{"name": "Card", "giftCardOfferType": "GIFTCARD_DIGITAL", "minPrice": 1, "maxPrice": 9, "currency": "SEK"}"#;

/// The routes that call the network, but for those that move money.
const ROUTES: [Route; 18] = [
    route("GET", "/api/bff/pos/card/C{n}", "", EVERYTHING, Failure::PassedOn, true),
    route("GET", "/api/bff/offers", "", EVERYTHING, Failure::PassedOn, true),
    route("GET", "/api/merchants/s-{n}", "", EVERYTHING, Failure::None, false),
    route("GET", "/api/bff/merchant-orders/o-{n}/gift-cards/g-{n}/balance", "", EVERYTHING, Failure::Own, false),
    route("POST", "/api/bff/retail-store", STORE, WRITES, Failure::PassedOn, true),
    route("PUT", "/api/bff/offers/{n}", r#"{"description": "d"}"#, WRITES, Failure::PassedOn, true),
    route("GET", "/api/merchants/s-{n}/catalog", "", EVERYTHING, Failure::Own, false),
    route("GET", "/api/bff/cards/C{n}", "", EVERYTHING, Failure::PassedOn, true),
    route("GET", "/api/bff/cards/C{n}/history", "", EVERYTHING, Failure::PassedOn, true),
    route("GET", "/api/bff/pos/offers", "", EVERYTHING, Failure::PassedOn, false),
    route("GET", "/api/bff/offers/{n}", "", EVERYTHING, Failure::PassedOn, true),
    route("POST", "/api/bff/offers", OFFER, WRITES, Failure::StatusOnly, true),
    route("GET", "/api/bff/merchant-stores", "", EVERYTHING, Failure::None, true),
    route("PUT", "/api/bff/retail-store", STORE, WRITES, Failure::PassedOn, true),
    route("PATCH", "/api/bff/offers/{n}/status", r#"{"status": "HIDDEN"}"#, EVERYTHING, Failure::PassedOn, true),
    route("POST", "/api/bff/offers", OFFER, EVERYTHING, Failure::StatusOnly, true),
    route("GET", "/shop/s-{n}", "", EVERYTHING, Failure::Own, false),
    route(
        "PATCH",
        "/api/admin/merchants/m-{n}",
        r#"{"networkMerchantId": "{account}", "reason": "r"}"#,
        WITHOUT_ACCOUNT,
        Failure::Own,
        false,
    ),
];

/// How the network answers the question what became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LookUp {
    Hostile,
    Succeeded,
    Failed,
    NeverReceived,
}

const LOOK_UPS: [(&str, LookUp); 4] = [
    ("hostile", LookUp::Hostile),
    ("succeeded", LookUp::Succeeded),
    ("failed", LookUp::Failed),
    ("never", LookUp::NeverReceived),
];

/// One request that the network answers with a behaviour.
#[derive(Clone, Copy)]
enum Cell {
    Read(&'static Route),
    Money { kind: &'static str, look_up: usize, with_key: bool },
}

fn number_of(behaviour: usize, merchant: usize) -> usize {
    FIRST + behaviour * MERCHANTS + merchant
}

fn fixtures() -> Value {
    let mut merchants = Vec::new();
    let mut users = vec![json!({"id": "u-root", "email": "root@portal.example", "emailVerified": true, "isAdmin": true})];
    let mut orders = Vec::new();
    for behaviour in 0..BEHAVIOURS.len() {
        for merchant in [EVERYTHING, WRITES, WITHOUT_ACCOUNT] {
            let n = number_of(behaviour, merchant);
            let account = (merchant != WITHOUT_ACCOUNT).then(|| n.to_string());
            merchants.push(json!({
                "id": format!("m-{n}"), "slug": format!("s-{n}"), "status": "ACTIVE", "name": "M", "currency": "SEK",
                "networkMerchantId": account, "settlementMode": "SETTLEMENT_ON_REDEMPTION",
                "brand": {"logoUrl": "https://m.example/logo.png"},
            }));
            if merchant == WITHOUT_ACCOUNT {
                continue;
            }
            users.push(json!({
                "id": format!("u-{n}"), "email": format!("u{n}@m.example"), "emailVerified": true,
                "merchantId": format!("m-{n}"), "merchantTeamRole": "ADMIN",
            }));
            let card = json!({"id": format!("g-{n}"), "qrCode": format!("C{n}"), "status": "ISSUED", "valueMinor": 50000, "currency": "SEK"});
            orders.push(json!({
                "id": format!("o-{n}"), "merchantId": format!("m-{n}"), "createdAt": "2026-01-01T10:00:00Z",
                "status": "COMPLETED", "currency": "SEK", "totalAmountMinor": 50000, "giftCards": [card],
            }));
        }
    }
    json!({"merchants": merchants, "users": users, "orders": orders})
}

/// The digits after a prefix.
fn digits(text: &str) -> Option<usize> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// What the network answers to a request, and which behaviour it has for it.
fn choose(references: &References, request: &Request) -> (Option<&'static Behaviour>, Value) {
    let path: Vec<&str> = request.path.trim_start_matches("/v1/").split('/').collect();
    let body = request.json();
    let of_body = || digits(body["merchantId"].as_str().unwrap_or_default());
    let (number, honest, is_certainly_honest) = match (request.method.as_str(), path.as_slice()) {
        ("GET", ["operations", reference]) => {
            let Some((number, answer)) = references.get(reference) else { return (None, Value::Null) };
            (Some(number), answer["answer"].clone(), answer["isHonest"] == true)
        }
        ("POST", ["cards", kind]) => {
            let number = of_body();
            let honest = moved(kind, request, &body);
            if let (Some(number), Some(reference)) = (number, request.header("idempotency-key")) {
                remember(references, reference, number, kind, &body, &honest);
            }
            (number, honest, false)
        }
        ("GET", ["cards", code]) => (digits(&code[1..]), card(code), code.starts_with('H')),
        ("POST", ["offers"]) => (of_body(), offer(of_body().unwrap_or_default()), false),
        (_, ["offers", id]) => (digits(id), offer(digits(id).unwrap_or_default()), false),
        (_, ["merchants", id, rest @ ..]) => {
            (digits(id), of_merchant(digits(id).unwrap_or_default(), rest, &request.method), false)
        }
        _ => (None, Value::Null, true),
    };
    let Some(offset) = number.and_then(|number| number.checked_sub(FIRST)) else { return (None, honest) };
    let is_honest = is_certainly_honest || (offset % MERCHANTS == WRITES && request.method == "GET" && path[0] != "operations");
    (BEHAVIOURS.get(offset / MERCHANTS).filter(|_| !is_honest), honest)
}

/// Keeps what the network says of the call later. It did what it may have done.
fn remember(references: &References, reference: &str, number: usize, kind: &str, body: &Value, honest: &Value) {
    let mark = body["paymentReference"].as_str().or(body["retailStoreName"].as_str()).unwrap_or_default();
    let mode = LOOK_UPS.iter().find(|(name, _)| mark.starts_with(name)).map_or(LookUp::Hostile, |(_, mode)| *mode);
    let truth = BEHAVIOURS[(number - FIRST) / MERCHANTS].truth;
    let kind = kind.to_uppercase();
    let succeeded = recorded(reference, &kind, 200, honest);
    let failed = recorded(reference, &kind, 422, &json!({"code": "CARD_BLOCKED"}));
    let answer = match mode {
        LookUp::Hostile if truth == Truth::NotMoved => failed,
        LookUp::Hostile | LookUp::Succeeded => succeeded,
        LookUp::Failed => failed,
        LookUp::NeverReceived => Value::Null,
    };
    references.remember(reference, number, json!({"answer": answer, "isHonest": mode != LookUp::Hostile}));
}

fn moved(kind: &str, request: &Request, body: &Value) -> Value {
    let reference = request.header("idempotency-key").unwrap_or_default();
    if kind == "issue" {
        json!({"reservationCode": "r", "orderHash": "h", "giftCardId": format!("g-{reference}"), "cardNo": "9752", "qrCode": format!("N-{reference}")})
    } else {
        json!({
            "transactionId": format!("t-{reference}"), "qrCode": body["qrCode"], "amount": body["redeemAmount"],
            "currency": body["currency"], "valueRemains": 400, "status": "ACTIVE", "networkCode": "nc",
        })
    }
}

fn card(code: &str) -> Value {
    let merchant = digits(&code[1..]).unwrap_or_default().to_string();
    json!({
        "qrCode": code, "cardNo": "9752", "giftCardId": "g", "merchantId": merchant, "status": "ACTIVE", "value": 500,
        "valueRemains": 400, "currency": "SEK", "junk": JUNK,
    })
}

fn offer(number: usize) -> Value {
    json!({
        "giftCardOfferId": number, "merchantId": number.to_string(), "name": "Card", "giftCardOfferType": "GIFTCARD_DIGITAL",
        "giftCardOfferStatus": "AVAILABLE", "currency": "SEK", "minPrice": 50, "maxPrice": 5000, "junk": JUNK,
    })
}

fn of_merchant(number: usize, rest: &[&str], method: &str) -> Value {
    let store = json!({"externalId": "main", "name": "Main", "status": "ACTIVE", "junk": JUNK});
    match (method, rest) {
        ("GET", ["stores"]) => json!({"retailStores": [store]}),
        (_, ["stores", ..]) => store,
        (_, ["offers"]) => json!({"offers": [offer(number)]}),
        _ => json!({
            "merchantId": number.to_string(), "name": "M", "logoUrl": "https://n.example/l.png",
            "termsUrl": "https://n.example/terms", "country": "SE", "currency": "SEK", "status": "ACTIVE", "junk": JUNK,
        }),
    }
}

/// A system whose card network is hostile.
struct Attacked {
    system: System,
    tokens: HashMap<String, String>,
    network: Rogue,
    trap: Trap,
    sent: AtomicUsize,
    certain: AtomicUsize,
}

impl Attacked {
    async fn start() -> Self {
        let trap = Trap::start().await;
        let references = References::default();
        let network = Rogue::start(&trap, move |request| choose(&references, request)).await;
        let options = Options { card_network: Some(network.url.clone()), ..Options::default() };
        let system = System::with_options(options, &fixtures()).await;
        let secret = json!({"apiKey": API_KEY});
        system.local.rotate_secret("portal/card-network", &secret).await.unwrap();
        let mut tokens = HashMap::from([("u-root".to_owned(), system.sign_in("u-root").await)]);
        for n in (0..BEHAVIOURS.len()).flat_map(|behaviour| [EVERYTHING, WRITES].map(|merchant| number_of(behaviour, merchant))) {
            tokens.insert(format!("u-{n}"), system.sign_in(&format!("u-{n}")).await);
        }
        Self { system, tokens, network, trap, sent: AtomicUsize::new(0), certain: AtomicUsize::new(0) }
    }

    async fn send(&self, token: &str, method: &str, path: &str, body: &str, key: Option<&str>) -> (Answer, Duration) {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = self.system.request(method, path).bearer_auth(token);
        if !body.is_empty() {
            request = request.header("content-type", "application/json").body(body.to_owned());
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        let answer = self.system.send(request).await.unwrap();
        (answer, begun.elapsed())
    }

    /// Tries one cell, and then whether the next honest call works.
    async fn attempt(&self, behaviour: usize, cell: Cell, found: &Found) {
        let merchant = match cell {
            Cell::Read(route) => route.merchant,
            Cell::Money { .. } => WRITES,
        };
        let n = number_of(behaviour, merchant);
        let user = if merchant == WITHOUT_ACCOUNT { "u-root".to_owned() } else { format!("u-{n}") };
        let token = &self.tokens[&user];
        match cell {
            Cell::Read(route) => self.read(behaviour, route, token, n, found).await,
            Cell::Money { kind, look_up, with_key } => {
                self.move_money(behaviour, kind, LOOK_UPS[look_up], with_key, token, n, found).await;
            }
        }
        if merchant != WITHOUT_ACCOUNT {
            let path = format!("/api/bff/pos/card/H{n}");
            let (answer, time) = self.send(token, "GET", &path, "", None).await;
            if answer.status != 200 || !String::from_utf8_lossy(&answer.body).contains(&format!("H{n}")) || time > MAX_TIME {
                found.add(format!("{}: the next honest call: {} after {time:?}", BEHAVIOURS[behaviour].name, answer.status));
            }
        }
    }

    async fn read(&self, index: usize, route: &Route, token: &str, n: usize, found: &Found) {
        let behaviour = &BEHAVIOURS[index];
        let fill =
            |text: &str| text.replace("{n}", &n.to_string()).replace("{account}", &number_of(index, FREE_ACCOUNT).to_string());
        let (path, body) = (fill(route.path), fill(route.body));
        let (answer, time) = self.send(token, route.method, &path, &body, None).await;
        let context = format!("{} {}, {}", route.method, route.path, behaviour.name);
        check(&context, route.method, &path, &answer, time, found);
        let has_junk = String::from_utf8_lossy(&answer.body).contains(JUNK);
        let may_have_junk = if answer.status < 400 { route.shows_others } else { route.failure == Failure::PassedOn };
        if has_junk && !may_have_junk {
            found.add(format!("{context}: junk in the body of status {}", answer.status));
        }
        let sent_500 = matches!(
            behaviour.name,
            "status 500"
                | "a failure with what we sent"
                | "a hundred megabytes with status 500"
                | "a reason of control characters"
        );
        let is_wrong = match route.failure {
            Failure::None => answer.status != 200,
            Failure::PassedOn | Failure::StatusOnly => answer.status == 500 && !sent_500,
            Failure::Own => answer.status >= 400 && ![500, 502, 409, 400].contains(&answer.status),
        };
        if is_wrong {
            found.add(format!("{context}: status {}: {}", answer.status, String::from_utf8_lossy(&answer.body)));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the coordinates of a cell")]
    async fn move_money(
        &self,
        index: usize,
        kind: &str,
        (mode, look_up): (&str, LookUp),
        with_key: bool,
        token: &str,
        n: usize,
        found: &Found,
    ) {
        let behaviour = &BEHAVIOURS[index];
        let body = if kind == "issue" {
            json!({"value": 100, "giftCardOfferId": n, "deliveryDetails": {"deliveryType": "QR"}, "paymentReference": format!("{mode}-{with_key}")})
        } else {
            json!({"qrCode": format!("C{n}"), "redeemAmount": 10, "purchaseAmount": 10, "retailStoreName": mode})
        };
        let key = with_key.then(|| format!("{kind}-{mode}"));
        let path = format!("/api/bff/pos/{kind}");
        let (answer, time) = self.send(token, "POST", &path, &body.to_string(), key.as_deref()).await;
        let context = format!("{kind}, key {with_key}, {}, look-up {mode}", behaviour.name);
        check(&context, "POST", &path, &answer, time, found);
        self.check_money(&context, truth(behaviour.truth, look_up), &answer, found);

        let details = answer.json();
        let details = if kind == "issue" { &details["error"]["details"] } else { &details["details"] };
        let Some(reference) = details["reference"].as_str() else { return };
        // The answer says that it is unknown: asking leads to no other certainty than is true.
        let path = format!("/api/bff/pos/operations/{reference}");
        let (answer, time) = self.send(token, "GET", &path, "", None).await;
        check(&format!("{context}, asked again"), "GET", &path, &answer, time, found);
        self.check_money(&format!("{context}, asked again"), truth(behaviour.truth, look_up), &answer, found);
        found.open.lock().unwrap().push((context, token.to_owned(), reference.to_owned(), truth(behaviour.truth, look_up)));
    }

    /// `Money-Moved` may not say more than is true.
    fn check_money(&self, context: &str, truth: Truth, answer: &Answer, found: &Found) {
        let said = answer.headers.get("money-moved").map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default();
        let is_allowed = match truth {
            Truth::Moved => matches!(said.as_str(), "yes" | "unknown"),
            Truth::NotMoved => matches!(said.as_str(), "no" | "not-yet" | "unknown"),
            Truth::Open => said == "unknown",
        };
        if said != "unknown" {
            self.certain.fetch_add(1, Ordering::Relaxed);
        }
        if !is_allowed {
            found.add(format!("{context}: Money-Moved is {said:?} with status {}, and the truth is {truth:?}", answer.status));
        }
    }
}

fn check(context: &str, method: &str, path: &str, answer: &Answer, time: Duration, found: &Found) {
    for violation in contract::violations(method, path, answer) {
        found.add(format!("{context}: {violation}"));
    }
    if time > MAX_TIME {
        found.add(format!("{context}: answered after {time:?}"));
    }
    if answer.headers.values().any(|value| String::from_utf8_lossy(value).contains(JUNK)) {
        found.add(format!("{context}: junk in the headers: {:?}", answer.headers));
    }
    let retry_after = answer.headers.get("retry-after").map(|value| String::from_utf8_lossy(value).parse::<u32>());
    if retry_after.is_some_and(|seconds| !seconds.is_ok_and(|seconds| seconds <= 3600)) {
        found.add(format!("{context}: the headers {:?}", answer.headers));
    }
    if String::from_utf8_lossy(&answer.body).contains(API_KEY) {
        found.add(format!("{context}: the key of the network is in the answer"));
    }
}

/// What is true once the network was asked.
fn truth(answered: Truth, look_up: LookUp) -> Truth {
    match (answered, look_up) {
        (Truth::Open, LookUp::Succeeded) => Truth::Moved,
        (Truth::Open, LookUp::Failed | LookUp::NeverReceived) => Truth::NotMoved,
        (truth, _) => truth,
    }
}

/// The cells of a behaviour: the look-up says nothing that the answer has not said.
fn cells(behaviour: &Behaviour, index: usize, effort: Effort) -> Vec<Cell> {
    let rotated = (0..ROUTES.len()).map(|i| &ROUTES[(index + i) % ROUTES.len()]);
    let reads = rotated.take(effort.choose(2, ROUTES.len())).map(Cell::Read);
    let consistent = |look_up: LookUp| match behaviour.truth {
        Truth::Moved => matches!(look_up, LookUp::Hostile | LookUp::Succeeded),
        Truth::NotMoved => matches!(look_up, LookUp::Hostile | LookUp::Failed),
        Truth::Open => true,
    };
    let look_ups = (0..LOOK_UPS.len()).filter(|look_up| consistent(LOOK_UPS[*look_up].1));
    let money = look_ups.flat_map(|look_up| {
        let kinds = [("issue", false), ("issue", true), ("redeem", false), ("redeem", true)].into_iter();
        kinds
            .enumerate()
            .filter(move |(i, _)| effort.choose(*i == (index + look_up) % 4, true))
            .map(move |(_, kind)| (look_up, kind))
    });
    reads.chain(money.map(|(look_up, (kind, with_key))| Cell::Money { kind, look_up, with_key })).collect()
}

/// Tries every behaviour on every route.
pub(super) async fn attack(effort: Effort, found: &Found) -> Vec<(usize, &'static str)> {
    let attacked = Attacked::start().await;
    let small = BEHAVIOURS.iter().enumerate().filter(|(_, behaviour)| !behaviour.is_large());
    let cells_of = |(index, behaviour)| cells(behaviour, index, effort).into_iter().enumerate().map(move |cell| (index, cell));
    let mut all: Vec<(usize, (usize, Cell))> = small.flat_map(cells_of).collect();
    // Those that wait for time-outs are spread over the run.
    all.sort_by_key(|(_, (position, _))| *position);
    stream::iter(&all).for_each_concurrent(CONCURRENCY, |(index, (_, cell))| attacked.attempt(*index, *cell, found)).await;

    let (large, peak) = attacked.try_large(effort, found).await;
    attacked.settle(found).await;
    if attacked.trap.connections() > 0 {
        found.add(format!("{} redirects of the card network were followed", attacked.trap.connections()));
    }
    found.note_peak(peak);
    let sent = attacked.sent.load(Ordering::Relaxed);
    vec![
        (BEHAVIOURS.len(), "behaviours of the card network"),
        (ROUTES.len() + 2, "routes"),
        (all.len() + large, "cells"),
        (sent, "requests"),
        (attacked.certain.load(Ordering::Relaxed), "of them certain about money"),
    ]
}

impl Attacked {
    /// Behaviours that send more than is accepted, one request after the other.
    async fn try_large(&self, effort: Effort, found: &Found) -> (usize, u64) {
        let (mut tried, mut largest) = (0, 0);
        for (index, behaviour) in BEHAVIOURS.iter().enumerate().filter(|(_, behaviour)| behaviour.is_large()) {
            let cells = cells(behaviour, index, effort);
            let count = effort.choose(2, cells.len());
            for cell in cells.into_iter().take(count) {
                let peak = PeakMemory::begin();
                self.attempt(index, cell, found).await;
                let used = peak.used();
                largest = largest.max(used);
                tried += 1;
                if used > MAX_MEMORY {
                    found.add(format!("{}: {} MB of memory", behaviour.name, used / 1024 / 1024));
                }
            }
        }
        (tried, largest)
    }

    /// Once the network is honest, what became of each open operation is what is true. Background work is paused meanwhile: an
    /// operation that the sweep is working on is open for whoever asks.
    async fn settle(&self, found: &Found) {
        let open = std::mem::take(&mut *found.open.lock().unwrap());
        let asked = async {
            self.network.is_honest.store(true, Ordering::Relaxed);
            let each = |(context, token, reference, truth): (String, String, String, Truth)| async move {
                let path = format!("/api/bff/pos/operations/{reference}");
                let (answer, _) = self.send(&token, "GET", &path, "", None).await;
                let status = answer.json()["data"]["status"].as_str().unwrap_or_default().to_owned();
                let expected = if truth == Truth::NotMoved { "FAILED" } else { "SUCCEEDED" };
                if status != expected {
                    found.add(format!("{context}: later the operation is {status}, and not {expected}"));
                }
            };
            stream::iter(open).for_each_concurrent(8, each).await;
        };
        self.system.local.pause(asked).await;
    }
}
