//! Creates a merchant and its first administrator.

use clap::Args;
use email_address::EmailAddress;
use jiff::Timestamp;
use shared::base::random::Random;
use shared::db::{CommitError, Store, StoreError, Write, keys};
use shared::merchants::model::merchant::Merchant;
use shared::merchants::rows::merchants::merchant_record;
use shared::team::model::team::{Membership, Powers, Role, Stamp, User, fold_email};
use shared::team::rows::team::user_record;
use shared::values::slug::Slug;
use shared::values::{Currency, MerchantId, NetworkMerchantId, UnknownCurrency, UserId};
use thiserror::Error;

use crate::mailable::mailable;

fn current_currency(code: &str) -> Result<Currency, String> {
    let currency: Currency = code.parse().map_err(|error: UnknownCurrency| error.to_string())?;
    currency.require_current().map_err(|error| error.to_string())
}

/// The merchant provides all other fields when it applies.
#[derive(Debug, Args)]
pub(crate) struct NewMerchant {
    /// Name of the merchant
    #[arg(long)]
    name: String,
    /// ISO 4217 currency code, such as SEK
    #[arg(long, value_parser = current_currency)]
    currency: Currency,
    /// Email address of the administrator
    #[arg(long, value_parser = mailable)]
    email: EmailAddress,
    /// First name of the administrator
    #[arg(long, default_value = "")]
    first_name: String,
    /// Last name of the administrator
    #[arg(long, default_value = "")]
    last_name: String,
    /// Last segment of the shop's URL; defaults to the merchant's id
    #[arg(long)]
    slug: Option<Slug>,
    /// Id of the merchant at the card network; required to sell gift cards
    #[arg(long, value_name = "ID")]
    network_merchant_id: Option<String>,
}

#[derive(Debug, Error)]
pub(crate) enum CreateError {
    #[error("a user with the e-mail address {0} already exists")]
    EmailTaken(String),
    #[error("a merchant with the slug {0} already exists")]
    SlugTaken(String),
    #[error("a merchant with the card network account {0} already exists")]
    NetworkAccountTaken(NetworkMerchantId),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates both in one transaction. Fails if the slug or the email address is taken.
pub(crate) async fn create(
    store: &Store,
    random: &Random,
    now: Timestamp,
    new: NewMerchant,
) -> Result<(Merchant, User), CreateError> {
    let merchant = new.merchant(random, now);
    let user = new.user(&merchant, random, now);
    let (powers, stamp) = (Powers::of_role(Role::Admin), Stamp::new(random.bytes()));
    let membership = Membership::new(merchant.id.clone(), user.id.clone(), powers, stamp);
    let rows = [merchant_record(&merchant)?, user_record(&user, Some(&membership))?].concat();
    let writes = rows.into_iter().map(Write::create_item).collect::<Result<_, _>>()?;
    match store.commit(writes).await {
        Ok(()) => Ok((merchant, user)),
        Err(CommitError::Conflict(row)) if row == keys::slug(&merchant.slug) => Err(CreateError::SlugTaken(merchant.slug)),
        Err(CommitError::Conflict(row)) if row == keys::user_by_email(&fold_email(&user.email)) => {
            Err(CreateError::EmailTaken(user.email))
        }
        Err(CommitError::Conflict(row)) => match merchant.network_merchant_id {
            Some(account) if row == keys::network_account(&account) => Err(CreateError::NetworkAccountTaken(account)),
            _ => Err(CommitError::Conflict(row).into()),
        },
        Err(error) => Err(error.into()),
    }
}

impl NewMerchant {
    fn merchant(&self, random: &Random, now: Timestamp) -> Merchant {
        let default = Merchant::new(MerchantId::new(random.uuid(now)), now);
        Merchant {
            name: self.name.clone(),
            currency: Some(self.currency),
            slug: self.slug.as_ref().map_or(default.slug, Slug::to_string),
            network_merchant_id: self.network_merchant_id.clone().map(NetworkMerchantId::new),
            ..default
        }
    }

    fn user(&self, merchant: &Merchant, random: &Random, now: Timestamp) -> User {
        User {
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            merchant_id: Some(merchant.id.clone()),
            ..User::new(UserId::new(random.uuid(now)), self.email.to_string())
        }
    }
}
