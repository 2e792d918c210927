//! Jobs that run after a response: e-mails and updates of the card network's merchant record. Each takes effect once,
//! even if attempts fail.

use ::jobs::JobResult;
use futures_util::future::join_all;
use insta::assert_json_snapshot;
use jiff::Timestamp;
use serde_json::{Value, json};
use shared::base::invocation::Invocation;
use shared::db::{Job, Stored};
use world::shop::with;
use world::{Caller, System, client};

const MERCHANT: &str = "/api/bff/merchant";
const MAX_ATTEMPTS: usize = 12;

async fn change_legal_name(caller: &Caller, name: &str) {
    caller.put(MERCHANT, &json!({"company": {"legalName": name}})).await.ok();
}

async fn fail_emails(system: &System) {
    system.set_fault("ses", "SendEmail", "status", 500).await;
}

async fn merchant_updates(system: &System) -> Vec<Value> {
    let calls = system.network_calls().await;
    calls.into_iter().filter(|call| call["method"] == "PATCH").collect()
}

/// Returns the card network's record of a merchant, read with the portal's API key.
async fn merchant_at_network(system: &System, account: &str) -> Value {
    let calls = system.network_calls().await;
    let key = calls[0]["headers"]["authorization"].as_str().unwrap();
    let url = format!("{}/v1/merchants/{account}", system.local.listening.card_network);
    Caller::send_request(client().get(url).header("authorization", key)).await.body
}

#[tokio::test]
async fn emails_the_user_who_changed_the_profile() {
    let (system, _clock) = System::at("2026-11-05T09:03:00Z").await;
    change_legal_name(&system.sign_in("u-full").await, "Aurora & Sons <AB>").await;
    system.finish_work().await;
    let dashboard = &system.local.listening.clients.as_ref().unwrap().dashboard;
    let emails = json!(system.emails().await).to_string().replace(dashboard, "http://dashboard");
    let emails: Value = serde_json::from_str(&emails).unwrap();
    assert_json_snapshot!("mail", emails, {"[].sentAt" => "[time]", "[].text" => "[below]", "[].html" => "[below]"});
    insta::assert_snapshot!("mail_as_text", emails[0]["text"].as_str().unwrap());
    insta::assert_snapshot!("mail_as_html", emails[0]["html"].as_str().unwrap());
}

#[tokio::test]
async fn sends_one_email_per_change() {
    let (system, caller) = System::signed_in("u-admin").await;
    for changes in 1..=3 {
        let change = json!({"company": {"timeZone": format!("UTC+0{changes}:00")}});
        // The second request changes nothing.
        for _ in 0..2 {
            assert_eq!(caller.put(MERCHANT, &change).await.status, 200);
        }
        for _ in 0..3 {
            system.finish_work().await;
            assert_eq!(system.emails().await.len(), changes);
        }
    }
}

#[tokio::test]
async fn retries_an_email_until_it_is_sent() {
    let system = System::start().await;
    fail_emails(&system).await;
    change_legal_name(&system.sign_in("u-admin").await, "Changed during the outage").await;
    for _ in 0..3 {
        assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}));
    }
    assert!(system.emails().await.is_empty());
    assert_eq!(merchant_at_network(&system, "1001").await["name"], "Changed during the outage", "the other job completes");
    system.set_faults(json!([])).await;
    system.finish_work().await;
    let emails = system.emails().await;
    assert_eq!(emails.len(), 1);
    assert!(emails[0]["text"].as_str().unwrap().contains("Changed during the outage"), "{emails:?}");
}

#[tokio::test]
async fn sends_only_changed_fields_to_the_network() {
    let (system, caller) = System::signed_in("u-admin").await;
    let links = json!({"website": "https://w.example", "logoUrl": "https://l.example/l.png"});
    let all = with(json!({"registrationNumber": "1", "vatNumber": "2", "timeZone": "UTC"}), &links);
    for (body, expected) in [
        (json!({}), None),
        (json!({"company": {"legalName": "Aurora Coffee", "orgNumber": "556677-8899"}}), None),
        (json!({"company": {"tradeName": "Trade"}}), None),
        (json!({"company": {"country": "NO", "status": "SUSPENDED"}, "brand": {"category": "Tea", "facebook": "f"}}), None),
        (json!({"company": {"tradeName": "Aurora Coffee"}}), None),
        (json!({"company": {"legalName": "Legal", "orgNumber": "556677-8899"}}), Some(json!({"name": "Legal"}))),
        (json!({"company": {"legalName": ""}}), Some(json!({"name": "Aurora Coffee"}))),
        (json!({"company": {"tradeName": "Trade"}}), Some(json!({"name": "Trade"}))),
        (json!({"company": {"orgNumber": "1", "taxNumber": "2", "timeZone": "UTC"}, "brand": links}), Some(all)),
        (json!({"brand": {"website": ""}}), Some(json!({"website": ""}))),
    ] {
        let before = merchant_updates(&system).await.len();
        assert_eq!(caller.put(MERCHANT, &body).await.status, 200, "{body}");
        system.finish_work().await;
        let mut sent = merchant_updates(&system).await.split_off(before);
        let call = sent.pop();
        assert!(sent.is_empty(), "{body} was sent more than once: {sent:?}");
        assert_eq!(call.as_ref().map(|call| &call["body"]), expected.as_ref(), "{body}");
        if let Some(call) = call {
            assert_eq!((&call["path"], &call["status"]), (&json!("/v1/merchants/1001"), &json!(200)));
        }
    }
}

