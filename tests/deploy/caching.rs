//! CloudFront must cache nothing: responses depend on the session and the query.

use serde_json::Value;

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
fn cloudfront_caches_no_responses() {
    let distribution = distribution();
    let others = distribution["CacheBehaviors"].as_array().unwrap();
    for behavior in others.iter().chain([&distribution["DefaultCacheBehavior"]]) {
        assert_eq!(behavior["CachePolicyId"], CACHING_DISABLED, "{behavior}");
    }
}
