//! Retail stores and the look-up of gift cards: what the card network has, and how it fails.

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Caller, System};

const STORES: &str = "/api/bff/merchant-stores";
const STORE: &str = "/api/bff/retail-store";

fn nested(message: &str) -> Value {
    json!({"ok": false, "error": {"message": message}})
}

fn bare(message: &str) -> Value {
    json!({"error": message})
}

/// What the network was asked last.
async fn last_call(system: &System) -> Value {
    system.network_calls().await.pop().unwrap()
}

async fn with_text(caller: &Caller<'_>, method: &Method, body: &str) -> Answer {
    Caller::answer(caller.request(method.clone(), STORE).body(body.to_owned())).await
}

#[tokio::test]
async fn every_store_has_the_fields_of_the_api_and_all_that_the_network_says_besides() {
    let system = System::start().await;
    system
        .load(&json!({"cardNetwork": {"stores": [
            {"merchantId": "1001", "externalId": "airport", "name": "Airport", "address1": "Terminal 5", "address2": null,
             "postcode": 19045, "country": "SE", "cashRegisters": 3, "location": {"lat": 59.65, "lng": 17.9186},
             "tags": ["late"], "status": "NOT_ACTIVE"},
            {"merchantId": "1001", "externalId": "odd", "city": ["Solna"], "country": false, "cashRegisters": "two"},
        ]}}))
        .await;
    assert_json_snapshot!("stores", system.user("u-viewer").await.get(STORES).await);
}

#[tokio::test]
async fn a_merchant_whose_stores_cannot_be_had_has_none() {
    let system = System::start().await;
    let bare = system.user("u-bare").await.get(STORES).await;
    let none = json!({"ok": true, "data": {"merchantId": "m-bare", "retailStores": []}});
    assert_eq!((bare.status, bare.body), (200, none));
    assert!(system.network_calls().await.is_empty());

    let caller = system.user("u-admin").await;
    let none = json!({"ok": true, "data": {"merchantId": "m-aurora", "retailStores": []}});
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
        system.network_fault("GET /v1/merchants/1001/stores", kind, value.clone()).await;
        let answer = caller.get(STORES).await;
        assert_eq!((answer.status, &answer.body), (200, &none), "{kind} {value}");
    }
}

#[tokio::test]
async fn a_network_that_fails_once_is_asked_for_the_stores_again() {
    let system = System::start().await;
    system
        .faults(json!([{"target": "card-network", "match": "*", "kind": "status", "value": 503, "times": 1}]))
        .await;
    let stores = system.user("u-admin").await.get(STORES).await;
    assert_eq!(stores.at("/data/retailStores/0/externalId"), "main");
}

#[tokio::test]
async fn a_store_is_opened_with_what_was_sent_and_the_networks_reply_is_passed_on() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let sent = json!({"name": "North", "address1": "Norrgatan 1", "address2": "c/o Ek", "city": "Kiruna", "postcode": "981 31",
                      "country": "SE", "externalId": "north", "unknown": true, "status": "Closed"});
    let opened = caller.post(STORE, &sent).await;
    assert_json_snapshot!("store_opened", opened);
    let call = last_call(&system).await;
    assert_eq!((&call["method"], &call["path"]), (&json!("POST"), &json!("/v1/merchants/1001/stores")));
    assert_json_snapshot!("what_a_new_store_sends", call["body"]);
    let stores = caller.get(STORES).await;
    let listed = stores.at("/data/retailStores").as_array().unwrap();
    assert!(
        listed.iter().any(|store| store["externalId"] == "north" && store["city"] == "Kiruna"),
        "{stores:?}"
    );
}

#[tokio::test]
async fn country_and_id_of_a_new_store_have_defaults() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for body in [json!({}), json!({"country": null, "externalId": null}), json!({"externalId": "  "})] {
        let opened = caller.post(STORE, &body).await;
        assert_eq!(opened.status, 200, "{opened:?}");
        assert_eq!(opened.at("/data/country"), "US");
        let id = opened.text("/data/externalId");
        let time = id.strip_prefix("m-aurora-").unwrap();
        assert!(time.len() >= 13 && time.bytes().all(|digit| digit.is_ascii_digit()), "{id}");
        assert_eq!(opened.text("/data/merchantId"), "1001");
    }
}

#[tokio::test]
async fn a_store_is_changed_in_what_was_sent_and_keeps_the_rest() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let changed =
        caller.put(STORE, &json!({"externalId": "main", "city": "Uppsala", "postcode": "753 20"})).await;
    assert_json_snapshot!("store_changed", changed);
    let call = last_call(&system).await;
    assert_eq!((&call["method"], &call["path"]), (&json!("PUT"), &json!("/v1/merchants/1001/stores/main")));
    assert_eq!(call["body"], json!({"externalId": "main", "city": "Uppsala", "postcode": "753 20"}));
}

