//! The history of a gift card.

use futures_util::stream::TryStreamExt;
use serde_json::{Value, json};
use world::shop::{ISSUE, REDEEM, member, payment};
use world::{ApiResponse, Caller, System, error_code, refusal};

use crate::giving_back::giving_back;

async fn sell(till: &Caller, value: u32) -> (String, String) {
    let sold = till.sell(value).await;
    (sold.text("/data/qrCode"), sold.text("/data/orderId"))
}

async fn history(caller: &Caller, code: &str) -> ApiResponse {
    caller.get(&format!("/api/bff/cards/{code}/history")).await
}

/// Kinds and amounts of the events, and whether they add up.
async fn summary(caller: &Caller, code: &str) -> (Vec<(String, i64)>, Value) {
    let history = history(caller, code).await.ok();
    let event = |event: &Value| (event["kind"].as_str().unwrap().to_owned(), event["amountMinor"].as_i64().unwrap());
    let events = history.list("/data/events").iter().map(event).collect();
    (events, history.at("/data/addsUp").clone())
}

fn events(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    expected.iter().map(|(kind, minor)| ((*kind).to_owned(), *minor)).collect()
}

#[tokio::test]
async fn shows_sale_redemptions_and_what_was_given_back() {
    let (system, clock) = System::at("2026-03-01T10:00:00Z").await;
    let (admin, paired) = (system.sign_in("u-admin").await, system.paired_till().await);
    let (code, order) = sell(&paired, 500).await;
    clock.advance(60);
    let first = paired.redeem(&code, 100).await.text("/redemptionId");
    clock.advance(60);
    let second = admin.redeem(&code, 50).await.text("/redemptionId");
    clock.advance(60);
    let returned = paired.post(ISSUE, &giving_back(&first, 30)).await;

    let event = |minute: u32, kind: &str, minor: i64, refunded: Value, by_till: bool| {
        let (store, by) = if by_till { ("Main street", "Counter") } else { ("Merchant Portal POS", "Anna Berg") };
        json!({
            "at": format!("2026-03-01T10:0{minute}:00.000Z"), "kind": kind, "amountMinor": minor, "currency": "SEK",
            "refundedMinor": refunded, "storeName": store, "by": by, "orderId": null, "redemptionId": null,
        })
    };
    let with = |mut event: Value, name: &str, id: &str| {
        event[name] = id.into();
        event
    };
    let card_ref = &code[code.len() - 4..];
    let mut expected = json!({
        "cardRef": card_ref,
        "events": [
            with(event(2, "REDEEMED", 5000, 0.into(), false), "redemptionId", &second),
            with(event(1, "REDEEMED", 10_000, 3000.into(), true), "redemptionId", &first),
            with(event(0, "ISSUED", 50_000, Value::Null, true), "orderId", &order),
        ],
        "nextCursor": null,
        "balance": {"remainingValueMinor": 35_000, "currency": "SEK", "status": "ACTIVE"},
        "addsUp": true,
    });
    // A new name does not change the past.
    assert_eq!(admin.patch("/api/auth/session/user", &json!({"firstName": "Beate"})).await.status, 200);
    assert_eq!(history(&admin, &code).await.at("/data"), &expected);
    for event in expected["events"].as_array_mut().unwrap() {
        event["by"] = Value::Null;
    }
    assert_eq!(history(&paired, &code).await.at("/data"), &expected, "a till is not told who");

    // The card that gives back names the redemption.
    let (code, order) = (returned.text("/data/qrCode"), returned.text("/data/orderId"));
    let given_back = with(event(3, "GIVEN_BACK", 3000, Value::Null, true), "orderId", &order);
    let returned = history(&admin, &code).await;
    assert_eq!(returned.at("/data/events"), &json!([with(given_back, "redemptionId", &first)]));
    assert_eq!(returned.at("/data/addsUp"), true);
}

#[tokio::test]
async fn is_read_by_members_who_manage_gift_cards_and_by_tills_of_the_merchant_alone() {
    let (system, till) = System::signed_in("u-till").await;
    let (code, _) = sell(&till, 500).await;
    till.redeem(&code, 100).await;
    let users = json!([
        member("u-rival-admin", "m-rival", &json!({})),
        member("u-bare-admin", "m-bare", &json!({})),
        member("u-cards", "m-aurora", &json!({"merchantTeamRole": null, "permissions": ["portal.gift_cards"]})),
    ]);
    system.load_fixtures(&json!({"users": users})).await;
    for (user, status) in [
        ("u-admin", 200),
        ("u-viewer", 200),
        ("u-cards", 200),
        ("u-till", 403),
        ("u-nobody", 404),
        ("u-rival-admin", 404),
        ("u-bare-admin", 400),
    ] {
        assert_eq!(history(&system.sign_in(user).await, &code).await.status, status, "{user}");
    }
    assert_eq!(history(&system.paired_till().await, &code).await.status, 200);
    assert_eq!(history(&system.anonymous(), &code).await.status, 401);

    // Unknown, of another merchant, blank: as by the look-up, and a guess.
    let admin = system.sign_in("u-admin").await;
    for unknown in ["QR-RIVAL", "NONE", "%20"] {
        let looked_up = admin.get(&format!("/api/bff/cards/{unknown}")).await;
        assert_eq!(history(&admin, unknown).await.reply(), looked_up.reply(), "{unknown}");
    }
}

