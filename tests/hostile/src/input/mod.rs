//! Requests that are malformed in every way: fields, texts, queries, ids, paths, headers, lengths, methods and forms.
//!
//! Each begins as a valid request to a route, of a caller who may make it, and is changed once. It must be answered, never with a
//! server error, and nothing of it may come back as markup or in a header. After each batch, all lists, reports and searches of
//! all merchants must still read.

mod mutations;
mod values;
mod wire;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream;
use reqwest::Method;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::http::access::Requirement;
use test_support::{ManualClock, SeededRandom};

use crate::effort::Effort;
use crate::names::{self, Position};
use crate::report::Report;
use crate::request::{Content, Request};
use crate::routes::{self, Body, Place, Route};
use crate::shop::{Kind, ROOT, SECOND_ROOT, Shop, fixtures, member_id, merchant_id, open, platform};
use crate::system::System;
use mutations::Mutation;
use wire::{Outcome, Wire, WireAnswer};

/// Requests after which a new system is started, because what the first ones needed is used up or gone.
const ROUND: usize = 2_000;
/// Requests after which everything is read.
const BATCH: usize = 250;
/// Requests at the same time.
const AT_ONCE: usize = 4;
/// An hour and a minute, after which rate limits begin again.
const PAUSE: i64 = 61 * 60;

/// The merchants of a round. The last one can be changed by administrators of the platform.
const MERCHANTS: [&str; 2] = ["first", "second"];
const SPARE: &str = "spare";

/// Query parameters of merchants' routes that are ignored unless they are valid.
const NEVER_AN_ERROR: [&str; 12] =
    ["days", "take", "skip", "page", "pageSize", "q", "limit", "from", "to", "status", "paymentStatus", "after"];

/// What only the platform decides about a merchant.
const TERMS: [&str; 6] = ["status", "networkMerchantId", "settlementMode", "fees", "payoutDelayDays", "maxSaleMinor"];

/// Takes one of two ids.
const BY_SOURCE: &str = "/api/bff/settlements/by-source";
/// Routes that strangers cannot use at all: the verifier signs its requests.
const SIGNED: &str = "/api/public/merchant/kyb-decision";

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// What was sent, and to what it led.
struct Tried {
    route: usize,
    mutation: Mutation,
    marker: String,
    wire: Wire,
    outcome: Outcome,
    /// Whether it has to succeed: it has nothing but unusual query parameters.
    must_succeed: bool,
}

struct Round<'a> {
    routes: &'a [(Route, Vec<Position>)],
    system: System,
    clock: ManualClock,
    server: SocketAddr,
    shops: Vec<Shop>,
    tokens: Tokens,
    /// What reads without ids are answered with at the beginning.
    expected: Vec<Read>,
    random: SeededRandom,
}

/// What a read shows that no request may change.
#[derive(Debug, Clone, PartialEq)]
struct Read {
    path: String,
    /// 0 for an answer that is no JSON.
    status: u16,
    fixed: Value,
}

#[derive(Default)]
struct Tokens {
    admin: String,
    viewer: String,
    /// Of a member who ends sessions, but for that does nothing.
    spare: String,
    root: String,
    second_root: String,
}

#[derive(Default)]
struct Tally {
    requests: usize,
    reads: usize,
    /// By route.
    statuses: BTreeMap<String, BTreeMap<u16, usize>>,
    closed: usize,
}

pub(crate) async fn run(effort: Effort) -> Report {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        default_hook(panic);
    }));
    let mut report = Report::new("errors, hangs and reflections");
    let routes: Vec<(Route, Vec<Position>)> =
        routes::all().0.into_iter().map(|route| (route.clone(), names::positions(&route).0)).collect();
    let mut tally = Tally::default();
    let mut random = effort.random();
    let total = effort.choose(2_000, 50_000);
    while tally.requests < total {
        let mut round = Box::pin(Round::start(&routes, random.fork())).await;
        let budget = ROUND.min(total - tally.requests);
        Box::pin(round.play(budget, &mut tally, &mut report)).await;
    }
    let _ = std::panic::take_hook();
    match PANICS.load(Ordering::Relaxed) {
        0 => {}
        panics => report.breach(format!("{panics} panics, which are printed above")),
    }
    for (route, _) in &routes {
        let name = route.name();
        let statuses = &tally.statuses[&name];
        if route.path != SIGNED && statuses.keys().all(|status| matches!(status, 0 | 401 | 403 | 429)) {
            report.breach(format!("{name} was never reached: {statuses:?}"));
        }
    }
    if effort.verbose {
        for (route, statuses) in &tally.statuses {
            eprintln!("{route}: {statuses:?}");
        }
    }
    report.count(tally.requests, "requests");
    report.count(routes.len(), "routes");
    report.count(tally.reads, "reads of lists afterwards");
    report.count(tally.closed, "connections closed without an answer");
    report
}

