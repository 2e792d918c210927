//! Requests that are malformed in every way: fields, texts, queries, ids, paths, headers, lengths, methods and forms.
//!
//! Each begins as a valid request to a route, of a caller who may make it, and is changed once. It must be answered, never with a
//! server error, and nothing of it may come back as markup or in a header. After each batch, all lists, reports and searches of
//! all merchants must still read.

mod mutations;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::StreamExt;
use futures_util::stream;
use reqwest::Method;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::http::Requirement;
use world::{ApiResponse, Caller, ManualClock, SeededRandom, System, contract};

use crate::Effort;
use crate::names::{self, Position};
use crate::report::Report;
use crate::request::{Content, Request};
use crate::routes::{self, Place, Route};
use crate::shop::{self, Kind, ROOT, SECOND_ROOT, Shop, fixtures, member_id, merchant_id, open};
use crate::wire::{self, Outcome};
use mutations::{Mutation, Wire};

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
const REFUSED: [(&str, u16); 13] = [
    // There is no code of a mail, nor of a till, and no signature of the verifier.
    ("POST /api/auth/session", 400),
    ("POST /api/auth/invites/{challengeId}/verification", 400),
    ("POST /api/auth/tills/pairing", 400),
    // There is no authenticator, and what there is belongs to others.
    ("POST /api/auth/passkeys", 400),
    ("DELETE /api/auth/passkeys/{id}", 404),
    ("DELETE /api/auth/sessions/{id}", 404),
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

/// Routes whose fields the card network judges.
const JUDGED_BY_NETWORK: [&str; 3] = ["POST /api/bff/offers", "POST /api/bff/retail-store", "PUT /api/bff/retail-store"];

static PANICS: AtomicUsize = AtomicUsize::new(0);

struct Tried {
    route: usize,
    mutation: Mutation,
    marker: String,
    wire: Wire,
    outcome: Outcome,
    expected: Expected,
}

/// What is known of the status of an answer.
#[derive(Debug, Clone, Copy)]
enum Expected {
    Anything,
    /// Of a valid request to a route, the first of the round.
    Valid(u16),
    /// It has nothing but unusual query parameters. The session may have been ended by another request.
    Served,
    /// The description of the API does not allow it.
    Refused,
}

impl Expected {
    fn allows(self, status: u16) -> bool {
        match self {
            Self::Anything => true,
            Self::Valid(expected) => status == expected || (expected == 200 && (200..300).contains(&status)),
            Self::Served => matches!(status, 200 | 401),
            Self::Refused => status >= 400,
        }
    }
}

struct Round<'a> {
    routes: &'a [(Route, Vec<Position>)],
    system: System,
    clock: ManualClock,
    server: SocketAddr,
    shops: Vec<Shop>,
    /// Callers by the names that [`caller`] gives them.
    callers: HashMap<&'static str, Caller>,
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
    value: PartValue,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartValue {
    Markup,
    /// Not of ASCII.
    Long,
    Missing,
}

#[derive(Debug, Clone, PartialEq)]
struct Read {
    path: String,
    /// 0 for an answer that is no JSON.
    status: u16,
    fixed: Value,
}

#[derive(Default)]
struct Tally {
    requests: usize,
    reads: usize,
    /// By route.
    statuses: BTreeMap<String, BTreeMap<u16, usize>>,
}

pub(crate) async fn run(effort: Effort) -> Report {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        default_hook(panic);
    }));
    let report = Report::new("errors, hangs and reflections");
    let routes = routes::all().into_iter().map(|route| (route.clone(), names::positions(&route).0));
    let mut routes: Vec<(Route, Vec<Position>)> = routes.collect();
    // What is there is used before it is deleted.
    routes.sort_by_key(|(route, _)| route.method == Method::DELETE);
    let mut tally = Tally::default();
    let mut random = effort.random();
    let total = effort.choose(2_000, 50_000);
    while tally.requests < total {
        let mut round = Box::pin(Round::start(&routes, random.fork())).await;
        let budget = ROUND.min(total - tally.requests);
        Box::pin(round.play(budget, &mut tally, &report)).await;
    }
    let _ = std::panic::take_hook();
    match PANICS.load(Ordering::Relaxed) {
        0 => {}
        panics => report.breach(format!("{panics} panics, which are printed above")),
    }
    if effort.verbose {
        for (route, statuses) in &tally.statuses {
            eprintln!("{route}: {statuses:?}");
        }
    }
    report.count(tally.requests, "requests");
    report.count(routes.len(), "routes");
    report.count(tally.reads, "reads of lists afterwards");
    report
}

/// Somebody without a merchant, for each batch: they may found one.
fn nobody(batch: usize) -> String {
    format!("u-nobody-{batch}")
}

