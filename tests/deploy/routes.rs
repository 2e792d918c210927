//! The same routes everywhere: in the code, in the template, and in the description of the API.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::http::access::Requirement;
use test_support::{cargo, workspace_root};

use crate::template::Template;

const PORTAL_API: &str = "${PortalApi}";
const PUBLIC_API: &str = "${PublicApi}";

/// A route, and who answers it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Served {
    route: String,
    function: String,
    api: &'static str,
}

/// An upload, which is the portal's, answers with the image's address on the host that it went to.
const ALSO_OF_THE_PORTAL: &str = "GET /api/public/gift-card-image";

/// The code's own routes. Scripts of any origin may read answers of the public API alone.
fn in_code() -> BTreeSet<Served> {
    let tables = local::route_tables();
    let routes = tables.iter().flat_map(|table| table.listed().iter().map(|route| (table.group(), route)));
    let routes = routes.map(|(group, route)| Served {
        route: format!("{} {}", route.method, route.path),
        function: group.to_owned(),
        api: if route.open_to_any_origin { PUBLIC_API } else { PORTAL_API },
    });
    let mut served: BTreeSet<Served> = routes.collect();
    let shared: Vec<Served> =
        served.iter().filter(|served| served.route == ALSO_OF_THE_PORTAL).cloned().collect();
    served.extend(shared.into_iter().map(|served| Served { api: PORTAL_API, ..served }));
    served
}

fn in_template(template: &Template) -> BTreeSet<Served> {
    let mut served = BTreeSet::new();
    for function in template.functions() {
        for route in function.routes {
            let api = [PORTAL_API, PUBLIC_API].into_iter().find(|api| *api == route.api).unwrap();
            let route = format!("{} {}", route.method, route.path);
            let function = function.name.clone();
            let listed = Served { route, function, api };
            assert!(served.insert(listed.clone()), "twice in the template: {listed:?}");
        }
    }
    served
}

fn document() -> String {
    std::fs::read_to_string(workspace_root().join("openapi.json")).unwrap()
}

#[test]
fn the_template_has_the_routes_of_the_code_each_at_its_function_and_its_api() {
    let (code, template) = (in_code(), in_template(&Template::read()));
    let missing: Vec<_> = code.difference(&template).collect();
    let unknown: Vec<_> = template.difference(&code).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:#?}, unknown: {unknown:#?}");
}

#[test]
fn cargo_lambda_finds_every_path() {
    let metadata = cargo().args(["metadata", "--locked", "--no-deps", "--format-version", "1"]).output();
    let metadata: Value = serde_json::from_slice(&metadata.unwrap().stdout).unwrap();
    let router = metadata["metadata"]["lambda"]["watch"]["router"].as_object().unwrap();
    let found: BTreeSet<(&str, &str)> =
        router.iter().map(|(path, function)| (path.as_str(), function.as_str().unwrap())).collect();
    let code = in_code();
    let paths = code.iter().map(|served| (served.route.split(' ').nth(1).unwrap(), served.function.as_str()));
    assert_eq!(found, paths.collect());
}

#[test]
fn only_what_anybody_may_call_is_on_the_public_api() {
    let tables = local::route_tables();
    for route in tables.iter().flat_map(shared::http::routes::Routes::listed) {
        let is_public = matches!(route.requirement, Requirement::Nothing);
        assert!(is_public || !route.open_to_any_origin, "{} {}", route.method, route.path);
    }
}

#[test]
fn the_description_has_the_routes_of_the_code_under_their_groups() {
    let document: Value = serde_json::from_str(&document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, operations)| {
        operations.as_object().unwrap().iter().map(move |(method, operation)| {
            let route = format!("{} {path}", method.to_uppercase());
            (route, operation["tags"][0].as_str().unwrap().to_owned())
        })
    });
    let described: BTreeSet<_> = operations.collect();
    let expected: BTreeSet<_> = in_code().into_iter().map(|served| (served.route, served.function)).collect();
    assert_eq!(described, expected);
}

#[test]
fn limits_of_single_routes_are_of_routes_that_there_are() {
    let template = Template::read();
    let routes: BTreeSet<String> = in_code().into_iter().map(|served| served.route).collect();
    for api in template.all("AWS::Serverless::HttpApi") {
        for limited in api["RouteSettings"].as_object().into_iter().flat_map(|limits| limits.keys()) {
            assert!(routes.contains(limited), "{limited}");
        }
    }
}

#[test]
fn each_api_lets_browsers_use_the_methods_of_its_routes() {
    let template = Template::read();
    for (name, api) in [("PortalApi", PORTAL_API), ("PublicApi", PUBLIC_API)] {
        let allowed = template.properties(name)["CorsConfiguration"]["AllowMethods"].as_array().unwrap();
        let allowed: BTreeSet<String> =
            allowed.iter().map(|method| method.as_str().unwrap().to_owned()).collect();
        let served = in_code().into_iter().filter(|served| served.api == api);
        let methods: BTreeSet<String> =
            served.map(|served| served.route.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(allowed, methods, "{name}");
    }
}

#[test]
fn the_front_door_sends_every_path_to_its_api() {
    let template = Template::read();
    let front = &template.properties("Front")["DistributionConfig"];
    let behaviors = front["CacheBehaviors"].as_array().unwrap();
    let is_second_way = |served: &Served| served.route == ALSO_OF_THE_PORTAL && served.api == PORTAL_API;
    for served in in_code().into_iter().filter(|served| !is_second_way(served)) {
        let path = served.route.split(' ').nth(1).unwrap();
        let behavior = behaviors
            .iter()
            .find(|behavior| crate::template::is_like(path, behavior["PathPattern"].as_str().unwrap()));
        let origin = behavior.unwrap_or(&front["DefaultCacheBehavior"])["TargetOriginId"].as_str().unwrap();
        let expected = if served.api == PUBLIC_API { "public" } else { "portal" };
        assert_eq!(origin, expected, "{path}");
    }
}
