//! The routes of the code, the template and the API description must match.

use std::collections::BTreeSet;

use local::route_files::route_files;
use serde_json::{Value, json};
use shared::http::{Requirement, cors};
use world::{assert_lists, cargo, workspace_root};

use crate::template::{Template, document, matches_wildcard};

const PORTAL_API: &str = "${PortalApi}";
const PUBLIC_API: &str = "${PublicApi}";

/// Also served by the portal's API: the response to an upload contains an image URL with the host of the upload.
const PATH_ON_BOTH_APIS: &str = "/api/public/gift-card-image";

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Route {
    method: String,
    path: String,
    function: String,
    api: &'static str,
}

impl Route {
    fn key(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// Returns the routes of the code. Routes that allow every CORS origin are on the public API.
fn routes_in_code() -> BTreeSet<Route> {
    let tables = local::route_tables();
    let routes = tables.iter().flat_map(|table| table.routes().iter().map(|route| (table.group(), route)));
    let mut routes: BTreeSet<Route> = routes
        .flat_map(|(group, route)| {
            let methods = std::iter::once(route.method.as_str()).chain(route.head.map(|_| "HEAD"));
            methods.map(move |method| Route {
                method: method.to_owned(),
                path: route.path.to_owned(),
                function: group.to_owned(),
                api: if route.allows_any_origin { PUBLIC_API } else { PORTAL_API },
            })
        })
        .collect();
    let on_both: Vec<Route> = routes.iter().filter(|route| route.path == PATH_ON_BOTH_APIS).cloned().collect();
    routes.extend(on_both.into_iter().map(|route| Route { api: PORTAL_API, ..route }));
    routes
}

fn routes_in_template(template: &Template) -> BTreeSet<Route> {
    let mut routes = BTreeSet::new();
    for function in template.functions() {
        for route in function.routes {
            let api = [PORTAL_API, PUBLIC_API].into_iter().find(|api| *api == route.api).unwrap();
            let function = function.name.clone();
            let route = Route { method: route.method, path: route.path, function, api };
            assert!(routes.insert(route.clone()), "twice in the template: {route:?}");
        }
    }
    routes
}

fn openapi_document() -> Value {
    let text = std::fs::read_to_string(workspace_root().join("openapi.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_template_assigns_every_route_to_its_function_and_api() {
    assert_lists("Events in template.yaml", &routes_in_template(&Template::read()), &routes_in_code());
}

#[test]
fn cargo_lambda_routes_every_path() {
    let metadata = cargo().args(["metadata", "--locked", "--no-deps", "--format-version", "1"]).output();
    let metadata: Value = serde_json::from_slice(&metadata.unwrap().stdout).unwrap();
    let router = metadata["metadata"]["lambda"]["watch"]["router"].as_object().unwrap();
    let configured = router.iter().map(|(path, function)| (path.as_str(), function.as_str().unwrap()));
    let code = routes_in_code();
    let expected = code.iter().map(|route| (route.path.as_str(), route.function.as_str()));
    let table = "[workspace.metadata.lambda.watch.router] in Cargo.toml";
    assert_lists(table, &configured.collect(), &expected.collect());
}

#[test]
fn the_public_api_has_only_routes_without_access_check() {
    let tables = local::route_tables();
    for route in tables.iter().flat_map(shared::http::Routes::routes) {
        let is_public = matches!(route.requirement, Requirement::Public);
        assert!(is_public || !route.allows_any_origin, "{} {}", route.method, route.path);
    }
}

#[test]
fn the_api_description_has_every_route_with_its_group_as_tag() {
    let document = openapi_document();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, operations)| {
        operations.as_object().unwrap().iter().map(move |(method, operation)| {
            let route = format!("{} {path}", method.to_uppercase());
            (route, operation["tags"][0].as_str().unwrap().to_owned())
        })
    });
    let expected = routes_in_code().into_iter().filter(|route| route.method != "HEAD");
    let expected = expected.map(|route| (route.key(), route.function));
    assert_lists("openapi.json", &operations.collect(), &expected.collect());
}

#[test]
fn route_settings_name_existing_routes() {
    let template = Template::read();
    let routes: BTreeSet<String> = routes_in_code().iter().map(Route::key).collect();
    for api in template.resources_of_type("AWS::Serverless::HttpApi") {
        let settings = api["RouteSettings"].as_object().into_iter();
        for route in settings.flat_map(|settings| settings.keys()) {
            assert!(routes.contains(route), "{route}");
        }
    }
}

#[test]
fn the_health_check_requests_a_public_route() {
    let template = document("deploy/health.yaml");
    let path = template["Parameters"]["Path"]["Default"].as_str().unwrap();
    let route = routes_in_code().into_iter().find(|route| route.path == path && route.method == "GET");
    assert_eq!(route.map(|route| route.api), Some(PUBLIC_API), "{path}");
}

#[test]
fn each_api_allows_the_cors_methods_of_its_routes() {
    let template = Template::read();
    for (name, api) in [("PortalApi", PORTAL_API), ("PublicApi", PUBLIC_API)] {
        let allowed = template.properties(name)["CorsConfiguration"]["AllowMethods"].as_array().unwrap();
        let allowed: BTreeSet<String> = allowed.iter().map(|method| method.as_str().unwrap().to_owned()).collect();
        let routes = routes_in_code().into_iter().filter(|route| route.api == api);
        // Browsers need no preflight for HEAD.
        let methods: BTreeSet<String> = routes.map(|route| route.method).filter(|method| method != "HEAD").collect();
        assert_eq!(allowed, methods, "{name}");
    }
}

#[test]
fn both_apis_admit_the_origins_methods_and_headers_that_the_functions_admit() {
    let template = Template::read();
    for (name, policy) in [("PortalApi", &cors::PORTAL), ("PublicApi", &cors::PUBLIC)] {
        let configured = &template.properties(name)["CorsConfiguration"];
        let expected = [
            ("AllowMethods", json!(policy.methods)),
            ("AllowHeaders", json!(policy.request_headers)),
            ("ExposeHeaders", json!(policy.exposed_headers)),
            ("MaxAge", json!(policy.max_age)),
            ("AllowCredentials", json!(true)),
        ];
        for (property, expected) in expected {
            assert_eq!(configured[property], expected, "{name}: {property}");
        }
    }
    let origins = |name| &template.properties(name)["CorsConfiguration"]["AllowOrigins"];
    assert_eq!(origins("PublicApi"), &json!(cors::PUBLIC_ORIGINS));
    // The functions receive the same parameters as DASHBOARD_ORIGINS.
    let another = json!(["HasAnotherOrigin", "${AnotherDashboardOrigin}", "${AWS::NoValue}"]);
    assert_eq!(origins("PortalApi"), &json!(["${DashboardOrigin}", {"!If": another}]));
}

/// The routes of the tills: nothing else may use up their requests.
const TILL_ROUTES: &str = "/api/bff/pos/";

#[test]
fn requests_without_a_session_cannot_use_up_the_requests_of_the_tills() {
    /// API Gateway's default quota of an account and region, which all APIs and routes share.
    const ACCOUNT_RATE: u64 = 10_000;
    let template = Template::read();
    let tables = local::route_tables();
    let is_public = |path: &str| {
        let mut routes = tables.iter().flat_map(shared::http::Routes::routes);
        routes.any(|route| route.path == path && route.requirement == Requirement::Public)
    };
    let (mut tills, mut public) = (0, 0);
    for route in routes_in_code() {
        let is_till_route = route.path.starts_with(TILL_ROUTES);
        if !is_till_route && !is_public(&route.path) {
            continue;
        }
        let api = template.properties(if route.api == PORTAL_API { "PortalApi" } else { "PublicApi" });
        let own = &api["RouteSettings"][route.key()];
        let limit = own["ThrottlingRateLimit"].as_u64().unwrap_or_else(|| panic!("no limit: {route:?}"));
        *(if is_till_route { &mut tills } else { &mut public }) += limit;
    }
    assert!(public * 4 <= ACCOUNT_RATE, "all public routes together: {public}");
    assert!(tills >= 1000 && tills + public < ACCOUNT_RATE, "all routes of tills together: {tills}");
}

#[test]
fn cloudfront_forwards_every_path_to_its_api() {
    let template = Template::read();
    let distribution = &template.properties("Front")["DistributionConfig"];
    let behaviors = distribution["CacheBehaviors"].as_array().unwrap();
    // CloudFront forwards the path of this route to the public API.
    let is_duplicate = |route: &Route| route.path == PATH_ON_BOTH_APIS && route.api == PORTAL_API;
    for route in routes_in_code().into_iter().filter(|route| !is_duplicate(route)) {
        let behavior = behaviors.iter().find(|behavior| matches_wildcard(&route.path, behavior["PathPattern"].as_str().unwrap()));
        let behavior = behavior.unwrap_or(&distribution["DefaultCacheBehavior"]);
        let origin = behavior["TargetOriginId"].as_str().unwrap();
        let expected = if route.api == PUBLIC_API { "public" } else { "portal" };
        assert_eq!(origin, expected, "{}", route.path);
    }
}

#[test]
fn cloudfront_overwrites_the_headers_that_functions_trust() {
    let template = Template::read();
    let distribution = &template.properties("Front")["DistributionConfig"];
    let set_client_address = |behavior: &Value| {
        let functions = behavior["FunctionAssociations"].as_array().unwrap();
        functions.iter().any(|function| function["FunctionARN"] == "${FrontClientAddress.FunctionARN}")
    };
    let behaviors = distribution["CacheBehaviors"].as_array().unwrap().iter();
    for behavior in behaviors.chain([&distribution["DefaultCacheBehavior"]]) {
        assert!(set_client_address(behavior), "{behavior}");
    }
    for origin in distribution["Origins"].as_array().unwrap() {
        let header = &origin["OriginCustomHeaders"][0];
        assert_eq!(header["HeaderName"], "x-front-door-secret", "{origin}");
        assert_eq!(
            header["HeaderValue"],
            template.globals("Function")["Environment"]["Variables"]["FRONT_DOOR_SECRET"]["!If"][1],
            "{origin}"
        );
    }
}

#[test]
fn the_files_that_follow_from_the_routes_are_up_to_date() {
    let files = route_files(&local::route_tables()).unwrap();
    let outdated: Vec<_> = files.iter().filter(|file| !file.is_current()).map(|file| &file.path).collect();
    assert!(outdated.is_empty(), "{outdated:?} are out of date; run: cargo run --bin routes");
}