impl<'a> Round<'a> {
    async fn start(routes: &'a [(Route, Vec<Position>)], random: SeededRandom) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = shop::system(clock.clock()).await;
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
            system.load_fixtures(&document).await;
        }
        let server = system.local.listening.api.replace("http://localhost", "127.0.0.1").parse().unwrap();
        let (callers, parts, expected) = (HashMap::new(), parts(routes), Vec::new());
        let mut round = Self { routes, system, clock, server, shops, callers, parts, expected, random };
        round.sign_in(0).await;
        round.expected = round.reads().await;
        round
    }

    async fn sign_in(&mut self, batch: usize) {
        let first = |role| member_id(MERCHANTS[0], role);
        for (name, user) in [
            ("admin", first("admin")),
            ("viewer", first("viewer")),
            // Members who end a session or all of theirs, and do nothing else.
            ("ends one", first("full")),
            ("ends all", first("portal.reports")),
            ("nobody", nobody(batch)),
            ("applicant", member_id(APPLICANT, "admin")),
            ("root", ROOT.to_owned()),
            ("second root", SECOND_ROOT.to_owned()),
        ] {
            self.callers.insert(name, self.system.sign_in(&user).await);
        }
        // A till stays signed in as long as it asks.
        let till = self.shops[0].till.clone();
        till.get("/api/auth/session").await;
        self.callers.insert("till", till);
    }

    async fn play(&mut self, budget: usize, tally: &mut Tally, report: &Report) {
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
                    tried.outcome = wire::exchange(&tried.wire.bytes(), server, from, tried.wire.cut_at.is_some()).await;
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
                let reader = if path.starts_with("/api/admin/") { &root } else { &reader };
                reads.push(read(path, reader, |body| json!(has_lost_all(&body["data"]))).await);
            }
            for role in ["admin", "viewer", "unset"] {
                let member = self.system.sign_in(&member_id(name, role)).await;
                let powers = |body: &Value| {
                    let data = &body["data"];
                    json!([data["user"]["isAdmin"], data["user"]["email"], data["role"], data["permissions"]])
                };
                reads.push(read("/api/auth/session", &member, powers).await);
            }
            let terms = |body: &Value| {
                let merchant = body["data"].get("merchant").unwrap_or(&body["data"]);
                TERMS.iter().map(|name| merchant[name].clone()).collect()
            };
            reads.push(read(&format!("/api/admin/merchants/{}", merchant_id(name)), &root, terms).await);
        }
        reads
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
        let caller = caller(route, !is_fresh, random);
        let token = caller.map(|name| self.callers[name].token());
        let refused = REFUSED.iter().find(|(refused, _)| *refused == route.name());
        let mut expected = match mutation {
            Mutation::Nothing if is_fresh => Expected::Valid(refused.map_or(200, |(_, status)| *status)),
            _ => Expected::Anything,
        };
        match mutation {
            Mutation::Query => {
                let query = route.parameters.iter().filter(|parameter| parameter.place == Place::Query);
                let names: Vec<&str> = query.map(|parameter| parameter.name.as_str()).collect();
                mutations::change_query(&mut request, &names, &marker, random);
                let is_list = self.expected.iter().any(|read| read.path == route.path && read.status == 200);
                let is_ignored = |name: &String| !names.contains(&name.as_str()) || NEVER_AN_ERROR.contains(&name.as_str());
                let must_succeed = is_list
                    && !route.is_write()
                    && route.path.starts_with("/api/bff/")
                    && caller == Some("admin")
                    && request.query.iter().all(|(name, _)| is_ignored(name));
                if must_succeed {
                    expected = Expected::Served;
                }
            }
            Mutation::Part => match part.as_ref().unwrap() {
                Part { place, name, value: PartValue::Missing, .. } => {
                    request.remove(*place, name);
                    if *place != Place::Body {
                        expected = Expected::Refused;
                    }
                }
                Part { place, name, value: PartValue::Long, .. } => request.set(*place, name, &values::long(), false),
                Part { place, name, .. } => request.set(*place, name, &values::markup(&marker, random), false),
            },
            Mutation::Ids if !positions.is_empty() => {
                let position = random.pick(positions);
                let others = &self.shops[1].things[&position.kind];
                let id = if random.percent(30) { random.pick(others).clone() } else { values::text(&marker, random) };
                request.set(position.place, &position.name, &id, position.is_number);
            }
            Mutation::Fields => {
                if let Content::Json(body) = &mut request.content {
                    let own: Vec<&str> = route.fields().iter().map(|field| field.name.as_str()).collect();
                    if is_fresh {
                        mutations::add_server_owned(body, &own);
                    } else {
                        mutations::change_fields(body, &marker, random);
                    }
                }
            }
            _ => {}
        }
        let mut wire = mutations::wire(&request, &self.server.to_string(), token);
        match mutation {
            Mutation::Text => wire.body = mutations::change_text(&String::from_utf8_lossy(&wire.body), &marker, random),
            Mutation::Path => wire.target = mutations::change_target(&wire.target, &marker, random),
            Mutation::Headers => mutations::change_headers(&mut wire, &marker, random),
            Mutation::Type => mutations::change_type(&mut wire, &marker, random),
            Mutation::Framing => mutations::change_framing(&mut wire, random),
            Mutation::Method => mutations::change_method(&mut wire, &marker, random),
            Mutation::Form => mutations::change_form(&mut wire, &marker, random),
            // Ids and headers cannot have everything that texts have.
            Mutation::Ids | Mutation::Part => {
                wire.headers.iter_mut().for_each(|(_, value)| value.retain(|byte| !matches!(byte, b'\r' | b'\n')));
            }
            Mutation::Nothing | Mutation::Query | Mutation::Fields => {}
        }
        if matches!(mutation, Mutation::Part | Mutation::Fields) && matches!(request.content, Content::Json(_)) {
            let is_wrong = |body: Value| !contract::request_violations(route.method.as_str(), route.path, &body).is_empty();
            let is_wrong_body = serde_json::from_slice(&wire.body).is_ok_and(is_wrong);
            if is_wrong_body && !JUDGED_BY_NETWORK.contains(&&*route.name()) {
                expected = Expected::Refused;
            }
        }
        Tried { route: index, mutation, marker, wire, outcome: Outcome::Closed, expected }
    }

    fn judge(&self, tried: &Tried, tally: &mut Tally, report: &Report) {
        let Tried { route, mutation, marker, wire, outcome, expected } = tried;
        let name = self.routes[*route].0.name();
        let status = match outcome {
            Outcome::Answered(answer) => answer.status,
            _ => 0,
        };
        *tally.statuses.entry(name.clone()).or_default().entry(status).or_default() += 1;
        let may_close = matches!(mutation, Mutation::Framing | Mutation::Headers | Mutation::Method | Mutation::Path);
        let breaches = match outcome {
            Outcome::Hung => vec!["no answer".to_owned()],
            Outcome::Unreadable(bytes) => vec![format!("no HTTP: {:?}", String::from_utf8_lossy(bytes))],
            Outcome::Closed if may_close => vec![],
            Outcome::Closed => vec!["closed without an answer".to_owned()],
            Outcome::Answered(answer) => {
                let mut faults = faults(answer, marker);
                faults.extend(wrongs(wire, *mutation, answer));
                if !expected.allows(status) {
                    faults.push(format!("{status} instead of {expected:?}"));
                }
                faults.into_iter().map(|fault| format!("{fault}: {:.500}", answer.body.to_string())).collect()
            }
        };
        for breach in breaches {
            let bytes = wire.bytes();
            let sent = String::from_utf8_lossy(&bytes[..bytes.len().min(1_500)]);
            report.breach(format!("{name}, {mutation:?}: {breach}; sent: {sent:?}"));
        }
    }
}

