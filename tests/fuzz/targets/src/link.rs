//! Links that are published, and URLs of webhooks.

use std::sync::LazyLock;

use shared::http::HttpUrl;
use shared::values::{public_link, public_url};
use shared::webhooks::model::{Hosts, WebhookUrl};
use url::{Host, Url};

use crate::support::text;

static HOSTS: LazyLock<Hosts> = LazyLock::new(|| Hosts::public(["https://portal.example", "https://api.portal.example"]));
static PAGE: LazyLock<Url> = LazyLock::new(|| Url::parse("https://portal.example/page").unwrap());

pub fn link(data: &[u8]) {
    let text = text(data);
    if let Some(url) = public_url(&text) {
        assert_is_http(&Url::parse(&url).unwrap());
        assert!(!url.contains(|c: char| c.is_control() || "\"'`<>\\ ".contains(c)), "{url}");
        assert_eq!(public_url(&url).as_ref(), Some(&url));
        let (published, given) = (Url::parse(&url).unwrap(), Url::parse(text.trim()).unwrap());
        assert_eq!(published.origin(), given.origin());
    }
    if let Some(link) = public_link(&text) {
        assert_eq!(public_link(&link).as_ref(), Some(&link));
        // A page that shows it as a link leads to an address of the web, or to one of its own.
        if let Ok(target) = PAGE.join(&link) {
            assert!(matches!(target.scheme(), "http" | "https") || target.scheme().contains('.'), "{link:?}");
            let names_a_host = public_url(&text).is_some() || target.scheme().contains('.');
            assert!(names_a_host || target.origin() == PAGE.origin(), "{link:?} leads to {target}");
        }
    }
    if let Ok(url) = HttpUrl::try_from(text.clone()) {
        assert_is_http(&Url::parse(url.as_ref()).unwrap());
        assert_eq!(url.as_ref(), text);
    }
    if let Ok(url) = WebhookUrl::parse(&text, &HOSTS) {
        assert_eq!(WebhookUrl::parse(url.as_str(), &HOSTS).as_ref(), Ok(&url));
        let parsed = Url::parse(url.as_str()).unwrap();
        let Some(Host::Domain(host)) = parsed.host() else { panic!("{url:?} names no host") };
        assert_eq!((parsed.scheme(), parsed.username(), parsed.password()), ("https", "", None));
        assert!(matches!(parsed.port_or_known_default(), Some(443 | 8443)) && parsed.fragment().is_none());
        assert!(host.contains('.') && !host.ends_with('.') && host.is_ascii(), "{url:?}");
        let is_own = |own: &str| host == own || host.ends_with(&format!(".{own}"));
        assert!(!is_own("portal.example"), "{url:?}");
        assert!(!["localhost", "local", "internal"].contains(&host.rsplit('.').next().unwrap()), "{url:?}");
        assert!(host.parse::<std::net::IpAddr>().is_err(), "{url:?}");
        assert!(url.as_str().chars().count() <= 500);
    }
}

fn assert_is_http(url: &Url) {
    assert!(matches!(url.scheme(), "http" | "https") && url.host().is_some(), "{url}");
}
