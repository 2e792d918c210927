//! The front door: what CloudFront's web ACL admits from one client address, compared with the limits of the routes, which all callers
//! share, and with those that the functions count for an address.

use serde_json::{Value, json};
use shared::http::{ErrorFormat, Fault, Requirement, Route};
use shared::limits::model::{DOCUMENTS, IMAGES};

use crate::template::{Template, document};

/// So many addresses are needed to use up what all callers of a route share.
const ADDRESSES: u64 = 10;

/// The rule that limits all requests of an address.
const ALL_ROUTES: &str = "AllRoutes";

/// A rule of the web ACL.
pub(crate) struct Rule {
    pub(crate) name: String,
    /// The most requests of an address in a window.
    pub(crate) limit: u64,
    /// In seconds.
    pub(crate) window: u64,
    /// Of the paths that it counts. Empty for all.
    paths: Vec<PathPattern>,
    response: Value,
}

/// How a path begins or ends.
enum PathPattern {
    Prefix(String),
    Suffix(String),
}

impl PathPattern {
    fn matches(&self, path: &str) -> bool {
        match self {
            Self::Prefix(prefix) => path.starts_with(prefix.as_str()),
            Self::Suffix(suffix) => path.ends_with(suffix.as_str()),
        }
    }
}

/// The rules in the order in which requests pass through them, with the defaults of the parameters.
pub(crate) fn rules() -> Vec<Rule> {
    let acl = document("deploy/front-acl.yaml");
    let rules = acl["Resources"]["FrontAcl"]["Properties"]["Rules"].as_array().unwrap().iter();
    let mut rules: Vec<(u64, Rule)> = rules.map(|rule| (rule["Priority"].as_u64().unwrap(), Rule::read(&acl, rule))).collect();
    rules.sort_by_key(|(priority, _)| *priority);
    rules.into_iter().map(|(_, rule)| rule).collect()
}

/// The first of the rules that counts requests of a path: none of the later ones admits more.
pub(crate) fn rule_of<'a>(rules: &'a [Rule], path: &str) -> &'a Rule {
    let counts = |rule: &&Rule| rule.paths.is_empty() || rule.paths.iter().any(|pattern| pattern.matches(path));
    rules.iter().find(counts).unwrap()
}

impl Rule {
    fn read(acl: &Value, rule: &Value) -> Self {
        let rate = &rule["Statement"]["RateBasedStatement"];
        assert_eq!(rate["AggregateKeyType"], "IP", "{rule}");
        let parameter = |name: &str| &acl["Parameters"][name.trim_matches(['$', '{', '}'])]["Default"];
        let limit = rate["Limit"].as_str().map_or(&rate["Limit"], parameter).as_u64().unwrap();
        let scope = &rate["ScopeDownStatement"]["AndStatement"]["Statements"];
        if !scope.is_null() {
            let not = &scope[0]["NotStatement"]["Statement"]["ByteMatchStatement"];
            assert_eq!((&not["SearchString"], &not["FieldToMatch"]), (&json!("OPTIONS"), &json!({"Method": {}})), "{rule}");
        }
        let paths = &scope[1];
        let several = paths["OrStatement"]["Statements"].as_array().cloned();
        let matches = several.unwrap_or_else(|| (!paths.is_null()).then(|| paths.clone()).into_iter().collect());
        let pattern = |path: &Value| {
            let path = &path["ByteMatchStatement"];
            let text = path["SearchString"].as_str().unwrap().to_owned();
            match path["PositionalConstraint"].as_str() {
                Some("STARTS_WITH") => PathPattern::Prefix(text),
                Some("ENDS_WITH") => PathPattern::Suffix(text),
                other => panic!("{other:?} {rule}"),
            }
        };
        Self {
            name: rule["Name"].as_str().unwrap().to_owned(),
            limit,
            window: rate["EvaluationWindowSec"].as_u64().unwrap(),
            paths: matches.iter().map(pattern).collect(),
            response: rule["Action"]["Block"]["CustomResponse"].clone(),
        }
    }

    fn header(&self, name: &str) -> Option<&Value> {
        let mut headers = self.response["ResponseHeaders"].as_array().unwrap().iter();
        headers.find(|header| header["Name"] == name).map(|header| &header["Value"])
    }
}

