//! Founding a merchant, and giving up a draft.

use futures_util::future::join;
use serde_json::{Value, json};
use world::{ApiResponse, Browser, System, error_code, refusal};

const MERCHANT: &str = "/api/auth/merchant";
const SESSION: &str = "/api/auth/session";

async fn found(browser: &mut Browser<'_>, slug: &str) -> ApiResponse {
    let body = json!({
        "name": "Blue Door", "slug": slug, "country": "SE", "currency": "sek", "timeZone": "Europe/Stockholm",
    });
    browser.post(MERCHANT, &body).await
}

#[tokio::test]
async fn a_stranger_founds_a_merchant_and_is_its_administrator() {
    let system = System::start().await;
    let mut browser = Browser::signed_in(&system, 1, "ida@blue.example").await;
    let founded = found(&mut browser, "blue-door").await;
    let id = founded.text("/data/id");
    let expected = json!({"id": id, "slug": "blue-door", "name": "Blue Door", "status": "DRAFT"});
    assert_eq!((founded.status, founded.at("/data")), (201, &expected));

    let session = browser.get(SESSION).await;
    let merchant = json!({
        "id": id, "slug": "blue-door", "name": "Blue Door", "status": "DRAFT", "currency": "SEK",
        "timeZone": "Europe/Stockholm", "settlementMode": null,
    });
    assert_eq!((session.at("/data/merchant"), session.at("/data/role")), (&merchant, &json!("ADMIN")));
    let profile = browser.get("/api/bff/merchant").await;
    let company = ["legalName", "country", "currency", "timeZone"].map(|field| profile.text(&format!("/data/company/{field}")));
    assert_eq!(company, ["Blue Door", "SE", "SEK", "Europe/Stockholm"]);
    assert_eq!(browser.get("/api/bff/merchant-orders").await.at("/data/total"), &json!(0));
    assert_eq!(error_code(&found(&mut browser, "blue-window").await), (409, "ALREADY_LINKED"));
}

#[tokio::test]
async fn fields_are_checked_by_name() {
    let system = System::start().await;
    let mut browser = Browser::signed_in(&system, 1, "ida@blue.example").await;
    let valid = json!({"name": "Blue Door", "slug": "blue-door"});
    for (field, value) in [
        ("name", json!("B")),
        ("name", json!("Win at https://evil.example")),
        ("name", json!("Blue\nDoor")),
        ("name", json!("Blue\u{202e}rooD")),
        ("name", json!("Blue\u{200b} Door")),
        ("slug", json!("ab")),
        ("slug", json!("Blue")),
        ("slug", json!("blue--door")),
        ("country", json!("Sweden")),
        ("currency", json!("GOLD")),
        ("currency", json!("BGN")),
        ("timeZone", json!("Mars/Base")),
        ("status", json!("ACTIVE")),
    ] {
        let mut body = valid.clone();
        body[field] = value.clone();
        let refused = browser.post(MERCHANT, &body).await;
        let message = refused.text("/error/message");
        assert!(refused.status == 400 && message.starts_with(&format!("{field}:")), "{value}: {refused:?}");
    }
    for slug in ["aurora-coffee", "admin", "payout", "login-aurora", "support-desk"] {
        assert_eq!(error_code(&found(&mut browser, slug).await), (409, "SLUG_TAKEN"), "{slug}");
    }
}

#[tokio::test]
async fn of_two_who_want_the_same_slug_one_gets_it() {
    let system = System::start().await;
    let (mut one, mut other) =
        (Browser::signed_in(&system, 1, "a@blue.example").await, Browser::signed_in(&system, 2, "b@blue.example").await);
    let (first, second) = join(found(&mut one, "blue-door"), found(&mut other, "blue-door")).await;
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

#[tokio::test]
async fn a_client_founds_three_merchants_a_day() {
    let (system, _) = System::at("2026-05-28T20:26:40Z").await;
    for number in 0..3 {
        let mut browser = Browser::signed_in(&system, 1, &format!("a{number}@blue.example")).await;
        assert_eq!(found(&mut browser, &format!("blue-{number}")).await.status, 201);
    }
    let mut browser = Browser::signed_in(&system, 1, "a3@blue.example").await;
    let refused = found(&mut browser, "blue-3").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("86400")));
}

#[tokio::test]
async fn a_draft_is_given_up_by_its_only_member() {
    let system = System::start().await;
    let mut browser = Browser::signed_in(&system, 1, "ida@blue.example").await;
    let none = browser.delete(MERCHANT).await;
    assert_eq!(none.reply(), refusal(404, "Your account is not linked to a merchant."));
    found(&mut browser, "blue-door").await;
    assert_eq!(browser.delete(MERCHANT).await.status, 200);
    let session = browser.get(SESSION).await;
    assert_eq!((session.at("/data/merchant"), session.at("/data/permissions")), (&Value::Null, &json!([])));
    assert_eq!(found(&mut browser, "blue-door").await.status, 201, "the slug is free");
    let active = system.sign_in("u-admin").await.delete(MERCHANT).await;
    assert_eq!(error_code(&active), (409, "NOT_DRAFT"));
}
