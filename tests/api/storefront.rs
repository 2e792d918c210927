//! The public shop: merchant, catalog, and gift card images.

use std::time::Duration;

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use world::shop::{merchant, offer, with};
use world::{ApiResponse, PNG, System, get, send};

const AURORA: &str = "/api/merchants/aurora-coffee";
const CATALOG: &str = "/api/merchants/aurora-coffee/catalog";
const IMAGE: &str = "/api/public/gift-card-image";

fn refused(status: u16, message: &str) -> (u16, Value) {
    (status, json!({"ok": false, "error": message}))
}

async fn load_full_shop(system: &System) {
    let fields = json!({
        "slug": "full-shop", "name": "Full Shop", "brand": {"logoUrl": "https://full.example/logo.png"},
        "storefront": {
            "description": "Everything", "primaryColor": "#1f4e5f", "secondaryColor": "#f4b942",
            "homeUrl": "https://full.example", "fraudSiteId": "site-1", "analyticsId": "analytics-1",
            "popularGiftCardAmount": 50_000
        }
    });
    system.load_fixtures(&json!({"merchants": [merchant("m-full", "1001", "SEK", &fields)]})).await;
}

#[tokio::test]
async fn returns_the_merchant_and_appearance_of_a_shop() {
    let system = System::start().await;
    load_full_shop(&system).await;
    let anonymous = system.anonymous();
    let full = anonymous.get("/api/merchants/full-shop").await;
    assert_json_snapshot!("storefront_merchant", full);
    assert_eq!(full.header("cache-control"), Some("no-store"));
    assert_json_snapshot!("storefront_merchant_of_whom_little_is_known", anonymous.get("/api/merchants/bare").await);
}

#[tokio::test]
async fn returns_404_unless_the_merchant_is_active() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    let mut slugs = ["nowhere", "m-aurora", "Aurora-Coffee", "%20", "", "%23", &"s".repeat(3000)].map(str::to_owned).to_vec();
    for status in
        ["DRAFT", "SUBMITTED", "WAITING_FOR_INFO", "KYB_IN_PROGRESS", "DECISION_PENDING", "INACTIVE", "SUSPENDED", "DECLINED"]
    {
        let slug = format!("m-{}", status.to_lowercase());
        system.load_fixtures(&json!({"merchants": [merchant(&slug, "1001", "SEK", &json!({"status": status}))]})).await;
        slugs.push(slug);
    }
    for slug in slugs {
        for path in [format!("/api/merchants/{slug}"), format!("/api/merchants/{slug}/catalog")] {
            let response = anonymous.get(&path).await;
            assert_eq!(response.reply(), refused(404, "There is no such shop."), "{path}");
            assert_eq!(response.header("cache-control"), Some("no-store"), "{path}");
        }
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new(), "a closed shop makes no network calls");
}

#[tokio::test]
async fn returns_the_current_terms_url_or_null() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    let terms = async || anonymous.get(AURORA).await.at("/data/termsUrl").clone();
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
        system.set_network_fault("GET /v1/merchants/1001", kind, value.clone()).await;
        assert_eq!(terms().await, Value::Null, "{kind} {value}");
    }
    system.set_network_fault("GET /v1/merchants/1001", "body", json!("{\"termsUrl\": \"https://new.example\"}")).await;
    assert_eq!(terms().await, "https://new.example", "the terms are not cached");
    system.set_faults(json!([{"target": "card-network", "match": "*", "kind": "status", "value": 503}])).await;
    assert_eq!(terms().await, "https://network.example/terms", "the lookup is retried");
    assert_eq!(anonymous.get("/api/merchants/rival-tea").await.at("/data/termsUrl"), &Value::Null);
}

