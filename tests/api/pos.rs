//! POS: issue, redeem and card lookup.

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use world::shop::{ISSUE, REDEEM, offer, payment, sale, with};
use world::{Caller, System, client, refusal};

/// An available offer that could be bought until a time that has passed.
fn offer_that_is_over(id: u64) -> Value {
    offer("1001", id, &json!({"currency": "SEK", "expireForPurchaseTime": "2026-01-01T00:00:00Z"}))
}

#[tokio::test]
async fn issues_looks_up_and_redeems_a_card_and_lists_its_order() {
    let (system, till) = System::signed_in("u-till").await;
    let admin = system.sign_in("u-admin").await;

    let sale = json!({
        "value": "250.50", "giftCardOfferId": 501, "paymentReference": "receipt-7", "retailStoreId": 3, "deviceId": "till-1",
        "terminalId": "other", "deliveryDetails": {"deliveryType": "email", "email": "bo@example.com"},
    });
    let sold = till.post(ISSUE, &sale).await;
    assert_json_snapshot!("issue", sold, {
        ".body.data.orderId" => "[id]", ".body.data.reservationCode" => "[code]", ".body.data.orderHash" => "[hash]",
        ".body.data.giftCardId" => "[id]", ".body.data.cardNo" => "[number]", ".body.data.qrCode" => "[code]",
    });
    let code = sold.text("/data/qrCode");
    assert_eq!(till.remaining(&code).await, json!(250.5));

    let redeemed = till.post(REDEEM, &payment(&code, 100.25)).await;
    assert_json_snapshot!("redeem", redeemed, {
        ".body.redemptionId" => "[id]", ".body.data.transactionId" => "[id]", ".body.data.qrCode" => "[code]",
        ".body.data.networkCode" => "[code]",
    });
    assert_eq!(till.remaining(&code).await, json!(150.25));

    let order = sold.text("/data/orderId");
    let detail = admin.get(&format!("/api/bff/merchant-orders/{order}")).await;
    assert_json_snapshot!("order_of_a_sale", detail, {
        ".body.data.id" => "[id]", ".body.data.createdAt" => "[time]", ".body.data.updatedAt" => "[time]",
        ".body.data.giftCards[].id" => "[id]", ".body.data.giftCards[].qrCode" => "[code]",
    });
    let card = detail.text("/data/giftCards/0/id");
    let balance = admin.get(&format!("/api/bff/merchant-orders/{order}/gift-cards/{card}/balance")).await;
    assert_eq!(balance.at("/data/remainingValueMinor"), &json!(15025));
}

#[tokio::test]
async fn network_requests_use_the_networks_fields_and_a_new_reference() {
    let (system, till) = System::signed_in("u-till").await;
    let body = json!({"value": 100, "paymentReference": "receipt-7", "terminalId": "t-9", "email": "bo@example.com"});
    till.post(ISSUE, &body).await;
    till.post(ISSUE, &body).await;
    till.post(REDEEM, &json!({"qrCode": "QR-500", "redeemAmount": 12.34, "purchaseAmount": 20.00, "retailStoreId": "s-1"})).await;
    let calls = system.network_calls().await;
    let writes: Vec<&Value> = calls.iter().filter(|call| call["method"] == "POST").collect();
    let keys: Vec<&Value> = writes.iter().map(|call| &call["headers"]["idempotency-key"]).collect();
    assert!(keys[0] != keys[1] && keys[0] != "receipt-7" && keys[0].as_str().unwrap().len() >= 32, "{keys:?}");
    assert!(writes.iter().all(|call| call["headers"]["x-request-id"].as_str().is_some_and(|id| !id.is_empty())));
    assert_json_snapshot!("what_the_network_is_asked", [&writes[0]["body"], &writes[2]["body"]]);
}

