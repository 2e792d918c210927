//! Sales that give back what was redeemed, and the offers that a till sells.

use futures_util::future::join_all;
use serde_json::{Value, json};
use world::shop::{self, ISSUE, REDEEM, payment, sale};
use world::{System, error_code};

const OFFERS: &str = "/api/bff/pos/offers";

/// A sale that gives back something of a redemption.
pub(crate) fn giving_back(redemption: &str, value: impl Into<Value>) -> Value {
    json!({"value": value.into(), "refundOf": redemption, "deliveryDetails": {"deliveryType": "QR"}})
}

fn with(mut body: Value, name: &str, value: impl Into<Value>) -> Value {
    body[name] = value.into();
    body
}

/// What was given back of a redemption of QR-500, by the history of the card.
async fn refunded(system: &System, redemption: &str) -> Value {
    let history = system.sign_in("u-admin").await.get("/api/bff/cards/QR-500/history").await;
    history.row("/data/events", "redemptionId", redemption)["refundedMinor"].clone()
}

#[tokio::test]
async fn a_till_lists_what_can_be_sold_now() {
    let system = System::start().await;
    let offer = |id: u32, fields: Value| {
        shop::with(
            json!({"merchantId": "1001", "giftCardOfferId": id, "name": "More", "giftCardOfferStatus": "AVAILABLE"}),
            &fields,
        )
    };
    let offers = [
        offer(510, json!({"availableForPurchaseTime": "2999-01-01"})),
        offer(511, json!({"expireForPurchaseTime": "2020-01-01"})),
        offer(512, json!({"currency": "kr"})),
        offer(513, json!({"giftCardOfferStatus": "ARCHIVED"})),
    ];
    system.load_fixtures(&json!({"cardNetwork": {"offers": offers}})).await;
    let paired = system.paired_till().await;
    for caller in [&system.sign_in("u-till").await, &system.sign_in("u-admin").await, &paired] {
        let listed = caller.get(OFFERS).await;
        let items = listed.list("/data/items");
        let ids: Value = items.iter().map(|offer| json!([offer["id"], offer["type"]])).collect();
        let (gift, refund) = ("GIFTCARD_DIGITAL", "REFUND_DIGITAL");
        // The last one is an older record without a status.
        let expected = json!([["501", gift], ["502", gift], ["503", gift], ["505", refund], ["506", gift]]);
        assert_eq!(ids, expected);
        let offer = json!({
            "id": "505", "name": "Refund", "status": "AVAILABLE", "currency": "SEK", "defaultPrice": null, "min": 1,
            "max": 10000, "denominations": [], "priceLocked": false, "availableForPurchaseTime": null,
            "expireForPurchaseTime": null, "numberOfDaysCardIsValidFromPurchaseTime": null, "description": null,
            "saleProblem": null, "type": "REFUND_DIGITAL",
        });
        assert_eq!(items[3], offer);
    }
    let of_bare = system.join("u-bare-till", "m-bare", &json!({"merchantTeamRole": null, "permissions": ["portal.pos"]})).await;
    assert_eq!(of_bare.get(OFFERS).await.at("/data"), &json!({"items": []}));
    system.set_network_fault("*", "status", 503.into()).await;
    assert_eq!(paired.get(OFFERS).await.status, 503);
}

#[tokio::test]
async fn a_card_gives_back_a_part_of_a_redemption_and_its_order_says_so() {
    let system = System::start().await;
    let till = system.paired_till().await;
    let redemption = till.redeem("QR-500", 100).await.text("/redemptionId");
    let body = with(giving_back(&redemption, 40), "refundReason", " Wrong size ");
    let issued = till.post(ISSUE, &body).await.ok();
    let calls = system.network_calls().await;
    let sent = calls.iter().rev().find(|call| call["path"] == "/v1/cards/issue").unwrap();
    let of_offer = |field: &str| sent["body"][field].clone();
    assert_eq!((of_offer("giftCardOfferId"), of_offer("giftCardOfferType")), (json!(505), json!("REFUND_DIGITAL")), "{sent}");
    let admin = system.sign_in("u-admin").await;
    let order = admin.get(&format!("/api/bff/merchant-orders/{}", issued.text("/data/orderId"))).await;
    assert_eq!(order.at("/data/refundOf"), &json!(redemption));
    assert_eq!(order.at("/data/refundReason"), "Wrong size");
    let sold = till.post(ISSUE, &sale(100)).await.text("/data/orderId");
    let order = admin.get(&format!("/api/bff/merchant-orders/{sold}")).await;
    assert_eq!((order.at("/data/refundOf"), order.at("/data/refundReason")), (&Value::Null, &Value::Null));
    assert_eq!(refunded(&system, &redemption).await, 4000);
}

