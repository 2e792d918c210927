//! A merchant's payouts, and what it is owed.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use shared::base::clock::{Clock, iso_8601};
use shared::webhooks::model::EventType;
use world::{ApiResponse, ManualClock, SeededRandom, client, error_code};

use crate::payouts::{NOW, Office, cancelled, decide, id_of, paid, settlement};
use crate::webhooks::{WEBHOOKS, create};

const PAYOUTS: &str = "/api/bff/payouts";

impl Office {
    async fn merchant_payouts(&self, user: &str) -> ApiResponse {
        self.system.sign_in(user).await.get(PAYOUTS).await.ok()
    }

    async fn outlook(&self, user: &str) -> Value {
        self.merchant_payouts(user).await.at("/data/outlook").clone()
    }
}

fn owed(currency: &str, [payable, later, in_progress, held]: [i64; 4], next_eligible_at: &Value) -> Value {
    json!({
        "currency": currency, "payableMinor": payable, "laterMinor": later, "nextEligibleAt": next_eligible_at,
        "inProgressMinor": in_progress, "heldMinor": held, "blocked": null,
    })
}

#[tokio::test]
async fn the_outlook_has_what_a_run_would_and_would_not_take_now() {
    let office = Office::open(json!([
        settlement("s-1", 1000, &json!({})),
        settlement("s-just-now", 500, &json!({"eligibleAt": "2026-11-05T11:59:58.999Z"})),
        settlement("s-debt", -200, &json!({})),
        settlement("s-next", 70, &json!({"eligibleAt": NOW})),
        settlement("s-next-month", 7, &json!({"eligibleAt": "2026-12-05T10:00:00Z"})),
        settlement("s-held", 71, &json!({"held": true})),
        settlement("s-held-later", 72, &json!({"held": true, "eligibleAt": "2026-11-06T10:00:00Z"})),
        settlement("s-void", 73, &json!({"status": "VOID"})),
        settlement("s-paid", 74, &json!({"status": "PAID", "payoutBatchId": "old"})),
        settlement("s-sale", 75, &json!({"sourceType": "ORDER", "orderId": "o-1"})),
        settlement("s-euro", 90, &json!({"currency": "EUR"})),
        settlement("s-rival", 80, &json!({"merchantId": "m-rival"})),
    ]))
    .await;
    office.drain().await;
    let next = json!("2026-11-05T11:59:59.000Z");
    let expected = json!([owed("SEK", [1300, 77, 0, 143], &next), owed("EUR", [90, 0, 0, 0], &Value::Null)]);
    assert_eq!(office.outlook("u-viewer").await, expected);

    let payouts = office.run("run", &json!({"merchantId": "m-aurora", "currency": "SEK"})).await;
    let expected = json!([owed("SEK", [0, 77, 1300, 143], &next), owed("EUR", [90, 0, 0, 0], &Value::Null)]);
    assert_eq!(office.outlook("u-admin").await, expected);
    decide(&office.second().await, id_of(&payouts[0]), &paid("SEPA-7")).await.ok();
    office.drain().await;
    let expected = json!([owed("SEK", [0, 77, 0, 143], &next), owed("EUR", [90, 0, 0, 0], &Value::Null)]);
    assert_eq!(office.outlook("u-admin").await, expected);
}

#[tokio::test]
async fn the_outlook_costs_no_more_however_many_settlements_are_held() {
    let [few, many] = [3, 600].map(|count| {
        json!((0..count).map(|number| settlement(&format!("s-{number}"), 100, &json!({"held": true}))).collect::<Vec<Value>>())
    });
    let mut costs = Vec::new();
    for settlements in [few, many] {
        let office = Office::open(settlements.clone()).await;
        office.drain().await;
        let admin = office.system.sign_in("u-admin").await;
        office.system.reset_usage().await;
        let outlook = admin.get(PAYOUTS).await.at("/data/outlook").clone();
        let held = i64::try_from(settlements.as_array().unwrap().len()).unwrap() * 100;
        assert_eq!(outlook, json!([owed("SEK", [0, 0, 0, held], &Value::Null)]));
        costs.push(office.system.usage().await["settlements"]["Query"]["readUnits"].as_f64().unwrap());
    }
    assert!(costs[1] <= costs[0], "{costs:?}");
}

