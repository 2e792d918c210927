//! Every behaviour of a card network on every route that calls it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use futures_util::{StreamExt, stream};
use local::Options;
use reqwest::Method;
use serde_json::{Value, json};
use world::shop::{member, merchant, order, payment, platform_administrator, sale, with};
use world::{ApiResponse, Caller, System, contract};

use super::behaviours::{BEHAVIOURS, Behaviour, JUNK, Truth};
use super::rogue::{Request, Rogue};
use super::{MAX_TIME, PeakMemory};
use crate::Effort;
use crate::report::Report;

/// The key of the card network. It appears in no answer.
const API_KEY: &str = "KEY-of-the-network-0b7d41c6";
/// How many requests wait at once.
const CONCURRENCY: usize = 32;

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
use Failure::{Own, PassedOn, StatusOnly};

/// Method; path, where `{n}` is the number of the merchant at the network; body; merchant; what it says when the network fails; and
/// whether a success has fields of the network that the portal does not know.
type Route = (Method, &'static str, &'static str, usize, Failure, bool);

const STORE: &str = r#"{"externalId": "main", "name": "Main", "address1": "A 1", "city": "C", "postcode": "1", "country": "SE"}"#;
const OFFER: &str =
    r#"{"name": "Card", "giftCardOfferType": "GIFTCARD_DIGITAL", "minPrice": 1, "maxPrice": 9, "currency": "SEK"}"#;
const ACCOUNT: &str = r#"{"networkMerchantId": "{account}", "reason": "r"}"#;