#[tokio::test]
async fn last_of_several_quick_changes_wins_and_none_of_a_merchant_without_an_account_is_sent() {
    let (system, caller) = System::signed_in("u-admin").await;
    change_legal_name(&system.sign_in("u-bare").await, "Bare & Co").await;
    system.finish_work().await;
    assert_eq!((system.network_calls().await.len(), system.emails().await.len()), (0, 1));
    for name in ["First", "Second", "Third", "Aurora Coffee"] {
        change_legal_name(&caller, name).await;
    }
    system.finish_work().await;
    assert_eq!(merchant_at_network(&system, "1001").await["name"], "Aurora Coffee");
    let last = merchant_updates(&system).await.pop().unwrap();
    assert_eq!(last["body"], json!({"name": "Aurora Coffee"}));
}

#[tokio::test]
async fn accepts_changes_during_a_network_outage_and_sends_them_afterwards() {
    let (system, caller) = System::signed_in("u-admin").await;
    for (outage, kind, value) in [
        ("refused", "drop", Value::Null),
        ("overloaded", "status", json!(503)),
        ("locked", "status", json!(401)),
        ("response-lost", "after", Value::Null),
    ] {
        system.set_network_fault("*", kind, value).await;
        change_legal_name(&caller, &format!("Before {outage}")).await;
        let website = format!("https://{outage}.example");
        caller.put(MERCHANT, &json!({"brand": {"website": website}})).await;
        change_legal_name(&caller, &format!("After {outage}")).await;
        assert_eq!(caller.get(MERCHANT).await.at("/data/company/legalName"), &json!(format!("After {outage}")));
        assert_eq!(system.drain().await["pending"], 3, "{outage}");

        system.set_faults(json!([])).await;
        system.finish_work().await;
        let account = merchant_at_network(&system, "1001").await;
        assert_eq!(account["name"], format!("After {outage}"));
        assert_eq!(account["website"], website);
    }
    assert_eq!(system.emails().await.len(), 12);
}

#[tokio::test]
async fn delayed_update_does_not_overwrite_a_later_one() {
    let (system, _clock) = System::at("2026-11-05T09:03:00Z").await;
    let caller = system.sign_in("u-admin").await;
    system.set_faults(json!([{"target": "card-network", "match": "PATCH *", "kind": "delay", "times": 1, "value": 1000}])).await;
    change_legal_name(&caller, "Slow").await;
    while merchant_updates(&system).await.is_empty() {
        tokio::task::yield_now().await;
    }
    change_legal_name(&caller, "Quick").await;
    // The local worker is still busy with the first job. On AWS, another worker receives the second one.
    let now = system.local.app().clock.now();
    let results = run_all(&system, due_jobs(&system, now).await).await;
    assert!(results.iter().all(|result| *result == JobResult::Done), "{results:?}");
    system.finish_work().await;
    assert_eq!(merchant_at_network(&system, "1001").await["name"], "Quick");
}

#[tokio::test]
async fn failing_job_does_not_block_other_jobs() {
    let system = System::start().await;
    system.set_network_fault("PATCH /v1/merchants/1001", "status", json!(500)).await;
    change_legal_name(&system.sign_in("u-admin").await, "Stuck").await;
    change_legal_name(&system.sign_in("u-rival").await, "Through").await;
    assert_eq!(system.drain().await, json!({"pending": 1, "dead": 0}));
    assert_eq!(merchant_at_network(&system, "1002").await["name"], "Through");
    assert_eq!(system.emails().await.len(), 2);
}

