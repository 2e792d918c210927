//! The clients of a deployment: who may read their files, with which headers they are served, and how they are published.

use std::collections::BTreeMap;

use local::client_headers::{self, Headers};
use serde_json::{Value, json};
use world::workspace_root;

use crate::template::document;

const API: &str = "${PortalBaseUrl}";

fn resources() -> Value {
    document("deploy/clients.yaml")["Resources"].clone()
}

/// The headers that CloudFront adds to every response of a distribution.
fn headers(resources: &Value, distribution: &str) -> BTreeMap<String, String> {
    let config = &resources[distribution]["Properties"]["DistributionConfig"];
    assert!(config["CacheBehaviors"].is_null(), "{distribution}: all paths have the same headers");
    let policy = config["DefaultCacheBehavior"]["ResponseHeadersPolicyId"].as_str().unwrap();
    let policy = &resources[policy.trim_start_matches("${").trim_end_matches('}')]["Properties"]["ResponseHeadersPolicyConfig"];

    let security = policy["SecurityHeadersConfig"].as_object().unwrap().iter().map(|(name, header)| {
        assert_eq!(header["Override"], true, "{distribution}: {name}");
        match name.as_str() {
            "ContentSecurityPolicy" => ("content-security-policy", header["ContentSecurityPolicy"].as_str().unwrap().to_owned()),
            "ContentTypeOptions" => ("x-content-type-options", "nosniff".to_owned()),
            "ReferrerPolicy" => ("referrer-policy", header["ReferrerPolicy"].as_str().unwrap().to_owned()),
            "StrictTransportSecurity" => ("strict-transport-security", header["AccessControlMaxAgeSec"].to_string()),
            other => panic!("{distribution}: {other}"),
        }
    });
    let custom = policy["CustomHeadersConfig"]["Items"].as_array().into_iter().flatten().map(|header| {
        assert_eq!(header["Override"], true, "{distribution}: {header}");
        (header["Header"].as_str().unwrap(), header["Value"].as_str().unwrap().to_owned())
    });
    let cors = policy["CorsConfig"].as_object().map(|cors| {
        assert_eq!((&cors["OriginOverride"], &cors["AccessControlAllowCredentials"]), (&json!(true), &json!(false)));
        ("access-control-allow-origin", cors["AccessControlAllowOrigins"]["Items"][0].as_str().unwrap().to_owned())
    });
    let all = security.chain(custom).chain(cors);
    all.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect()
}

/// Those of the local system, which has no https.
fn deployed(headers: Headers) -> BTreeMap<String, String> {
    let headers = headers.into_iter().map(|(name, value)| (name.as_str().to_owned(), value));
    headers.chain([("strict-transport-security".to_owned(), "31536000".to_owned())]).collect()
}

#[test]
fn cloudfront_adds_the_headers_that_the_local_system_sends() {
    let resources = resources();
    for (distribution, expected) in [
        ("Dashboard", client_headers::page_headers(API)),
        ("Till", client_headers::till_headers(API)),
        ("Widget", client_headers::widget_headers()),
        // The API sends its own.
        ("Storefront", Vec::new()),
    ] {
        assert_eq!(headers(&resources, distribution), deployed(expected), "{distribution}");
    }
}

#[test]
fn only_cloudfront_reads_the_files_of_the_clients_and_each_distribution_its_own() {
    let resources = resources();
    let statements = resources["FilesPolicy"]["Properties"]["PolicyDocument"]["Statement"].as_array().unwrap();
    let expected = ["Dashboard", "Till", "Widget"].map(|name| {
        let config = &resources[name]["Properties"]["DistributionConfig"];
        let [origin] = &config["Origins"].as_array().unwrap()[..] else { panic!("{name} has one origin") };
        assert_eq!(origin["OriginAccessControlId"], "${FilesAccess.Id}", "{name}");
        json!({
            "Sid": name, "Effect": "Allow", "Principal": {"Service": "cloudfront.amazonaws.com"}, "Action": "s3:GetObject",
            "Resource": format!("${{Files.Arn}}{}/*", origin["OriginPath"].as_str().unwrap()),
            "Condition": {"StringEquals": {
                "aws:SourceArn": format!("arn:${{AWS::Partition}}:cloudfront::${{AWS::AccountId}}:distribution/${{{name}}}"),
            }},
        })
    });
    assert_eq!(statements[1..], expected);
}

#[test]
fn every_distribution_uses_tls_and_the_hosts_of_the_parameters() {
    for (name, resource) in resources().as_object().unwrap() {
        if resource["Type"] != "AWS::CloudFront::Distribution" {
            continue;
        }
        let config = &resource["Properties"]["DistributionConfig"];
        assert_eq!(config["Aliases"], json!([format!("${{{name}Host}}")]));
        assert_eq!(config["ViewerCertificate"]["AcmCertificateArn"], "${CertificateArn}");
        let protocols = &config["DefaultCacheBehavior"]["ViewerProtocolPolicy"];
        assert!(["https-only", "redirect-to-https"].iter().any(|policy| protocols == policy), "{name}: {protocols}");
    }
}