#[tokio::test]
async fn publishes_only_http_urls_in_a_form_that_can_be_embedded() {
    let system = System::start().await;
    for (number, (url, expected)) in (0..).zip([
        ("https://a.example/x", json!("https://a.example/x")),
        ("http://a.example:81/x?y=1", json!("http://a.example:81/x?y=1")),
        ("https://a.example/it's\"<b>\\", json!("https://a.example/it%27s%22%3Cb%3E%5C")),
        ("javascript:alert(1)", Value::Null),
        ("JavaScript://a.example/%0aalert(1)", Value::Null),
        ("java\tscript:alert(1)", Value::Null),
        ("data:text/html,x", Value::Null),
        ("//a.example/x", Value::Null),
        ("/\\a.example", Value::Null),
        ("a.example/x", Value::Null),
    ]) {
        let (slug, account) = (format!("links-{number}"), format!("11{number:02}"));
        let offer_fields = json!({"defaultPrice": 10, "giftCardDesign": [{"urlImage": url}]});
        let fixtures = json!({
            "merchants": [merchant(&slug, &account, "SEK", &json!({"brand": {"logoUrl": url}, "storefront": {"homeUrl": url}}))],
            "cardNetwork": {
                "merchants": [{"merchantId": account, "name": "Links", "termsUrl": url}],
                "offers": [offer(&account, 900 + number, &offer_fields)],
            }
        });
        system.load_fixtures(&fixtures).await;
        let merchant = system.anonymous().get(&format!("/api/merchants/{slug}")).await;
        for field in ["logoUrl", "homeUrl", "termsUrl"] {
            assert_eq!(merchant.at(&format!("/data/{field}")), &expected, "{field}: {url:?}");
        }
        let catalog = system.anonymous().get(&format!("/api/merchants/{slug}/catalog")).await;
        assert_eq!(catalog.at("/data/0/imageUrl"), &expected, "{url:?}");
    }
}

#[tokio::test]
async fn waits_at_most_two_seconds_for_the_terms() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    let get_within = |limit, path| tokio::time::timeout(Duration::from_millis(limit), anonymous.get(path));
    system.set_network_fault("GET /v1/merchants/*", "delay", json!(1000)).await;
    let delayed = get_within(2000, AURORA).await.expect("within 2 seconds");
    assert_eq!(delayed.at("/data/termsUrl"), "https://network.example/terms");
    for (kind, value) in [("timeout", Value::Null), ("delay", json!(5000))] {
        system.set_network_fault("GET /v1/merchants/*", kind, value).await;
        let without_terms = get_within(3000, AURORA).await.unwrap_or_else(|_| panic!("{kind}: not within 3 seconds"));
        assert_eq!((without_terms.status, without_terms.at("/data/termsUrl")), (200, &Value::Null), "{kind}");
    }
}

#[tokio::test]
async fn catalog_lists_offers_with_their_prices() {
    let system = System::start().await;
    load_full_shop(&system).await;
    let anonymous = system.anonymous();
    let catalog = anonymous.get("/api/merchants/full-shop/catalog").await;
    assert_json_snapshot!("storefront_catalog", catalog);
    assert_eq!(catalog.header("cache-control"), Some("no-store"));
    assert_eq!(anonymous.get(CATALOG).await.at("/meta"), &json!({"popularAmount": null}));
    let options = async |slug: &str| {
        let catalog = anonymous.get(&format!("/api/merchants/{slug}/catalog")).await;
        ["currency", "priceOptions", "minValue", "maxValue"].map(|name| catalog.at("/data/0")[name].clone())
    };
    let yen = [json!("JPY"), json!([500, 10_000, 20_000, 30_000, 40_000, 50_000]), json!(500), json!(50_000)];
    assert_eq!(options("hinode").await, yen);
    let dinar = [json!("KWD"), json!([1000, 20_000, 40_000, 60_000, 80_000, 100_000]), json!(1000), json!(100_000)];
    assert_eq!(options("souk").await, dinar);
}