impl<'a> Round<'a> {
    async fn start(routes: &'a [(Route, Vec<Position>)], random: SeededRandom) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = System::with_clock(clock.clock(), &platform()).await;
        let mut shops = Vec::new();
        for (number, name) in (1..).zip(MERCHANTS) {
            let mut shop = Box::pin(open(&system, name, number)).await;
            // Who reads in the end stays a member.
            shop.things.insert(Kind::Member, vec![member_id(name, "spare")]);
            shops.push(shop);
        }
        let loaded = system.call(None, Method::POST, "/__local/fixtures", Some(&fixtures(SPARE, 3, "DECISION_PENDING"))).await;
        assert_eq!(loaded.status, 200);
        let server = system.local.listening.api.trim_start_matches("http://").parse().unwrap();
        let (tokens, expected) = (Tokens::default(), Vec::new());
        let mut round = Self { routes, system, clock, server, shops, tokens, expected, random };
        round.sign_in().await;
        round.expected = round.reads().await;
        round
    }

    async fn sign_in(&mut self) {
        self.tokens = Tokens {
            admin: self.system.sign_in(&member_id(MERCHANTS[0], "admin")).await,
            viewer: self.system.sign_in(&member_id(MERCHANTS[0], "viewer")).await,
            spare: self.system.sign_in(&member_id(MERCHANTS[0], "spare")).await,
            root: self.system.sign_in(ROOT).await,
            second_root: self.system.sign_in(SECOND_ROOT).await,
        };
        // A till stays signed in as long as it asks.
        self.system.call(Some(&self.shops[0].till), Method::GET, "/api/auth/session", None).await;
    }

    async fn play(&mut self, budget: usize, tally: &mut Tally, report: &mut Report) {
        for Read { path, status, .. } in &self.expected {
            let is_of_mode = path.contains("/analytics/") && *status == 403;
            if *status != 200 && !is_of_mode {
                report.breach(format!("{path} is answered with {status} at the beginning"));
            }
        }
        let mut sent = 0;
        for batch in 0.. {
            let size = BATCH.min(budget - sent);
            if size == 0 {
                break;
            }
            let requests: Vec<_> = (sent..sent + size).map(|number| self.compose(number)).collect();
            let from = Ipv4Addr::new(127, 0, 1, u8::try_from(batch % 250 + 1).unwrap());
            let server = self.server;
            let tried: Vec<Tried> = stream::iter(requests)
                .map(async |mut tried| {
                    tried.outcome = tried.wire.send(server, from).await;
                    tried
                })
                .buffer_unordered(AT_ONCE)
                .collect()
                .await;
            for tried in &tried {
                self.judge(tried, tally, report);
            }
            sent += size;
            tally.requests += size;
            let read = self.reads().await;
            tally.reads += read.len();
            for (before, after) in self.expected.iter().zip(&read).filter(|(before, after)| before != after) {
                report.breach(format!("after a batch, there is {after:?} instead of {before:?}"));
            }
            self.clock.advance(PAUSE);
            self.sign_in().await;
        }
    }

    /// All reads without ids, of all merchants and of the platform.
    async fn reads(&self) -> Vec<Read> {
        let root = self.system.sign_in(ROOT).await;
        let mut reads = Vec::new();
        for name in MERCHANTS {
            // In no request.
            let reader = self.system.sign_in(&member_id(name, "unset")).await;
            let is_read = |route: &&Route| {
                let is_required = route.parameters.iter().any(|parameter| parameter.is_required);
                !route.is_write() && !is_required && !route.path.contains('{') && route.path != BY_SOURCE
            };
            let paths = self.routes.iter().map(|(route, _)| route).filter(is_read).map(|route| route.path);
            for path in paths.chain(["/api/bff/merchant-orders?q=a&pageSize=50", "/api/bff/settlements?take=200"]) {
                let token = if path.starts_with("/api/admin/") { &root } else { &reader };
                reads.push(self.read(path, token, |_| Value::Null).await);
            }
            for role in ["admin", "viewer", "unset"] {
                let token = self.system.sign_in(&member_id(name, role)).await;
                let powers = |body: &Value| {
                    let data = &body["data"];
                    json!([data["user"]["isAdmin"], data["user"]["email"], data["role"], data["permissions"]])
                };
                reads.push(self.read("/api/auth/session", &token, powers).await);
            }
            let terms = |body: &Value| {
                let merchant = body["data"].get("merchant").unwrap_or(&body["data"]);
                TERMS.iter().map(|name| merchant[name].clone()).collect()
            };
            reads.push(self.read(&format!("/api/admin/merchants/{}", merchant_id(name)), &root, terms).await);
        }
        reads
    }

