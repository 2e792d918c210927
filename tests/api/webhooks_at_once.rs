//! Webhooks that are sent as soon as a worker finds them: their endpoint has shown that it is quick.

use std::time::Duration;

use deliveries::count_waiting;
use futures_util::future::join;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::webhooks::model::EventType;
use world::{Caller, Receiver};

use crate::webhooks::{Shop, UNTIL_IDLE, WEBHOOKS, Waiting, create, deliver, step, types};

const ISSUED: [EventType; 1] = [EventType::GiftCardIssued];

/// How to answer a message, after how many seconds it is attempted again, and the status that is listed.
type Answer = (fn(&Receiver), i64, Option<u16>);

/// With an endpoint that has accepted a message.
async fn quick_shop() -> Shop {
    let shop = Shop::telling(&ISSUED).await;
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
    shop.advance(SignedDuration::from_secs(1));
    shop
}

/// Of an endpoint, latest first.
async fn deliveries_of(caller: &Caller, path: &str) -> Vec<Value> {
    caller.get(&format!("{path}/deliveries")).await.ok().list("/data/deliveries").to_vec()
}

#[tokio::test]
async fn whatever_the_first_answer_is_the_message_is_attempted_again_unless_the_endpoint_is_gone() {
    let shop = quick_shop().await;
    shop.system.local.limit_webhooks(Duration::from_millis(100)).await;
    let answers: [Answer; 5] = [
        (|receiver| receiver.answer([500]), 5, Some(500)),
        (|receiver| receiver.answer([302]), 5, Some(302)),
        (|receiver| receiver.ask_to_wait(429, "120"), 120, Some(429)),
        (|receiver| receiver.ask_to_wait(503, "100"), 100, Some(503)),
        (Receiver::answer_too_late, 5, None),
    ];
    for (set_answer, wait, status) in answers {
        set_answer(&shop.receiver);
        shop.sell().await;
        let first = shop.deliver().await;
        assert_eq!(first.len(), 1);
        let delivery = shop.deliveries().await[0].clone();
        assert_eq!((&delivery["status"], &delivery["attempts"][0]["status"]), (&json!("PENDING"), &json!(status)));
        shop.advance(SignedDuration::from_secs(wait - 1));
        assert_eq!(shop.deliver().await.len(), 0, "{status:?}");
        shop.advance(SignedDuration::from_secs(1 + wait / 5));
        let again = shop.deliver().await;
        assert_eq!(
            (again.len(), again[0].header("webhook-id"), &again[0].body),
            (1, first[0].header("webhook-id"), &first[0].body)
        );
        let delivery = shop.deliveries().await[0].clone();
        assert_eq!((&delivery["status"], delivery["attempts"].as_array().unwrap().len()), (&json!("DELIVERED"), 2));
    }
    shop.receiver.answer([410]);
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 1);
    let endpoint = shop.endpoint().await;
    assert_eq!((&endpoint["status"], &endpoint["disabledBecause"]), (&json!("DISABLED"), &json!("GONE")));
    shop.sell().await;
    assert_eq!(shop.deliver().await.len(), 0);
    shop.admin().await.patch(&shop.path(), &json!({"status": "ENABLED"})).await.ok();
    shop.advance(SignedDuration::from_secs(6));
    assert_eq!(shop.deliver().await.len(), 2, "both have waited");
}

#[tokio::test]
async fn a_message_goes_where_its_endpoint_is_when_it_is_sent() {
    let shop = quick_shop().await;
    let (admin, elsewhere) = (shop.admin().await, Receiver::start().await);
    let changing = async |change: Value| {
        let changing = async {
            shop.sell().await;
            admin.patch(&shop.path(), &change).await.ok()
        };
        shop.system.local.pause(changing).await
    };
    changing(json!({"status": "DISABLED"})).await;
    assert_eq!(shop.deliver().await.len(), 0);
    let moved = changing(json!({"url": elsewhere.url, "status": "ENABLED"})).await;
    assert_eq!(shop.deliver().await.len(), 0);
    let arrived = elsewhere.take();
    assert_eq!(arrived.len(), 2, "what has waited, too");
    assert!(arrived.iter().all(|message| message.signatures_by(&moved.text("/data/secret")) == 1));

    let rotating = async {
        shop.sell().await;
        admin.post(&format!("{}/rotation", shop.path()), &json!({"immediately": true})).await.ok()
    };
    let rotated = shop.system.local.pause(rotating).await;
    assert_eq!(deliver(&shop.system, &elsewhere).await[0].signatures_by(&rotated.text("/data/secret")), 1);

    let deleting = async {
        shop.sell().await;
        admin.delete(&shop.path()).await.ok();
    };
    shop.system.local.pause(deleting).await;
    shop.deliver().await;
    shop.advance(SignedDuration::from_hours(100));
    shop.deliver().await;
    assert_eq!(elsewhere.take().len() + shop.receiver.take().len(), 0);
    assert_eq!(count_waiting(shop.system.local.app()).await.unwrap(), 0);
}