#[tokio::test]
async fn active_is_active_and_every_other_status_is_not() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for (sent, upstream) in [
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
        assert_eq!((changed.status, changed.at("/data/status")), (200, &json!(upstream)), "{sent}");
    }
    for unsaid in [json!({"externalId": "main"}), json!({"externalId": "main", "status": null})] {
        let changed = caller.put(STORE, &unsaid).await;
        assert_eq!(changed.at("/data/status"), "NOT_ACTIVE", "stays as it is: {unsaid}");
    }
}

#[tokio::test]
async fn the_id_of_a_store_may_hold_anything() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for id in ["a/b", "100%", "?x=1#y", "Å ö", "..-", "a//b"] {
        let opened = caller.post(STORE, &json!({"externalId": id})).await;
        assert_eq!((opened.status, opened.at("/data/externalId")), (200, &json!(id)), "{opened:?}");
        let changed = caller.put(STORE, &json!({"externalId": id, "name": id})).await;
        assert_eq!((changed.status, changed.at("/data/name")), (200, &json!(id)), "{changed:?}");
    }
    for id in [".", ".."] {
        let changed = caller.put(STORE, &json!({"externalId": id, "name": "Escaped"})).await;
        assert_eq!(changed.status, 404, "{changed:?}");
    }
    let number = caller.post(STORE, &json!({"externalId": 12})).await;
    assert_eq!(number.at("/data/externalId"), "12");
    assert_eq!(caller.put(STORE, &json!({"externalId": 12})).await.status, 200);
}

#[tokio::test]
async fn a_store_of_another_merchant_looks_like_one_that_does_not_exist() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let unknown = caller.put(STORE, &json!({"externalId": "nowhere", "name": "Mine"})).await;
    let foreign = caller.put(STORE, &json!({"externalId": "rival-main", "name": "Mine"})).await;
    assert_json_snapshot!("store_unknown", unknown);
    assert_eq!(foreign.whole(), unknown.whole());
    let rival = system.user("u-rival").await.get(STORES).await;
    assert_eq!(rival.at("/data/retailStores/0/name"), "Rival street");
    assert_eq!(rival.at("/data/retailStores/1"), &Value::Null);
}

