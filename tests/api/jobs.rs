//! What follows an answer: mails and the card network's copy of a merchant, each once, in the end, and whatever fails
//! meanwhile.

use ::jobs::JobResult;
use futures_util::future::join_all;
use insta::assert_json_snapshot;
use jiff::Timestamp;
use serde_json::{Value, json};
use shared::http::invocation::Invocation;
use shared::store::Stored;
use shared::store::jobs::Job;

use crate::support::{Caller, Hands, System, client};

const MERCHANT: &str = "/api/bff/merchant";
/// How often a job is tried.
const MAX_ATTEMPTS: usize = 12;

fn settled() -> Value {
    json!({"pending": 0, "dead": 0})
}

async fn rename(caller: &Caller<'_>, name: &str) {
    let changed = caller.put(MERCHANT, &json!({"company": {"legalName": name}})).await;
    assert_eq!(changed.status, 200, "{changed:?}");
}

async fn mails_down(system: &System) {
    system
        .faults(json!([{"target": "ses", "match": "SendEmail", "kind": "status", "times": "always", "value": 500}]))
        .await;
}

async fn healed(system: &System) {
    system.faults(json!([])).await;
}

/// The changes that the network was sent.
async fn changes_sent(system: &System) -> Vec<Value> {
    let calls = system.network_calls().await;
    calls.into_iter().filter(|call| call["method"] == "PATCH").collect()
}

/// What the network itself has of a merchant, asked with the portal's own key.
async fn at_network(system: &System, account: &str) -> Value {
    let calls = system.network_calls().await;
    let key = calls[0]["headers"]["authorization"].as_str().unwrap();
    let url = format!("{}/v1/merchants/{account}", system.local.listening.card_network);
    Caller::answer(client().get(url).header("authorization", key)).await.body
}

#[tokio::test]
async fn a_change_is_told_by_mail_to_who_made_it() {
    let system = System::with_clock(Hands::at("2026-11-05T09:03:00Z").clock()).await;
    rename(&system.user("u-full").await, "Aurora & Sons <AB>").await;
    assert_eq!(system.settle().await, settled());

    let mails = json!(system.mails().await).to_string().replace(&system.local.listening.api, "http://portal");
    let mails: Value = serde_json::from_str(&mails).unwrap();
    assert_json_snapshot!("mail", mails, {"[].sentAt" => "[time]", "[].text" => "[below]", "[].html" => "[below]"});
    insta::assert_snapshot!("mail_as_text", mails[0]["text"].as_str().unwrap());
    insta::assert_snapshot!("mail_as_html", mails[0]["html"].as_str().unwrap());
}

#[tokio::test]
async fn every_change_is_told_once_however_often_the_work_is_looked_at() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for changes in 1..=3 {
        assert_eq!(caller.put(MERCHANT, &json!({})).await.status, 200);
        for _ in 0..3 {
            assert_eq!(system.settle().await, settled());
            assert_eq!(system.mails().await.len(), changes);
        }
    }
}

#[tokio::test]
async fn a_mail_waits_until_mails_can_be_sent_again() {
    let system = System::start().await;
    mails_down(&system).await;
    rename(&system.user("u-admin").await, "While mails were down").await;
    for _ in 0..3 {
        assert_eq!(system.settle().await, json!({"pending": 1, "dead": 0}));
    }
    assert!(system.mails().await.is_empty());
    assert_eq!(
        at_network(&system, "1001").await["name"],
        "While mails were down",
        "what else was promised is done"
    );

    healed(&system).await;
    assert_eq!(system.settle().await, settled());
    let mails = system.mails().await;
    assert_eq!(mails.len(), 1);
    assert!(mails[0]["text"].as_str().unwrap().contains("While mails were down"), "{mails:?}");
}

#[tokio::test]
async fn the_network_is_told_of_what_changed_and_of_nothing_else() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for (body, told) in [
        (json!({}), None),
        (json!({"company": {"legalName": "Aurora Coffee", "orgNumber": "556677-8899"}}), None),
        (
            json!({"company": {"country": "NO", "status": "SUSPENDED"}, "brand": {"category": "Tea", "facebook": "f"}}),
            None,
        ),
        (json!({"company": {"tradeName": "Aurora Coffee"}}), None),
        (
            json!({"company": {"legalName": "Legal", "orgNumber": "556677-8899"}}),
            Some(json!({"name": "Legal"})),
        ),
        (json!({"company": {"tradeName": "Trade"}}), Some(json!({"name": "Trade"}))),
        (
            json!({"company": {"orgNumber": "1", "taxNumber": "2", "timeZone": "UTC"},
                   "brand": {"website": "https://w.example", "logoUrl": "https://l.example/l.png"}}),
            Some(
                json!({"registrationNumber": "1", "vatNumber": "2", "timeZone": "UTC", "website": "https://w.example",
                        "logoUrl": "https://l.example/l.png"}),
            ),
        ),
        (json!({"brand": {"website": ""}}), Some(json!({"website": ""}))),
    ] {
        let before = changes_sent(&system).await.len();
        assert_eq!(caller.put(MERCHANT, &body).await.status, 200, "{body}");
        assert_eq!(system.settle().await, settled());
        let mut sent = changes_sent(&system).await.split_off(before);
        let call = sent.pop();
        assert!(sent.is_empty(), "{body} told more than once: {sent:?}");
        assert_eq!(call.as_ref().map(|call| &call["body"]), told.as_ref(), "{body}");
        if let Some(call) = call {
            assert_eq!((&call["path"], &call["status"]), (&json!("/v1/merchants/1001"), &json!(200)));
        }
    }
}

