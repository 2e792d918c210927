//! Retail stores and gift card lookup, both backed by the card network.

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use world::{ApiResponse, Caller, System, default_code, outcomes, refusal};

const STORES: &str = "/api/bff/merchant-stores";
const STORE: &str = "/api/bff/retail-store";

fn flat_refusal(status: u16, message: &str) -> (u16, Value) {
    (status, json!({"error": message, "code": default_code(status)}))
}

async fn last_call(system: &System) -> Value {
    system.network_calls().await.pop().unwrap()
}

async fn send_text(caller: &Caller, method: &Method, body: &str) -> ApiResponse {
    Caller::send_request(caller.request(method.clone(), STORE).body(body.to_owned())).await
}

#[tokio::test]
async fn lists_stores_with_the_fields_of_the_api_and_of_the_network() {
    let system = System::start().await;
    let fixtures = json!({"cardNetwork": {"stores": [
        {"merchantId": "1001", "externalId": "airport", "name": "Airport", "address1": "Terminal 5", "address2": null,
         "postcode": 19045, "country": "SE", "cashRegisters": "3", "location": {"lat": 59.65, "lng": 17.9186},
         "tags": ["late"], "status": "NOT_ACTIVE"},
        {"merchantId": "1001", "externalId": "odd", "city": ["Solna"], "country": false, "cashRegisters": "two"},
    ]}});
    system.load_fixtures(&fixtures).await;
    assert_json_snapshot!("stores", system.sign_in("u-viewer").await.get(STORES).await);
}

