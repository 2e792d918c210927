//! Tills: pairing, what their token is good for, and its end.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use world::shop::{ISSUE, REDEEM, payment, sale, with};
use world::{ApiResponse, Caller, System, error_code, refusal};

const TILLS: &str = "/api/auth/tills";
const PAIRING: &str = "/api/auth/tills/pairing";
const SESSION: &str = "/api/auth/session";
const CARD: &str = "/api/bff/pos/card/QR-500";

async fn create(admin: &Caller) -> ApiResponse {
    let body = json!({"name": "Counter", "retailStoreId": 101, "retailStoreName": "Main street"});
    admin.post(TILLS, &body).await.ok()
}

async fn pair(system: &System, code: &str) -> ApiResponse {
    system.anonymous().post(PAIRING, &json!({"code": code})).await
}

async fn paired(system: &System, admin: &Caller) -> Caller {
    let code = create(admin).await.text("/data/pairingCode");
    system.with_token(&pair(system, &code).await.text("/data/token"))
}

async fn delete(caller: &Caller, path: &str) -> u16 {
    caller.delete(path).await.status
}

#[tokio::test]
async fn a_code_pairs_a_till_once() {
    let (system, _clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let created = create(&admin).await;
    let (id, code) = (created.text("/data/id"), created.text("/data/pairingCode"));
    let expected = json!({
        "id": id, "name": "Counter", "retailStoreId": "101", "pairingCode": code, "pairingExpiresAt": "2026-05-28T20:36:40.000Z",
    });
    assert_eq!(created.at("/data"), &expected);
    assert_eq!((code.len(), code.find('-')), (11, Some(5)));
    let till = json!({"id": id, "name": "Counter", "retailStoreId": "101", "retailStoreName": "Main street"});
    let response = pair(&system, &code.to_lowercase().replace('-', " ")).await;
    let token = response.text("/data/token");
    let merchant = json!({"id": "m-aurora", "slug": "aurora-coffee", "name": "Aurora Coffee", "currency": "SEK"});
    assert_eq!(response.at("/data"), &json!({"token": token, "till": till, "merchant": merchant}));
    assert_eq!(error_code(&pair(&system, &code).await), (400, "CODE_INVALID"));

    let known_to_session = json!({
        "status": "ACTIVE", "timeZone": "Europe/Stockholm", "settlementMode": "SETTLEMENT_ON_REDEMPTION",
    });
    let session = json!({
        "user": null, "role": null, "permissions": ["portal.pos"], "invites": [], "till": till, "key": null,
        "merchant": with(merchant, &known_to_session),
        "signedInWith": null, "signedInAt": "2026-05-28T20:26:40.000Z", "expiresAt": "2026-08-26T20:26:40.000Z",
    });
    assert_eq!(system.with_token(&token).get(SESSION).await.at("/data"), &session);
    let listed = json!({
        "createdAt": "2026-05-28T20:26:40.000Z", "createdBy": "u-admin", "pairedAt": "2026-05-28T20:26:40.000Z",
        "lastSeenAt": "2026-05-28T20:26:40.000Z", "expiresAt": "2026-08-26T20:26:40.000Z", "revokedAt": null,
    });
    assert_eq!(admin.get(TILLS).await.at("/data"), &json!([with(till, &listed)]));
    assert_eq!(system.told("").await, ["Unset@aurora.example", "admin@aurora.example"], "the administrators");
    let mails = json!(system.emails().await).to_string();
    assert!(!mails.contains(&token) && !mails.contains(&code), "{mails}");
}

#[tokio::test]
async fn of_two_pairings_at_the_same_time_one_wins() {
    let system = System::start().await;
    let code = create(&system.sign_in("u-admin").await).await.text("/data/pairingCode");
    let responses = join_all((0..4).map(|_| pair(&system, &code))).await;
    assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 1, "{responses:?}");
}