#[tokio::test]
async fn a_store_that_cannot_be_written_is_refused_before_the_network_is_asked() {
    let system = System::start().await;
    let (caller, without_account) = (system.user("u-admin").await, system.user("u-bare").await);
    let (post, put) = (Method::POST, Method::PUT);
    let no_account = "Your merchant has no account at the card network.";
    for (caller, method, body, message) in [
        (&caller, &put, r#"{"name": "No id"}"#, "externalId: is missing."),
        (&caller, &put, r#"{"externalId": null}"#, "externalId: is missing."),
        (&caller, &put, r#"{"externalId": " "}"#, "externalId: is missing."),
        (&caller, &put, r#"{"externalId": {}}"#, "externalId: must be a string or a number"),
        (&caller, &post, r#"{"externalId": [1]}"#, "externalId: must be a string or a number"),
        (&caller, &post, "[]", "The body is not a JSON object."),
        (&caller, &put, "", "The body is not a JSON object."),
        (&caller, &post, "{\"name\": ", "The body is not valid JSON."),
        (&without_account, &post, r#"{"name": "Shop"}"#, no_account),
        (&without_account, &put, r#"{"externalId": "main"}"#, no_account),
        (&without_account, &put, "{}", no_account),
    ] {
        let refused = with_text(caller, method, body).await;
        assert_eq!((refused.status, &refused.body), (400, &bare(message)), "{method} {body}");
    }
    assert!(system.network_calls().await.is_empty());
}

#[tokio::test]
async fn what_the_network_answers_to_a_store_is_passed_on() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
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
        system.network_fault("*", kind, value.clone()).await;
        for (method, message) in [
            (Method::POST, "The store could not be created."),
            (Method::PUT, "The store could not be changed."),
        ] {
            let answer = with_text(&caller, &method, r#"{"externalId": "main"}"#).await;
            let mut expected = bare(message);
            expected["details"] = details.cloned().unwrap_or_default();
            assert_eq!((answer.status, &answer.body), (status, &expected), "{method} {kind} {value}");
        }
    }
}

#[tokio::test]
async fn a_store_whose_fields_have_escaped_names_is_a_store() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    system.network_fault("POST *", "body", json!(r#"{"\u00e5": 1}"#)).await;
    let opened = caller.post(STORE, &json!({})).await;
    assert_eq!((opened.status, opened.at("/data")), (200, &json!({"å": 1})));
}

#[tokio::test]
async fn a_store_is_sent_once_however_the_network_fails() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    for kind in ["status", "drop", "after"] {
        let before = system.network_calls().await.len();
        system.network_fault("POST *", kind, json!(503)).await;
        caller.post(STORE, &json!({"externalId": format!("once-{kind}")})).await;
        assert_eq!(system.network_calls().await.len(), before + 1, "{kind}");
    }
}

#[tokio::test]
async fn a_network_that_never_answers_is_a_timeout_of_the_gateway() {
    let system = System::start().await;
    system.network_fault("*", "timeout", Value::Null).await;
    let caller = system.user("u-admin").await;
    let (opened, listed, card) = tokio::join!(
        async { caller.post(STORE, &json!({})).await },
        async { caller.get(STORES).await },
        async { caller.get("/api/bff/cards/QR-500").await },
    );
    let unopened = json!({"error": "The store could not be created.", "details": null});
    assert_eq!((opened.status, opened.body), (504, unopened));
    assert_eq!((listed.status, listed.at("/data/retailStores")), (200, &json!([])));
    let unseen = json!({"message": "The card could not be looked up.", "details": null});
    assert_eq!((card.status, card.body), (504, json!({"ok": false, "error": unseen})));
}

#[tokio::test]
async fn a_card_is_looked_up_here_as_it_is_at_the_till() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let looked_up = caller.get("/api/bff/cards/QR-SOLD").await;
    assert_json_snapshot!("card", looked_up);
    for code in ["QR-SOLD", "QR-BLOCKED", "QR-OLD", "QR-NONE", "QR-RIVAL", "QR%2FX", "Å%3F"] {
        let here = caller.get(&format!("/api/bff/cards/{code}")).await;
        let at_the_till = caller.get(&format!("/api/bff/pos/card/{code}")).await;
        assert_eq!(here.whole(), at_the_till.whole(), "{code}");
    }
}

#[tokio::test]
async fn a_card_of_another_merchant_looks_like_one_that_does_not_exist() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    let unknown = caller.get("/api/bff/cards/QR-NONE").await;
    assert_json_snapshot!("card_unknown", unknown);
    let foreign = caller.get("/api/bff/cards/QR-RIVAL").await;
    assert_eq!(foreign.whole(), unknown.whole());
    assert_eq!(
        caller.get("/api/bff/cards/QR-OLD").await.status,
        200,
        "a record that names no merchant is allowed"
    );
}

#[tokio::test]
async fn a_card_that_cannot_be_looked_up_says_why() {
    let system = System::start().await;
    let (caller, without_account) = (system.user("u-admin").await, system.user("u-bare").await);
    for (answer, message) in [
        (caller.get("/api/bff/cards/").await, "qr: is missing."),
        (caller.get("/api/bff/cards/%20").await, "qr: is missing."),
        (
            without_account.get("/api/bff/cards/QR-500").await,
            "Your merchant has no account at the card network.",
        ),
    ] {
        assert_eq!((answer.status, answer.body), (400, nested(message)));
    }
    let details = json!({"code": "FAULT", "message": "a fault that was asked for"});
    for (kind, value, status, details) in [
        ("status", json!(503), 503, Some(&details)),
        ("status", json!(401), 502, None),
        ("drop", Value::Null, 502, None),
        ("body", json!("[]"), 502, None),
    ] {
        system.network_fault("GET /v1/cards/QR-500", kind, value.clone()).await;
        let answer = caller.get("/api/bff/cards/QR-500").await;
        let mut expected = nested("The card could not be looked up.");
        expected["error"]["details"] = details.cloned().unwrap_or_default();
        assert_eq!((answer.status, &answer.body), (status, &expected), "{kind} {value}");
    }
}

#[tokio::test]
async fn a_caller_who_may_not_is_told_why() {
    let system = System::start().await;
    let (stranger, nobody, till, viewer) = (
        system.anonymous(),
        system.user("u-nobody").await,
        system.user("u-till").await,
        system.user("u-viewer").await,
    );
    let calls = [
        (Method::GET, STORES),
        (Method::POST, STORE),
        (Method::PUT, STORE),
        (Method::GET, "/api/bff/cards/QR-500"),
    ];
    for (caller, status, message) in [
        (&stranger, 401, "Sign in to do this."),
        (&nobody, 404, "Your account is not linked to a merchant."),
        (&till, 403, "You do not have permission to do this."),
    ] {
        for (method, path) in &calls {
            let answer = caller.send(method.clone(), path, None).await;
            assert_eq!((answer.status, &answer.body), (status, &nested(message)), "{method} {path}");
        }
    }
    let refused = viewer.post(STORE, &json!({})).await;
    assert_eq!((refused.status, refused.body), (403, nested("You do not have permission to do this.")));
}

#[tokio::test]
async fn a_table_that_fails_is_said_in_the_shape_of_the_route() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    system
        .faults(json!([{"target": "dynamodb", "match": "BatchGetItem", "kind": "status", "times": "always", "value": 500}]))
        .await;
    let message = "Something went wrong. Please try again.";
    for (answer, body) in [
        (caller.post(STORE, &json!({})).await, bare(message)),
        (caller.put(STORE, &json!({"externalId": "main"})).await, bare(message)),
        (caller.get(STORES).await, nested(message)),
        (caller.get("/api/bff/cards/QR-500").await, nested(message)),
    ] {
        assert_eq!((answer.status, answer.body), (500, body));
    }
}
