//! The browser clients: static files, each client on an origin of its own.
//!
//! The dashboard and the till are on the API's host: to browsers, these are one site, as in production. The shop and the
//! storefront are at the machine's address, which makes them other sites. Debug builds read the files from `clients/` at
//! each request; release builds contain them. The storefront's pages come from its function, as in production.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::middleware;
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header};
use percent_encoding::percent_decode_str;
use rust_embed::RustEmbed;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use upstreams::guard::Guard;

use crate::client_headers::{self, Headers};
use crate::client_release::{ClientFiles, Release, path_in_release};
use crate::gateway::Gateway;
use crate::{check_host, check_origin};

/// All files of the clients.
#[derive(RustEmbed)]
#[folder = "../clients"]
struct Files;

/// Where debug builds read them.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../clients");

/// This machine, to browsers two sites. Passkeys belong to a name: an address has none.
pub(crate) const NAME: &str = "localhost";
const ADDRESS: &str = "127.0.0.1";

/// The clients with an origin of their own, in the order of their ports: their folders and hosts.
const CLIENTS: [(&str, &str); 4] = [("dashboard", NAME), ("till", NAME), ("shop", ADDRESS), ("storefront", ADDRESS)];

/// Base URLs, without a trailing slash.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ClientAddresses {
    pub dashboard: String,
    pub till: String,
    pub shop: String,
    pub storefront: String,
}

/// The listeners of all clients, with their folders.
#[derive(Debug)]
pub(crate) struct Clients {
    listeners: Vec<(&'static str, TcpListener)>,
    pub(crate) addresses: ClientAddresses,
}

impl Clients {
    /// Listens on the four ports after the API's, and on a free port for each of them that is taken.
    pub(crate) async fn listen(api_port: u16) -> std::io::Result<Self> {
        let (mut listeners, mut urls) = (Vec::new(), CLIENTS.map(|_| String::new()));
        for (number, ((folder, host), url)) in (1..).zip(CLIENTS.into_iter().zip(&mut urls)) {
            let port = if api_port == 0 { 0 } else { api_port.checked_add(number).unwrap_or(0) };
            let listener = listen(port).await?;
            *url = format!("http://{host}:{}", listener.local_addr()?.port());
            listeners.push((folder, listener));
        }
        let [dashboard, till, shop, storefront] = urls;
        Ok(Self { listeners, addresses: ClientAddresses { dashboard, till, shop, storefront } })
    }

