//! `GET /api/auth/passkeys`: the user's passkeys, oldest first.

use axum::extract::State;
use shared::app::App;
use shared::http::{Description, General, List};
use shared::team::rows::sessions::SignedInUser;

use super::{PasskeyView, example};

pub(crate) async fn list_passkeys(caller: SignedInUser, State(app): State<App>) -> Result<List<PasskeyView>, General> {
    let passkeys = app.store.passkeys_of(&caller.user).await?;
    Ok(List(passkeys.iter().map(|passkey| PasskeyView::from(&passkey.value)).collect()))
}

pub(crate) fn describe() -> Description {
    Description::new("listPasskeys", "List the passkeys", "Returns the user's passkeys, oldest first.")
        .success("The passkeys.", example())
}
