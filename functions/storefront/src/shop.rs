//! Resolves the slug of a path to its merchant.

use shared::app::App;
use shared::domain::merchant::{Merchant, MerchantStatus};
use shared::http::fault::Fault;
use shared::http::path::PathIds;

/// Returns the active merchant with the path's slug, or 404.
pub(crate) async fn active_merchant(app: &App, path: &PathIds) -> Result<Merchant, Fault> {
    let not_found = || Fault::not_found("There is no such shop.");
    let slug = path.get("slug").ok_or_else(not_found)?;
    find(app, slug).await?.ok_or_else(not_found)
}

/// Returns the active merchant with exactly this slug.
pub(crate) async fn find(app: &App, slug: &str) -> Result<Option<Merchant>, Fault> {
    let found = app.store.merchant_by_slug(slug).await?.map(|stored| stored.value);
    let found = found.filter(|merchant| merchant.status == MerchantStatus::Active);
    if let Some(merchant) = &found {
        tracing::Span::current().record("merchant", merchant.id.as_str());
    }
    Ok(found)
}