#[tokio::test]
async fn codes_are_good_for_ten_minutes_and_twenty_can_be_tried_an_hour() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let (late, in_time) = (create(&admin).await, create(&admin).await);
    manual_clock.advance(599);
    assert_eq!(pair(&system, &in_time.text("/data/pairingCode")).await.status, 200);
    manual_clock.advance(1);
    assert_eq!(error_code(&pair(&system, &late.text("/data/pairingCode")).await), (400, "CODE_INVALID"));
    for _ in 0..18 {
        assert_eq!(error_code(&pair(&system, "22222-22222").await), (400, "CODE_INVALID"));
    }
    assert_eq!(pair(&system, "22222-22222").await.status, 429);
}

#[tokio::test]
async fn pairing_again_ends_the_token_and_so_does_revoking() {
    let (system, admin) = System::signed_in("u-admin").await;
    let created = create(&admin).await;
    let path = format!("{TILLS}/{}", created.text("/data/id"));
    let first = pair(&system, &created.text("/data/pairingCode")).await.text("/data/token");
    let first = system.with_token(&first);
    let renewed = admin.post_empty(&format!("{path}/pairing")).await;
    let unused = renewed.text("/data/pairingCode");
    let renewed = admin.post_empty(&format!("{path}/pairing")).await;
    assert_eq!(pair(&system, &unused).await.status, 400, "a fresh code replaces the one before");
    assert_eq!(first.get(CARD).await.status, 200);
    let second = pair(&system, &renewed.text("/data/pairingCode")).await.text("/data/token");
    let second = system.with_token(&second);
    assert_eq!((first.get(CARD).await.status, second.get(CARD).await.status), (401, 200));

    assert_eq!(delete(&system.sign_in("u-rival").await, &path).await, 404);
    assert_eq!(delete(&admin, &path).await, 200);
    assert_eq!(second.get(CARD).await.status, 401);
    assert_eq!(delete(&admin, &path).await, 404);
    assert_eq!(admin.post_empty(&format!("{path}/pairing")).await.status, 404);
    assert!(admin.get(TILLS).await.at("/data/0/revokedAt").is_string());
}

#[tokio::test]
async fn a_till_lives_90_days_from_its_last_session_request_and_a_year_at_most() {
    const DAY: i64 = 24 * 3600;
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let (silent, heard) = (paired(&system, &admin).await, paired(&system, &admin).await);
    manual_clock.advance(89 * DAY);
    assert_eq!(heard.get(SESSION).await.status, 200);
    manual_clock.advance(DAY - 1);
    assert_eq!(silent.get(CARD).await.status, 200);
    manual_clock.advance(1);
    assert_eq!((silent.get(CARD).await.status, heard.get(CARD).await.status), (401, 200));
    for _ in 0..3 {
        manual_clock.advance(80 * DAY);
        assert_eq!(heard.get(SESSION).await.status, 200);
    }
    manual_clock.advance(35 * DAY - 1);
    assert_eq!(heard.get(CARD).await.status, 200);
    manual_clock.advance(1);
    assert_eq!(heard.get(CARD).await.status, 401, "a year has passed");
}

#[tokio::test]
async fn a_till_sells_and_redeems_for_its_own_store() {
    let (system, admin) = System::signed_in("u-admin").await;
    let till = paired(&system, &admin).await;
    let sale = sale(100);
    let elsewhere = with(sale.clone(), &json!({"retailStoreId": "102"}));
    assert_eq!(error_code(&till.post(ISSUE, &elsewhere).await), (403, "FORBIDDEN"));
    till.post(ISSUE, &sale).await.ok();
    let calls = system.network_calls().await;
    assert!(calls.iter().any(|call| call["body"]["retailStoreId"] == "101"), "the store of the till, {calls:?}");
    let payment = payment("QR-500", 1);
    let elsewhere = with(payment.clone(), &json!({"retailStoreName": "Side street"}));
    let refused = till.post(REDEEM, &elsewhere).await;
    assert_eq!(error_code(&refused), (403, "FORBIDDEN"), "nested, as other errors of access");
    assert_eq!(till.post(REDEEM, &payment).await.status, 200);
    system.drain().await;
    assert!(admin.get("/api/bff/analytics/redemptions?days=7").await.contains("Main street"));
}

