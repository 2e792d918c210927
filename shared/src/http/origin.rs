//! Protection from cross-site request forgery: which pages may send writes that the session cookie authenticates.

use http::{HeaderMap, HeaderName, header};

use crate::base::settings::Settings;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether the request was sent by a page of the portal or of the dashboard, or by a client that is not a browser.
///
/// `Origin` decides, if there is one: pages of a sibling host are same-site, but not trusted. Browsers send it with every
/// write; clients that are not browsers send neither header.
pub(super) fn is_trusted(headers: &HeaderMap, settings: &Settings) -> bool {
    if headers.contains_key(header::ORIGIN) {
        return headers.get_all(header::ORIGIN).iter().all(|origin| {
            origin.to_str().is_ok_and(|origin| settings.portal_base_url == origin || is_dashboard(origin, settings))
        });
    }
    headers.get_all(SEC_FETCH_SITE).iter().all(|site| site == "same-origin")
}

/// Whether it is a listed origin of the dashboard.
pub(super) fn is_dashboard(origin: &str, settings: &Settings) -> bool {
    settings.dashboard_origins.iter().any(|listed| matches(listed, origin))
}

/// Whether a listed origin is this origin. `http://localhost:*` lists all ports.
fn matches(listed: &str, origin: &str) -> bool {
    let Some(host) = listed.strip_suffix(":*") else { return listed == origin };
    origin.strip_prefix(host).is_some_and(|rest| {
        rest.is_empty()
            || rest.strip_prefix(':').is_some_and(|port| !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_origin_matches_exactly_and_a_wildcard_matches_ports_only() {
        for (listed, origin, expected) in [
            ("https://a.example", "https://a.example", true),
            ("https://a.example", "https://A.example", false),
            ("https://a.example", "http://a.example", false),
            ("https://a.example", "https://a.example:8443", false),
            ("https://a.example", "https://b.a.example", false),
            ("http://localhost:*", "http://localhost", true),
            ("http://localhost:*", "http://localhost:5173", true),
            ("http://localhost:*", "https://localhost:5173", false),
            ("http://localhost:*", "http://localhost:", false),
            ("http://localhost:*", "http://localhost:1.evil.example", false),
            ("http://localhost:*", "http://localhost.evil.example", false),
            ("http://localhost:*", "null", false),
        ] {
            assert_eq!(matches(listed, origin), expected, "{listed} {origin}");
        }
    }
}
