//! Access control: every route called by every kind of caller.

use std::collections::BTreeSet;

use futures_util::stream::TryStreamExt;
use reqwest::Method;
use serde_json::{Value, json};
use shared::http::{ErrorFormat, Requirement, Route};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use world::shop::{ISSUE, REDEEM, payment};
use world::{ApiResponse, Caller, PNG, System, assert_lists, error_body};

use crate::keys::program;

/// The callers, one per column of [`ROUTES`]. `u-nobody` and `u-root` have no merchant.
const CALLERS: [&str; 8] = ["(no session)", "u-nobody", "u-viewer", "u-full", "u-admin", "u-unset", "u-till", "u-root"];

/// A request to each route, with the status that each caller receives, or the one that all receive, and the body. An id is `none`, or
/// the one that is given.
const ROUTES: &str = r#"
GET /api/bff/merchant | 401 200 200 200 200 200 403 200
PUT /api/bff/merchant | 401 404 403 200 200 200 403 404 | {}
GET /api/bff/merchant/stats | 401 403 200 200 200 200 200 403
GET /api/bff/merchant/activity | 401 404 403 403 200 200 403 404
GET /api/bff/merchant/users | 401 200 200 200 200 200 200 200
POST /api/bff/merchant/users | 401 400 400 400 400 400 400 400 | {}
PATCH /api/bff/merchant/users | 401 404 403 403 200 200 403 404 | {"targetUserId": "u-viewer", "merchantTeamRole": "VIEWER"}
GET /api/bff/merchant-stores | 401 404 200 200 200 200 403 404
POST /api/bff/retail-store | 401 404 403 200 200 200 403 404 | {"name": "New"}
PUT /api/bff/retail-store | 401 404 403 200 200 200 403 404 | {"externalId": "main", "name": "Main street"}
GET /api/bff/cards/{qr=QR-500} | 401 404 200 200 200 200 403 404
GET /api/bff/cards/{qr=QR-500}/history | 401 404 200 200 200 200 403 404
GET /api/bff/offers | 401 404 200 200 200 200 403 404
POST /api/bff/offers | 401 404 403 200 200 200 403 404 | {"name": "New"}
GET /api/bff/offers/{id=501} | 401 404 200 200 200 200 403 404
PUT /api/bff/offers/{id=501} | 401 404 403 200 200 200 403 404 | {}
PATCH /api/bff/offers/{id=501}/status | 401 404 403 200 200 200 403 404 | {"status": "AVAILABLE"}
POST /api/bff/offers/media | 401 404 403 400 400 400 403 404 | {}
GET /api/bff/merchant-orders | 401 200 200 200 200 200 403 200
GET /api/bff/merchant-orders/{orderId=o-sold} | 401 404 200 200 200 200 403 404
GET /api/bff/merchant-orders/{orderId=o-sold}/gift-cards/{giftCardId=g-sold}/balance | 401 404 200 200 200 200 403 404
POST /api/bff/pos/issue | 401 404 403 200 200 200 200 404 | {"value": 100, "deliveryDetails": {"deliveryType": "QR"}}
POST /api/bff/pos/redeem | 401 404 403 200 200 200 200 404 | {"qrCode": "QR-500", "redeemAmount": 1, "purchaseAmount": 1}
GET /api/bff/pos/card/{qrcode=QR-500} | 401 404 403 200 200 200 200 404
GET /api/bff/pos/offers | 401 404 403 200 200 200 200 404
GET /api/bff/pos/operations/{reference} | 401 404 403 404 404 404 404 404
POST /api/bff/pos/operations/cancellation | 401 404 403 200 200 200 200 404 | {"kind": "REDEEM", "idempotencyKey": "never-used"}
GET /api/bff/analytics/overview | 401 404 200 200 200 200 403 404
# The merchant is paid on redemption and therefore sees no sales.
GET /api/bff/analytics/sales | 401 404 403 403 403 403 403 404
GET /api/bff/analytics/redemptions | 401 404 200 200 200 200 403 404
GET /api/bff/analytics/fraud | 401 404 200 200 200 200 403 404
GET /api/bff/settlements | 401 401 200 200 200 200 403 401
GET /api/bff/settlements/summary | 401 401 200 200 200 200 403 401
GET /api/bff/settlements/by-source | 401 401 400 400 400 400 403 401
GET /api/bff/settlements/outstanding | 401 404 200 200 200 200 403 404
GET /api/bff/payouts | 401 404 200 200 200 200 403 404
GET /api/bff/payouts/{id} | 401 404 404 404 404 404 403 404
GET /api/bff/payouts/{id}/file | 401 404 404 404 404 404 403 404
POST /api/onboarding/submit | 401 400 403 403 403 403 403 400 | {}
POST /api/onboarding/upload | 401 400 403 400 400 400 403 400 | {}
GET /api/onboarding/document | 401 400 400 400 400 400 403 400
POST /api/public/merchant/onboarding-check | 400 | {}
POST /api/public/merchant/kyb-decision | 401 | {}
POST /api/auth/code | 400 | {}
POST /api/auth/session | 400 | {}
GET /api/auth/session | 401 200 200 200 200 200 200 200
PATCH /api/auth/session/user | 401 200 200 200 200 200 200 200 | {}
POST /api/auth/merchant | 401 400 409 409 409 409 409 409 | {}
DELETE /api/auth/merchant | 401 404 409 409 409 409 409 404
POST /api/auth/invites | 401 404 403 403 400 400 403 404 | {}
POST /api/auth/invites/{challengeId}/verification | 401 404 403 403 404 404 403 404 | {"code": "ABCD-EFGH"}
POST /api/auth/invites/{challengeId}/resend | 401 404 403 403 404 404 403 404
DELETE /api/auth/invites/{challengeId} | 401 404 403 403 404 404 403 404
POST /api/auth/invites/{challengeId}/acceptance | 401 410 410 410 410 410 410 410
DELETE /api/auth/members/{userId} | 401 404 403 403 404 404 403 404
GET /api/auth/tills | 401 404 403 403 200 200 403 404
POST /api/auth/tills | 401 404 403 403 400 400 403 404 | {}
POST /api/auth/tills/pairing | 400 | {}
POST /api/auth/tills/{id}/pairing | 401 404 403 403 404 404 403 404
DELETE /api/auth/tills/{id} | 401 404 403 403 404 404 403 404
GET /api/auth/keys | 401 404 403 403 200 200 403 404
POST /api/auth/keys | 401 404 403 403 400 400 403 404 | {}
POST /api/auth/keys/{id}/rotation | 401 404 403 403 404 404 403 404 | {}
DELETE /api/auth/keys/{id} | 401 404 403 403 404 404 403 404
GET /api/auth/sessions | 401 200 200 200 200 200 200 200
DELETE /api/auth/sessions/{id} | 401 404 404 404 404 404 404 404
POST /api/auth/passkeys/challenge | 200 | {}
POST /api/auth/passkeys/options | 401 200 200 200 200 200 200 200 | {}
GET /api/auth/passkeys | 401 200 200 200 200 200 200 200
POST /api/auth/passkeys | 401 400 400 400 400 400 400 400 | {}
DELETE /api/auth/passkeys/{id} | 401 404 404 404 404 404 404 404
GET /api/admin/merchants | 401 403 403 403 403 403 403 200
GET /api/admin/merchants/{id=m-rival} | 401 403 403 403 403 403 403 200
GET /api/admin/merchants/{id=m-rival}/audit | 401 403 403 403 403 403 403 200
PATCH /api/admin/merchants/{id=m-rival} | 401 403 403 403 403 403 403 200 | {"payoutDelayDays": 7, "reason": "agreed"}
POST /api/bff/exports | 401 404 400 400 400 400 403 404 | {}
GET /api/bff/exports/{id} | 401 404 404 404 404 404 403 404
GET /api/bff/webhooks | 401 404 200 200 200 200 403 404
POST /api/bff/webhooks | 401 404 403 201 201 201 403 404 | {"url": "http://localhost/", "events": ["merchant.status_changed"]}
PATCH /api/bff/webhooks/{id} | 401 404 403 404 404 404 403 404 | {}
DELETE /api/bff/webhooks/{id} | 401 404 403 404 404 404 403 404
POST /api/bff/webhooks/{id}/rotation | 401 404 403 404 404 404 403 404 | {}
POST /api/bff/webhooks/{id}/test | 401 404 403 404 404 404 403 404 | {"event": "payout.paid"}
GET /api/bff/webhooks/{id}/deliveries | 401 404 404 404 404 404 403 404
POST /api/bff/webhooks/{id}/deliveries/{deliveryId}/retry | 401 404 403 404 404 404 403 404 | {}
POST /api/admin/payouts | 401 403 403 403 403 403 403 400 | {}
GET /api/admin/payouts | 401 403 403 403 403 403 403 200
GET /api/admin/payouts/preview | 401 403 403 403 403 403 403 200
GET /api/admin/payouts/runs/{runId} | 401 403 403 403 403 403 403 404
GET /api/admin/payouts/{id} | 401 403 403 403 403 403 403 404
PATCH /api/admin/payouts/{id} | 401 403 403 403 403 403 403 404 | {"status": "CANCELLED", "reason": "None"}
GET /api/admin/payouts/{id}/file | 401 403 403 403 403 403 403 404
GET /api/admin/settlements | 401 403 403 403 403 403 403 200
PATCH /api/admin/settlements/{merchantId=m-rival}/{id} | 401 403 403 403 403 403 403 404 | {"held": true, "reason": "None"}
DELETE /api/admin/media | 401 403 403 403 403 403 403 404 | {"key": "public/gift-cards/designs/none.png", "reason": "None"}
GET /api/bff/widget/config | 200
GET /api/bff/widget/giftcards | 200
GET /api/merchants/{slug=aurora-coffee} | 200
GET /api/merchants/{slug=aurora-coffee}/catalog | 200
POST /api/merchants/{slug=aurora-coffee}/balance | 400 | {}
GET /shop/{slug=aurora-coffee}/card | 200
POST /shop/{slug=aurora-coffee}/card | 400 | {}
GET /shop/{slug=aurora-coffee} | 200
GET /api/public/gift-card-image | 404
# These end the sessions.
DELETE /api/auth/sessions | 401 200 200 200 200 200 200 200
DELETE /api/auth/session | 200
"#;

