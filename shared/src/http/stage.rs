//! The stage of API Gateway in front of a path: there for an API with named stages, and no part of any route.

use http::request::Parts;
use http::uri::PathAndQuery;
use http::{Request, Uri};
use lambda_http::RequestExt;
use lambda_http::request::RequestContext;

/// The request without the stage in front of its path.
pub(super) fn without_stage<B>(mut request: Request<B>) -> Request<B> {
    let stage = request.extensions().get().and_then(stage);
    if let Some(uri) = stage.and_then(|stage| without_prefix(request.uri(), &stage)) {
        *request.uri_mut() = uri;
    }
    request
}

/// The path as API Gateway decoded it, without the stage in front.
pub(super) fn decoded_path(parts: &Parts) -> &str {
    let path = parts.raw_http_path();
    let stage = parts.extensions.get().and_then(stage);
    let rest = stage.and_then(|stage| path.strip_prefix('/')?.strip_prefix(&*stage));
    rest.filter(|rest| rest.starts_with('/')).unwrap_or(path)
}

fn stage(context: &RequestContext) -> Option<String> {
    match context {
        RequestContext::ApiGatewayV2(context) => context.stage.clone(),
        RequestContext::ApiGatewayV1(context) => context.stage.clone(),
        _ => None,
    }
}

fn without_prefix(uri: &Uri, stage: &str) -> Option<Uri> {
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
    fn only_a_whole_segment_is_a_stage() {
        for (uri, expected) in [
            ("https://a.example/prod/api/x?y=1", Some("https://a.example/api/x?y=1")),
            ("/prod/api", Some("/api")),
            ("/production/api", None),
            ("/api/prod", None),
            ("/prod", None),
        ] {
            let stripped = without_prefix(&uri.parse().unwrap(), "prod").map(|uri| uri.to_string());
            assert_eq!(stripped.as_deref(), expected, "{uri}");
        }
    }
}
