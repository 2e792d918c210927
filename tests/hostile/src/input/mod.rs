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
use world::{ManualClock, SeededRandom};

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

/// The merchants of a round.
const MERCHANTS: [&str; 2] = ["first", "second"];
/// The merchant that administrators of the platform change.
const SPARE: &str = "spare";
const APPLICANT: &str = "applicant";

/// Query parameters of merchants' routes that are ignored unless they are valid.
const NEVER_AN_ERROR: [&str; 12] =
    ["days", "take", "skip", "page", "pageSize", "q", "limit", "from", "to", "status", "paymentStatus", "after"];

/// What only the platform decides about a merchant.
const TERMS: [&str; 6] = ["status", "networkMerchantId", "settlementMode", "fees", "payoutDelayDays", "maxSaleMinor"];

/// Takes one of two ids.
const BY_SOURCE: &str = "/api/bff/settlements/by-source";
/// Routes whose valid request is refused here, and with which status. All others have to accept it: what is refused already reaches
/// little.
const REFUSED: [(&str, u16); 10] = [
    // There is no code of a mail, nor of a till, and no signature of the verifier.
    ("POST /api/auth/session", 400),
    ("POST /api/auth/invites/{challengeId}/verification", 400),
    ("POST /api/auth/tills/pairing", 400),
    ("POST /api/public/merchant/kyb-decision", 401),
    // The invitation is not confirmed, and the caller is no founder.
    ("POST /api/auth/invites/{challengeId}/acceptance", 410),
    ("DELETE /api/auth/merchant", 409),
    // By the settlement mode.
    ("GET /api/bff/analytics/sales", 403),
    // Neither of two ids is required by itself.
    ("GET /api/bff/settlements/by-source", 400),
    // It was paid.
    ("PATCH /api/admin/payouts/{id}", 409),
    ("POST /api/bff/merchant/users", 400),
];

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
    /// Every part of a request to every route.
    parts: Vec<Part>,
    /// What reads without ids are answered with at the beginning.
    expected: Vec<Read>,
    random: SeededRandom,
}

/// A part of a request to a route that is tried by itself.
#[derive(Debug, Clone)]
struct Part {
    route: usize,
    place: Place,
    /// A pointer in the body.
    name: String,
    /// Whether it is long and not of ASCII, or else markup.
    is_long: bool,
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
    /// Of members who end a session or all of theirs, and do nothing else.
    leaving: [String; 2],
    /// Of somebody without a merchant.
    nobody: String,
    /// Of a merchant that applies.
    applicant: String,
    root: String,
    second_root: String,
}

