//! The whole story over the wire: a stranger becomes a merchant with a team, a till and a first sale, and is paid. Nothing is
//! set up but two platform administrators and, at the card network, the merchant's account and a card that was sold elsewhere.

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::values::later;
use world::{Browser, Caller, ManualClock, System, client, error_code, shop};

const NORA: &str = "nora@tea.example";
const BO: &str = "bo@tea.example";
const PDF: &[u8] = b"%PDF-1.7\n1 0 obj\nendobj\n";
const DAY: i64 = 24 * 3600;

fn the_only_setup() -> Value {
    json!({
        "users": [shop::platform_administrator("u-one"), shop::platform_administrator("u-two")],
        "cardNetwork": {
            "merchants": [{"merchantId": "7001", "name": "Nordic Tea"}],
            "cards": [{
                "merchantId": "7001", "qrCode": "QR-ELSEWHERE", "networkCode": "NC-1", "status": "ACTIVE", "value": 500,
                "valueRemains": 500, "currency": "SEK",
            }],
        },
    })
}

/// Sends the application, from a draft with a document to the verifier's approval. Returns nothing that a person would not see.
async fn apply(system: &System, clock: &ManualClock, nora: &mut Browser<'_>) {
    let upload = nora.request(Method::POST, "/api/onboarding/upload");
    let form =
        [b"--line\r\nContent-Disposition: form-data; name=\"file\"; filename=\"papers.pdf\"\r\n\r\n", PDF, b"\r\n--line--\r\n"]
            .concat();
    let upload = upload.header("content-type", "multipart/form-data; boundary=line").body(form);
    let url = Caller::send_request(upload).await.ok().text("/url");
    let document = json!({"type": "REGISTRATION", "url": url, "name": "papers.pdf"});
    nora.post("/api/onboarding/submit", &json!({"isDraft": true, "documents": [document]})).await.ok();
    let application = json!({
        "registrationNumber": "556677-8899", "vatNumber": "SE556677889901", "currency": "SEK",
        "legalAddress": {"line1": "Storgatan 1", "city": "Stockholm", "postalCode": "111 22", "country": "SE"},
        "directors": [{"name": "Nora Lind", "role": "CEO"}], "termsAccepted": true, "privacyAccepted": true,
    });
    nora.post("/api/onboarding/submit", &application).await.ok();
    system.finish_work().await;
    let page = nora.get("/api/bff/merchant").await.ok().text("/data/company/verifierSessionUrl");
    let decision = client().post(format!("{page}/decision"));
    let decision = decision.header("content-type", "application/x-www-form-urlencoded").body("status=approved");
    // The verifier decides by the system's time, and a decision of the future counts for nothing.
    clock.advance(8 * DAY);
    assert!(decision.send().await.unwrap().text().await.unwrap().contains("answered 200"));
    clock.advance(-8 * DAY);
    assert_eq!(nora.get("/api/bff/merchant").await.ok().at("/data/company/status"), "DECISION_PENDING");
}

async fn hire(system: &System, nora: &mut Browser<'_>) {
    let invite = json!({"email": BO, "firstName": "Bo", "lastName": "Ek", "merchantTeamRole": "VIEWER"});
    let id = nora.post("/api/auth/invites", &invite).await.ok().text("/data/challengeId");
    let code = system.code_mailed_to(NORA).await;
    nora.post(&format!("/api/auth/invites/{id}/verification"), &json!({"code": code})).await.ok();
    system.finish_work().await;
    let mut bo = Browser::signed_in(system, 3, BO).await;
    assert_eq!(bo.get("/api/auth/session").await.ok().at("/data/invites/0/merchantName"), "Nordic Tea");
    let accepted = bo.post_empty(&format!("/api/auth/invites/{id}/acceptance")).await.ok();
    assert_eq!(accepted.at("/data/role"), "VIEWER");
}

/// The till sells a card, redeems it, and redeems the one that was sold elsewhere.
async fn trade(system: &System, nora: &mut Browser<'_>) {
    let till = json!({"name": "Counter", "retailStoreId": "1", "retailStoreName": "Storgatan"});
    let code = nora.post("/api/auth/tills", &till).await.ok().text("/data/pairingCode");
    let paired = system.anonymous().post("/api/auth/tills/pairing", &json!({"code": code})).await.ok();
    let till = system.with_token(&paired.text("/data/token"));
    let code = till.sell(200).await.text("/data/qrCode");
    for (code, amount) in [(code.as_str(), 50), ("QR-ELSEWHERE", 300)] {
        till.redeem(code, amount).await;
    }
    system.finish_work().await;
}