#[tokio::test]
async fn catalog_is_empty_without_a_network_account() {
    let system = System::start().await;
    let empty = json!({"ok": true, "data": [], "meta": {"popularAmount": null}});
    assert_eq!(system.anonymous().get("/api/merchants/bare/catalog").await.reply(), (200, empty));
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

/// Makes the card network return these offers to every caller. Missing fields default to those of an offer on sale.
async fn set_network_offers(system: &System, offers: &[Value]) {
    let on_sale = offer("1001", 1, &json!({"name": "Card", "currency": "SEK", "defaultPrice": 100}));
    let offers: Vec<Value> = offers.iter().map(|changes| with(on_sale.clone(), changes)).collect();
    let body = json!({"offers": offers}).to_string();
    system.set_network_fault("GET /v1/merchants/1001/offers", "body", json!(body)).await;
}

#[tokio::test]
async fn catalog_lists_only_the_merchants_own_offers_on_sale() {
    let system = System::start().await;
    let offers = [
        json!({"giftCardOfferId": 9, "availableForPurchaseTime": "2020-01-01T00:00:00Z"}),
        json!({"giftCardOfferId": 8, "expireForPurchaseTime": "2999-01-01T00:00:00Z"}),
        json!({"giftCardOfferId": 7, "availableForPurchaseTime": " ", "expireForPurchaseTime": ""}),
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
        json!({"minPrice": 20, "maxPrice": 10}),
        json!({"denominations": [0.001, 0]}),
        json!({"giftCardOfferId": null}),
    ];
    set_network_offers(&system, &offers).await;
    let catalog = system.anonymous().get(CATALOG).await;
    assert_eq!(catalog.each("/data", "id"), ["9", "8", "7", "6"]);
    let items = catalog.list("/data");
    assert!(items.iter().all(|item| item["merchantId"] == "m-aurora" && item["currency"] == "SEK"), "{items:?}");
}

#[tokio::test]
async fn prices_are_exact_in_minor_units() {
    let system = System::start().await;
    let denominations = json!({"defaultPrice": null, "denominations": [300, "100.5", 300, 0.001]});
    let cases = [
        (json!({"defaultPrice": "250.50"}), json!([25_050]), json!(25_050), json!(25_050)),
        (denominations, json!([10_050, 30_000]), json!(10_050), json!(30_000)),
        (json!({"defaultPrice": null}), json!([]), Value::Null, Value::Null),
    ];
    let offers: Vec<Value> = cases.iter().map(|(offer, ..)| offer.clone()).collect();
    set_network_offers(&system, &offers).await;
    let catalog = system.anonymous().get(CATALOG).await;
    for (at, (offer, options, min, max)) in cases.iter().enumerate() {
        let item = catalog.at(&format!("/data/{at}"));
        assert_eq!([&item["priceOptions"], &item["minValue"], &item["maxValue"]], [options, min, max], "{offer}");
    }
}

#[tokio::test]
async fn the_popular_amount_is_among_the_price_options_that_can_be_sold() {
    let system = System::start().await;
    load_full_shop(&system).await;
    let cases = [
        (json!({"minPrice": 400, "maxPrice": 1000}), json!([40_000, 50_000, 60_000, 80_000, 100_000])),
        (json!({"minPrice": 400, "maxPrice": 1000, "currency": "EUR"}), json!([40_000, 60_000, 80_000, 100_000])),
    ];
    let offers: Vec<Value> = cases.iter().map(|(fields, _)| with(json!({"defaultPrice": null}), fields)).collect();
    set_network_offers(&system, &offers).await;
    let catalog = system.anonymous().get("/api/merchants/full-shop/catalog").await;
    for (at, (offer, options)) in cases.iter().enumerate() {
        assert_eq!(catalog.at(&format!("/data/{at}/priceOptions")), options, "{offer}");
    }
}

#[tokio::test]
async fn unavailable_catalog_returns_500_without_internal_details() {
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
        system.set_network_fault("GET /v1/merchants/1001/offers", kind, value.clone()).await;
        let failed = system.anonymous().get(CATALOG).await;
        assert_eq!(failed.reply(), refused(500, "The catalog could not be read. Please try again."), "{kind} {value}");
        assert_eq!(failed.header("cache-control"), Some("no-store"));
    }
    system.set_network_fault("*", "timeout", Value::Null).await;
    let limit = Duration::from_secs(15);
    let timed_out = tokio::time::timeout(limit, system.anonymous().get(CATALOG)).await;
    assert_eq!(timed_out.expect("response arrives within 15 seconds").status, 500);
}

#[tokio::test]
async fn a_busy_table_returns_503_without_internal_details() {
    let system = System::start().await;
    system.set_fault("dynamodb", "GetItem", "throttle", ()).await;
    for path in [AURORA, CATALOG] {
        let failed = system.anonymous().get(path).await;
        assert_eq!(failed.reply(), refused(503, "The service is busy. Please try again."));
        assert_eq!((failed.header("cache-control"), failed.header("retry-after")), (Some("no-store"), Some("2")));
    }
}

