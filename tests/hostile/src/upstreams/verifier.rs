//! Every behaviour of a verifier, and what its answers can name.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use jobs::JobResult;
use local::Options;
use reqwest::Method;
use serde_json::{Value, json};
use shared::invocation::Invocation;

use super::behaviours::{BEHAVIOURS, Behaviour, JUNK};
use super::memory::PeakMemory;
use super::rogue::{Request, Rogue, Trap};
use super::{Found, MAX_TIME};
use crate::system::System;

/// A job reads one answer of at most 64 KB, and many run at once.
const MAX_MEMORY: u64 = 96 * 1024 * 1024;

/// Fields of a session as no verifier should send them.
fn odd_sessions() -> Vec<(&'static str, Value)> {
    let long = "x".repeat(50_000);
    vec![
        ("url", json!("javascript:alert(1)")),
        ("url", json!("data:text/html,<script>alert(1)</script>")),
        ("url", json!("https://verifier.example/\"><script>alert(1)</script>")),
        ("url", json!("https://verifier.example/\r\nset-cookie: a=b")),
        ("url", json!("//evil.example")),
        ("url", json!("")),
        ("url", json!(format!("https://verifier.example/{long}"))),
        ("id", json!("../../v1/x?y#z")),
        ("id", json!("")),
        ("id", json!(long)),
        ("id", json!("\u{0}\u{202e}")),
        ("companyId", json!(long)),
        ("status", json!("approved")),
        ("status", json!(long)),
        ("expiresAt", json!("9999-12-31T23:59:59.999Z")),
        ("expiresAt", json!("0001-01-01T00:00:00Z")),
        ("expiresAt", json!(1)),
    ]
}

fn cases() -> usize {
    BEHAVIOURS.len() + odd_sessions().len()
}

fn fixtures() -> Value {
    super::fixtures("v", cases(), &json!({"status": "DRAFT", "name": "V", "legalName": "V AB"}))
}

fn choose(odd: &[(&str, Value)], request: &Request) -> (Option<&'static Behaviour>, Value) {
    let body = request.json();
    let id = body["verification"]["vendorData"].as_str().or_else(|| request.path.rsplit('/').next()).unwrap_or_default();
    let index: Option<usize> = id.trim_start_matches("v-").trim_start_matches("s-").parse().ok();
    let Some(index) = index else { return (None, Value::Null) };
    let mut session = json!({
        "id": format!("s-{index}"), "companyId": "c", "url": format!("https://verifier.example/{index}"), "status": "created",
        "expiresAt": "2100-01-01T00:00:00Z",
    });
    if let Some((field, value)) = index.checked_sub(BEHAVIOURS.len()).and_then(|odd_index| odd.get(odd_index)) {
        session[*field] = value.clone();
    }
    (BEHAVIOURS.get(index), json!({"status": "success", "verification": session}))
}

pub(super) fn submission() -> String {
    let body = json!({
        "registrationNumber": "556677-8899", "vatNumber": "SE556677889901",
        "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
        "directors": [{"name": "Nora Lind", "role": "CEO"}], "termsAccepted": true, "privacyAccepted": true,
    });
    body.to_string()
}

pub(super) async fn attack(found: &Found) -> Vec<(usize, &'static str)> {
    let trap = Trap::start().await;
    let odd = odd_sessions();
    let verifier = Rogue::start(&trap, move |request| choose(&odd, request)).await;
    let options = Options { verifier: Some(verifier.url.clone()), ..Options::default() };
    let system = System::with_options(options, &fixtures()).await;
    let mut tokens = Vec::new();
    for index in 0..cases() {
        tokens.push(system.sign_in(&format!("u-{index}")).await);
    }

    // The jobs of all merchants run at once, and not one after the other as in the background.
    let peak = PeakMemory::begin();
    system.local.pause(run_jobs(&system, &tokens, found)).await;
    found.note_peak(peak.used());
    if peak.used() > MAX_MEMORY {
        found.add(format!("the verifier's answers took {} MB of memory", peak.used() / 1024 / 1024));
    }
    for (index, token) in tokens.iter().enumerate() {
        check_company(&system, index, token, found).await;
    }

    verifier.is_honest.store(true, Ordering::Relaxed);
    let drained = system.send(system.request(Method::POST, "/__local/drain")).await.unwrap().json();
    // The session whose end is no time is still none.
    if drained != json!({"pending": 1, "dead": 0}) {
        found.add(format!("with an honest verifier, jobs are left: {drained}"));
    }
    for (index, token) in tokens.iter().enumerate().take(BEHAVIOURS.len()) {
        let company = company(&system, token).await;
        if company["verifierSessionUrl"].as_str().is_none() {
            found.add(format!("{}: no session with an honest verifier: {company}", BEHAVIOURS[index].name));
        }
    }
    let mails = system.send(system.request(Method::GET, "/__local/mail")).await.unwrap();
    for word in ["javascript:", "<script>alert", "evil.example", JUNK] {
        if String::from_utf8_lossy(&mails.body).contains(word) {
            found.add(format!("a mail contains {word}"));
        }
    }
    if trap.connections() > 0 {
        found.add(format!("{} redirects of the verifier were followed", trap.connections()));
    }
    vec![(cases(), "behaviours of the verifier")]
}

async fn run_jobs(system: &System, tokens: &[String], found: &Found) {
    stream::iter(tokens)
        .for_each_concurrent(8, |token| async move {
            let request = system.request(Method::POST, "/api/onboarding/submit").bearer_auth(token);
            let request = request.header("content-type", "application/json").body(submission());
            let answer = system.send(request).await.unwrap();
            if answer.status != 200 {
                found.add(format!("a submission: {} {}", answer.status, String::from_utf8_lossy(&answer.body)));
            }
        })
        .await;
    let app = system.local.app();
    let due = app.store.due_jobs(Timestamp::MAX, u16::MAX).await.unwrap();
    stream::iter(due)
        .for_each_concurrent(32, |job| async move {
            let invocation = Invocation::new(&app.clock, app.random.uuid(app.clock.now()).to_string());
            let (kind, begun) = (job.task.kind(), Instant::now());
            let result = jobs::run(app, &invocation, job).await;
            if !matches!(result, Ok(JobResult::Done | JobResult::Postponed)) || begun.elapsed() > MAX_TIME {
                found.add(format!("the job {kind}: {result:?} after {:?}", begun.elapsed()));
            }
        })
        .await;
}

async fn company(system: &System, token: &str) -> Value {
    let answer = system.send(system.request(Method::GET, "/api/bff/merchant").bearer_auth(token)).await.unwrap();
    answer.json()["data"]["company"].clone()
}

async fn check_company(system: &System, index: usize, token: &str, found: &Found) {
    let begun = Instant::now();
    let company = company(system, token).await;
    let name = BEHAVIOURS.get(index).map_or("a session that no verifier should send", |behaviour| behaviour.name);
    let url = company["verifierSessionUrl"].as_str();
    let is_harmless = url.is_none_or(|url| url.starts_with("https://verifier.example/") && !url.contains(['<', '"', '\n']));
    if company["status"] != "SUBMITTED" || !is_harmless || begun.elapsed() > Duration::from_secs(10) {
        found.add(format!("the verifier: {name}: status {}, {:?}", company["status"], url.map(|url| &url[..url.len().min(80)])));
    }
    if company.to_string().contains(JUNK) {
        found.add(format!("the verifier: {name}: junk in the profile"));
    }
}