#[tokio::test]
async fn accepts_amounts_exact_to_the_minor_unit_and_rejects_others() {
    let (system, [sek, jpy, kwd]) = System::with_callers(["u-till", "u-yen", "u-dinar"]).await;
    for (caller, value, minor) in [
        (&sek, json!(112.34), 11234),
        (&sek, json!("125.50"), 12550),
        (&sek, json!(1e2), 10000),
        (&sek, json!(" 100 "), 10000),
        (&jpy, json!(2500), 2500),
        (&jpy, json!("2500.00"), 2500),
        (&kwd, json!(1.005), 1005),
    ] {
        let sold = caller.sell(&value).await;
        // The till may not read orders.
        let admin = system.sign_in("u-admin").await;
        let reader = if std::ptr::eq(caller, &raw const sek) { &admin } else { caller };
        let order = reader.get(&format!("/api/bff/merchant-orders/{}", sold.text("/data/orderId"))).await;
        assert_eq!([order.at("/data/totalAmountMinor"), order.at("/data/giftCards/0/valueMinor")], [minor; 2], "{value}");
    }
    for (caller, value) in [
        (&sek, "100.001"),
        (&sek, "\"100.005\""),
        (&jpy, "2500.5"),
        (&kwd, "1.0005"),
        (&sek, "1e400"),
        (&sek, "-0"),
        (&sek, "0"),
        (&sek, "-100"),
        (&sek, "true"),
        (&sek, "null"),
        (&sek, "\"NaN\""),
        (&sek, "\"1,000\""),
        (&sek, "\"\""),
        (&sek, "[100]"),
        (&sek, "{\"amount\": 100}"),
        (&sek, "123456789012345678901234567890"),
        (&sek, "\"123456789012345678901234567890\""),
    ] {
        let body = format!("{{\"value\": {value}, \"deliveryDetails\": {{\"deliveryType\": \"QR\"}}}}");
        caller.post_text(ISSUE, &body).await.assert_invalid("value: ");
    }
    for value in ["NaN", "Infinity", "01", "+1", ".5"] {
        assert_eq!(sek.post_text(ISSUE, &format!("{{\"value\": {value}}}")).await.status, 400, "{value}");
    }
    let orders = system.sign_in("u-admin").await.get("/api/bff/merchant-orders?pageSize=50").await;
    assert_eq!(orders.at("/data/total"), &json!(5), "a rejected sale creates no order");
}

#[tokio::test]
async fn rejects_an_invalid_sale_before_calling_the_network() {
    let (system, till) = System::signed_in("u-till").await;
    let with_delivery = |details: Value| json!({"value": 100, "deliveryDetails": details});
    let long = "x".repeat(81);
    let fixed_price = "value: must equal the fixed price of the offer, 250.5.";
    for (body, message) in [
        (json!({}), "value: is missing."),
        (json!({"value": 100}), "deliveryDetails.email: is required for delivery by e-mail."),
        (with_delivery(json!({"email": "no address"})), "deliveryDetails.email: must be a valid e-mail address."),
        (with_delivery(json!({"email": "Bo <bo@example.com>"})), "deliveryDetails.email: must be a valid e-mail address."),
        (with_delivery(json!(["QR", null, null])), "deliveryDetails: must be an object."),
        (with_delivery(json!({"deliveryType": "sms"})), "deliveryDetails.phoneNumber: is required for delivery by SMS."),
        (with_delivery(json!({"deliveryType": "PIGEON"})), "deliveryDetails.deliveryType: must be EMAIL, SMS or QR."),
        (json!({"value": 49.99, "email": "a@b.se"}), "value: must be at least 50."),
        (json!({"value": 5000.01, "email": "a@b.se"}), "value: must be at most 5000."),
        (json!({"value": 250, "email": "a@b.se", "giftCardOfferId": 502}), fixed_price),
        (json!({"value": 150, "email": "a@b.se", "giftCardOfferId": 503}), "value: must be one of the offer's denominations."),
        (json!({"value": 100, "email": "a@b.se", "currency": "EUR"}), "currency: the offer is sold in another currency."),
        (json!({"value": 100, "email": "a@b.se", "currency": "XXX"}), "currency: must be an ISO 4217 currency code."),
        (json!({"value": 100, "email": "a@b.se", "paymentReference": long}), "paymentReference: must be at most 80 characters."),
        (json!({"value": 100, "email": 7}), "email: must be a string."),
        (json!([]), "The body is not a JSON object."),
    ] {
        assert_eq!(till.post(ISSUE, &body).await.reply(), refusal(400, message), "{body}");
    }
    system.load_fixtures(&json!({"cardNetwork": {"offers": [offer_that_is_over(507)]}})).await;
    for (id, code, message) in [
        (json!(504), "OFFER_NOT_AVAILABLE", "giftCardOfferId: the offer is not available."),
        (json!(507), "OFFER_NOT_AVAILABLE", "giftCardOfferId: the offer cannot be sold at this time."),
        (json!(999), "OFFER_NOT_FOUND", "giftCardOfferId: there is no such offer."),
        (json!("601"), "OFFER_NOT_FOUND", "giftCardOfferId: there is no such offer."),
    ] {
        let rejected = till.post(ISSUE, &json!({"value": 100, "email": "a@b.se", "giftCardOfferId": id})).await;
        let expected = json!({"ok": false, "error": {"message": message, "code": code}});
        assert_eq!(rejected.reply(), (400, expected), "{id}");
    }
    assert_eq!(system.sign_in("u-bare").await.post(ISSUE, &sale(100)).await.status, 400);
    assert!(!system.network_calls().await.iter().any(|call| call["path"] == "/v1/cards/issue"));
}

