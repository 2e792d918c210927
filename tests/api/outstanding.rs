//! What is outstanding of a merchant's gift cards.

use serde_json::{Value, json};
use world::shop::{ISSUE, order, redemption, with};
use world::{ManualClock, System};

use crate::giving_back::giving_back;

const OUTSTANDING: &str = "/api/bff/settlements/outstanding";
/// Half an hour after the end of March in Tokyo.
const NOW: &str = "2026-03-31T15:30:00Z";

async fn system() -> System {
    System::with_clock(ManualClock::at(NOW).clock()).await
}

/// An order of `m-yen`, whose days are those of Tokyo, with gift cards of a status, a code and a value.
fn order_of(id: &str, created_at: &str, status: &str, cards: &[(&str, Option<&str>, i64)]) -> Value {
    let card = |(number, (status, code, value)): (usize, &(&str, Option<&str>, i64))| json!({"id": format!("{id}-{number}"), "status": status, "qrCode": code, "valueMinor": value});
    let cards: Vec<Value> = cards.iter().enumerate().map(card).collect();
    let fields =
        json!({"merchantId": "m-yen", "currency": "JPY", "status": status, "totalAmountMinor": 99_999, "giftCards": cards});
    order(id, created_at, &fields)
}

fn redemption_of(id: &str, occurred_at: &str, minor: i64, code: Option<&str>, fields: &Value) -> Value {
    redemption(id, occurred_at, minor, &with(json!({"merchantId": "m-yen", "currency": "JPY", "qrCode": code}), fields))
}

fn orders() -> Vec<Value> {
    vec![
        order_of("o-old", "2024-05-05T00:00:00Z", "COMPLETED", &[("ISSUED", Some("OLD"), 3_000)]),
        order_of("o-late", "2026-01-31T14:59:59Z", "COMPLETED", &[("ISSUED", Some("A"), 1_000), ("ISSUED", None, 500)]),
        order_of("o-refunded", "2026-01-31T15:00:00Z", "REFUNDED", &[("ISSUED", Some("B"), 700)]),
        order_of("o-cancelled", "2026-02-10T00:00:00Z", "CANCELLED", &[("ISSUED", None, 300), ("CANCELLED", None, 10_000)]),
        order_of("o-dead", "2026-02-10T00:00:00Z", "COMPLETED", &[("PENDING", None, 10_000), ("FAILED", None, 10_000)]),
        order_of("o-failed", "2026-02-10T00:00:00Z", "ISSUE_FAILED", &[("ISSUED", None, 10_000)]),
        order_of("o-paid", "2026-02-10T00:00:00Z", "PAID", &[("ISSUED", None, 10_000)]),
        with(
            order_of("o-euro", "2026-02-28T15:00:00Z", "COMPLETED", &[("ISSUED", Some("E"), 2_500)]),
            &json!({"currency": "EUR"}),
        ),
        order_of("o-soon", "now+2h", "COMPLETED", &[("ISSUED", None, 10_000)]),
        order_of("o-next", "now+40d", "COMPLETED", &[("ISSUED", None, 10_000)]),
    ]
}

fn redemptions() -> Vec<Value> {
    let none = json!({});
    vec![
        redemption_of("r-older", "2024-06-05T00:00:00Z", 70, Some("X"), &none),
        redemption_of("r-old", "2024-06-05T00:00:00Z", 2_900, Some("OLD"), &none),
        redemption_of("r-part", "2026-02-28T14:59:59Z", 400, Some("A"), &none),
        redemption_of("r-rest", "now-29m", 100, Some("B"), &none),
        redemption_of("r-failed", "2026-02-20T00:00:00Z", 50, Some("A"), &json!({"status": "FAILED"})),
        redemption_of("r-open", "2026-02-20T00:00:00Z", 60, Some("A"), &json!({"status": "PENDING"})),
        redemption_of("r-other", "2026-03-05T00:00:00Z", 80, Some("X"), &none),
        redemption_of("r-no-code", "2026-03-05T00:00:00Z", 20, None, &none),
        redemption_of("r-euro", "2026-03-05T00:00:00Z", 30, Some("E"), &none),
        redemption_of("r-soon", "now+2h", 10, Some("A"), &none),
    ]
}

fn month(month: &str, issued: (i64, i64), redeemed: (i64, i64), outstanding: i64) -> Value {
    json!({
        "month": month, "issuedMinor": issued.0, "issuedCount": issued.1, "redeemedMinor": redeemed.0, "redeemedCount": redeemed.1,
        "givenBackMinor": 0, "outstandingMinor": outstanding,
    })
}

