//! The public shop: its merchant, its catalog, and the images of its gift cards.

use std::time::Duration;

use insta::assert_json_snapshot;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::support::{Caller, System};

const AURORA: &str = "/api/merchants/aurora-coffee";
const CATALOG: &str = "/api/merchants/aurora-coffee/catalog";
const IMAGE: &str = "/api/public/gift-card-image";

/// The smallest PNG there is: one pixel, and no byte of it text.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xff\
    \xff?\0\x05\xfe\x02\xfe\xa75\x81\x84\0\0\0\0IEND\xaeB`\x82";

fn not_found(message: &str) -> Value {
    json!({"ok": false, "error": message})
}

/// A merchant with everything that a shop can show.
async fn with_a_full_shop(system: &System) {
    system
        .load(&json!({"merchants": [{
            "id": "m-full", "slug": "full-shop", "status": "ACTIVE", "name": "Full Shop", "currency": "SEK",
            "networkMerchantId": "1001", "brand": {"logoUrl": "https://full.example/logo.png"},
            "storefront": {
                "description": "Everything", "primaryColor": "#1f4e5f", "secondaryColor": "#f4b942",
                "homeUrl": "https://full.example", "fraudSiteId": "site-1", "analyticsId": "analytics-1",
                "popularGiftCardAmount": 50_000
            }
        }]}))
        .await;
}

#[tokio::test]
async fn a_shop_says_who_sells_and_how_it_looks() {
    let system = System::start().await;
    with_a_full_shop(&system).await;
    let nobody = system.anonymous();
    let full = nobody.get("/api/merchants/full-shop").await;
    assert_json_snapshot!("storefront_merchant", full);
    assert_eq!(full.header("cache-control"), Some("no-store"));
    assert_json_snapshot!(
        "storefront_merchant_of_whom_little_is_known",
        nobody.get("/api/merchants/bare").await
    );
}

#[tokio::test]
async fn only_the_shop_of_an_active_merchant_is_open() {
    let system = System::start().await;
    let nobody = system.anonymous();
    let closed = [
        "DRAFT",
        "SUBMITTED",
        "WAITING_FOR_INFO",
        "KYB_IN_PROGRESS",
        "DECISION_PENDING",
        "INACTIVE",
        "SUSPENDED",
        "DECLINED",
    ];
    for status in closed {
        let id = format!("m-{}", status.to_lowercase());
        let merchant =
            json!({"id": id, "slug": id, "status": status, "name": "Closed", "networkMerchantId": "1001"});
        system.load(&json!({"merchants": [merchant]})).await;
    }
    let slugs = closed.map(|status| format!("m-{}", status.to_lowercase()));
    let others = ["nowhere", "m-aurora", "Aurora-Coffee", "%20", "", "%23", &"s".repeat(3000)];
    for slug in slugs.iter().map(String::as_str).chain(others) {
        for path in [format!("/api/merchants/{slug}"), format!("/api/merchants/{slug}/catalog")] {
            let answer = nobody.get(&path).await;
            assert_eq!((answer.status, &answer.body), (404, &not_found("There is no such shop.")), "{path}");
            assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        }
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new(), "nobody is asked about a closed shop");
}

#[tokio::test]
async fn the_terms_are_those_of_the_moment_or_null() {
    let system = System::start().await;
    let nobody = system.anonymous();
    let terms = async || nobody.get(AURORA).await.at("/data/termsUrl").clone();
    assert_eq!(terms().await, "https://network.example/terms");

    for (kind, value) in [
        ("status", json!(500)),
        ("status", json!(404)),
        ("status", json!(401)),
        ("drop", Value::Null),
        ("body", json!("<html>busy</html>")),
        ("body", json!("{\"termsUrl\": 7}")),
        ("body", json!("{\"termsUrl\": null}")),
        ("body", json!("{\"termsUrl\": \"\"}")),
        ("body", json!("{}")),
    ] {
        system.network_fault("GET /v1/merchants/1001", kind, value.clone()).await;
        assert_eq!(terms().await, Value::Null, "{kind} {value}");
    }
    system
        .network_fault("GET /v1/merchants/1001", "body", json!("{\"termsUrl\": \"https://new.example\"}"))
        .await;
    assert_eq!(terms().await, "https://new.example", "nothing is kept");
    let once = json!([{"target": "card-network", "match": "*", "kind": "status", "value": 503}]);
    system.faults(once).await;
    assert_eq!(terms().await, "https://network.example/terms", "asked a second time");
    assert_eq!(nobody.get("/api/merchants/rival-tea").await.at("/data/termsUrl"), &Value::Null);
}

#[tokio::test]
async fn a_shop_waits_two_seconds_for_its_terms_and_no_longer() {
    let system = System::start().await;
    let nobody = system.anonymous();
    let soon = |limit, path| tokio::time::timeout(Duration::from_millis(limit), nobody.get(path));

    system.network_fault("GET /v1/merchants/*", "delay", json!(1000)).await;
    let late = soon(2000, AURORA).await.expect("within 2 seconds");
    assert_eq!(late.at("/data/termsUrl"), "https://network.example/terms");

    for (kind, value) in [("timeout", Value::Null), ("delay", json!(5000))] {
        system.network_fault("GET /v1/merchants/*", kind, value).await;
        let without = soon(3000, AURORA).await.unwrap_or_else(|_| panic!("{kind}: not within 3 seconds"));
        assert_eq!((without.status, without.at("/data/termsUrl")), (200, &Value::Null), "{kind}");
    }
}

#[tokio::test]
async fn the_catalog_lists_what_can_be_bought_with_its_prices() {
    let system = System::start().await;
    with_a_full_shop(&system).await;
    let nobody = system.anonymous();
    let catalog = nobody.get("/api/merchants/full-shop/catalog").await;
    assert_json_snapshot!("storefront_catalog", catalog);
    assert_eq!(catalog.header("cache-control"), Some("no-store"));
    assert_eq!(nobody.get(CATALOG).await.at("/meta"), &json!({"popularAmount": null}));

    let options = async |slug: &str| {
        let catalog = nobody.get(&format!("/api/merchants/{slug}/catalog")).await;
        ["currency", "priceOptions", "minValue", "maxValue"].map(|name| catalog.at("/data/0")[name].clone())
    };
    let yen = [json!("JPY"), json!([500, 10_000, 20_000, 30_000, 40_000, 50_000]), json!(500), json!(50_000)];
    assert_eq!(options("hinode").await, yen);
    let dinar =
        [json!("KWD"), json!([1000, 20_000, 40_000, 60_000, 80_000, 100_000]), json!(1000), json!(100_000)];
    assert_eq!(options("souk").await, dinar);
}

#[tokio::test]
async fn a_shop_without_an_account_at_the_network_sells_nothing() {
    let system = System::start().await;
    let empty = system.anonymous().get("/api/merchants/bare/catalog").await;
    let expected = json!({"ok": true, "data": [], "meta": {"popularAmount": null}});
    assert_eq!((empty.status, empty.body), (200, expected));
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

/// The network lists these offers, whoever asks. What is not said is that of an offer which sells.
async fn list(system: &System, offers: &[Value]) {
    let offers: Vec<Value> = offers
        .iter()
        .map(|changes| {
            let mut offer = json!({
                "giftCardOfferId": 1, "merchantId": "1001", "name": "Card", "giftCardOfferType": "GIFTCARD_DIGITAL",
                "giftCardOfferStatus": "AVAILABLE", "currency": "SEK", "defaultPrice": 100
            });
            offer.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
            offer
        })
        .collect();
    let body = json!({"offers": offers}).to_string();
    system.network_fault("GET /v1/merchants/1001/offers", "body", json!(body)).await;
}

#[tokio::test]
async fn only_what_the_merchant_itself_sells_now_is_listed() {
    let system = System::start().await;
    let offers = [
        json!({"giftCardOfferId": 9, "availableForPurchaseTime": "2020-01-01T00:00:00Z"}),
        json!({"giftCardOfferId": 8, "expireForPurchaseTime": "2999-01-01T00:00:00Z"}),
        json!({"giftCardOfferId": 7, "availableForPurchaseTime": "soon", "expireForPurchaseTime": ""}),
        json!({"giftCardOfferId": 6, "currency": null}),
        json!({"availableForPurchaseTime": "2999-01-01T00:00:00Z"}),
        json!({"expireForPurchaseTime": "2020-01-01T00:00:00Z"}),
        json!({"giftCardOfferStatus": "HIDDEN"}),
        json!({"giftCardOfferStatus": "EXPIRED"}),
        json!({"giftCardOfferType": "REFUND_DIGITAL"}),
        json!({"giftCardOfferType": "refund"}),
        json!({"merchantId": "1002"}),
        json!({"merchantId": null}),
        json!({"currency": "kr"}),
        json!({"defaultPrice": 0.001}),
        json!({"giftCardOfferId": null}),
    ];
    list(&system, &offers).await;
    let catalog = system.anonymous().get(CATALOG).await;
    let items = catalog.at("/data").as_array().unwrap();
    let ids: Vec<&Value> = items.iter().map(|item| &item["id"]).collect();
    assert_eq!(ids, ["9", "8", "7", "6"]);
    assert!(
        items.iter().all(|item| item["merchantId"] == "m-aurora" && item["currency"] == "SEK"),
        "{items:?}"
    );
}

#[tokio::test]
async fn prices_are_exact_minor_units() {
    let system = System::start().await;
    let free = |more: Value| {
        let mut offer = json!({"defaultPrice": null});
        offer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        offer
    };
    let cases = [
        (json!({"defaultPrice": "250.50"}), json!([25_050]), json!(25_050), json!(25_050)),
        (json!({"defaultPrice": 0.07}), json!([7]), json!(7), json!(7)),
        (
            json!({"priceLocked": true, "minPrice": 10, "maxPrice": 50}),
            json!([10_000]),
            json!(10_000),
            json!(10_000),
        ),
        (
            free(json!({"denominations": [300, "100.5", 300, 0.001]})),
            json!([10_050, 30_000]),
            json!(10_050),
            json!(30_000),
        ),
        (free(json!({"denominations": "300, 100"})), json!([10_000, 30_000]), json!(10_000), json!(30_000)),
        (
            free(json!({"minPrice": "10", "maxPrice": 12})),
            json!([1000, 1050, 1100, 1150, 1200]),
            json!(1000),
            json!(1200),
        ),
        (free(json!({"minPrice": 10})), json!([1000]), json!(1000), Value::Null),
        (free(json!({})), json!([]), Value::Null, Value::Null),
    ];
    let offers: Vec<Value> = cases.iter().map(|(offer, ..)| offer.clone()).collect();
    list(&system, &offers).await;
    let catalog = system.anonymous().get(CATALOG).await;
    for (at, (offer, options, min, max)) in cases.iter().enumerate() {
        let item = catalog.at(&format!("/data/{at}"));
        assert_eq!(
            [&item["priceOptions"], &item["minValue"], &item["maxValue"]],
            [options, min, max],
            "{offer}"
        );
    }
}

#[tokio::test]
async fn a_catalog_that_cannot_be_read_says_so_and_nothing_of_the_inside() {
    let system = System::start().await;
    for (kind, value) in [
        ("status", json!(500)),
        ("status", json!(404)),
        ("status", json!(401)),
        ("status", json!(429)),
        ("drop", Value::Null),
        ("body", json!("{\"offers\": [")),
        ("body", json!("{}")),
    ] {
        system.network_fault("GET /v1/merchants/1001/offers", kind, value.clone()).await;
        let failed = system.anonymous().get(CATALOG).await;
        let expected = not_found("The catalog could not be read. Please try again.");
        assert_eq!((failed.status, &failed.body), (500, &expected), "{kind} {value}");
        assert_eq!(failed.header("cache-control"), Some("no-store"));
    }
    system.network_fault("*", "timeout", Value::Null).await;
    let limit = Duration::from_secs(15);
    let silent = tokio::time::timeout(limit, system.anonymous().get(CATALOG)).await;
    assert_eq!(silent.expect("an answer within 15 seconds").status, 500);
}

#[tokio::test]
async fn a_shop_whose_merchant_cannot_be_read_fails_without_a_word_of_why() {
    let system = System::start().await;
    system
        .faults(json!([{"target": "dynamodb", "match": "GetItem", "kind": "throttle", "times": "always"}]))
        .await;
    for path in [AURORA, CATALOG] {
        let failed = system.anonymous().get(path).await;
        let expected = json!({"ok": false, "error": "Something went wrong. Please try again."});
        assert_eq!((failed.status, &failed.body), (500, &expected));
        assert_eq!(failed.header("cache-control"), Some("no-store"));
    }
}

/// Uploads an image for an offer, and returns the path that it is served at.
async fn uploaded(system: &System, bytes: &[u8]) -> String {
    let head = b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"card.png\"\r\n\r\n";
    let form = [head, bytes, b"\r\n--b--\r\n"].concat();
    let office = system.user("u-admin").await;
    let request = office.request(Method::POST, "/api/bff/offers/media").body(form);
    let stored = Caller::answer(request.header("content-type", "multipart/form-data; boundary=b")).await;
    let url = stored.text("/data/previewUrl");
    url.strip_prefix(&system.local.listening.api).unwrap().to_owned()
}

/// Asks for an image, which may say that they have this one.
async fn fetch(system: &System, path: &str, known: Option<&str>) -> Response {
    let request = system.anonymous().request(Method::GET, path);
    let request = if let Some(tag) = known { request.header("if-none-match", tag) } else { request };
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

#[tokio::test]
async fn an_image_comes_back_byte_by_byte_and_is_kept_for_a_year() {
    let system = System::start().await;
    let path = uploaded(&system, PNG).await;
    let image = fetch(&system, &path, None).await;
    assert_eq!(image.status(), 200);
    let forever = Some("public, max-age=31536000, immutable");
    for (name, expected) in [
        ("content-type", Some("image/png")),
        ("x-content-type-options", Some("nosniff")),
        ("cache-control", forever),
    ] {
        assert_eq!(header(&image, name), expected, "{name}");
    }
    assert!(header(&image, "x-request-id").is_some());
    let tag = header(&image, "etag").unwrap().to_owned();
    assert_eq!(image.bytes().await.unwrap(), PNG);

    for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
        let same = fetch(&system, &path, Some(&known)).await;
        assert_eq!(same.status(), 304, "{known}");
        assert_eq!((header(&same, "etag"), header(&same, "cache-control")), (Some(&*tag), forever));
        assert!(same.bytes().await.unwrap().is_empty());
    }
    let other = fetch(&system, &path, Some("\"other\"")).await;
    assert_eq!((other.status().as_u16(), other.bytes().await.unwrap().as_ref()), (200, PNG));
}

#[tokio::test]
async fn the_largest_image_fits() {
    let system = System::start().await;
    let mut large = PNG.to_vec();
    large.resize(4 * 1024 * 1024, 0xff);
    let path = uploaded(&system, &large).await;
    assert_eq!(fetch(&system, &path, None).await.bytes().await.unwrap(), large);
}

#[tokio::test]
async fn nothing_but_an_uploaded_image_is_served() {
    let system = System::start().await;
    let path = uploaded(&system, PNG).await;
    let (before, key) = path.split_once("designs%2F").unwrap();
    let id = key.strip_suffix("-card.png").unwrap();
    let other = "0199c1f2-7a3b-7c4d-8e5f-0123456789ab";
    for path in [
        IMAGE.to_owned(),
        format!("{IMAGE}?key="),
        format!("{IMAGE}?key={key}"),
        format!("{IMAGE}?key=/public/gift-cards/designs/{key}"),
        format!("{IMAGE}?key=public/gift-cards/designs/../designs/{key}"),
        format!("{IMAGE}?key=m-aurora/onboarding/documents/{key}"),
        format!("{IMAGE}?KEY=public/gift-cards/designs/{key}"),
        format!("{before}designs%2F{id}"),
        format!("{before}designs%2F{}-card.png", id.to_uppercase()),
        format!("{before}designs%2F{other}-card.png"),
        format!("{path}%00"),
        format!("{path}/"),
    ] {
        let missing = system.anonymous().get(&path).await;
        assert_eq!((missing.status, &missing.body), (404, &not_found("There is no such image.")), "{path}");
        assert_eq!(missing.header("cache-control"), Some("no-store"), "{path}");
    }
    let unescaped = format!("{IMAGE}?key=public/gift-cards/designs/{key}");
    assert_eq!(fetch(&system, &unescaped, None).await.status(), 200);
}

#[tokio::test]
async fn an_image_that_cannot_be_read_is_no_missing_one() {
    let system = System::start().await;
    let path = uploaded(&system, PNG).await;
    system.faults(json!([{"target": "s3", "match": "GetObject", "kind": "status", "value": 500, "times": "always"}])).await;
    let failed = system.anonymous().get(&path).await;
    assert_eq!(
        (failed.status, failed.at("/error")),
        (500, &json!("Something went wrong. Please try again."))
    );
    assert_eq!(failed.header("cache-control"), Some("no-store"));
}
