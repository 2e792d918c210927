//! The route table of a function.
//!
//! A handler is accepted only if its first argument is an [access check](super::access). The table can be listed: tests
//! compare the deployment template and the API description with it.

use std::future::ready;

use axum::Router;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, any, on};
use http::{HeaderMap, HeaderValue, Method, header};
use tower::util::MapRequest;

use super::access::{self, Access, Keys, Requirement};
use super::body::{self, JsonOnly};
use super::context;
use super::cors::Cors;
use super::description::Description;
use super::envelope::{self, OfPath, Paths};
use super::fault::{ErrorFormat, Fault};
use super::money_moved::Unanswered;
use super::stage::strip_stage;
use super::success::{DescribeSuccess, Success, describe_success};
use crate::app::App;
use crate::limits::model::RateLimit;

/// `X-Content-Type-Options` of every response: browsers do not take text that somebody has written for anything but what it is.
pub const AS_DECLARED: HeaderValue = HeaderValue::from_static("nosniff");

/// A handler whose first argument is one of the types of [`super::access`], and that returns a [`Success`].
#[diagnostic::on_unimplemented(
    message = "the first argument of a handler must be an access check, and what it returns must describe itself",
    label = "not a handler with an access check and a described response",
    note = "access checks are Public, SignedIn, SignedInUser, HasMerchant, Authorized<_>, AuthorizedPerson<_>, \
            MaybeAuthorized<_>, PlatformAdministrator and RecentlySignedIn",
    note = "described responses are Data<_>, List<_> and the others of shared::http::reply, Json<_>, each also in a \
            Result<_, Fault>"
)]
pub trait Endpoint<T>: Handler<T, App> {
    const REQUIREMENT: Requirement;
    const KEYS: Keys;
    type Output: Success;
}

macro_rules! endpoints {
    ($(($($argument:ident),*))*) => {$(
        impl<F, R, M, A, $($argument),*> Endpoint<(M, A, $($argument,)*)> for F
        where
            F: Handler<(M, A, $($argument,)*), App> + FnOnce(A, $($argument),*) -> R,
            R: Future<Output: Success>,
            A: Access,
        {
            const REQUIREMENT: Requirement = A::REQUIREMENT;
            const KEYS: Keys = A::KEYS;
            type Output = R::Output;
        }
    )*};
}

endpoints! { () (B) (B, C) (B, C, D) (B, C, D, E) (B, C, D, E, G) }

/// `Strict-Transport-Security` of every response: for a year, browsers call this host over HTTPS only.
pub const ONLY_HTTPS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The properties of a route.
#[derive(Debug, Clone)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub requirement: Requirement,
    pub keys: Keys,
    pub error_format: ErrorFormat,
    pub describe: Option<fn() -> Description>,
    /// Made from the type that the handler returns.
    pub describe_success: Option<DescribeSuccess>,
    /// Whether scripts of any origin may read its responses.
    pub allows_any_origin: bool,
    /// Whether it is a write that pages of other sites cannot send, even without a session.
    pub is_guarded: bool,
    /// What `Money-Moved` says where no handler has responded. `None` if the responses do not carry it.
    pub money_moved: Option<Unanswered>,
    /// `None` for the default of its API.
    pub throttling: Option<Throttling>,
    /// `None` if the handler does not count the calls of a client address.
    pub per_client: Option<RateLimit>,
    /// Whether the portal's API serves it too, although it is of the public one.
    pub on_portal_api: Option<Throttling>,
    /// Whether API Gateway admits HEAD as well, which the function answers as GET without a body.
    pub head: Option<Throttling>,
}

/// The requests of a route that API Gateway admits, of all callers together. It rejects the excess with 429.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttling {
    /// Per second.
    pub rate: u32,
    pub burst: u32,
}

/// The route table of one function.
#[derive(Debug)]
pub struct Routes {
    group: &'static str,
    error_format: ErrorFormat,
    allows_any_origin: bool,
    /// Whether writes are refused that pages of other sites sent, even without a session.
    guards_writes: bool,
    cache_control: &'static str,
    throttling: Option<Throttling>,
    /// Whether requests are refused that have not passed through the front door.
    has_front_door: bool,
    all: Vec<Route>,
    router: Router<App>,
}

impl Routes {
    /// An empty table. `error_format` applies to errors of the table itself (unknown paths and methods) and to all routes
    /// outside of [`Routes::with_error_format`].
    pub fn new(group: &'static str, error_format: ErrorFormat) -> Self {
        Self {
            group,
            error_format,
            allows_any_origin: false,
            guards_writes: false,
            cache_control: "no-store",
            throttling: None,
            has_front_door: true,
            all: Vec::new(),
            router: Router::new(),
        }
    }

