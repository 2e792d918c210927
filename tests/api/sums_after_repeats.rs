//! Histories in which each request is repeated until its outcome is known. Afterwards, the portal's records have the sums of
//! what the card network has carried out and of what was to be paid. `.ci/aws/run` plays them against services that fail.

use reqwest::Method;
use serde_json::{Value, json};
use upstreams::simulators::card_network::{OperationKind, OperationStatus};
use world::shop::{self, ISSUE, REDEEM, payment};
use world::{ApiResponse, Caller, System};

use crate::payouts::{Office, id_of, paid, settlement};

const SALES: usize = 12;
/// In minor units.
const CARD_VALUE: i64 = 20_000;
const REDEEMED: [i64; 2] = [7_000, 4_050];
/// Far more than failing services need.
const MAX_ATTEMPTS: usize = 40;
const NETWORK_MERCHANT: &str = "1001";

#[tokio::test]
async fn sales_and_redemptions_are_those_of_the_card_network() {
    let system = System::start().await;
    let token = signed_in(&system, "u-till").await;
    let till = system.with_token(&token);
    for sale in 0..SALES {
        let body = shop::sale(CARD_VALUE / 100);
        let sold = post_until_known(&till, ISSUE, &format!("sale-{sale}"), &body).await;
        for (number, amount) in REDEEMED.into_iter().enumerate() {
            let amount: Value = format!("{}.{:02}", amount / 100, amount % 100).parse().unwrap();
            let body = payment(sold.text("/data/qrCode"), amount);
            post_until_known(&till, REDEEM, &format!("redemption-{sale}-{number}"), &body).await;
        }
    }
    work_until_idle(&system).await;

    let of_sales = vec![CARD_VALUE; SALES];
    let of_redemptions: Vec<i64> = sorted(REDEEMED.into_iter().cycle().take(2 * SALES));
    assert_eq!(carried_out(&system, OperationKind::Issue), of_sales);
    assert_eq!(carried_out(&system, OperationKind::Redeem), of_redemptions);
    let merchant = signed_in(&system, "u-admin").await;
    let merchant = system.with_token(&merchant);
    let orders = rows(&merchant, "/api/bff/merchant-orders?pageSize=100", "/data/orders").await;
    let sold = orders.iter().filter(|order| order["id"] != "o-sold");
    assert_eq!(sorted(sold.map(|order| order["totalAmountMinor"].as_i64().unwrap())), of_sales);
    assert!(orders.iter().all(|order| order["status"] == "COMPLETED"), "{orders:?}");
    let settlements = rows(&merchant, "/api/bff/settlements?take=100", "/rows").await;
    assert_eq!(sorted(settlements.iter().map(|row| row["grossAmountMinor"].as_i64().unwrap())), of_redemptions);
    let report = get_until_known(&merchant, "/api/bff/analytics/redemptions").await;
    assert_eq!(report.at("/data/kpis/totalRedeemedMinor/value"), &json!(of_redemptions.iter().sum::<i64>()));
}

#[tokio::test]
async fn a_payout_has_what_its_settlements_are_worth() {
    const SETTLEMENTS: i64 = 30;
    let nets = 1..=SETTLEMENTS;
    let settlements: Vec<Value> = nets.clone().map(|net| settlement(&format!("s-{net}"), net, &json!({}))).collect();
    let office = Office::open(json!(settlements)).await;
    let (first, second) = (signed_in(&office.system, "u-root").await, signed_in(&office.system, "u-second").await);
    let (first, second) = (office.system.with_token(&first), office.system.with_token(&second));
    post_until_known(&first, "/api/admin/payouts", "run", &json!({})).await;
    work_until_idle(&office.system).await;
    let payouts = rows(&first, "/api/admin/payouts", "/data/payouts").await;
    let [payout] = payouts.as_slice() else { panic!("{payouts:?}") };
    assert_eq!(payout["netAmountMinor"], json!(nets.sum::<i64>()));

    let path = format!("/api/admin/payouts/{}", id_of(payout));
    until_known(|| second.request(Method::PATCH, &path).body(paid("transfer-1").to_string())).await;
    work_until_idle(&office.system).await;
    let merchant = signed_in(&office.system, "u-admin").await;
    let listed = rows(&office.system.with_token(&merchant), "/api/bff/settlements?take=100", "/rows").await;
    let settled = listed.iter().filter(|row| row["status"] == "PAID" && row["payoutBatchId"] == payout["id"]);
    assert_eq!(settled.count(), usize::try_from(SETTLEMENTS).unwrap(), "{listed:?}");
}

/// Signs in, however often it takes.
async fn signed_in(system: &System, user: &str) -> String {
    for _ in 0..MAX_ATTEMPTS {
        if let Ok(token) = system.local.sign_in(user).await {
            return token.unwrap();
        }
    }
    panic!("{user} cannot sign in");
}

async fn post_until_known(caller: &Caller, path: &str, key: &str, body: &Value) -> ApiResponse {
    until_known(|| caller.request(Method::POST, path).header("idempotency-key", key).body(body.to_string())).await
}

async fn get_until_known(caller: &Caller, path: &str) -> ApiResponse {
    until_known(|| caller.request(Method::GET, path)).await
}

/// Repeats a request until it succeeds, as a till does. Fails if it is refused for good.
async fn until_known(request: impl Fn() -> reqwest::RequestBuilder) -> ApiResponse {
    for _ in 0..MAX_ATTEMPTS {
        let response = Caller::send_request(request().header("content-type", "application/json")).await;
        match response.status {
            200 | 202 => return response,
            409 | 429 | 500 | 502 | 503 | 504 => {}
            _ => panic!("{response:?}"),
        }
    }
    panic!("the outcome is not known after {MAX_ATTEMPTS} attempts");
}

async fn work_until_idle(system: &System) {
    let mut remaining = Value::Null;
    for _ in 0..MAX_ATTEMPTS {
        remaining = system.drain().await;
        if remaining == json!({"pending": 0, "dead": 0}) {
            return;
        }
    }
    panic!("work is left: {remaining}");
}

async fn rows(caller: &Caller, path: &str, pointer: &str) -> Vec<Value> {
    let response = get_until_known(caller, path).await;
    response.at(pointer).as_array().unwrap_or_else(|| panic!("{response:?}")).clone()
}

fn carried_out(system: &System, kind: OperationKind) -> Vec<i64> {
    let operations = system.local.card_network_operations().into_iter().filter(|operation| {
        operation.merchant_id.as_deref() == Some(NETWORK_MERCHANT)
            && operation.status == OperationStatus::Succeeded
            && operation.kind == kind
    });
    sorted(operations.map(|operation| i64::try_from(operation.amount_minor).unwrap()))
}

fn sorted(amounts: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut amounts: Vec<i64> = amounts.collect();
    amounts.sort_unstable();
    amounts
}
