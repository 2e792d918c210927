//! The local system: the browser clients and the console.

use serde_json::{Value, json};
use world::{ApiResponse, System, client, get, send};

fn header<'a>(response: &'a ApiResponse, name: &str) -> &'a str {
    response.header(name).unwrap_or_else(|| panic!("no {name}"))
}

#[tokio::test]
async fn each_client_has_an_origin_with_the_shared_files_and_the_urls_of_the_system() {
    let system = System::start().await;
    let api = &system.local.listening.api;
    let clients = system.local.listening.clients.clone().unwrap();
    for origin in [&clients.dashboard, &clients.till, &clients.shop, &clients.storefront] {
        let script = get(format!("{origin}/kit/vendor/lit.js")).await;
        assert_eq!(script.status, 200, "{origin}");
        assert_eq!(header(&script, "content-type"), "text/javascript");
        let policy = header(&script, "content-security-policy").to_owned();
        assert!(policy.contains(&format!("connect-src 'self' {api};")), "{policy}");
        let etag = header(&script, "etag").to_owned();
        let again = send(client().get(format!("{origin}/kit/vendor/lit.js")).header("if-none-match", etag)).await;
        assert_eq!(again.unwrap().status, 304);

        let config = get(format!("{origin}/config.js")).await.content();
        let urls = config.strip_prefix("export const config = ").unwrap().trim_end().trim_end_matches(';');
        let expected = json!({
            "api": api, "dashboard": clients.dashboard, "till": clients.till, "shop": clients.shop,
            "storefront": clients.storefront,
        });
        assert_eq!(serde_json::from_str::<Value>(urls).unwrap(), expected);
        assert_eq!(get(format!("{origin}/missing.js")).await.status, 404);
    }
    // To a browser, the shop and the storefront are other sites than the API.
    let is_on = |host: &str, url: &str| url.starts_with(&format!("http://{host}:"));
    assert!([api, &clients.dashboard, &clients.till].iter().all(|url| is_on("localhost", url)));
    assert!([&clients.shop, &clients.storefront].iter().all(|url| is_on("127.0.0.1", url)));
}

#[tokio::test]
async fn pages_at_the_address_ask_the_api_at_the_address() {
    let system = System::start().await;
    let api = &system.local.listening.api;
    let clients = system.local.listening.clients.clone().unwrap();
    let at_address = |url: &str| url.replace("localhost", "127.0.0.1");
    for origin in [api, &clients.dashboard, &clients.till] {
        let config = get(format!("{}/config.js", at_address(origin))).await;
        assert!(config.content().contains(&format!("\"api\": \"{}\"", at_address(api))), "{origin}");
        let policy = header(&config, "content-security-policy");
        assert!(policy.contains(&format!("connect-src 'self' {api} {};", at_address(api))), "{policy}");
    }
}

#[tokio::test]
async fn paths_without_an_extension_are_pages_of_a_client() {
    let system = System::start().await;
    let dashboard = system.local.listening.clients.clone().unwrap().dashboard;
    let page = get(format!("{dashboard}/")).await.content();
    assert!(page.starts_with("<!doctype html>"), "{page}");
    assert_eq!(get(format!("{dashboard}/orders/o-1")).await.content(), page);
}

#[tokio::test]
async fn the_storefront_has_the_pages_of_its_function() {
    let system = System::start().await;
    let (api, clients) = (&system.local.listening.api, system.local.listening.clients.clone().unwrap());
    let page = get(format!("{}/aurora-coffee", clients.storefront)).await;
    let of_function = get(format!("{api}/shop/aurora-coffee")).await;
    assert_eq!(header(&page, "content-security-policy"), header(&of_function, "content-security-policy"));
    assert_eq!(page.content(), of_function.content());
    let moved = get(format!("{}/Aurora-Coffee", clients.storefront)).await;
    assert_eq!((moved.status, header(&moved, "location")), (301, "./aurora-coffee"));
    for path in ["/", "/nobody", "/aurora-coffee/cards", "/%E0%A4%A"] {
        let missing = get(format!("{}{path}", clients.storefront)).await;
        assert_eq!(missing.status, 404, "{path}");
        assert_eq!(header(&missing, "content-type"), "text/html; charset=utf-8", "{path}");
    }
}