fn routes() -> Vec<Route> {
    local::route_tables().iter().flat_map(|table| table.routes().to_vec()).collect()
}

/// The requests per second that API Gateway admits to a route, of all callers together.
pub(crate) fn rate(template: &Template, route: &Route) -> u64 {
    let api = template.properties(if route.allows_any_origin { "PublicApi" } else { "PortalApi" });
    let own = &api["RouteSettings"][format!("{} {}", route.method, route.path)]["ThrottlingRateLimit"];
    own.as_u64().or_else(|| api["DefaultRouteSettings"]["ThrottlingRateLimit"].as_u64()).unwrap()
}

/// The routes that receive files: API Gateway counts a request before a function knows whose it is.
fn is_upload(route: &Route) -> bool {
    ["/api/bff/offers/media", "/api/onboarding/upload"].contains(&route.path)
}

#[test]
fn a_few_addresses_cannot_use_up_what_all_callers_of_a_route_share() {
    let (template, rules) = (Template::read(), rules());
    // The pages of the shops have a distribution of their own, with other paths.
    let pages = routes().into_iter().filter_map(|route| Some((route.path.strip_prefix("/shop")?, route)));
    for (path, route) in routes().into_iter().map(|route| (route.path, route)).chain(pages) {
        let (rule, rate) = (rule_of(&rules, path), rate(&template, &route));
        assert!(
            rule.limit * ADDRESSES <= rate * rule.window,
            "{} {}: {rate} per second, and {} admits {} in {} s",
            route.method,
            route.path,
            rule.name,
            rule.limit,
            rule.window,
        );
    }
}

#[test]
fn every_route_without_a_session_and_every_upload_has_a_rule_of_its_own() {
    let rules = rules();
    let own = routes().into_iter().filter(|route| route.requirement == Requirement::Public || is_upload(route));
    let without: Vec<&str> = own.map(|route| route.path).filter(|path| rule_of(&rules, path).name == ALL_ROUTES).collect();
    assert!(without.is_empty(), "{without:?}");
    let routes = routes();
    for rule in rules {
        let counts = |pattern: &PathPattern| routes.iter().any(|route| pattern.matches(route.path));
        assert!(rule.paths.iter().all(counts), "{}: no route has one of its paths", rule.name);
    }
}

#[test]
fn an_address_is_blocked_before_a_function_refuses_it() {
    let rules = rules();
    let mut counted = Vec::new();
    let max_uploads = IMAGES.share().max.min(DOCUMENTS.share().max);
    for route in routes() {
        let day = 24 * 60 * 60;
        let limit = route.per_client.map(|limit| (limit.max, limit.window.as_secs()));
        let Some((max_calls, seconds)) = limit.or_else(|| is_upload(&route).then_some((max_uploads, day))) else { continue };
        let rule = rule_of(&rules, route.path);
        assert!(rule.limit < u64::from(max_calls), "{}: {} admits {}", route.path, rule.name, rule.limit);
        assert!(rule.window <= u64::try_from(seconds).unwrap(), "{}: {} counts {} s", route.path, rule.name, rule.window);
        counted.push(route.path);
    }
    let expected = "/api/auth/code /api/auth/tills/pairing /api/bff/offers/media /api/merchants/{slug}/balance \
                    /api/onboarding/upload /api/public/merchant/onboarding-check /shop/{slug}/card";
    counted.sort_unstable();
    assert_eq!(counted.join(" "), expected);
}

#[test]
fn the_default_of_the_onboarding_checks_is_that_of_the_functions() {
    let parameter = &document("template.yaml")["Parameters"]["OnboardingChecksPerAddress"]["Default"];
    let routes = routes();
    let check = routes.iter().find(|route| route.path == "/api/public/merchant/onboarding-check").unwrap();
    assert_eq!(parameter.as_u64(), check.per_client.map(|limit| u64::from(limit.max)));
}