/// A request, and the status that each caller receives.
struct Row {
    method: Method,
    route: String,
    path: String,
    path_of_blank_ids: String,
    body: Value,
    statuses: Vec<u16>,
}

fn rows() -> Vec<Row> {
    let is_row = |line: &&str| !line.is_empty() && !line.starts_with('#');
    ROUTES.lines().filter(is_row).map(Row::parse).collect()
}

impl Row {
    fn parse(line: &str) -> Self {
        let mut columns = line.splitn(3, '|').map(str::trim);
        let (method, template) = columns.next().unwrap().split_once(' ').unwrap();
        let statuses: Vec<u16> = columns.next().unwrap().split(' ').map(|status| status.parse().unwrap()).collect();
        let statuses = if statuses.len() == 1 { statuses.repeat(CALLERS.len()) } else { statuses };
        assert_eq!(statuses.len(), CALLERS.len(), "{line}");
        let body = columns.next().filter(|body| !body.is_empty()).map_or(Value::Null, |body| body.parse().unwrap());
        let (mut route, mut path, mut path_of_blank_ids) = (String::new(), String::new(), String::new());
        for part in template.split('/').skip(1) {
            let (name, id, blank) = match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(parameter) => {
                    let (name, id) = parameter.split_once('=').unwrap_or((parameter, "none"));
                    (format!("{{{name}}}"), id, "%20")
                }
                None => (part.to_owned(), part, part),
            };
            route.extend(["/", &name]);
            path.extend(["/", id]);
            path_of_blank_ids.extend(["/", blank]);
        }
        Self { method: method.parse().unwrap(), route, path, path_of_blank_ids, body, statuses }
    }

    fn status(&self, caller: &str) -> u16 {
        self.statuses[CALLERS.iter().position(|name| *name == caller).unwrap()]
    }

    fn is_one_of(&self, routes: &[(&str, &str)]) -> bool {
        routes.contains(&(self.method.as_str(), &self.route))
    }
}