#[tokio::test]
async fn a_merchant_without_an_account_is_changed_here_alone() {
    let system = System::start().await;
    rename(&system.user("u-bare").await, "Bare & Co").await;
    assert_eq!(system.settle().await, settled());
    assert!(system.network_calls().await.is_empty());
    assert_eq!(system.mails().await.len(), 1);
}

#[tokio::test]
async fn of_quick_changes_the_last_one_wins() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for name in ["First", "Second", "Third", "Aurora Coffee"] {
        rename(&caller, name).await;
    }
    assert_eq!(system.settle().await, settled());
    assert_eq!(at_network(&system, "1001").await["name"], "Aurora Coffee");
    let last = changes_sent(&system).await.pop().unwrap();
    assert_eq!(last["body"], json!({"name": "Aurora Coffee"}));
}

#[tokio::test]
async fn changes_during_an_outage_are_answered_as_ever_and_reach_the_network_afterwards() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for (outage, kind, value) in [
        ("refused", "drop", Value::Null),
        ("overloaded", "status", json!(503)),
        ("locked", "status", json!(401)),
        ("answers-lost", "after", Value::Null),
    ] {
        system.network_fault("*", kind, value).await;
        rename(&caller, &format!("Before {outage}")).await;
        let website = format!("https://{outage}.example");
        caller.put(MERCHANT, &json!({"brand": {"website": website}})).await;
        rename(&caller, &format!("After {outage}")).await;
        let profile = caller.get(MERCHANT).await;
        assert_eq!(profile.at("/data/company/legalName"), &json!(format!("After {outage}")));
        assert_eq!(system.settle().await["pending"], 3, "{outage}");

        healed(&system).await;
        assert_eq!(system.settle().await, settled(), "{outage}");
        let account = at_network(&system, "1001").await;
        assert_eq!(account["name"], format!("After {outage}"));
        assert_eq!(account["website"], website);
    }
    assert_eq!(system.mails().await.len(), 12);
}

#[tokio::test]
async fn a_change_that_is_overtaken_on_its_way_to_the_network_does_not_undo_the_later_one() {
    let system = System::with_clock(Hands::at("2026-11-05T09:03:00Z").clock()).await;
    let caller = system.user("u-admin").await;
    system
        .faults(json!([{"target": "card-network", "match": "PATCH *", "kind": "delay", "times": 1, "value": 1000}]))
        .await;
    rename(&caller, "Slow").await;
    while changes_sent(&system).await.is_empty() {
        tokio::task::yield_now().await;
    }
    rename(&caller, "Quick").await;
    // The local worker is busy with the first; on AWS another one hears of the second meanwhile.
    let now = system.local.app().clock.now();
    let ends = run_all(&system, waiting(&system, now).await).await;
    assert!(ends.iter().all(|end| *end == JobResult::Done), "{ends:?}");
    assert_eq!(system.settle().await, settled());
    assert_eq!(at_network(&system, "1001").await["name"], "Quick");
}

#[tokio::test]
async fn a_delivery_that_fails_keeps_no_other_from_being_made() {
    let system = System::start().await;
    system.network_fault("PATCH /v1/merchants/1001", "status", json!(500)).await;
    rename(&system.user("u-admin").await, "Stuck").await;
    rename(&system.user("u-rival").await, "Through").await;
    assert_eq!(system.settle().await, json!({"pending": 1, "dead": 0}));
    assert_eq!(at_network(&system, "1002").await["name"], "Through");
    assert_eq!(system.mails().await.len(), 2);
}

