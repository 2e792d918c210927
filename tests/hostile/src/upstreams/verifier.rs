//! Every behaviour of a verifier, and what its answers can name.

use std::time::Instant;

use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use jobs::JobResult;
use local::Options;
use serde_json::{Value, json};
use shared::base::invocation::Invocation;
use world::{Caller, System};

use super::behaviours::{BEHAVIOURS, Behaviour, JUNK};
use super::rogue::{Request, Rogue};
use super::{MAX_TIME, PeakMemory};
use crate::report::Report;
use crate::shop::application;

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

pub(super) async fn attack(report: &Report) {
    let odd = odd_sessions();
    let cases = BEHAVIOURS.len() + odd.len();
    let verifier = Rogue::start(move |request| choose(&odd, request)).await;
    let system = System::without_fixtures(Options { verifier: Some(verifier.url.clone()), ..Options::default() }).await;
    let draft = json!({"status": "DRAFT", "legalName": "V AB"});
    system.load_fixtures(&super::fixtures("v", cases, &draft)).await;
    let mut applicants = Vec::new();
    for index in 0..cases {
        applicants.push(system.sign_in(&format!("u-{index}")).await);
    }

    // The jobs of all merchants run at once, and not one after the other as in the background.
    let memory = PeakMemory::begin();
    system.local.pause(run_jobs(&system, &applicants, report)).await;
    memory.check("the verifier's answers", report);
    for (index, applicant) in applicants.iter().enumerate() {
        let name = BEHAVIOURS.get(index).map_or("a session that no verifier should send", |behaviour| behaviour.name);
        let company = company(applicant).await;
        let url = company["verifierSessionUrl"].as_str();
        let is_harmless = url.is_none_or(|url| url.starts_with("https://verifier.example/") && !url.contains(['<', '"', '\n']));
        if company["status"] != "SUBMITTED" || !is_harmless {
            report.breach(format!("the verifier: {name}: status {}, {url:?}", company["status"]));
        }
        if company.to_string().contains(JUNK) {
            report.breach(format!("the verifier: {name}: junk in the profile"));
        }
    }

    verifier.reform();
    let drained = system.drain().await;
    // The session whose end is no time is still none.
    if drained != json!({"pending": 1, "dead": 0}) {
        report.breach(format!("with an honest verifier, jobs are left: {drained}"));
    }
    for (behaviour, applicant) in BEHAVIOURS.iter().zip(&applicants) {
        let company = company(applicant).await;
        if company["verifierSessionUrl"].as_str().is_none() {
            report.breach(format!("{}: no session with an honest verifier: {company}", behaviour.name));
        }
    }
    let mails = json!(system.emails().await).to_string();
    for word in ["javascript:", "<script>alert", "evil.example", JUNK] {
        if mails.contains(word) {
            report.breach(format!("a mail contains {word}"));
        }
    }
    verifier.check_trap(report);
    report.count(cases, "behaviours of the verifier");
}

async fn run_jobs(system: &System, applicants: &[Caller], report: &Report) {
    let submit = async |applicant: &Caller| drop(applicant.post("/api/onboarding/submit", &application()).await.ok());
    stream::iter(applicants).for_each_concurrent(8, submit).await;
    let app = system.local.app();
    let due = app.store.due_jobs(Timestamp::MAX, u16::MAX).await.unwrap();
    stream::iter(due)
        .for_each_concurrent(32, |job| async move {
            let invocation = Invocation::new(&app.clock, app.random.uuid(app.clock.now()).to_string());
            let (kind, begun) = (job.task.kind(), Instant::now());
            let result = jobs::run(app, &invocation, job).await;
            if !matches!(result, Ok(JobResult::Done | JobResult::Postponed)) || begun.elapsed() > MAX_TIME {
                report.breach(format!("the job {kind}: {result:?} after {:?}", begun.elapsed()));
            }
        })
        .await;
}

async fn company(applicant: &Caller) -> Value {
    applicant.get("/api/bff/merchant").await.at("/data/company").clone()
}
