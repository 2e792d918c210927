//! Callers of one merchant ask for what belongs to another one: by every id of every route, in every place of a request.
//!
//! A cell is a request of a caller with one id that is foreign, absent, malformed or of another kind; or with foreign ids only.
//! The answer to a foreign id must be that to an absent one, byte for byte, no answer may contain anything of the other merchant,
//! and nothing of it may have changed at the end. The same ids of the caller's own merchant must lead to another answer than
//! absent ones, or the cells would prove nothing.

mod answers;
mod callers;
mod rows;

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;
use shared::base::clock::Clock;
use shared::http::Requirement;
use world::{ApiResponse, Caller, ManualClock, SeededRandom, System};

use crate::Effort;
use crate::names::{self, Position};
use crate::report::Report;
use crate::request::{Request, encoded};
use crate::routes::{self, Place, Route};
use crate::shop::{self, Kind, ROOT, SECOND_ROOT, Shop, member_id, merchant_id, open};
use answers::{absent, comparable, without};
use callers::{APPLICANT, Asker, FOUNDER, NOBODY, OWN, SUSPENDED};
use rows::Rows;

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
const SAME_FOR_ALL: [(&str, &str); 14] = [
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
    // Of one session only, and nothing here makes a passkey that is good.
    ("/api/auth/passkeys", "/challengeId"),
    // Those of the opening are over by then. The tests of the API show that a user ends their own, and nobody else's.
    ("/api/auth/sessions/{id}", "id"),
    // An applicant says where its documents are. Links are made for its own only.
    ("/api/onboarding/submit", "/documents/0/url"),
    // The keys of runs are the platform's.
    ("/api/admin/payouts", "Idempotency-Key"),
    // The id in the path counts, and an offer stays with its merchant.
    ("/api/bff/offers/{id}", "/id"),
    ("/api/bff/offers/{id}", "/giftCardOfferId"),
    ("/api/bff/offers/{id}", "/merchantId"),
];

/// Calls that create something under any key that is new: two are not answered alike. The tests of the API show that another member's
/// key is as new as any.
const CREATE_UNDER_A_KEY: [&str; 8] = [
    "/api/bff/offers",
    "/api/bff/retail-store",
    "/api/auth/tills",
    "/api/auth/invites",
    "/api/auth/keys",
    "/api/auth/keys/{id}/rotation",
    "/api/bff/webhooks",
    "/api/bff/exports",
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
    askers: Vec<Asker>,
    /// Foreign values that a merchant may store with its own things, and reads again later.
    written: BTreeSet<String>,
    random: SeededRandom,
    cells: usize,
    report: Report,
}

pub(crate) async fn run(effort: Effort) -> Report {
    let mut all = routes::all();
    // Who founds a merchant is a user without one no longer.
    all.sort_by_key(|route| route.path == FOUNDING);
    let mut attack = Box::pin(Attack::prepare(effort)).await;
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
    attack.system.drain().await;
    let callers = [OWN, SUSPENDED, APPLICANT].map(merchant_id).into_iter().chain([NOBODY.to_owned()]);
    let later = Rows::read(&attack.system).await;
    for changed in rows.changed(&later, &callers.collect::<Vec<_>>(), &[merchant_id(VICTIM)]) {
        attack.report.breach(format!("a row of another merchant has changed: {changed}"));
    }
    if attack.victims_reads(&all).await != reads {
        attack.report.breach("the other merchant reads something else than before");
    }
    attack.look_at_messages().await;
    Box::pin(attack.reach_own(attacked)).await;
    let report = attack.report;
    report.count(attack.cells, "cells");
    report.count(positions, "places of ids");
    report.count(all.len(), "routes");
    report.count(attack.askers.len(), "callers");
    report
}

