//! Offers: listed, made, changed, put on sale and taken off it, and their images.

use insta::assert_json_snapshot;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::{Answer, Caller, System};

const OFFERS: &str = "/api/bff/offers";
const MEDIA: &str = "/api/bff/offers/media";

fn one(id: &str) -> String {
    format!("{OFFERS}/{id}")
}

fn status_of(id: &str) -> String {
    format!("{OFFERS}/{id}/status")
}

/// Reads, changes and hides one offer: every route that takes an id.
async fn every_way(caller: &Caller<'_>, id: &str) -> [Answer; 3] {
    [
        caller.get(&one(id)).await,
        caller.put(&one(id), &json!({"name": "Mine now"})).await,
        caller.patch(&status_of(id), &json!({"status": "HIDDEN"})).await,
    ]
}

fn refusal(message: &str) -> Value {
    json!({"ok": false, "error": {"message": message}})
}

/// The answer as it was written, to the last digit.
async fn exactly(request: RequestBuilder) -> String {
    request.send().await.unwrap().text().await.unwrap()
}

/// How often the card network was called so.
async fn calls(system: &System, method: &str, path: &str) -> usize {
    let calls = system.network_calls().await;
    calls.iter().filter(|call| call["method"] == method && call["path"] == path).count()
}

#[tokio::test]
async fn an_offer_is_made_found_changed_and_taken_off_sale() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let body = json!({
        "name": "Summer card", "description": "For the garden", "giftCardOfferType": "GIFTCARD_DIGITAL", "usage": "WEB_AND_POS",
        "type": "DIGITAL", "defaultPrice": 250.5, "minPrice": 50, "maxPrice": 5000, "priceLocked": true, "unlimited": false,
        "availableForPurchaseTime": "2026-06-01T00:00:00Z", "expireForPurchaseTime": "2026-09-01T00:00:00Z",
        "numberOfDaysCardIsValidFromPurchaseTime": 365, "denominations": [100, 250.5], "currency": "SEK",
        "giftCardDesign": [{"urlImage": "https://portal.example/summer.png"}],
    });
    let made = office.post(OFFERS, &body).await;
    assert_json_snapshot!("offer_made", made);

    let id = made.text("/data/id");
    assert_eq!(office.get(&one(&id)).await.whole(), made.whole());

    let changed =
        office.put(&one(&id), &json!({"name": "Autumn card", "description": null, "maxPrice": 6000})).await;
    assert_json_snapshot!("offer_changed", changed);
    assert_eq!(office.get(&one(&id)).await.whole(), changed.whole());

    let hidden = office.patch(&status_of(&id), &json!({"status": "HIDDEN"})).await;
    let mut expected = changed.body.clone();
    expected["data"]["status"] = json!("HIDDEN");
    expected["data"]["raw"]["giftCardOfferStatus"] = json!("HIDDEN");
    assert_eq!((hidden.status, &hidden.body), (200, &expected));

    let listed = office.get(OFFERS).await;
    let items = listed.at("/data/items").as_array().unwrap();
    assert_eq!((items.len(), items.last()), (7, Some(hidden.at("/data"))));
}

#[tokio::test]
async fn the_list_has_the_merchants_own_offers_in_the_same_words() {
    let system = System::start().await;
    assert_json_snapshot!("offers_listed", system.user("u-viewer").await.get(OFFERS).await);
}

#[tokio::test]
async fn older_spellings_of_the_network_read_like_its_newest() {
    let system = System::start().await;
    let office = system.user("u-dinar").await;
    for (id, fields, field, expected) in [
        (811, json!({"defaultPrice": 25.5}), "defaultPrice", json!(25.5)),
        (812, json!({"default_price": "25.50"}), "defaultPrice", json!(25.5)),
        (813, json!({"faceValue": 25}), "defaultPrice", json!(25)),
        (814, json!({"defaultPrice": null, "faceValue": 25}), "defaultPrice", json!(25)),
        (815, json!({"defaultPrice": 0, "faceValue": 25}), "defaultPrice", json!(0)),
        (816, json!({"defaultPrice": "ask", "default_price": true}), "defaultPrice", Value::Null),
        (817, json!({"minPrice": "5"}), "min", json!(5)),
        (818, json!({"min": 5}), "min", json!(5)),
        (819, json!({"min_price": 5}), "min", json!(5)),
        (820, json!({"maxPrice": 50}), "max", json!(50)),
        (821, json!({"max": "50.0"}), "max", json!(50)),
        (822, json!({"max_price": 50}), "max", json!(50)),
        (823, json!({"denominations": "10, 25.5"}), "denominations", json!([10, 25.5])),
        (824, json!({"denominations": ["10", null, 25.5]}), "denominations", json!([10, 25.5])),
        (825, json!({"priceLocked": "true"}), "priceLocked", json!(true)),
        (826, json!({"priceLocked": null}), "priceLocked", json!(false)),
        (827, json!({"status": "HIDDEN"}), "status", json!("HIDDEN")),
        (828, json!({"giftCardOfferStatus": "EXPIRED", "status": "HIDDEN"}), "status", json!("EXPIRED")),
        (
            829,
            json!({"numberOfDaysCardIsValidFromPurchaseTime": "30"}),
            "numberOfDaysCardIsValidFromPurchaseTime",
            json!(30),
        ),
        (830, json!({"currency": "EUR"}), "currency", json!("EUR")),
        (831, json!({"currency": ""}), "currency", json!("KWD")),
        (832, json!({}), "currency", json!("KWD")),
    ] {
        let mut offer = fields.clone();
        offer["id"] = json!(id);
        offer["merchantId"] = json!("1004");
        system.load(&json!({"cardNetwork": {"offers": [offer]}})).await;
        let found = office.get(&one(&id.to_string())).await;
        assert_eq!((found.status, &found.body["data"][field]), (200, &expected), "{fields}");
        assert_eq!((found.text("/data/id"), found.at("/data/raw")), (id.to_string(), &offer), "{fields}");
    }
}