    /// Allows scripts of any origin to read the responses, errors included. Only for [public](super::access::Public)
    /// routes: browsers send cookies with such requests.
    #[must_use]
    pub fn allow_any_origin(mut self) -> Self {
        self.allows_any_origin = true;
        self
    }

    /// Refuses all writes that pages of other sites sent (403) or that are not JSON (415), even those without a session: they
    /// set cookies.
    #[must_use]
    pub fn guard_writes(mut self) -> Self {
        self.guards_writes = true;
        self
    }

    /// Sets the `Cache-Control` of responses, errors included, that do not set it themselves. Default: `no-store`.
    #[must_use]
    pub fn cache_control(mut self, cache_control: &'static str) -> Self {
        self.cache_control = cache_control;
        self
    }

    #[must_use]
    pub fn get<T: 'static, E: Endpoint<T>>(self, path: &'static str, endpoint: E) -> Self {
        self.add(Method::GET, MethodFilter::GET, path, endpoint)
    }

    #[must_use]
    pub fn post<T: 'static, E: Endpoint<T>>(self, path: &'static str, endpoint: E) -> Self {
        self.add(Method::POST, MethodFilter::POST, path, endpoint)
    }

    #[must_use]
    pub fn put<T: 'static, E: Endpoint<T>>(self, path: &'static str, endpoint: E) -> Self {
        self.add(Method::PUT, MethodFilter::PUT, path, endpoint)
    }

    #[must_use]
    pub fn patch<T: 'static, E: Endpoint<T>>(self, path: &'static str, endpoint: E) -> Self {
        self.add(Method::PATCH, MethodFilter::PATCH, path, endpoint)
    }

    #[must_use]
    pub fn delete<T: 'static, E: Endpoint<T>>(self, path: &'static str, endpoint: E) -> Self {
        self.add(Method::DELETE, MethodFilter::DELETE, path, endpoint)
    }

    /// Sets the API description of the route that was added last. The success response is described by the type that the
    /// handler returns. Both are compiled in only with the feature `description`, to keep the texts out of the functions.
    #[must_use]
    pub fn described(mut self, describe: fn() -> Description) -> Self {
        if let Some(route) = self.all.last_mut() {
            route.describe = cfg!(feature = "description").then_some(describe);
        }
        self
    }

    /// Sets how many requests API Gateway admits to each of the following routes: per second, and at once. Routes without a
    /// session need a limit.
    #[must_use]
    pub fn throttle_each(mut self, rate: u32, burst: u32) -> Self {
        self.throttling = Some(Throttling { rate, burst });
        self
    }

    /// As [`Self::throttle_each`], for the route that was added last.
    #[must_use]
    pub fn throttled(mut self, rate: u32, burst: u32) -> Self {
        if let Some(route) = self.all.last_mut() {
            route.throttling = Some(Throttling { rate, burst });
        }
        self
    }

    /// Names the limit by which the handler of the route that was added last counts the calls of a client address.
    #[must_use]
    pub fn counted_per_client(mut self, limit: RateLimit) -> Self {
        if let Some(route) = self.all.last_mut() {
            route.per_client = Some(limit);
        }
        self
    }

    /// Serves the route that was added last on the portal's API too, with this limit.
    #[must_use]
    pub fn also_on_portal_api(mut self, rate: u32, burst: u32) -> Self {
        if let Some(route) = self.all.last_mut() {
            route.on_portal_api = Some(Throttling { rate, burst });
        }
        self
    }

    /// Lets API Gateway admit HEAD for the route that was added last: of pages and images, which are linked to.
    #[must_use]
    pub fn also_head(mut self, rate: u32, burst: u32) -> Self {
        if let Some(route) = self.all.last_mut() {
            route.head = Some(Throttling { rate, burst });
        }
        self
    }

    /// Uses another error format for the routes that `add` adds.
    #[must_use]
    pub fn with_error_format(mut self, error_format: ErrorFormat, add: impl FnOnce(Self) -> Self) -> Self {
        let default_format = std::mem::replace(&mut self.error_format, error_format);
        let mut routes = add(self);
        routes.error_format = default_format;
        routes
    }

    fn add<T: 'static, E: Endpoint<T>>(mut self, method: Method, filter: MethodFilter, path: &'static str, endpoint: E) -> Self {
        let error_format = self.error_format;
        let allows_any_origin = self.allows_any_origin;
        let requirement = E::REQUIREMENT;
        let is_guarded = self.guards_writes && access::is_write(&method);
        let describe = None;
        let describe_success = cfg!(feature = "description").then_some(describe_success::<E::Output> as DescribeSuccess);
        self.all.push(Route {
            method,
            path,
            requirement,
            keys: E::KEYS,
            error_format,
            describe,
            describe_success,
            allows_any_origin,
            is_guarded,
            money_moved: E::Output::MONEY_MOVED,
            throttling: self.throttling,
            per_client: None,
            on_portal_api: None,
            head: None,
        });
        let route: MethodRouter<App> = on(filter, endpoint)
            .layer(middleware::map_response(move |response: Response| async move { error_format.render(response) }));
        // A request with an empty id reaches the handler, which responds with the name of the missing parameter.
        for path in with_empty_ids(path) {
            self.router = self.router.route(&path, route.clone());
        }
        self
    }

    /// The name of the group and of its function.
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// All routes of the table.
    pub fn routes(&self) -> &[Route] {
        &self.all
    }

    /// A table that responds with 400 to every request for `/`, in the error format of this one. For requests that are not
    /// valid HTTP, and therefore have neither a path nor the secret of the front door.
    #[must_use]
    pub fn for_malformed_requests(&self) -> Self {
        let reject = async || Fault::invalid("The request is not valid HTTP.");
        let router = Router::new().route("/", any(reject));
        Self { has_front_door: false, all: Vec::new(), router, ..*self }
    }

    /// The router that serves the table.
    pub fn into_router(self, app: App) -> Router {
        let Self { group, error_format, allows_any_origin, guards_writes, has_front_door, cache_control, router, all, .. } = self;
        let of_path = |route: &Route| OfPath { error_format: route.error_format, money_moved: route.money_moved };
        let known = all.iter().map(|route| (route.path, of_path(route))).collect();
        let paths = Paths { known, unknown: OfPath { error_format, money_moved: None } };
        let cors = Cors { allows_any_origin };
        let unsupported_method =
            move |State(app): State<App>, method: Method, headers: HeaderMap| ready(cors.preflight(&app, &method, &headers));
        let (guard_app, front_app, envelope_app, cors_app) = (app.clone(), app.clone(), app.clone(), app.clone());
        let router = router
            .method_not_allowed_fallback(unsupported_method)
            .fallback(async || Fault::no_route())
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                guard_write(guard_app.clone(), guards_writes, request, next)
            }))
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                guard_front_door(front_app.clone(), has_front_door, request, next)
            }))
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                envelope::handle(envelope_app.clone(), group, paths.clone(), request, next)
            }))
            .layer(middleware::map_response(move |mut response: Response| {
                let default_value = || HeaderValue::from_static(cache_control);
                response.headers_mut().entry(header::CACHE_CONTROL).or_insert_with(default_value);
                response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, ONLY_HTTPS);
                response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, AS_DECLARED);
                ready(response)
            }))
            .layer(middleware::from_fn(move |request: Request, next: Next| cors.allow_origin(cors_app.clone(), request, next)))
            .with_state(app);
        // The stage has to be stripped outside of the router: layers within it run after routing.
        Router::new().fallback_service(MapRequest::new(router, strip_stage))
    }
}

