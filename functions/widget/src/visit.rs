//! What is noted of a visitor who sees a merchant's catalogue in the widget: one visit for each stay.
//!
//! The cookie `gc_as` holds a random id and lasts for 30 minutes after the last look, which the browser sees to. A
//! look with the cookie goes on with the visit of that id; at another merchant's, the same id is another visit.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};
use shared::app::App;
use shared::best_effort::best_effort;
use shared::domain::ids::MerchantId;
use shared::http::cookie;
use shared::store::StoreError;
use shared::store::visits::{Visit, VisitEvent};
use tokio::time::timeout;
use url::Url;

const COOKIE: &str = "gc_as";
/// How long the catalogue waits for its visitor to be written down.
const TIMEOUT: Duration = Duration::from_secs(1);
/// Characters of a page's path that are kept.
const MAX_ENTRY_LENGTH: usize = 100;

/// Somebody at a browser, for as long as their cookie lasts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Visitor(String);

impl Visitor {
    /// The bearer of a cookie of ours. One that we cannot have made is none.
    fn known(headers: &HeaderMap) -> Option<Self> {
        let id = cookie::values(headers, COOKIE).find(|value| is_id(value))?;
        Some(Self(id.to_owned()))
    }

    fn new(app: &App) -> Self {
        Self(hex::encode(app.random.bytes::<16>()))
    }

    /// Sent on every look, so that the 30 minutes begin again. The widget stands on other sites' pages, hence
    /// `SameSite=None`; each of those sites has a cookie of its own, hence `Partitioned`.
    fn cookie(&self) -> Option<HeaderValue> {
        let attributes = "Path=/; Max-Age=1800; Secure; HttpOnly; SameSite=None; Partitioned";
        HeaderValue::try_from(format!("{COOKIE}={}; {attributes}", self.0)).ok()
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Notes that the merchant's catalogue was seen, and returns the `Set-Cookie` that the visitor is known by from now
/// on: none where there is no such merchant, or the note could not be taken in time.
pub(crate) async fn record(app: &App, merchant: &MerchantId, headers: &HeaderMap) -> Option<HeaderValue> {
    const NOTE: &str = "the note of a widget's visitor";
    let noted = best_effort(NOTE, timeout(TIMEOUT, note(app, merchant, headers)).await)?;
    best_effort(NOTE, noted)??.cookie()
}

async fn note(app: &App, merchant: &MerchantId, headers: &HeaderMap) -> Result<Option<Visitor>, StoreError> {
    if !app.store.merchant_exists(merchant).await? {
        return Ok(None);
    }
    let visitor = Visitor::known(headers).unwrap_or_else(|| Visitor::new(app));
    let visit = Visit {
        id: visitor.0.clone(),
        merchant_id: merchant.clone(),
        started_at: app.clock.now(),
        embed: Some("Widget".to_owned()),
        entry: entry(headers),
        event: Some(VisitEvent::WidgetCatalogViewed),
    };
    app.store.begin_visit(&visit).await?;
    Ok(Some(visitor))
}

/// The path of the page that the widget stands on. Most browsers tell other sites only the page's origin, which
/// reads as the path `/` and says nothing.
fn entry(headers: &HeaderMap) -> Option<String> {
    let page = Url::parse(headers.get(header::REFERER)?.to_str().ok()?).ok()?;
    let path: String = page.path().chars().take(MAX_ENTRY_LENGTH).collect();
    (page.has_host() && path != "/").then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headers(name: http::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn a_visitor_is_known_by_a_cookie_that_we_can_have_made() {
        let id = "0123456789abcdef0123456789abcdef";
        for (cookies, expected) in [
            (format!("gc_as={id}"), Some(id)),
            (format!("a=b; gc_as=; gc_as={id}"), Some(id)),
            (format!("gc_as={}", id.to_uppercase()), None),
            (format!("gc_as={id}0"), None),
            (format!("gc_as=\"{id}\""), None),
            (format!("gc_ass={id}"), None),
            ("gc_as=m-1%23v-1".to_owned(), None),
        ] {
            let known = Visitor::known(&headers(header::COOKIE, &cookies));
            assert_eq!(known, expected.map(|id| Visitor(id.to_owned())), "{cookies}");
        }
    }

    #[test]
    fn the_entry_is_the_path_of_the_page_without_what_may_be_personal() {
        let long = format!("https://shop.example/{}", "a".repeat(200));
        for (referer, expected) in [
            ("https://shop.example/gifts?email=a@b.example#top", Some("/gifts")),
            ("https://shop.example/", None),
            ("https://shop.example", None),
            ("about:blank", None),
            ("not an address", None),
            (&long, Some(&long[20..120])),
        ] {
            assert_eq!(entry(&headers(header::REFERER, referer)).as_deref(), expected, "{referer}");
        }
        assert_eq!(entry(&HeaderMap::new()), None);
    }

    proptest! {
        #[test]
        fn whoever_gets_a_cookie_is_known_by_it(bytes: [u8; 16]) {
            let visitor = Visitor(hex::encode(bytes));
            let cookie = visitor.cookie().unwrap();
            let pair = cookie.to_str().unwrap().split(';').next().unwrap();
            prop_assert_eq!(Visitor::known(&headers(header::COOKIE, pair)), Some(visitor));
        }
    }
}
