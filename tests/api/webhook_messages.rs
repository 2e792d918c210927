//! What messages say: the data of each event, and when there is one.

use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::cards::model::redemption::Redemption;
use shared::db::{Job, Task, Write};
use shared::values::{MerchantId, RedemptionId};
use shared::webhooks::model::EventType;
use world::shop::{ISSUE, REDEEM, sale};
use world::{Received, Receiver};

use crate::giving_back::giving_back;
use crate::payouts::{Office, decide, id_of, paid, settlement};
use crate::webhooks::{Shop, WEBHOOKS, create, deliver, types};

const MERCHANT: &str = "m-aurora";

/// The data of the only message of a type.
fn data_of(messages: &[Received], name: &str) -> Value {
    let of_type: Vec<Value> = messages.iter().map(Received::json).filter(|body| body["type"] == name).collect();
    let [message] = &of_type[..] else { panic!("{name}: {of_type:?}") };
    message["data"].clone()
}

#[tokio::test]
async fn a_paired_till_is_named_with_its_store_and_what_a_card_gives_back() {
    let shop = Shop::telling(&[EventType::GiftCardIssued, EventType::GiftCardRedeemed]).await;
    let admin = shop.admin().await;
    let till = shop.system.paired_till().await;
    let id = admin.get("/api/auth/tills").await.text("/data/0/id");
    let counter = json!({"id": id, "name": "Counter"});
    let store = json!({"id": "101", "name": "Main street"});

    let redeemed = till.redeem("QR-500", 100).await;
    let data = data_of(&shop.deliver().await, "gift_card.redeemed");
    assert_eq!((&data["store"], &data["till"]), (&store, &counter));
    let redemption = redeemed.text("/redemptionId");
    till.post(ISSUE, &giving_back(&redemption, 40)).await.ok();
    let data = data_of(&shop.deliver().await, "gift_card.issued");
    assert_eq!((&data["store"], &data["till"]), (&store, &counter));
    assert_eq!((&data["refundOf"], &data["offerId"], &data["offerName"]), (&json!(redemption), &json!("505"), &json!("Refund")));
    assert_eq!(data["amountMinor"], 4000);

    // A till that is removed before the body is made has no name left.
    let removed = async {
        till.redeem("QR-500", 1).await;
        assert_eq!(admin.delete(&format!("/api/auth/tills/{id}")).await.status, 200);
    };
    shop.system.local.pause(removed).await;
    let data = data_of(&shop.deliver().await, "gift_card.redeemed");
    assert_eq!(data["till"]["id"], id);
}

#[tokio::test]
async fn names_are_cut_to_200_characters() {
    let shop = Shop::telling(&[EventType::GiftCardIssued, EventType::GiftCardRedeemed]).await;
    let long = "ü".repeat(300);
    let offer = json!({"merchantId": "1001", "giftCardOfferId": 900, "name": long, "giftCardOfferType": "GIFTCARD_DIGITAL",
        "giftCardOfferStatus": "AVAILABLE", "currency": "SEK", "minPrice": 1, "maxPrice": 1000});
    shop.system.load_fixtures(&json!({"cardNetwork": {"offers": [offer]}})).await;
    let till = shop.system.sign_in("u-till").await;
    let sale = json!({"value": 100, "giftCardOfferId": 900, "deliveryDetails": {"deliveryType": "QR"}});
    till.post(ISSUE, &sale).await.ok();
    let cut = "ü".repeat(200);
    let data = data_of(&shop.deliver().await, "gift_card.issued");
    assert_eq!(data["offerName"], cut);
    let body = json!({"qrCode": "QR-500", "redeemAmount": 1, "purchaseAmount": 1, "retailStoreName": long});
    assert_eq!(till.post(REDEEM, &body).await.status, 200);
    assert_eq!(data_of(&shop.deliver().await, "gift_card.redeemed")["store"]["name"], cut);
}

#[tokio::test]
async fn what_is_left_on_a_card_is_null_where_the_network_does_not_say() {
    let shop = Shop::telling(&[EventType::GiftCardRedeemed]).await;
    let till = shop.system.sign_in("u-till").await;
    for reply in [json!({"transactionId": "t"}), json!({"transactionId": "t", "amount": 99, "remainingValue": 400})] {
        shop.system.set_network_fault("POST /v1/cards/redeem", "body", json!(reply.to_string())).await;
        till.redeem("QR-500", 100).await;
        let data = data_of(&shop.deliver().await, "gift_card.redeemed");
        assert_eq!((&data["remainingValueMinor"], &data["amountMinor"]), (&Value::Null, &json!(10_000)), "{reply}");
    }
}