#[tokio::test]
async fn a_merchant_that_is_not_paid_sees_why() {
    let office = Office::open(json!([settlement("s-1", 1000, &json!({}))])).await;
    office.set_status("m-aurora", "SUSPENDED").await;
    assert_eq!(office.outlook("u-admin").await[0]["blocked"], "STATUS");
    office.set_status("m-aurora", "ACTIVE").await;
    assert_eq!(office.outlook("u-admin").await[0]["blocked"], Value::Null);
}

/// A run takes what the outlook says, whatever is owed.
#[tokio::test]
async fn the_outlook_agrees_with_the_preview_of_a_run() {
    let now: Timestamp = NOW.parse().unwrap();
    let mut random = SeededRandom::new(26);
    let mut settlements = Vec::new();
    for index in 0..150 {
        let seconds = *random.pick(&[60, 7200, 90_000, 3_000_000]);
        let eligible_at = now + SignedDuration::from_secs(random.below(2 * seconds) - seconds);
        let fields = json!({
            "merchantId": random.pick(&["m-aurora", "m-rival"]), "currency": random.pick(&["SEK", "EUR", "JPY"]),
            "held": random.percent(20), "eligibleAt": iso_8601(eligible_at), "createdAt": "2026-01-01T10:00:00Z",
            "sourceType": random.pick(&["ORDER", "REDEMPTION"]), "orderId": "o-1",
        });
        settlements.push(settlement(&format!("s-{index}"), random.below(5000) - 500, &fields));
    }
    let office = Office::open(json!(settlements)).await;
    for _ in 0..8 {
        office.drain().await;
        for (user, merchant) in [("u-admin", "m-aurora"), ("u-rival", "m-rival")] {
            let preview = office.first().await.get(&format!("/api/admin/payouts/preview?merchantId={merchant}")).await;
            let planned = |currency: &str| {
                let rows = ["/data/payouts", "/data/leftOut"].map(|list| preview.at(list).as_array().unwrap().clone());
                let is_taken =
                    |row: &&Value| row["currency"] == currency && [json!(null), json!("NOT_POSITIVE")].contains(&row["reason"]);
                rows.concat().iter().filter(is_taken).map(|row| row["netAmountMinor"].as_i64().unwrap()).sum::<i64>()
            };
            for owed in office.outlook(user).await.as_array().unwrap() {
                let currency = owed["currency"].as_str().unwrap();
                assert_eq!(owed["payableMinor"], planned(currency), "{merchant} {owed} {preview:?}");
            }
        }
        office.clock.advance(random.below(100_000));
    }
}

#[tokio::test]
async fn payouts_are_listed_with_their_settlements_and_not_once_they_are_cancelled() {
    let office = Office::open(json!([
        settlement("s-1", 1000, &json!({})),
        settlement("s-2", 500, &json!({})),
        settlement("s-3", 300, &json!({})),
        settlement("s-rival", 80, &json!({"merchantId": "m-rival"})),
    ]))
    .await;
    let first = office.run("run-1", &json!({})).await;
    let [own, rival] = [&first[0], &first[1]].map(|payout| id_of(payout).to_owned());
    let mut expected = json!({
        "id": own, "currency": "SEK", "netAmountMinor": 1800, "count": 3, "status": "IN_PROGRESS",
        "createdAt": "2026-11-05T11:59:59.000Z", "paidAt": null, "reference": null,
    });
    let listed = office.merchant_payouts("u-admin").await;
    assert_eq!((listed.at("/data/payouts"), listed.at("/data/next")), (&json!([expected]), &Value::Null));

    assert_eq!(decide(&office.first().await, &own, &cancelled("A mistake")).await.status, 200);
    office.drain().await;
    assert_eq!(*office.merchant_payouts("u-admin").await.at("/data/payouts"), json!([]));
    let admin = office.system.sign_in("u-admin").await;
    for hidden in [&own, &rival, "none", "%20"] {
        for path in [format!("{PAYOUTS}/{hidden}"), format!("{PAYOUTS}/{hidden}/file")] {
            assert_eq!(error_code(&admin.get(&path).await), (404, "NOT_FOUND"), "{path}");
        }
    }
    let foreign = admin.get(&format!("{PAYOUTS}?cursor={rival}")).await;
    let message = json!("cursor: must be the `next` of an earlier page.");
    assert_eq!((foreign.status, foreign.at("/error/message")), (400, &message));

    office.clock.advance(300);
    let second = office.run("run-2", &json!({"merchantId": "m-aurora"})).await;
    let id = id_of(&second[0]);
    assert_eq!(decide(&office.second().await, id, &paid("SEPA-7")).await.status, 200);
    office.drain().await;
    expected["id"] = json!(id);
    expected["createdAt"] = json!("2026-11-05T12:04:59.000Z");
    expected["paidAt"] = json!("2026-11-05T12:04:59.000Z");
    expected["status"] = json!("PAID");
    expected["reference"] = json!("SEPA-7");
    assert_eq!(*office.merchant_payouts("u-admin").await.at("/data/payouts"), json!([expected]));

    let (mut cursor, mut seen) = (String::new(), Vec::new());
    for _ in 0..2 {
        let page = admin.get(&format!("{PAYOUTS}/{id}?limit=2&cursor={cursor}")).await;
        let of_page = page.list("/data/settlements");
        seen.extend(of_page.iter().map(|row| json!([row["id"], row["status"], row["payoutBatchId"]])));
        cursor = page.at("/data/next").as_str().unwrap_or_default().to_owned();
        let mut payout = page.at("/data").clone();
        for field in ["settlements", "next"] {
            payout.as_object_mut().unwrap().remove(field);
        }
        assert_eq!(payout, expected);
    }
    assert_eq!(seen, ["s-1", "s-2", "s-3"].map(|settlement| json!([settlement, "PAID", id])));
    assert_eq!(cursor, "");
}

