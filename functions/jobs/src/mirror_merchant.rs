//! Mirrors a merchant's details to its account at the card network.

use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::AccountChange;
use shared::db::{MirroredField, StoreError};
use shared::merchants::model::merchant::Merchant;
use shared::values::MerchantId;

use crate::outcome::Failure;

const MAX_ROUNDS: u32 = 3;

/// Re-reads the merchant after each update and sends again if it changed meanwhile. Concurrent jobs can reach the card
/// network in any order; the last update then still matches the stored merchant.
pub(crate) async fn mirror(
    app: &App,
    invocation: &Invocation,
    merchant: &MerchantId,
    fields: &[MirroredField],
) -> Result<(), Failure> {
    let mut sent = None;
    for _ in 0..MAX_ROUNDS {
        let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
        let Some(account) = merchant.network_merchant_id.clone() else { return Ok(()) };
        let current = (account, account_change(&merchant, fields));
        if sent.as_ref() == Some(&current) {
            return Ok(());
        }
        let (account, change) = &current;
        app.card_network().change_account(invocation, account, change).await?;
        sent = Some(current);
    }
    Err(StoreError::Contended("the merchant").into())
}

fn account_change(merchant: &Merchant, fields: &[MirroredField]) -> AccountChange {
    let mut change = AccountChange::default();
    for field in fields {
        let target = match field {
            MirroredField::Name => &mut change.name,
            MirroredField::RegistrationNumber => &mut change.registration_number,
            MirroredField::VatNumber => &mut change.vat_number,
            MirroredField::Website => &mut change.website,
            MirroredField::LogoUrl => &mut change.logo_url,
            MirroredField::TimeZone => &mut change.time_zone,
        };
        *target = Some(field.of(merchant).to_owned());
    }
    change
}