#[tokio::test]
async fn cards_count_by_their_own_status_and_redemptions_by_their_card_whichever_was_loaded_first() {
    let (orders, redemptions) = (json!({"orders": orders()}), json!({"redemptions": redemptions()}));
    let both = with(orders.clone(), &redemptions);
    for documents in [vec![both], vec![orders.clone(), redemptions.clone()], vec![redemptions, orders]] {
        let system = system().await;
        for document in &documents {
            system.load_fixtures(document).await;
            system.finish_work().await;
        }
        let response = system.sign_in("u-yen").await.get(&format!("{OUTSTANDING}?months=4")).await.ok();
        let yen = [
            month("2026-01", (1_500, 2), (0, 0), 1_600),
            month("2026-02", (1_000, 2), (400, 1), 2_200),
            month("2026-03", (0, 0), (0, 0), 2_200),
            month("2026-04", (0, 0), (100, 1), 2_100),
        ];
        let euros = [
            month("2026-01", (0, 0), (0, 0), 0),
            month("2026-02", (0, 0), (0, 0), 0),
            month("2026-03", (2_500, 1), (0, 0), 2_500),
            month("2026-04", (0, 0), (0, 0), 2_500),
        ];
        let expected = json!({
            "ok": true,
            "currencies": [
                {"currency": "JPY", "outstandingMinor": 2_100, "months": yen, "redeemedOfOthersMinor": 130},
                {"currency": "EUR", "outstandingMinor": 2_500, "months": euros, "redeemedOfOthersMinor": 0},
            ],
            "asOf": "2026-03-31T15:30:00.000Z",
        });
        assert_eq!(response.body, expected, "{} documents", documents.len());
    }
}

#[tokio::test]
async fn months_are_counted_back_from_the_current_one() {
    let system = system().await;
    for (query, months, first) in [
        ("", 12, "2025-05"),
        ("?months=", 12, "2025-05"),
        ("?months=x", 12, "2025-05"),
        ("?months=2.5", 12, "2025-05"),
        ("?months=0", 12, "2025-05"),
        ("?months=-1", 12, "2025-05"),
        ("?months=1", 1, "2026-04"),
        ("?months=36", 36, "2023-05"),
        ("?months=37", 36, "2023-05"),
        ("?months=99999999999999999999", 36, "2023-05"),
    ] {
        let response = system.sign_in("u-yen").await.get(&format!("{OUTSTANDING}{query}")).await.ok();
        let shown = response.list("/currencies/0/months");
        assert_eq!((shown.len(), &shown[0]["month"]), (months, &json!(first)), "{query}");
    }
    let bare = system.sign_in("u-bare").await.get(&format!("{OUTSTANDING}?months=1")).await.ok();
    let months = [month("2026-03", (0, 0), (0, 0), 0)];
    let euros = json!([{"currency": "EUR", "outstandingMinor": 0, "months": months, "redeemedOfOthersMinor": 0}]);
    assert_eq!(bare.at("/currencies"), &euros, "a merchant without a currency");
}

#[tokio::test]
async fn a_sale_a_redemption_and_what_is_given_back_are_seen_at_once_and_stay() {
    let (system, clock) = System::at(NOW).await;
    let (till, admin) = (system.sign_in("u-till").await, system.sign_in("u-admin").await);
    let shown = async || admin.get(&format!("{OUTSTANDING}?months=1")).await.ok().at("/currencies/0").clone();
    let before = shown().await["outstandingMinor"].as_i64().unwrap();

    let code = till.sell(200).await.text("/data/qrCode");
    till.redeem(code, 50).await;
    let of_other = till.redeem("QR-500", 30).await.text("/redemptionId");
    till.post(ISSUE, &giving_back(&of_other, 10)).await.ok();
    let expected = json!({
        "currency": "SEK", "outstandingMinor": before + 16_000, "redeemedOfOthersMinor": 3_000,
        "months": [{
            "month": "2026-03", "issuedMinor": 21_000, "issuedCount": 2, "redeemedMinor": 5_000, "redeemedCount": 1,
            "givenBackMinor": 1_000, "outstandingMinor": before + 16_000,
        }],
    });
    assert_eq!(shown().await, expected);
    system.finish_work().await;
    for seconds in [0, 60, 600] {
        clock.advance(seconds);
        assert_eq!(shown().await, expected, "{seconds} seconds later");
    }
}