#[tokio::test]
async fn what_a_worker_has_told_one_endpoint_when_it_dies_another_one_is_told_half_a_minute_later() {
    let shop = quick_shop().await;
    let (admin, hanging) = (shop.admin().await, Receiver::start().await);
    let other = format!("{WEBHOOKS}/{}", create(&admin, &hanging.url, &ISSUED).await.text("/data/id"));
    shop.sell().await;
    assert_eq!((shop.deliver().await.len(), hanging.take().len()), (1, 1), "both are quick");

    hanging.answer_too_late();
    let dying = async {
        shop.sell().await;
        let mut dying = Box::pin(deliveries::work(shop.system.local.app(), UNTIL_IDLE));
        let (mut sent, mut is_listed) = (None, false);
        while sent.is_none() || !is_listed {
            step(&mut dying).await;
            sent = sent.or_else(|| hanging.take().pop());
            is_listed = shop.deliveries().await.as_array().unwrap().len() == 3;
        }
        sent.unwrap()
    };
    let sent = shop.system.local.pause(dying).await;
    assert_eq!(shop.receiver.take().len(), 1);
    shop.advance(SignedDuration::from_secs(29));
    assert_eq!((shop.deliver().await.len(), hanging.take().len()), (0, 0), "the worker could still be sending it");
    shop.advance(SignedDuration::from_secs(1));
    assert_eq!(shop.deliver().await.len(), 0, "it has its delivery");
    let again = hanging.take();
    assert_eq!((again.len(), again[0].header("webhook-id"), &again[0].body), (1, sent.header("webhook-id"), &sent.body));
    assert_eq!(shop.deliver().await.len() + hanging.take().len(), 0);
    for (path, count) in [(shop.path(), 3), (other, 2)] {
        let listed = deliveries_of(&admin, &path).await;
        assert_eq!(listed.len(), count);
        assert!(listed.iter().all(|delivery| delivery["status"] == "DELIVERED"), "{listed:?}");
    }
}

/// The new address is quick before the message is found again.
#[tokio::test]
async fn what_a_dead_worker_was_sending_is_withheld_from_an_address_whose_mover_cannot_read_it() {
    let waiting = Waiting::begin().await;
    let (shop, elsewhere, admin) = (&waiting.shop, &waiting.elsewhere, waiting.shop.admin().await);
    shop.receiver.recover();
    shop.die_while_sending().await;
    admin.patch(&shop.path(), &json!({"events": ["merchant.status_changed"]})).await.ok();
    waiting.member.patch(&shop.path(), &json!({"url": elsewhere.url})).await.ok();
    shop.advance(SignedDuration::from_secs(10));
    admin.patch(&shop.path(), &json!({"events": ["gift_card.issued", "merchant.status_changed"]})).await.ok();
    assert_eq!(types(&deliver(&shop.system, elsewhere).await), ["merchant.status_changed"; 2]);
    assert_eq!(waiting.arrive().await.len(), 0);
    let deliveries = shop.deliveries().await;
    let sale = deliveries.as_array().unwrap().iter().find(|one| one["attempts"].as_array().unwrap().len() == 1).unwrap();
    assert_eq!((&sale["status"], &sale["attempts"][0]["error"]), (&json!("FAILED"), &json!("withheld")), "{deliveries}");
    assert_eq!(shop.receiver.take().len(), 0);
}

#[tokio::test]
async fn what_the_old_address_answers_says_nothing_of_the_new_one() {
    let shop = quick_shop().await;
    let (admin, elsewhere) = (shop.admin().await, Receiver::start().await);
    let answer = shop.receiver.hold(410);
    let moving = async {
        shop.sell().await;
        let mut worker = Box::pin(deliveries::work(shop.system.local.app(), UNTIL_IDLE));
        while shop.receiver.take().is_empty() {
            step(&mut worker).await;
        }
        admin.patch(&shop.path(), &json!({"url": elsewhere.url})).await.ok();
        drop(answer);
        worker.await;
    };
    shop.system.local.pause(moving).await;
    let endpoint = shop.endpoint().await;
    assert_eq!((&endpoint["status"], &endpoint["disabledBecause"]), (&json!("ENABLED"), &json!(null)));
    shop.advance(SignedDuration::from_secs(6));
    assert_eq!(deliver(&shop.system, &elsewhere).await.len(), 1, "it is sent to the new address");
}

