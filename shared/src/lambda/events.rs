//! Events of API Gateway, as requests. `lambda_http` panics if an event cannot be converted to an HTTP request, and takes
//! some events that are none for one.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, Uri, header};
use lambda_http::aws_lambda_events::apigw::{ApiGatewayProxyRequest, ApiGatewayV2httpRequest};
use lambda_http::request::LambdaRequest;
use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;
use url::Url;

/// A request of API Gateway.
pub(super) enum Request {
    Valid(LambdaRequest),
    /// API Gateway passes on more than HTTP allows, such as a raw quotation mark in the query. Converted to a request for
    /// `/`, of the same payload format version.
    Malformed(LambdaRequest),
}

#[derive(Debug, PartialEq, Eq, Error)]
#[error("this function serves HTTP requests, and was invoked with {0}")]
pub(super) struct NotHttp(&'static str);

/// Parses an event. Fails if it is not an HTTP request of API Gateway.
pub(super) fn parse(event: &str) -> Result<Request, NotHttp> {
    Ok(match payload_version(event)? {
        PayloadVersion::One => {
            let request = serde_json::from_str(event).ok().map(with_encoded_path_v1).filter(is_valid_v1);
            match request.map(LambdaRequest::ApiGatewayV1) {
                Some(request) => Request::Valid(request),
                None => Request::Malformed(LambdaRequest::ApiGatewayV1(root_v1())),
            }
        }
        PayloadVersion::Two => {
            let request = serde_json::from_str(event).ok().map(with_encoded_path_v2).filter(is_valid_v2);
            match request.map(LambdaRequest::ApiGatewayV2) {
                Some(request) => Request::Valid(request),
                None => Request::Malformed(LambdaRequest::ApiGatewayV2(root_v2())),
            }
        }
    })
}

enum PayloadVersion {
    One,
    Two,
}

/// The members by which events differ.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Shape {
    r#type: Option<IgnoredAny>,
    method_arn: Option<IgnoredAny>,
    route_arn: Option<IgnoredAny>,
    http_method: Option<IgnoredAny>,
    request_context: ContextShape,
    #[serde(rename = "Records")]
    records: Option<IgnoredAny>,
    #[serde(rename = "detail-type")]
    detail_type: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ContextShape {
    http: Option<IgnoredAny>,
    connection_id: Option<IgnoredAny>,
    elb: Option<IgnoredAny>,
    service_network_arn: Option<IgnoredAny>,
}

fn payload_version(event: &str) -> Result<PayloadVersion, NotHttp> {
    let shape: Shape = serde_json::from_str(event).map_err(|_| NotHttp("an unknown event"))?;
    let context = shape.request_context;
    let names_a_route = shape.method_arn.is_some() || shape.route_arn.is_some();
    Err(NotHttp(if shape.r#type.is_some() && names_a_route {
        "an event for a Lambda authorizer"
    } else if context.connection_id.is_some() {
        "an event of a WebSocket API"
    } else if context.elb.is_some() {
        "a request of a load balancer"
    } else if context.service_network_arn.is_some() {
        "a request of VPC Lattice"
    } else if context.http.is_some() {
        return Ok(PayloadVersion::Two);
    } else if shape.http_method.is_some() {
        return Ok(PayloadVersion::One);
    } else if shape.records.is_some() {
        "a batch of records"
    } else if shape.detail_type.is_some() {
        "an event of EventBridge"
    } else {
        "an unknown event"
    }))
}

fn with_encoded_path_v1(mut request: ApiGatewayProxyRequest) -> ApiGatewayProxyRequest {
    request.path = request.path.as_deref().map(encode_delimiters);
    request
}

fn with_encoded_path_v2(mut request: ApiGatewayV2httpRequest) -> ApiGatewayV2httpRequest {
    request.raw_path = request.raw_path.as_deref().map(encode_delimiters);
    request
}

/// Encodes what ends the path of a URI or a segment of it: API Gateway has decoded the path, so it belongs to a segment. Decoding
/// the result gives the path again.
pub fn encode_delimiters(path: &str) -> String {
    path.replace('%', "%25").replace('?', "%3F").replace('#', "%23").replace('\\', "%5C")
}

fn is_valid_v1(request: &ApiGatewayProxyRequest) -> bool {
    let many = &request.multi_value_query_string_parameters;
    let parameters = if many.is_empty() { &request.query_string_parameters } else { many };
    has_valid_uri(
        request.request_context.domain_name.as_deref(),
        &request.headers,
        request.path.as_deref(),
        &parameters.to_query_string(),
    ) && has_valid_body(request.body.as_deref(), request.is_base64_encoded)
}