async fn upload_image(system: &System, bytes: &[u8]) -> String {
    let stored = system.sign_in("u-admin").await.upload("/api/bff/offers/media", "card.png", bytes).await;
    let url = stored.text("/data/previewUrl");
    url.strip_prefix(&system.local.listening.api).unwrap().to_owned()
}

/// Requests an image, with `if-none-match` if an entity tag is set.
async fn get_image(system: &System, path: &str, etag: Option<&str>) -> ApiResponse {
    let mut request = system.anonymous().request(Method::GET, path);
    if let Some(etag) = etag {
        request = request.header("if-none-match", etag);
    }
    send(request).await.unwrap()
}

const ISOLATED: Option<&str> = Some("default-src 'none'; sandbox");

#[tokio::test]
async fn serves_an_image_unchanged_and_cacheable_for_an_hour() {
    let system = System::start().await;
    let path = upload_image(&system, PNG).await;
    let image = get_image(&system, &path, None).await;
    assert_eq!(image.status, 200);
    let caching = Some("public, max-age=3600, s-maxage=0, stale-if-error=0");
    for (name, expected) in [
        ("content-type", Some("image/png")),
        ("x-content-type-options", Some("nosniff")),
        ("content-security-policy", ISOLATED),
        ("cache-control", caching),
    ] {
        assert_eq!(image.header(name), expected, "{name}");
    }
    assert!(image.header("x-request-id").is_some());
    let etag = image.header("etag").unwrap().to_owned();
    assert_eq!(image.bytes, PNG);

    for condition in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}"), "*".to_owned()] {
        let not_modified = get_image(&system, &path, Some(&condition)).await;
        assert_eq!(not_modified.status, 304, "{condition}");
        assert_eq!((not_modified.header("etag"), not_modified.header("cache-control")), (Some(&*etag), caching));
        assert_eq!(not_modified.header("content-security-policy"), ISOLATED);
        assert!(not_modified.bytes.is_empty());
    }
    for condition in ["\"other\"", etag.trim_matches('"'), ""] {
        let other = get_image(&system, &path, Some(condition)).await;
        assert_eq!((other.status, &other.bytes[..]), (200, PNG), "{condition}");
    }

    let several = system.anonymous().request(Method::GET, &path).header("if-none-match", "\"other\"");
    assert_eq!(send(several.header("if-none-match", &etag)).await.unwrap().status, 304, "several headers");

    let reads = || async { system.usage().await["storefront"]["S3.GetObject"]["calls"].clone() };
    let before = reads().await;
    assert_eq!(get_image(&system, &path, Some(&etag)).await.status, 304);
    assert_eq!(reads().await, before, "what has not changed is not read");
}

#[tokio::test]
async fn serves_an_image_of_the_maximum_size() {
    let system = System::start().await;
    // Another chunk before the last one, of 12 bytes and its data.
    let (image, end) = PNG.split_at(PNG.len() - 12);
    let length = 4 * 1024 * 1024 - PNG.len() - 12;
    let data = u32::try_from(length).unwrap().to_be_bytes();
    let large = [image, &data, b"IDAT", &vec![0xff; length], &[0; 4], end].concat();
    assert_eq!(large.len(), 4 * 1024 * 1024);
    assert_eq!(get_image(&system, &upload_image(&system, &large).await, None).await.bytes, large);
}

#[tokio::test]
async fn serves_only_uploaded_images() {
    let system = System::start().await;
    let path = upload_image(&system, PNG).await;
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
        format!("{before}designs%2F{id}-"),
        format!("{before}designs%2F{id}-a/b.png"),
        format!("{before}designs%2F{id}-%C3%A5.png"),
        format!("{before}designs%2F{}-card.png", id.to_uppercase()),
        format!("{before}designs%2F{other}-card.png"),
        format!("{path}%00"),
        format!("{path}/"),
    ] {
        let missing = system.anonymous().get(&path).await;
        assert_eq!(missing.reply(), refused(404, "There is no such image."), "{path}");
        assert_eq!(missing.header("cache-control"), Some("no-store"), "{path}");
    }
    let unescaped = format!("{IMAGE}?key=public/gift-cards/designs/{key}");
    assert_eq!(get_image(&system, &unescaped, None).await.status, 200);
}

