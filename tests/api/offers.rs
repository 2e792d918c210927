//! Offers: list, create, read, change, status, and image uploads.

use insta::assert_json_snapshot;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::values::MerchantId;
use world::shop::{ISSUE, offer, sale, with};
use world::{ApiResponse, Caller, PNG, System, error_code, file_part, outcomes, part, refusal};

const OFFERS: &str = "/api/bff/offers";
const MEDIA: &str = "/api/bff/offers/media";

fn offer_path(id: &str) -> String {
    format!("{OFFERS}/{id}")
}

fn status_path(id: &str) -> String {
    format!("{OFFERS}/{id}/status")
}

/// Reads, changes and hides an offer: calls every route that takes an id.
async fn call_every_offer_route(caller: &Caller, id: &str) -> [ApiResponse; 3] {
    [
        caller.get(&offer_path(id)).await,
        caller.put(&offer_path(id), &json!({"name": "Mine now"})).await,
        caller.patch(&status_path(id), &json!({"status": "HIDDEN"})).await,
    ]
}

/// Returns the body as text, so that numbers keep their exact digits.
async fn response_text(request: RequestBuilder) -> String {
    request.send().await.unwrap().text().await.unwrap()
}

async fn count_calls(system: &System, method: &str, path: &str) -> usize {
    let calls = system.network_calls().await;
    calls.iter().filter(|call| call["method"] == method && call["path"] == path).count()
}

#[tokio::test]
async fn creates_reads_changes_and_hides_an_offer() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let body = json!({
        "name": "Summer card", "description": "For the garden", "giftCardOfferType": "GIFTCARD_DIGITAL", "usage": "WEB_AND_POS",
        "type": "DIGITAL", "defaultPrice": 250.5, "minPrice": 50, "maxPrice": 5000, "priceLocked": true, "unlimited": false,
        "availableForPurchaseTime": "2026-06-01T00:00:00Z", "expireForPurchaseTime": "2026-09-01T00:00:00Z",
        "numberOfDaysCardIsValidFromPurchaseTime": 365, "denominations": [100, 250.5], "currency": "SEK",
        "giftCardDesign": [{"urlImage": "https://portal.example/summer.png"}],
    });
    let created = admin.post(OFFERS, &body).await;
    assert_json_snapshot!("offer_made", created);

    let id = created.text("/data/id");
    assert_eq!(admin.get(&offer_path(&id)).await.comparable(), created.comparable());

    let changed = admin.put(&offer_path(&id), &json!({"name": "Autumn card", "description": null, "maxPrice": 6000})).await;
    assert_json_snapshot!("offer_changed", changed);
    assert_eq!(admin.get(&offer_path(&id)).await.comparable(), changed.comparable());
    let hidden = admin.patch(&status_path(&id), &json!({"status": "HIDDEN"})).await;
    let mut expected = changed.body;
    expected["data"]["status"] = json!("HIDDEN");
    expected["data"]["raw"]["giftCardOfferStatus"] = json!("HIDDEN");
    assert_eq!((hidden.status, &hidden.body), (200, &expected));

    let listed = admin.get(OFFERS).await;
    let items = listed.list("/data/items");
    assert_eq!((items.len(), items.last()), (7, Some(hidden.at("/data"))));
}

#[tokio::test]
async fn lists_the_merchants_own_offers() {
    let system = System::start().await;
    assert_json_snapshot!("offers_listed", system.sign_in("u-viewer").await.get(OFFERS).await);
}

#[tokio::test]
async fn normalizes_older_field_names_of_the_network() {
    let (system, caller) = System::signed_in("u-dinar").await;
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
        (820, json!({"maxPrice": 5e1, "max": 1}), "max", json!(50)),
        (833, json!({"minPrice": 5, "min": 1}), "min", json!(5)),
        (834, json!({"defaultPrice": 25, "faceValue": 1}), "defaultPrice", json!(25)),
        (821, json!({"max": "50.0"}), "max", json!(50)),
        (822, json!({"max_price": 50}), "max", json!(50)),
        (823, json!({"denominations": "10, 25.5"}), "denominations", json!([10, 25.5])),
        (824, json!({"denominations": ["10", null, 25.5]}), "denominations", json!([10, 25.5])),
        (825, json!({"priceLocked": "true"}), "priceLocked", json!(true)),
        (826, json!({"priceLocked": null}), "priceLocked", json!(false)),
        (827, json!({"status": "HIDDEN"}), "status", json!("HIDDEN")),
        (828, json!({"giftCardOfferStatus": "EXPIRED", "status": "HIDDEN"}), "status", json!("EXPIRED")),
        (829, json!({"numberOfDaysCardIsValidFromPurchaseTime": "30"}), "numberOfDaysCardIsValidFromPurchaseTime", json!(30)),
        (830, json!({"currency": "EUR"}), "currency", json!("EUR")),
        (831, json!({"currency": ""}), "currency", json!("KWD")),
        (832, json!({}), "currency", json!("KWD")),
    ] {
        let offer = with(fields.clone(), &json!({"id": id, "merchantId": "1004"}));
        system.load_fixtures(&json!({"cardNetwork": {"offers": [offer]}})).await;
        let found = caller.get(&offer_path(&id.to_string())).await;
        assert_eq!((found.status, &found.body["data"][field]), (200, &expected), "{fields}");
        assert_eq!((found.text("/data/id"), found.at("/data/raw")), (id.to_string(), &offer), "{fields}");
    }
}

#[tokio::test]
async fn returns_404_for_another_merchants_offer() {
    let (system, [admin, rival]) = System::with_callers(["u-admin", "u-rival"]).await;
    let before = rival.get(OFFERS).await;

    let foreign = call_every_offer_route(&admin, "601").await;
    for (foreign, unknown) in foreign.iter().zip(&call_every_offer_route(&admin, "999").await) {
        assert_eq!(foreign.comparable(), unknown.comparable());
        assert_eq!(foreign.reply(), refusal(404, "There is no such offer."));
    }
    // A merchant without a network account receives the same response.
    for response in call_every_offer_route(&system.sign_in("u-bare").await, "501").await {
        assert_eq!(response.comparable(), foreign[0].comparable());
    }

    for ids in [
        json!({"merchantId": "1002"}),
        json!({"merchantId": "m-rival"}),
        json!({"id": 601}),
        json!({"giftCardOfferId": 601, "id": 601, "merchantId": "1002"}),
        json!({"giftCardOfferId": 999, "id": 999, "merchantId": "nobody"}),
    ] {
        let unchanged = admin.get("/api/bff/offers/501").await;
        assert_eq!(admin.put("/api/bff/offers/501", &ids).await.comparable(), unchanged.comparable(), "{ids}");
        let created = admin.post(OFFERS, &ids).await;
        assert_eq!((created.status, created.at("/data/raw/merchantId")), (200, &json!("1001")), "{ids}");
        assert!(created.text("/data/id").parse::<u64>().unwrap() > 1000, "{created:?}");
    }
    assert_eq!(rival.get(OFFERS).await.comparable(), before.comparable());
}