/// The worker that has taken over is right.
#[tokio::test]
async fn a_worker_that_is_slower_than_its_claim_changes_nothing() {
    let shop = quick_shop().await;
    shop.system.local.limit_webhooks(Duration::from_millis(500)).await;
    shop.receiver.answer_too_late();
    let app = shop.system.local.app();
    let working = async {
        shop.sell().await;
        let mut slow = Box::pin(deliveries::work(app, UNTIL_IDLE));
        while shop.receiver.take().is_empty() {
            step(&mut slow).await;
        }
        shop.advance(SignedDuration::from_secs(30));
        deliveries::work(app, UNTIL_IDLE).await;
        assert_eq!(shop.receiver.take().len(), 1);
        slow.await;
    };
    shop.system.local.pause(working).await;
    shop.advance(SignedDuration::from_hours(1));
    assert_eq!(shop.deliver().await.len(), 0);
    let delivery = shop.deliveries().await[0].clone();
    assert_eq!((&delivery["status"], delivery["attempts"].as_array().unwrap().len()), (&json!("DELIVERED"), 1));
    assert_eq!(count_waiting(app).await.unwrap(), 0);
}

/// Each message is claimed, recorded and forgotten by single calls, which the client repeats.
#[tokio::test]
async fn whatever_answer_of_the_table_is_lost_each_message_arrives_and_is_listed_once() {
    let shop = quick_shop().await;
    let app = shop.system.local.app();
    for (count, (operation, kind)) in (2..).zip([
        ("PutItem", "after"),
        ("PutItem", "drop"),
        ("DeleteItem", "after"),
        ("TransactWriteItems", "after"),
        ("Query", "drop"),
    ]) {
        for times in 1..=4 {
            let selling = async {
                shop.sell().await;
                let fault = json!([{"target": "dynamodb", "match": operation, "kind": kind, "times": times}]);
                shop.system.set_faults(fault).await;
                deliveries::work(app, UNTIL_IDLE).await;
                shop.system.set_faults(json!([])).await;
            };
            shop.system.local.pause(selling).await;
            shop.advance(SignedDuration::from_secs(31));
            shop.system.local.send_due_webhooks().await;
            let case = format!("{operation} {kind} {times}");
            let received = shop.receiver.take();
            assert!(!received.is_empty(), "{case}");
            assert!(received.iter().all(|one| one.header("webhook-id") == received[0].header("webhook-id")), "{case}");
            let listed = shop.deliveries().await;
            assert_eq!(listed.as_array().unwrap().len(), 4 * (count - 2) + times + 1, "{case}");
            assert_eq!(listed[0]["status"], "DELIVERED", "{case}");
            assert_eq!(count_waiting(app).await.unwrap(), 0, "{case}");
        }
    }
}

#[tokio::test]
async fn an_endpoint_that_begins_to_hang_holds_up_the_others_of_its_merchant_for_one_answer() {
    const MESSAGES: usize = 20;
    let shop = quick_shop().await;
    let hanging = Receiver::start().await;
    create(&shop.admin().await, &hanging.url, &ISSUED).await;
    shop.sell().await;
    assert_eq!((shop.deliver().await.len(), hanging.take().len()), (1, 1), "both are quick");
    // Longer than what counts as slow.
    shop.system.local.limit_webhooks(Duration::from_millis(2_100)).await;
    (0..10 * MESSAGES).for_each(|_| hanging.answer_too_late());
    let working = async {
        let till = shop.system.sign_in("u-till").await;
        for _ in 0..MESSAGES {
            till.sell(100).await;
        }
        let mut worker = Box::pin(deliveries::work(shop.system.local.app(), UNTIL_IDLE));
        let mut arrived = 0;
        while arrived < MESSAGES {
            step(&mut worker).await;
            arrived += shop.receiver.take().len();
        }
    };
    shop.system.local.pause(working).await;
    let attempts = hanging.take().len();
    assert!(attempts < MESSAGES / 2, "the others had their messages after {attempts} attempts");
}

#[tokio::test]
async fn two_workers_send_each_message_once() {
    let shop = quick_shop().await;
    let app = shop.system.local.app();
    let working = async {
        let till = shop.system.sign_in("u-till").await;
        for _ in 0..12 {
            till.sell(100).await;
        }
        join(deliveries::work(app, UNTIL_IDLE), deliveries::work(app, UNTIL_IDLE)).await;
    };
    shop.system.local.pause(working).await;
    assert_eq!(shop.receiver.take().len(), 12);
    shop.advance(SignedDuration::from_hours(1));
    assert_eq!(shop.deliver().await.len(), 0);
    assert_eq!(shop.deliveries().await.as_array().unwrap().len(), 13);
}
