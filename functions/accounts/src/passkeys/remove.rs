//! `DELETE /api/auth/passkeys/{id}`: removes a passkey, and ends all sessions of the user.

use axum::extract::State;
use shared::app::App;
use shared::db::{SignInNews, Write};
use shared::endpoint_error;
use shared::http::{Description, NoData, PathIds, RecentUser, WithCookies};
use shared::team::model::passkey::suffice_alone;
use shared::team::model::team::User;

use super::mail;
use crate::session::browser::ended_session_cookie;

endpoint_error! {
    pub(crate) enum RemovePasskeyError {
        /// The user has no such passkey.
        NoPasskey => 404 NOT_FOUND "There is no such passkey.",
    }
}

/// Who removes a passkey may have lost a device: whoever has it is signed out. Mailed codes sign the user in again, if what is left does
/// not suffice.
pub(crate) async fn remove_passkey(
    RecentUser(caller): RecentUser,
    State(app): State<App>,
    ids: PathIds,
) -> Result<WithCookies<NoData>, RemovePasskeyError> {
    let id = ids.get("id").unwrap_or_default();
    let mut attempts = app.store.attempts("a passkey");
    loop {
        let user = app.store.user(&caller.user.id).await?.ok_or(RemovePasskeyError::NoPasskey)?;
        let (removed, left): (Vec<_>, Vec<_>) =
            app.store.passkeys_of(&user).await?.into_iter().partition(|passkey| passkey.id.as_str() == id);
        let removed = removed.first().ok_or(RemovePasskeyError::NoPasskey)?;
        let turned_codes_on = user.signs_in_by_passkey_alone && !suffice_alone(left.iter().map(|passkey| &passkey.value));
        let changed = User { signs_in_by_passkey_alone: user.signs_in_by_passkey_alone && !turned_codes_on, ..user.signed_out() };
        let news = SignInNews::PasskeyRemoved { name: removed.name.clone(), turned_codes_on };
        let writes = vec![Write::delete(removed)?, Write::replace(&user, &changed)?, mail(&app, &user, news)?];
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(WithCookies::new([ended_session_cookie()], NoData));
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "removePasskey",
        "Remove a passkey",
        "Removes the passkey, and ends all sessions of the user, including this one. If the passkeys that are left could be lost \
         with one device, mailed codes work again. The user is notified by e-mail.",
    )
    .ok("The passkey is removed, and all sessions have ended.")
}