async fn read(path: &str, reader: &Caller, fixed: impl FnOnce(&Value) -> Value) -> Read {
    let answer = world::send(reader.request(Method::GET, path)).await.unwrap();
    let status = if answer.body.is_object() { answer.status } else { 0 };
    Read { path: path.to_owned(), status, fixed: fixed(&answer.body) }
}

/// Whether a list of the card network is empty, as one is that cannot be read.
fn has_lost_all(data: &Value) -> bool {
    ["retailStores", "items"].iter().any(|list| data[list].as_array().is_some_and(Vec::is_empty))
}

/// What the description of the API does not have. What answers before a function does is none of it.
fn wrongs(wire: &Wire, mutation: Mutation, answer: &ApiResponse) -> Vec<String> {
    if !answer.headers.contains_key("strict-transport-security") {
        return vec![];
    }
    if answer.headers.get("x-content-type-options").is_none_or(|value| value != "nosniff") {
        return vec!["no nosniff".to_owned()];
    }
    let path = wire.target.split(['?', '#']).next().unwrap_or_default();
    // Methods are case-sensitive.
    let template = contract::template(&wire.method, path).filter(|_| wire.method == wire.method.to_uppercase());
    let is_described = template.is_some();
    let is_other_method = mutation == Mutation::Method && ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&&*wire.method);
    if is_other_method && !is_described && answer.status != 405 {
        return vec![format!("{} for a method that the address does not have", answer.status)];
    }
    let is_passed_on = template.is_some_and(|path| JUDGED_BY_NETWORK.contains(&&*format!("{} {path}", wire.method)));
    // Such as a slug that no route takes.
    let has_no_route = answer.status == 404 && answer.at("/error") == "There is nothing at this address.";
    if is_described && !is_passed_on && !has_no_route { contract::violations(&wire.method, path, answer) } else { vec![] }
}