fn is_valid_v2(request: &ApiGatewayV2httpRequest) -> bool {
    has_valid_uri(
        request.request_context.domain_name.as_deref(),
        &request.headers,
        request.raw_path.as_deref(),
        request.raw_query_string.as_deref().unwrap_or_default(),
    ) && has_valid_body(request.body.as_deref(), request.is_base64_encoded)
}

/// Whether `lambda_http` can build the URI of a request from these parts.
fn has_valid_uri(domain: Option<&str>, headers: &HeaderMap, path: Option<&str>, query: &str) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST.as_str()).or(domain);
    let scheme = host.and_then(|_| text("x-forwarded-proto")).unwrap_or("https");
    let url = format!("{scheme}://{}{}", host.unwrap_or("localhost"), path.unwrap_or_default());
    let Ok(url) = Url::parse(&url) else { return false };
    let without_query = if host.is_some() { url.as_str() } else { url.path() };
    Uri::try_from(format!("{without_query}?{query}")).is_ok()
}

fn has_valid_body(body: Option<&str>, is_base64: bool) -> bool {
    !is_base64 || body.is_none_or(|body| BASE64_STANDARD.decode(body).is_ok())
}

fn root_v1() -> ApiGatewayProxyRequest {
    let mut request = ApiGatewayProxyRequest::default();
    request.path = Some("/".to_owned());
    request
}

fn root_v2() -> ApiGatewayV2httpRequest {
    let mut request = ApiGatewayV2httpRequest::default();
    request.raw_path = Some("/".to_owned());
    request
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn v1(host: &str, path: &str, query: &str, body: &str, is_base64: bool) -> Value {
        json!({
            "httpMethod": "GET", "path": path, "headers": {"host": host},
            "queryStringParameters": {"q": query}, "requestContext": {"httpMethod": "GET"}, "body": body, "isBase64Encoded": is_base64,
        })
    }

    fn v2(host: &str, path: &str, query: &str, body: &str, is_base64: bool) -> Value {
        json!({
            "version": "2.0", "rawPath": path, "rawQueryString": query, "headers": {"host": host},
            "requestContext": {"http": {"method": "GET", "path": path}}, "body": body, "isBase64Encoded": is_base64,
        })
    }

    /// Whether the event is valid. Panics if `lambda_http` does, or if the event is no request.
    fn is_valid(event: &Value) -> bool {
        match parse(&event.to_string()) {
            Ok(Request::Valid(request)) => {
                let _ = lambda_http::Request::from(request);
                true
            }
            Ok(Request::Malformed(request)) => {
                assert_eq!(lambda_http::Request::from(request).uri().path(), "/");
                false
            }
            Err(error) => panic!("{error}: {event}"),
        }
    }

    #[test]
    fn requests_that_are_not_http_are_malformed() {
        for (host, path, query, body, is_base64, expected) in [
            ("a.example", "/", "a=b&a=%22", "text", false, true),
            ("a.example:8443", "/å b\"", "", "eA==", true, true),
            ("[::1]", "", "", "", false, true),
            ("a b", "/", "", "", false, false),
            ("a:port", "/", "", "", false, false),
            ("a.example", "/", "", "e", true, false),
        ] {
            for event in [v1(host, path, query, body, is_base64), v2(host, path, query, body, is_base64)] {
                assert_eq!(is_valid(&event), expected, "{event}");
            }
        }
        for query in ["\"", "a=<b>", "a b", "\u{1}", "a=\\"] {
            assert!(is_valid(&v1("a.example", "/", query, "", false)), "API Gateway has decoded it: {query}");
        }
        for query in ["\"", "a b", "\u{1}", "\u{7f}"] {
            assert!(!is_valid(&v2("a.example", "/", query, "", false)), "{query}");
        }
        assert!(!is_valid(&v2("a.example", "/", &"x".repeat(70_000), "", false)), "longer than a URI can be");
    }

    #[test]
    fn delimiters_in_a_decoded_path_belong_to_the_path() {
        let path = r"/a?b/c#d/e\f%5C";
        for event in [v1("a.example", path, "", "", false), v2("a.example", path, "", "", false)] {
            let Ok(Request::Valid(request)) = parse(&event.to_string()) else { panic!("malformed: {event}") };
            assert_eq!(lambda_http::Request::from(request).uri().path(), "/a%3Fb/c%23d/e%5Cf%255C");
        }
    }

    proptest! {
        #[test]
        fn no_request_panics(
            host in "\\PC{0,12}|[a-z.:@/\\[\\]%# ]{0,12}",
            path in "\\PC{0,12}|/[ -~]{0,12}",
            query in "\\PC{0,12}|[ -~]{0,12}",
            body in "[a-zA-Z0-9+/=]{0,8}",
            is_base64: bool,
        ) {
            is_valid(&v1(&host, &path, &query, &body, is_base64));
            is_valid(&v2(&host, &path, &query, &body, is_base64));
        }
    }
}
