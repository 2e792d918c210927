//! Finds merchants whose team has no administrator, and gives them one.

use clap::Args;
use email_address::EmailAddress;
use jiff::Timestamp;
use shared::base::random::Random;
use shared::db::{Job, News, Store, StoreError, Task, Write};
use shared::keys::makers::TakenBy;
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::merchants::model::merchant::MerchantStatus;
use shared::team::model::team::{Powers, Role};
use shared::values::MerchantId;
use thiserror::Error;

use crate::session::{self, LookupError};

#[derive(Debug, Args)]
pub(crate) struct Promote {
    /// Id of the merchant
    merchant: String,
    /// Email address of the member
    #[arg(value_name = "ADDRESS")]
    email: EmailAddress,
}

#[derive(Debug, Error)]
pub(crate) enum PromoteError {
    #[error("{0} is not a member of the merchant {1}")]
    NotAMember(EmailAddress, MerchantId),
    #[error(transparent)]
    Lookup(#[from] LookupError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Gives a member the role `ADMIN`, which the merchant's activity shows and its administrators are told of. Returns what was
/// done, as a sentence.
pub(crate) async fn promote(
    store: &Store,
    random: &Random,
    now: Timestamp,
    Promote { merchant, email }: Promote,
) -> Result<String, PromoteError> {
    let merchant = MerchantId::new(merchant);
    let user = session::user(store, &email).await?;
    let powers = Powers::of_role(Role::Admin);
    let mut attempts = store.attempts("the team");
    loop {
        let team = store.team(&merchant).await?;
        let not_a_member = || PromoteError::NotAMember(email.clone(), merchant.clone());
        let member = team.member(&user.id).ok_or_else(not_a_member)?;
        if member.is_administrator() {
            return Ok(format!("user {} is already an administrator of the merchant", user.id));
        }
        let deed = Deed::new(ActivityAction::RoleChanged)
            .to_target(&user.id, user.display_name())
            .changing_powers(&member.powers(), &powers);
        let news = News::BecameAdministrator { user_id: user.id.clone() };
        let job = Job::new(merchant.clone(), Task::TeamNews { news }, now, random);
        let promoted = member.with_powers(powers.clone(), store.new_stamp());
        let actor = Actor::platform();
        let mut writes = store.change_member(&team, member, Some(&promoted), TakenBy::Platform, &actor, now)?;
        writes.extend([store.record(actor, &merchant, deed, now)?, Write::create(&job)?]);
        if attempts.committed(store.commit(writes).await).await? {
            return Ok(format!("user {} is an administrator of the merchant", user.id));
        }
    }
}

const MERCHANTS_PER_PAGE: u16 = 100;

/// The merchants that are not closed and whose members are none of them an administrator.
pub(crate) async fn merchants_without_administrator(store: &Store) -> Result<Vec<MerchantId>, StoreError> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = store.merchants_page(after.as_ref(), MERCHANTS_PER_PAGE).await?;
        for merchant in page.merchants.into_iter().filter(|entry| entry.status != MerchantStatus::Inactive) {
            let team = store.team(&merchant.id).await?;
            if !team.members.is_empty() && team.administrators().next().is_none() {
                found.push(merchant.id);
            }
        }
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}
