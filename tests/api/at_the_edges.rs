//! What happens at the edges of rules: forged cursors, blanks, repeats, clocks ahead, rows that cannot be read, and two at once.

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use shared::db::Write;
use shared::team::rows::team::Belonged;
use shared::values::{MerchantId, UserId};
use upstreams::faults::{FaultKind, Hold};
use world::shop::{self, REDEEM, card, payment, with};
use world::{ManualClock, System, error_code};

use crate::payouts::{NOW, Office, settlement};

const SETTLEMENTS: &str = "/api/admin/settlements";

fn cursor_in(merchant: &str, list: usize) -> String {
    let position = json!({"InLists": {"merchant_id": merchant, "list": list, "after": null}});
    hex::encode(position.to_string())
}

#[tokio::test]
async fn no_cursor_leads_into_the_settlements_of_an_own_merchant() {
    let office = Office::open(json!([
        settlement("s-1", 1000, &json!({})),
        settlement("s-2", 500, &json!({})),
        settlement("s-rival", 80, &json!({"merchantId": "m-rival"})),
    ]))
    .await;
    let linked = office.system.sign_in("u-linked").await;
    for list in 0..3 {
        let page = linked.get(&format!("{SETTLEMENTS}?cursor={}", cursor_in("m-aurora", list))).await.ok();
        let ids: Vec<&Value> = page.list("/data/settlements").iter().map(|row| &row["id"]).collect();
        assert_eq!(ids, ["s-rival"], "list {list}");
    }

    // Who joins a merchant in the middle of its list does not read on.
    let first = office.first().await;
    let page = first.get(&format!("{SETTLEMENTS}?limit=1")).await.ok();
    let next = page.text("/data/next");
    let belonged = Belonged::new(&UserId::new("u-root"), &MerchantId::new("m-aurora"));
    office.system.store().commit(vec![Write::put(&belonged).unwrap()]).await.unwrap();
    let page = first.get(&format!("{SETTLEMENTS}?cursor={next}")).await.ok();
    let ids: Vec<&Value> = page.list("/data/settlements").iter().map(|row| &row["id"]).collect();
    assert_eq!(ids, ["s-rival"]);
}

#[tokio::test]
async fn a_time_zone_is_kept_without_blanks() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let change = json!({"company": {"timeZone": " America/New_York "}});
    admin.put("/api/bff/merchant", &change).await.ok();
    let profile = admin.get("/api/bff/merchant").await.ok();
    assert!(profile.contains("\"America/New_York\""), "{profile:?} {}", profile.content());
}

