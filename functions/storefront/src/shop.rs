//! Resolves the slug of a path to its merchant.

use shared::app::App;
use shared::db::StoreError;
use shared::endpoint_error;
use shared::http::PathIds;
use shared::merchants::model::merchant::{Merchant, MerchantStatus};

endpoint_error! {
    pub(crate) enum ShopError {
        /// No active merchant has this slug.
        NoSuchShop => 404 NOT_FOUND "There is no such shop.",
    }
}

pub(crate) async fn active_merchant(app: &App, path: &PathIds) -> Result<Merchant, ShopError> {
    let slug = path.get("slug").ok_or(ShopError::NoSuchShop)?;
    find(app, slug).await?.ok_or(ShopError::NoSuchShop)
}

/// Returns the active merchant with exactly this slug.
pub(crate) async fn find(app: &App, slug: &str) -> Result<Option<Merchant>, StoreError> {
    let found = app.store.merchant_by_slug(slug).await?.map(|stored| stored.value);
    let found = found.filter(|merchant| merchant.status == MerchantStatus::Active);
    if let Some(merchant) = &found {
        tracing::Span::current().record("merchant", merchant.id.as_str());
    }
    Ok(found)
}

/// A shop, and how its slug was spelled.
pub(crate) enum Spelled {
    Exactly(Merchant),
    InAnotherCase(Merchant),
}

/// Returns the active merchant with this slug, in any case.
pub(crate) async fn find_in_any_case(app: &App, slug: &str) -> Result<Option<Spelled>, StoreError> {
    if let Some(merchant) = find(app, slug).await? {
        return Ok(Some(Spelled::Exactly(merchant)));
    }
    let lower = slug.to_ascii_lowercase();
    Ok(if lower == slug { None } else { find(app, &lower).await?.map(Spelled::InAnotherCase) })
}
