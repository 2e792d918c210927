//! Resolves the slug of a path to its merchant.

use shared::app::App;
use shared::domain::merchant::{Merchant, MerchantStatus};
use shared::http::fault::Fault;
use shared::http::path::PathIds;

/// Returns the active merchant with the path's slug, or 404.
pub(crate) async fn active_merchant(app: &App, path: &PathIds) -> Result<Merchant, Fault> {
    let not_found = || Fault::not_found("There is no such shop.");
    let slug = path.get("slug").ok_or_else(not_found)?;
    let merchant = app.store.merchant_by_slug(slug).await?.ok_or_else(not_found)?.value;
    if merchant.status != MerchantStatus::Active {
        return Err(not_found());
    }
    tracing::Span::current().record("merchant", merchant.id.as_str());
    Ok(merchant)
}