impl Attack {
    async fn prepare(effort: Effort) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = shop::system(clock.clock()).await;
        let own = Box::pin(open(&system, OWN, 1)).await;
        let victim = Box::pin(open(&system, VICTIM, 2)).await;
        callers::load(&system).await;
        let askers = callers::all(&system, &own, effort.quick).await;
        let (random, report) = (effort.random(), Report::new("leaks"));
        Self { system, clock, own, victim, askers, written: BTreeSet::new(), random, cells: 0, report }
    }

    /// The ids that a request to the route can have.
    fn positions(&self, route: &Route) -> Vec<Position> {
        let (mut positions, unknown) = names::positions(route);
        positions.retain(|position| position.kind != Kind::IdempotencyKey || !CREATE_UNDER_A_KEY.contains(&&*route.path));
        for name in unknown {
            let route = route.name();
            let what = format!("{route}: {name} may name something that belongs to a merchant: names.rs has to say what");
            self.report.breach(what);
        }
        positions
    }

    async fn attack(&mut self, route: &Route, positions: &[Position], effort: Effort) {
        let base = names::request(route, positions, &self.own.things);
        for asker in 0..self.askers.len() {
            for position in positions {
                for foreign in self.foreign(position, effort) {
                    self.compare(route, asker, &base, position, &foreign).await;
                }
                for other in self.others(position, effort) {
                    self.send_cell(route, asker, &base, &[(position, other)]).await;
                }
            }
            let ids: Vec<&Position> = positions.iter().filter(|position| position.kind != Kind::Cursor).collect();
            if ids.len() > 1 {
                let ids = ids.into_iter().filter(|position| position.place != Place::Header);
                let all: Vec<_> = ids.map(|position| (position, self.victim.things[&position.kind][0].clone())).collect();
                self.send_cell(route, asker, &base, &all).await;
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
    async fn compare(&mut self, route: &Route, asker: usize, base: &Request, position: &Position, foreign: &str) {
        if self.is_entitled(route, asker, position) {
            return;
        }
        let absent = absent(foreign);
        let absent = absent.as_str();
        let mut difference = String::new();
        for order in [[foreign, absent], [absent, foreign]] {
            let mut answers = Vec::new();
            for id in order {
                let sent = self.send_cell(route, asker, base, &[(position, id.to_owned())]).await;
                answers.push(sent.map(|answer| comparable(&answer, id, route.is_write())));
            }
            if answers[0] == answers[1] || tells_strangers(route, position) {
                return;
            }
            difference = format!("{:?} and {:?}", answers[0], answers[1]);
        }
        let (route, name, asker) = (route.name(), &position.name, &self.askers[asker].name);
        self.report.breach(format!("{route}, {name}, {asker}: {absent} and {foreign} are told apart: {difference}"));
    }

    /// Whether the caller may use other merchants' things there.
    fn is_entitled(&self, route: &Route, asker: usize, position: &Position) -> bool {
        let administers = matches!(route.requirement, Requirement::PlatformAdministrator | Requirement::RecentAdministrator);
        let acts_for_merchants = route.path.starts_with("/api/bff/pos/") && position.name == "/merchantId";
        let is_document = position.kind == Kind::Document;
        self.askers[asker].is_of_platform() && (administers || acts_for_merchants || is_document)
    }

    /// Sends one cell, and looks for anything of the other merchant in the answer. Writes of those who are entitled to them are not sent.
    async fn send_cell(
        &mut self,
        route: &Route,
        asker: usize,
        base: &Request,
        ids: &[(&Position, String)],
    ) -> Option<ApiResponse> {
        let is_entitled = ids.iter().any(|(position, _)| self.is_entitled(route, asker, position));
        if is_entitled && route.is_write() {
            return None;
        }
        let mut request = base.clone();
        for (position, id) in ids {
            request.set(position.place, &position.name, id, position.is_number);
        }
        self.cells += 1;
        let stored = ids.iter().filter(|(position, _)| matches!(position.kind, Kind::Store | Kind::Email | Kind::Document));
        self.written.extend(stored.map(|(_, id)| id.clone()));
        let mut answer = send(&request, &self.askers[asker].caller).await;
        while answer.status == 429 {
            self.wait(&answer).await;
            answer = send(&request, &self.askers[asker].caller).await;
        }
        let sent: Vec<&str> = ids.iter().map(|(_, id)| id.as_str()).collect();
        let told = (!is_entitled).then(|| self.told(route, &answer, &sent)).flatten();
        let is_served = answer.status < 300 && ids.iter().any(|(position, id)| self.is_secret(route, position, id));
        if told.is_some() || answer.status >= 500 || (is_served && !is_entitled) {
            let (route, asker, sent) = (route.name(), &self.askers[asker].name, sent.join(", "));
            let (status, body) = (answer.status, &answer.body);
            self.report.breach(format!("{route} as {asker}: {sent} is answered with {status} and {told:?}: {body}"));
        }
        Some(answer)
    }

    /// What the answer tells of the other merchant. What the callers have sent does not count.
    fn told(&self, route: &Route, answer: &ApiResponse, sent: &[&str]) -> Option<String> {
        let headers =
            answer.headers.iter().map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes())));
        let text = headers.chain([String::from_utf8_lossy(&answer.bytes).into_owned()]).collect::<String>();
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
    async fn wait(&mut self, refused: &ApiResponse) {
        let seconds = refused.header("retry-after").and_then(|seconds| seconds.parse().ok());
        self.clock.advance(seconds.unwrap_or(600) + 1);
        for asker in &mut self.askers {
            asker.sign_in(&self.system).await;
        }
    }

    /// What the other merchant's administrator reads of what is not in the table, and public images.
    async fn victims_reads(&self, all: &[Route]) -> Vec<(String, u16, Vec<u8>)> {
        let victim = self.system.sign_in(&member_id(VICTIM, "admin")).await;
        let things = &self.victim.things;
        let mut paths = vec!["/api/bff/offers".to_owned(), "/api/bff/merchant-stores".to_owned()];
        paths.extend(things[&Kind::CardCode].iter().map(|code| format!("/api/bff/cards/{code}")));
        paths.extend(things[&Kind::Media].iter().map(|key| format!("/api/public/gift-card-image?key={key}")));
        assert!(paths.iter().all(|path| all.iter().any(|route| path.starts_with(route.path.split('{').next().unwrap()))));
        let mut reads = Vec::new();
        for path in paths {
            let answer = victim.get(&path).await;
            reads.push((path, answer.status, answer.bytes));
        }
        reads
    }

    /// A link to an own file is a link to no other one.
    async fn exchange_files(&mut self) {
        let mut links = Vec::new();
        for (name, shop) in [(OWN, &self.own), (VICTIM, &self.victim)] {
            let admin = self.system.sign_in(&member_id(name, "admin")).await;
            let [document, export, payout] = [Kind::Document, Kind::Export, Kind::Payout].map(|kind| &shop.things[&kind][0]);
            let document = admin.get(&format!("/api/onboarding/document?url={}", encoded(document))).await.text("/url");
            let export = admin.get(&format!("/api/bff/exports/{export}")).await.text("/data/url");
            let payout = admin.get(&format!("/api/bff/payouts/{payout}/file")).await.text("/data/url");
            links.push([document, export, payout]);
        }
        for (own, foreign) in links[0].iter().zip(&links[1]) {
            let (object, signature) = (foreign.split('?').next().unwrap(), own.split('?').nth(1).unwrap());
            for (link, expected) in [(own.clone(), 200), (format!("{object}?{signature}"), 403)] {
                self.cells += 1;
                let status = world::send(world::client().get(&link)).await.unwrap().status;
                if status != expected {
                    self.report.breach(format!("the file at {link} is answered with {status} instead of {expected}"));
                }
            }
        }
    }

    /// Mails to others, and messages to the callers' systems, tell nothing of the other merchant.
    async fn look_at_messages(&self) {
        self.system.local.send_due_webhooks().await;
        let word = &self.victim.private_word;
        let mails = self.system.emails().await.into_iter().filter(|mail| !mail["to"].to_string().contains(word));
        let receiver = format!("/__local/webhooks/receiver/{}", self.own.private_word);
        let received = self.system.anonymous().get(&receiver).await;
        assert_ne!(received.at("/messages").as_array().map(Vec::len), Some(0), "{received:?}");
        for message in mails.chain([received.body]).map(|message: Value| message.to_string()) {
            let message = self.written.iter().fold(message, |message, known| without(&message, known));
            if message.to_ascii_lowercase().contains(word) {
                self.report.breach(format!("a message to others tells of the other merchant: {message}"));
            }
        }
    }

    /// Asks for the callers' own things: they must be answered otherwise than those that do not exist, in every place.
    async fn reach_own(&self, mut attacked: Vec<(&Route, Vec<Position>)>) {
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
        let users =
            [member_id(OWN, "admin"), member_id(OWN, "unset"), ROOT.to_owned(), SECOND_ROOT.to_owned(), FOUNDER.to_owned()];
        for own in &self.own.things[&position.kind] {
            for user in &users {
                let mut answers = Vec::new();
                for id in [own, &absent(own)] {
                    let mut request = base.clone();
                    request.set(position.place, &position.name, id, position.is_number);
                    let caller = self.system.sign_in(user).await;
                    answers.push(comparable(&send(&request, &caller).await, id, route.is_write()));
                }
                if answers[0] != answers[1] {
                    return true;
                }
            }
        }
        false
    }
}

async fn send(request: &Request, caller: &Caller) -> ApiResponse {
    let mut sent = caller.request(request.method.clone(), &request.target());
    for (name, value) in &request.headers {
        // What cannot be a header is sent as it would be written in one.
        let value = if value.chars().all(|character| (' '..='~').contains(&character)) { value } else { "%00" };
        sent = sent.header(name, value);
    }
    if let Some((content_type, body)) = request.body() {
        sent = sent.header("content-type", content_type).body(body);
    }
    world::send(sent).await.unwrap()
}

/// Whether strangers learn there by contract whether something exists.
fn tells_strangers(route: &Route, position: &Position) -> bool {
    let is_known = |(path, kind): &(&str, Kind)| route.path.starts_with(path) && *kind == position.kind;
    position.kind == Kind::Cursor
        || KNOWN_TO_STRANGERS.iter().any(is_known)
        || (route.path == ONBOARDING_CHECK && position.kind == Kind::Email)
}