    async fn read(&self, path: &str, token: &str, fixed: impl FnOnce(&Value) -> Value) -> Read {
        let answer = self.system.call(Some(token), Method::GET, path, None).await;
        let body = answer.json();
        let status = if body.is_null() { 0 } else { answer.status };
        Read { path: path.to_owned(), status, fixed: fixed(&body) }
    }

    /// The request of this number: first a valid one to each route, then one with server-owned fields, then any.
    fn compose(&mut self, number: usize) -> Tried {
        let routes = self.routes;
        let index = number % routes.len();
        let (route, positions) = &routes[index];
        let random = &mut self.random;
        let marker = format!("zq{:x}qz", random.below(i64::MAX));
        let things = &self.shops[0].things;
        let mut request = valid(route, positions, things);
        let mutation = match number / routes.len() {
            0 => Mutation::Nothing,
            1 => Mutation::Fields,
            _ => Mutation::pick(&request, random),
        };
        let is_fresh = number < 2 * routes.len();
        let token = caller(route, &self.tokens, &self.shops[0].till, !is_fresh, random);
        let host = self.server.to_string();
        let mut must_succeed = false;
        match mutation {
            Mutation::Query => {
                let query = route.parameters.iter().filter(|parameter| parameter.place == Place::Query);
                let names: Vec<&str> = query.map(|parameter| parameter.name.as_str()).collect();
                mutations::change_query(&mut request, &names, &marker, random);
                let is_list = self.expected.iter().any(|read| read.path == route.path && read.status == 200);
                let is_ignored = |name: &String| !names.contains(&name.as_str()) || NEVER_AN_ERROR.contains(&name.as_str());
                must_succeed = is_list
                    && route.path.starts_with("/api/bff/")
                    && token == Some(self.tokens.admin.as_str())
                    && request.query.iter().all(|(name, _)| is_ignored(name));
            }
            Mutation::Ids if !positions.is_empty() => {
                let position = random.pick(positions);
                let others = &self.shops[1].things[&position.kind];
                let id = if random.percent(30) { random.pick(others).clone() } else { values::text(&marker, random) };
                request.set(position.place, &position.name, &id, position.is_number);
            }
            _ => {}
        }
        let mut wire = mutations::wire(&request, &host, token);
        match mutation {
            Mutation::Nothing | Mutation::Query | Mutation::Ids => {}
            Mutation::Fields => {
                if let (Content::Json(body), Some(Body::Json { fields, .. })) = (&mut request.content, &route.body) {
                    let own: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
                    wire.body = if is_fresh {
                        mutations::with_server_owned(body, &own).to_string().into_bytes()
                    } else {
                        mutations::change_fields(body, &marker, random).into_bytes()
                    };
                }
            }
            Mutation::Text => wire.body = mutations::change_text(&String::from_utf8_lossy(&wire.body), &marker, random),
            Mutation::Path => wire.target = mutations::change_target(&wire.target, &marker, random),
            Mutation::Headers => mutations::change_headers(&mut wire, &marker, random),
            Mutation::Type => mutations::change_type(&mut wire, &marker, random),
            Mutation::Framing => mutations::change_framing(&mut wire, random),
            Mutation::Method => mutations::change_method(&mut wire, &marker, random),
            Mutation::Form => mutations::change_form(&mut wire, &marker, random),
        }
        // Ids and headers cannot have everything that texts have.
        for (_, value) in &mut wire.headers {
            if mutation == Mutation::Ids {
                value.retain(|byte| !matches!(byte, b'\r' | b'\n'));
            }
        }
        Tried { route: index, mutation, marker, wire, outcome: Outcome::Closed, must_succeed }
    }

    fn judge(&self, tried: &Tried, tally: &mut Tally, report: &mut Report) {
        let Tried { route, mutation, marker, wire, outcome, must_succeed } = tried;
        let name = self.routes[*route].0.name();
        let status = match outcome {
            Outcome::Answered(answer) => answer.status,
            _ => 0,
        };
        *tally.statuses.entry(name.clone()).or_default().entry(status).or_default() += 1;
        let mut breach = |what: &str| {
            let bytes = wire.bytes();
            let sent = String::from_utf8_lossy(&bytes[..bytes.len().min(1_500)]).into_owned();
            report.breach(format!("{name}, {mutation:?}: {what}; sent: {sent:?}"));
        };
        match outcome {
            Outcome::Hung => breach("no answer"),
            Outcome::Unreadable(bytes) => breach(&format!("no HTTP: {:?}", String::from_utf8_lossy(bytes))),
            Outcome::Closed if matches!(mutation, Mutation::Framing | Mutation::Headers | Mutation::Method | Mutation::Path) => {
                tally.closed += 1
            }
            Outcome::Closed => breach("closed without an answer"),
            Outcome::Answered(answer) => {
                for what in faults(answer, marker) {
                    breach(&format!("{what}: {}", String::from_utf8_lossy(&answer.body[..answer.body.len().min(500)])));
                }
                // The session may have been ended by another request.
                if *must_succeed && !matches!(answer.status, 200 | 401) {
                    breach(&format!("{} for query parameters", answer.status));
                }
            }
        }
    }
}