#[tokio::test]
async fn unreadable_job_does_not_block_other_jobs() {
    let system = System::start().await;
    fail_emails(&system).await;
    change_legal_name(&system.sign_in("u-admin").await, "Later").await;
    system.drain().await;
    for shard in 0..4 {
        let job = json!({
            "pk": {"S": format!("JOB#from-the-future-{shard}")}, "sk": {"S": "JOB"}, "version": {"N": "1"},
            "due_pk": {"S": format!("JOBS#{shard}")}, "due_sk": {"S": "2020-01-01T00:00:00.000Z#x"},
            "task": {"S": "SendPostcard"},
        });
        system.dynamodb("PutItem", json!({"Item": job})).await;
    }
    system.set_faults(json!([])).await;
    system.finish_work().await;
    assert_eq!(system.emails().await.len(), 1);
}

#[tokio::test]
async fn job_is_dead_after_its_last_attempt() {
    let (system, _clock) = System::at("2026-11-05T09:03:00Z").await;
    system.set_network_fault("PATCH *", "status", json!(500)).await;
    change_legal_name(&system.sign_in("u-admin").await, "Not sent").await;
    let mut left = system.drain().await;
    while left["pending"] != 0 {
        assert!(merchant_updates(&system).await.len() < MAX_ATTEMPTS);
        left = system.drain().await;
    }
    assert_eq!(left, json!({"pending": 0, "dead": 1}));
    assert_eq!(merchant_updates(&system).await.len(), MAX_ATTEMPTS);
    system.set_faults(json!([])).await;
    assert_eq!(system.drain().await, json!({"pending": 0, "dead": 1}));
    assert_eq!(merchant_updates(&system).await.len(), MAX_ATTEMPTS, "a dead job is not retried");
    change_legal_name(&system.sign_in("u-admin").await, "Sent").await;
    assert_eq!(system.drain().await, json!({"pending": 0, "dead": 1}));
    assert_eq!(merchant_at_network(&system, "1001").await["name"], "Sent");
}

#[tokio::test]
async fn job_received_by_many_workers_runs_once() {
    let (system, _clock) = System::at("2026-11-05T09:03:00Z").await;
    fail_emails(&system).await;
    change_legal_name(&system.sign_in("u-admin").await, "Once").await;
    system.drain().await;
    system.set_faults(json!([])).await;
    let due = due_jobs(&system, Timestamp::MAX).await;
    assert_eq!(due.len(), 1);
    let copies: Vec<_> = due.iter().cycle().take(8).cloned().collect();
    let mut results = run_all(&system, copies.clone()).await;
    results.sort_by_key(|result| *result != JobResult::Done);
    assert_eq!(results[0], JobResult::Done);
    assert!(results[1..].iter().all(|result| *result == JobResult::ClaimLost), "{results:?}");
    // DynamoDB Streams may send the same record again.
    assert!(run_all(&system, copies).await.iter().all(|result| *result == JobResult::ClaimLost));
    system.finish_work().await;
    assert_eq!(system.emails().await.len(), 1);
}

/// Returns the jobs that are due by `until`, as a worker reads them.
async fn due_jobs(system: &System, until: Timestamp) -> Vec<Stored<Job>> {
    system.store().due_jobs(until, u16::MAX).await.unwrap()
}

/// Runs the jobs concurrently, each in its own worker.
async fn run_all(system: &System, jobs: Vec<Stored<Job>>) -> Vec<JobResult> {
    let app = system.local.app();
    let worker = Invocation::new(&app.clock, "test worker".to_owned());
    let runs = jobs.into_iter().map(|job| ::jobs::run(app, &worker, job));
    join_all(runs).await.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn job_of_a_dead_worker_can_be_claimed_again_after_a_minute() {
    let (system, manual_clock) = System::at("2026-11-05T09:03:00Z").await;
    let app = system.local.app();
    fail_emails(&system).await;
    change_legal_name(&system.sign_in("u-admin").await, "Orphan").await;
    system.drain().await;
    system.set_faults(json!([])).await;
    let job = due_jobs(&system, Timestamp::MAX).await.remove(0);
    let claimed = job.claim(app.clock.now());
    app.store.commit(vec![shared::db::Write::replace(&job, &claimed).unwrap()]).await.unwrap();
    manual_clock.advance(59);
    assert!(due_jobs(&system, app.clock.now()).await.is_empty());
    manual_clock.advance(1);
    run_all(&system, due_jobs(&system, app.clock.now()).await).await;
    system.finish_work().await;
    assert_eq!(system.emails().await.len(), 1);
}