async fn guard_front_door(app: App, has_front_door: bool, request: Request, next: Next) -> Result<Response, Fault> {
    if has_front_door {
        context::require_front_door(request.headers(), &app.settings)?;
    }
    Ok(next.run(request).await)
}

async fn guard_write(app: App, guards_writes: bool, mut request: Request, next: Next) -> Result<Response, Fault> {
    if guards_writes && access::is_write(request.method()) {
        access::require_own_page(request.headers(), &app.settings)?;
        // Handlers without a body do not look at the content type. One that is missing is refused with a body only.
        if request.headers().contains_key(header::CONTENT_TYPE) && !body::is_json(&request) {
            return Err(body::not_json());
        }
        request.extensions_mut().insert(JsonOnly);
    }
    Ok(next.run(request).await)
}

/// The path, and its variants in which one or more ids are empty.
fn with_empty_ids(path: &str) -> Vec<String> {
    path.split_inclusive('}').fold(vec![String::new()], |prefixes, piece| {
        let without_id = piece.split_once('{').map(|(before, _)| before);
        let variants = [Some(piece), without_id];
        let extend = |prefix: String| variants.into_iter().flatten().map(move |variant| prefix.clone() + variant);
        prefixes.into_iter().flat_map(extend).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_of_a_path_can_be_empty() {
        for (path, paths) in [
            ("/a", vec!["/a"]),
            ("/a/{b}", vec!["/a/{b}", "/a/"]),
            ("/a/{b}/c", vec!["/a/{b}/c", "/a//c"]),
            ("/a/{b}/c/{d}", vec!["/a/{b}/c/{d}", "/a/{b}/c/", "/a//c/{d}", "/a//c/"]),
        ] {
            assert_eq!(with_empty_ids(path), paths, "{path}");
        }
    }
}