/// What an answer must not be.
fn faults(answer: &WireAnswer, marker: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if answer.status >= 500 || answer.status == 101 {
        faults.push(format!("{}", answer.status));
    }
    for (name, value) in &answer.headers {
        if name == "x-injected" || value.contains(marker) || name.contains(marker) {
            faults.push(format!("the header {name}: {value}"));
        }
    }
    let body = String::from_utf8_lossy(&answer.body);
    let content_type = answer.header("content-type").unwrap_or_default();
    // What answers before a function does has no such header.
    let is_of_function = answer.header("strict-transport-security").is_some();
    if is_of_function && answer.header("x-content-type-options") != Some("nosniff") {
        faults.push("no nosniff".to_owned());
    }
    if answer.body.is_empty() {
        return faults;
    }
    match content_type.split(';').next().unwrap_or_default() {
        "application/json" => {
            let json: Value = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
            let error = &json["error"];
            let message = error.as_str().or(error["message"].as_str()).or(json["message"].as_str()).unwrap_or_default();
            if json.is_null() {
                faults.push("no JSON".to_owned());
            } else if answer.status >= 400 && message.trim().is_empty() {
                faults.push(format!("{} without a message", answer.status));
            }
        }
        "text/html" => {
            let forms = ["<script>M", "=x onerror=M", "<M>", "'onmouseover='M", "<!--M"];
            if let Some(form) = forms.iter().find(|form| body.contains(&form.replace('M', marker))) {
                faults.push(format!("markup comes back as {form}"));
            }
        }
        "image/png" => {}
        other => faults.push(format!("the content type {other:?}")),
    }
    faults
}

/// A request that would succeed.
fn valid(route: &Route, positions: &[Position], things: &BTreeMap<Kind, Vec<String>>) -> Request {
    let mut request = names::request(route, positions, things);
    let is_of_spare = route.path.starts_with("/api/admin/merchants/") && route.is_write();
    for position in positions.iter().filter(|position| is_of_spare && position.kind == Kind::Merchant) {
        if position.place == Place::Path {
            request.set(Place::Path, &position.name, &merchant_id(SPARE), false);
        }
    }
    request
}

/// The token of a caller who may make the request, or sometimes of another one.
fn caller<'a>(route: &Route, tokens: &'a Tokens, till: &'a str, may_be_any: bool, random: &mut SeededRandom) -> Option<&'a str> {
    if route.path.starts_with("/api/auth/session") && route.method == Method::DELETE {
        return Some(&tokens.spare);
    }
    let callers = [None, Some(tokens.viewer.as_str()), Some(till), Some(tokens.root.as_str())];
    if may_be_any && random.percent(15) {
        return *random.pick(&callers);
    }
    match route.requirement {
        Requirement::Public => None,
        Requirement::PlatformAdministrator | Requirement::RecentlySignedIn if random.percent(20) => Some(&tokens.second_root),
        Requirement::PlatformAdministrator | Requirement::RecentlySignedIn => Some(&tokens.root),
        _ if route.path.starts_with("/api/bff/pos/") && random.percent(30) => Some(till),
        _ => Some(&tokens.admin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_answers_are_noticed() {
        let (nosniff, html, json) =
            ("x-content-type-options: nosniff", "content-type: text/html", "content-type: application/json");
        let of_function = "strict-transport-security: max-age=1";
        for (status, headers, body, expected) in [
            (200, vec![json, of_function, nosniff], "{}", 0),
            (500, vec![json], r#"{"message": "No"}"#, 1),
            (400, vec![json], r#"{"error": {"message": ""}}"#, 1),
            (400, vec![json], r#"{"error": "q: is too long."}"#, 0),
            (200, vec![json], "{", 1),
            (200, vec![json, of_function], "{}", 1),
            (200, vec![html], "<p>&lt;zq1&gt; zq1", 0),
            (200, vec![html], "<p><zq1>", 1),
            (200, vec![], "text", 1),
            (301, vec!["location: /zq1"], "", 1),
            (200, vec!["x-injected: yes"], "", 1),
        ] {
            let headers = headers.into_iter().map(|header| header.split_once(": ").unwrap());
            let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            let answer = WireAnswer { status, headers, body: body.into() };
            assert_eq!(faults(&answer, "zq1").len(), expected, "{answer:?}");
        }
    }
}