#[tokio::test]
async fn pages_of_any_site_load_the_widget() {
    let system = System::start().await;
    let api = &system.local.listening.api;
    let release: Value = get(format!("{api}/widget/1/release.json")).await.body;
    let version = release["version"].as_str().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../clients/widget/gift-card-widget.js");
    let script = std::fs::read_to_string(script).unwrap();
    for (address, caching) in [(version, "public, max-age=31536000, immutable"), ("1", "public, max-age=3600")] {
        let url = format!("{api}/widget/{address}/gift-card-widget.js");
        let response = send(client().get(&url).header("origin", "https://shop.example")).await.unwrap();
        assert_eq!(response.status, 200, "{url}");
        for (name, expected) in [
            ("content-type", "text/javascript"),
            ("access-control-allow-origin", "*"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("cache-control", caching),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(header(&response, name), expected, "{url} {name}");
        }
        assert_eq!(response.content(), script);
    }
    for path in
        ["2/gift-card-widget.js", "1.0/gift-card-widget.js", "1/nothing.js", "1/../dashboard/app.js", "gift-card-widget.js"]
    {
        assert_eq!(get(format!("{api}/widget/{path}")).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_console_does_not_hide_the_errors_of_the_api() {
    let system = System::start().await;
    let api = &system.local.listening.api;
    assert_eq!(get(format!("{api}/reference.js")).await.status, 200);
    assert_eq!(get(format!("{api}/reference")).await.status, 200);
    assert!(get(format!("{api}/reference/scalar.js")).await.content().len() > 1_000_000);
    let unknown = get(format!("{api}/nothing")).await;
    assert_eq!(unknown.status, 404);
    assert_eq!(header(&unknown, "content-type"), "application/json");
}

#[tokio::test]
async fn the_console_knows_the_users_and_the_latest_requests() {
    let system = System::start().await;
    let api = &system.local.listening.api;
    let users: Value = get(format!("{api}/__local/users")).await.body;
    let anna = users.as_array().unwrap().iter().find(|user| user["userId"] == "u-admin").unwrap();
    let expected = json!({
        "userId": "u-admin", "name": "Anna Berg", "email": "admin@aurora.example", "merchant": "Aurora Coffee",
        "role": "ADMIN", "isPlatformAdministrator": false, "hasOwnPermissions": false,
    });
    assert_eq!(*anna, expected);

    get(format!("{api}/api/merchants/aurora-coffee?x=1")).await;
    get(format!("{api}/nothing")).await;
    let requests: Value = get(format!("{api}/__local/requests")).await.body;
    let shown = |request: &Value| json!([request["method"], request["path"], request["status"], request["function"]]);
    let shown: Vec<Value> = requests.as_array().unwrap().iter().map(shown).collect();
    let expected = [json!(["GET", "/api/merchants/aurora-coffee", 200, "storefront"]), json!(["GET", "/nothing", 404, null])];
    assert_eq!(shown, expected);
}

#[tokio::test]
async fn only_the_till_may_start_a_service_worker() {
    let system = System::start().await;
    let clients = system.local.listening.clients.clone().unwrap();
    let till = get(format!("{}/worker.js", clients.till)).await;
    assert_eq!(header(&till, "content-type"), "text/javascript");
    let policy = header(&till, "content-security-policy");
    assert!(policy.ends_with("; trusted-types lit-html till-worker; worker-src 'self'"), "{policy}");
    for client in [&system.local.listening.api, &clients.dashboard, &clients.shop] {
        let page = get(format!("{client}/")).await;
        let policy = header(&page, "content-security-policy");
        assert!(policy.contains("; trusted-types lit-html; worker-src 'none'"), "{client}: {policy}");
    }
}

#[tokio::test]
async fn a_mail_is_a_document_without_any_power() {
    let system = System::start().await;
    let api = &system.local.listening.api;
    assert_eq!(get(format!("{api}/__local/mail/0/html")).await.status, 404);
    system.anonymous().post("/api/auth/code", &json!({"email": "admin@aurora.example"})).await.ok();
    system.drain().await;

    let mails = system.emails().await;
    let mail = get(format!("{api}/__local/mail/0/html")).await;
    assert_eq!(mail.status, 200);
    for (name, expected) in [
        ("content-type", "text/html; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        (
            "content-security-policy",
            "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; \
             img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
        ),
    ] {
        assert_eq!(header(&mail, name), expected);
    }
    let shown = mail.content();
    assert_eq!(shown.replace("<base target=\"_blank\">", ""), mails[0]["html"].as_str().unwrap());
    assert_eq!(get(format!("{api}/__local/mail/1/html")).await.status, 404);
}

#[tokio::test]
async fn faults_are_listed_until_they_are_used_up() {
    let system = System::start().await;
    let url = format!("{}/__local/faults", system.local.listening.api);
    let list = async || get(url.clone()).await.body;
    assert_eq!(list().await, json!([]));
    let faults = json!([
        {"target": "card-network", "match": "GET *", "kind": "status", "times": 1, "value": 503},
        {"target": "ses", "match": "*", "kind": "throttle", "times": "always"},
    ]);
    system.set_faults(faults.clone()).await;
    assert_eq!(list().await, faults);
    get(format!("{}/api/merchants/aurora-coffee/catalog", system.local.listening.api)).await;
    assert_eq!(list().await, json!([faults[1]]));
}

#[tokio::test]
async fn signing_in_also_sets_the_cookie() {
    let system = System::start().await;
    let url = format!("{}/__local/sessions", system.local.listening.api);
    let body = json!({"userId": "u-admin"}).to_string();
    let response = send(client().post(url).body(body)).await.unwrap();
    let cookie = header(&response, "set-cookie").to_owned();
    let body: Value = response.body;
    let attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200";
    assert_eq!(cookie, format!("{}{attributes}", body["cookie"].as_str().unwrap()));
}