/// What an answer must not be.
fn faults(answer: &ApiResponse, marker: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if answer.status >= 500 || answer.status == 101 {
        faults.push(format!("{}", answer.status));
    }
    let mut content_type = "";
    for (name, value) in &answer.headers {
        let value = value.to_str().unwrap_or("no ASCII");
        if name == "x-injected" || value.contains(marker) || name.as_str().contains(marker) {
            faults.push(format!("the header {name}: {value}"));
        }
        if name == "content-type" {
            content_type = value.split(';').next().unwrap_or_default();
        }
    }
    if answer.bytes.is_empty() {
        return faults;
    }
    match content_type {
        "application/json" => {
            let error = answer.at("/error");
            let message = error.as_str().or(error["message"].as_str()).or(answer.at("/message").as_str()).unwrap_or_default();
            if !answer.body.is_object() {
                faults.push("no JSON".to_owned());
            } else if answer.status >= 400 && message.trim().is_empty() {
                faults.push(format!("{} without a message", answer.status));
            }
        }
        "text/html" => {
            let forms = ["<script>M", "=x onerror=M", "<M>", "'onmouseover='M", "<!--M"];
            for form in forms.iter().filter(|form| answer.contains(&form.replace('M', marker))) {
                faults.push(format!("markup comes back as {form}"));
            }
        }
        "image/png" => {}
        other => faults.push(format!("the content type {other:?}")),
    }
    faults
}

/// Each parameter and each field of all routes, twice with a value, and once without it if it is required.
fn parts(routes: &[(Route, Vec<Position>)]) -> Vec<Part> {
    let mut parts = Vec::new();
    for (number, (route, _)) in routes.iter().enumerate() {
        let parameters = route.parameters.iter().map(|parameter| (parameter.place, &parameter.name, parameter.is_required));
        let fields = route.fields().iter().map(|field| (Place::Body, &field.pointer, field.is_required));
        // Refused before anything else is looked at.
        for (place, name, is_required) in parameters.chain(fields).filter(|(_, name, _)| *name != "X-Expected-Merchant") {
            let part = |value| Part { route: number, place, name: name.clone(), value };
            parts.extend([PartValue::Markup, PartValue::Long].map(part));
            if is_required && place != Place::Path {
                parts.push(part(PartValue::Missing));
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

/// The name of a caller who may make the request, or sometimes of another one. `None` without a session.
fn caller(route: &Route, may_be_any: bool, random: &mut SeededRandom) -> Option<&'static str> {
    match (route.method.as_str(), route.path) {
        ("DELETE", "/api/auth/sessions") => return Some("ends all"),
        ("DELETE", "/api/auth/session") => return Some("ends one"),
        ("DELETE", "/api/auth/passkeys/{id}" | "/api/auth/sessions/{id}") => return Some("viewer"),
        _ => {}
    }
    if may_be_any && random.percent(15) {
        return *random.pick(&[None, Some("viewer"), Some("till"), Some("root")]);
    }
    match route.requirement {
        Requirement::Public => None,
        _ if route.path == "/api/onboarding/submit" => Some("applicant"),
        _ if route.path == "/api/auth/merchant" && route.method == Method::POST => Some("nobody"),
        _ if route.path == "/api/admin/payouts/{id}" => Some("second root"),
        Requirement::PlatformAdministrator | Requirement::RecentAdministrator if random.percent(20) => Some("second root"),
        Requirement::PlatformAdministrator | Requirement::RecentAdministrator => Some("root"),
        _ if route.path.starts_with("/api/bff/pos/") && random.percent(30) => Some("till"),
        _ => Some("admin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_answers_are_noticed() {
        for (status, header, body, expected) in [
            (200, "content-type: application/json", "{}", 0),
            (500, "content-type: application/json", r#"{"message": "No"}"#, 1),
            (400, "content-type: application/json", r#"{"error": {"message": ""}}"#, 1),
            (400, "content-type: application/json", r#"{"error": "q: is too long."}"#, 0),
            (200, "content-type: application/json", "{", 1),
            (200, "content-type: text/html", "<p>&lt;zq1&gt; zq1", 0),
            (200, "content-type: text/html", "<p><zq1>", 1),
            (200, "etag: 1", "text", 1),
            (301, "location: /zq1", "", 1),
            (200, "x-injected: yes", "", 1),
        ] {
            let (name, value) = header.split_once(": ").unwrap();
            let headers = [(name.parse().unwrap(), value.parse().unwrap())].into_iter().collect();
            let json = serde_json::from_str(body).unwrap_or_else(|_| body.into());
            let answer = ApiResponse { status, headers, body: json, bytes: body.into() };
            assert_eq!(faults(&answer, "zq1").len(), expected, "{answer:?}");
        }
    }
}
