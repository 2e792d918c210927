//! The route table of a function.
//!
//! A handler is accepted only if its first argument says who may call it. What the table holds can be listed, so
//! that tests, the deployment template and the description of the API are compared with it.

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::Method;

use super::access::{Access, Demand};
use super::envelope;
use super::fault::{Fault, Shape};
use crate::app::App;

/// A handler whose first argument is one of the types of [`super::access`].
#[diagnostic::on_unimplemented(
    message = "a handler's first argument says who may call it",
    label = "not a handler that begins with an access type",
    note = "begin with Public, Session, Linked<_>, Authorized<_> or MaybeAuthorized<_>, and return a response"
)]
pub trait Endpoint<T>: Handler<T, App> {
    const DEMAND: Demand;
}

macro_rules! endpoints {
    ($(($($argument:ident),*))*) => {$(
        impl<F, M, A, $($argument),*> Endpoint<(M, A, $($argument,)*)> for F
        where
            F: Handler<(M, A, $($argument,)*), App>,
            A: Access,
        {
            const DEMAND: Demand = A::DEMAND;
        }
    )*};
}

endpoints! { () (B) (B, C) (B, C, D) (B, C, D, E) (B, C, D, E, G) }

/// One route as it looks from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub demand: Demand,
    pub shape: Shape,
}

/// The routes of one function.
#[derive(Debug)]
pub struct Routes {
    group: &'static str,
    shape: Shape,
    listed: Vec<Route>,
    router: Router<App>,
}

impl Routes {
    /// An empty table of the group, whose faults have the given shape unless a route names another.
    pub fn new(group: &'static str, shape: Shape) -> Self {
        Self { group, shape, listed: Vec::new(), router: Router::new() }
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

    /// The routes that `add` adds say their faults in another shape.
    #[must_use]
    pub fn with_shape(mut self, shape: Shape, add: impl FnOnce(Self) -> Self) -> Self {
        let usual = std::mem::replace(&mut self.shape, shape);
        let mut routes = add(self);
        routes.shape = usual;
        routes
    }

    fn add<T: 'static, E: Endpoint<T>>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        endpoint: E,
    ) -> Self {
        let shape = self.shape;
        self.listed.push(Route { method, path, demand: E::DEMAND, shape });
        let route: MethodRouter<App> = on(filter, endpoint)
            .layer(middleware::map_response(move |response: Response| async move { shape.render(response) }));
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
    pub fn listed(&self) -> &[Route] {
        &self.listed
    }

    /// The table as a service.
    pub fn into_router(self, app: App) -> Router {
        let shape = self.shape;
        let envelope_app = app.clone();
        self.router
            .fallback(async || Fault::no_route())
            .method_not_allowed_fallback(async || Fault::wrong_method())
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                envelope::wrap(envelope_app.clone(), shape, request, next)
            }))
            .with_state(app)
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
