//! Looks up a missing merchant logo at the card network.

use jiff::Timestamp;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::db::Write;
use shared::merchants::model::merchant::{Brand, Merchant};
use shared::values::{MerchantId, NetworkMerchantId, public_url};

use crate::outcome::Failure;

/// Does nothing if a lookup has already run since the job was created, or the merchant has removed its logo. Fails with a
/// conflict, and is retried, if the merchant changes meanwhile: it may have set a logo of its own.
pub(crate) async fn fetch(
    app: &App,
    invocation: &Invocation,
    merchant: &MerchantId,
    created_at: Timestamp,
) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(account) = &merchant.network_merchant_id else { return Ok(()) };
    let already_looked_up = merchant.logo_checked_at.is_some_and(|at| at >= created_at);
    if already_looked_up || merchant.logo_removed || !merchant.brand.logo_url.is_empty() {
        return Ok(());
    }
    let logo_url = look_up_logo(app, invocation, account).await?;
    let updated = with_logo(&merchant, logo_url, app.clock.now());
    Ok(app.store.commit(vec![Write::replace(&merchant, &updated)?]).await?)
}

/// Returns `None` if the card network does not know the account or has no logo for it.
async fn look_up_logo(app: &App, invocation: &Invocation, account: &NetworkMerchantId) -> Result<Option<String>, Failure> {
    match app.card_network().account(invocation, account).await {
        Ok(account) => Ok(account.logo_url.as_deref().and_then(public_url)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn with_logo(merchant: &Merchant, logo_url: Option<String>, now: Timestamp) -> Merchant {
    let brand = Brand { logo_url: logo_url.unwrap_or_default(), ..merchant.brand.clone() };
    Merchant { brand, logo_checked_at: Some(now), ..merchant.clone() }
}
