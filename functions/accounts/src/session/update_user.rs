//! `PATCH /api/auth/session/user`: changes the user's name and phone number, and whether mailed codes sign them in.
#![expect(clippy::option_option, reason = "null removes a value, a missing field leaves it")]

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::db::{SignInNews, Write};
use shared::endpoint_error;
use shared::http::{
    Data, Description, General, Invalid, JsonBody, RecentPasskeyError, non_null, nullable, require_recent_passkey,
};
use shared::merchants::model::activity::{Actor, Deed};
use shared::team::model::passkey::suffice_alone;
use shared::team::model::team::User;
use shared::team::rows::sessions::SignedInUser;
use shared::values::names::{MIN_PERSON, Name, replacement};
use utoipa::ToSchema;

use crate::passkeys::mail;
use crate::person::{phone_number, phone_prefix};
use crate::session::{self, SessionView};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UserChange {
    /// First name, without `://`. An empty string removes it.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false, value_type = OptionalName)]
    first_name: Option<String>,
    /// Last name, without `://`. An empty string removes it.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false, value_type = OptionalName)]
    last_name: Option<String>,
    /// Country calling code: a plus sign and one to four digits. Null to clear.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(required = false, value_type = Option<String>)]
    phone_prefix: Option<Option<String>>,
    /// Phone number without the country calling code: at most 20 digits, spaces and dashes. Null to clear.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(required = false, value_type = Option<String>)]
    phone: Option<Option<String>>,
    /// Whether mailed codes sign the user in. They can be turned off in a session that was begun with a passkey within the last 15
    /// minutes, by a user with two passkeys, or one that is backed up.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false)]
    mail_sign_in: Option<bool>,
}

type OptionalName = Name<0>;

endpoint_error! {
    pub(crate) enum UpdateUserError {
        /// A field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST
            "phonePrefix: must be a plus sign and one to four digits.",
        /// The user could be locked out by the loss of one device.
        SecondPasskey => 409 SECOND_PASSKEY "mailSignIn: add a second passkey first, or one that is backed up.",
        NotProven(#[from] RecentPasskeyError),
    }
}

pub(crate) async fn update_user(
    caller: SignedInUser,
    State(app): State<App>,
    JsonBody(change): JsonBody<UserChange>,
) -> Result<Data<SessionView>, UpdateUserError> {
    let SignedInUser { session, user, .. } = caller;
    let (id, mut user) = (user.id.clone(), user.into_row());
    let mut attempts = app.store.attempts("the user");
    loop {
        let (row, now) = (change.apply(&user)?, app.clock.now());
        if change.turns_codes_off(&user) {
            // At each attempt: codes can have been turned on since the last one.
            require_recent_passkey(&session.details, &app)?;
            // A change of the passkeys changes the user's row.
            if !suffice_alone(app.store.passkeys_of(&user).await?.iter().map(|stored| &stored.value)) {
                return Err(UpdateUserError::SecondPasskey);
            }
        }
        let renaming = user.merchant_id.as_ref().zip(Deed::of_name(&user, &row));
        let activity = renaming.map(|(merchant, deed)| app.store.record(Actor::member(&user), merchant, deed, now));
        let news = match (user.signs_in_by_passkey_alone, row.signs_in_by_passkey_alone) {
            (false, true) => Some(SignInNews::CodesTurnedOff),
            (true, false) => Some(SignInNews::CodesTurnedOn),
            (true, true) | (false, false) => None,
        };
        let mut writes = vec![Write::replace(&user, &row)?];
        writes.extend(activity.transpose()?);
        writes.extend(news.map(|news| mail(&app, &user, news)).transpose()?);
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(Data(session::view_of(&app, &session, &id).await?));
        }
        user = app.store.user(&id).await?.ok_or_else(|| General::internal("the user is gone"))?;
    }
}

impl UserChange {
    fn turns_codes_off(&self, user: &User) -> bool {
        self.mail_sign_in == Some(false) && !user.signs_in_by_passkey_alone
    }

    fn apply(&self, user: &User) -> Result<User, Invalid> {
        let mut changed = user.clone();
        let name = |field: &str, stored: &str, name: Option<&String>| {
            let name = replacement(stored, name.map_or(stored, String::as_str), MIN_PERSON);
            name.map_err(|error| Invalid::new(format!("{field}: {error}.")))
        };
        changed.first_name = name("firstName", &user.first_name, self.first_name.as_ref())?;
        changed.last_name = name("lastName", &user.last_name, self.last_name.as_ref())?;
        if let Some(prefix) = &self.phone_prefix {
            changed.phone_prefix = prefix.as_deref().map(phone_prefix).transpose()?;
        }
        if let Some(phone) = &self.phone {
            changed.phone = phone.as_deref().map(phone_number).transpose()?;
        }
        if let Some(mail_sign_in) = self.mail_sign_in {
            changed.signs_in_by_passkey_alone = !mail_sign_in;
        }
        Ok(changed)
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "updateUser",
        "Change the user",
        "Changes the name and the phone number of the signed-in user, or whether mailed codes sign them in, and returns the \
         session. Missing fields are not changed. The e-mail address cannot be changed. Of a change of the sign-in, the user is \
         notified by e-mail.",
    )
    .body::<UserChange>(json!({"firstName": "Anna", "phonePrefix": "+46", "phone": "700000000"}))
    .success("The session.", session::example())
}
