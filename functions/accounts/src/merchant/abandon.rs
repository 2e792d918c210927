//! `DELETE /api/auth/merchant`: gives up a draft. For its only member.

use axum::extract::State;
use shared::app::App;
use shared::db::{Entity, Stored, Write, fill_transaction};
use shared::endpoint_error;
use shared::http::{Description, NoData};
use shared::merchants::model::activity::Actor;
use shared::merchants::model::merchant::{Merchant, MerchantStatus};
use shared::team::model::team::User;
use shared::team::rows::sessions::SignedInUser;
use shared::team::rows::team::Belonged;

endpoint_error! {
    pub(crate) enum AbandonMerchantError {
        /// The caller has no merchant.
        NoMerchant => 404 NOT_FOUND "Your account is not linked to a merchant.",
        /// It is not a draft, or has other members.
        NotDraft => 409 NOT_DRAFT "Only a draft can be discarded, and only by its only member.",
    }
}

pub(crate) async fn abandon_merchant(caller: SignedInUser, State(app): State<App>) -> Result<NoData, AbandonMerchantError> {
    let workspace = caller.workspace.ok_or(AbandonMerchantError::NoMerchant)?;
    let id = workspace.merchant.id.clone();
    let mut attempts = app.store.attempts("a draft");
    loop {
        let merchant = app.store.merchant(&id).await?.ok_or(AbandonMerchantError::NoMerchant)?;
        let user = app.store.user(&caller.user.id).await?.ok_or(AbandonMerchantError::NoMerchant)?;
        if user.merchant_id.as_ref() != Some(&id) {
            return Err(AbandonMerchantError::NoMerchant);
        }
        let writes = giving_up(&app, &merchant, &user).await?;
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(NoData);
        }
    }
}

async fn giving_up(app: &App, merchant: &Stored<Merchant>, user: &Stored<User>) -> Result<Vec<Write>, AbandonMerchantError> {
    let team = app.store.team(&merchant.id).await?;
    let [member] = team.members.as_slice() else { return Err(AbandonMerchantError::NotDraft) };
    if merchant.status != MerchantStatus::Draft || member.user_id != user.id {
        return Err(AbandonMerchantError::NotDraft);
    }
    let inactive = Merchant { status: MerchantStatus::Inactive.into(), ..merchant.value.clone() };
    let without_merchant = User { merchant_id: None, ..user.value.clone() };
    let (actor, now) = (Actor::member(user), app.clock.now());
    let mut writes = app.store.close_keys(&team, &actor, now)?;
    writes.extend([
        Write::replace(merchant, &inactive)?,
        Write::delete(member)?,
        Write::replace(user, &without_merchant)?,
        Write::put(&Belonged::new(&user.id, &merchant.id))?,
    ]);
    writes.extend(app.store.record_changes(&actor, merchant, &inactive, now)?);
    let slug = app.store.slug_claim(&merchant.slug).await?.filter(|slug| slug.merchant_id == merchant.id);
    writes.extend(slug.as_ref().map(Write::delete).transpose()?);
    // An invitation beyond the room of the transaction is over as well, because its maker is no member. A till can do nothing:
    // the merchant is not active.
    let invites = team.invites.iter().map(|invite| Write::remove(invite.key()));
    let withdrawn: Vec<Write> = invites.chain(team.tills.iter().map(Write::delete)).collect::<Result<_, _>>()?;
    fill_transaction(&mut writes, withdrawn);
    Ok(writes)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "abandonMerchant",
        "Discard a draft",
        "Discards the caller's merchant, if it is a draft and has no other members. Its slug becomes available again, and the \
         caller can create or join another merchant.",
    )
    .ok("The merchant is discarded.")
}