#[tokio::test]
async fn issues_the_requested_offer_or_the_default_of_the_type() {
    let (system, till) = System::signed_in("u-till").await;
    // It has the lowest number of its type.
    system.load_fixtures(&json!({"cardNetwork": {"offers": [offer_that_is_over(1)]}})).await;
    for (fields, value, offer_id) in [
        (json!({}), json!(100), 501),
        (json!({"giftCardOfferId": "502"}), json!(250.5), 502),
        (json!({"giftCardOfferId": 506}), json!("99.90"), 506),
        (json!({"giftCardOfferType": "anything"}), json!(100), 501),
        (json!({"giftCardOfferType": "my refund"}), json!(1), 505),
        (json!({"giftCardOfferId": 505, "giftCardOfferType": "GIFTCARD_DIGITAL"}), json!(1), 505),
        (json!({"giftCardOfferId": 501, "giftCardOfferType": "REFUND_DIGITAL"}), json!(100), 501),
    ] {
        let body = with(sale(&value), &fields);
        till.post(ISSUE, &body).await.ok();
        let call = system.network_calls().await.pop().unwrap();
        assert_eq!(call["body"]["giftCardOfferId"], json!(offer_id), "{body}");
    }
}

#[tokio::test]
async fn platform_administrator_issues_for_the_requested_merchant() {
    let system = System::start().await;
    let sale_for = |id: &str| with(sale(100), &json!({"merchantId": id}));
    for (user, merchant, status) in [
        ("u-root", "m-aurora", 200),
        ("u-root", "m-nowhere", 404),
        ("u-root", "", 404),
        ("u-till", "m-aurora", 200),
        ("u-till", "m-rival", 403),
        ("u-till", "m-nowhere", 403),
        ("u-nobody", "m-aurora", 404),
        ("u-viewer", "m-aurora", 403),
    ] {
        let response = system.sign_in(user).await.post(ISSUE, &sale_for(merchant)).await;
        assert_eq!(response.status, status, "{user} for {merchant}: {response:?}");
    }
    let nobody = system.sign_in("u-nobody").await;
    let request = nobody.request(Method::POST, ISSUE).header("idempotency-key", "no key");
    let response = Caller::send_request(request.body(sale_for("m-aurora").to_string())).await;
    assert_eq!(response.status, 404, "the merchant is checked before the key: {response:?}");
}