#[test]
fn scripts_can_read_that_a_request_was_blocked() {
    let routes = routes();
    for rule in rules() {
        let counts = |route: &&Route| rule.paths.iter().any(|pattern| pattern.matches(route.path));
        let is_public = routes.iter().filter(counts).any(|route| route.allows_any_origin);
        let (origin, credentials) = if is_public { ("*", None) } else { ("${DashboardOrigin}", Some(&json!("true"))) };
        assert_eq!(rule.response["ResponseCode"], 429, "{}", rule.name);
        assert_eq!(rule.header("Access-Control-Allow-Origin"), Some(&json!(origin)), "{}", rule.name);
        assert_eq!(rule.header("Access-Control-Allow-Credentials"), credentials, "{}", rule.name);
        assert_eq!(rule.header("Retry-After"), Some(&json!(rule.window.to_string())), "{}", rule.name);
        let has_code = rule.name == "Balances";
        let key = if has_code {
            "PublicWithCode"
        } else if is_public {
            "Public"
        } else {
            "Portal"
        };
        assert_eq!(rule.response["CustomResponseBodyKey"], key, "{}", rule.name);
    }
}

#[test]
fn a_blocked_request_is_answered_as_by_the_functions() {
    let acl = document("deploy/front-acl.yaml");
    let bodies = &acl["Resources"]["FrontAcl"]["Properties"]["CustomResponseBodies"];
    let message = "Too many requests from this address. Please try again later.";
    let fault = Fault::refused(429, "TOO_MANY_REQUESTS", message);
    for (name, format) in
        [("Portal", ErrorFormat::Nested), ("Public", ErrorFormat::Flat), ("PublicWithCode", ErrorFormat::FlatWithCode)]
    {
        let body: Value = serde_json::from_str(bodies[name]["Content"].as_str().unwrap()).unwrap();
        assert_eq!(body, format.body(&fault), "{name}");
    }
}

#[test]
fn the_front_has_a_web_acl_unless_the_operator_refuses_one() {
    let template = document("template.yaml");
    let rule = &template["Rules"]["FrontHasWebAcl"];
    assert_eq!(rule["RuleCondition"], json!({"!Not": [{"!Equals": ["${FrontCertificateArn}", ""]}]}));
    assert_eq!(rule["Assertions"][0]["Assert"], json!({"!Not": [{"!Equals": ["${FrontWebAclArn}", ""]}]}));
    let config = &template["Resources"]["Front"]["Properties"]["DistributionConfig"];
    assert_eq!(config["WebACLId"]["!If"], json!(["HasFrontWebAcl", "${FrontWebAclArn}", "${AWS::NoValue}"]));
    let mut behaviors = config["CacheBehaviors"].as_array().unwrap().iter().chain([&config["DefaultCacheBehavior"]]);
    assert!(behaviors.all(|behavior| behavior["ViewerProtocolPolicy"] == "https-only"));
    let settings = std::fs::read_to_string(world::workspace_root().join("samconfig.toml")).unwrap();
    let stages = settings.matches("FrontCertificateArn=").count();
    assert!(stages > 0 && settings.matches("\"FrontWebAclArn=REPLACE\"").count() == stages);
}

#[test]
fn the_endpoints_of_api_gateway_can_be_disabled_once_cloudfront_has_others() {
    let template = Template::read();
    for api in ["PortalApi", "PublicApi"] {
        let disabled = &template.properties(api)["DisableExecuteApiEndpoint"];
        assert_eq!(disabled, &json!({"!If": ["DisablesExecuteApi", true, false]}), "{api}");
    }
    let origins = template.properties("Front")["DistributionConfig"]["Origins"].as_array().unwrap();
    let host = |id: &str| origins.iter().find(|origin| origin["Id"] == id).unwrap()["DomainName"].clone();
    assert_eq!(host("public"), "${PublicApiHost.Value}");
    for (api, host) in [("Portal", &host("portal")), ("Public", &template.properties("PublicApiHost")["Value"])] {
        let own = format!("${{{api}Api}}.execute-api.${{AWS::Region}}.${{AWS::URLSuffix}}");
        assert_eq!(*host, json!({"!If": ["HasApiDomains", format!("${{{api}ApiDomain}}"), own]}));
    }
    let rule = &document("template.yaml")["Rules"]["CloudFrontReachesTheApis"];
    assert_eq!(rule["RuleCondition"], json!({"!Equals": ["${ExecuteApiEndpoints}", "disabled"]}));
    assert_eq!(rule["Assertions"][0]["Assert"], json!({"!Not": [{"!Equals": ["${PortalApiDomain}", ""]}]}));
}