#[tokio::test]
async fn a_cursor_that_no_page_has_given_is_a_place_in_the_list() {
    let office = Office::open(json!([settlement("s-1", 1000, &json!({}))])).await;
    let payouts = office.run("run", &json!({})).await;
    let (admin, root) = (office.system.sign_in("u-admin").await, office.first().await);
    let url = "http://localhost/__local/webhooks/receiver/a";
    let endpoint = create(&admin, url, &[EventType::PayoutPaid]).await.text("/data/id");
    let lists = [
        (&admin, format!("{PAYOUTS}/{}", id_of(&payouts[0])), "/data/settlements"),
        (&root, format!("/api/admin/payouts/runs/{}", payouts[0]["runId"].as_str().unwrap()), "/data/leftOut"),
        (&admin, format!("{WEBHOOKS}/{endpoint}/deliveries"), "/data/deliveries"),
    ];
    let long = "z".repeat(1200);
    for (caller, path, list) in lists {
        // Before and behind all ids, and longer than any key.
        for cursor in ["..", "%20%00", "%F4%8F%BF%BFz", long.as_str()] {
            let page = caller.get(&format!("{path}?cursor={cursor}")).await;
            assert_eq!((page.status, page.at(list).is_array()), (200, true), "{path} {cursor}: {page:?}");
        }
    }
}

#[tokio::test]
async fn a_payout_is_on_the_page_after_the_one_that_ends_before_it() {
    let office = Office::open(json!([
        settlement("s-1", 10, &json!({})),
        settlement("s-2", 20, &json!({"currency": "EUR"})),
        settlement("s-3", 30, &json!({"currency": "JPY"})),
    ]))
    .await;
    office.run("run", &json!({})).await;
    let viewer = office.system.sign_in("u-viewer").await;
    let payouts = viewer.walk(PAYOUTS, "payouts", 1).await;
    let mut amounts: Vec<i64> = payouts.iter().map(|payout| payout["netAmountMinor"].as_i64().unwrap()).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [10, 20, 30]);
}

#[tokio::test]
async fn the_merchant_opens_the_file_of_its_payout() {
    // The local S3 checks the signature of a link by the system's time.
    let clock = ManualClock::new(Clock::system().now());
    let times = json!({"createdAt": "2020-10-29T10:00:00Z", "eligibleAt": "2020-11-05T10:00:00Z"});
    let office = Office::open_at(clock, json!([settlement("s-1", 1000, &times)])).await;
    let payouts = office.run("run", &json!({})).await;
    let link = office.system.sign_in("u-viewer").await.get(&format!("{PAYOUTS}/{}/file", id_of(&payouts[0]))).await.ok();
    let file = client().get(link.text("/data/url")).send().await.unwrap().text().await.unwrap();
    assert_eq!(file.lines().count(), 2, "{file}");
    assert!(file.contains("\"s-1\""), "{file}");
}