async fn call(caller: &Caller, row: &Row) -> ApiResponse {
    let body = (row.method != Method::GET).then_some(&row.body);
    caller.send(row.method.clone(), &row.path, body).await
}

async fn callers(system: &System) -> Vec<Caller> {
    let mut callers = vec![system.anonymous()];
    for user in &CALLERS[1..] {
        callers.push(system.sign_in(user).await);
    }
    callers
}

#[tokio::test]
async fn every_route_enforces_its_permissions() {
    let system = System::start().await;
    let callers = callers(&system).await;
    for row in rows() {
        for ((caller, name), &expected) in callers.iter().zip(CALLERS).zip(&row.statuses) {
            let response = call(caller, &row).await;
            let context = format!("{name} at {} {}: {response:?}", row.method, row.route);
            assert_eq!(response.status, expected, "{context}");
            if (401..=404).contains(&expected) {
                assert!(has_error_format_of_route(&row.route, &response), "{context}");
            }
        }
    }
}

/// Refused callers learn neither what exists nor what is wrong with their request.
#[tokio::test]
async fn access_errors_state_the_reason_and_come_first() {
    let system = System::start().await;
    let callers = callers(&system).await;
    let mut wrong = Vec::new();
    for row in rows() {
        for (caller, name) in callers.iter().zip(CALLERS) {
            let Some(reason) = reason(name, &row) else { continue };
            let response = call(caller, &row).await;
            let is_stated = if response.at("/error").is_object() {
                response.body == error_body(row.status(name), reason)
            } else {
                response.at("/error") == reason
            };
            let mut is_first = true;
            for (path, body) in [(&row.path, json!([{"surprise": true}])), (&row.path_of_blank_ids, row.body.clone())] {
                let body = (row.method != Method::GET).then_some(&body);
                let invalid = caller.send(row.method.clone(), path, body).await;
                is_first &= (invalid.status, &invalid.body) == (response.status, &response.body);
            }
            if !is_stated || !is_first {
                wrong.push(format!("{name} at {} {}, is first: {is_first}: {}", row.method, row.route, response.body));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

/// Why a caller is refused, whatever the request is.
fn reason(caller: &str, row: &Row) -> Option<&'static str> {
    const NO_PERMISSION: Option<&str> = Some("You do not have permission to do this.");
    const NO_MERCHANT: Option<&str> = Some("Your account is not linked to a merchant.");
    let has_merchant = !matches!(caller, "u-nobody" | "u-root");
    let is_of_platform = ["/api/admin/", "/api/public/"].iter().any(|group| row.route.starts_with(group));
    match row.status(caller) {
        // A decision is refused for its signature.
        401 if row.route.ends_with("/kyb-decision") => None,
        401 if caller == CALLERS[0] => Some("Sign in to do this."),
        401 => NO_MERCHANT,
        403 if !has_merchant && row.route == "/api/bff/merchant/stats" => NO_MERCHANT,
        // The other callers are refused for what their merchant is, or has done.
        403 if row.route == "/api/bff/analytics/sales" && caller != "u-till" => None,
        403 if row.route == "/api/onboarding/submit" && !matches!(caller, "u-viewer" | "u-till") => None,
        403 => NO_PERMISSION,
        // Administrators name the merchant that sells.
        404 if ["/pos/issue", "/pos/operations/cancellation"].iter().any(|end| row.route.ends_with(end)) => None,
        // What belongs to the user, with or without a merchant.
        404 if ["/auth/sessions/{id}", "/auth/passkeys/{id}"].iter().any(|end| row.route.ends_with(end)) => None,
        404 if !has_merchant && !is_of_platform => NO_MERCHANT,
        _ => None,
    }
}

#[tokio::test]
async fn a_paired_till_can_do_nothing_but_what_portal_pos_allows() {
    let system = System::start().await;
    let till = system.paired_till().await;
    for row in rows().iter().filter(|row| row.statuses[0] == 401) {
        let response = call(&till, row).await;
        let is_its_own = row.path.starts_with("/api/bff/pos/")
            || row.is_one_of(&[("GET", "/api/auth/session"), ("GET", "/api/bff/cards/{qr}/history")]);
        let expected = if is_its_own { row.status("u-admin") } else { 403 };
        // A signature is asked for before anything else.
        let expected = if row.path.ends_with("kyb-decision") { 401 } else { expected };
        assert_eq!(response.status, expected, "{:?}: {response:?}", row.route);
    }
    assert_eq!(till.delete("/api/auth/session").await.status, 200);
    assert_eq!(till.get("/api/auth/session").await.status, 401);
}

/// What a key needs on each route that admits keys: one of these permissions, or none. All other routes with a session are not for
/// keys, nor are those by which people and tills sign in and out. `read` stands for a write that only reads.
const FOR_KEYS: &str = "
GET /api/auth/session |
GET /api/bff/merchant/stats |
GET /api/bff/merchant | portal.information
PUT /api/bff/merchant | portal.information
GET /api/bff/merchant/activity | merchant.team.invite
GET /api/bff/merchant-stores | portal.organization
POST /api/bff/retail-store | portal.organization
PUT /api/bff/retail-store | portal.organization
GET /api/bff/cards/{qr} | portal.gift_cards
GET /api/bff/cards/{qr}/history | portal.gift_cards
GET /api/bff/offers | portal.gift_cards
POST /api/bff/offers | portal.gift_cards
GET /api/bff/offers/{id} | portal.gift_cards
PUT /api/bff/offers/{id} | portal.gift_cards
PATCH /api/bff/offers/{id}/status | portal.gift_cards
POST /api/bff/offers/media | portal.gift_cards
GET /api/bff/merchant-orders | portal.orders
GET /api/bff/merchant-orders/{orderId} | portal.orders
GET /api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance | portal.orders
POST /api/bff/pos/issue | portal.pos
POST /api/bff/pos/redeem | portal.pos
GET /api/bff/pos/card/{qrcode} | portal.pos
GET /api/bff/pos/offers | portal.pos
GET /api/bff/pos/operations/{reference} | portal.pos
POST /api/bff/pos/operations/cancellation | portal.pos
GET /api/bff/analytics/overview | portal.analytics
GET /api/bff/analytics/sales | portal.analytics
GET /api/bff/analytics/redemptions | portal.analytics
GET /api/bff/analytics/fraud | portal.analytics
GET /api/bff/settlements | portal.reports
GET /api/bff/settlements/summary | portal.reports
GET /api/bff/settlements/by-source | portal.reports
GET /api/bff/settlements/outstanding | portal.reports
GET /api/bff/payouts | portal.reports
GET /api/bff/payouts/{id} | portal.reports
GET /api/bff/payouts/{id}/file | portal.reports
POST /api/bff/exports | read portal.orders portal.reports portal.analytics
GET /api/bff/exports/{id} | portal.orders portal.reports portal.analytics
";

const OF_KEYS: [&str; 7] = [
    "portal.information",
    "portal.organization",
    "portal.gift_cards",
    "portal.analytics",
    "portal.reports",
    "portal.orders",
    "portal.pos",
];

/// The status and the code that a good key with this permission gets.
fn expected_of_key(row: &Row, permission: &str, read_only: bool) -> (u16, Option<&'static str>) {
    let route = format!("{} {}", row.method, row.route);
    let found = FOR_KEYS.lines().find_map(|line| line.split_once(" |").filter(|(name, _)| *name == route));
    let Some((_, needed)) = found else { return (403, Some("NOT_FOR_KEYS")) };
    let needed: Vec<&str> = needed.split_whitespace().collect();
    let is_held = needed.is_empty() || needed.contains(&permission);
    if !is_held || (read_only && row.method != Method::GET && !needed.contains(&"read")) {
        return (403, Some("FORBIDDEN"));
    }
    match route.as_str() {
        "POST /api/bff/pos/issue" | "POST /api/bff/pos/redeem" => (400, Some("IDEMPOTENCY_KEY_REQUIRED")),
        _ => (row.status("u-admin"), None),
    }
}

#[tokio::test]
async fn a_key_can_do_what_its_permissions_allow_and_is_told_what_is_not_for_keys() {
    let (system, _) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let mut keys = Vec::new();
    for (index, permission) in OF_KEYS.into_iter().enumerate() {
        // Each is made by another member, so that nobody uses up their share.
        let maker = if index % 2 == 0 { &admin } else { &system.sign_in("u-unset").await };
        for read_only in [false, true] {
            let (_, key) = program(&system, maker, &[permission], &json!({"readOnly": read_only})).await;
            keys.push((permission, read_only, key));
        }
    }
    let mut wrong = Vec::new();
    let looks_at_keys =
        |row: &&Row| (row.statuses[0] == 401 || row.path.starts_with("/api/auth/")) && !row.path.ends_with("kyb-decision");
    for row in rows().iter().filter(looks_at_keys) {
        for (permission, read_only, key) in &keys {
            let response = call(key, row).await;
            let (status, code) = expected_of_key(row, permission, *read_only);
            let found = response.at("/error/code").as_str().or(response.at("/code").as_str());
            // The lists of orders and others have errors without a code; what is not for keys always has one.
            let is_told = code.is_none_or(|code| found == Some(code) || (found.is_none() && code == "FORBIDDEN"));
            if response.status != status || !is_told {
                wrong.push(format!("{permission} {read_only} at {} {}, {status} {code:?}: {response:?}", row.method, row.route));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Keys that are over for each of the reasons, or are no keys.
#[tokio::test]
async fn a_key_that_is_over_is_no_key_on_any_route() {
    let (system, clock) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    let maker = system.join("u-maker", "m-aurora", &json!({})).await;
    let of_closed = system.join("u-closed", "m-dinar", &json!({})).await;
    let all = json!({});
    let (revoked, of_revoked) = program(&system, &admin, &OF_KEYS, &all).await;
    let (rotated, of_rotated) = program(&system, &admin, &OF_KEYS, &all).await;
    let (_, of_expired) = program(&system, &admin, &OF_KEYS, &json!({"expiresInDays": 1})).await;
    let (_, of_removed) = program(&system, &maker, &OF_KEYS, &all).await;
    let (_, of_inactive) = program(&system, &of_closed, &OF_KEYS, &all).await;
    let keys = [of_revoked, of_rotated, of_expired, of_removed, of_inactive];
    for key in &keys {
        key.get("/api/auth/session").await.ok();
    }
    assert_eq!(admin.delete(&format!("/api/auth/keys/{revoked}")).await.status, 200);
    admin.post(&format!("/api/auth/keys/{rotated}/rotation"), &json!({"overlapHours": 0})).await.ok();
    assert_eq!(admin.delete("/api/auth/members/u-maker").await.status, 200);
    let root = system.sign_in("u-root").await;
    root.patch("/api/admin/merchants/m-dinar", &json!({"status": "INACTIVE", "reason": "closed"})).await.ok();
    clock.advance(24 * 3_600);
    for row in rows().iter().filter(|row| row.statuses[0] == 401 && !row.path.ends_with("kyb-decision")) {
        for (index, key) in keys.iter().enumerate() {
            let response = call(key, row).await;
            let is_refused = response.status == 401 && response.contains("Sign in to do this.");
            assert!(is_refused, "{index} at {} {}: {response:?}", row.method, row.route);
        }
    }
}

/// The rows of all writes that need a session.
fn writes_in_a_session() -> Vec<Row> {
    let tables = local::route_tables();
    let routes: Vec<_> = tables.iter().flat_map(shared::http::Routes::routes).collect();
    let needs_session = |row: &Row| {
        let is_of_row = |route: &&&Route| row.is_one_of(&[(route.method.as_str(), route.path)]);
        routes.iter().find(is_of_row).unwrap().requirement != Requirement::Public
    };
    let mut rows = rows();
    rows.retain(|row| row.method != Method::GET && needs_session(row));
    rows
}

/// Sends the request of a row with `X-Expected-Merchant`.
async fn expecting(caller: &Caller, row: &Row, merchants: &[&str]) -> ApiResponse {
    let request = caller.request_with_json(row.method.clone(), &row.path, &row.body);
    Caller::send_request(merchants.iter().fold(request, |request, merchant| request.header("x-expected-merchant", *merchant)))
        .await
}

#[tokio::test]
async fn no_write_is_made_in_a_session_of_another_merchant_than_expected() {
    let (system, [admin, nobody, root]) = System::with_callers(["u-admin", "u-nobody", "u-root"]).await;
    let till = system.paired_till().await;
    let message = "X-Expected-Merchant: you are now signed in with another merchant. Nothing was done.";
    let other_merchant = json!({"ok": false, "error": {"message": message, "code": "OTHER_MERCHANT"}});
    system.drain().await;
    let before = (written_rows(&system).await, system.network_calls().await.len());
    for row in writes_in_a_session() {
        for (caller, merchants) in [
            (&admin, &["m-rival"][..]),
            (&admin, &["m-rival", "m-aurora"]),
            (&admin, &["M-AURORA"]),
            (&admin, &[""]),
            (&till, &["m-rival"]),
            (&nobody, &["m-aurora"]),
            // Not the merchant that an administrator reads or changes.
            (&root, &["m-rival"]),
        ] {
            let response = expecting(caller, &row, merchants).await;
            assert_eq!((response.status, &response.body), (409, &other_merchant), "{:?}", row.route);
        }
        assert_eq!(expecting(&system.anonymous(), &row, &["m-aurora"]).await.status, 401, "{:?}", row.route);
    }
    assert_eq!((written_rows(&system).await, system.network_calls().await.len()), before);
}

/// The keys and versions of the rows that writes of the API leave behind.
async fn written_rows(system: &System) -> BTreeSet<String> {
    let kinds = "MERCHANT# ORDER# REDEMPTION# OPERATION# IDEMPOTENCY# INVITE# CHALLENGE# SESSION# USER# EXPORT# ACTIVITY# \
                 AUDIT# COUNTER# LEASE# PAYOUT_RUN#";
    let rows = system.store().scan(kinds.split_whitespace().map(str::to_owned).collect());
    let rows = rows.try_concat().await.unwrap().into_iter();
    rows.map(|item| format!("{:?} {:?} {:?}", item["pk"], item["sk"], item.get("version"))).collect()
}

#[tokio::test]
async fn the_expected_merchant_of_a_session_changes_nothing() {
    let (system, [viewer, admin]) = System::with_callers(["u-viewer", "u-admin"]).await;
    for row in writes_in_a_session() {
        for (caller, name) in [(&viewer, "u-viewer"), (&admin, "u-admin")] {
            let response = expecting(caller, &row, &["m-aurora"]).await;
            assert_eq!(response.status, row.status(name), "{name} at {:?}: {response:?}", row.route);
        }
    }
    let read = system.sign_in("u-till").await.request(Method::GET, "/api/bff/pos/card/QR-500");
    assert_eq!(Caller::send_request(read.header("x-expected-merchant", "m-rival")).await.status, 200);
}

#[tokio::test]
async fn a_response_names_the_merchant_of_its_session() {
    let system = System::start().await;
    let till = system.paired_till().await;
    for (caller, path, merchant) in [
        (&system.sign_in("u-admin").await, "/api/auth/session", Some("m-aurora")),
        (&system.sign_in("u-admin").await, "/api/bff/merchant-orders", Some("m-aurora")),
        (&system.sign_in("u-admin").await, "/api/bff/merchant-orders/of-nobody", Some("m-aurora")),
        (&till, "/api/bff/pos/card/QR-500", Some("m-aurora")),
        (&system.sign_in("u-nobody").await, "/api/auth/session", None),
        (&system.anonymous(), "/api/auth/session", None),
    ] {
        let response = Caller::send_request(caller.request(Method::GET, path)).await;
        assert_eq!(response.header("session-merchant"), merchant, "{path}");
    }
}

#[tokio::test]
async fn another_merchant_than_expected_is_refused_before_the_idempotency_key_is_looked_up() {
    let (_system, till) = System::signed_in("u-till").await;
    let redeem = |merchant: &'static str, amount: u32| {
        let request = till.request_with_json(Method::POST, REDEEM, &payment("QR-500", amount)).header("idempotency-key", "k");
        Caller::send_request(request.header("x-expected-merchant", merchant))
    };
    assert_eq!(redeem("m-rival", 1).await.status, 409);
    let first = redeem("m-aurora", 1).await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (200, None));
    for amount in [1, 2] {
        let other = redeem("m-rival", amount).await;
        assert_eq!((other.status, other.text("/error/code").as_str()), (409, "OTHER_MERCHANT"));
    }
    let replay = redeem("m-aurora", 1).await;
    assert_eq!((replay.status, replay.header("idempotent-replayed")), (200, Some("true")));
}

/// What cannot be read is never taken for something that is not there.
#[tokio::test]
async fn a_table_that_fails_is_an_error_in_the_format_of_the_route() {
    let (system, [admin, rival]) = System::with_callers(["u-admin", "u-rival"]).await;
    let is_stated = |response: &ApiResponse| {
        let message = json!("Something went wrong. Please try again.");
        response.status == 500 && [response.at("/error"), response.at("/error/message")].contains(&&message)
    };
    // The session; then what else is read.
    system.set_fault("dynamodb", "BatchGetItem", "status", 400).await;
    for row in rows().iter().filter(|row| row.statuses[0] == 401 && !row.route.ends_with("/kyb-decision")) {
        let response = call(&admin, row).await;
        assert!(is_stated(&response), "{} {}: {response:?}", row.method, row.route);
    }
    let fault =
        |operation: &str| json!({"target": "dynamodb", "match": operation, "kind": "status", "times": "always", "value": 400});
    system.set_faults(json!([fault("Query"), fault("GetItem")])).await;
    let of_orders = ["", "/o-sold", "/o-sold/gift-cards/g-sold/balance"].map(|path| format!("/api/bff/merchant-orders{path}"));
    let of_settlements = ["", "/summary", "/by-source?orderId=o-1"].map(|path| format!("/api/bff/settlements{path}"));
    let of_analytics = ["overview", "sales", "redemptions", "fraud"].map(|path| format!("/api/bff/analytics/{path}"));
    for (caller, paths) in [
        (&admin, &of_orders[..]),
        (&admin, &["/api/bff/merchant/users".to_owned()]),
        (&rival, &of_settlements),
        (&rival, &of_analytics),
    ] {
        for path in paths {
            let response = caller.get(path).await;
            assert!(is_stated(&response), "{path}: {response:?}");
        }
    }
}

#[tokio::test]
async fn treats_an_invalid_session_like_no_session() {
    let system = System::start().await;
    let (anonymous, with_invalid_token) = (system.anonymous(), system.with_token("made.up.token"));
    for row in rows().iter().filter(|row| row.statuses[0] == 401) {
        assert_eq!(call(&anonymous, row).await.reply(), call(&with_invalid_token, row).await.reply(), "{:?}", row.route);
    }
}

/// Routes on which members give or take powers.
const GIVING: [(&str, &str); 5] = [
    ("PATCH", "/api/bff/merchant/users"),
    ("POST", "/api/auth/invites"),
    ("POST", "/api/auth/tills"),
    ("POST", "/api/auth/tills/{id}/pairing"),
    ("DELETE", "/api/auth/members/{userId}"),
];

#[tokio::test]
async fn platform_administrator_with_a_merchant_passes_every_permission_check() {
    let system = System::start().await;
    let linked = json!({"isAdmin": true, "emailVerified": true, "merchantTeamRole": "VIEWER"});
    let caller = system.join("u-linked", "m-aurora", &linked).await;
    for row in rows() {
        let response = call(&caller, &row).await;
        // Routes of the platform need no merchant.
        let expected = row.status(if row.path.starts_with("/api/admin/") { "u-root" } else { "u-admin" });
        // To pass the check gives no power over the team: a viewer gives and takes nothing.
        let is_about_powers = row.status("u-admin") < 300 && row.is_one_of(&GIVING);
        let expected = if is_about_powers { 403 } else { expected };
        assert_eq!(response.status, expected, "{:?}: {response:?}", row.route);
    }
}

/// Checks that the error is a string on routes with the flat format, and an object with a `message` on all others.
fn has_error_format_of_route(route: &str, response: &ApiResponse) -> bool {
    let tables = local::route_tables();
    let mut routes = tables.iter().flat_map(shared::http::Routes::routes);
    let is_flat = routes.any(|listed| listed.path == route && listed.error_format == ErrorFormat::Flat);
    let error = response.at("/error");
    let message = if is_flat { error } else { &error["message"] };
    response.at("/ok") == &json!(false) && message.is_string()
}

#[test]
fn table_covers_every_route() {
    let tables = local::route_tables();
    let listed: BTreeSet<(String, &str)> =
        tables.iter().flat_map(shared::http::Routes::routes).map(|route| (route.method.to_string(), route.path)).collect();
    let rows = rows();
    let tested: BTreeSet<(String, &str)> = rows.iter().map(|row| (row.method.to_string(), row.route.as_str())).collect();
    assert_lists("ROUTES in tests/api/access.rs", &tested, &listed);
}

#[tokio::test]
async fn accepts_the_session_as_bearer_token_or_cookie_but_not_both() {
    let (system, signed_in) = System::signed_in("u-admin").await;
    let token = signed_in.token();
    let cookie = format!("other=1; __Host-portal_session={token}");
    let anonymous = system.anonymous();
    let get = || anonymous.request(Method::GET, "/api/bff/merchant/stats");
    for (request, status) in [
        (get().header("authorization", format!("bearer {token}")), 200),
        (get().header("cookie", &cookie), 200),
        (get().bearer_auth(token).header("cookie", &cookie), 401),
        (get().header("cookie", format!("{cookie}; __Host-portal_session={token}")), 401),
        (get().bearer_auth(format!("{token}x")), 401),
        (get().bearer_auth("not.a.token"), 401),
        (get().header("authorization", format!("Basic {token}")), 401),
    ] {
        let request_line = format!("{request:?}");
        assert_eq!(Caller::send_request(request).await.status, status, "{request_line}");
    }
}

#[tokio::test]
async fn a_session_ends_after_twelve_hours_or_at_once_if_it_is_ended() {
    let (system, manual_clock) = System::at("2026-05-28T20:26:40Z").await;
    let (caller, ended) = (system.sign_in("u-admin").await, system.sign_in("u-admin").await);
    assert_eq!(ended.get("/api/bff/merchant/stats").await.status, 200);
    let session = json!({"token": ended.token()});
    system.anonymous().send(Method::DELETE, "/__local/sessions", Some(&session)).await;
    assert_eq!(ended.get("/api/bff/merchant/stats").await.status, 401);
    for (seconds, status) in [(12 * 3600 - 1, 200), (1, 401)] {
        manual_clock.advance(seconds);
        assert_eq!(caller.get("/api/bff/merchant/stats").await.status, status);
    }
}

#[tokio::test]
async fn writes_with_the_session_cookie_are_accepted_from_trusted_origins_only() {
    let system = System::with_dashboard_origin(DASHBOARD).await;
    let signed_in = system.sign_in("u-admin").await;
    let anonymous = system.anonymous();
    let own_origin = system.local.listening.api.as_str();
    let own_port = own_origin.rsplit_once(':').unwrap().1;
    let put = |headers: &[(&str, &str)]| {
        let put = anonymous.request(Method::PUT, "/api/bff/merchant").header("content-type", "application/json");
        headers.iter().fold(put, |put, (name, value)| put.header(*name, *value)).body("{}")
    };
    let (other_name, other_port) = (format!("http://127.0.0.1:{own_port}"), "http://localhost:1".to_owned());

    for (headers, expected) in [
        (vec![], 200),
        (vec![("sec-fetch-site", "same-origin")], 200),
        (vec![("sec-fetch-site", "same-site")], 403),
        (vec![("sec-fetch-site", "none")], 403),
        (vec![("sec-fetch-site", "cross-site")], 403),
        (vec![("origin", own_origin)], 200),
        (vec![("origin", own_origin), ("sec-fetch-site", "cross-site")], 200),
        (vec![("origin", DASHBOARD)], 200),
        (vec![("origin", DASHBOARD), ("sec-fetch-site", "same-site")], 200),
        (vec![("origin", other_name.as_str())], 403),
        (vec![("origin", other_name.as_str()), ("sec-fetch-site", "same-origin")], 403),
        (vec![("origin", other_port.as_str())], 403),
        (vec![("origin", "https://dashboard.example:8443"), ("sec-fetch-site", "same-origin")], 403),
        (vec![("origin", "https://evil.example")], 403),
        (vec![("origin", "null")], 403),
        (vec![("origin", DASHBOARD), ("origin", "https://evil.example")], 403),
    ] {
        let with_cookie = put(&headers).header("cookie", session_cookie(&signed_in));
        assert_eq!(Caller::send_request(with_cookie).await.status, expected, "{headers:?}");
    }
    for headers in [[("sec-fetch-site", "cross-site")], [("origin", other_name.as_str())]] {
        let with_bearer = put(&headers).bearer_auth(signed_in.token());
        assert_eq!(Caller::send_request(with_bearer).await.status, 200, "{headers:?}");
    }
    let read = anonymous.request(Method::GET, "/api/bff/merchant").header("sec-fetch-site", "cross-site");
    let read = read.header("cookie", session_cookie(&signed_in));
    assert_eq!(Caller::send_request(read).await.status, 200);
}

const DASHBOARD: &str = "https://dashboard.example";

fn session_cookie(caller: &Caller) -> String {
    format!("__Host-portal_session={}", caller.token())
}

#[tokio::test]
async fn a_body_sent_with_the_session_cookie_has_a_content_type_that_forms_cannot_send() {
    let (system, signed_in) = System::signed_in("u-admin").await;
    let anonymous = system.anonymous();
    let form = "multipart/form-data; boundary=b";
    let header = b"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n";
    let image = &[&header[..], PNG, b"\r\n--b--\r\n"].concat()[..];
    let (profile, media) = ((Method::PUT, "/api/bff/merchant"), (Method::POST, "/api/bff/offers/media"));

    for ((method, path), content_type, body, with_cookie, with_bearer) in [
        (profile.clone(), Some("application/json"), &b"{}"[..], 200, 200),
        (profile.clone(), Some("Application/JSON; charset=utf-8"), &b"{}"[..], 200, 200),
        (profile.clone(), Some("application/merge-patch+json"), &b"{}"[..], 200, 200),
        (profile.clone(), None, &b"{}"[..], 415, 200),
        (profile.clone(), Some("text/plain"), &b"{}"[..], 415, 200),
        (profile.clone(), Some("application/x-www-form-urlencoded"), &b"{}"[..], 415, 200),
        (profile.clone(), Some("text/plain; application/json"), &b"{}"[..], 415, 200),
        (profile.clone(), Some(form), &b"{}"[..], 415, 200),
        (profile, None, b"", 400, 400),
        (media.clone(), Some(form), image, 200, 200),
        (media.clone(), Some("text/plain"), image, 415, 400),
        (media.clone(), None, image, 415, 400),
        (media, Some("application/json"), &b"{}"[..], 400, 400),
    ] {
        let request = anonymous.request(method, path).body(body.to_vec());
        let request = content_type.into_iter().fold(request, |request, value| request.header("content-type", value));
        let cookie = request.try_clone().unwrap().header("cookie", session_cookie(&signed_in));
        assert_eq!(Caller::send_request(cookie).await.status, with_cookie, "cookie, {path} {content_type:?}");
        let bearer = request.bearer_auth(signed_in.token());
        assert_eq!(Caller::send_request(bearer).await.status, with_bearer, "bearer, {path} {content_type:?}");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_use_the_error_format_of_their_group() {
    let system = System::start().await;
    let caller = system.anonymous();
    let is_nested = |response: &ApiResponse| response.at("/ok") == &json!(false) && response.at("/error/message").is_string();
    let is_flat = |response: &ApiResponse| response.at("/ok") == &json!(false) && response.at("/error").is_string();
    for path in ["/api/bff/pos/nothing", "/api/bff/merchant/nothing", "/api/bff/offers/1/nothing", "/api/nothing", "/nothing"] {
        let response = caller.get(path).await;
        assert!(response.status == 404 && is_nested(&response), "{path}: {response:?}");
    }
    for path in ["/api/bff/merchant-orders/1/nothing", "/api/bff/analytics/nothing"] {
        let response = caller.get(path).await;
        assert!(response.status == 404 && is_flat(&response), "{path}: {response:?}");
    }
    let bare = caller.get("/api/bff/settlements/nothing").await;
    assert!(bare.status == 404 && bare.at("/error").is_string(), "{bare:?}");

    let wrong_method = caller.delete("/api/bff/offers/1").await;
    assert!(wrong_method.status == 405 && is_nested(&wrong_method), "{wrong_method:?}");
    let allowed: BTreeSet<&str> = wrong_method.header("allow").unwrap().split(',').map(str::trim).collect();
    assert_eq!(allowed, BTreeSet::from(["GET", "HEAD", "PUT"]));
    for path in ["/api/bff/merchant-orders", "/api/bff/analytics/sales"] {
        let wrong_method = caller.post_empty(path).await;
        assert!(wrong_method.status == 405 && is_flat(&wrong_method), "{wrong_method:?}");
    }
    for path in [REDEEM, "/api/bff/retail-store", "/api/bff/settlements"] {
        let wrong_method = caller.delete(path).await;
        let body = json!({"error": "This address does not support the method.", "code": "METHOD_NOT_ALLOWED"});
        assert_eq!(wrong_method.reply(), (405, body), "{path}");
    }
}

#[tokio::test]
async fn a_body_that_cannot_be_read_to_its_end_is_invalid() {
    let system = System::start().await;
    let address = system.local.listening.api.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /api/auth/code HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n5\r\n{{\"ema\r\nnot a length\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = vec![0; 1024];
    let length = stream.read(&mut response).await.unwrap();
    let response = String::from_utf8_lossy(&response[..length]);
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
}

#[tokio::test]
async fn rejects_a_body_over_the_size_limit() {
    let system = System::start().await;
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(1024 * 1024));
    for path in ["/api/bff/offers", ISSUE, "/api/bff/retail-store", REDEEM] {
        assert_eq!(system.sign_in("u-admin").await.post_text(path, &large).await.status, 413, "{path}");
    }
}
