//! Records visits to a merchant's catalog in the widget.
//!
//! The cookie `gc_as` holds a random visitor id and expires 30 minutes after the last request. A visit is identified by
//! the merchant and the visitor id: requests with the cookie belong to the same visit.

use std::time::Duration;

use http::{HeaderMap, HeaderValue, header};
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::db::StoreError;
use shared::db::counters::Caller;
use shared::http::{ClientAddress, cookie};
use shared::limits::model::VISITS;
use shared::projections::model::visit::{Visit, VisitEvent};
use shared::values::MerchantId;
use tokio::time::timeout;
use url::Url;

const COOKIE: &str = "gc_as";
/// For recording the visit, which the response waits for.
const RECORD_TIMEOUT: Duration = Duration::from_secs(1);
/// In characters. Longer paths are truncated.
const MAX_ENTRY_LENGTH: usize = 100;

/// The id of a browser, for the lifetime of its cookie.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Visitor(String);

impl Visitor {
    /// Reads the visitor id from the cookie; `None` if it is missing or invalid.
    fn from_cookie(headers: &HeaderMap) -> Option<Self> {
        let id = cookie::values(headers, COOKIE).find(|value| is_id(value))?;
        Some(Self(id.to_owned()))
    }

    fn generate(app: &App) -> Self {
        Self(hex::encode(app.random.bytes::<16>()))
    }

    /// Returns the `Set-Cookie` header, sent with every response to renew the cookie. The widget is embedded in other
    /// sites, which requires `SameSite=None`; `Partitioned` gives each of these sites its own cookie.
    fn set_cookie(&self) -> Option<HeaderValue> {
        let attributes = "Path=/; Max-Age=1800; Secure; HttpOnly; SameSite=None; Partitioned";
        HeaderValue::try_from(format!("{COOKIE}={}; {attributes}", self.0)).ok()
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Records the visit and returns the visitor's `Set-Cookie` header. `None` if there is no such merchant, if too many
/// visits began from this address, or if recording fails or times out.
pub(crate) async fn record(app: &App, merchant: &MerchantId, headers: &HeaderMap, address: ClientAddress) -> Option<HeaderValue> {
    const WHAT: &str = "the widget visit";
    let recorded = timeout(RECORD_TIMEOUT, write_visit(app, merchant, headers, address)).await;
    let recorded = best_effort(WHAT, recorded)?;
    best_effort(WHAT, recorded)??.set_cookie()
}

async fn write_visit(
    app: &App,
    merchant: &MerchantId,
    headers: &HeaderMap,
    address: ClientAddress,
) -> Result<Option<Visitor>, StoreError> {
    if !app.store.merchant_exists(merchant).await? {
        return Ok(None);
    }
    let known = Visitor::from_cookie(headers);
    if let Some(visitor) = &known
        && app.store.visit_exists(merchant, &visitor.0).await?
    {
        return Ok(known);
    }
    if !admits_new_visit(app, address).await? {
        return Ok(None);
    }
    let visitor = known.unwrap_or_else(|| Visitor::generate(app));
    let visit = Visit {
        id: visitor.0.clone(),
        merchant_id: merchant.clone(),
        started_at: app.clock.now(),
        embed: Some("Widget".to_owned()),
        entry: entry_path(headers),
        event: Some(VisitEvent::WidgetCatalogViewed.into()),
    };
    app.store.begin_visit(&visit).await?;
    Ok(Some(visitor))
}

/// Further visits are not recorded: strangers must not create rows without limit. The cookie cannot tell visitors apart that are
/// made up: anybody can send any number of them.
async fn admits_new_visit(app: &App, ClientAddress(address): ClientAddress) -> Result<bool, StoreError> {
    Ok(app.store.reserve(&[(VISITS, Caller::Address(address))], 1, app.clock.now()).await?.is_ok())
}

/// Returns the path of the page that embeds the widget. Most browsers send only the origin of the page in cross-site
/// requests: the path `/` is therefore not recorded.
fn entry_path(headers: &HeaderMap) -> Option<String> {
    let page = Url::parse(headers.get(header::REFERER)?.to_str().ok()?).ok()?;
    let path: String = page.path().chars().take(MAX_ENTRY_LENGTH).collect();
    (page.has_host() && path != "/").then_some(path)
}