/// As the distribution of the APIs does, so that the API knows that requests have passed CloudFront, and where they come from.
#[test]
fn requests_for_the_shops_pages_prove_themselves_to_the_api() {
    let resources = resources();
    let config = &resources["Storefront"]["Properties"]["DistributionConfig"];
    let [origin] = &config["Origins"].as_array().unwrap()[..] else { panic!("one origin") };
    // Written by the portal's stack, and read anew at each deployment of this one: both call the same host.
    assert_eq!(origin["DomainName"], "${PublicApiHost}");
    assert_eq!(document("deploy/clients.yaml")["Parameters"]["PublicApiHost"]["Type"], "AWS::SSM::Parameter::Value<String>");
    assert_eq!(config["WebACLId"]["!If"], json!(["HasWebAcl", "${WebAclArn}", "${AWS::NoValue}"]));
    let headers = &origin["OriginCustomHeaders"]["!If"];
    let secret = "{{resolve:secretsmanager:${PortalStack}/front/${FrontSecretGeneration}}}";
    assert_eq!(headers[0], "HasFrontSecret");
    assert_eq!(headers[1], json!([{"HeaderName": "x-front-door-secret", "HeaderValue": secret}]));
    let [function] = &config["DefaultCacheBehavior"]["FunctionAssociations"].as_array().unwrap()[..] else { panic!("one") };
    assert_eq!(*function, json!({"EventType": "viewer-request", "FunctionARN": "${Shops.FunctionARN}"}));
    let code = resources["Shops"]["Properties"]["FunctionCode"].as_str().unwrap();
    assert!(code.contains("event.request.headers['x-client-address'] = { value: event.viewer.ip };"), "{code}");
}

/// An error of CloudFront's cache would be everyone's.
#[test]
fn no_error_and_no_page_of_a_shop_is_cached() {
    let storefront = &resources()["Storefront"]["Properties"]["DistributionConfig"];
    let front = &document("template.yaml")["Resources"]["Front"]["Properties"]["DistributionConfig"];
    for setting in ["CachePolicyId", "OriginRequestPolicyId"] {
        assert_eq!(storefront["DefaultCacheBehavior"][setting], front["DefaultCacheBehavior"][setting], "{setting}");
    }
    assert_eq!(storefront["CustomErrorResponses"], front["CustomErrorResponses"]);
    for name in ["Dashboard", "Till", "Widget"] {
        let responses = &resources()[name]["Properties"]["DistributionConfig"]["CustomErrorResponses"];
        let missing =
            json!({"ErrorCode": 403, "ResponseCode": 404, "ResponsePagePath": "/not-found.html", "ErrorCachingMinTTL": 0});
        assert_eq!(*responses, json!([missing]), "{name}");
    }
}

#[test]
fn mails_link_to_the_dashboard() {
    let template = document("template.yaml");
    let variable = &template["Globals"]["Function"]["Environment"]["Variables"]["DASHBOARD_BASE_URL"];
    assert_eq!(*variable, json!({"!If": ["HasDashboardBaseUrl", "${DashboardBaseUrl}", "${DashboardOrigin}"]}));
    assert_eq!(template["Parameters"]["DashboardBaseUrl"]["Default"], "");
}

fn parameters(stage: &str) -> BTreeMap<String, String> {
    let settings = std::fs::read_to_string(workspace_root().join("samconfig.toml")).unwrap();
    let (_, of_stage) = settings.split_once(&format!("[{stage}.global.parameters]")).unwrap();
    let (_, list) = of_stage.split_once("parameter_overrides = [").unwrap();
    let lines = list.split("\n]").next().unwrap().lines().map(str::trim).filter(|line| line.starts_with('"'));
    let pairs = lines.map(|line| line.trim_matches([',', '"']).split_once('=').unwrap());
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn the_clients_of_a_stage_are_where_its_portal_expects_them() {
    let portal_defaults = document("template.yaml")["Parameters"].clone();
    let clients_defaults = document("deploy/clients.yaml")["Parameters"].clone();
    for stage in ["dev", "prod"] {
        let (portal, clients) = (parameters(stage), parameters(&format!("{stage}-clients")));
        let host = |name: &str| clients[name].clone();
        assert_eq!(portal["DashboardOrigin"], format!("https://{}", host("DashboardHost")), "{stage}");
        // The till asks the same API, from another origin.
        assert_eq!(portal["AnotherDashboardOrigin"], format!("https://{}", host("TillHost")), "{stage}");
        assert_eq!(portal["WebshopBaseUrl"], format!("https://{}", host("StorefrontHost")), "{stage}");
        assert_eq!(portal["PortalBaseUrl"], clients["PortalBaseUrl"], "{stage}");
        assert_eq!(clients["PortalStack"], format!("portal-{stage}"));
        let name = &document("template.yaml")["Resources"]["PublicApiHost"]["Properties"]["Name"];
        assert_eq!(*name, clients["PublicApiHost"].replace(&format!("portal-{stage}"), "${AWS::StackName}"));
        assert_eq!(portal["FrontWebAclArn"], clients["WebAclArn"], "{stage}: one address can use up what all shops share");
        let generation = |set: &BTreeMap<String, String>, defaults: &Value| {
            set.get("FrontSecretGeneration")
                .cloned()
                .or_else(|| defaults["FrontSecretGeneration"]["Default"].as_str().map(str::to_owned))
        };
        assert_eq!(generation(&portal, &portal_defaults), generation(&clients, &clients_defaults), "{stage}");
        for name in clients.keys() {
            assert!(!clients_defaults[name].is_null(), "{stage}: deploy/clients.yaml has no parameter {name}");
        }
    }
}
