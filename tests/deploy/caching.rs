//! CloudFront caches images alone: other responses depend on the session.

use serde_json::{Value, json};

use crate::template::Template;

/// The statuses that CloudFront caches for ten seconds unless the distribution says otherwise.
const CACHED_BY_DEFAULT: [u64; 11] = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/// The managed cache policy `CachingDisabled`.
const CACHING_DISABLED: &str = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad";

fn distribution() -> Value {
    Template::read().properties("Front")["DistributionConfig"].clone()
}

#[test]
fn cloudfront_caches_no_errors() {
    let distribution = distribution();
    let responses = distribution["CustomErrorResponses"].as_array().expect("errors have a caching time");
    for status in CACHED_BY_DEFAULT {
        let response = responses.iter().find(|response| response["ErrorCode"] == status);
        let response = response.unwrap_or_else(|| panic!("{status} is cached by default"));
        assert_eq!(response["ErrorCachingMinTTL"], 0, "{status}");
        // The caller gets the body and the status of the function.
        assert!(response["ResponsePagePath"].is_null() && response["ResponseCode"].is_null(), "{status}");
    }
}

#[test]
fn cloudfront_caches_images_alone() {
    let distribution = distribution();
    let others = distribution["CacheBehaviors"].as_array().unwrap();
    for behavior in others.iter().chain([&distribution["DefaultCacheBehavior"]]) {
        let policy = if behavior["PathPattern"] == "/api/public/gift-card-image" { "${FrontImages}" } else { CACHING_DISABLED };
        assert_eq!(behavior["CachePolicyId"], policy, "{behavior}");
    }
}

/// An image is the same for everybody, but API Gateway allows only origins that ask to read it.
#[test]
fn cloudfront_keeps_an_image_for_its_key_and_asks_whether_it_is_still_there() {
    let policy = Template::read().properties("FrontImages")["CachePolicyConfig"].clone();
    // The function says for how long: it is asked each time.
    assert_eq!((&policy["MinTTL"], &policy["DefaultTTL"]), (&json!(0), &json!(0)));
    let key = &policy["ParametersInCacheKeyAndForwardedToOrigin"];
    assert_eq!(key["QueryStringsConfig"], json!({"QueryStringBehavior": "whitelist", "QueryStrings": ["key"]}));
    assert_eq!(key["HeadersConfig"], json!({"HeaderBehavior": "whitelist", "Headers": ["Origin"]}));
    assert_eq!(key["CookiesConfig"], json!({"CookieBehavior": "none"}));
}