#[tokio::test]
async fn change_preserves_omitted_fields_digit_for_digit() {
    let (system, admin) = System::signed_in("u-admin").await;
    let offer = r#"{"giftCardOfferId": 550, "merchantId": "1001", "name": "Exact", "minPrice": 0.10,
        "odd": 0.10000000000000000000001, "tw\u0069ce": 1, "big": 12345678901234567890123, "deep": {"b": 1.50, "a": [1e2, null]}, "twice": 2.0, "nothing": null}"#;
    let document = format!(r#"{{"cardNetwork": {{"offers": [{offer}]}}}}"#);
    assert_eq!(system.anonymous().post_text("/__local/fixtures", &document).await.status, 200);

    let change = admin.request(Method::PUT, "/api/bff/offers/550");
    let changed = response_text(change.body(r#"{"maxPrice": 5000.100000000000000000001, "name": "Exactly"}"#)).await;
    assert_eq!(
        changed.split_once(r#""raw":"#).unwrap().1,
        concat!(
            r#"{"giftCardOfferId":550,"merchantId":"1001","name":"Exactly","minPrice":0.10,"#,
            r#""odd":0.10000000000000000000001,"twice":1,"big":12345678901234567890123,"#,
            r#""deep":{"b": 1.50, "a": [1e2, null]},"twice":2.0,"nothing":null,"maxPrice":5000.100000000000000000001}}}"#
        )
    );
    assert!(changed.contains(r#""min":0.1,"max":5000.100000000000000000001,"#), "{changed}");
    assert_eq!(response_text(admin.request(Method::GET, "/api/bff/offers/550")).await, changed);

    let hidden = response_text(admin.request(Method::PATCH, "/api/bff/offers/550/status").body(r#"{"status": "HIDDEN"}"#)).await;
    let raw = changed.split_once(r#""raw":"#).unwrap().1;
    let raw_hidden = raw.replace("}}}", r#","giftCardOfferStatus":"HIDDEN"}}}"#);
    assert_eq!(hidden.split_once(r#""raw":"#).unwrap().1, raw_hidden);

    let created = admin.request(Method::POST, OFFERS).body(r#"{"defaultPrice": 0.10000000000000000000001, "odd": 1.50}"#);
    let created = response_text(created).await;
    assert!(created.contains(r#""defaultPrice":0.10000000000000000000001,"#), "{created}");
    assert!(created.contains(r#""odd":1.50,"#), "{created}");
}

#[tokio::test]
async fn changes_an_offer_with_older_field_names() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let changed = admin.put("/api/bff/offers/506", &json!({"defaultPrice": 120, "giftCardOfferStatus": "EXPIRED"})).await;
    assert_eq!(["defaultPrice", "raw/defaultPrice", "raw/faceValue"].map(|name| changed.at(&format!("/data/{name}"))), [120; 3]);
    assert_eq!(changed.at("/data/status"), "EXPIRED");
    let hidden = admin.patch("/api/bff/offers/506/status", &json!({"status": "HIDDEN"})).await;
    let statuses = ["status", "raw/giftCardOfferStatus", "raw/status"].map(|name| hidden.at(&format!("/data/{name}")));
    assert_eq!((hidden.text("/data/id"), statuses), ("506".to_owned(), [&json!("HIDDEN"); 3]));
    assert_eq!(admin.get("/api/bff/offers/506").await.comparable(), hidden.comparable());
}

async fn delay_next_write(system: &System, milliseconds: u32) {
    system.set_faults(json!([once("PUT /v1/offers/*", "delay", &json!(milliseconds))])).await;
}

/// A fault of the next call to the card network that matches.
fn once(r#match: &str, kind: &str, value: &Value) -> Value {
    json!({"target": "card-network", "match": r#match, "kind": kind, "times": 1, "value": value})
}

/// Waits until the card network has received a write of the offer.
async fn wait_for_write(system: &System, id: &str) {
    while count_calls(system, "PUT", &format!("/v1/offers/{id}")).await == 0 {}
}

#[tokio::test]
async fn a_slow_change_does_not_undo_a_concurrent_one() {
    let name = |id: &str| (Method::PUT, offer_path(id), json!({"name": "Renamed"}));
    let hide = |id: &str| (Method::PATCH, status_path(id), json!({"status": "HIDDEN"}));
    let price = |id: &str| (Method::PUT, offer_path(id), json!({"maxPrice": 7000}));
    for (id, slow, quick, expected) in [
        ("501", name("501"), hide("501"), ("Renamed", "HIDDEN", Value::from(5000))),
        ("503", hide("503"), name("503"), ("Renamed", "HIDDEN", Value::Null)),
        ("504", price("504"), name("504"), ("Renamed", "HIDDEN", json!(7000))),
    ] {
        let (system, admin) = System::signed_in("u-admin").await;
        delay_next_write(&system, 700).await;
        let send = async |(method, path, body): (Method, String, Value)| admin.send(method, &path, Some(&body)).await;
        let (slow, quick) = tokio::join!(send(slow), async {
            wait_for_write(&system, id).await;
            send(quick).await
        });
        assert_eq!((slow.status, quick.status), (200, 200), "{id}: {slow:?} {quick:?}");
        let offer = admin.get(&offer_path(id)).await;
        let fields = (offer.text("/data/name"), offer.text("/data/status"), offer.at("/data/max").clone());
        assert_eq!((&*fields.0, &*fields.1, fields.2), expected, "{id}");
    }
}

#[tokio::test]
async fn a_change_that_the_network_may_still_execute_keeps_others_waiting() {
    // In the future, so that DynamoDB does not delete the lease early: its TTL follows the system clock.
    let (system, manual_clock) = System::at("2050-03-01T12:00:00Z").await;
    let admin = system.sign_in("u-admin").await;
    let hide = async || admin.patch("/api/bff/offers/501/status", &json!({"status": "HIDDEN"})).await;
    // The portal waits 8 seconds for the network.
    delay_next_write(&system, 9000).await;
    let body = json!({"name": "Late"});
    let (late, during) = tokio::join!(admin.put("/api/bff/offers/501", &body), async {
        wait_for_write(&system, "501").await;
        hide().await
    });
    assert_eq!(late.status, 504, "{late:?}");
    // The network executes the write while this request waits.
    let after = hide().await;
    let message = "Another request is changing this offer. Please try again.";
    for rejected in [during, after] {
        assert_eq!(rejected.reply(), refusal(409, message));
        assert_eq!(rejected.header("retry-after"), Some("5"));
    }
    // Other offers can be changed.
    admin.patch("/api/bff/offers/503/status", &json!({"status": "HIDDEN"})).await.ok();
    manual_clock.advance(20);
    assert_eq!(hide().await.status, 200);
    let offer = admin.get("/api/bff/offers/501").await;
    assert_eq!((offer.at("/data/name"), offer.at("/data/status")), (&json!("Late"), &json!("HIDDEN")));
}

#[tokio::test]
async fn a_failed_change_lets_the_next_one_begin() {
    let (system, admin) = System::signed_in("u-admin").await;
    for (r#match, kind, value) in [
        ("GET *", "status", json!(500)),
        ("PUT *", "status", json!(422)),
        ("PUT *", "drop", Value::Null),
        ("PUT *", "body", json!("<html>")),
    ] {
        system.set_network_fault(r#match, kind, value).await;
        assert!(admin.put("/api/bff/offers/501", &json!({"name": "New"})).await.status >= 400);
        system.set_faults(json!([])).await;
        admin.put("/api/bff/offers/501", &json!({"name": "New"})).await.ok();
    }
}

/// Bodies that are no JSON objects.
const NO_OBJECTS: [(&str, &str); 8] = [
    ("", "The body is not a JSON object."),
    ("[]", "The body is not a JSON object."),
    ("null", "The body is not a JSON object."),
    ("\"name\"", "The body is not a JSON object."),
    ("name=A", "The body is not a JSON object."),
    ("{", "The body is not valid JSON."),
    (r#"{"name": }"#, "The body is not valid JSON."),
    ("{} {}", "The body is not valid JSON."),
];

#[tokio::test]
async fn rejects_an_invalid_change_and_names_the_field() {
    let (system, admin) = System::signed_in("u-admin").await;
    let before = admin.get("/api/bff/offers/501").await;
    let calls_before = system.network_calls().await.len();
    let put =
        async |body: &str| Caller::send_request(admin.request(Method::PUT, "/api/bff/offers/501").body(body.to_owned())).await;

    let texts = "name description giftCardOfferStatus usage type urlGiftcardResource availableForPurchaseTime \
                 expireForPurchaseTime currency merchantId";
    let numbers = ["defaultPrice", "minPrice", "maxPrice", "numberOfDaysCardIsValidFromPurchaseTime", "id", "giftCardOfferId"];
    let mut bodies = Vec::new();
    bodies.extend(texts.split(' ').map(|field| (field, vec!["1", "true", "[]", "{}"])));
    bodies.extend(numbers.map(|field| (field, vec!["\"1\"", "true", "[]", "{}", "null", "1e999"])));
    bodies.extend(["priceLocked", "unlimited"].map(|field| (field, vec!["\"true\"", "1", "null"])));
    bodies.extend(texts.split(' ').filter(|field| *field != "description").map(|field| (field, vec!["null"])));
    bodies.push(("name", vec!["\"\""]));
    bodies.push(("giftCardDesign", vec!["null", "{}", "\"x\"", "[\"x\"]", "[[]]", "[null]"]));
    bodies.push(("denominations", vec!["null", "10", "\"10\"", "[\"10\"]", "[null]"]));
    for unknown in ["status", "faceValue", "default_price", "min", "Name", "raw", ""] {
        bodies.push((unknown, vec!["1", "null"]));
    }
    for (field, values) in bodies {
        for value in values {
            let body = format!(r#"{{"{field}": {value}}}"#);
            let rejected = put(&body).await;
            rejected.assert_invalid(field);
            assert_eq!((rejected.at("/ok"), rejected.at("/error/details")), (&json!(false), &Value::Null), "{body}");
        }
    }
    for (body, message) in [
        (r#"{"name": ""}"#, "name: must not be empty."),
        (r#"{"description": 1}"#, "description: must be a string."),
        (r#"{"priceLocked": "true"}"#, "priceLocked: must be true or false."),
        (r#"{"defaultPrice": "25"}"#, "defaultPrice: must be a number."),
        (r#"{"maxPrice": 1e999}"#, "maxPrice: is too large."),
        (r#"{"denominations": [10, "25"]}"#, "denominations[1]: must be a number."),
        (r#"{"denominations": 10}"#, "denominations: must be a list."),
        (r#"{"giftCardDesign": ["x"]}"#, "giftCardDesign[0]: must be an object."),
        (r#"{"usage": "WEB", "usage": "POS"}"#, "usage: is given more than once."),
    ]
    .into_iter()
    .chain(NO_OBJECTS)
    {
        assert_eq!(put(body).await.reply(), refusal(400, message), "{body}");
    }
    assert_eq!(system.network_calls().await.len(), calls_before);
    assert_eq!(admin.get("/api/bff/offers/501").await.comparable(), before.comparable());
}

#[tokio::test]
async fn change_accepts_every_field_and_requires_none() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let before = admin.get("/api/bff/offers/503").await;
    assert_eq!(admin.put("/api/bff/offers/503", &json!({})).await.comparable(), before.comparable());
    let all_fields = json!({
        "name": "N", "description": "", "giftCardOfferStatus": "ARCHIVED", "usage": "", "type": "t", "urlGiftcardResource": "u",
        "defaultPrice": 0, "minPrice": 1.5, "maxPrice": -1, "numberOfDaysCardIsValidFromPurchaseTime": 30, "priceLocked": false,
        "unlimited": true, "availableForPurchaseTime": "2026-06-01", "expireForPurchaseTime": "", "giftCardDesign": [{}, {"urlImage": 1}],
        "denominations": [], "currency": "EUR", "id": 1, "giftCardOfferId": 2, "merchantId": "3",
    });
    let changed = admin.put("/api/bff/offers/503", &all_fields).await.ok();
    let raw = changed.at("/data/raw");
    for (field, value) in all_fields.as_object().unwrap() {
        let is_read_only = ["id", "giftCardOfferId", "merchantId"].contains(&field.as_str());
        let expected = if is_read_only { &before.at("/data/raw")[field] } else { value };
        assert_eq!(&raw[field], expected, "{field}");
    }
    assert_eq!(changed.text("/data/id"), "503");
    assert_eq!(admin.put("/api/bff/offers/503", &json!({"currency": " sek"})).await.at("/data/raw/currency"), "SEK");
}

#[tokio::test]
async fn accepts_each_of_six_statuses_after_any_other_and_rejects_unknown_ones() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let statuses = ["AVAILABLE", "HIDDEN", "AWAITING_APPROVAL", "CANCELED", "EXPIRED", "ARCHIVED"];
    for status in statuses.iter().chain(statuses.iter().rev()) {
        let changed = admin.patch("/api/bff/offers/504/status", &json!({"status": status})).await;
        assert_eq!((changed.status, changed.at("/data/status")), (200, &json!(status)));
        assert_eq!(admin.get("/api/bff/offers/504").await.comparable(), changed.comparable());
    }
    let before = admin.get("/api/bff/offers/504").await;
    for (body, message) in [
        (json!({}), "status: is missing."),
        (json!({"status": null}), "status: must be a string."),
        (json!({"status": 1}), "status: must be a string."),
        (json!({"status": ["HIDDEN"]}), "status: must be a string."),
        (json!({"status": "HIDDEN", "name": "A"}), "name: cannot be given here. The known fields are status."),
        (json!([{"status": "HIDDEN"}]), "The body is not a JSON object."),
    ] {
        assert_eq!(admin.patch("/api/bff/offers/504/status", &body).await.reply(), refusal(400, message), "{body}");
    }
    for status in ["", "hidden", "CANCELLED", " HIDDEN", "DELETED"] {
        let rejected = admin.patch("/api/bff/offers/504/status", &json!({"status": status})).await;
        rejected.assert_invalid("status: must be AVAILABLE, HIDDEN");
    }
    assert_eq!(admin.get("/api/bff/offers/504").await.comparable(), before.comparable());
}

#[tokio::test]
async fn creates_an_offer_from_any_json_object() {
    let (system, admin) = System::signed_in("u-admin").await;
    for body in ["{}", r#" {"name": 5, "unheard": {"of": [1]}} "#, r#"{"merchantId": null, "defaultPrice": "many"}"#] {
        let created = admin.post_text(OFFERS, body).await;
        assert_eq!((created.status, created.at("/data/raw/merchantId")), (200, &json!("1001")), "{body}: {created:?}");
    }
    let calls_before = system.network_calls().await.len();
    for (body, message) in NO_OBJECTS {
        assert_eq!(admin.post_text(OFFERS, body).await.reply(), refusal(400, message), "{body}");
    }
    assert_eq!(system.network_calls().await.len(), calls_before);

    for content_type in ["text/plain", "application/octet-stream", "application/x-www-form-urlencoded"] {
        let request = admin.request(Method::POST, OFFERS).header("content-type", content_type);
        assert_eq!(Caller::send_request(request.body("{}")).await.status, 200, "{content_type}");
    }
}

#[tokio::test]
async fn percent_decodes_the_id_and_rejects_a_blank_one() {
    let (_system, admin) = System::signed_in("u-admin").await;
    for id in ["501", "%35%30%31", "5%301"] {
        assert_eq!(admin.get(&offer_path(id)).await.at("/data/id"), &json!("501"), "{id}");
    }
    for id in ["", "%20", "%20%20", "%C2%A0"] {
        for response in call_every_offer_route(&admin, id).await {
            assert_eq!(response.reply(), refusal(400, "id: is missing."), "{id:?}");
        }
    }
    let long = "5".repeat(3000);
    for id in ["abc", "-501", "501.0", "%20501", "501%20", "501%2C502", "50%2531", "5%0901", "0501", "*", &long] {
        for response in call_every_offer_route(&admin, id).await {
            assert_eq!(response.reply(), refusal(404, "There is no such offer."), "{id:?}");
        }
    }
}

#[tokio::test]
async fn merchant_without_a_network_account_has_no_offers_and_cannot_create_any() {
    let (system, caller) = System::signed_in("u-bare").await;
    assert_eq!(caller.get(OFFERS).await.reply(), (200, json!({"ok": true, "data": {"items": []}})));
    for response in call_every_offer_route(&caller, "501").await {
        assert_eq!(response.reply(), refusal(404, "There is no such offer."));
    }
    let rejected = caller.post(OFFERS, &json!({"name": "New"})).await;
    assert_eq!(rejected.reply(), refusal(400, "Your merchant has no account at the card network."));
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn media_path_accepts_only_post() {
    let (_system, admin) = System::signed_in("u-admin").await;
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let rejected = admin.send(method.clone(), MEDIA, None).await;
        assert_eq!(rejected.reply(), refusal(405, "This address does not support the method."), "{method}");
        assert_eq!(rejected.header("allow"), Some("POST"));
    }
}

fn network_faults() -> Vec<(&'static str, Value, u16)> {
    vec![
        ("status", json!(403), 403),
        ("status", json!(422), 422),
        ("status", json!(429), 429),
        ("status", json!(500), 500),
        ("status", json!(503), 503),
        // The network rejected the portal's API key, not the caller's session.
        ("status", json!(401), 502),
        ("body", json!("<html>busy</html>"), 502),
        ("body", json!(r#"{"giftCardOfferId": 501, "merch"#), 502),
        ("body", json!(r#"{"merchantId": "1001"}"#), 502),
        ("body", json!(""), 502),
        ("drop", Value::Null, 502),
    ]
}

/// Returns the error body that a network fault leads to. `details` is the network's error body, or null.
fn network_error_body(message: &str, kind: &str, value: &Value) -> Value {
    let has_details = kind == "status" && value != &json!(401);
    let details = has_details.then(|| json!({"code": "FAULT", "message": "a fault that was asked for"}));
    json!({"ok": false, "error": {"message": message, "details": details}})
}

#[tokio::test]
async fn passes_on_network_errors() {
    let (system, admin) = System::signed_in("u-admin").await;
    let change = json!({"name": "New"});
    let hide = json!({"status": "HIDDEN"});
    let message = "The card network could not do this with the offer.";
    for (kind, value, status) in network_faults() {
        system.set_network_fault("GET *", kind, value.clone()).await;
        let expected = network_error_body("The offers could not be read.", kind, &value);
        assert_eq!(admin.get(OFFERS).await.reply(), (status, expected), "{kind} {value}");
        let expected = network_error_body(message, kind, &value);
        for response in call_every_offer_route(&admin, "501").await {
            assert_eq!((response.status, &response.body), (status, &expected), "reading, {kind} {value}");
        }
        system.set_network_fault("PUT *", kind, value.clone()).await;
        for response in [admin.put("/api/bff/offers/501", &change).await, admin.patch("/api/bff/offers/501/status", &hide).await]
        {
            assert_eq!((response.status, &response.body), (status, &expected), "writing, {kind} {value}");
        }
    }
    system.set_faults(json!([])).await;
    let after = admin.get("/api/bff/offers/501").await;
    assert_eq!((after.at("/data/name"), after.at("/data/status")), (&json!("Any amount"), &json!("AVAILABLE")));

    for failing in ["GET *", "PUT *"] {
        system.set_network_fault(failing, "status", json!(404)).await;
        let response = admin.put("/api/bff/offers/501", &change).await;
        assert_eq!(response.reply(), refusal(404, "There is no such offer."), "{failing}");
    }
}

#[tokio::test]
async fn failed_creation_returns_a_generic_message() {
    let (system, admin) = System::signed_in("u-admin").await;
    let not_found = ("status", json!(404), 404);
    let response_lost = ("after", Value::Null, 502);
    for (kind, value, status) in network_faults().into_iter().chain([not_found, response_lost]) {
        system.set_network_fault("POST /v1/offers", kind, value.clone()).await;
        let rejected = admin.post(OFFERS, &json!({"name": "New"})).await;
        let message = if status < 500 { "Request failed" } else { "Service unavailable" };
        assert_eq!(rejected.reply(), (status, json!({"ok": false, "error": {"message": message}})), "{kind} {value}");
    }
    system.set_faults(json!([])).await;
    let attempts = count_calls(&system, "POST", "/v1/offers").await;
    assert_eq!(attempts, network_faults().len() + 3, "one per fault, and one more with a reloaded API key");
}

#[tokio::test]
async fn retries_reads_once_and_never_retries_writes() {
    let (system, admin) = System::signed_in("u-admin").await;
    let (list, offer) = ("/v1/merchants/1001/offers", "/v1/offers/501");
    for (kind, value, attempts, status) in [
        ("status", json!(500), 2, 200),
        ("status", json!(503), 2, 200),
        ("status", json!(408), 2, 200),
        ("drop", Value::Null, 2, 200),
        ("body", json!("<html>"), 2, 200),
        ("body", json!(""), 2, 200),
        ("status", json!(422), 1, 422),
        ("status", json!(429), 1, 429),
    ] {
        for (path, network_path) in [(OFFERS, list), ("/api/bff/offers/501", offer)] {
            let before = count_calls(&system, "GET", network_path).await;
            system.set_faults(json!([once("GET *", kind, &value)])).await;
            let response = admin.get(path).await;
            let attempted = count_calls(&system, "GET", network_path).await - before;
            assert_eq!((response.status, attempted), (status, attempts), "{path}, {kind} {value}");
        }
    }
    system.set_network_fault("GET *", "status", json!(503)).await;
    let before = count_calls(&system, "GET", list).await;
    assert_eq!(admin.get(OFFERS).await.status, 503);
    assert_eq!(count_calls(&system, "GET", list).await - before, 2);

    system.set_faults(json!([once("P*", "status", &json!(503))])).await;
    assert_eq!(admin.put("/api/bff/offers/501", &json!({})).await.status, 503);
    system.set_faults(json!([once("P*", "drop", &Value::Null)])).await;
    assert_eq!(admin.post(OFFERS, &json!({})).await.status, 502);
    assert_eq!((count_calls(&system, "PUT", offer).await, count_calls(&system, "POST", "/v1/offers").await), (1, 1));
}

#[tokio::test]
async fn returns_504_if_the_network_does_not_respond() {
    let (system, admin) = System::signed_in("u-admin").await;
    let timeout = |r#match: &str| json!({"target": "card-network", "match": r#match, "kind": "timeout", "times": "always"});
    system.set_faults(json!([timeout("P*"), timeout("GET /v1/merchants/*")])).await;
    let body = json!({"name": "New"});
    let (list, created, changed) =
        tokio::join!(admin.get(OFFERS), admin.post(OFFERS, &body), admin.put("/api/bff/offers/501", &body));
    let not_listed = network_error_body("The offers could not be read.", "timeout", &Value::Null);
    assert_eq!(list.reply(), (504, not_listed));
    assert_eq!(created.reply(), (504, json!({"ok": false, "error": {"message": "Service unavailable"}})));
    let not_changed = network_error_body("The card network could not do this with the offer.", "timeout", &Value::Null);
    assert_eq!(changed.reply(), (504, not_changed));
}

#[tokio::test]
async fn never_shows_another_merchants_offer_even_if_the_network_returns_it() {
    let (system, admin) = System::signed_in("u-admin").await;
    let own = json!({"giftCardOfferId": 501, "merchantId": "1001", "name": "Own"});
    let foreign = json!({"giftCardOfferId": 501, "merchantId": "1002", "name": "Foreign"});
    let ownerless = json!({"giftCardOfferId": 501, "name": "Ownerless"});
    for is_bare_array in [false, true] {
        let list = json!([foreign, null, own, "offer", {"merchantId": "1001", "name": "without an id"}, ownerless]);
        let list = if is_bare_array { list } else { json!({"offers": list}) };
        system.set_network_fault("GET *", "body", json!(list.to_string())).await;
        assert_eq!(admin.get(OFFERS).await.each("/data/items", "name"), ["Own"]);
    }
    system.set_network_fault("GET *", "body", json!(r#"{"merchantId": "1001"}"#)).await;
    assert_eq!(admin.get("/api/bff/offers/501").await.status, 502, "an offer without an id");
    for other in [&foreign, &ownerless] {
        system.set_network_fault("GET *", "body", json!(other.to_string())).await;
        for response in call_every_offer_route(&admin, "501").await {
            assert_eq!(response.reply(), refusal(404, "There is no such offer."));
        }
        system.set_network_fault("P*", "body", json!(other.to_string())).await;
        let [_, put, patch] = call_every_offer_route(&admin, "501").await;
        let post = admin.post(OFFERS, &json!({})).await;
        for response in [put, patch, post] {
            assert_eq!((response.status, response.at("/data")), (502, &Value::Null), "{response:?}");
        }
    }
}

#[tokio::test]
async fn image_urls_point_to_the_portal_and_to_the_requested_host() {
    let (system, admin) = System::signed_in("u-admin").await;
    let request = admin.request_with_form(MEDIA, &[part("name=\"title\"", b"Summer"), file_part("summer card.png", PNG)]);
    let stored = Caller::send_request(request.header("host", "dashboard.localhost:8443")).await;

    let portal = &system.local.listening.api;
    let name = stored.text("/data/fileName");
    let id = name.strip_suffix("-summercard.png").unwrap_or_else(|| panic!("{name}"));
    let parts: Vec<usize> = id.split('-').map(str::len).collect();
    assert!(parts == [8, 4, 4, 4, 12] && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-'), "{id}");
    let path = format!("/api/public/gift-card-image?key=public%2Fgift-cards%2Fdesigns%2F{name}");
    let expected = json!({"ok": true, "data": {
        "urlResource": format!("{portal}{path}"),
        "urlImage": format!("{portal}{path}"),
        "previewUrl": format!("http://dashboard.localhost:8443{path}"),
        "key": format!("public/gift-cards/designs/{name}"),
        "fileName": name,
    }});
    assert_eq!(stored.reply(), (200, expected));
    let again = admin.upload(MEDIA, "summer card.png", PNG).await;
    assert_ne!(again.at("/data/key"), stored.at("/data/key"), "uploads never overwrite each other");
    // Uploads need no account at the card network.
    system.sign_in("u-bare").await.upload(MEDIA, "a.png", PNG).await.ok();
}

/// Uploads an image, and gets it as everybody can.
async fn publish(caller: &Caller, content: &[u8]) -> ApiResponse {
    let stored = caller.upload(MEDIA, "document.pdf", content).await.ok();
    world::get(stored.text("/data/previewUrl")).await
}

#[tokio::test]
async fn detects_the_image_type_from_the_content() {
    let (_system, admin) = System::signed_in("u-admin").await;
    for (content, content_type) in [(PNG, "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp")] {
        let image = publish(&admin, content).await;
        assert_eq!((image.status, image.header("content-type")), (200, Some(content_type)));
        assert_eq!(image.bytes, content, "{content_type}");
    }
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
        let rejected = admin.upload(MEDIA, "image.png", content).await;
        assert_eq!(rejected.reply(), refusal(415, "file: must be a PNG, JPEG, GIF or WebP image."), "{content:?}");
    }
}

#[tokio::test]
async fn rejects_images_over_4_mib() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let max_bytes = 4 * 1024 * 1024;
    // What follows the end of an image is removed.
    let mut image = PNG.to_vec();
    for (bytes, status) in [(max_bytes - 1, 200), (max_bytes, 200), (max_bytes + 1, 413), (max_bytes + 1024 * 1024, 413)] {
        image.resize(bytes, 0);
        assert_eq!(admin.upload(MEDIA, "large.png", &image).await.status, status, "{bytes}");
    }
}

#[tokio::test]
async fn rejects_a_form_without_a_file_with_long_headers_or_with_too_large_a_picture() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let missing = "file: is missing.";
    let picture = |width, height| {
        let image = png(&[(b"IHDR", &header(width, height)), (b"IDAT", b"the picture"), (b"IEND", b"")]);
        vec![file_part("a.png", &image)]
    };
    let large = "file: must have at most 50 megapixels, and at most 20000 pixels a side.";
    let named = |length| file_part(&format!("{}.png", "a".repeat(length)), PNG);
    let long = "The headers of a part of the form are longer than 8192 bytes.";
    for accepted in [picture(10_000, 5_000), vec![named(8_000)]] {
        Caller::send_request(admin.request_with_form(MEDIA, &accepted)).await.ok();
    }
    for (number, (parts, message)) in [
        (vec![], missing),
        (vec![part("name=\"file\"", b"text")], missing),
        (vec![part("name=\"image\"; filename=\"a.png\"", PNG)], missing),
        (vec![part("name=\"File\"; filename=\"a.png\"", PNG)], missing),
        (vec![file_part("a.png", b"")], "file: is empty."),
        (vec![file_part("", b"")], "file: is empty."),
        (picture(10_000, 5_001), large),
        (picture(1, 20_001), large),
        (vec![named(8_192)], long),
        (vec![part(&format!("name=\"{}\"", "a".repeat(8_192)), b"text"), named(1)], long),
        (vec![file_part(&"name".repeat(1_000_000), PNG)], long),
    ]
    .into_iter()
    .enumerate()
    {
        let rejected = Caller::send_request(admin.request_with_form(MEDIA, &parts)).await;
        assert_eq!(rejected.reply(), refusal(400, message), "form {number}");
    }
    let two_files = [file_part("a.png", PNG), file_part("b.png", b"text")];
    let first = Caller::send_request(admin.request_with_form(MEDIA, &two_files)).await;
    assert!(first.text("/data/fileName").ends_with("-a.png"), "only the first file is used: {first:?}");

    let not_multipart = "file: send it as multipart/form-data.";
    let truncated = file_part("a.png", PNG);
    for (content_type, body, message) in [
        (None, PNG, not_multipart),
        (Some("application/json"), b"{}", not_multipart),
        (Some("image/png"), PNG, not_multipart),
        (Some("multipart/mixed; boundary=x"), b"--x--", not_multipart),
        (Some("multipart/form-data"), b"--x--", not_multipart),
        (Some("multipart/form-data; boundary="), b"--x--", not_multipart),
        (Some(&*format!("multipart/form-data; boundary={}", "x".repeat(71))), b"--x--", not_multipart),
        (Some("multipart/form-data; boundary=x"), b"", "The body is not a valid multipart form."),
        (Some("multipart/form-data; boundary=x"), b"no parts", "The body is not a valid multipart form."),
        (Some("multipart/form-data; boundary=test-boundary"), &truncated, "The body is not a valid multipart form."),
    ] {
        let mut request = admin.request(Method::POST, MEDIA).body(body.to_vec());
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        assert_eq!(Caller::send_request(request).await.reply(), refusal(400, message), "{content_type:?}");
    }
}

#[tokio::test]
async fn removes_unsafe_characters_from_file_names() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let (stem, long_extension) = ("a".repeat(56), "e".repeat(100));
    for (name, expected) in [
        ("Logo_1-b.PNG", "Logo_1-b.PNG"),
        ("summer card (1).png", "summercard1.png"),
        ("../../../secrets.png", "secrets.png"),
        (r"C:\\images\\card.png", "card.png"),
        ("..%2f..%2fcard.png", "2f..2fcard.png"),
        (".htaccess", "file.htaccess"),
        ("åäö.png", "aao.png"),
        ("A\u{30a}ngstro\u{308}m.png", "Angstrom.png"),
        ("Straße-ÆØÐÞŁı.png", "Strasse-AEODThLi.png"),
        ("Договор.png", "Dogovor.png"),
        ("Ελλάδα.png", "Ellada.png"),
        ("日本.png", "RiBen.png"),
        ("한국어.png", "hangugeo.png"),
        ("a∕b…c.png", "ab...c.png"),
        ("‥∕‥.png", "file.png"),
        ("card..", "card"),
        ("\u{e000}", "file"),
        ("..", "file"),
        ("a&key=public?#.png", "akeypublic.png"),
        (&format!("{stem}.png"), &format!("{stem}.png")),
        (&format!("{stem}a.png"), &format!("{stem}.png")),
        (&format!("name.{long_extension}"), &format!("name.{}", &long_extension[..29])),
    ] {
        let stored = admin.upload(MEDIA, name, PNG).await.ok();
        let file_name = stored.text("/data/fileName");
        assert_eq!(&file_name[36..], format!("-{expected}"), "{name}");
        assert_eq!(stored.text("/data/key"), format!("public/gift-cards/designs/{file_name}"));
    }
}

#[tokio::test]
async fn returns_500_if_an_image_cannot_be_stored() {
    let (system, admin) = System::signed_in("u-admin").await;
    for (kind, value, times, status) in [
        ("status", json!(403), json!("always"), 500),
        ("throttle", Value::Null, json!("always"), 500),
        ("body", json!("not an S3 response"), json!("always"), 500),
        ("throttle", Value::Null, json!(1), 200),
    ] {
        system.set_faults(json!([{"target": "s3", "match": "PutObject", "kind": kind, "times": times, "value": value}])).await;
        let response = admin.upload(MEDIA, "a.png", PNG).await;
        assert_eq!(response.status, status, "{kind}: {response:?}");
        assert!(status == 200 || response.reply() == refusal(500, "The image could not be stored."), "{response:?}");
    }
}

#[tokio::test]
async fn a_field_that_is_too_long_is_refused_by_name() {
    let (system, admin) = System::signed_in("u-admin").await;
    // In characters, not in bytes or escapes.
    let text = |length: usize| "å\"".repeat(length / 2) + &"å".repeat(length % 2);
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let design = |length| json!([{}, {"urlImage": text(length)}]);
    for (field, longest, too_long, problem) in [
        ("name", json!(text(200)), json!(text(201)), "name: must be at most 200 characters."),
        ("description", json!(text(5000)), json!(text(5001)), "description: must be at most 5000 characters."),
        ("usage", json!(text(500)), json!(text(501)), "usage: must be at most 500 characters."),
        ("giftCardDesign", design(500), design(501), "giftCardDesign[1].urlImage: must be at most 500 characters."),
        ("denominations", json!(vec![1; 50]), json!(vec![1; 51]), "denominations: must have at most 50 members."),
    ] {
        let (longest, too_long) = (json!({field: longest}), json!({field: too_long}));
        let created = admin.post(OFFERS, &longest).await.ok();
        let path = offer_path(&created.text("/data/id"));
        assert_eq!(admin.put(&path, &longest).await.status, 200, "{problem}");
        for refused in [admin.post(OFFERS, &too_long).await, admin.put(&path, &too_long).await] {
            assert_eq!(refused.reply(), refusal(400, problem));
        }
    }
    admin.post(OFFERS, &json!({"odd": nested(8), "list": {"a": vec![0; 50]}})).await.ok();
    let unreadable = "must not contain numbers beyond 1e308 or unpaired surrogates.";
    for (value, problem) in [
        (json!(text(501)).to_string(), "odd: must be at most 500 characters."),
        (json!({"list": vec![0; 51]}).to_string(), "odd.list: must have at most 50 members."),
        (nested(9).to_string(), "odd[0][0][0][0][0][0][0][0]: is nested more than 8 levels deep."),
        ("1".repeat(501), "odd: must be at most 500 characters."),
        (r#""\ud800""#.to_owned(), &format!("odd: {unreadable}")),
        (r#"[{"b": -1e999}]"#.to_owned(), &format!("odd[0].b: {unreadable}")),
    ] {
        assert_eq!(admin.post_text(OFFERS, &format!(r#"{{"odd": {value}}}"#)).await.reply(), refusal(400, problem));
    }
    assert_eq!(count_calls(&system, "POST", "/v1/offers").await, 6);

    // What the network has is kept, and does not stop other changes.
    let long = json!({"id": 900, "merchantId": "1001", "name": text(300), "description": text(6000)});
    system.load_fixtures(&json!({"cardNetwork": {"offers": [long]}})).await;
    let changed = admin.put(&offer_path("900"), &json!({"maxPrice": 7})).await;
    assert_eq!((changed.status, changed.text("/data/name")), (200, text(300)));
}

/// Offers of m-aurora at the card network, with a description of this length each.
async fn load_offers(system: &System, ids: std::ops::Range<u64>, length: usize) {
    let description = "\"d".repeat(length / 2);
    for id in ids {
        let fields = json!({"description": description, "currency": "SEK", "minPrice": 50, "maxPrice": 5000});
        system.load_fixtures(&json!({"cardNetwork": {"offers": [offer("1001", id, &fields)]}})).await;
    }
}

#[tokio::test]
async fn a_merchant_creates_at_most_500_offers() {
    let (system, admin) = System::signed_in("u-admin").await;
    let offers: Vec<Value> = (1000..1492).map(|id| json!({"id": id, "merchantId": "1001"})).collect();
    system.load_fixtures(&json!({"cardNetwork": {"offers": offers}})).await;
    let name = json!({"name": "One more"});
    assert_eq!(admin.post(OFFERS, &name).await.status, 200);
    // The 500th, and one too many, at the same time.
    let (first, second) = tokio::join!(admin.post(OFFERS, &name), admin.post(OFFERS, &name));
    assert_eq!(outcomes([&first, &second]), [(200, ""), (409, "OFFER_LIMIT")]);
    assert_eq!(admin.post(OFFERS, &name).await.status, 409);
    assert_eq!(count_calls(&system, "POST", "/v1/offers").await, 2);
    assert_eq!(admin.get(OFFERS).await.list("/data/items").len(), 500);
    assert_eq!(system.sign_in("u-yen").await.post(OFFERS, &name).await.status, 200);
}

#[tokio::test]
async fn long_offers_stop_neither_the_list_nor_the_shop_nor_a_sale() {
    let (system, [admin, till]) = System::with_callers(["u-admin", "u-till"]).await;
    // Longer than a response, then longer than what is read of a list.
    for (ids, is_read_in_part) in [(900..940, false), (940..1000, true)] {
        load_offers(&system, ids.clone(), 80_000).await;
        let listed = admin.get(OFFERS).await;
        assert_eq!((listed.status, listed.at("/data/truncated")), (200, &json!(true)));
        let items = listed.list("/data/items").len();
        assert!((10..40).contains(&items), "{items}");
        let shop = system.anonymous().get("/api/merchants/aurora-coffee/catalog").await;
        assert_eq!((shop.status, shop.at("/meta/truncated")), (200, &json!(true)));
        assert!(shop.list("/data").len() >= items, "{items}");
        for offer in [json!(null), json!(502), json!(ids.end - 1)] {
            let value = if offer == json!(502) { json!("250.50") } else { json!(100) };
            till.post(ISSUE, &with(sale(value), &json!({"giftCardOfferId": offer}))).await.ok();
        }
        let created = admin.post(OFFERS, &json!({"name": "One more"})).await;
        assert_eq!(created.status, if is_read_in_part { 409 } else { 200 }, "{created:?}");
    }
    assert_eq!(system.sign_in("u-yen").await.get(OFFERS).await.at("/data/truncated"), &Value::Null);
}

/// Images of one pixel, as far as their structure goes.
const JPEG: &[u8] = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x01\0\x01\x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0\x3f\0picture\xff\xd9";
const GIF: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x01a\0;";
const WEBP: &[u8] = b"RIFF\x1a\0\0\0WEBPVP8 \x0e\0\0\0\0\0\0\x9d\x01\x2a\x01\0\x01\0text";

/// A PNG file with these chunks. Nobody reads their checksums here.
fn png(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in chunks {
        bytes.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
        bytes.extend([&kind[..], data, b"CRC "].concat());
    }
    bytes
}

fn header(width: u32, height: u32) -> Vec<u8> {
    [&width.to_be_bytes()[..], &height.to_be_bytes(), b"\x08\x02\0\0\0"].concat()
}

#[tokio::test]
async fn only_active_merchants_and_those_under_verification_publish_images() {
    let (system, admin) = System::signed_in("u-admin").await;
    let message = "The merchant cannot publish images: its application was not submitted or was declined, or its account is \
                   closed.";
    for (status, can_publish) in [
        ("DRAFT", false),
        ("SUBMITTED", true),
        ("WAITING_FOR_INFO", true),
        ("KYB_IN_PROGRESS", true),
        ("DECISION_PENDING", true),
        ("ACTIVE", true),
        ("INACTIVE", false),
        ("SUSPENDED", false),
        ("DECLINED", false),
    ] {
        let status = serde_json::from_value(json!(status)).unwrap();
        system.change_merchant("m-aurora", |merchant| merchant.status = status).await;
        let response = admin.upload(MEDIA, "a.png", PNG).await;
        if can_publish {
            let owner = system.local.app().files().image_owner(&response.text("/data/key")).await.unwrap();
            assert_eq!(owner, Some(Some(MerchantId::new("m-aurora"))));
        } else {
            assert_eq!((error_code(&response), response.at("/error/message")), ((403, "MERCHANT_NOT_ACTIVE"), &json!(message)));
            // The state of the merchant comes before the file.
            assert_eq!(admin.upload(MEDIA, "a.txt", b"text").await.status, 403);
        }
    }
}

#[tokio::test]
async fn images_are_stored_without_metadata_and_damaged_ones_repaired_or_refused() {
    let (_system, admin) = System::signed_in("u-admin").await;
    let head = header(30, 20);
    let picture: [(&[u8; 4], &[u8]); 2] = [(b"IHDR", &head), (b"IDAT", b"the picture")];
    let end: (&[u8; 4], &[u8]) = (b"IEND", b"");
    let with = png(&[&picture[..], &[(b"tEXt", b"GPS\0by Anna"), (b"eXIf", b"MM\0*GPS"), end]].concat());
    let without = png(&[&picture[..], &[end]].concat());
    let without_end = |image: &[u8], bytes: usize| image[..image.len() - bytes].to_vec();
    for (content, expected) in [
        (with.clone(), &without[..]),
        (without.clone(), &without),
        ([&with[..], b"by Anna"].concat(), &without),
        (without_end(JPEG, 2), JPEG),
        (without_end(GIF, 1), GIF),
        (without_end(PNG, 3), PNG),
    ] {
        let stored = publish(&admin, &content).await.bytes;
        assert_eq!(stored.escape_ascii().to_string(), expected.escape_ascii().to_string());
    }
    for (content, problem) in [
        (b"\x89PNG\r\n\x1a\n".to_vec(), "it has no picture"),
        (b"GIF89a\x01\0\x01\0\0\0\0alert(1)//".to_vec(), "a part of it cannot be read"),
        (without_end(WEBP, 1), "it ends too early"),
    ] {
        let refused = admin.upload(MEDIA, "photo", &content).await;
        assert_eq!(refused.reply(), refusal(400, &format!("file: is a damaged image: {problem}.")), "{}", content.escape_ascii());
    }
}

#[tokio::test]
async fn boundaries_and_byte_order_marks_are_taken_as_clients_send_them() {
    let (_system, admin) = System::signed_in("u-admin").await;
    for boundary in ["----=_Part_1", "12:34", "\"a b=c\"", &"x".repeat(70)] {
        let mark = boundary.trim_matches('"');
        let head = format!("--{mark}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\r\n");
        let body = [head.as_bytes(), PNG, format!("\r\n--{mark}--\r\n").as_bytes()].concat();
        let request = admin
            .request(Method::POST, MEDIA)
            .header("content-type", format!("Multipart/Form-Data;charset=utf-8; Boundary={boundary}"));
        assert_eq!(Caller::send_request(request.body(body)).await.status, 200, "{boundary}");
    }
    let created = admin.post_text(OFFERS, "\u{feff}{\"name\": \"Marked\"}").await;
    assert_eq!((created.status, created.text("/data/name")), (200, "Marked".to_owned()), "{created:?}");
}

#[tokio::test]
async fn a_member_uploads_at_most_100_images_a_day_and_a_merchant_200() {
    let (system, clock) = System::at("2026-03-01T10:00:00Z").await;
    let (admin, full) = (system.sign_in("u-admin").await, system.sign_in("u-full").await);
    for member in [&admin, &full] {
        for _ in 0..100 {
            assert_eq!(member.upload(MEDIA, "a.png", PNG).await.status, 200);
        }
    }
    for member in [&admin, &full, &system.sign_in("u-unset").await] {
        let refused = member.upload(MEDIA, "a.png", PNG).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("86400")), "{refused:?}");
    }
    assert_eq!(system.sign_in("u-rival").await.upload(MEDIA, "a.png", PNG).await.status, 200);
    clock.advance(24 * 60 * 60);
    assert_eq!(system.sign_in("u-admin").await.upload(MEDIA, "a.png", PNG).await.status, 200);
}
