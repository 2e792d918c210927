//! Whose money it is: settlements of redemptions that must not be paid out before somebody has looked.

use serde_json::{Value, json};
use world::shop::{ISSUE, REDEEM, payment, sale, with};
use world::{ApiResponse, Caller, System};

/// The row of the settlement list that belongs to a redemption.
async fn settlement_of(system: &System, reader: &Caller, redeemed: &ApiResponse) -> Value {
    system.drain().await;
    reader.get("/api/bff/settlements").await.row("/rows", "redemptionId", redeemed.text("/redemptionId"))
}

/// A member with the rights to set up an offer and to use the till could issue a card of any value, redeem it, and be
/// owed money that nobody paid in.
#[tokio::test]
async fn a_member_who_issues_and_redeems_its_own_card_is_not_paid_for_it() {
    let (system, member) = System::signed_in("u-full").await;
    let offer = json!({
        "name": "My own", "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "currency": "SEK",
        "minPrice": 1, "maxPrice": 1_000_000,
    });
    let offer = member.post("/api/bff/offers", &offer).await.ok();
    let sale = with(sale(900_000), &json!({"giftCardOfferId": offer.at("/data/id")}));
    let sold = member.post(ISSUE, &sale).await.ok();

    let redeemed = member.redeem(&sold.text("/data/qrCode"), 900_000).await;
    let settlement = settlement_of(&system, &member, &redeemed).await;
    // The books are complete: gross, fee and net as for any redemption.
    let sums = ["grossAmountMinor", "feeAmountMinor", "netAmountMinor"].map(|name| &settlement[name]);
    assert_eq!(sums, [&json!(90_000_000), &json!(2_250_100), &json!(87_749_900)]);
    assert_eq!((&settlement["status"], &settlement["held"]), (&json!("PENDING"), &json!(true)));
    member.get("/api/bff/settlements/summary").await.ok();
}

#[tokio::test]
async fn a_card_that_was_sold_elsewhere_is_paid_for() {
    let (system, [till, admin]) = System::with_callers(["u-till", "u-admin"]).await;
    // QR-SOLD belongs to an order of the web shop, and QR-500 to none.
    for code in ["QR-SOLD", "QR-500"] {
        let redeemed = till.redeem(code, 100).await;
        assert_eq!(settlement_of(&system, &admin, &redeemed).await["held"], json!(false), "{code}");
    }
}

#[tokio::test]
async fn a_settlement_is_held_if_the_networks_reply_disagrees_with_the_request() {
    let (system, [till, admin]) = System::with_callers(["u-till", "u-admin"]).await;
    let amount = json!({"transactionId": "t", "amount": 100, "currency": "SEK", "qrCode": "QR-500"});
    for (changed, held) in [
        (json!({}), false),
        (json!({"amount": "100.00"}), false),
        (json!({"amount": null, "currency": null, "qrCode": null}), false),
        (json!({"amount": 99}), true),
        (json!({"amount": "100.000000000000000000001"}), true),
        (json!({"amount": -100}), true),
        (json!({"currency": "EUR"}), true),
        (json!({"currency": "XTS"}), true),
        (json!({"qrCode": "QR-RIVAL"}), true),
    ] {
        let reply = with(amount.clone(), &changed);
        system.set_network_fault("POST /v1/cards/redeem", "body", json!(reply.to_string())).await;
        let redeemed = till.redeem("QR-500", 100).await;
        assert_eq!(redeemed.at("/data"), &reply, "the till sees what the network said");
        let settlement = settlement_of(&system, &admin, &redeemed).await;
        assert_eq!(settlement["held"], json!(held), "{changed}");
        assert_eq!(settlement["grossAmountMinor"], json!(10_000), "{changed}");
    }
}

#[tokio::test]
async fn another_currency_than_the_merchants_has_to_be_confirmed() {
    let (system, [till, admin]) = System::with_callers(["u-till", "u-admin"]).await;
    for (reply, held) in [
        (json!({"transactionId": "t", "amount": 1, "currency": "EUR"}), false),
        (json!({"transactionId": "t", "amount": 1}), true),
    ] {
        system.set_network_fault("POST /v1/cards/redeem", "body", json!(reply.to_string())).await;
        let redeemed = till.post(REDEEM, &with(payment("QR-500", 1), &json!({"currency": "EUR"}))).await.ok();
        assert_eq!(settlement_of(&system, &admin, &redeemed).await["held"], json!(held), "{reply}");
    }
}
