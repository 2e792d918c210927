//! A new merchant with its first administrator.

use clap::Args;
use email_address::EmailAddress;
use jiff::Timestamp;
use shared::domain::ids::{MerchantId, NetworkMerchantId, UserId};
use shared::domain::merchant::Merchant;
use shared::domain::money::Currency;
use shared::domain::team::{Membership, Role, User};
use shared::random::Random;
use shared::store::merchants::merchant_record;
use shared::store::team::user_record;
use shared::store::{CommitError, Store, StoreError, Write};
use thiserror::Error;

/// What is known of both from the start; the merchant itself says the rest when it applies.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The merchant's name
    #[arg(long)]
    name: String,
    /// ISO 4217, such as SEK
    #[arg(long)]
    currency: Currency,
    /// The administrator's address
    #[arg(long)]
    email: EmailAddress,
    /// The administrator's first name
    #[arg(long, default_value = "")]
    first_name: String,
    /// The administrator's last name
    #[arg(long, default_value = "")]
    last_name: String,
    /// The last part of the shop's address; the merchant's id where it is left out
    #[arg(long)]
    slug: Option<String>,
    /// The merchant's account at the card network; nothing can be sold without
    #[arg(long, value_name = "ID")]
    network_merchant_id: Option<String>,
}

#[derive(Debug, Error)]
pub(crate) enum NotCreated {
    #[error("there is a user with the address {0} already")]
    EmailTaken(String),
    #[error("there is a merchant with the slug {0} already")]
    SlugTaken(String),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where the rows stand, among those of both, that others may have made before.
const ROW_OF_SLUG: usize = 1;
const ROW_OF_ADDRESS: usize = 3;

/// Makes both, or nothing where the slug or the address is taken.
pub(crate) async fn create(
    store: &Store,
    random: &Random,
    now: Timestamp,
    new: New,
) -> Result<(Merchant, User), NotCreated> {
    let merchant = new.merchant(random, now);
    let user = new.user(&merchant, random, now);
    let membership = Membership {
        merchant_id: merchant.id.clone(),
        user_id: user.id.clone(),
        role: Some(Role::Admin),
        permissions: None,
    };
    let rows = [merchant_record(&merchant)?, user_record(&user, Some(&membership))?].concat();
    let writes = rows.into_iter().map(Write::create_item).collect::<Result<_, _>>()?;
    match store.commit(writes).await {
        Ok(()) => Ok((merchant, user)),
        Err(CommitError::Conflict(ROW_OF_SLUG)) => Err(NotCreated::SlugTaken(merchant.slug)),
        Err(CommitError::Conflict(ROW_OF_ADDRESS)) => Err(NotCreated::EmailTaken(user.email)),
        Err(error) => Err(error.into()),
    }
}

impl New {
    fn merchant(&self, random: &Random, now: Timestamp) -> Merchant {
        let fresh = Merchant::new(MerchantId::new(random.uuid(now)));
        Merchant {
            name: self.name.clone(),
            currency: Some(self.currency),
            slug: self.slug.clone().unwrap_or(fresh.slug),
            network_merchant_id: self.network_merchant_id.clone().map(NetworkMerchantId::new),
            ..fresh
        }
    }

    fn user(&self, merchant: &Merchant, random: &Random, now: Timestamp) -> User {
        User {
            id: UserId::new(random.uuid(now)),
            email: self.email.to_string(),
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            phone_prefix: None,
            phone: None,
            email_verified: false,
            is_admin: false,
            merchant_id: Some(merchant.id.clone()),
        }
    }
}