#[tokio::test]
async fn no_more_is_given_back_than_was_redeemed() {
    let (system, till) = System::signed_in("u-till").await;
    let redemption = till.redeem("QR-500", 100).await.text("/redemptionId");
    let too_large = (400, "REFUND_TOO_LARGE");
    assert_eq!(error_code(&till.post(ISSUE, &giving_back(&redemption, "100.01")).await), too_large);
    for value in [60, 30] {
        assert_eq!(till.post(ISSUE, &giving_back(&redemption, value)).await.status, 200);
    }
    assert_eq!(error_code(&till.post(ISSUE, &giving_back(&redemption, "10.01")).await), too_large);
    assert_eq!(refunded(&system, &redemption).await, 9000);
    assert_eq!(till.post(ISSUE, &giving_back(&redemption, 10)).await.status, 200);
    assert_eq!(error_code(&till.post(ISSUE, &giving_back(&redemption, 1)).await), too_large);
    // Of another redemption of the same card, nothing was.
    let other = till.redeem("QR-500", 50).await.text("/redemptionId");
    assert_eq!(till.post(ISSUE, &giving_back(&other, 50)).await.status, 200);
    assert_eq!(refunded(&system, &redemption).await, 10_000);
}

#[tokio::test]
async fn only_a_successful_redemption_of_the_merchant_is_given_back_in_its_currency() {
    let system = System::start().await;
    let dollars = json!({"merchantId": "1001", "giftCardOfferId": 520, "name": "Dollars", "currency": "USD",
                          "giftCardOfferType": "REFUND_DIGITAL", "giftCardOfferStatus": "AVAILABLE"});
    let rival = json!({"id": "u-rival-till", "email": "till@rival.example", "merchantId": "m-rival",
                        "permissions": ["portal.pos"]});
    system.load_fixtures(&json!({"cardNetwork": {"offers": [dollars]}, "users": [rival]})).await;
    let till = system.sign_in("u-till").await;
    let own = till.redeem("QR-500", 100).await.text("/redemptionId");
    let of_rival = system.sign_in("u-rival-till").await.redeem("QR-RIVAL", 50).await.text("/redemptionId");
    let failed = payment("QR-BLOCKED", 1);
    assert_eq!(till.post(REDEEM, &failed).await.status, 422);
    let failed = failed_redemption(&system).await;

    let none = "NO_SUCH_REDEMPTION";
    let long = "r".repeat(3000);
    let of = |id: &str| giving_back(id, 10);
    let reason = |length| with(giving_back(&own, 10), "refundReason", "x".repeat(length));
    for (body, code, message) in [
        (of("none"), none, "refundOf: there is no such redemption."),
        (of(""), none, "refundOf: there is no such redemption."),
        (of(&long), none, "refundOf: there is no such redemption."),
        (of(&of_rival), none, "refundOf: there is no such redemption."),
        (of(&failed), none, "refundOf: there is no such redemption."),
        (
            with(giving_back(&own, 60), "giftCardOfferId", 501),
            "INVALID_REQUEST",
            "giftCardOfferId: must be an offer of the type REFUND_DIGITAL if refundOf is given.",
        ),
        (with(of(&own), "giftCardOfferId", 520), "INVALID_REQUEST", "refundOf: was redeemed in SEK."),
        (reason(201), "INVALID_REQUEST", "refundReason: must be at most 200 characters."),
    ] {
        let response = till.post(ISSUE, &body).await;
        assert_eq!(error_code(&response), (400, code), "{body}");
        assert_eq!(response.text("/error/message"), message, "{body}");
    }
    assert_eq!(refunded(&system, &own).await, 0);
    for body in [with(of(&own), "giftCardOfferId", 505), reason(200), with(of(&own), "refundOf", format!(" {own} "))] {
        assert_eq!(till.post(ISSUE, &body).await.status, 200, "{body}");
    }
    assert_eq!(refunded(&system, &own).await, 3000);
}

/// The id of the only redemption that failed.
async fn failed_redemption(system: &System) -> String {
    use shared::cards::model::redemption::{Redemption, RedemptionStatus};
    use shared::db::keys::{Listed, listed_rows};
    let store = system.store();
    let all = store.scan_all::<Redemption>(listed_rows(Listed::Redemptions, None)).await.unwrap();
    let failed = all.into_iter().find(|redemption| redemption.status == RedemptionStatus::Failed);
    failed.unwrap().id.to_string()
}

