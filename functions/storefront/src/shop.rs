//! Whose shop a path speaks of.

use shared::app::App;
use shared::domain::merchant::{Merchant, MerchantStatus};
use shared::http::fault::Fault;
use shared::http::path::PathIds;

/// The merchant of the path's slug; 404 without one that is active.
pub(crate) async fn merchant_of(app: &App, path: &PathIds) -> Result<Merchant, Fault> {
    let closed = || Fault::not_found("There is no such shop.");
    let slug = path.get("slug").ok_or_else(closed)?;
    let merchant = app.store.merchant_by_slug(slug).await?.ok_or_else(closed)?.value;
    if merchant.status != MerchantStatus::Active {
        return Err(closed());
    }
    tracing::Span::current().record("merchant", merchant.id.as_str());
    Ok(merchant)
}