#[tokio::test]
async fn a_removed_member_pairs_no_till() {
    let (system, [admin, unset]) = System::with_callers(["u-admin", "u-unset"]).await;
    let waiting = create(&unset).await.text("/data/pairingCode");
    let other = create(&admin).await;
    let token = pair(&system, &other.text("/data/pairingCode")).await.text("/data/token");
    let renewed = unset.post_empty(&format!("{TILLS}/{}/pairing", other.text("/data/id"))).await;
    assert_eq!(delete(&admin, "/api/auth/members/u-unset").await, 200);
    for code in [waiting, renewed.text("/data/pairingCode")] {
        assert_eq!(error_code(&pair(&system, &code).await), (400, "CODE_INVALID"));
    }
    assert_eq!(system.with_token(&token).get(CARD).await.status, 200, "a paired till goes on");
    assert_eq!(admin.get(TILLS).await.list("/data").len(), 1);
}

#[tokio::test]
async fn fields_are_checked_by_name() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let valid = json!({"name": "Counter", "retailStoreId": "101"});
    for (field, value) in [
        ("name", json!(" ")),
        ("name", json!("x".repeat(81))),
        ("name", json!("Coun\u{2066}ter")),
        ("retailStoreId", json!("")),
        ("retailStoreId", json!("1".repeat(81))),
        ("retailStoreName", json!("see https://evil.example")),
        ("token", json!("x")),
    ] {
        admin.post(TILLS, &with(valid.clone(), &json!({field: value}))).await.assert_invalid(&format!("{field}:"));
    }
    for missing in ["name", "retailStoreId"] {
        let mut body = valid.clone();
        body.as_object_mut().unwrap().remove(missing);
        assert_eq!(admin.post(TILLS, &body).await.text("/error/message"), format!("{missing}: is missing."));
    }
}

const ATTEMPT: &str = "0123456789abcdef0123456789abcdef";

async fn pair_by_attempt(system: &System, code: &str, attempt: &str) -> ApiResponse {
    let request = system.anonymous().request(Method::POST, PAIRING).header("pairing-attempt", attempt);
    let body = json!({"code": code}).to_string();
    Caller::send_request(request.header("content-type", "application/json").body(body)).await
}

/// The tokens of a till whose first responses were lost.
#[tokio::test]
async fn a_lost_response_to_a_pairing_costs_nothing() {
    let (system, admin) = System::signed_in("u-admin").await;
    let created = create(&admin).await;
    let code = created.text("/data/pairingCode");
    let first = system.with_token(&pair_by_attempt(&system, &code, ATTEMPT).await.text("/data/token"));
    assert_eq!(error_code(&pair(&system, &code).await), (400, "CODE_INVALID"), "without the attempt");
    let other = "f".repeat(32);
    assert_eq!(error_code(&pair_by_attempt(&system, &code, &other).await), (400, "CODE_INVALID"));
    let repeated = pair_by_attempt(&system, &code, &ATTEMPT.to_uppercase()).await;
    let second = system.with_token(&repeated.text("/data/token"));
    assert_eq!((first.get(CARD).await.status, second.get(CARD).await.status), (401, 200));

    assert_eq!(second.get(SESSION).await.status, 200, "it has received its token");
    assert_eq!(error_code(&pair_by_attempt(&system, &code, ATTEMPT).await), (400, "CODE_INVALID"));
    assert_eq!(second.get(SESSION).await.status, 200);
    assert_eq!(system.told("A till was paired").await.len(), 2, "one mail for each administrator");
    let activity = admin.get("/api/bff/merchant/activity").await;
    let events = activity.list("/data/events");
    assert_eq!(events.iter().filter(|event| event["action"] == "TILL_PAIRED").count(), 1);

    for invalid in ["", "0123", &"g".repeat(32), &"0".repeat(33)] {
        let refused = pair_by_attempt(&system, &code, invalid).await;
        let message = "Pairing-Attempt: must be 32 hexadecimal digits.";
        assert_eq!(refused.reply(), refusal(400, message), "{invalid}");
    }
}