#[tokio::test]
async fn whoever_may_not_is_told_why() {
    let system = System::start().await;
    let (nobody, viewer) = (system.user("u-nobody").await, system.user("u-viewer").await);
    let till = system.user("u-till").await;
    let (signed_out, unlinked, denied) = (
        refusal("Sign in to do this."),
        refusal("Your account is not linked to a merchant."),
        refusal("You do not have permission to do this."),
    );
    for (method, path) in [
        (Method::GET, OFFERS),
        (Method::POST, OFFERS),
        (Method::GET, "/api/bff/offers/501"),
        (Method::PUT, "/api/bff/offers/501"),
        (Method::PATCH, "/api/bff/offers/501/status"),
        (Method::POST, MEDIA),
        // Nobody learns what is wrong with a request, or what exists, before being admitted.
        (Method::PUT, "/api/bff/offers/%20"),
        (Method::PATCH, "/api/bff/offers/999/status"),
    ] {
        let wrong = json!({"surprise": true});
        let body = (method != Method::GET).then_some(&wrong);
        let writer_only = if method == Method::GET { &till } else { &viewer };
        for (caller, status, expected) in [
            (&system.anonymous(), 401, &signed_out),
            (&nobody, 404, &unlinked),
            (&till, 403, &denied),
            (writer_only, 403, &denied),
        ] {
            let refused = caller.send(method.clone(), path, body).await;
            assert_eq!((refused.status, &refused.body), (status, expected), "{method} {path}");
        }
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn an_offer_of_another_merchant_is_as_if_it_did_not_exist() {
    let system = System::start().await;
    let (office, rival) = (system.user("u-admin").await, system.user("u-rival").await);
    let before = rival.get(OFFERS).await;

    let foreign = every_way(&office, "601").await;
    for (foreign, unknown) in foreign.iter().zip(&every_way(&office, "999").await) {
        assert_eq!(foreign.whole(), unknown.whole());
        assert_eq!((foreign.status, &foreign.body), (404, &refusal("There is no such offer.")));
    }
    // The offer of an account that is nobody's here, and one of a merchant without an account.
    for answer in every_way(&system.user("u-bare").await, "501").await {
        assert_eq!(answer.whole(), foreign[0].whole());
    }

    for ids in [
        json!({"merchantId": "1002"}),
        json!({"merchantId": "m-rival"}),
        json!({"id": 601}),
        json!({"giftCardOfferId": 601, "id": 601, "merchantId": "1002"}),
        json!({"giftCardOfferId": 999, "id": 999, "merchantId": "nobody"}),
    ] {
        let unchanged = office.get("/api/bff/offers/501").await;
        assert_eq!(office.put("/api/bff/offers/501", &ids).await.whole(), unchanged.whole(), "{ids}");
        let made = office.post(OFFERS, &ids).await;
        assert_eq!((made.status, made.at("/data/raw/merchantId")), (200, &json!("1001")), "{ids}");
        assert!(made.text("/data/id").parse::<u64>().unwrap() > 1000, "{made:?}");
    }
    assert_eq!(rival.get(OFFERS).await.whole(), before.whole());
}

#[tokio::test]
async fn a_change_keeps_what_it_does_not_name_to_the_last_digit() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let offer = r#"{"giftCardOfferId": 550, "merchantId": "1001", "name": "Exact", "minPrice": 0.10,
        "odd": 0.10000000000000000000001, "big": 12345678901234567890123, "deep": {"b": 1.50, "a": [1e2, null]}, "nothing": null}"#;
    let document = format!(r#"{{"cardNetwork": {{"offers": [{offer}]}}}}"#);
    assert_eq!(system.anonymous().post_text("/__local/fixtures", &document).await.status, 200);

    let change = office.request(Method::PUT, "/api/bff/offers/550");
    let changed =
        exactly(change.body(r#"{"maxPrice": 5000.100000000000000000001, "name": "Exactly"}"#)).await;
    assert_eq!(
        changed.split_once(r#""raw":"#).unwrap().1,
        r#"{"big":12345678901234567890123,"deep":{"b": 1.50, "a": [1e2, null]},"giftCardOfferId":550,"maxPrice":5000.100000000000000000001,"merchantId":"1001","minPrice":0.10,"name":"Exactly","nothing":null,"odd":0.10000000000000000000001}}}"#
    );
    assert!(changed.contains(r#""min":0.1,"max":5000.100000000000000000001,"#), "{changed}");
    assert_eq!(exactly(office.request(Method::GET, "/api/bff/offers/550")).await, changed);

    let hidden =
        exactly(office.request(Method::PATCH, "/api/bff/offers/550/status").body(r#"{"status": "HIDDEN"}"#))
            .await;
    let raw = changed.split_once(r#""raw":"#).unwrap().1;
    let raw_hidden = raw.replace(r#""maxPrice""#, r#""giftCardOfferStatus":"HIDDEN","maxPrice""#);
    assert_eq!(hidden.split_once(r#""raw":"#).unwrap().1, raw_hidden);

    let made = office
        .request(Method::POST, OFFERS)
        .body(r#"{"defaultPrice": 0.10000000000000000000001, "odd": 1.50}"#);
    let made = exactly(made).await;
    assert!(made.contains(r#""defaultPrice":0.10000000000000000000001,"#), "{made}");
    assert!(made.contains(r#""odd":1.50}"#), "{made}");
}

#[tokio::test]
async fn an_offer_in_an_older_spelling_can_be_changed() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let changed = office
        .put("/api/bff/offers/506", &json!({"defaultPrice": 120, "giftCardOfferStatus": "EXPIRED"}))
        .await;
    assert_eq!(
        (changed.at("/data/defaultPrice"), changed.at("/data/status")),
        (&json!(120), &json!("EXPIRED"))
    );
    let hidden = office.patch("/api/bff/offers/506/status", &json!({"status": "HIDDEN"})).await;
    assert_eq!((hidden.text("/data/id"), hidden.at("/data/status")), ("506".to_owned(), &json!("HIDDEN")));
    assert_eq!(office.get("/api/bff/offers/506").await.whole(), hidden.whole());
}

#[tokio::test]
async fn a_change_that_is_wrong_names_its_field_and_changes_nothing() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let before = office.get("/api/bff/offers/501").await;
    let calls_before = system.network_calls().await.len();

    let texts = [
        "name",
        "description",
        "giftCardOfferStatus",
        "usage",
        "type",
        "urlGiftcardResource",
        "availableForPurchaseTime",
        "expireForPurchaseTime",
        "currency",
        "merchantId",
    ];
    let numbers = [
        "defaultPrice",
        "minPrice",
        "maxPrice",
        "numberOfDaysCardIsValidFromPurchaseTime",
        "id",
        "giftCardOfferId",
    ];
    let mut bodies = Vec::new();
    bodies.extend(texts.map(|field| (field, vec!["1", "true", "[]", "{}"])));
    bodies.extend(numbers.map(|field| (field, vec!["\"1\"", "true", "[]", "{}", "null", "1e999"])));
    bodies.extend(["priceLocked", "unlimited"].map(|field| (field, vec!["\"true\"", "1", "null"])));
    bodies
        .extend(texts.into_iter().filter(|field| *field != "description").map(|field| (field, vec!["null"])));
    bodies.push(("name", vec!["\"\""]));
    bodies.push(("giftCardDesign", vec!["null", "{}", "\"x\"", "[\"x\"]", "[[]]", "[null]"]));
    bodies.push(("denominations", vec!["null", "10", "\"10\"", "[\"10\"]", "[null]"]));
    for unknown in ["status", "faceValue", "default_price", "min", "Name", "raw", ""] {
        bodies.push((unknown, vec!["1", "null"]));
    }
    for (field, values) in bodies {
        for value in values {
            let body = format!(r#"{{"{field}": {value}}}"#);
            let refused =
                Caller::answer(office.request(Method::PUT, "/api/bff/offers/501").body(body.clone())).await;
            assert_eq!((refused.status, refused.at("/ok")), (400, &json!(false)), "{body}: {refused:?}");
            assert!(refused.text("/error/message").starts_with(field), "{body}: {refused:?}");
            assert_eq!(refused.at("/error/details"), &Value::Null);
        }
    }
    for (body, message) in [
        ("", "The body is not a JSON object."),
        ("[]", "The body is not a JSON object."),
        ("null", "The body is not a JSON object."),
        ("{", "The body is not valid JSON."),
        ("{} {}", "The body is not valid JSON."),
    ] {
        let refused = Caller::answer(office.request(Method::PUT, "/api/bff/offers/501").body(body)).await;
        assert_eq!((refused.status, &refused.body), (400, &refusal(message)), "{body}");
    }
    assert_eq!(system.network_calls().await.len(), calls_before);
    assert_eq!(office.get("/api/bff/offers/501").await.whole(), before.whole());
}

#[tokio::test]
async fn every_field_of_a_change_arrives_and_none_is_needed() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let before = office.get("/api/bff/offers/503").await;
    assert_eq!(office.put("/api/bff/offers/503", &json!({})).await.whole(), before.whole());

    let whole = json!({
        "name": "N", "description": "", "giftCardOfferStatus": "ARCHIVED", "usage": "", "type": "t", "urlGiftcardResource": "u",
        "defaultPrice": 0, "minPrice": 1.5, "maxPrice": -1, "numberOfDaysCardIsValidFromPurchaseTime": 30, "priceLocked": false,
        "unlimited": true, "availableForPurchaseTime": "a", "expireForPurchaseTime": "b", "giftCardDesign": [{}, {"urlImage": 1}],
        "denominations": [], "currency": "EUR", "id": 1, "giftCardOfferId": 2, "merchantId": "3",
    });
    let changed = office.put("/api/bff/offers/503", &whole).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let raw = changed.at("/data/raw");
    for (field, value) in whole.as_object().unwrap() {
        let fixed = ["id", "giftCardOfferId", "merchantId"].contains(&field.as_str());
        let expected = if fixed { &before.at("/data/raw")[field] } else { value };
        assert_eq!(&raw[field], expected, "{field}");
    }
    assert_eq!(changed.text("/data/id"), "503");
}

#[tokio::test]
async fn any_of_the_six_statuses_may_follow_any_other_and_no_seventh() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let statuses = ["AVAILABLE", "HIDDEN", "AWAITING_APPROVAL", "CANCELED", "EXPIRED", "ARCHIVED"];
    for status in statuses.iter().chain(statuses.iter().rev()) {
        let changed = office.patch("/api/bff/offers/504/status", &json!({"status": status})).await;
        assert_eq!((changed.status, changed.at("/data/status")), (200, &json!(status)));
        assert_eq!(office.get("/api/bff/offers/504").await.whole(), changed.whole());
    }
    let before = office.get("/api/bff/offers/504").await;
    for (body, message) in [
        (json!({}), "status: is missing."),
        (json!({"status": null}), "status: invalid type: null, expected a string"),
        (json!({"status": 1}), "status: invalid type: integer `1`, expected a string"),
        (json!({"status": ["HIDDEN"]}), "status: invalid type: sequence, expected a string"),
        (json!({"status": "HIDDEN", "name": "A"}), "name: unknown field `name`, expected `status`"),
        (json!([{"status": "HIDDEN"}]), "The body is not a JSON object."),
    ] {
        let refused = office.patch("/api/bff/offers/504/status", &body).await;
        assert_eq!((refused.status, &refused.body), (400, &refusal(message)), "{body}");
    }
    for status in ["", "hidden", "CANCELLED", " HIDDEN", "DELETED"] {
        let refused = office.patch("/api/bff/offers/504/status", &json!({"status": status})).await;
        assert_eq!(refused.status, 400, "{status}: {refused:?}");
        assert!(refused.text("/error/message").starts_with("status: unknown variant"), "{refused:?}");
    }
    assert_eq!(office.get("/api/bff/offers/504").await.whole(), before.whole());
}

#[tokio::test]
async fn whatever_object_is_sent_becomes_an_offer_and_nothing_else_does() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    for body in
        ["{}", r#" {"name": 5, "unheard": {"of": [1]}} "#, r#"{"merchantId": null, "defaultPrice": "many"}"#]
    {
        let made = office.post_text(OFFERS, body).await;
        assert_eq!((made.status, made.at("/data/raw/merchantId")), (200, &json!("1001")), "{body}: {made:?}");
    }
    let made = system.network_calls().await.len();
    for (body, message) in [
        ("", "The body is not a JSON object."),
        ("[]", "The body is not a JSON object."),
        ("null", "The body is not a JSON object."),
        ("\"name\"", "The body is not a JSON object."),
        ("name=A", "The body is not a JSON object."),
        ("{", "The body is not valid JSON."),
        (r#"{"name": }"#, "The body is not valid JSON."),
        ("{} {}", "The body is not valid JSON."),
    ] {
        let refused = office.post_text(OFFERS, body).await;
        assert_eq!((refused.status, &refused.body), (400, &refusal(message)), "{body}");
    }
    assert_eq!(system.network_calls().await.len(), made);

    for content_type in ["text/plain", "application/octet-stream", "application/x-www-form-urlencoded"] {
        let request = office.request(Method::POST, OFFERS).header("content-type", content_type);
        assert_eq!(Caller::answer(request.body("{}")).await.status, 200, "{content_type}");
    }
}

#[tokio::test]
async fn an_id_is_read_decoded_and_one_that_is_blank_is_missing() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    for id in ["501", "%35%30%31", "5%301"] {
        assert_eq!(office.get(&one(id)).await.at("/data/id"), &json!("501"), "{id}");
    }
    for id in ["", "%20", "%20%20", "%C2%A0"] {
        for answer in every_way(&office, id).await {
            assert_eq!((answer.status, &answer.body), (400, &refusal("id: is missing.")), "{id:?}");
        }
    }
    let long = "5".repeat(3000);
    for id in ["abc", "-501", "501.0", "%20501", "501%20", "501%2C502", "50%2531", "5%0901", "*", &long] {
        for answer in every_way(&office, id).await {
            assert_eq!((answer.status, &answer.body), (404, &refusal("There is no such offer.")), "{id:?}");
        }
    }
}

#[tokio::test]
async fn a_merchant_without_an_account_at_the_network_has_no_offers_and_can_make_none() {
    let system = System::start().await;
    let office = system.user("u-bare").await;
    let none = office.get(OFFERS).await;
    assert_eq!((none.status, &none.body), (200, &json!({"ok": true, "data": {"items": []}})));
    for answer in every_way(&office, "501").await {
        assert_eq!((answer.status, &answer.body), (404, &refusal("There is no such offer.")));
    }
    let refused = office.post(OFFERS, &json!({"name": "New"})).await;
    assert_eq!(
        (refused.status, &refused.body),
        (400, &refusal("Your merchant has no account at the card network."))
    );
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn the_address_of_images_is_no_offer() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let refused = office.send(method.clone(), MEDIA, None).await;
        let expected = refusal("This address does not support the method.");
        assert_eq!((refused.status, &refused.body), (405, &expected), "{method}");
        assert_eq!(refused.header("allow"), Some("POST"));
    }
}

/// What the network does, and the status that a caller is answered with where it is passed on.
fn mishaps() -> Vec<(&'static str, Value, u16)> {
    vec![
        ("status", json!(403), 403),
        ("status", json!(422), 422),
        ("status", json!(429), 429),
        ("status", json!(500), 500),
        ("status", json!(503), 503),
        // Our key was refused, not the caller's session.
        ("status", json!(401), 502),
        ("body", json!("<html>busy</html>"), 502),
        ("body", json!(r#"{"giftCardOfferId": 501, "merch"#), 502),
        ("body", json!(r#"{"merchantId": "1001"}"#), 502),
        ("body", json!(""), 502),
        ("drop", Value::Null, 502),
    ]
}

/// A fault's answer as the caller gets it: what the network said of a refusal is passed on.
fn passed_on(message: &str, kind: &str, value: &Value) -> Value {
    let refuses = kind == "status" && value != &json!(401);
    let said = refuses.then(|| json!({"code": "FAULT", "message": "a fault that was asked for"}));
    let mut body = refusal(message);
    body["error"]["details"] = said.unwrap_or_default();
    body
}

#[tokio::test]
async fn what_the_network_fails_with_is_passed_on() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let change = json!({"name": "New"});
    let hide = json!({"status": "HIDDEN"});
    let cannot = "The card network could not do this with the offer.";
    for (kind, value, status) in mishaps() {
        system.network_fault("GET *", kind, value.clone()).await;
        let list = office.get(OFFERS).await;
        let expected = passed_on("The offers could not be read.", kind, &value);
        assert_eq!((list.status, &list.body), (status, &expected), "{kind} {value}");

        let expected = passed_on(cannot, kind, &value);
        for answer in every_way(&office, "501").await {
            assert_eq!((answer.status, &answer.body), (status, &expected), "reading, {kind} {value}");
        }
        system.network_fault("PUT *", kind, value.clone()).await;
        for answer in [
            office.put("/api/bff/offers/501", &change).await,
            office.patch("/api/bff/offers/501/status", &hide).await,
        ] {
            assert_eq!((answer.status, &answer.body), (status, &expected), "writing, {kind} {value}");
        }
    }
    system.faults(json!([])).await;
    let after = office.get("/api/bff/offers/501").await;
    assert_eq!(
        (after.at("/data/name"), after.at("/data/status")),
        (&json!("Any amount"), &json!("AVAILABLE"))
    );

    for failing in ["GET *", "PUT *"] {
        system.network_fault(failing, "status", json!(404)).await;
        let answer = office.put("/api/bff/offers/501", &change).await;
        assert_eq!((answer.status, &answer.body), (404, &refusal("There is no such offer.")), "{failing}");
    }
}

#[tokio::test]
async fn a_failed_creation_says_no_more_than_whose_fault_it_is() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let not_found = ("status", json!(404), 404);
    let after = ("after", Value::Null, 502);
    for (kind, value, status) in mishaps().into_iter().chain([not_found, after]) {
        system.network_fault("POST /v1/offers", kind, value.clone()).await;
        let refused = office.post(OFFERS, &json!({"name": "New"})).await;
        let message = if status < 500 { "Request failed" } else { "Service unavailable" };
        assert_eq!((refused.status, &refused.body), (status, &refusal(message)), "{kind} {value}");
    }
    system.faults(json!([])).await;
    let sent = calls(&system, "POST", "/v1/offers").await;
    assert_eq!(sent, mishaps().len() + 3, "each once, and once more with the key read again");
}

#[tokio::test]
async fn reads_are_tried_twice_and_writes_once() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let once = |r#match: &str, kind: &str, value: &Value| json!([{"target": "card-network", "match": r#match, "kind": kind, "times": 1, "value": value}]);
    let (list, offer) = ("/v1/merchants/1001/offers", "/v1/offers/501");
    for (kind, value, tries, status) in [
        ("status", json!(500), 2, 200),
        ("status", json!(503), 2, 200),
        ("status", json!(408), 2, 200),
        ("drop", Value::Null, 2, 200),
        ("body", json!("<html>"), 2, 200),
        ("body", json!(""), 2, 200),
        ("status", json!(422), 1, 422),
        ("status", json!(429), 1, 429),
    ] {
        for (path, at_network) in [(OFFERS, list), ("/api/bff/offers/501", offer)] {
            let before = calls(&system, "GET", at_network).await;
            system.faults(once("GET *", kind, &value)).await;
            let answer = office.get(path).await;
            let tried = calls(&system, "GET", at_network).await - before;
            assert_eq!((answer.status, tried), (status, tries), "{path}, {kind} {value}");
        }
    }
    system.network_fault("GET *", "status", json!(503)).await;
    let before = calls(&system, "GET", list).await;
    assert_eq!(office.get(OFFERS).await.status, 503);
    assert_eq!(calls(&system, "GET", list).await - before, 2);

    system.faults(once("P*", "status", &json!(503))).await;
    assert_eq!(office.put("/api/bff/offers/501", &json!({})).await.status, 503);
    system.faults(once("P*", "drop", &Value::Null)).await;
    assert_eq!(office.post(OFFERS, &json!({})).await.status, 502);
    assert_eq!((calls(&system, "PUT", offer).await, calls(&system, "POST", "/v1/offers").await), (1, 1));
}

#[tokio::test]
async fn a_silent_network_is_answered_for() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let silent = |r#match: &str| json!({"target": "card-network", "match": r#match, "kind": "timeout", "times": "always"});
    system.faults(json!([silent("P*"), silent("GET /v1/merchants/*")])).await;
    let body = json!({"name": "New"});
    let (list, made, changed) = tokio::join!(
        office.get(OFFERS),
        office.post(OFFERS, &body),
        office.put("/api/bff/offers/501", &body)
    );
    let unread = passed_on("The offers could not be read.", "timeout", &Value::Null);
    assert_eq!((list.status, &list.body), (504, &unread));
    assert_eq!((made.status, &made.body), (504, &refusal("Service unavailable")));
    let cannot = passed_on("The card network could not do this with the offer.", "timeout", &Value::Null);
    assert_eq!((changed.status, &changed.body), (504, &cannot));
}

#[tokio::test]
async fn nothing_that_the_network_answers_shows_the_offer_of_somebody_else() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let own = json!({"giftCardOfferId": 501, "merchantId": "1001", "name": "Own"});
    let foreign = json!({"giftCardOfferId": 501, "merchantId": "1002", "name": "Foreign"});
    let nobodys = json!({"giftCardOfferId": 501, "name": "Nobody's"});
    for bare in [false, true] {
        let list =
            json!([foreign, null, own, "offer", {"merchantId": "1001", "name": "without an id"}, nobodys]);
        let list = if bare { list } else { json!({"offers": list}) };
        system.network_fault("GET *", "body", json!(list.to_string())).await;
        let listed = office.get(OFFERS).await;
        let items = listed.at("/data/items").as_array().unwrap();
        let names: Vec<&Value> = items.iter().map(|item| &item["name"]).collect();
        assert_eq!((listed.status, names), (200, vec![&json!("Own")]));
    }
    for other in [&foreign, &nobodys] {
        system.network_fault("GET *", "body", json!(other.to_string())).await;
        for answer in every_way(&office, "501").await {
            assert_eq!((answer.status, &answer.body), (404, &refusal("There is no such offer.")));
        }
        system.network_fault("P*", "body", json!(other.to_string())).await;
        let [_, put, patch] = every_way(&office, "501").await;
        let post = office.post(OFFERS, &json!({})).await;
        for answer in [put, patch, post] {
            assert_eq!((answer.status, answer.at("/data")), (502, &Value::Null), "{answer:?}");
        }
    }
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

const BOUNDARY: &str = "a-boundary-of-the-test";

/// One part of a form.
fn part(disposition: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: text/plain\r\n\r\n"
    );
    [head.as_bytes(), content, b"\r\n"].concat()
}

fn file(name: &str, content: &[u8]) -> Vec<u8> {
    part(&format!(r#"name="file"; filename="{name}""#), content)
}

fn form(caller: &Caller<'_>, parts: &[Vec<u8>]) -> RequestBuilder {
    let request = caller.request(Method::POST, MEDIA);
    let body = [parts.concat(), format!("--{BOUNDARY}--\r\n").into_bytes()].concat();
    request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}")).body(body)
}

async fn upload(caller: &Caller<'_>, name: &str, content: &[u8]) -> Answer {
    Caller::answer(form(caller, &[file(name, content)])).await
}

#[tokio::test]
async fn an_image_gets_addresses_at_the_portal_and_at_the_host_that_was_asked() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let request = form(&office, &[part("name=\"title\"", b"Summer"), file("summer card.png", PNG)]);
    let stored = Caller::answer(request.header("host", "dashboard.example:8443")).await;

    let portal = &system.local.listening.api;
    let name = stored.text("/data/fileName");
    let id = name.strip_suffix("-summercard.png").unwrap_or_else(|| panic!("{name}"));
    let parts: Vec<usize> = id.split('-').map(str::len).collect();
    assert!(parts == [8, 4, 4, 4, 12] && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-'), "{id}");
    let path = format!("/api/public/gift-card-image?key=public%2Fgift-cards%2Fdesigns%2F{name}");
    let expected = json!({"ok": true, "data": {
        "urlResource": format!("{portal}{path}"),
        "urlImage": format!("{portal}{path}"),
        "previewUrl": format!("http://dashboard.example:8443{path}"),
        "key": format!("public/gift-cards/designs/{name}"),
        "fileName": name,
    }});
    assert_eq!((stored.status, &stored.body), (200, &expected));

    let again = upload(&office, "summer card.png", PNG).await;
    assert_ne!(again.at("/data/key"), stored.at("/data/key"), "an upload never replaces another");
    let bare = upload(&system.user("u-bare").await, "a.png", PNG).await;
    assert_eq!(bare.status, 200, "images need no account at the card network: {bare:?}");
}

#[tokio::test]
async fn an_image_is_told_by_its_content_alone_and_shown_as_what_it_is() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    for (content, content_type) in [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "image/jpeg"),
        (b"GIF89a\x01\0\x01\0", "image/gif"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "image/webp"),
    ] {
        let stored = upload(&office, "document.pdf", content).await;
        assert_eq!(stored.status, 200, "{content_type}: {stored:?}");
        let address = stored.text("/data/previewUrl");
        let path = address.strip_prefix(&system.local.listening.api).unwrap();
        let shown = system.anonymous().request(Method::GET, path).send().await.unwrap();
        let shown_type = shown.headers()["content-type"].to_str().unwrap();
        assert_eq!((shown.status().as_u16(), shown_type), (200, content_type));
        assert_eq!(shown.bytes().await.unwrap(), content, "{content_type}");
    }
    let wrong = refusal("file: must be a PNG, JPEG, GIF or WebP image.");
    for content in [
        &b"%PDF-1.7\n"[..],
        b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
        b"<!doctype html><script>alert(1)</script>",
        b"BM\x46\0\0\0\0\0\0\0",
        b"II*\0\x08\0\0\0",
        b"RIFF\x24\0\0\0WAVEfmt ",
        b"PK\x03\x04",
        b" \x89PNG\r\n\x1a\n",
        b"\x89PN",
        b"\0",
    ] {
        let refused = upload(&office, "image.png", content).await;
        assert_eq!((refused.status, &refused.body), (415, &wrong), "{content:?}");
    }
}

#[tokio::test]
async fn an_image_has_at_most_four_mebibytes() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let most = 4 * 1024 * 1024;
    let mut image = PNG.to_vec();
    for (bytes, status) in [(most - 1, 200), (most, 200), (most + 1, 413), (most + 1024 * 1024, 413)] {
        image.resize(bytes, 0);
        let answer = upload(&office, "large.png", &image).await;
        assert_eq!(answer.status, status, "{bytes}: {answer:?}");
        if status == 413 {
            assert_eq!((answer.at("/ok"), answer.at("/error/message").is_string()), (&json!(false), true));
        }
    }
}

#[tokio::test]
async fn a_form_without_a_file_is_refused() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let missing = "file: is missing.";
    for (parts, message) in [
        (vec![], missing),
        (vec![part("name=\"file\"", PNG)], missing),
        (vec![part("name=\"image\"; filename=\"a.png\"", PNG)], missing),
        (vec![part("name=\"File\"; filename=\"a.png\"", PNG)], missing),
        (vec![file("a.png", b"")], "file: is empty."),
        (vec![file("", b"")], "file: is empty."),
    ] {
        let refused = Caller::answer(form(&office, &parts)).await;
        assert_eq!((refused.status, &refused.body), (400, &refusal(message)), "{parts:?}");
    }
    let first = Caller::answer(form(&office, &[file("a.png", PNG), file("b.png", b"text")])).await;
    assert!(first.text("/data/fileName").ends_with("-a.png"), "the first file counts: {first:?}");

    let no_form = "file: send it as multipart/form-data.";
    let cut = file("a.png", PNG);
    for (content_type, body, message) in [
        (None, PNG, no_form),
        (Some("application/json"), b"{}", no_form),
        (Some("image/png"), PNG, no_form),
        (Some("multipart/mixed; boundary=x"), b"--x--", no_form),
        (Some("multipart/form-data"), b"--x--", no_form),
        (Some("multipart/form-data; boundary=x"), b"", "The body is not a valid multipart form."),
        (Some("multipart/form-data; boundary=x"), b"no parts", "The body is not a valid multipart form."),
        (
            Some("multipart/form-data; boundary=a-boundary-of-the-test"),
            &cut,
            "The body is not a valid multipart form.",
        ),
    ] {
        let request = office.request(Method::POST, MEDIA).body(body.to_vec());
        let request = match content_type {
            Some(content_type) => request.header("content-type", content_type),
            None => request,
        };
        let refused = Caller::answer(request).await;
        assert_eq!((refused.status, &refused.body), (400, &refusal(message)), "{content_type:?}");
    }
}

#[tokio::test]
async fn a_file_name_keeps_what_is_safe_and_cannot_leave_its_folder() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let (stem, long_extension) = ("a".repeat(56), "e".repeat(100));
    for (name, kept) in [
        ("Logo_1-b.PNG", "Logo_1-b.PNG"),
        ("summer card (1).png", "summercard1.png"),
        ("../../../secrets.png", "secrets.png"),
        (r"C:\\images\\card.png", "card.png"),
        ("..%2f..%2fcard.png", "2f..2fcard.png"),
        (".htaccess", "file.htaccess"),
        ("åäö.png", "file.png"),
        ("åäö", "file"),
        ("..", "file"),
        ("a&key=public?#.png", "akeypublic.png"),
        (&format!("{stem}.png"), &format!("{stem}.png")),
        (&format!("{stem}a.png"), &format!("{stem}.png")),
        (&format!("name.{long_extension}"), &format!("name.{}", &long_extension[..29])),
    ] {
        let stored = upload(&office, name, PNG).await;
        assert_eq!(stored.status, 200, "{name}: {stored:?}");
        let file_name = stored.text("/data/fileName");
        assert_eq!(&file_name[36..], format!("-{kept}"), "{name}");
        assert_eq!(stored.text("/data/key"), format!("public/gift-cards/designs/{file_name}"));
    }
}

#[tokio::test]
async fn an_image_that_cannot_be_stored_is_not_said_to_be() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    for (kind, value, times, status) in [
        ("status", json!(403), json!("always"), 500),
        ("throttle", Value::Null, json!("always"), 500),
        ("body", json!("not of S3"), json!("always"), 500),
        ("throttle", Value::Null, json!(1), 200),
    ] {
        system
            .faults(
                json!([{"target": "s3", "match": "PutObject", "kind": kind, "times": times, "value": value}]),
            )
            .await;
        let answer = upload(&office, "a.png", PNG).await;
        assert_eq!(answer.status, status, "{kind}: {answer:?}");
        if status == 500 {
            assert_eq!(answer.body, refusal("The image could not be stored."));
        }
    }
}
