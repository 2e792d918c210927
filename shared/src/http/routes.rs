//! The route table of a function.
//!
//! A handler is accepted only if its first argument says who may call it. What the table holds can be listed, so
//! that tests, the deployment template and the description of the API are compared with it.

use std::future::ready;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::{HeaderValue, Method, header};
use tower::util::MapRequest;

use super::access::{Access, Requirement};
use super::cors;
use super::description::Description;
use super::envelope;
use super::fault::{ErrorFormat, Fault};
use super::stage::without_stage;
use crate::app::App;

/// A handler whose first argument is one of the types of [`super::access`].
#[diagnostic::on_unimplemented(
    message = "a handler's first argument says who may call it",
    label = "not a handler that begins with an access type",
    note = "begin with Public, Session, HasMerchant<_>, Authorized<_> or MaybeAuthorized<_>, and return a response"
)]
pub trait Endpoint<T>: Handler<T, App> {
    const REQUIREMENT: Requirement;
}

macro_rules! endpoints {
    ($(($($argument:ident),*))*) => {$(
        impl<F, M, A, $($argument),*> Endpoint<(M, A, $($argument,)*)> for F
        where
            F: Handler<(M, A, $($argument,)*), App>,
            A: Access,
        {
            const REQUIREMENT: Requirement = A::REQUIREMENT;
        }
    )*};
}

endpoints! { () (B) (B, C) (B, C, D) (B, C, D, E) (B, C, D, E, G) }

/// One route as it looks from outside.
#[derive(Debug, Clone)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub requirement: Requirement,
    pub error_format: ErrorFormat,
    pub describe: Option<fn() -> Description>,
    /// Whether scripts of any origin may read its answers.
    pub allows_any_origin: bool,
}

/// The routes of one function.
#[derive(Debug)]
pub struct Routes {
    group: &'static str,
    error_format: ErrorFormat,
    allows_any_origin: bool,
    cache_control: &'static str,
    routes: Vec<Route>,
    router: Router<App>,
}

impl Routes {
    /// An empty table of the group, whose faults have the given error_format unless a route names another.
    pub fn new(group: &'static str, error_format: ErrorFormat) -> Self {
        Self {
            group,
            error_format,
            allows_any_origin: false,
            cache_control: "no-store",
            routes: Vec::new(),
            router: Router::new(),
        }
    }

    /// Scripts of any origin may read what the table answers, faults included. Only for routes that anybody may
    /// call: a browser sends its cookies along.
    #[must_use]
    pub fn allow_any_origin(mut self) -> Self {
        self.allows_any_origin = true;
        self
    }

    /// What answers say to caches, faults included, unless they say something themselves: `no-store` by default.
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

    /// What the description of the API says of the route that was added last. Only what writes the description keeps it:
    /// a function would carry every word of it along.
    #[must_use]
    pub fn described(mut self, describe: fn() -> Description) -> Self {
        if let Some(route) = self.routes.last_mut() {
            route.describe = cfg!(feature = "description").then_some(describe);
        }
        self
    }

    /// The routes that `add` adds say their faults in another error_format.
    #[must_use]
    pub fn with_error_format(mut self, error_format: ErrorFormat, add: impl FnOnce(Self) -> Self) -> Self {
        let usual = std::mem::replace(&mut self.error_format, error_format);
        let mut routes = add(self);
        routes.error_format = usual;
        routes
    }

    fn add<T: 'static, E: Endpoint<T>>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        endpoint: E,
    ) -> Self {
        let error_format = self.error_format;
        let allows_any_origin = self.allows_any_origin;
        let requirement = E::REQUIREMENT;
        self.routes.push(Route {
            method,
            path,
            requirement,
            error_format,
            describe: None,
            allows_any_origin,
        });
        let route: MethodRouter<App> =
            on(filter, endpoint).layer(middleware::map_response(move |response: Response| async move {
                error_format.render(response)
            }));
        // An id that is empty reaches its endpoint too, which says what it misses.
        for path in with_empty_ids(path) {
            self.router = self.router.route(&path, route.clone());
        }
        self
    }

    /// The group's name, which is also that of its function.
    pub fn group(&self) -> &'static str {
        self.group
    }

    /// Every route of the table.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// The table as a service.
    pub fn into_router(self, app: App) -> Router {
        let Self { group, error_format, allows_any_origin, cache_control, router, .. } = self;
        let router = if allows_any_origin {
            router.method_not_allowed_fallback(cors::preflight)
        } else {
            router.method_not_allowed_fallback(async || Fault::wrong_method())
        };
        let envelope_app = app.clone();
        let router = router
            .fallback(async || Fault::no_route())
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                envelope::wrap(envelope_app.clone(), group, error_format, request, next)
            }))
            .layer(middleware::map_response(move |mut response: Response| {
                let unsaid = || HeaderValue::from_static(cache_control);
                response.headers_mut().entry(header::CACHE_CONTROL).or_insert_with(unsaid);
                ready(response)
            }))
            .with_state(app);
        let router = if allows_any_origin {
            router.layer(middleware::from_fn(cors::let_any_origin_read))
        } else {
            router
        };
        // Around the router, for what is changed inside of it comes after the route was found.
        Router::new().fallback_service(MapRequest::new(router, without_stage))
    }
}

/// The path, and the path with any of its ids left empty.
fn with_empty_ids(path: &str) -> Vec<String> {
    path.split_inclusive('}').fold(vec![String::new()], |begun, piece| {
        let without_id = piece.split_once('{').map(|(before, _)| before);
        let pieces = [Some(piece), without_id];
        let continued = |begun: String| pieces.into_iter().flatten().map(move |piece| begun.clone() + piece);
        begun.into_iter().flat_map(continued).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_id_of_a_path_may_be_empty() {
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