#[derive(Default)]
struct Tally {
    requests: usize,
    reads: usize,
    /// Of the first valid request to each route.
    of_valid: BTreeMap<String, u16>,
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
    let routes = routes::all().0.into_iter().map(|route| (route.clone(), names::positions(&route).0));
    let mut routes: Vec<(Route, Vec<Position>)> = routes.collect();
    // What is there is used before it is deleted.
    routes.sort_by_key(|(route, _)| route.method == Method::DELETE);
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
        let status = tally.of_valid[&name];
        let expected = REFUSED.iter().find(|(refused, _)| *refused == name).map_or(200, |(_, status)| *status);
        if status != expected && (expected != 200 || !(200..300).contains(&status)) {
            report.breach(format!("{name} answers a valid request with {status} instead of {expected}"));
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

/// Somebody without a merchant, for each batch: they may found one.
fn nobody(batch: usize) -> String {
    format!("u-nobody-{batch}")
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
        let user = |batch| json!({"id": nobody(batch), "email": format!("nobody-{batch}@example.com")});
        let users = json!({"users": (0..=ROUND / BATCH).map(user).collect::<Vec<_>>()});
        for document in [fixtures(SPARE, 3, "DECISION_PENDING"), fixtures(APPLICANT, 4, "DRAFT"), users] {
            let loaded = system.call(None, Method::POST, "/__local/fixtures", Some(&document)).await;
            assert_eq!(loaded.status, 200, "{}", String::from_utf8_lossy(&loaded.body));
        }
        let server = system.local.listening.api.trim_start_matches("http://").parse().unwrap();
        let (tokens, parts, expected) = (Tokens::default(), parts(routes), Vec::new());
        let mut round = Self { routes, system, clock, server, shops, tokens, parts, expected, random };
        round.sign_in(0).await;
        round.expected = round.reads().await;
        round
    }

    async fn sign_in(&mut self, batch: usize) {
        self.tokens = Tokens {
            admin: self.system.sign_in(&member_id(MERCHANTS[0], "admin")).await,
            viewer: self.system.sign_in(&member_id(MERCHANTS[0], "viewer")).await,
            leaving: [
                self.system.sign_in(&member_id(MERCHANTS[0], "full")).await,
                self.system.sign_in(&member_id(MERCHANTS[0], "portal.reports")).await,
            ],
            nobody: self.system.sign_in(&nobody(batch)).await,
            applicant: self.system.sign_in(&member_id(APPLICANT, "admin")).await,
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
            self.sign_in(batch + 1).await;
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
                reads.push(self.read(path, token, |body| json!(has_lost_all(&body["data"]))).await);
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

    /// The request of this number: first a valid one to each route, then one with server-owned fields, then one for each part,
    /// then any.
    fn compose(&mut self, number: usize) -> Tried {
        let routes = self.routes;
        let part = number.checked_sub(2 * routes.len()).and_then(|number| self.parts.get(number)).cloned();
        let index = part.as_ref().map_or(number % routes.len(), |part| part.route);
        let (route, positions) = &routes[index];
        let random = &mut self.random;
        let marker = format!("zq{:x}qz", random.below(i64::MAX));
        let things = &self.shops[0].things;
        let mut request = valid(route, positions, things);
        for (path, name, value) in [
            ("/api/bff/retail-store", "/externalId", marker.clone()),
            ("/api/auth/merchant", "/slug", marker.clone()),
            ("/api/auth/invites", "/email", format!("{marker}@example.com")),
        ] {
            // What is made must not be there yet.
            if route.path == path && route.method == Method::POST {
                request.set(Place::Body, name, &value, false);
            }
        }
        let mutation = match (&part, number / routes.len()) {
            (Some(_), _) => Mutation::Part,
            (None, 0) => Mutation::Nothing,
            (None, 1) => Mutation::Fields,
            (None, _) => Mutation::pick(&request, random),
        };
        let is_fresh = part.is_some() || number < 2 * routes.len();
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
                    && !route.is_write()
                    && route.path.starts_with("/api/bff/")
                    && token == Some(self.tokens.admin.as_str())
                    && request.query.iter().all(|(name, _)| is_ignored(name));
            }
            Mutation::Part => {
                let Part { place, name, is_long, .. } = part.as_ref().unwrap();
                let text = if *is_long { values::long() } else { values::markup(&marker, random) };
                request.set(*place, name, &text, false);
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
            Mutation::Nothing | Mutation::Part | Mutation::Query | Mutation::Ids => {}
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
            if matches!(mutation, Mutation::Ids | Mutation::Part) {
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
        if *mutation == Mutation::Nothing {
            tally.of_valid.entry(name.clone()).or_insert(status);
        }
        let mut breach = |what: &str| {
            let bytes = wire.bytes();
            let sent = String::from_utf8_lossy(&bytes[..bytes.len().min(1_500)]).into_owned();
            report.breach(format!("{name}, {mutation:?}: {what}; sent: {sent:?}"));
        };
        match outcome {
            Outcome::Hung => breach("no answer"),
            Outcome::Unreadable(bytes) => breach(&format!("no HTTP: {:?}", String::from_utf8_lossy(bytes))),
            Outcome::Closed if matches!(mutation, Mutation::Framing | Mutation::Headers | Mutation::Method | Mutation::Path) => {
                tally.closed += 1;
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

/// Whether a list of the card network is empty, as one is that cannot be read.
fn has_lost_all(data: &Value) -> bool {
    ["retailStores", "items"].iter().any(|list| data[list].as_array().is_some_and(Vec::is_empty))
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

/// Twice each parameter and each field of all routes.
fn parts(routes: &[(Route, Vec<Position>)]) -> Vec<Part> {
    let mut parts = Vec::new();
    for (number, (route, _)) in routes.iter().enumerate() {
        let parameters = route.parameters.iter().map(|parameter| (parameter.place, parameter.name.clone()));
        let fields = match &route.body {
            Some(Body::Json { fields, .. }) => fields.as_slice(),
            _ => &[],
        };
        let fields = fields.iter().map(|field| (Place::Body, field.pointer.clone()));
        for (place, name) in parameters.chain(fields) {
            // Refused before anything else is looked at.
            if name != "X-Expected-Merchant" {
                let part = |is_long| Part { route: number, place, name: name.clone(), is_long };
                parts.extend([part(false), part(true)]);
            }
        }
    }
    parts
}

/// A request that would succeed.
fn valid(route: &Route, positions: &[Position], things: &BTreeMap<Kind, Vec<String>>) -> Request {
    let mut request = names::request(route, positions, things);
    for Position { place, name, kind, is_number } in positions {
        match kind {
            Kind::Merchant if route.is_write() && route.path == "/api/admin/merchants/{id}" && *place == Place::Path => {
                request.set(*place, name, &merchant_id(SPARE), false);
            }
            // The others are needed.
            _ if route.method == Method::DELETE && *place != Place::Header => {
                request.set(*place, name, things[kind].last().unwrap(), *is_number);
            }
            _ => {}
        }
    }
    if let (Content::Json(body), "/api/onboarding/submit") = (&mut request.content, route.path) {
        body["isDraft"] = true.into();
    }
    request
}

/// The token of a caller who may make the request, or sometimes of another one.
fn caller<'a>(route: &Route, tokens: &'a Tokens, till: &'a str, may_be_any: bool, random: &mut SeededRandom) -> Option<&'a str> {
    let [ends_one, ends_all] = &tokens.leaving;
    match (route.method.as_str(), route.path) {
        ("DELETE", "/api/auth/sessions") => return Some(ends_all),
        ("DELETE", path) if path.starts_with("/api/auth/session") => return Some(ends_one),
        _ => {}
    }
    let callers = [None, Some(tokens.viewer.as_str()), Some(till), Some(tokens.root.as_str())];
    if may_be_any && random.percent(15) {
        return *random.pick(&callers);
    }
    match route.requirement {
        Requirement::Public => None,
        _ if route.path == "/api/onboarding/submit" => Some(&tokens.applicant),
        _ if route.path == "/api/auth/merchant" && route.method == Method::POST => Some(&tokens.nobody),
        _ if route.path == "/api/admin/payouts/{id}" => Some(&tokens.second_root),
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