#[tokio::test]
async fn nobody_joins_a_merchant_that_is_closed_meanwhile() {
    let (system, admin) = System::signed_in("u-admin").await;
    let user = json!({"id": "u-ida", "email": "ida@example.com", "emailVerified": true});
    system.load_fixtures(&json!({"users": [user]})).await;
    let body = json!({"email": "ida@example.com", "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "ADMIN"});
    let id = admin.post("/api/auth/invites", &body).await.ok().text("/data/challengeId");
    let code = system.code_mailed_to("admin@aurora.example").await;
    admin.post(&format!("/api/auth/invites/{id}/verification"), &json!({"code": code})).await.ok();

    let (ida, root) = (system.sign_in("u-ida").await, system.sign_in("u-root").await);
    let (hold, mut handle) = Hold::new();
    let mut next = Some(hold);
    system.local.faults().decide(move |call| {
        let is_team = call.application() == Some("accounts") && call.operation == "Query";
        Some(FaultKind::Hold(next.take_if(|_| is_team)?))
    });
    let path = format!("/api/auth/invites/{id}/acceptance");
    let accept = ida.send(Method::POST, &path, None);
    let close = async {
        handle.reached().await;
        let body = json!({"status": "INACTIVE", "reason": "Bankrupt"});
        root.patch("/api/admin/merchants/m-aurora", &body).await.ok();
        handle.release();
    };
    let (accepted, ()) = tokio::join!(accept, close);
    assert_eq!(error_code(&accepted), (410, "INVITE_OVER"), "{accepted:?}");
    let session = ida.get("/api/auth/session").await;
    assert_eq!(session.at("/data/merchant"), &Value::Null, "{session:?} {}", session.content());
}

#[tokio::test]
async fn a_cashier_who_names_the_own_merchant_is_named() {
    let (_system, admin) = System::signed_in("u-admin").await;
    for merchant in [json!(null), json!("m-aurora"), json!(""), json!(" m-aurora ")] {
        let sale = with(shop::sale(100), &json!({"merchantId": merchant}));
        let sold = admin.post(shop::ISSUE, &sale).await.ok();
        let history = admin.get(&format!("/api/bff/cards/{}/history", sold.text("/data/qrCode"))).await.ok();
        assert_eq!(history.at("/data/events/0/by"), "Anna Berg", "{merchant}");
    }
}

#[tokio::test]
async fn blank_fields_of_a_card_say_nothing() {
    let (system, till) = System::signed_in("u-till").await;
    let blank = with(card("1001", "QR-BLANK", 500, "SEK"), &json!({"status": " "}));
    let owner = with(card("1001", "QR-NO-OWNER", 500, "SEK"), &json!({"merchantId": ""}));
    system.load_fixtures(&json!({"cardNetwork": {"cards": [blank, owner]}})).await;
    let balance = system.anonymous().post("/api/merchants/aurora-coffee/balance", &json!({"code": "QR-BLANK"})).await;
    assert_eq!(balance.at("/data/status"), "ACTIVE", "{balance:?}");
    assert_eq!(till.get("/api/bff/pos/card/QR-NO-OWNER").await.status, 200);
}

/// An owner that cannot be read is not nobody.
#[tokio::test]
async fn a_card_of_an_owner_that_cannot_be_read_is_not_shown() {
    let (system, till) = System::signed_in("u-till").await;
    for owner in [json!({"id": "1002"}), json!(["1002"]), json!(true)] {
        let record = json!({"merchantId": owner, "qrCode": "QR-ODD", "status": "ACTIVE", "valueRemains": 100, "currency": "SEK"});
        system.set_network_fault("GET /v1/cards/*", "body", json!(record.to_string())).await;
        let shown = till.get("/api/bff/pos/card/QR-ODD").await;
        assert_eq!(shown.status, 404, "{owner}: {shown:?}");
    }
}

#[tokio::test]
async fn the_shop_knows_an_unowned_card_of_an_order_that_was_imported() {
    let system = System::start().await;
    let cards = json!([with(card("1001", "QR-IMPORTED", 500, "SEK"), &json!({"merchantId": null}))]);
    let gift = json!({"id": "g-1", "qrCode": "QR-IMPORTED", "status": "ISSUED", "valueMinor": 50000, "currency": "SEK"});
    let order = json!({"id": "o-imported", "merchantId": "m-aurora", "createdAt": "2026-01-01T10:00:00Z", "status": "COMPLETED",
        "currency": "SEK", "totalAmountMinor": 50000, "giftCards": [gift]});
    system.load_fixtures(&json!({"cardNetwork": {"cards": cards}, "orders": [order]})).await;
    system.drain().await;
    let balance = system.anonymous().post("/api/merchants/aurora-coffee/balance", &json!({"code": "QR-IMPORTED"})).await;
    assert_eq!(balance.status, 200, "{balance:?}");
}

#[tokio::test]
async fn a_key_that_is_closed_after_two_years_is_closed() {
    let (system, clock) = System::at("2026-03-01T10:00:00Z").await;
    let cancel = async |key: &str| {
        let till = system.sign_in("u-till").await;
        till.post("/api/bff/pos/operations/cancellation", &json!({"kind": "REDEEM", "idempotencyKey": key})).await.ok()
    };
    cancel("k").await;
    clock.advance(SignedDuration::from_hours(24 * 731).as_secs());
    let closed = cancel("k").await;
    assert_eq!((closed.at("/data/status"), closed.header("money-moved")), (&json!("CANCELLED"), Some("no")));
    let till = system.sign_in("u-till").await;
    let late = till.post_with_key(REDEEM, "k", &payment("QR-500", 100)).await;
    assert_eq!(late.status, 409, "{late:?}");
}

/// More than are read at once. Their settlements can be read, and are paid, as are later ones and those of other merchants.
#[tokio::test]
async fn unreadable_entries_of_pending_settlements_stop_no_payout() {
    const UNREADABLE: usize = 30;
    let at = |number: usize| format!("2026-01-02T00:00:{number:02}Z");
    let office = Office::open_at(
        ManualClock::at(NOW),
        (0..=UNREADABLE)
            .map(|number| settlement(&format!("s-{number}"), 1000, &json!({"eligibleAt": at(number)})))
            .chain([settlement("s-rival", 80, &json!({"merchantId": "m-rival"}))])
            .collect(),
    )
    .await;
    let rows = office.system.rows().await;
    let entries = rows.iter().filter(|row| row["pk"]["S"] == "PENDING_SETTLEMENTS#m-aurora").take(UNREADABLE);
    for entry in entries {
        let unreadable = with(entry.clone(), &json!({"net": {"BOOL": true}}));
        office.system.dynamodb("PutItem", json!({"Item": unreadable})).await;
    }
    let outlook = office.system.sign_in("u-admin").await.get("/api/bff/payouts").await;
    assert_eq!(outlook.status, 200, "{outlook:?}");
    let mut payouts = office.run("run", &json!({})).await;
    payouts.sort_unstable_by_key(|payout| payout["merchantId"].to_string());
    let paid: Vec<Value> = payouts.iter().map(|payout| json!([payout["merchantId"], payout["count"]])).collect();
    assert_eq!(paid, [json!(["m-aurora", UNREADABLE + 1]), json!(["m-rival", 1])]);
}

/// Whoever lifts the hold has to know that the merchant sold the card itself.
#[tokio::test]
async fn a_disagreement_does_not_hide_that_the_merchant_sold_the_card() {
    let (system, member) = System::signed_in("u-full").await;
    let code = member.sell(500).await.text("/data/qrCode");
    let reply = json!({"transactionId": "t", "amount": 99, "currency": "SEK"});
    system.set_network_fault("POST /v1/cards/redeem", "body", json!(reply.to_string())).await;
    member.redeem(&code, 100).await;
    system.drain().await;
    let root = system.sign_in("u-root").await;
    let page = root.get(&format!("{SETTLEMENTS}?merchantId=m-aurora&held=true")).await.ok();
    let row = page.at("/data/settlements/0");
    let expected = (&json!("OWN_SALE"), &json!("Also held: DISAGREEMENT"));
    assert_eq!((&row["heldBecause"], &row["heldReason"]), expected, "{row}");
}