#[tokio::test]
async fn give_backs_at_the_same_time_never_exceed_what_was_redeemed() {
    let (system, till) = System::signed_in("u-till").await;
    for (redeemed, value, count, expected) in [(100, 30, 12, 3), (10, 10, 8, 1), (12, 1, 12, 12)] {
        let redemption = till.redeem("QR-500", redeemed).await.text("/redemptionId");
        let body = giving_back(&redemption, value);
        let responses = join_all((0..count).map(|_| till.post(ISSUE, &body))).await;
        let issued = responses.iter().filter(|response| response.status == 200).count();
        let refused = responses.iter().filter(|response| error_code(response) == (400, "REFUND_TOO_LARGE"));
        // Who was kept waiting for too long by the others is told so, and nothing was done.
        let others = responses.iter().filter(|response| response.status == 500).count();
        assert_eq!(issued + refused.count() + others, count, "{responses:?}");
        assert!(issued <= expected, "{issued} of {expected}");
        let given_back = i64::try_from(issued).unwrap() * value * 100;
        assert_eq!(refunded(&system, &redemption).await, given_back);
        for _ in issued..expected {
            assert_eq!(till.post(ISSUE, &body).await.status, 200);
        }
        assert_eq!(error_code(&till.post(ISSUE, &body).await), (400, "REFUND_TOO_LARGE"));
    }
}

#[tokio::test]
async fn what_a_failed_sale_was_to_give_back_can_be_given_back_again() {
    let (system, till) = System::signed_in("u-till").await;
    let redemption = till.redeem("QR-500", 100).await.text("/redemptionId");
    let body = giving_back(&redemption, 100);
    // Refused; without an answer, and unknown to the network; and open, until the sweep finds that it was never received.
    system.set_faults(json!([{"target": "card-network", "match": "POST /v1/cards/issue", "kind": "status", "value": 422}])).await;
    assert_eq!(till.post_with_key(ISSUE, "refused", &body).await.status, 422);
    assert_eq!(refunded(&system, &redemption).await, 0);
    system.set_faults(json!([{"target": "card-network", "match": "POST /v1/cards/issue", "kind": "status", "value": 503}])).await;
    assert_eq!(till.post_with_key(ISSUE, "freed", &body).await.status, 503);
    assert_eq!(refunded(&system, &redemption).await, 0);
    // The offers are read before the sale begins: only the calls that move money and those that look them up fail.
    system.lose_outcomes("drop").await;
    assert_eq!(error_code(&till.post_with_key(ISSUE, "open", &body).await), (504, "UNKNOWN_OUTCOME"));
    assert_eq!(refunded(&system, &redemption).await, 10_000);
    assert_eq!(error_code(&till.post(ISSUE, &giving_back(&redemption, 1)).await), (400, "REFUND_TOO_LARGE"));
    system.set_faults(json!([])).await;
    system.drain().await;
    assert_eq!(refunded(&system, &redemption).await, 0);

    // A repeat of the request whose key was freed is a new attempt, and is counted once.
    let issued = till.post_with_key(ISSUE, "freed", &body).await;
    assert_eq!((issued.status, issued.header("idempotent-replayed")), (200, None));
    let replay = till.post_with_key(ISSUE, "freed", &body).await;
    assert_eq!((replay.status, replay.header("idempotent-replayed")), (200, Some("true")));
    assert_eq!(refunded(&system, &redemption).await, 10_000);
    assert_eq!(till.post_with_key(ISSUE, "refused", &body).await.status, 422);
    assert_eq!(refunded(&system, &redemption).await, 10_000);
}

/// The commit took effect, and its response was lost: the SDK repeats it.
#[tokio::test]
async fn a_sale_whose_beginning_is_committed_twice_gives_back_once() {
    let (system, till) = System::signed_in("u-till").await;
    for key in [None, Some("key")] {
        let redemption = till.redeem("QR-500", 100).await.text("/redemptionId");
        system.set_faults(json!([{"target": "dynamodb", "match": "TransactWriteItems", "kind": "after", "times": 1}])).await;
        let body = giving_back(&redemption, 100);
        let issued = match key {
            Some(key) => till.post_with_key(ISSUE, key, &body).await,
            None => till.post(ISSUE, &body).await,
        };
        system.set_faults(json!([])).await;
        assert_eq!(issued.status, 200, "{issued:?}");
        assert_eq!(refunded(&system, &redemption).await, 10_000);
    }
}

#[tokio::test]
async fn a_refund_card_without_a_redemption_is_issued_as_ever() {
    let (system, till) = System::signed_in("u-till").await;
    let body = json!({"value": 10, "giftCardOfferType": "refund", "deliveryDetails": {"deliveryType": "QR"}});
    let issued = till.post(ISSUE, &body).await.ok();
    let order = system.sign_in("u-admin").await;
    let order = order.get(&format!("/api/bff/merchant-orders/{}", issued.text("/data/orderId"))).await;
    assert_eq!(order.at("/data/refundOf"), &Value::Null);
}