    /// Returns a server for each client.
    pub(crate) fn servers(self, api: &str, guard: &Guard, gateway: &Arc<Gateway>) -> Vec<(TcpListener, Router)> {
        let serve = |(folder, listener): (&'static str, TcpListener)| {
            let site = Site::new(folder, api, &self.addresses);
            let router = match folder {
                "storefront" => Router::new().fallback(serve_shop).with_state((site, gateway.clone())),
                _ => Router::new().fallback(serve_page).with_state(site),
            };
            let router = router
                .layer(middleware::from_fn_with_state(guard.clone(), check_origin))
                .layer(middleware::from_fn_with_state(guard.clone(), check_host));
            let router = if folder == "storefront" { router.layer(middleware::map_request(without_null_origin)) } else { router };
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
    told: Told,
    /// For pages of the API's site that were opened at the address: the cookie is sent to an API at the address.
    told_at_address: Option<Told>,
    /// What the page that was served last is made of, so that it stays so while somebody edits. `None` for a client whose files
    /// have one address: the till's worker keeps them, and the console and the shop are for developers.
    release: Option<Arc<Mutex<Option<KeptRelease>>>>,
}

/// A release, and what the files were when it was made.
#[derive(Debug)]
struct KeptRelease {
    release: Release,
    made_of: Vec<FileState>,
}

/// The name of a file, when it was written and how long it is.
type FileState = (String, Option<SystemTime>, u64);

/// What the pages of an origin are told.
#[derive(Debug, Clone)]
struct Told {
    /// The module `/config.js`.
    config: String,
    headers: Headers,
}

impl Site {
    fn new(folder: &'static str, api: &str, addresses: &ClientAddresses) -> Self {
        let headers = match folder {
            "till" => client_headers::till_headers,
            "console" => client_headers::console_headers,
            _ => client_headers::page_headers,
        };
        let config = config(api, addresses);
        let at_address = |text: &str| text.replace(&format!("//{NAME}:"), &format!("//{ADDRESS}:"));
        let told_at_address = ["console", "dashboard", "till"].contains(&folder).then(|| Told {
            config: at_address(&config),
            // Images have addresses of the API at its name.
            headers: headers(&format!("{api} {}", at_address(api))),
        });
        let release = (folder == "dashboard").then(Arc::default);
        Self { folder, told: Told { config, headers: headers(api) }, told_at_address, release }
    }

    /// The console of the local system, on the API's own origin.
    pub(crate) fn console(api: &str, addresses: &ClientAddresses) -> Self {
        Self::new("console", api, addresses)
    }

    fn told(&self, request_headers: &HeaderMap) -> &Told {
        let host = request_headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let is_at_address = host.is_some_and(|host| host.split(':').next() == Some(ADDRESS));
        self.told_at_address.as_ref().filter(|_| is_at_address).unwrap_or(&self.told)
    }

    /// The file at exactly this path, or `None`.
    pub(crate) fn file(&self, path: &str, request_headers: &HeaderMap) -> Option<Response> {
        let Told { config, headers } = self.told(request_headers);
        let response = match &self.release {
            _ if path == "/config.js" => response(path, config.clone(), "no-cache")?,
            Some(release) if path == "/" => self.page(release)?,
            Some(release) if path_in_release(path).is_some() => self.kept_file(release, path, request_headers)?,
            _ => file(&self.file_name(path), request_headers)?,
        };
        client_headers::add(headers, response)
    }

    /// The page of the release, which is a new one if files have changed.
    fn page(&self, kept: &Mutex<Option<KeptRelease>>) -> Option<Response> {
        let made_of = states_of_files();
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let current = kept.take().filter(|kept| kept.made_of == made_of);
        let kept = kept.insert(match current {
            Some(current) => current,
            None => KeptRelease { release: Release::new(&client_files(self.folder)), made_of },
        });
        response("index.html", kept.release.page()?.to_vec(), "no-cache")
    }

    /// A file of the release. A page of an earlier one gets the file as it is now, and asks for it again.
    fn kept_file(&self, kept: &Mutex<Option<KeptRelease>>, address: &str, request_headers: &HeaderMap) -> Option<Response> {
        let name = self.file_name(path_in_release(address)?);
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.as_ref().and_then(|kept| kept.release.kept_file(address)) {
            Some(content) => response(&name, content.to_vec(), IMMUTABLE),
            None => file(&name, request_headers),
        }
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

/// The files of a client under their paths, without those that no browser asks for.
pub fn client_files(folder: &str) -> ClientFiles {
    let path_of = |name: &str| {
        let (first, rest) = name.split_once('/')?;
        match first {
            "kit" => Some(format!("/kit/{rest}")),
            "typescript" => Some(format!("/portal-api/{rest}")),
            "widget" if folder == "dashboard" => Some(format!("/widget/{rest}")),
            _ => (first == folder).then(|| format!("/{rest}")),
        }
    };
    let names = Files::iter().filter(|name| is_asked_for(name));
    names.filter_map(|name| Some((path_of(&name)?, Files::get(&name)?.data.into_owned()))).collect()
}

/// Release builds contain the files: nothing changes.
fn states_of_files() -> Vec<FileState> {
    if !cfg!(debug_assertions) {
        return Vec::new();
    }
    let state = |name: Cow<'static, str>| {
        let metadata = std::fs::metadata(Path::new(FOLDER).join(&*name)).ok()?;
        Some((name.into_owned(), metadata.modified().ok(), metadata.len()))
    };
    Files::iter().filter_map(state).collect()
}

fn is_asked_for(name: &str) -> bool {
    const EXTENSIONS: [&str; 9] = ["css", "ftl", "html", "js", "json", "png", "svg", "wav", "webmanifest"];
    name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}

/// The files of the widget at the addresses of its version and of its major version. `None` if it has no release.
pub fn widget_files() -> Option<ClientFiles> {
    let release = WidgetRelease::read()?;
    let names = Files::iter().filter(|name| is_asked_for(name));
    let files = names.filter_map(|name| Some((name.strip_prefix("widget/")?.to_owned(), Files::get(&name)?.data.into_owned())));
    let at_both = files.flat_map(|(name, content)| {
        let at = |version: &str| (format!("/widget/{version}/{name}"), content.clone());
        [at(&release.version), at(release.major())]
    });
    Some(at_both.collect())
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
    if let Some(address) = without_slashes(request.uri()) {
        return Redirect::permanent(&address).into_response();
    }
    *request.uri_mut() = shop_uri(request.uri());
    gateway.handle(client, request).await
}

/// Browsers send `Origin: null` with the form of a page that sends no `Referer`.
async fn without_null_origin(mut request: Request<Body>) -> Request<Body> {
    let is_form = request.method() == Method::POST && request.uri().path().ends_with("/card");
    if is_form && request.headers().get(header::ORIGIN).is_some_and(|origin| origin == "null") {
        request.headers_mut().remove(header::ORIGIN);
    }
    request
}

/// The address of a page without a slash at its end: links of the page are relative to it. `None` for an address without one.
fn without_slashes(uri: &Uri) -> Option<String> {
    let path = format!("/{}", uri.path().trim_matches('/'));
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    (path != "/" && path != uri.path()).then(|| format!("{path}{query}"))
}

/// `/{slug}` and `/{slug}/card`. Other paths lead to the page that says that there is no such shop.
fn shop_uri(uri: &Uri) -> Uri {
    let path = uri.path().trim_matches('/');
    let (slug, page) = path.strip_suffix("/card").map_or((path, ""), |slug| (slug, "/card"));
    let is_slug = !slug.contains('/') && percent_decode_str(slug).decode_utf8().is_ok();
    let path = if is_slug { format!("{slug}{page}") } else { String::new() };
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Uri::try_from(format!("/shop/{path}{query}")).unwrap_or_else(|_| Uri::from_static("/shop/"))
}

/// The release of the widget that is served.
#[derive(Debug, Deserialize)]
struct WidgetRelease {
    version: String,
}

impl WidgetRelease {
    fn read() -> Option<Self> {
        serde_json::from_slice(&Files::get("widget/release.json")?.data).ok()
    }

    fn major(&self) -> &str {
        self.version.split('.').next().unwrap_or_default()
    }
}

/// A file of the widget, for pages of any site: under its version for ever, under its major version as long as that moves.
pub(crate) fn widget_file(path: &str, request_headers: &HeaderMap) -> Option<Response> {
    let (version, name) = path.strip_prefix("/widget/")?.split_once('/')?;
    let release = WidgetRelease::read()?;
    let cache_control = if version == release.version {
        IMMUTABLE
    } else if version == release.major() {
        "public, max-age=3600"
    } else {
        return None;
    };
    let mut response = file(&format!("widget/{name}"), request_headers)?;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
    client_headers::add(&client_headers::widget_headers(), response)
}

const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// A file of `clients/`, or `None`.
pub(crate) fn file(name: &str, request_headers: &HeaderMap) -> Option<Response> {
    let file = Files::get(name)?;
    let etag = HeaderValue::try_from(format!("\"{}\"", hex::encode(file.metadata.sha256_hash()))).ok()?;
    let is_unchanged = request_headers.get(header::IF_NONE_MATCH) == Some(&etag);
    let content = if is_unchanged { Vec::new() } else { file.data.into_owned() };
    let mut response = response(name, content, "no-cache")?;
    response.headers_mut().insert(header::ETAG, etag);
    if is_unchanged {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    Some(response)
}

/// A response with the content of a file of this name.
fn response(name: &str, content: impl Into<Body>, cache_control: &'static str) -> Option<Response> {
    let content_type = mime_guess::from_path(name).first_or_text_plain();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::try_from(content_type.as_ref()).ok()?),
        (header::CACHE_CONTROL, HeaderValue::from_static(cache_control)),
    ];
    Some((headers, content.into()).into_response())
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
        let site = |folder| Site::new(folder, "", &ClientAddresses::default());
        for (folder, path, expected) in [
            ("till", "/", "till/index.html"),
            ("till", "/app.js", "till/app.js"),
            ("till", "/sell/sell-view.js", "till/sell/sell-view.js"),
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
            ("/caf%C3%A9", "/shop/caf%C3%A9"),
            ("/", "/shop/"),
            ("/a/b", "/shop/"),
            ("/%E0%A4%A", "/shop/"),
            ("/aurora-coffee/card?lang=sv", "/shop/aurora-coffee/card?lang=sv"),
        ] {
            assert_eq!(shop_uri(&Uri::from_static(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_deployment_has_the_files_that_browsers_ask_for_and_no_others() {
        let dashboard = client_files("dashboard");
        for path in
            ["/index.html", "/app.js", "/icon.svg", "/kit/tokens.css", "/portal-api/index.js", "/widget/gift-card-widget.js"]
        {
            assert!(dashboard.contains_key(path), "{path}");
        }
        let till = client_files("till");
        assert!(till.contains_key("/worker.js") && till.contains_key("/manifests/en.webmanifest"));
        let widget = widget_files().unwrap();
        assert!(widget.contains_key("/widget/1/gift-card-widget.js") && widget.contains_key("/widget/1.0.0/sv.ftl"));
        for path in dashboard.keys().chain(till.keys()).chain(widget.keys()) {
            let is_source = [".md", ".ts", "/release", "/generate"].iter().any(|end| path.ends_with(end));
            assert!(!is_source && !path.contains("/examples/"), "{path}");
        }
    }

    #[test]
    fn files_outside_of_the_clients_are_not_served() {
        let site = Site::new("till", "", &ClientAddresses::default());
        for path in ["/../../Cargo.toml", "/kit/../../Cargo.toml", "/kit/", "//etc/passwd"] {
            assert!(site.file(path, &HeaderMap::new()).is_none(), "{path}");
        }
    }
}
