//! The browser clients: static files, each client on an origin of its own.
//!
//! The dashboard and the till are on the API's host: to browsers, these are one site, as in production. The shop and the
//! storefront are on the machine's other name, which makes them other sites. Debug builds read the files from `clients/` at
//! each request; release builds contain them. The storefront's pages come from its function, as in production.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use percent_encoding::percent_decode_str;
use rust_embed::RustEmbed;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use upstreams::guard::Guard;

use crate::gateway::Gateway;
use crate::{check_host, check_origin};

/// All files of the clients.
#[derive(RustEmbed)]
#[folder = "../clients"]
struct Files;

/// A client that is served from its own origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Client {
    Dashboard,
    Till,
    Shop,
    Storefront,
}

impl Client {
    /// In the order of their ports.
    const ALL: [Self; 4] = [Self::Dashboard, Self::Till, Self::Shop, Self::Storefront];

    fn folder(self) -> &'static str {
        match self {
            Self::Dashboard => "dashboard",
            Self::Till => "till",
            Self::Shop => "shop",
            Self::Storefront => "storefront",
        }
    }

    /// The till opens without a connection, by a service worker. Its registration needs a policy of Trusted Types.
    fn additional_policy(self) -> &'static str {
        match self {
            Self::Till => " till-worker; worker-src 'self'",
            Self::Dashboard | Self::Shop | Self::Storefront => "; worker-src 'none'",
        }
    }

    /// A name of this machine. Pages of `localhost` and `127.0.0.1` belong to different sites.
    fn host(self) -> &'static str {
        match self {
            Self::Dashboard | Self::Till => "127.0.0.1",
            Self::Shop | Self::Storefront => "localhost",
        }
    }
}

/// Base URLs, without a trailing slash.
#[derive(Debug, Clone, Serialize)]
pub struct ClientAddresses {
    pub dashboard: String,
    pub till: String,
    pub shop: String,
    pub storefront: String,
}

/// The listeners of all clients.
#[derive(Debug)]
pub(crate) struct Clients {
    listeners: Vec<(Client, TcpListener)>,
    pub(crate) addresses: ClientAddresses,
}

impl Clients {
    /// Listens on the four ports after the API's, and on a free port for each of them that is taken.
    pub(crate) async fn listen(api_port: u16) -> std::io::Result<Self> {
        let mut listeners = Vec::new();
        for (number, client) in (1..).zip(Client::ALL) {
            let port = if api_port == 0 { 0 } else { api_port.checked_add(number).unwrap_or(0) };
            listeners.push((client, listen(port).await?));
        }
        let address = |wanted: Client| {
            let found = listeners.iter().find(|(client, _)| *client == wanted);
            let port = found.and_then(|(_, listener)| listener.local_addr().ok()).map_or(0, |at| at.port());
            format!("http://{}:{port}", wanted.host())
        };
        let addresses = ClientAddresses {
            dashboard: address(Client::Dashboard),
            till: address(Client::Till),
            shop: address(Client::Shop),
            storefront: address(Client::Storefront),
        };
        Ok(Self { listeners, addresses })
    }

    /// Returns a server for each client.
    pub(crate) fn servers(self, api: &str, guard: &Guard, gateway: &Arc<Gateway>) -> Vec<(TcpListener, Router)> {
        let config = config(api, &self.addresses);
        let serve = |(client, listener): (Client, TcpListener)| {
            let site = Site {
                folder: client.folder(),
                config: config.clone(),
                policy: content_security_policy(&format!("'self' {api}")) + client.additional_policy(),
            };
            let router = match client {
                Client::Storefront => Router::new().fallback(serve_shop).with_state((site, gateway.clone())),
                Client::Dashboard | Client::Till | Client::Shop => Router::new().fallback(serve_page).with_state(site),
            };
            let router = router
                .layer(middleware::from_fn_with_state(guard.clone(), check_origin))
                .layer(middleware::from_fn_with_state(guard.clone(), check_host));
            (listener, router)
        };
        self.listeners.into_iter().map(serve).collect()
    }
}

async fn listen(port: u16) -> std::io::Result<TcpListener> {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await,
        listener => listener,
    }
}

/// The files of one origin, and what belongs to all of them.
#[derive(Debug, Clone)]
pub(crate) struct Site {
    folder: &'static str,
    /// The module `/config.js`.
    config: String,
    policy: String,
}

impl Site {
    /// The console of the local system, on the API's own origin.
    pub(crate) fn console(api: &str, addresses: &ClientAddresses) -> Self {
        let policy = content_security_policy("'self'") + "; worker-src 'none'; frame-src 'self'";
        Self { folder: "console", config: config(api, addresses), policy }
    }

    /// The file at exactly this path, or `None`.
    pub(crate) fn file(&self, path: &str, request_headers: &HeaderMap) -> Option<Response> {
        let policy = HeaderValue::try_from(&self.policy).ok()?;
        if path == "/config.js" {
            let content_type = HeaderValue::from_static("text/javascript");
            return Some(([(header::CONTENT_TYPE, content_type)], self.config.clone()).into_response());
        }
        let name = self.file_name(path);
        let mut response = file(&name, request_headers)?;
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        Some(response)
    }

    /// Where the file of a path is in `clients/`.
    fn file_name(&self, path: &str) -> String {
        let path = path.trim_start_matches('/');
        let (first, rest) = path.split_once('/').unwrap_or((path, ""));
        match (first, rest) {
            ("", _) => format!("{}/index.html", self.folder),
            ("kit", rest) => format!("kit/{rest}"),
            ("portal-api", rest) => format!("typescript/{rest}"),
            ("widget", rest) if ["shop", "dashboard"].contains(&self.folder) => format!("widget/{rest}"),
            _ => format!("{}/{path}", self.folder),
        }
    }
}