#[tokio::test]
async fn redeem_rejects_missing_or_invalid_fields_by_name() {
    let (system, till) = System::signed_in("u-till").await;
    let too_exact = "redeemAmount: has more decimal places than the currency.";
    let no_currency = "currency: must be an ISO 4217 currency code.";
    for (body, message) in [
        ("{}", "qrCode: is missing."),
        (r#"{"qrCode": " ", "redeemAmount": 1, "purchaseAmount": 1}"#, "qrCode: is missing."),
        (r#"{"qrCode": "QR-500", "purchaseAmount": 1}"#, "redeemAmount: is missing."),
        (r#"{"qrCode": "QR-500", "redeemAmount": 1}"#, "purchaseAmount: is missing."),
        (r#"{"qrCode": "QR-500", "redeemAmount": 0, "purchaseAmount": 1}"#, "redeemAmount: must be greater than 0."),
        (r#"{"qrCode": "QR-500", "redeemAmount": -0.0, "purchaseAmount": 1}"#, "redeemAmount: must be greater than 0."),
        (r#"{"qrCode": "QR-500", "redeemAmount": 1, "purchaseAmount": -1}"#, "purchaseAmount: must be 0 or more."),
        (r#"{"qrCode": "QR-500", "redeemAmount": "1", "purchaseAmount": 1}"#, "redeemAmount: must be a number."),
        (r#"{"qrCode": "QR-500", "redeemAmount": true, "purchaseAmount": 1}"#, "redeemAmount: must be a number."),
        (r#"{"qrCode": "QR-500", "redeemAmount": 1e400, "purchaseAmount": 1}"#, "redeemAmount: is too large."),
        (r#"{"qrCode": "QR-500", "redeemAmount": 1.005, "purchaseAmount": 1}"#, too_exact),
        (r#"{"qrCode": "QR-500", "redeemAmount": 1, "purchaseAmount": 1, "currency": "kr"}"#, no_currency),
        ("{", "The body is not valid JSON."),
    ] {
        let expected = json!({"error": message, "code": "INVALID_REQUEST"});
        assert_eq!(till.post_text(REDEEM, body).await.reply(), (400, expected), "{body}");
    }
    let bare = system.sign_in("u-bare").await.post(REDEEM, &payment("QR-500", 1)).await;
    assert_eq!((bare.status, bare.at("/error").is_string()), (400, true));
}

#[tokio::test]
async fn declined_redeem_returns_the_networks_reason_and_keeps_the_balance() {
    let (_system, till) = System::signed_in("u-till").await;
    for (code, amount, status, reason) in [
        ("QR-NONE", 1, 404, "CARD_NOT_FOUND"),
        ("QR-RIVAL", 1, 404, "CARD_NOT_FOUND"),
        ("QR-BLOCKED", 1, 422, "CARD_BLOCKED"),
        ("QR-500", 501, 422, "INSUFFICIENT_FUNDS"),
    ] {
        let declined = till.post(REDEEM, &payment(code, json!(amount))).await;
        assert_eq!(declined.status, status, "{code}: {declined:?}");
        assert_eq!(declined.at("/error"), "Redeem failed");
        assert_eq!(declined.at("/details/code"), reason, "{declined:?}");
        assert!(declined.at("/ok").is_null());
    }
    assert_eq!(till.remaining("QR-500").await, json!(500));
}

#[tokio::test]
async fn returns_404_for_another_merchants_card() {
    let (system, till) = System::signed_in("u-till").await;
    let unknown = till.get("/api/bff/pos/card/QR-NONE").await;
    let foreign = till.get("/api/bff/pos/card/QR-RIVAL").await;
    assert_eq!((unknown.status, unknown.reply()), (404, foreign.reply()));
    assert_eq!(till.get("/api/bff/pos/card/QR-OLD").await.status, 200, "a card without a merchant id is allowed");
    assert_eq!(till.get("/api/bff/pos/card/%20QR-500%0A").await.status, 200, "a scanner adds white space");
    assert_eq!(till.get("/api/bff/pos/card/%20").await.status, 400);
    assert_eq!(till.get("/api/bff/pos/card/").await.status, 400);
    assert_eq!(system.sign_in("u-bare").await.get("/api/bff/pos/card/QR-500").await.status, 400);
}

struct NetworkFault {
    kind: &'static str,
    value: Value,
    status: u16,
    executed: bool,
}

fn network_faults() -> Vec<NetworkFault> {
    let fault = |kind, value, status, executed| NetworkFault { kind, value, status, executed };
    vec![
        fault("drop", Value::Null, 502, false),
        fault("after", Value::Null, 200, true),
        fault("status", json!(500), 500, false),
        fault("status", json!(503), 503, false),
        fault("status", json!(408), 408, false),
        fault("status", json!(422), 422, false),
        fault("status", json!(401), 502, false),
        fault("body", json!("<html>busy</html>"), 502, false),
        fault("body", json!("{\"transactionId\": \"t"), 502, false),
        fault("body", json!("{\"code\": \"CARD_BLOCKED\"}"), 502, false),
        fault("body", json!(""), 502, false),
    ]
}

#[tokio::test]
async fn responses_and_records_match_the_outcome_of_each_network_fault() {
    for NetworkFault { kind, value, status, executed } in network_faults() {
        let system = System::start().await;
        let (till, admin) = (system.sign_in("u-till").await, system.sign_in("u-admin").await);

        system.set_network_fault("POST /v1/cards/issue", kind, value.clone()).await;
        let sold = till.post(ISSUE, &sale(100)).await;
        assert_eq!(sold.status, status, "issue, {kind} {value}: {sold:?}");
        if !executed {
            assert_eq!(sold.at("/ok"), &json!(false));
            assert!(sold.at("/error/message").is_string());
        }
        let orders = admin.get("/api/bff/merchant-orders?pageSize=1").await;
        let expected = if executed { "COMPLETED" } else { "ISSUE_FAILED" };
        assert_eq!(orders.at("/data/orders/0/status"), expected, "issue, {kind} {value}");

        system.set_network_fault("POST /v1/cards/redeem", kind, value.clone()).await;
        let redeemed = till.post(REDEEM, &payment("QR-500", 100)).await;
        assert_eq!(redeemed.status, status, "redeem, {kind} {value}: {redeemed:?}");
        if !executed {
            assert_eq!(redeemed.at("/error"), "Redeem failed");
        }
        system.set_faults(json!([])).await;
        assert_eq!(till.remaining("QR-500").await, json!(if executed { 400 } else { 500 }), "redeem, {kind} {value}");
        system.finish_work().await;
    }
}

#[tokio::test]
async fn responds_within_15_seconds_if_the_network_times_out() {
    let (system, till) = System::signed_in("u-till").await;
    system.set_network_fault("*cards/*", "timeout", Value::Null).await;
    let body = sale(100);
    let payment = payment("QR-500", 100);
    let both = async { tokio::join!(till.post(ISSUE, &body), till.post(REDEEM, &payment)) };
    let limit = std::time::Duration::from_secs(15);
    let (sold, redeemed) = tokio::time::timeout(limit, both).await.expect("both responses arrive within 15 seconds");
    assert_eq!((sold.status, redeemed.status), (504, 504), "{sold:?} {redeemed:?}");
    system.finish_work().await;
}

#[tokio::test]
async fn unreachable_network_returns_502() {
    use local::{Local, Options, StartingState};
    let options =
        Options { fixtures: StartingState::Demo, card_network: Some("http://127.0.0.1:1".to_owned()), ..Options::default() };
    let local = Local::start(options).await.unwrap();
    let token = local.sign_in(local::demo::ADMIN).await.unwrap().unwrap();
    let url = format!("{}{REDEEM}", local.listening.api);
    let request = client().post(url).bearer_auth(token).body(payment("X", 1).to_string());
    let response = Caller::send_request(request).await;
    assert_eq!((response.status, response.at("/error")), (502, &json!("Redeem failed")));
}

#[tokio::test]
async fn the_list_of_offers_is_read_only_to_find_a_default() {
    let (system, till) = System::signed_in("u-till").await;
    let list = "/v1/merchants/1001/offers";
    for (offer, offer_type, status, code, reads) in [
        (json!(502), None, 200, Value::Null, vec!["/v1/offers/502"]),
        (json!("506"), None, 400, json!("INVALID_REQUEST"), vec!["/v1/offers/506"]),
        (json!(601), None, 400, json!("OFFER_NOT_FOUND"), vec!["/v1/offers/601"]),
        (json!(999), None, 400, json!("OFFER_NOT_FOUND"), vec!["/v1/offers/999"]),
        (json!("0502"), None, 400, json!("OFFER_NOT_FOUND"), vec!["/v1/offers/0502"]),
        (json!(504), None, 400, json!("OFFER_NOT_AVAILABLE"), vec!["/v1/offers/504"]),
        // The configured offer of the merchant.
        (Value::Null, None, 200, Value::Null, vec!["/v1/offers/501"]),
        // It is of another type.
        (Value::Null, Some("REFUND_DIGITAL"), 200, Value::Null, vec!["/v1/offers/501", list]),
    ] {
        let before = system.network_calls().await.len();
        let body = json!({"value": "250.50", "giftCardOfferId": offer, "giftCardOfferType": offer_type,
                          "deliveryDetails": {"deliveryType": "QR"}});
        let sold = till.post(ISSUE, &body).await;
        assert_eq!((sold.status, sold.at("/error/code")), (status, &code), "{offer}: {sold:?}");
        let calls = system.network_calls().await.split_off(before);
        let paths = calls.iter().filter(|call| call["method"] == "GET").map(|call| call["path"].clone());
        assert_eq!(paths.collect::<Vec<_>>(), reads, "{offer}");
    }
}
