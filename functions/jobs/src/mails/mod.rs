//! The mails that are sent, one file for each.

use shared::app::App;
use shared::db::Stored;
use shared::merchants::model::merchant::Merchant;
use shared::team::model::team::User;
use shared::values::{MerchantId, UserId};

use crate::outcome::Failure;

pub(crate) mod account_change;
pub(crate) mod code;
pub(crate) mod invite;
mod letter;
pub(crate) mod new_device;
pub(crate) mod sign_in_news;
pub(crate) mod status;
pub(crate) mod take_down;
pub(crate) mod team_news;
pub(crate) mod verification;
mod words;

/// `None` if the user has left the merchant, and must no longer be told of it.
async fn member(app: &App, merchant: &MerchantId, user: &UserId) -> Result<Option<(Stored<Merchant>, Stored<User>)>, Failure> {
    let Some(user) = app.store.user(user).await? else { return Ok(None) };
    let merchant = app.store.merchant(merchant).await?;
    let merchant = merchant.filter(|merchant| user.merchant_id.as_ref() == Some(&merchant.id));
    Ok(merchant.map(|merchant| (merchant, user)))
}
