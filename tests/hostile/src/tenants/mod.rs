//! Callers of one merchant ask for what belongs to another one: by every id of every route, in every place of a request.
//!
//! A cell is a request of a caller with one id that is foreign, absent, malformed or of another kind; or with foreign ids only.
//! The answer to a foreign id must be that to an absent one, byte for byte, no answer may contain anything of the other merchant,
//! and nothing of it may have changed at the end. The same ids of the caller's own merchant must lead to another answer than
//! absent ones, or the cells would prove nothing.

mod answers;
mod callers;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Method;
use serde_json::Value;
use shared::clock::Clock;
use shared::http::access::Requirement;
use world::{ManualClock, SeededRandom};

use crate::effort::Effort;
use crate::names::{self, Position};
use crate::report::Report;
use crate::request::{Request, encoded};
use crate::routes::{self, Place, Route};
use crate::shop::{Kind, ROOT, SECOND_ROOT, Shop, member_id, merchant_id, open, platform};
use crate::system::{Answer, System};
use answers::{absent, comparable, without};
use callers::{APPLICANT, Caller, FOUNDER, NOBODY, OWN, SUSPENDED};
use table::Rows;

/// The name of the merchant that nobody may learn anything of.
const VICTIM: &str = "victim";

/// Ids that are none.
const MALFORMED: [&str; 10] = [
    "%00",
    " ",
    "..",
    "a/../b",
    "null",
    "\u{202e}\u{0}x",
    "'; --",
    "99999999999999999999999999",
    "{\"$ne\": null}",
    "https://a.example/",
];

/// Paths and names where it does not matter whether something exists, because nothing is looked up, or because the contract
/// says so.
const SAME_FOR_ALL: [(&str, &str); 12] = [
    // Places in lists, which mean the same in every list of every merchant.
    ("", "cursor"),
    ("", "after"),
    // The store of a till or of a sale is what its merchant says, and the card network sets up a store under any number.
    ("/api/auth/tills", "/retailStoreId"),
    ("/api/bff/pos", "/retailStoreId"),
    ("/api/bff/retail-store", "/externalId"),
    // Nobody learns whether an address has an account, and a wrong code is answered like an unknown challenge.
    ("/api/auth/code", "/email"),
    ("/api/auth/session", "/challengeId"),
    // An applicant says where its documents are. Links are made for its own only.
    ("/api/onboarding/submit", "/documents/0/url"),
    // The keys of runs are the platform's.
    ("/api/admin/payouts", "Idempotency-Key"),
    // The id in the path counts, and an offer stays with its merchant.
    ("/api/bff/offers/{id}", "/id"),
    ("/api/bff/offers/{id}", "/giftCardOfferId"),
    ("/api/bff/offers/{id}", "/merchantId"),
];

/// Where the contract says that strangers learn that something exists.
const KNOWN_TO_STRANGERS: [(&str, Kind); 6] = [
    // The link of an invitation is no secret, and names whom it is for.
    ("/api/auth/invites/{challengeId}/acceptance", Kind::Invitation),
    (FOUNDING, Kind::Slug),
    ("/api/merchants/", Kind::Slug),
    ("/shop/", Kind::Slug),
    ("/api/bff/widget/", Kind::Merchant),
    ("/api/public/", Kind::Media),
];

/// Where users without a merchant found one.
const FOUNDING: &str = "/api/auth/merchant";

/// Where the answer to what does not exist is that there is nothing.
const NOTHING_FOUND: &str = "/api/bff/settlements/by-source";

/// What the public check says of any address.
const ONBOARDING_CHECK: &str = "/api/public/merchant/onboarding-check";

struct Attack {
    system: System,
    clock: ManualClock,
    own: Shop,
    victim: Shop,
    callers: Vec<Caller>,
    /// Foreign values that a merchant may store with its own things, and reads again later.
    written: BTreeSet<String>,
    random: SeededRandom,
    cells: usize,
    report: Report,
}

