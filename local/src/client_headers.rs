//! The headers by which a browser limits what a client can do. A deployment sends the same ones (`deploy/clients.yaml`): tests/deploy
//! compares them, and tests/browser compares what is served.

use http::{HeaderName, HeaderValue, Response, header};

/// Names and values.
pub type Headers = Vec<(HeaderName, String)>;

const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Of a client whose pages ask its own origin and the API.
pub fn page_headers(api: &str) -> Headers {
    with_policy(api, "; worker-src 'none'")
}

/// The till opens without a connection, by a service worker. Its registration needs a policy of Trusted Types.
pub fn till_headers(api: &str) -> Headers {
    with_policy(api, " till-worker; worker-src 'self'")
}

/// The console shows mails in a frame.
pub(crate) fn console_headers(api: &str) -> Headers {
    with_policy(api, "; worker-src 'none'; frame-src 'self'")
}

/// Pages of any site load the widget.
pub fn widget_headers() -> Headers {
    let for_any_site = [(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"), (CROSS_ORIGIN_RESOURCE_POLICY, "cross-origin")];
    common_headers().chain(for_any_site.map(|(name, value)| (name, value.to_owned()))).collect()
}

/// No inline scripts or styles, no scripts of other hosts, and no markup from strings but Lit's. `end` follows the names of the
/// policies of Trusted Types.
fn with_policy(api: &str, end: &str) -> Headers {
    document_headers(format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob: https: {api}; \
         connect-src 'self' {api}; media-src 'self' blob:; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html{end}"
    ))
}

/// Of a document with a policy of its own.
pub(crate) fn document_headers(policy: impl Into<String>) -> Headers {
    common_headers().chain([(header::CONTENT_SECURITY_POLICY, policy.into())]).collect()
}

fn common_headers() -> impl Iterator<Item = (HeaderName, String)> {
    let common = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
    ];
    common.into_iter().map(|(name, value)| (name, value.to_owned()))
}

/// `None` if a value is not one of a header: no response goes without them.
pub(crate) fn add<T>(headers: &Headers, mut response: Response<T>) -> Option<Response<T>> {
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::try_from(value).ok()?);
    }
    Some(response)
}
