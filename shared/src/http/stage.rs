//! The stage of API Gateway. In an API with named stages it is the first segment of the path, which is not part of the
//! routes.

use std::borrow::Cow;

use http::request::Parts;
use http::uri::PathAndQuery;
use http::{Request, Uri};
use lambda_http::RequestExt;
use lambda_http::request::RequestContext;
use percent_encoding::percent_decode_str;

/// Removes the stage from the path of a request.
pub(super) fn strip_stage<B>(mut request: Request<B>) -> Request<B> {
    let stage = request.extensions().get().and_then(stage);
    if let Some(uri) = stage.and_then(|stage| strip_segment(request.uri(), &stage)) {
        *request.uri_mut() = uri;
    }
    request
}

/// The path as decoded by API Gateway, without the stage.
pub(super) fn decoded_path(parts: &Parts) -> Cow<'_, str> {
    let path = parts.raw_http_path();
    let stage = parts.extensions.get().and_then(stage);
    let rest = stage.and_then(|stage| path.strip_prefix('/')?.strip_prefix(&*stage));
    percent_decode_str(rest.filter(|rest| rest.starts_with('/')).unwrap_or(path)).decode_utf8_lossy()
}

fn stage(context: &RequestContext) -> Option<String> {
    match context {
        RequestContext::ApiGatewayV2(context) => context.stage.clone(),
        RequestContext::ApiGatewayV1(context) => context.stage.clone(),
        _ => None,
    }
}

/// The URI without its first path segment. `None` if that segment is not the stage.
fn strip_segment(uri: &Uri, stage: &str) -> Option<Uri> {
    let path_and_query = uri.path_and_query()?.as_str();
    let rest = path_and_query.strip_prefix('/')?.strip_prefix(stage)?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(rest.starts_with('/').then(|| rest.parse::<PathAndQuery>().ok()).flatten()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_segment_is_stripped() {
        for (uri, expected) in [
            ("https://a.example/prod/api/x?y=1", Some("https://a.example/api/x?y=1")),
            ("/prod/api", Some("/api")),
            ("/production/api", None),
            ("/api/prod", None),
            ("/prod", None),
        ] {
            let stripped = strip_segment(&uri.parse().unwrap(), "prod").map(|uri| uri.to_string());
            assert_eq!(stripped.as_deref(), expected, "{uri}");
        }
    }
}
