//! The local system: which requests its ports reject, because a web page of another site could send them.

use reqwest::{Method, StatusCode};
use world::System;

const DASHBOARD: &str = "https://dashboard.example";
const FORBIDDEN: StatusCode = StatusCode::FORBIDDEN;

/// Returns the URL of a request to each port; several for the API, one of them of the console.
fn urls(system: &System) -> Vec<String> {
    let urls = &system.local.listening;
    let ports = [&urls.dynamodb, &urls.s3, &urls.ses, &urls.secretsmanager, &urls.card_network, &urls.verifier];
    let api = ["/api/bff/merchant", "/__local/mail", "/openapi.json", "/nothing", "/"].map(|path| format!("{}{path}", urls.api));
    let clients = urls.clients.clone().unwrap();
    let clients = [clients.dashboard, clients.till, clients.shop, clients.storefront];
    ports.into_iter().cloned().chain(api).chain(clients).collect()
}

async fn status(method: Method, url: &str, headers: &[(&str, &str)]) -> (StatusCode, bool) {
    let request = world::client().request(method, url);
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    let response = request.send().await.unwrap();
    let has_cors_headers = response.headers().keys().any(|name| name.as_str().starts_with("access-control-"));
    (response.status(), has_cors_headers)
}

#[tokio::test]
async fn every_port_rejects_requests_to_other_hosts_and_of_other_sites() {
    let system = System::with_dashboard_origin(DASHBOARD).await;
    for url in urls(&system) {
        let port = url.split(':').nth(2).unwrap().split('/').next().unwrap().to_owned();
        let own_hosts = ["localhost", "127.0.0.1"].map(|host| format!("{host}:{port}"));
        let rebound = format!("evil.example:{port}");
        for method in [Method::GET, Method::POST, Method::OPTIONS] {
            for headers in [
                vec![("host", rebound.as_str())],
                vec![("host", rebound.as_str()), ("origin", DASHBOARD)],
                vec![("host", "localhost.evil.example")],
                vec![("origin", "https://evil.example")],
                vec![("origin", "null")],
                vec![("origin", "https://dashboard.example.evil.example")],
            ] {
                let rejected = status(method.clone(), &url, &headers).await;
                assert_eq!(rejected, (FORBIDDEN, false), "{method} {url} {headers:?}");
            }
        }
        for headers in [
            vec![],
            vec![("host", own_hosts[0].as_str())],
            vec![("host", own_hosts[1].as_str())],
            vec![("host", "[::1]:8080")],
            vec![("origin", "http://localhost:5173")],
            vec![("origin", DASHBOARD)],
        ] {
            // S3 responds with 403 to requests without a signature.
            let (accepted, _) = status(Method::GET, &url, &headers).await;
            let is_s3 = url == system.local.listening.s3;
            assert!(accepted != FORBIDDEN || is_s3, "{url} {headers:?}");
        }
    }
}

#[tokio::test]
async fn pages_of_any_site_can_call_the_public_routes_of_this_machine() {
    let system = System::start().await;
    for path in ["/api/bff/widget/config", "/api/merchants/aurora-coffee", "/api/merchants/aurora-coffee/catalog"] {
        let url = format!("{}{path}", system.local.listening.api);
        let shop = ("origin", "https://shop.example");
        assert_eq!(status(Method::GET, &url, &[shop]).await, (StatusCode::OK, true), "{path}");
        assert_eq!(status(Method::GET, &url, &[shop, ("host", "evil.example")]).await, (FORBIDDEN, false), "{path}");
    }
}
