//! What creating and rotating a key have in common: who may give it, its limits, and the mails that follow.

use jiff::Timestamp;
use shared::app::App;
use shared::db::counters::Reservation;
use shared::db::{Job, KeyNews, News, StoreError, Stored, Task, Write};
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, General, permission};
use shared::keys::model::key::{ApiKey, days};
use shared::keys::model::text::KeyText;
use shared::limits;
use shared::limits::model::{KEY_SECRETS, UsedUp};
use shared::team::model::team::{Membership, Powers};
use shared::team::rows::team::Team;
use shared::values::{ApiKeyId, MerchantId};

pub(crate) type Manager = AuthorizedPerson<permission::TeamInvite>;

/// How many days before its end administrators are told of it.
const TOLD_BEFORE: [u16; 2] = [14, 1];

endpoint_error! {
    pub(crate) enum SecretError {
        /// The caller does not have all permissions of the key.
        NotHeld => 403 FORBIDDEN "You can only grant permissions that you have yourself.",
        /// The caller has made or rotated 20 keys within a day, or all members of the merchant together 40.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 20 new key secrets a day. Please try again in 12 hours.",
    }
}

pub(crate) fn new_text(app: &App, id: &ApiKeyId, merchant: &MerchantId) -> Result<KeyText, General> {
    let text = KeyText::new(app.random.bytes(), id, merchant);
    text.ok_or_else(|| General::internal("the id of the merchant is too long for a key"))
}

/// The membership of the caller as it is now, if they may give the key.
pub(crate) fn giver<'a>(team: &'a Team, caller: &Manager, powers: &Powers) -> Result<&'a Stored<Membership>, SecretError> {
    team.giver(&caller.user.id, powers).ok_or(SecretError::NotHeld)
}

pub(crate) async fn count(app: &App, caller: &Manager, reserved: &mut Option<Reservation>) -> Result<(), SecretError> {
    limits::reserve_once(app, &caller.member().within(KEY_SECRETS), reserved).await
}

/// The writes of the mails: now, and before the key expires.
pub(crate) fn mails(app: &App, key: &ApiKey, what: KeyNews, now: Timestamp) -> Result<Vec<Write>, StoreError> {
    let job = |what| {
        let task = Task::TeamNews { news: News::Key { key_id: key.id.clone(), what } };
        Job::new(key.merchant_id.clone(), task, now, &app.random)
    };
    let at = TOLD_BEFORE.map(|before| key.expires_at.checked_sub(days(before)).unwrap_or(now));
    let expiring = at.into_iter().filter(|at| *at > now);
    let expiring = expiring.map(|at| job(KeyNews::Expiring { at: key.expires_at }).due_at(at));
    std::iter::once(job(what)).chain(expiring).map(|job| Write::create(&job)).collect()
}