#[tokio::test]
async fn returns_500_if_an_image_cannot_be_read() {
    let system = System::start().await;
    let path = upload_image(&system, PNG).await;
    system.set_fault("s3", "GetObject", "status", 500).await;
    let failed = system.anonymous().get(&path).await;
    assert_eq!((failed.status, failed.at("/error")), (500, &json!("Something went wrong. Please try again.")));
    assert_eq!(failed.header("cache-control"), Some("no-store"));
}

/// The HTML of a shop's page with a line for each element, and without the content of its styles and its script.
fn readable(html: &str) -> String {
    let without = |html: String, start: &str, end: &str| {
        let mut parts = html.split(start);
        let first = parts.next().unwrap().to_owned();
        parts.fold(first, |shown, part| shown + start + "…" + &part[part.find(end).unwrap()..])
    };
    let html = without(html.to_owned(), "<style>", "</style>");
    without(html, "<script>", "</script>").replace("><", ">\n<")
}

/// What the page of a shop contains between `start` and the next `end`.
fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    html.split_once(start).and_then(|(_, rest)| rest.split_once(end)).unwrap_or_else(|| panic!("no {start}: {html}")).0
}

/// Loads a shop that is called as its slug, with an offer of 250 SEK.
async fn load_shop(system: &System, slug: &str, account: u64, fields: Value) {
    let number = account.to_string();
    let offer = offer(&number, account, &json!({"defaultPrice": 250}));
    let network = json!({"merchants": [{"merchantId": number, "name": slug}], "offers": [offer]});
    let merchant = merchant(slug, &number, "SEK", &fields);
    system.load_fixtures(&json!({"merchants": [merchant], "cardNetwork": network})).await;
}

#[tokio::test]
async fn the_page_of_a_shop_reads_without_javascript() {
    let system = System::start().await;
    load_full_shop(&system).await;
    let page = system.anonymous().get("/shop/full-shop").await;
    assert_eq!(page.status, 200);
    let html = page.body.as_str().unwrap();
    insta::assert_snapshot!("storefront_page", readable(html));
    for (name, expected) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "strict-origin-when-cross-origin"),
    ] {
        assert_eq!(page.header(name), Some(expected), "{name}");
    }
    assert_eq!(page.header("set-cookie"), None);
    for color in ["--brand:#1f4e5f;", "--on-brand:#ffffff;", "--brand-accent:#f4b942;"] {
        assert!(html.contains(color), "{color}");
    }
}