#[tokio::test]
async fn returns_an_empty_list_if_the_stores_are_unavailable() {
    let system = System::start().await;
    let empty = |merchant: &str| (200, json!({"ok": true, "data": {"merchantId": merchant, "retailStores": []}}));
    assert_eq!(system.sign_in("u-bare").await.get(STORES).await.reply(), empty("m-bare"));
    assert!(system.network_calls().await.is_empty());

    let caller = system.sign_in("u-admin").await;
    for (kind, value) in [
        ("status", json!(500)),
        ("status", json!(404)),
        ("status", json!(401)),
        ("status", json!(429)),
        ("drop", Value::Null),
        ("body", json!("not json")),
        ("body", json!("[]")),
        ("body", json!(r#"{"retailStores": null}"#)),
        ("body", json!(r#"{"retailStores": ["a", null, 7]}"#)),
    ] {
        system.set_network_fault("GET /v1/merchants/1001/stores", kind, value.clone()).await;
        assert_eq!(caller.get(STORES).await.reply(), empty("m-aurora"), "{kind} {value}");
    }
    // A single failure is not noticed.
    system.set_faults(json!([{"target": "card-network", "match": "*", "kind": "status", "value": 503, "times": 1}])).await;
    assert_eq!(caller.get(STORES).await.at("/data/retailStores/0/externalId"), "main");
}

#[tokio::test]
async fn creates_a_store_and_returns_the_networks_response() {
    let (system, caller) = System::signed_in("u-admin").await;
    let sent = json!({"name": "North", "address1": "Norrgatan 1", "address2": "c/o Ek", "city": "Kiruna", "postcode": "981 31",
                      "country": "SE", "externalId": "north", "unknown": true, "status": "Closed"});
    let created = caller.post(STORE, &sent).await;
    assert_json_snapshot!("store_opened", created);
    let call = last_call(&system).await;
    assert_eq!((&call["method"], &call["path"]), (&json!("POST"), &json!("/v1/merchants/1001/stores")));
    assert_json_snapshot!("what_a_new_store_sends", call["body"]);
    let stores = caller.get(STORES).await;
    let listed = stores.list("/data/retailStores");
    assert!(listed.iter().any(|store| store["externalId"] == "north" && store["city"] == "Kiruna"), "{stores:?}");
}

#[tokio::test]
async fn new_store_has_a_default_country_and_id() {
    let (_system, caller) = System::signed_in("u-admin").await;
    for body in [json!({}), json!({"country": null, "externalId": null}), json!({"externalId": "  "})] {
        let created = caller.post(STORE, &body).await.ok();
        assert_eq!(created.at("/data/country"), "US");
        let id = created.text("/data/externalId");
        let time = id.strip_prefix("m-aurora-").unwrap();
        assert!(time.len() >= 13 && time.bytes().all(|digit| digit.is_ascii_digit()), "{id}");
        assert_eq!(created.text("/data/merchantId"), "1001");
    }
}

#[tokio::test]
async fn changes_only_the_fields_sent() {
    let (system, caller) = System::signed_in("u-admin").await;
    let changed = caller.put(STORE, &json!({"externalId": "main", "city": "Uppsala", "postcode": "753 20"})).await;
    assert_json_snapshot!("store_changed", changed);
    let call = last_call(&system).await;
    assert_eq!((&call["method"], &call["path"]), (&json!("PUT"), &json!("/v1/merchants/1001/stores/main")));
    assert_eq!(call["body"], json!({"externalId": "main", "city": "Uppsala", "postcode": "753 20"}));
}

#[tokio::test]
async fn maps_active_to_active_and_any_other_status_to_not_active() {
    let (_system, caller) = System::signed_in("u-admin").await;
    for (sent, stored) in [
        (json!("Active"), "ACTIVE"),
        (json!("Inactive"), "NOT_ACTIVE"),
        (json!("Active"), "ACTIVE"),
        (json!("ACTIVE"), "NOT_ACTIVE"),
        (json!("active"), "NOT_ACTIVE"),
        (json!(""), "NOT_ACTIVE"),
        (json!(true), "NOT_ACTIVE"),
        (json!({"status": "Active"}), "NOT_ACTIVE"),
    ] {
        let changed = caller.put(STORE, &json!({"externalId": "main", "status": sent})).await;
        assert_eq!((changed.status, changed.at("/data/status")), (200, &json!(stored)), "{sent}");
    }
    for without_status in [json!({"externalId": "main"}), json!({"externalId": "main", "status": null})] {
        let changed = caller.put(STORE, &without_status).await;
        assert_eq!(changed.at("/data/status"), "NOT_ACTIVE", "unchanged: {without_status}");
    }
}

#[tokio::test]
async fn store_id_may_contain_any_characters() {
    let (_system, caller) = System::signed_in("u-admin").await;
    for id in ["a/b", "100%", "?x=1#y", "Å ö", "..-", "a//b"] {
        let created = caller.post(STORE, &json!({"externalId": id})).await;
        assert_eq!((created.status, created.at("/data/externalId")), (200, &json!(id)), "{created:?}");
        let changed = caller.put(STORE, &json!({"externalId": id, "name": id})).await;
        assert_eq!((changed.status, changed.at("/data/name")), (200, &json!(id)), "{changed:?}");
    }
    for id in [".", ".."] {
        assert_eq!(caller.put(STORE, &json!({"externalId": id, "name": "Escaped"})).await.status, 404, "{id}");
    }
    assert_eq!(caller.post(STORE, &json!({"externalId": 12})).await.at("/data/externalId"), "12");
    assert_eq!(caller.put(STORE, &json!({"externalId": 12})).await.status, 200);
}

#[tokio::test]
async fn returns_404_for_another_merchants_store() {
    let (system, caller) = System::signed_in("u-admin").await;
    let unknown = caller.put(STORE, &json!({"externalId": "nowhere", "name": "Mine"})).await;
    let foreign = caller.put(STORE, &json!({"externalId": "rival-main", "name": "Mine"})).await;
    assert_json_snapshot!("store_unknown", unknown);
    assert_eq!(foreign.comparable(), unknown.comparable());
    let rival = system.sign_in("u-rival").await.get(STORES).await;
    assert_eq!(rival.at("/data/retailStores/0/name"), "Rival street");
    assert_eq!(rival.at("/data/retailStores/1"), &Value::Null);
}

#[tokio::test]
async fn rejects_an_invalid_store_without_calling_the_network() {
    let (system, [caller, without_account]) = System::with_callers(["u-admin", "u-bare"]).await;
    let (post, put) = (Method::POST, Method::PUT);
    let no_account = "Your merchant has no account at the card network.";
    for (caller, method, body, message) in [
        (&caller, &put, r#"{"name": "No id"}"#, "externalId: is missing."),
        (&caller, &put, r#"{"externalId": null}"#, "externalId: is missing."),
        (&caller, &put, r#"{"externalId": " "}"#, "externalId: is missing."),
        (&caller, &put, r#"{"externalId": {}}"#, "externalId: must be a string or a number."),
        (&caller, &post, r#"{"externalId": [1]}"#, "externalId: must be a string or a number."),
        (&caller, &post, "[]", "The body is not a JSON object."),
        (&caller, &put, "", "The body is not a JSON object."),
        (&caller, &post, "{\"name\": ", "The body is not valid JSON."),
        (&without_account, &post, r#"{"name": "Shop"}"#, no_account),
        (&without_account, &put, r#"{"externalId": "main"}"#, no_account),
        (&without_account, &put, "{}", no_account),
    ] {
        let rejected = send_text(caller, method, body).await;
        assert_eq!(rejected.reply(), flat_refusal(400, message), "{method} {body}");
    }
    assert!(system.network_calls().await.is_empty());
}

#[tokio::test]
async fn passes_on_network_errors() {
    let (system, caller) = System::signed_in("u-admin").await;
    let existing = caller.post(STORE, &json!({"externalId": "main"})).await;
    assert_json_snapshot!("store_exists", existing);

    let fault = json!({"code": "FAULT", "message": "a fault that was asked for"});
    for (kind, value, status, details) in [
        ("status", json!(500), 500, Some(&fault)),
        ("status", json!(503), 503, Some(&fault)),
        ("status", json!(429), 429, Some(&fault)),
        ("status", json!(422), 422, Some(&fault)),
        ("status", json!(403), 403, Some(&fault)),
        ("status", json!(401), 502, None),
        ("status", json!(302), 502, None),
        ("drop", Value::Null, 502, None),
        ("body", json!("<html>"), 502, None),
        ("body", json!("[]"), 502, None),
    ] {
        system.set_network_fault("*", kind, value.clone()).await;
        for (method, message) in
            [(Method::POST, "The store could not be created."), (Method::PUT, "The store could not be changed.")]
        {
            let response = send_text(&caller, &method, r#"{"externalId": "main"}"#).await;
            let expected = json!({"error": message, "details": details});
            assert_eq!(response.reply(), (status, expected), "{method} {kind} {value}");
        }
    }
}

#[tokio::test]
async fn accepts_escaped_field_names_in_the_networks_response() {
    let (system, caller) = System::signed_in("u-admin").await;
    system.set_network_fault("POST *", "body", json!(r#"{"\u00e5": 1}"#)).await;
    let created = caller.post(STORE, &json!({})).await;
    assert_eq!((created.status, created.at("/data")), (200, &json!({"å": 1})));
}

#[tokio::test]
async fn never_retries_store_writes() {
    let (system, caller) = System::signed_in("u-admin").await;
    for kind in ["status", "drop", "after"] {
        let writes = async || system.network_calls().await.iter().filter(|call| call["method"] == "POST").count();
        let before = writes().await;
        system.set_network_fault("POST *", kind, json!(503)).await;
        caller.post(STORE, &json!({"externalId": format!("once-{kind}")})).await;
        assert_eq!(writes().await, before + 1, "{kind}");
    }
}

#[tokio::test]
async fn network_timeout_returns_504_or_an_empty_list() {
    let system = System::start().await;
    system.set_network_fault("*", "timeout", Value::Null).await;
    let caller = system.sign_in("u-admin").await;
    let new = json!({});
    let (created, listed, card) = tokio::join!(caller.post(STORE, &new), caller.get(STORES), caller.get("/api/bff/cards/QR-500"));
    let not_created = json!({"error": "The store could not be created.", "details": null});
    assert_eq!(created.reply(), (504, not_created));
    assert_eq!((listed.status, listed.at("/data/retailStores")), (200, &json!([])));
    let not_looked_up = json!({"message": "The card could not be looked up.", "details": null});
    assert_eq!(card.reply(), (504, json!({"ok": false, "error": not_looked_up})));
}

#[tokio::test]
async fn card_lookup_returns_the_same_response_as_the_pos_lookup() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let looked_up = caller.get("/api/bff/cards/QR-SOLD").await;
    assert_json_snapshot!("card", looked_up);
    for code in ["QR-SOLD", "QR-BLOCKED", "QR-OLD", "QR-NONE", "QR-RIVAL", "QR%2FX", "Å%3F", "QR%5CX"] {
        let card = caller.get(&format!("/api/bff/cards/{code}")).await;
        assert_eq!(card.comparable(), caller.get(&format!("/api/bff/pos/card/{code}")).await.comparable(), "{code}");
    }
}

/// They reach the card network as they are.
#[tokio::test]
async fn a_code_can_have_any_characters() {
    let (system, caller) = System::signed_in("u-admin").await;
    for code in [r"A\B", "A?B", "A#B", "A%5CB", "A%B"] {
        let encoded = percent_encoding::utf8_percent_encode(code, percent_encoding::NON_ALPHANUMERIC);
        for path in ["/api/bff/cards", "/api/bff/pos/card"] {
            let card = caller.get(&format!("{path}/{encoded}")).await;
            assert_eq!(card.status, 404, "{code}: {card:?}");
            assert_ne!(card.text("/error/message"), "There is nothing at this address.", "{code}");
        }
        let asked = system.network_calls().await;
        let last = asked.last().unwrap()["path"].as_str().unwrap().to_owned();
        assert!(percent_encoding::percent_decode_str(&last).decode_utf8().unwrap().ends_with(code), "{code}: {last}");
    }
    // Blanks around it do not matter.
    for path in ["/api/bff/cards", "/api/bff/pos/card"] {
        let plain = caller.get(&format!("{path}/QR-500")).await;
        for code in ["%20QR-500", "QR-500%20%20", "%09QR-500%0A"] {
            let card = caller.get(&format!("{path}/{code}")).await;
            assert_eq!((card.status, card.comparable()), (200, plain.comparable()), "{path}/{code}");
        }
    }
}

/// The card network would take a deeper one, and nobody could read the stores any more.
#[tokio::test]
async fn a_field_is_nested_in_at_most_8_levels() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let nested = |levels: usize| (0..levels).fold(json!("Main"), |inner, _| json!({"en": inner}));
    for field in ["name", "address1", "address2", "city", "postcode", "country"] {
        for levels in [9, 64] {
            let changed = caller.put(STORE, &json!({"externalId": "main", field: nested(levels)})).await;
            assert_eq!(changed.status, 400, "{field} {levels}");
        }
        let refused = caller.post(STORE, &json!({"externalId": field, field: nested(9)})).await;
        let message = format!("{field}: is nested more than 8 levels deep.");
        assert_eq!(refused.reply(), flat_refusal(400, &message));
    }
    caller.put(STORE, &json!({"externalId": "main", "sign": nested(8)})).await.ok();
    let stores = caller.get("/api/bff/merchant-stores").await;
    assert_eq!(stores.at("/data/retailStores").as_array().map(Vec::len), Some(1), "{stores:?}");
}

#[tokio::test]
async fn an_external_id_has_at_most_100_characters() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let store = |id: &str| json!({"name": "North", "country": "SE", "externalId": id});
    let longest = "å".repeat(100);
    assert_eq!(caller.post(STORE, &store(&longest)).await.status, 200);
    assert_eq!(caller.put(STORE, &store(&longest)).await.status, 200);
    let message = "externalId: must be at most 100 characters.";
    for too_long in ["å".repeat(101), "a".repeat(80_000)] {
        for refused in [caller.post(STORE, &store(&too_long)).await, caller.put(STORE, &store(&too_long)).await] {
            assert_eq!(refused.reply(), flat_refusal(400, message));
        }
    }
}

#[tokio::test]
async fn returns_404_for_another_merchants_card() {
    let (_system, caller) = System::signed_in("u-admin").await;
    let unknown = caller.get("/api/bff/cards/QR-NONE").await;
    assert_json_snapshot!("card_unknown", unknown);
    assert_eq!(caller.get("/api/bff/cards/QR-RIVAL").await.comparable(), unknown.comparable());
    assert_eq!(caller.get("/api/bff/cards/QR-OLD").await.status, 200, "a card without a merchant id is allowed");
}

#[tokio::test]
async fn failed_card_lookup_states_the_reason() {
    let (system, [caller, without_account]) = System::with_callers(["u-admin", "u-bare"]).await;
    for (response, message) in [
        (caller.get("/api/bff/cards/").await, "qr: is missing."),
        (caller.get("/api/bff/cards/%20").await, "qr: is missing."),
        (without_account.get("/api/bff/cards/QR-500").await, "Your merchant has no account at the card network."),
    ] {
        assert_eq!(response.reply(), refusal(400, message));
    }
    let details = json!({"code": "FAULT", "message": "a fault that was asked for"});
    for (kind, value, status, details) in [
        ("status", json!(503), 503, Some(&details)),
        ("status", json!(401), 502, None),
        ("drop", Value::Null, 502, None),
        ("body", json!("[]"), 502, None),
    ] {
        system.set_network_fault("GET /v1/cards/QR-500", kind, value.clone()).await;
        let response = caller.get("/api/bff/cards/QR-500").await;
        let error = json!({"message": "The card could not be looked up.", "details": details});
        assert_eq!(response.reply(), (status, json!({"ok": false, "error": error})), "{kind} {value}");
    }
}

#[tokio::test]
async fn a_merchant_creates_at_most_1000_stores() {
    let (system, admin) = System::signed_in("u-admin").await;
    let had = admin.get(STORES).await.list("/data/retailStores").len();
    let stores: Vec<Value> = (had..999).map(|id| json!({"merchantId": "1001", "externalId": format!("s-{id}")})).collect();
    system.load_fixtures(&json!({"cardNetwork": {"stores": stores}})).await;
    // The thousandth, and one too many, at the same time.
    let named = |id: &str| json!({"name": "One more", "externalId": id});
    let (one, other) = (named("one"), named("other"));
    let (first, second) = tokio::join!(admin.post(STORE, &one), admin.post(STORE, &other));
    assert_eq!(outcomes([&first, &second]), [(200, ""), (409, "STORE_LIMIT")]);
    assert_eq!(admin.put(STORE, &json!({"externalId": "s-998", "name": "Another name"})).await.status, 200);
}