/// Of a sale, and of one that never happened.
#[tokio::test]
async fn a_sale_that_was_unknown_is_told_with_what_has_become_of_it() {
    let shop = Shop::telling(&[EventType::OperationUnknown, EventType::OperationResolved]).await;
    let till = shop.system.sign_in("u-till").await;
    for (kind, status) in [("after", "SUCCEEDED"), ("drop", "FAILED")] {
        shop.system.lose_outcomes(kind).await;
        let unknown = till.post(ISSUE, &sale(100)).await;
        assert_eq!(unknown.status, 504, "{unknown:?}");
        shop.advance(SignedDuration::from_secs(61));
        shop.system.drain().await;
        let asked = shop.deliver().await;
        let mut expected = data_of(&asked, "operation.unknown");
        let reference = unknown.at("/error/details/reference");
        assert_eq!((&expected["reference"], &expected["kind"]), (reference, &json!("ISSUE")), "{unknown:?}");
        let order = expected["orderId"].as_str().unwrap().to_owned();
        assert_eq!(shop.admin().await.get(&format!("/api/bff/merchant-orders/{order}")).await.status, 200);

        shop.system.set_faults(json!([])).await;
        shop.advance(SignedDuration::from_hours(2));
        shop.system.drain().await;
        let answered = shop.deliver().await;
        expected["status"] = json!(status);
        assert_eq!(data_of(&answered, "operation.resolved"), expected);
        assert!(answered[0].json()["timestamp"].as_str() > asked[0].json()["timestamp"].as_str());
    }
}

/// Also of a merchant that was closed meanwhile.
#[tokio::test]
async fn a_payout_is_told_when_it_is_paid() {
    for status in ["ACTIVE", "INACTIVE"] {
        let office = Office::open(json!([settlement("s-1", 1000, &json!({})), settlement("s-2", 500, &json!({}))])).await;
        let receiver = Receiver::start().await;
        create(&office.system.sign_in("u-admin").await, &receiver.url, &EventType::ALL).await;
        let payouts = office.run("run", &json!({"merchantId": MERCHANT})).await;
        if status != "ACTIVE" {
            office.set_status(MERCHANT, status).await;
        }
        deliver(&office.system, &receiver).await;

        decide(&office.second().await, id_of(&payouts[0]), &paid("SEPA 1")).await.ok();
        office.drain().await;
        let told = deliver(&office.system, &receiver).await;
        assert_eq!(types(&told), ["payout.paid"], "{status}");
        let expected = json!({
            "payoutId": id_of(&payouts[0]), "amountMinor": 1500, "currency": "SEK", "count": 2, "reference": "SEPA 1",
        });
        assert_eq!(told[0].json()["data"], expected, "{status}");
    }
}

/// The card of a settlement was sold at the merchant's own till.
#[tokio::test]
async fn a_hold_by_a_run_is_told() {
    let office = Office::open(json!([settlement("s-own", 10, &json!({"redemptionId": "r-own"}))])).await;
    let receiver = Receiver::start().await;
    let sold = office.system.sign_in("u-till").await.sell(100).await;
    let redemption = json!({"id": "r-own", "merchantId": MERCHANT, "status": "SUCCEEDED", "amountMinor": 100, "currency": "SEK",
        "qrCode": sold.text("/data/qrCode"), "occurredAt": "2026-10-29T10:00:00Z"});
    office.system.load_fixtures(&json!({"redemptions": [redemption]})).await;
    create(&office.system.sign_in("u-admin").await, &receiver.url, &[EventType::SettlementHeld]).await;
    office.run("run", &json!({})).await;
    let told = deliver(&office.system, &receiver).await;
    assert_eq!(types(&told), ["settlement.held"]);
    assert_eq!((&told[0].json()["data"]["id"], &told[0].json()["data"]["held"]), (&json!("s-own"), &json!(true)));
}

/// Those of an imported settlement can be of any length.
#[tokio::test]
async fn fees_that_would_make_a_message_too_long_are_left_out() {
    let long = json!({"explanation": "f".repeat(9000)});
    let office = Office::open(json!([
        settlement("s-long", 10, &json!({"feeSnapshot": long})),
        settlement("s-short", 10, &json!({"feeSnapshot": {"explanation": "agreed"}})),
    ]))
    .await;
    let receiver = Receiver::start().await;
    create(&office.system.sign_in("u-admin").await, &receiver.url, &[EventType::SettlementHeld]).await;
    for (id, fees) in [("s-long", Value::Null), ("s-short", json!({"explanation": "agreed"}))] {
        let hold = json!({"held": true, "reason": "Looked at."});
        office.first().await.patch(&format!("/api/admin/settlements/{MERCHANT}/{id}"), &hold).await.ok();
        let told = deliver(&office.system, &receiver).await;
        let data = data_of(&told, "settlement.held");
        assert_eq!((&data["id"], &data["feeSnapshot"]), (&json!(id), &fees));
        assert!(told[0].body.len() <= 8 * 1024, "{}", told[0].body.len());
    }
}

