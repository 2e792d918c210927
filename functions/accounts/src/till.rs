//! `POST /api/auth/tills/{id}/pairing` and `DELETE /api/auth/tills/{id}`: a fresh pairing code for a till, and its end.

use axum::extract::State;
use shared::app::App;
use shared::domain::ids::{MerchantId, TillId};
use shared::domain::till::Till;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::{Data, NoData};
use shared::store::{Stored, Write};

use crate::tills::{self, TillToPair, with_code};

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
        let (changed, code, to_pair) = with_code(&app, &read, &caller.user.id).await?;
        let writes = vec![Write::replace(&read, &changed)?, Write::create(&code)?];
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(Data(to_pair));
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
        .update::<Till, Fault>(read, |till| {
            let revoked = Till { pairing: None, token: None, revoked_at: Some(now), ..till.clone() };
            Ok(till.revoked_at.is_none().then(|| revoked.into()))
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