#[tokio::test]
async fn guesses_count_for_members_and_tills() {
    let (system, _) = System::at("2026-03-01T10:00:30Z").await;
    for caller in [system.sign_in("u-admin").await, system.paired_till().await] {
        for number in 0..60 {
            assert_eq!(history(&caller, &format!("GUESS-{number}")).await.status, 404);
        }
        let refused = history(&caller, "QR-500").await;
        let message = "Too many unknown card codes were tried. Please try again later.";
        assert_eq!(refused.reply(), refusal(429, message));
        assert_eq!(refused.header("retry-after"), Some("600"));
    }
}

#[tokio::test]
async fn nothing_adds_up_to_a_balance_that_is_not_known_or_has_other_movements() {
    let (system, [admin, till]) = System::with_callers(["u-admin", "u-till"]).await;
    // Not sold here, or before histories were kept.
    assert_eq!(summary(&admin, "QR-500").await, (events(&[]), Value::Null));
    till.redeem("QR-500", 100).await;
    assert_eq!(summary(&admin, "QR-500").await, (events(&[("REDEEMED", 10_000)]), Value::Null));
    assert_eq!(summary(&admin, "QR-OLD").await, (events(&[]), Value::Null));
    assert_eq!(history(&admin, "QR-OLD").await.at("/data/balance"), &Value::Null);

    let (code, _) = sell(&till, 500).await;
    let sold = ("ISSUED", 50_000);
    assert_eq!(summary(&admin, &code).await, (events(&[sold]), json!(true)));
    // Somebody else has taken something off the card.
    for (remains, currency, adds_up) in [
        (json!(499), "SEK", json!(false)),
        (json!("500.00"), "SEK", json!(true)),
        (json!(500), "EUR", json!(false)),
        (json!(500), "kr", Value::Null),
        (json!(null), "SEK", Value::Null),
        (json!("499.999"), "SEK", Value::Null),
    ] {
        let card = json!({"merchantId": "1001", "qrCode": code, "valueRemains": remains, "currency": currency});
        system.set_network_fault("GET /v1/cards/*", "body", card.to_string().into()).await;
        assert_eq!(summary(&admin, &code).await, (events(&[sold]), adds_up), "{card}");
    }
}

#[tokio::test]
async fn a_failing_network_leaves_the_events_without_a_balance() {
    let (system, [admin, till]) = System::with_callers(["u-admin", "u-till"]).await;
    let (code, _) = sell(&till, 500).await;
    system.set_network_fault("GET /v1/cards/*", "status", 503.into()).await;
    let response = history(&admin, &code).await;
    assert_eq!(response.at("/data/events/0/kind"), "ISSUED");
    assert_eq!((response.at("/data/balance"), response.at("/data/addsUp")), (&Value::Null, &Value::Null));
    // Of a card without rows, nothing is known.
    let looked_up = admin.get("/api/bff/cards/QR-500").await;
    assert_eq!(history(&admin, "QR-500").await.reply(), looked_up.reply());
    system.set_faults(json!([])).await;
    assert_eq!(summary(&admin, &code).await.1, json!(true));
}

#[tokio::test]
async fn an_open_redemption_is_unknown_until_its_outcome_is_known() {
    let (system, [admin, till]) = System::with_callers(["u-admin", "u-till"]).await;
    let (code, _) = sell(&till, 500).await;
    // Carried out; then never received.
    for kind in ["after", "drop"] {
        let before = summary(&admin, &code).await;
        system.lose_outcomes(kind).await;
        assert_eq!(error_code(&till.post(REDEEM, &payment(&code, 100)).await), (504, "UNKNOWN_OUTCOME"), "{kind}");
        let (kinds, adds_up) = summary(&admin, &code).await;
        assert_eq!((kinds.first().unwrap(), adds_up), (&("UNKNOWN".to_owned(), 10_000), Value::Null));
        assert_eq!(kinds[1..], before.0);
        system.set_faults(json!([])).await;
        system.drain().await;
        let after = history(&admin, &code).await;
        assert_eq!((after.list("/data/events").len(), after.at("/data/addsUp")), (2, &json!(true)), "{after:?}");
        assert_eq!(after.at("/data/balance/remainingValueMinor"), 40_000);
    }
    // Refused: it never happened.
    assert_eq!(till.post(REDEEM, &payment(&code, 1000)).await.status, 422);
    assert_eq!(summary(&admin, &code).await, (events(&[("REDEEMED", 10_000), ("ISSUED", 50_000)]), json!(true)));
}

