//! `POST /api/auth/tills/{id}/pairing` and `DELETE /api/auth/tills/{id}`: a fresh pairing code for a till, and its end.

use axum::extract::State;
use shared::app::App;
use shared::db::{StoreError, Stored, Update, Write};
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, Data, Description, NoData, PathIds, permission};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::team::model::till::Till;
use shared::values::{MerchantId, TillId};

use crate::tills::{self, PairingCodeError, TillToPair, WithCode, with_code};

endpoint_error! {
    pub(crate) enum RenewPairingCodeError {
        Code(#[from] PairingCodeError),
        OfPath(#[from] TillOfPathError),
    }
}

endpoint_error! {
    pub(crate) enum TillOfPathError {
        /// There is no such till.
        NoSuchTill => 404 NOT_FOUND "There is no such till.",
    }
}

/// The till of a path, if it belongs to the merchant and was not revoked.
async fn till(app: &App, merchant: &MerchantId, ids: &PathIds) -> Result<Stored<Till>, TillOfPathError> {
    let id = TillId::new(ids.get("id").ok_or(TillOfPathError::NoSuchTill)?);
    let till = app.store.till(merchant, &id).await?;
    till.filter(|till| till.revoked_at.is_none()).ok_or(TillOfPathError::NoSuchTill)
}

/// The till keeps its token until it is paired again.
pub(crate) async fn renew_pairing_code(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    ids: PathIds,
) -> Result<Data<TillToPair>, RenewPairingCodeError> {
    let mut attempts = app.store.attempts("a till");
    loop {
        let read = till(&app, &caller.merchant.id, &ids).await?;
        let team = app.store.team(&caller.merchant.id).await?;
        let WithCode { till, shown, mut writes } = with_code(&app, &team, &read, &caller.user).await?;
        writes.push(Write::replace(&read, &till)?);
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(Data(shown));
        }
    }
}

/// Its token ends with the next request.
pub(crate) async fn revoke_till(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    ids: PathIds,
) -> Result<NoData, TillOfPathError> {
    let read = till(&app, &caller.merchant.id, &ids).await?;
    let now = app.clock.now();
    app.store
        .update(read, |till| {
            if till.revoked_at.is_some() {
                return Ok::<_, StoreError>((None, ()));
            }
            let deed = Deed::new(ActivityAction::TillRevoked).to_target(&till.id, &till.name);
            let actor = Actor::member(&caller.user);
            let with = vec![app.store.record(actor, &till.merchant_id, deed, now)?];
            let row = Till { pairing: None, token: None, revoked_at: Some(now), ..till.clone() };
            Ok((Some(Update { row, with }), ()))
        })
        .await?;
    Ok(NoData)
}

pub(crate) fn describe_pairing() -> Description {
    Description::new(
        "renewPairingCode",
        "Renew a pairing code",
        "Returns a new code, which replaces the previous one. Pairing with it ends the current token of the till.",
    )
    .success("The till, with its pairing code.", tills::example())
}

pub(crate) fn describe_revoke() -> Description {
    Description::new("revokeTill", "Revoke a till", "Revokes the till. Its token is rejected from the next request on.")
        .ok("The till is revoked.")
}
