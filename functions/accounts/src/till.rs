//! `POST /api/auth/tills/{id}/pairing` and `DELETE /api/auth/tills/{id}`: a fresh pairing code for a till, and its end.

use axum::extract::State;
use shared::app::App;
use shared::domain::activity::{ActivityAction, Actor, Deed};
use shared::domain::ids::{MerchantId, TillId};
use shared::domain::till::Till;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::{Data, NoData};
use shared::store::{Stored, Update, Write};

use crate::tills::{self, TillToPair, WithCode, with_code};

/// The till of a path. 404 if it does not exist, belongs to another merchant or was revoked.
async fn till(app: &App, merchant: &MerchantId, ids: &PathIds) -> Result<Stored<Till>, Fault> {
    let none = || Fault::not_found("There is no such till.");
    let id = TillId::new(ids.get("id").ok_or_else(none)?);
    let till = app.store.till(merchant, &id).await?;
    till.filter(|till| till.revoked_at.is_none()).ok_or_else(none)
}

/// The till keeps its token until it is paired again.
pub(crate) async fn renew_pairing_code(
    caller: Authorized<permission::TeamInvite>,
    State(app): State<App>,
    ids: PathIds,
) -> Result<Data<TillToPair>, Fault> {
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
    caller: Authorized<permission::TeamInvite>,
    State(app): State<App>,
    ids: PathIds,
) -> Result<NoData, Fault> {
    let read = till(&app, &caller.merchant.id, &ids).await?;
    let now = app.clock.now();
    app.store
        .update(read, |till| {
            if till.revoked_at.is_some() {
                return Ok::<_, Fault>((None, ()));
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
        "Returns a fresh code, which replaces the one before. Pairing with it ends the till's token.",
    )
    .success("The till, with its pairing code.", tills::example())
    .error(403, "The caller may not give the permission `portal.pos`.")
    .message("You do not have permission to do this.")
    .coded_error(409, &["TILL_LIMIT"], "20 other codes wait, or the merchant has 1,000 tills (`TILL_LIMIT`).")
    .error(404, "There is no such till.")
    .message("There is no such till.")
}

pub(crate) fn describe_revoke() -> Description {
    Description::new(
        "revokeTill",
        "Revoke a till",
        "Ends the till. Its token is refused from the next request on.",
    )
    .ok("The till is revoked.")
    .error(404, "There is no such till.")
    .message("There is no such till.")
}