#[tokio::test]
async fn a_delivery_that_nobody_can_read_keeps_no_other_from_being_made() {
    let system = System::start().await;
    mails_down(&system).await;
    rename(&system.user("u-admin").await, "Later").await;
    system.settle().await;
    for shard in 0..4 {
        put_row(
            &system,
            &json!({
                "pk": {"S": format!("JOB#from-the-future-{shard}")}, "sk": {"S": "JOB"}, "version": {"N": "1"},
                "due_pk": {"S": format!("JOBS#{shard}")}, "due_sk": {"S": "2020-01-01T00:00:00.000Z#x"},
                "task": {"S": "SendPostcard"},
            }),
        )
        .await;
    }
    healed(&system).await;
    assert_eq!(system.settle().await, settled());
    assert_eq!(system.mails().await.len(), 1);
}

/// Writes a row past everything that would keep it from being written.
async fn put_row(system: &System, row: &Value) {
    let put = client()
        .post(&system.local.listening.dynamodb)
        .header("content-type", "application/x-amz-json-1.0")
        .header("authorization", "AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none")
        .header("x-amz-date", "20260101T000000Z")
        .header("x-amz-target", "DynamoDB_20120810.PutItem")
        .body(json!({"TableName": system.local.app().settings.table, "Item": row}).to_string());
    let put = Caller::answer(put).await;
    assert_eq!(put.status, 200, "{put:?}");
}

#[tokio::test]
async fn a_delivery_is_given_up_after_its_last_try_and_counted() {
    let system = System::with_clock(Hands::at("2026-11-05T09:03:00Z").clock()).await;
    system.network_fault("PATCH *", "status", json!(500)).await;
    rename(&system.user("u-admin").await, "Never heard of").await;
    let mut settled = system.settle().await;
    while settled["pending"] != 0 {
        assert!(changes_sent(&system).await.len() < MAX_ATTEMPTS);
        settled = system.settle().await;
    }
    assert_eq!(settled, json!({"pending": 0, "dead": 1}));
    assert_eq!(changes_sent(&system).await.len(), MAX_ATTEMPTS);

    healed(&system).await;
    assert_eq!(system.settle().await, json!({"pending": 0, "dead": 1}));
    assert_eq!(
        changes_sent(&system).await.len(),
        MAX_ATTEMPTS,
        "what was given up is not taken up by itself"
    );
    rename(&system.user("u-admin").await, "Heard of").await;
    assert_eq!(system.settle().await, json!({"pending": 0, "dead": 1}));
    assert_eq!(at_network(&system, "1001").await["name"], "Heard of");
}

#[tokio::test]
async fn a_delivery_that_reaches_many_workers_is_made_once() {
    let system = System::with_clock(Hands::at("2026-11-05T09:03:00Z").clock()).await;
    mails_down(&system).await;
    rename(&system.user("u-admin").await, "Once").await;
    system.settle().await;
    healed(&system).await;

    let waiting = waiting(&system, Timestamp::MAX).await;
    assert_eq!(waiting.len(), 1);
    let copies: Vec<_> = waiting.iter().cycle().take(8).cloned().collect();
    let mut ends = run_all(&system, copies.clone()).await;
    ends.sort_by_key(|end| *end != JobResult::Done);
    assert_eq!(ends[0], JobResult::Done);
    assert!(ends[1..].iter().all(|end| *end == JobResult::Elsewhere), "{ends:?}");

    // The same record of the stream once more.
    assert!(run_all(&system, copies).await.iter().all(|end| *end == JobResult::Elsewhere));
    assert_eq!(system.settle().await, settled());
    assert_eq!(system.mails().await.len(), 1);
}

/// The jobs that are due by then, as a worker reads them.
async fn waiting(system: &System, until: Timestamp) -> Vec<Stored<Job>> {
    system.local.app().store.due_jobs(until, u16::MAX).await.unwrap()
}

/// Hands each job to a worker of its own, all at the same moment.
async fn run_all(system: &System, jobs: Vec<Stored<Job>>) -> Vec<JobResult> {
    let app = system.local.app();
    let worker = Invocation::of_worker(&app.clock, "a worker of the test".to_owned());
    let ends = jobs.into_iter().map(|job| ::jobs::run(app, &worker, job));
    join_all(ends).await.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn a_delivery_whose_worker_died_is_made_by_the_next_one_after_a_minute() {
    let hands = Hands::at("2026-11-05T09:03:00Z");
    let system = System::with_clock(hands.clock()).await;
    let app = system.local.app();
    mails_down(&system).await;
    rename(&system.user("u-admin").await, "Orphan").await;
    system.settle().await;
    healed(&system).await;

    let job = waiting(&system, Timestamp::MAX).await.remove(0);
    let claimed = job.claim(app.clock.now());
    app.store.commit(vec![shared::store::Write::replace(&job, &claimed).unwrap()]).await.unwrap();
    hands.turn(59);
    assert!(waiting(&system, app.clock.now()).await.is_empty());
    hands.turn(1);
    run_all(&system, waiting(&system, app.clock.now()).await).await;
    assert_eq!(system.settle().await, settled());
    assert_eq!(system.mails().await.len(), 1);
}