/// Paths without a file extension are pages of the client, which shows them itself.
async fn serve_page(State(site): State<Site>, request: Request<Body>) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    let path = request.uri().path();
    let file = site.file(if is_page(path) { "/" } else { path }, request.headers());
    file.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
}

fn is_page(path: &str) -> bool {
    !path.rsplit('/').next().unwrap_or_default().contains('.')
}

/// The page of `/{slug}` is that of `GET /shop/{slug}`. Other files are shared ones.
async fn serve_shop(
    State((site, gateway)): State<(Site, Arc<Gateway>)>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    mut request: Request<Body>,
) -> Response {
    if !is_page(request.uri().path()) {
        return serve_page(State(site), request).await;
    }
    *request.uri_mut() = shop_uri(request.uri().path());
    gateway.handle(client, request).await
}

/// Paths that are no slug lead to the page that says so.
fn shop_uri(path: &str) -> Uri {
    let slug = path.trim_matches('/');
    let is_slug = !slug.contains('/') && percent_decode_str(slug).decode_utf8().is_ok();
    let uri = format!("/shop/{}", if is_slug { slug } else { "" });
    Uri::try_from(uri).unwrap_or_else(|_| Uri::from_static("/shop/"))
}

/// The release of the widget that is served.
#[derive(Debug, Deserialize)]
struct WidgetRelease {
    version: String,
}

/// A file of the widget, for pages of any site: under its version for ever, under its major version as long as that moves.
pub(crate) fn widget_file(path: &str, request_headers: &HeaderMap) -> Option<Response> {
    let (version, name) = path.strip_prefix("/widget/")?.split_once('/')?;
    let release = Files::get("widget/release.json")?;
    let release: WidgetRelease = serde_json::from_slice(&release.data).ok()?;
    let cache_control = if version == release.version {
        "public, max-age=31536000, immutable"
    } else if Some(version) == release.version.split('.').next() {
        "public, max-age=3600"
    } else {
        return None;
    };
    let mut response = file(&format!("widget/{name}"), request_headers)?;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    let resource_policy = HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(resource_policy, HeaderValue::from_static("cross-origin"));
    Some(response)
}

/// A file of `clients/`, or `None`.
pub(crate) fn file(name: &str, request_headers: &HeaderMap) -> Option<Response> {
    let file = Files::get(name)?;
    let etag = HeaderValue::try_from(format!("\"{}\"", hex::encode(file.metadata.sha256_hash()))).ok()?;
    let content_type = HeaderValue::try_from(file.metadata.mimetype()).ok()?;
    let is_unchanged = request_headers.get(header::IF_NONE_MATCH) == Some(&etag);
    let body = if is_unchanged { Body::empty() } else { Body::from(file.data.into_owned()) };
    let headers = [
        (header::CONTENT_TYPE, content_type),
        (header::ETAG, etag),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    ];
    let status = if is_unchanged { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    Some((status, headers, body).into_response())
}

/// The policy of every page: no inline scripts or styles, no scripts of other hosts, and no markup from strings but Lit's. Ends
/// with the list of policies of Trusted Types.
fn content_security_policy(connect: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https: http:; \
         connect-src {connect}; media-src 'self' blob:; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html"
    )
}

/// The module `/config.js`: the base URLs of this system. A deployed client has a file of this name.
fn config(api: &str, addresses: &ClientAddresses) -> String {
    #[derive(Serialize)]
    struct Urls<'a> {
        api: &'a str,
        #[serde(flatten)]
        clients: &'a ClientAddresses,
    }
    let urls = serde_json::json!(Urls { api, clients: addresses });
    format!("export const config = {urls:#};\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_files_of_the_client_and_to_shared_ones() {
        let site = |folder| Site { folder, config: String::new(), policy: String::new() };
        for (folder, path, expected) in [
            ("till", "/", "till/index.html"),
            ("till", "/app.js", "till/app.js"),
            ("till", "/views/sell.js", "till/views/sell.js"),
            ("till", "/kit/vendor/lit.js", "kit/vendor/lit.js"),
            ("till", "/portal-api/index.js", "typescript/index.js"),
            ("till", "/widget/x.js", "till/widget/x.js"),
            ("shop", "/widget/x.js", "widget/x.js"),
            ("dashboard", "/widget/x.js", "widget/x.js"),
        ] {
            assert_eq!(site(folder).file_name(path), expected, "{folder} {path}");
        }
    }

    #[test]
    fn pages_of_the_storefront_are_those_of_the_function() {
        for (path, expected) in [
            ("/aurora-coffee", "/shop/aurora-coffee"),
            ("/aurora-coffee/", "/shop/aurora-coffee"),
            ("/caf%C3%A9", "/shop/caf%C3%A9"),
            ("/", "/shop/"),
            ("/a/b", "/shop/"),
            ("/%E0%A4%A", "/shop/"),
        ] {
            assert_eq!(shop_uri(path), expected, "{path}");
        }
    }

    #[test]
    fn files_outside_of_the_clients_are_not_served() {
        let site = Site { folder: "till", config: String::new(), policy: String::new() };
        for path in ["/../../Cargo.toml", "/kit/../../Cargo.toml", "/kit/", "//etc/passwd"] {
            assert!(site.file(path, &HeaderMap::new()).is_none(), "{path}");
        }
    }
}