/// The routes that call the network, but for those that move money.
static ROUTES: [Route; 18] = [
    (Method::GET, "/api/bff/pos/card/C{n}", "", EVERYTHING, PassedOn, true),
    (Method::GET, "/api/bff/offers", "", EVERYTHING, PassedOn, true),
    (Method::GET, "/api/merchants/s-{n}", "", EVERYTHING, Failure::None, false),
    (Method::GET, "/api/bff/merchant-orders/o-{n}/gift-cards/g-{n}/balance", "", EVERYTHING, Own, false),
    (Method::POST, "/api/bff/retail-store", STORE, WRITES, PassedOn, true),
    (Method::PUT, "/api/bff/offers/{n}", r#"{"description": "d"}"#, WRITES, PassedOn, true),
    (Method::GET, "/api/merchants/s-{n}/catalog", "", EVERYTHING, Own, false),
    (Method::GET, "/api/bff/cards/C{n}", "", EVERYTHING, PassedOn, true),
    (Method::GET, "/api/bff/cards/C{n}/history", "", EVERYTHING, PassedOn, true),
    (Method::GET, "/api/bff/pos/offers", "", EVERYTHING, PassedOn, false),
    (Method::GET, "/api/bff/offers/{n}", "", EVERYTHING, PassedOn, true),
    (Method::POST, "/api/bff/offers", OFFER, WRITES, StatusOnly, true),
    (Method::GET, "/api/bff/merchant-stores", "", EVERYTHING, Failure::None, true),
    (Method::PUT, "/api/bff/retail-store", STORE, WRITES, PassedOn, true),
    (Method::PATCH, "/api/bff/offers/{n}/status", r#"{"status": "HIDDEN"}"#, EVERYTHING, PassedOn, true),
    (Method::POST, "/api/bff/offers", OFFER, EVERYTHING, StatusOnly, true),
    (Method::GET, "/shop/s-{n}", "", EVERYTHING, Own, false),
    (Method::PATCH, "/api/admin/merchants/m-{n}", ACCOUNT, WITHOUT_ACCOUNT, Own, false),
];

/// Whose failures are answered with the status 500, since the network said so.
const SENT_500: [&str; 4] =
    ["status 500", "a failure with what we sent", "a hundred megabytes with status 500", "a reason of control characters"];

/// JSON that `serde_json` does not read. Browsers read such numbers and texts of the card network, which are passed on as they are.
const UNREADABLE: [&str; 3] = ["number out of range", "unexpected end of hex escape", "lone leading surrogate"];

/// How the network answers the question what became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LookUp {
    Hostile,
    Succeeded,
    Failed,
    Never,
}

const LOOK_UPS: [(&str, LookUp); 4] =
    [("hostile", LookUp::Hostile), ("succeeded", LookUp::Succeeded), ("failed", LookUp::Failed), ("never", LookUp::Never)];

/// One request that the network answers with a behaviour.
#[derive(Clone, Copy)]
enum Cell {
    Read(&'static Route),
    Money { kind: &'static str, look_up: (&'static str, LookUp), with_key: bool },
}

fn number_of(behaviour: usize, merchant: usize) -> usize {
    FIRST + behaviour * MERCHANTS + merchant
}

fn fixtures() -> Value {
    let (mut merchants, mut users, mut orders) = (Vec::new(), vec![platform_administrator("u-root")], Vec::new());
    for behaviour in 0..BEHAVIOURS.len() {
        for kind in [EVERYTHING, WRITES, WITHOUT_ACCOUNT] {
            let n = number_of(behaviour, kind);
            let id = format!("m-{n}");
            let account = (kind != WITHOUT_ACCOUNT).then(|| n.to_string());
            let brand =
                json!({"slug": format!("s-{n}"), "networkMerchantId": account, "brand": {"logoUrl": "https://m.example/l.png"}});
            merchants.push(merchant(&id, "", "SEK", &brand));
            users.push(member(&format!("u-{n}"), &id, &json!({"emailVerified": true})));
            let card = json!({"id": format!("g-{n}"), "qrCode": format!("C{n}"), "status": "ISSUED", "valueMinor": 50_000, "currency": "SEK"});
            let sold = json!({"merchantId": id, "status": "COMPLETED", "currency": "SEK", "totalAmountMinor": 50_000, "giftCards": [card]});
            orders.push(order(&format!("o-{n}"), "2026-01-01T10:00:00Z", &sold));
        }
    }
    json!({"merchants": merchants, "users": users, "orders": orders})
}

/// The number at the start of a text.
fn digits(text: &str) -> Option<usize> {
    let end = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// What the network knows of references: the merchant's number, what it says when it is asked, and whether it then is honest.
type References = Mutex<HashMap<String, (usize, Value, bool)>>;

/// What the network answers to a request, and which behaviour it has for it.
fn choose(references: &References, request: &Request) -> (Option<&'static Behaviour>, Value) {
    let path: Vec<&str> = request.path.trim_start_matches("/v1/").split('/').collect();
    let body = request.json();
    let of_body = digits(body["merchantId"].as_str().unwrap_or_default());
    let is_read = request.method == "GET";
    let (number, honest, is_certainly_honest) = match path.as_slice() {
        ["operations", reference] if is_read => match references.lock().unwrap().get(*reference) {
            Some((number, answer, is_honest)) => (Some(*number), answer.clone(), *is_honest),
            None => return (None, json!({"code": "OPERATION_NOT_FOUND"})),
        },
        ["cards", kind] if !is_read => {
            let reference = request.header("idempotency-key").unwrap_or_default();
            let honest = moved(kind, reference, &body);
            if let Some(number) = of_body {
                remember(references, reference, number, kind, &body, &honest);
            }
            (of_body, honest, false)
        }
        ["cards", code] => (digits(&code[1..]), card(code), code.starts_with('H')),
        ["offers"] if !is_read => (of_body, offer(of_body.unwrap_or_default()), false),
        ["offers", id, ..] => (digits(id), offer(digits(id).unwrap_or_default()), false),
        ["merchants", id, rest @ ..] => (digits(id), of_merchant(digits(id).unwrap_or_default(), rest, is_read), false),
        _ => (None, Value::Null, true),
    };
    let Some(offset) = number.and_then(|number| number.checked_sub(FIRST)) else { return (None, honest) };
    let is_honest = is_certainly_honest || (offset % MERCHANTS == WRITES && is_read && path[0] != "operations");
    (BEHAVIOURS.get(offset / MERCHANTS).filter(|_| !is_honest), honest)
}

/// Keeps what the network says of the call later. It did what it may have done.
fn remember(references: &References, reference: &str, number: usize, kind: &str, body: &Value, honest: &Value) {
    let mark = body["paymentReference"].as_str().or(body["retailStoreName"].as_str()).unwrap_or_default();
    let mode = LOOK_UPS.iter().find(|(name, _)| mark.starts_with(name)).map_or(LookUp::Hostile, |(_, mode)| *mode);
    let truth = BEHAVIOURS[(number - FIRST) / MERCHANTS].truth;
    let recorded = |status: &str, code: u16, result: &Value| json!({"reference": reference, "kind": kind.to_uppercase(), "status": status, "httpStatus": code, "result": result});
    let failed = recorded("FAILED", 422, &json!({"code": "CARD_BLOCKED"}));
    let answer = match mode {
        LookUp::Hostile if truth == Truth::NotMoved => failed,
        LookUp::Hostile | LookUp::Succeeded => recorded("SUCCEEDED", 200, honest),
        LookUp::Failed => failed,
        LookUp::Never => json!({"code": "OPERATION_NOT_FOUND"}),
    };
    references.lock().unwrap().entry(reference.to_owned()).or_insert((number, answer, mode != LookUp::Hostile));
}

fn moved(kind: &str, reference: &str, body: &Value) -> Value {
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
    let card = world::shop::card(&merchant, code, 500, "SEK");
    with(card, &json!({"cardNo": "9752", "giftCardId": "g", "valueRemains": 400, "junk": JUNK}))
}

fn offer(number: usize) -> Value {
    let fields =
        json!({"giftCardOfferId": number, "name": "Card", "currency": "SEK", "minPrice": 50, "maxPrice": 5_000, "junk": JUNK});
    world::shop::offer(&number.to_string(), 0, &fields)
}

fn of_merchant(number: usize, rest: &[&str], is_read: bool) -> Value {
    let store = json!({"externalId": "main", "name": "Main", "status": "ACTIVE", "junk": JUNK});
    match rest {
        ["stores"] if is_read => json!({"retailStores": [store]}),
        ["stores", ..] => store,
        ["offers"] => json!({"offers": [offer(number)]}),
        _ => json!({
            "merchantId": number.to_string(), "name": "M", "logoUrl": "https://n.example/l.png",
            "termsUrl": "https://n.example/terms", "country": "SE", "currency": "SEK", "status": "ACTIVE", "junk": JUNK,
        }),
    }
}

/// An operation whose outcome was unknown: the cell, the caller, its path, and what is true.
type Open = (String, Caller, String, Truth);

/// A system whose card network is hostile.
struct Attacked<'a> {
    system: System,
    callers: HashMap<usize, Caller>,
    root: Caller,
    network: Rogue,
    report: &'a Report,
    open: Mutex<Vec<Open>>,
    sent: AtomicUsize,
    certain: AtomicUsize,
}

/// Tries every behaviour on every route.
pub(super) async fn attack(effort: Effort, report: &Report) {
    let attacked = Attacked::start(report).await;
    let (large, small): (Vec<_>, Vec<_>) = BEHAVIOURS.iter().enumerate().partition(|(_, behaviour)| behaviour.is_large());
    let cells_of = |(index, behaviour)| cells(behaviour, index, effort).into_iter().enumerate().map(move |cell| (index, cell));
    let mut all: Vec<(usize, (usize, Cell))> = small.into_iter().flat_map(cells_of).collect();
    // Those that wait for time-outs are spread over the run.
    all.sort_by_key(|(_, (position, _))| *position);
    stream::iter(&all).for_each_concurrent(CONCURRENCY, |(index, (_, cell))| attacked.attempt(*index, *cell)).await;

    // Those that send more than is accepted, one request after the other.
    let mut tried = all.len();
    for (index, behaviour) in large {
        let cells = cells(behaviour, index, effort);
        for cell in cells.iter().take(effort.choose(2, cells.len())) {
            let memory = PeakMemory::begin();
            attacked.attempt(index, *cell).await;
            memory.check(behaviour.name, report);
            tried += 1;
        }
    }
    attacked.system.local.pause(attacked.settle()).await;
    attacked.network.check_trap(report);
    report.figure(format!(
        "{} behaviours of the card network on {} routes, in {tried} cells",
        BEHAVIOURS.len(),
        ROUTES.len() + 2
    ));
    report.count(attacked.sent.into_inner(), "requests");
    report.count(attacked.certain.into_inner(), "of them certain about money");
}

/// The cells of a behaviour: the look-up says nothing that the answer has not said.
fn cells(behaviour: &Behaviour, index: usize, effort: Effort) -> Vec<Cell> {
    let rotated = (0..ROUTES.len()).map(|i| &ROUTES[(index + i) % ROUTES.len()]);
    let reads = rotated.take(effort.choose(2, ROUTES.len())).map(Cell::Read);
    let mut cells: Vec<Cell> = reads.collect();
    for (number, look_up) in LOOK_UPS.into_iter().enumerate() {
        let is_consistent = match behaviour.truth {
            Truth::Moved => matches!(look_up.1, LookUp::Hostile | LookUp::Succeeded),
            Truth::NotMoved => matches!(look_up.1, LookUp::Hostile | LookUp::Failed),
            Truth::Open => true,
        };
        let kinds = [("issue", false), ("issue", true), ("redeem", false), ("redeem", true)];
        let tried = kinds.into_iter().enumerate().filter(|(i, _)| effort.choose(*i == (index + number) % 4, true));
        cells.extend(tried.filter(|_| is_consistent).map(|(_, (kind, with_key))| Cell::Money { kind, look_up, with_key }));
    }
    cells
}

impl<'a> Attacked<'a> {
    async fn start(report: &'a Report) -> Self {
        let references = Arc::<References>::default();
        let network = Rogue::start(move |request| choose(&references, request)).await;
        let system = System::without_fixtures(Options { card_network: Some(network.url.clone()), ..Options::default() }).await;
        system.load_fixtures(&fixtures()).await;
        system.local.rotate_secret("portal/card-network", &json!({"apiKey": API_KEY})).await.unwrap();
        let mut callers = HashMap::new();
        for n in (0..BEHAVIOURS.len()).flat_map(|behaviour| [EVERYTHING, WRITES].map(|merchant| number_of(behaviour, merchant))) {
            callers.insert(n, system.sign_in(&format!("u-{n}")).await);
        }
        let root = system.sign_in("u-root").await;
        let (open, sent, certain) = (Mutex::default(), AtomicUsize::default(), AtomicUsize::default());
        Self { system, callers, root, network, report, open, sent, certain }
    }

    async fn send(
        &self,
        caller: &Caller,
        method: &Method,
        path: &str,
        body: &str,
        key: Option<&str>,
        context: &str,
    ) -> ApiResponse {
        let mut request = caller.request(method.clone(), path);
        if !body.is_empty() {
            request = request.header("content-type", "application/json").body(body.to_owned());
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        self.sent.fetch_add(1, Ordering::Relaxed);
        let begun = Instant::now();
        let response = world::send(request).await.unwrap();
        self.check(context, method, path, &response);
        if begun.elapsed() > MAX_TIME {
            self.report.breach(format!("{context}: answered after {:?}", begun.elapsed()));
        }
        response
    }

    fn check(&self, context: &str, method: &Method, path: &str, response: &ApiResponse) {
        let error = serde_json::from_slice::<Value>(&response.bytes).err().map(|error| error.to_string());
        let is_unreadable = error.is_some_and(|error| UNREADABLE.iter().any(|cause| error.contains(cause)));
        let mut wrong = if is_unreadable { Vec::new() } else { contract::violations(method.as_str(), path, response) };
        if response.headers.values().any(|value| String::from_utf8_lossy(value.as_bytes()).contains(JUNK)) {
            wrong.push("junk in the headers".to_owned());
        }
        if response.header("retry-after").is_some_and(|seconds| !seconds.parse().is_ok_and(|seconds: u32| seconds <= 3_600)) {
            wrong.push("an odd Retry-After".to_owned());
        }
        if response.contains(API_KEY) {
            wrong.push("the key of the network is in the answer".to_owned());
        }
        for wrong in wrong {
            self.report.breach(format!("{context}: {wrong}: {:?}", response.headers));
        }
    }

    /// Tries one cell, and then whether the next honest call works.
    async fn attempt(&self, index: usize, cell: Cell) {
        let name = BEHAVIOURS[index].name;
        let n = match cell {
            Cell::Read((_, _, _, merchant, ..)) => number_of(index, *merchant),
            Cell::Money { .. } => number_of(index, WRITES),
        };
        let caller = self.callers.get(&n);
        match cell {
            Cell::Read(route) => self.read(index, route, caller.unwrap_or(&self.root), n).await,
            Cell::Money { kind, look_up, with_key } => {
                self.move_money(index, kind, look_up, with_key, &self.callers[&n], n).await;
            }
        }
        if let Some(caller) = caller {
            let context = format!("{name}: the next honest call");
            let shown = self.send(caller, &Method::GET, &format!("/api/bff/pos/card/H{n}"), "", None, &context).await;
            if shown.status != 200 || !shown.contains(&format!("H{n}")) {
                self.report.breach(format!("{context}: {}", shown.status));
            }
        }
    }

    async fn read(&self, index: usize, route: &Route, caller: &Caller, n: usize) {
        let (method, path, body, _, failure, shows_others) = route;
        let name = BEHAVIOURS[index].name;
        let [path, body] = [path, body]
            .map(|text| text.replace("{n}", &n.to_string()).replace("{account}", &number_of(index, FREE_ACCOUNT).to_string()));
        let context = format!("{method} {}, {name}", route.1);
        let response = self.send(caller, method, &path, &body, None, &context).await;
        let status = response.status;
        let may_have_junk = if status < 400 { *shows_others } else { *failure == PassedOn };
        let is_right = match failure {
            Failure::None => status == 200,
            PassedOn | StatusOnly => status != 500 || SENT_500.contains(&name),
            Own => status < 400 || [500, 502, 409, 400].contains(&status),
        };
        if !is_right || (response.contains(JUNK) && !may_have_junk) {
            self.report.breach(format!("{context}: {status}: {}", response.body));
        }
    }

    async fn move_money(&self, index: usize, kind: &str, look_up: (&str, LookUp), with_key: bool, caller: &Caller, n: usize) {
        let Behaviour { name, truth, .. } = BEHAVIOURS[index];
        let (mode, look_up) = look_up;
        // What is true once the network was asked.
        let truth = match (truth, look_up) {
            (Truth::Open, LookUp::Succeeded) => Truth::Moved,
            (Truth::Open, LookUp::Failed | LookUp::Never) => Truth::NotMoved,
            (truth, _) => truth,
        };
        let body = if kind == "issue" {
            with(sale(100), &json!({"giftCardOfferId": n, "paymentReference": format!("{mode}-{with_key}")}))
        } else {
            with(payment(format!("C{n}"), 10), &json!({"retailStoreName": mode}))
        };
        let key = with_key.then(|| format!("{kind}-{mode}"));
        let context = format!("{kind}, key {with_key}, {name}, look-up {mode}");
        let path = format!("/api/bff/pos/{kind}");
        let response = self.send(caller, &Method::POST, &path, &body.to_string(), key.as_deref(), &context).await;
        self.check_money(&context, truth, &response);

        let details = if kind == "issue" { "/error/details/reference" } else { "/details/reference" };
        let Some(reference) = response.at(details).as_str() else { return };
        // The answer says that it is unknown: asking leads to no other certainty than is true.
        let path = format!("/api/bff/pos/operations/{reference}");
        let context = format!("{context}, asked again");
        let response = self.send(caller, &Method::GET, &path, "", None, &context).await;
        self.check_money(&context, truth, &response);
        self.open.lock().unwrap().push((context, caller.clone(), path, truth));
    }

    /// `Money-Moved` may not say more than is true.
    fn check_money(&self, context: &str, truth: Truth, response: &ApiResponse) {
        let said = response.header("money-moved").unwrap_or_default();
        let is_allowed = match truth {
            Truth::Moved => matches!(said, "yes" | "unknown"),
            Truth::NotMoved => matches!(said, "no" | "not-yet" | "unknown"),
            Truth::Open => said == "unknown",
        };
        self.certain.fetch_add(usize::from(said != "unknown"), Ordering::Relaxed);
        if !is_allowed {
            self.report
                .breach(format!("{context}: Money-Moved is {said:?} with {}, and the truth is {truth:?}", response.status));
        }
    }

    /// Once the network is honest, what became of each open operation is what is true. Background work is paused meanwhile: an
    /// operation that the sweep is working on is open for whoever asks.
    async fn settle(&self) {
        self.network.reform();
        let ask = async |(context, caller, path, truth): Open| {
            let shown = self.send(&caller, &Method::GET, &path, "", None, &context).await;
            let expected = match truth {
                // It has asked to wait for an hour.
                _ if context.contains(", status 429, ") => "OPEN",
                Truth::NotMoved => "FAILED",
                Truth::Moved | Truth::Open => "SUCCEEDED",
            };
            if shown.at("/data/status") != expected {
                self.report.breach(format!("{context}: later the operation is {}, and not {expected}", shown.at("/data/status")));
            }
        };
        let open = std::mem::take(&mut *self.open.lock().unwrap());
        stream::iter(open).for_each_concurrent(8, ask).await;
    }
}