#[tokio::test]
async fn a_stranger_becomes_a_merchant_that_sells_and_is_paid() {
    // It ends at the system's time, by which S3 checks signed links.
    let clock = ManualClock::new(later(Clock::system().now(), SignedDuration::from_hours(-8 * 24)));
    let system = System::empty(clock.clock()).await;
    system.load_fixtures(&the_only_setup()).await;

    let mut nora = Browser::signed_in(&system, 2, NORA).await;
    let merchant = json!({"name": "Nordic Tea", "slug": "nordic-tea", "country": "SE", "timeZone": "Europe/Stockholm"});
    let merchant = nora.post("/api/auth/merchant", &merchant).await.ok().text("/data/id");
    apply(&system, &clock, &mut nora).await;

    let mut one = Browser::signed_in(&system, 10, "u-one@portal.example").await;
    assert_eq!(one.get("/api/admin/merchants?q=nordic").await.ok().text("/data/merchants/0/id"), merchant);
    let terms = json!({
        "status": "ACTIVE", "networkMerchantId": "7001", "settlementMode": "SETTLEMENT_ON_REDEMPTION",
        "fees": {"percentBps": 200, "fixedMinor": 100}, "payoutDelayDays": 7, "reason": "the papers are in order",
    });
    one.patch(&format!("/api/admin/merchants/{merchant}"), &terms).await.ok();
    assert_eq!(nora.get("/api/auth/session").await.ok().at("/data/merchant/status"), "ACTIVE");

    let offer = json!({"name": "Tea for two", "minPrice": 50, "maxPrice": 1000, "status": "AVAILABLE"});
    nora.post("/api/bff/offers", &offer).await.ok();
    hire(&system, &mut nora).await;
    trade(&system, &mut nora).await;

    // 300 less 2 % and 1.00. The card of the merchant's own till was paid for there, and is held.
    let settlements = nora.get("/api/bff/settlements").await.ok();
    let rows = settlements.list("/rows");
    let mut shown: Vec<_> = rows.iter().map(|row| (row["netAmountMinor"].as_i64().unwrap(), row["held"] == true)).collect();
    shown.sort_unstable();
    assert_eq!(shown, [(4800, true), (29300, false)]);

    clock.advance(8 * DAY);
    let mut one = Browser::signed_in(&system, 10, "u-one@portal.example").await;
    let start = one.request(Method::POST, "/api/admin/payouts").header("idempotency-key", "may-12");
    let start = start.header("content-type", "application/json").body("{}");
    let run = Caller::send_request(start).await.ok().text("/data/runId");
    system.finish_work().await;
    let payouts = one.get(&format!("/api/admin/payouts?runId={run}")).await.ok();
    let payout = payouts.at("/data/payouts/0").clone();
    let shown = ["merchantId", "netAmountMinor", "count", "status"].map(|field| &payout[field]);
    assert_eq!(json!(shown), json!([merchant, 29300, 1, "IN_BATCH"]));
    let path = format!("/api/admin/payouts/{}", payout["id"].as_str().unwrap());
    let paid = json!({"status": "PAID", "reference": "transfer 1"});
    assert_eq!(error_code(&one.send(Method::PATCH, &path, Some(&paid)).await), (403, "SECOND_PERSON"));
    let mut two = Browser::signed_in(&system, 11, "u-two@portal.example").await;
    two.patch(&path, &paid).await.ok();
    system.finish_work().await;

    let mut nora = Browser::signed_in(&system, 2, NORA).await;
    let summary = nora.get("/api/bff/settlements/summary").await.ok();
    insta::assert_json_snapshot!("statement", summary.body);
    let day = |days: i64| later(clock.clock().now(), SignedDuration::from_hours(24 * days)).to_string()[..10].to_owned();
    let export = json!({"kind": "settlements", "from": day(-10), "to": day(1)});
    let export = nora.post("/api/bff/exports", &export).await.ok().text("/data/id");
    system.finish_work().await;
    let export = nora.get(&format!("/api/bff/exports/{export}")).await.ok();
    assert_eq!((export.at("/data/status"), export.at("/data/rows")), (&json!("READY"), &json!(2)));
    let file = client().get(export.text("/data/url")).send().await.unwrap().text().await.unwrap();
    assert!(file.contains("293.00") && file.contains("48.00"), "{file}");

    nora.delete("/api/auth/session").await.ok();
    assert_eq!(nora.get("/api/auth/session").await.status, 401);
}
