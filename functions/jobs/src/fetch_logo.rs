//! Looks at the card network for the logo of a merchant that has none.

use jiff::Timestamp;
use shared::app::App;
use shared::domain::ids::{MerchantId, NetworkMerchantId};
use shared::domain::merchant::{Brand, Merchant};
use shared::http::invocation::Invocation;
use shared::store::Write;

use crate::Failure;

/// A merchant that changes meanwhile, perhaps by a logo of its own, is looked at again; one that was looked at since
/// the promise is not.
pub(crate) async fn fetch(
    app: &App,
    invocation: &Invocation,
    merchant: &MerchantId,
    created_at: Timestamp,
) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(account) = &merchant.network_merchant_id else { return Ok(()) };
    let sought_since = merchant.logo_sought_at.is_some_and(|at| at >= created_at);
    if sought_since || !merchant.brand.logo_url.is_empty() {
        return Ok(());
    }
    let logo = logo_of(app, invocation, account).await?;
    let sought = sought(&merchant, logo, app.clock.now());
    Ok(app.store.commit(vec![Write::replace(&merchant, &sought)?]).await?)
}

/// An account that the network does not know has no logo either.
async fn logo_of(
    app: &App,
    invocation: &Invocation,
    account: &NetworkMerchantId,
) -> Result<Option<String>, Failure> {
    match app.card_network().account(invocation, account).await {
        Ok(account) => Ok(account.logo_url.filter(|url| !url.trim().is_empty())),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn sought(merchant: &Merchant, logo: Option<String>, now: Timestamp) -> Merchant {
    let brand = Brand { logo_url: logo.unwrap_or_default(), ..merchant.brand.clone() };
    Merchant { brand, logo_sought_at: Some(now), ..merchant.clone() }
}