pub(crate) async fn run(effort: Effort) -> Report {
    let (mut all, undescribed) = routes::all();
    // Who founds a merchant is a user without one no longer.
    all.sort_by_key(|route| route.path == FOUNDING);
    let mut attack = Box::pin(Attack::prepare(effort)).await;
    for route in undescribed {
        attack.report.breach(format!("{route} has no description: nothing knows which ids it takes"));
    }
    let rows = Rows::read(&attack.system).await;
    let reads = attack.victims_reads(&all).await;
    attack.exchange_files().await;
    let (mut positions, mut attacked) = (0, Vec::new());
    for route in &all {
        let found = attack.positions(route);
        positions += found.len();
        Box::pin(attack.attack(route, &found, effort)).await;
        attacked.push((route, found));
    }
    attack.compare_with(&rows).await;
    if attack.victims_reads(&all).await != reads {
        attack.report.breach("the other merchant reads something else than before".to_owned());
    }
    attack.look_at_messages().await;
    Box::pin(attack.reach_own(attacked)).await;
    let mut report = attack.report;
    report.count(attack.cells, "cells");
    report.count(positions, "places of ids");
    report.count(all.len(), "routes");
    report.count(attack.callers.len(), "callers");
    report
}

impl Attack {
    async fn prepare(effort: Effort) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = System::with_clock(clock.clock(), &platform()).await;
        let own = Box::pin(open(&system, OWN, 1)).await;
        let victim = Box::pin(open(&system, VICTIM, 2)).await;
        callers::load(&system).await;
        let callers = callers::all(&system, &own, effort.quick).await;
        let (random, report) = (effort.random(), Report::new("leaks"));
        Self { system, clock, own, victim, callers, written: BTreeSet::new(), random, cells: 0, report }
    }

    /// The ids that a request to the route can have.
    fn positions(&mut self, route: &Route) -> Vec<Position> {
        let (positions, unknown) = names::positions(route);
        for name in unknown {
            let route = route.name();
            let what = format!("{route}: {name} may name something that belongs to a merchant: names.rs has to say what");
            self.report.breach(what);
        }
        positions
    }

    async fn attack(&mut self, route: &Route, positions: &[Position], effort: Effort) {
        let base = names::request(route, positions, &self.own.things);
        for caller in 0..self.callers.len() {
            for position in positions {
                for foreign in self.foreign(position, effort) {
                    self.compare(route, caller, &base, &[(position, foreign)]).await;
                }
                for other in self.others(position, effort) {
                    self.send_cell(route, caller, &base, &[(position, other)]).await;
                }
            }
            let ids: Vec<&Position> = positions.iter().filter(|position| position.kind != Kind::Cursor).collect();
            if ids.len() > 1 {
                let foreign = |position: &Position| self.victim.things[&position.kind][0].clone();
                let all: Vec<_> = ids.into_iter().filter(|position| position.place != Place::Header).collect();
                let all: Vec<_> = all.into_iter().map(|position| (position, foreign(position))).collect();
                self.send_cell(route, caller, &base, &all).await;
            }
        }
    }

    /// The other merchant's things that the position can name.
    fn foreign(&self, position: &Position, effort: Effort) -> Vec<String> {
        let things = &self.victim.things[&position.kind];
        things.iter().rev().take(effort.choose(1, 8)).cloned().collect()
    }

    /// What is malformed, and what is another merchant's thing of another kind.
    fn others(&mut self, position: &Position, effort: Effort) -> Vec<String> {
        let kinds: Vec<Kind> = self.victim.things.keys().copied().filter(|kind| *kind != position.kind).collect();
        let mut others = Vec::new();
        for _ in 0..effort.choose(1, 3) {
            let kind = self.random.pick(&kinds);
            others.push(self.victim.things[kind][0].clone());
            others.push((*self.random.pick(&MALFORMED)).to_owned());
        }
        others
    }

    /// Sends a request with an id of the other merchant, and one with an id that nothing has. Both must be answered alike.
    async fn compare(&mut self, route: &Route, caller: usize, base: &Request, [(position, foreign)]: &[(&Position, String); 1]) {
        if self.is_entitled(route, caller, position) {
            return;
        }
        let absent = absent(foreign);
        let mut differences = Vec::new();
        for order in [[foreign, &absent], [&absent, foreign]] {
            let mut answers = Vec::new();
            for id in order {
                let answer = self.send_cell(route, caller, base, &[(position, id.clone())]).await;
                answers.push(comparable(&answer, id, route.is_write()));
            }
            if answers[0] == answers[1] || tells_strangers(route, position) {
                return;
            }
            differences.push(format!("{:?} and {:?}", answers[0], answers[1]));
        }
        let caller = &self.callers[caller].name;
        let (name, difference) = (&position.name, &differences[1]);
        self.report.breach(format!("{}, {name}, {caller}: {absent} and {foreign} are told apart: {difference}", route.name()));
    }

    /// Whether the caller may use other merchants' things there.
    fn is_entitled(&self, route: &Route, caller: usize, position: &Position) -> bool {
        let administers = matches!(route.requirement, Requirement::PlatformAdministrator | Requirement::RecentlySignedIn);
        let acts_for_merchants = route.path.starts_with("/api/bff/pos/") && position.name == "/merchantId";
        let is_document = position.kind == Kind::Document;
        self.callers[caller].is_of_platform() && (administers || acts_for_merchants || is_document)
    }

    /// Sends one cell, and looks for anything of the other merchant in the answer.
    async fn send_cell(&mut self, route: &Route, caller: usize, base: &Request, ids: &[(&Position, String)]) -> Answer {
        let is_entitled = ids.iter().any(|(position, _)| self.is_entitled(route, caller, position));
        let mut request = base.clone();
        for (position, id) in ids {
            request.set(position.place, &position.name, id, position.is_number);
        }
        if is_entitled && route.is_write() {
            return Answer { status: 0, headers: BTreeMap::new(), body: Vec::new() };
        }
        self.cells += 1;
        let stored = ids.iter().filter(|(position, _)| matches!(position.kind, Kind::Store | Kind::Email | Kind::Document));
        self.written.extend(stored.map(|(_, id)| id.clone()));
        let mut answer = self.send(&request, self.callers[caller].token.clone()).await;
        while answer.status == 429 {
            self.wait(&answer).await;
            answer = self.send(&request, self.callers[caller].token.clone()).await;
        }
        let sent: Vec<&str> = ids.iter().map(|(_, id)| id.as_str()).collect();
        let told = (!is_entitled).then(|| self.told(route, &answer, &sent)).flatten();
        let what = format!("{} as {}: {}", route.name(), self.callers[caller].name, sent.join(", "));
        if let Some(told) = told {
            self.report.breach(format!("{what} is answered with {told}: {}", String::from_utf8_lossy(&answer.body)));
        }
        if answer.status >= 500 {
            self.report.breach(format!("{what} is answered with {}", answer.status));
        }
        let is_served = answer.status < 300 && ids.iter().any(|(position, id)| self.is_secret(route, position, id));
        if is_served && !is_entitled {
            self.report.breach(format!("{what} is answered with {}", answer.status));
        }
        answer
    }

    async fn send(&self, request: &Request, token: Option<String>) -> Answer {
        let mut sent = self.system.request(request.method.clone(), &request.target());
        if let Some(token) = token {
            sent = sent.bearer_auth(token);
        }
        for (name, value) in &request.headers {
            // What cannot be a header is sent as it would be written in one.
            let value = if value.chars().all(|character| (' '..='~').contains(&character)) { value } else { "%00" };
            sent = sent.header(name, value);
        }
        if let Some((content_type, body)) = request.body() {
            sent = sent.header("content-type", content_type).body(body);
        }
        self.system.send(sent).await.unwrap()
    }

    /// What the answer tells of the other merchant. What the callers have sent does not count.
    fn told(&self, route: &Route, answer: &Answer, sent: &[&str]) -> Option<String> {
        let headers = answer.headers.iter().map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value)));
        let text = headers.chain([String::from_utf8_lossy(&answer.body).into_owned()]).collect::<String>();
        let known = sent.iter().copied().chain(self.written.iter().map(String::as_str));
        let text = known.fold(text, |text, known| without(&text, known)).to_ascii_lowercase();
        let is_public = route.requirement == Requirement::Public;
        let Shop { public_word, private_word, things, .. } = &self.victim;
        let words = [private_word.as_str()].into_iter().chain((!is_public).then_some(public_word.as_str()));
        let is_known = |kind: &Kind| is_public && matches!(kind, Kind::Merchant | Kind::Slug | Kind::Offer | Kind::Media);
        let kinds = things.iter().filter(|(kind, _)| !is_known(kind));
        let things = kinds.filter(|(kind, _)| **kind != Kind::Cursor).flat_map(|(_, things)| things).map(String::as_str);
        words.chain(things).find(|word| text.contains(&word.to_ascii_lowercase())).map(str::to_owned)
    }

    /// Whether the id in the path or the query is one with which callers of other merchants must get nothing.
    fn is_secret(&self, route: &Route, position: &Position, id: &str) -> bool {
        let is_foreign = self.victim.things[&position.kind].iter().any(|thing| thing == id);
        let is_looked_up = matches!(position.place, Place::Path | Place::Query) && route.path != NOTHING_FOUND;
        is_foreign && is_looked_up && !tells_strangers(route, position)
    }

    /// Lets the time pass that callers have to wait.
    async fn wait(&mut self, refused: &Answer) {
        let seconds = refused.headers.get("retry-after").and_then(|value| String::from_utf8_lossy(value).parse().ok());
        self.clock.advance(seconds.unwrap_or(600) + 1);
        for caller in &mut self.callers {
            caller.sign_in(&self.system).await;
        }
    }

    async fn compare_with(&mut self, before: &Rows) {
        self.system.drain().await;
        let after = Rows::read(&self.system).await;
        let callers = [OWN, SUSPENDED, APPLICANT].map(merchant_id);
        let callers: Vec<&str> = callers.iter().map(String::as_str).chain([NOBODY]).collect();
        let victim = merchant_id(VICTIM);
        for changed in before.changed(&after, &callers, &[&victim]) {
            self.report.breach(format!("a row of another merchant has changed: {changed}"));
        }
    }

    /// What the other merchant's administrator reads of what is not in the table, and public images.
    async fn victims_reads(&self, all: &[Route]) -> Vec<(String, u16, Value)> {
        let token = self.system.sign_in(&member_id(VICTIM, "admin")).await;
        let mut reads = Vec::new();
        let things = &self.victim.things;
        let mut paths = vec!["/api/bff/offers".to_owned(), "/api/bff/merchant-stores".to_owned()];
        paths.extend(things[&Kind::CardCode].iter().map(|code| format!("/api/bff/cards/{code}")));
        paths.extend(things[&Kind::Media].iter().map(|key| format!("/api/public/gift-card-image?key={key}")));
        assert!(paths.iter().all(|path| all.iter().any(|route| path.starts_with(route.path.split('{').next().unwrap()))));
        for path in paths {
            let answer = self.system.call(Some(&token), Method::GET, &path, None).await;
            let body = answer.body.clone();
            let json = serde_json::from_slice(&body).unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&body)));
            reads.push((path, answer.status, json));
        }
        reads
    }

    /// A link to an own file is a link to no other one.
    async fn exchange_files(&mut self) {
        let [own, foreign] = [(OWN, &self.own), (VICTIM, &self.victim)].map(|(name, shop)| {
            let thing = |kind| shop.things[&kind][0].clone();
            let document = format!("/api/onboarding/document?url={}", encoded(&thing(Kind::Document)));
            let [export, payout] = [Kind::Export, Kind::Payout].map(thing);
            let paths = [document, format!("/api/bff/exports/{export}"), format!("/api/bff/payouts/{payout}/file")];
            (member_id(name, "admin"), paths)
        });
        let mut links = Vec::new();
        for (user, paths) in [own, foreign] {
            let token = self.system.sign_in(&user).await;
            for path in paths {
                let answer = self.system.call(Some(&token), Method::GET, &path, None).await.json();
                let link = [&answer["url"], &answer["data"]["url"]].iter().find_map(|url| url.as_str()).map(str::to_owned);
                links.push(link.unwrap_or_else(|| panic!("no link at {path}: {answer}")));
            }
        }
        let (own, foreign) = links.split_at(links.len() / 2);
        for (own, foreign) in own.iter().zip(foreign) {
            let (object, signature) = (foreign.split('?').next().unwrap(), own.split('?').nth(1).unwrap());
            for (link, expected) in [(own.clone(), 200), (format!("{object}?{signature}"), 403)] {
                self.cells += 1;
                let status = world::client().get(&link).send().await.unwrap().status().as_u16();
                if status != expected {
                    self.report.breach(format!("the file at {link} is answered with {status} instead of {expected}"));
                }
            }
        }
    }

    /// Mails to others, and messages to the callers' systems, tell nothing of the other merchant.
    async fn look_at_messages(&mut self) {
        self.system.local.send_due_webhooks().await.unwrap();
        let mails = self.system.call(None, Method::GET, "/__local/mail", None).await.json();
        let private_word = self.victim.private_word.clone();
        let mails = mails.as_array().unwrap().iter().filter(|mail| !mail["to"].to_string().contains(&private_word));
        let receiver = format!("/__local/webhooks/receiver/{}", self.own.private_word);
        let received = self.system.call(None, Method::GET, &receiver, None).await.json();
        assert_ne!(received["messages"].as_array().map(Vec::len), Some(0), "{received}");
        for message in mails.map(Value::to_string).chain([received.to_string()]) {
            let message = self.written.iter().fold(message, |message, known| without(&message, known));
            if message.to_ascii_lowercase().contains(&private_word) {
                self.report.breach(format!("a message to others tells of the other merchant: {message}"));
            }
        }
    }

    /// Asks for the callers' own things: they must be answered otherwise than those that do not exist, in every place.
    async fn reach_own(&mut self, mut attacked: Vec<(&Route, Vec<Position>)>) {
        let order = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        attacked.sort_by_key(|(route, _)| order.iter().position(|method| *method == route.method));
        for (route, positions) in attacked {
            for position in &positions {
                let is_exempt = |(path, name): &(&str, &str)| route.path.starts_with(path) && *name == position.name;
                if SAME_FOR_ALL.iter().any(is_exempt) {
                    continue;
                }
                if !self.is_reached(route, &positions, position).await {
                    let name = &position.name;
                    self.report.breach(format!("{}: {name} does not matter, so that its cells prove nothing", route.name()));
                }
            }
        }
    }

    async fn is_reached(&self, route: &Route, positions: &[Position], position: &Position) -> bool {
        let base = names::request(route, positions, &self.own.things);
        let users = [member_id(OWN, "admin"), ROOT.to_owned(), SECOND_ROOT.to_owned(), FOUNDER.to_owned()];
        for own in &self.own.things[&position.kind] {
            for user in &users {
                let mut answers = Vec::new();
                for id in [own, &absent(own)] {
                    let mut request = base.clone();
                    request.set(position.place, &position.name, id, position.is_number);
                    let token = self.system.sign_in(user).await;
                    answers.push(comparable(&self.send(&request, Some(token)).await, id, route.is_write()));
                }
                if answers[0] != answers[1] {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether strangers learn there by contract whether something exists.
fn tells_strangers(route: &Route, position: &Position) -> bool {
    let is_known = |(path, kind): &(&str, Kind)| route.path.starts_with(path) && *kind == position.kind;
    position.kind == Kind::Cursor
        || KNOWN_TO_STRANGERS.iter().any(is_known)
        || (route.path == ONBOARDING_CHECK && position.kind == Kind::Email)
}