#[tokio::test]
async fn nothing_but_the_page_itself_runs_or_styles() {
    use base64::prelude::{BASE64_STANDARD, Engine};
    use sha2::{Digest, Sha256};

    let system = System::start().await;
    for path in ["/shop/aurora-coffee", "/shop/nobody"] {
        let page = system.anonymous().get(path).await;
        let html = page.body.as_str().unwrap();
        let policy = page.header("content-security-policy").unwrap();
        let directives: Vec<&str> = policy.split("; ").collect();
        for directive in ["default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"] {
            assert!(directives.contains(&directive), "{path} {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("'self'"), "{path} {policy}");
        let hash = |content: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(content)));
        let sources = |name: &str| {
            let directive = directives.iter().find(|directive| directive.starts_with(name)).unwrap();
            directive.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        let contents = |start: &str, end: &str| {
            html.split(start).skip(1).map(|rest| hash(rest.split(end).next().unwrap())).collect::<Vec<_>>()
        };
        assert_eq!(sources("style-src"), contents("<style>", "</style>"), "{path}");
        let scripts = contents("<script>", "</script>");
        let expected = if scripts.is_empty() { vec!["'none'".to_owned()] } else { scripts };
        assert_eq!(sources("script-src"), expected, "{path}");
        assert!(!html.contains(" style=") && !html.contains(" onclick="), "{path}");
    }
}

#[tokio::test]
async fn what_merchants_write_is_text_on_the_page() {
    let system = System::start().await;
    let hostile = "</title></script><!--<script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u{2028}";
    let address = "https://hostile.example/?a=1&b=\"><script>alert(1)</script>#'";
    let fields = json!({
        "name": hostile, "brand": {"logoUrl": address},
        "storefront": {
            "description": hostile, "homeUrl": address, "primaryColor": "red;}</style><script>alert(1)</script>",
            "secondaryColor": "#12345g"
        }
    });
    let offer_fields = json!({
        "name": hostile, "description": hostile, "denominations": [100, 200], "giftCardDesign": [{"urlImage": address}],
    });
    let fixtures = json!({
        "merchants": [merchant("hostile", "1201", "SEK", &fields)],
        "cardNetwork": {
            "merchants": [{"merchantId": "1201", "name": hostile, "termsUrl": address}],
            "offers": [offer("1201", 1201, &offer_fields)],
        }
    });
    system.load_fixtures(&fixtures).await;
    let page = system.anonymous().get("/shop/hostile").await;
    let html = page.body.as_str().unwrap();
    let escaped = "&lt;/title&gt;&lt;/script&gt;&lt;!--&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\
                   &quot;&#39;&amp;\u{2028}";
    assert!(html.contains(&format!("<h1 dir=\"auto\">{escaped}</h1>")), "{html}");
    assert!(html.contains(&format!("<title>Gift cards of {escaped}</title>")), "{html}");
    for markup in ["<script>alert", "<img src=x", "<!--", "\"><script>alert", "</style><script>alert"] {
        assert!(!html.contains(markup), "{markup}");
    }
    assert_eq!(html.matches("<script").count(), 2, "the data and the page's own script");
    let data: Value = serde_json::from_str(between(html, "<script type=\"application/ld+json\">", "</script>")).unwrap();
    assert_eq!(data["@graph"][0]["name"], hostile);
    assert!(html.contains("--brand:#24424f;"), "the default color");

    for home in ["javascript:alert(1)", "JavaScript://a.example/%0aalert(1)", "data:text/html,x", "//a.example", "a.example"] {
        let account = 1300 + u64::try_from(home.len()).unwrap();
        load_shop(&system, &format!("home-{account}"), account, json!({"storefront": {"homeUrl": home}})).await;
        let html = system.anonymous().get(&format!("/shop/home-{account}")).await.content();
        assert!(html.contains("Sold in the shop") && !html.contains("class=\"buy\""), "{home}");
        assert!(!html.to_lowercase().contains("javascript:") && !html.contains("a.example"), "{home}");
    }
}

#[tokio::test]
async fn buy_carries_the_offer_and_the_amount_to_the_shop() {
    let system = System::start().await;
    for (account, (home, expected)) in (1400..).zip([
        ("https://a.example", "https://a.example/?CARD"),
        ("https://a.example/kort?lang=sv&utm=x", "https://a.example/kort?lang=sv&amp;utm=x&amp;CARD"),
        ("https://a.example/?q=%C3%A5+b#cards", "https://a.example/?q=%C3%A5+b&amp;CARD#cards"),
        ("https://a.example/?currency=EUR&a=&amount=1", "https://a.example/?a=&amp;CARD"),
        ("http://a.example:81/x?", "http://a.example:81/x?CARD"),
    ]) {
        load_shop(&system, &format!("buy-{account}"), account, json!({"storefront": {"homeUrl": home}})).await;
        let html = system.anonymous().get(&format!("/shop/buy-{account}")).await.content();
        let link = between(&html, "<a class=\"buy\" href=\"", "\"");
        let card = format!("offer={account}&amp;amount=25000&amp;currency=SEK");
        assert_eq!(link, expected.replace("CARD", &card), "{home}");
    }
}

#[tokio::test]
async fn a_symbol_stands_for_a_currency_that_its_reader_cannot_take_for_another() {
    let system = System::start().await;
    for (account, (currencies, query, amounts, display)) in (1950..).zip([
        (&["SEK", "SEK"][..], "?lang=sv", &["500\u{a0}kr", "500\u{a0}kr"][..], "symbol"),
        (&["SEK"], "?lang=nb", &["500\u{a0}SEK"], "symbol"),
        (&["SEK"], "", &["SEK\u{a0}500"], "symbol"),
        (&["NOK"], "?lang=nb", &["500\u{a0}kr"], "symbol"),
        (&["USD"], "", &["US$500"], "symbol"),
        (&["USD"], "?lang=fr", &["500\u{a0}$US"], "symbol"),
        (&["EUR"], "", &["€500"], "symbol"),
        (&["SEK", "DKK"], "?lang=da", &["500\u{a0}DKK", "500\u{a0}SEK"], "code"),
        (&["SEK", "EUR"], "", &["EUR\u{a0}500", "SEK\u{a0}500"], "code"),
    ]) {
        let (slug, number) = (format!("krona-{account}"), account.to_string());
        let on_sale = |(id, currency): (u64, &&str)| offer(&number, id, &json!({"currency": currency, "defaultPrice": 500}));
        let offers: Vec<Value> = (10 * account..).zip(currencies).map(on_sale).collect();
        let network = json!({"merchants": [{"merchantId": number, "name": "Krona"}], "offers": offers});
        let shop = merchant(&slug, &number, "SEK", &json!({}));
        system.load_fixtures(&json!({"merchants": [shop], "cardNetwork": network})).await;
        let html = get(format!("{}/shop/{slug}{query}", system.local.listening.api)).await.content();
        let mut shown: Vec<&str> =
            html.split("<data value=\"500.00\">").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
        shown.sort_unstable();
        shown.dedup();
        let mut expected = amounts.to_vec();
        expected.dedup();
        assert_eq!(shown, expected, "{currencies:?}");
        let displays = format!("data-display=\"{display}\"");
        assert_eq!(html.matches(&displays).count(), currencies.len(), "{currencies:?}");
    }
}

#[tokio::test]
async fn slugs_in_any_case_lead_to_the_canonical_one() {
    let system = System::start().await;
    let api = &system.local.listening.api;
    for slug in ["Aurora-Coffee", "AURORA-COFFEE", "aurora-coffeE"] {
        let moved = get(format!("{api}/shop/{slug}")).await;
        let headers = ["location", "cache-control"].map(|name| moved.header(name).unwrap());
        assert_eq!((moved.status, headers), (301, ["./aurora-coffee", "no-store"]), "{slug}");
        let json = system.anonymous().get(&format!("/api/merchants/{slug}")).await;
        assert_eq!(json.status, 404, "programs use the slug as it is");
    }
    let html = system.anonymous().get("/shop/aurora-coffee").await.content();
    let canonical = between(&html, "<link rel=\"canonical\" href=\"", "\"");
    assert_eq!(canonical, "https://shop.example/aurora-coffee");
}

#[tokio::test]
async fn errors_of_the_page_are_pages_that_search_engines_leave_out() {
    let system = System::start().await;
    let suspended = json!({"id": "m-shut", "slug": "shut", "status": "SUSPENDED", "name": "Shut"});
    system.load_fixtures(&json!({"merchants": [suspended]})).await;
    let anonymous = system.anonymous();
    for slug in ["nobody", "shut", "SHUT", "m-aurora", "", "%20", "%3Cscript%3E", &"s".repeat(3000)] {
        let missing = anonymous.get(&format!("/shop/{slug}")).await;
        assert_eq!(missing.status, 404, "{slug}");
        assert!(missing.contains("<meta name=\"robots\" content=\"noindex\">"), "{slug}: {missing:?}");
        assert!(missing.contains("<h1>There is no shop at this address.</h1>"), "{slug}: {missing:?}");
        assert_eq!(missing.header("content-type"), Some("text/html; charset=utf-8"), "{slug}");
        assert_eq!(missing.header("cache-control"), Some("no-store"), "{slug}");
    }
    let wrong_method = anonymous.post_empty("/shop/aurora-coffee").await;
    assert_eq!((wrong_method.status, wrong_method.header("allow")), (405, Some("GET,HEAD")));
    assert_eq!(wrong_method.header("content-type"), Some("text/html; charset=utf-8"));

    system.set_network_fault("GET /v1/merchants/1001/offers", "status", json!(500)).await;
    let failed = anonymous.get("/shop/aurora-coffee").await;
    assert_eq!(failed.status, 500);
    assert!(failed.contains("noindex") && failed.contains("The catalog could not be read."), "{failed:?}");
    assert!(anonymous.get("/shop/bare").await.contains("No gift cards yet"));
}

#[tokio::test]
async fn a_page_has_room_for_many_gift_cards() {
    let system = System::start().await;
    let description = "A long story. ".repeat(100);
    let offers: Vec<Value> = (1..=500).map(|id| json!({"giftCardOfferId": id, "description": description})).collect();
    set_network_offers(&system, &offers).await;
    let html = system.anonymous().get("/shop/aurora-coffee").await.ok().content();
    assert!(html.matches("<li class=\"offer\"").count() > 100 && html.len() < 4_000_000, "{}", html.len());
}