#[tokio::test]
async fn a_walk_shows_every_event_once_however_many_there_are() {
    let (system, clock) = System::at("2026-03-01T10:00:00Z").await;
    let (admin, till) = (system.sign_in("u-admin").await, system.sign_in("u-till").await);
    let (code, _) = sell(&till, 500).await;
    for number in 0..30 {
        // Some of the same moment.
        clock.advance(i64::from(number % 3 == 0));
        till.redeem(&code, 1).await;
    }
    let all = history(&admin, &code).await.list("/data/events").to_vec();
    assert_eq!(all.len(), 31);
    for limit in [1, 7, 30, 31, 100] {
        let (mut walked, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/bff/cards/{code}/history?limit={limit}&after={after}");
            let page = admin.get(&path).await;
            let events = page.list("/data/events").to_vec();
            assert!(events.len() <= limit, "{limit}");
            assert_eq!(page.at("/data/addsUp"), true);
            walked.extend(events);
            if limit == 7 && walked.len() == 14 {
                // What is redeemed meanwhile is newer than the pages that follow.
                clock.advance(1);
                till.redeem(&code, 1).await;
            }
            match page.at("/data/nextCursor").as_str() {
                Some(next) => next.clone_into(&mut after),
                None => break,
            }
        }
        let newer = walked.len() - 31;
        assert_eq!(walked[newer..], all, "{limit}");
        assert!(newer <= 1);
    }
    for (query, count) in [("limit=0", 32), ("limit=x", 32), ("limit=1000", 32), ("after=none", 32), ("limit=2", 2)] {
        let page = admin.get(&format!("/api/bff/cards/{code}/history?{query}")).await;
        assert_eq!(page.list("/data/events").len(), count, "{query}");
    }
}

#[tokio::test]
async fn reads_are_bounded_however_many_events_a_card_has() {
    let (system, [admin, till]) = System::with_callers(["u-admin", "u-till"]).await;
    let mut read = Vec::new();
    for redemptions in [5, 40] {
        let (code, _) = sell(&till, 500).await;
        for _ in 0..redemptions {
            till.redeem(&code, 1).await;
        }
        system.reset_usage().await;
        assert_eq!(admin.get(&format!("/api/bff/cards/{code}/history?limit=5")).await.at("/data/addsUp"), true);
        read.push(units(&system.usage().await["merchant"], "readUnits"));
    }
    assert!(read[0] > 0.0 && read[1] <= read[0] + 1.0, "{read:?}");
}

/// The units, or calls, of all operations of a function.
pub(crate) fn units(usage: &Value, kind: &str) -> f64 {
    usage.as_object().unwrap().values().map(|usage| usage[kind].as_f64().unwrap_or_default()).sum()
}

/// The benchmark of `benches/scale` has the averages of many. The records of each are one batch for the projections, which write once for a batch.
#[tokio::test]
async fn a_sale_and_a_redemption_write_at_most_42_units_with_all_that_follows() {
    let (system, till) = System::signed_in("u-till").await;
    sell(&till, 500).await;
    let written = async || {
        system.drain().await;
        let usage = system.usage().await;
        let written: f64 = usage.as_object().unwrap().values().map(|usage| units(usage, "writeUnits")).sum();
        system.reset_usage().await;
        written
    };
    written().await;
    let (code, _) = system.local.pause(sell(&till, 500)).await;
    let sale = written().await;
    system.local.pause(till.redeem(&code, 100)).await;
    let redemption = written().await;
    println!("{sale} {redemption}");
    assert!(sale > 20.0 && redemption > 20.0, "{sale} {redemption}");
    assert!(sale <= 42.0 && redemption <= 42.0, "{sale} {redemption}");
}

#[tokio::test]
async fn no_key_contains_the_code_of_a_card() {
    let (system, till) = System::signed_in("u-till").await;
    let (code, _) = sell(&till, 500).await;
    till.redeem(&code, 100).await;
    let rows = system.store().scan(vec!["CARD_HISTORY#".to_owned()]).try_concat().await.unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert!(!format!("{row:?}").contains(&code));
    }
}