/// One that could not be made with its redemption.
#[tokio::test]
async fn a_settlement_that_a_job_makes_is_told() {
    let shop = Shop::telling(&[EventType::SettlementCreated]).await;
    let redeemed = shop.system.sign_in("u-till").await.redeem("QR-500", 100).await.text("/redemptionId");
    shop.deliver().await;
    let app = shop.system.local.app();
    let redemption = app.store.redemption(&MerchantId::new(MERCHANT), &RedemptionId::new(redeemed)).await.unwrap().unwrap();
    let late = Redemption { id: RedemptionId::new("r-late"), ..redemption.value };
    app.store.commit(vec![Write::create(&late).unwrap()]).await.unwrap();
    let task = Task::SettleRedemption { redemption_id: RedemptionId::new("r-late") };
    let job = Job::new(MerchantId::new(MERCHANT), task, app.clock.now(), &app.random);
    app.store.commit(vec![Write::create(&job).unwrap()]).await.unwrap();
    shop.system.drain().await;
    let data = data_of(&shop.deliver().await, "settlement.created");
    assert_eq!(data["redemptionId"], "r-late");
    let listed = shop.admin().await.get("/api/bff/settlements").await;
    assert!(listed.list("/rows").contains(&data), "{data} of {listed:?}");
}

#[tokio::test]
async fn what_is_written_is_sent_whatever_the_status_becomes() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let suspended = async {
        shop.sell().await;
        shop.set_status("SUSPENDED").await;
    };
    shop.system.local.pause(suspended).await;
    shop.receiver.answer([500]);
    assert_eq!(types(&shop.deliver().await), ["gift_card.issued"], "its body was made later");
    shop.advance(SignedDuration::from_secs(7));
    assert_eq!(types(&shop.deliver().await), ["gift_card.issued"], "its second attempt");
}

#[tokio::test]
async fn an_endpoint_says_when_it_last_accepted_or_refused_a_message_and_when_its_secret_was_replaced() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let times = async || {
        let endpoint = shop.endpoint().await;
        ["lastSuccessAt", "lastFailureAt", "rotatedAt"].map(|name| endpoint[name].clone())
    };
    let now = || json!(shared::base::clock::iso_8601(shop.clock.clock().now()));
    assert_eq!(times().await, [Value::Null, Value::Null, Value::Null]);
    let accepted = now();
    shop.sell().await;
    shop.deliver().await;
    assert_eq!(times().await, [accepted.clone(), Value::Null, Value::Null]);
    shop.advance(SignedDuration::from_mins(1));
    let refused = now();
    shop.receiver.answer([500]);
    shop.sell().await;
    shop.deliver().await;
    assert_eq!(times().await, [accepted.clone(), refused.clone(), Value::Null]);
    shop.advance(SignedDuration::from_secs(1));
    let rotated = now();
    assert_eq!(shop.admin().await.post(&format!("{}/rotation", shop.path()), &json!({})).await.status, 200);
    assert_eq!(times().await, [accepted, refused, rotated]);
}

/// However many endpoints and members it has.
#[tokio::test]
async fn tests_and_retries_are_limited_for_a_merchant() {
    let shop = Shop::telling(&[EventType::PayoutPaid]).await;
    let (admin, unset) = (shop.admin().await, shop.system.sign_in("u-unset").await);
    let second = create(&unset, &shop.receiver.url, &[EventType::PayoutPaid]).await;
    let second = format!("{WEBHOOKS}/{}", second.text("/data/id"));
    let test = json!({"event": "payout.paid"});
    let path = shop.path();
    let of_both = [(&admin, &path), (&unset, &second)];
    let mut deliveries = Vec::new();
    for (caller, path) in of_both.into_iter().cycle().take(20) {
        let sent = caller.post(&format!("{path}/test"), &test).await.ok();
        deliveries.push((caller, format!("{path}/deliveries/{}/retry", sent.text("/data/deliveryId"))));
    }
    shop.deliver().await;
    for (caller, retry) in deliveries.iter().cycle().take(100) {
        assert_eq!(caller.post_empty(retry).await.status, 202);
        shop.deliver().await;
    }
    for (number, (caller, path)) in of_both.into_iter().enumerate() {
        let refused = caller.post(&format!("{path}/test"), &test).await;
        assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true));
        let refused = caller.post_empty(&deliveries[number].1).await;
        assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true));
    }
    let rival = shop.system.sign_in("u-rival").await;
    let of_rival = create(&rival, "http://127.0.0.1:9/", &[EventType::PayoutPaid]).await.text("/data/id");
    assert_eq!(rival.post(&format!("{WEBHOOKS}/{of_rival}/test"), &test).await.status, 202);
}

#[tokio::test]
async fn a_page_has_a_hundred_deliveries_at_most() {
    let shop = Shop::telling(&[EventType::GiftCardIssued]).await;
    let selling = async {
        let till = shop.system.sign_in("u-till").await;
        for _ in 0..101 {
            till.sell(100).await;
        }
    };
    shop.system.local.pause(selling).await;
    assert_eq!(shop.deliver().await.len(), 101);
    let admin = shop.admin().await;
    for (limit, expected) in [("", 50), ("7", 7), ("100", 100), ("101", 100), ("9999999", 100)] {
        let page = admin.get(&format!("{}/deliveries?limit={limit}", shop.path())).await;
        assert_eq!(page.list("/data/deliveries").len(), expected, "limit {limit}");
        assert!(page.at("/data/next").is_string());
    }
}