#[tokio::test]
async fn a_pairing_is_not_repeated_after_a_newer_code_a_revocation_or_its_makers_change() {
    let (system, [admin, unset]) = System::with_callers(["u-admin", "u-unset"]).await;
    let change = json!({"targetUserId": "u-unset", "merchantTeamRole": "FULL"});
    for obstacle in ["newer code", "revoked", "maker"] {
        let created = create(&unset).await;
        let (path, code) = (format!("{TILLS}/{}", created.text("/data/id")), created.text("/data/pairingCode"));
        assert_eq!(pair_by_attempt(&system, &code, ATTEMPT).await.status, 200);
        match obstacle {
            "newer code" => admin.post_empty(&format!("{path}/pairing")).await.ok(),
            "revoked" => admin.delete(&path).await.ok(),
            _ => admin.patch("/api/bff/merchant/users", &change).await.ok(),
        };
        assert_eq!(error_code(&pair_by_attempt(&system, &code, ATTEMPT).await), (400, "CODE_INVALID"), "{obstacle}");
    }
}

#[tokio::test]
async fn of_many_repeats_at_once_the_last_token_works() {
    let system = System::start().await;
    let code = create(&system.sign_in("u-admin").await).await.text("/data/pairingCode");
    let responses = join_all((0..4).map(|_| pair_by_attempt(&system, &code, ATTEMPT))).await;
    let mut alive = 0;
    for response in &responses {
        let till = system.with_token(&response.text("/data/token"));
        alive += usize::from(till.get(CARD).await.status == 200);
    }
    assert_eq!(alive, 1);
}

#[tokio::test]
async fn twenty_codes_wait_at_most_and_a_till_that_is_not_paired_is_removed() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let first = create(&admin).await;
    for _ in 0..19 {
        create(&admin).await;
    }
    let till = json!({"name": "Counter", "retailStoreId": "101"});
    assert_eq!(error_code(&admin.post(TILLS, &till).await), (409, "TILL_LIMIT"));
    let renew = format!("{TILLS}/{}/pairing", first.text("/data/id"));
    let renewed = admin.post_empty(&renew).await;
    assert_eq!(renewed.status, 200, "its own code is replaced");
    assert_eq!(pair(&system, &renewed.text("/data/pairingCode")).await.status, 200);
    assert_eq!(admin.post(TILLS, &till).await.status, 201, "a used code waits no longer");
    assert_eq!(error_code(&admin.post(TILLS, &till).await), (409, "TILL_LIMIT"));
    manual_clock.advance(600);
    assert_eq!(admin.post(TILLS, &till).await.status, 201, "the others have expired");
    assert_eq!(admin.get(TILLS).await.list("/data").len(), 22);
    manual_clock.advance(24 * 3600);
    assert_eq!(system.sign_in("u-admin").await.get(TILLS).await.list("/data").len(), 1, "the one that was paired");
}

#[tokio::test]
async fn who_may_manage_tills_but_not_sell_makes_no_code() {
    let system = System::start().await;
    let powers = json!({"merchantTeamRole": null, "permissions": ["merchant.team.invite", "portal.orders"]});
    let manager = system.join("u-manager", "m-aurora", &powers).await;
    let admin = system.sign_in("u-admin").await;
    let till = json!({"name": "Counter", "retailStoreId": "101"});
    assert_eq!(manager.post(TILLS, &till).await.status, 403);
    let path = format!("{TILLS}/{}", create(&admin).await.text("/data/id"));
    assert_eq!(manager.post_empty(&format!("{path}/pairing")).await.status, 403);
    assert_eq!(delete(&manager, &path).await, 200, "to revoke takes no permission to sell");
}
