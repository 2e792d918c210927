//! `PATCH /api/auth/session/user`: changes the user's name and phone number.
#![expect(clippy::option_option, reason = "null removes a value, a missing field leaves it")]

use axum::extract::State;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use shared::app::App;
use shared::db::Update;
use shared::endpoint_error;
use shared::http::body::{JsonBody, non_null};
use shared::http::description::Description;
use shared::http::endpoint_error::Invalid;
use shared::http::reply::Data;
use shared::merchants::model::activity::{Actor, Deed};
use shared::team::model::team::User;
use shared::team::rows::sessions::SignedInUser;
use shared::values::names::{MIN_PERSON, Name, replacement};
use utoipa::ToSchema;

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
    #[serde(default, deserialize_with = "given")]
    #[schema(required = false, value_type = Option<String>)]
    phone_prefix: Option<Option<String>>,
    /// Phone number without the country calling code: at most 20 digits, spaces and dashes. Null to clear.
    #[serde(default, deserialize_with = "given")]
    #[schema(required = false, value_type = Option<String>)]
    phone: Option<Option<String>>,
}

type OptionalName = Name<0>;

/// Tells null from a missing field.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

endpoint_error! {
    pub(crate) enum UpdateUserError {
        /// A field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST
            "phonePrefix: must be a plus sign and one to four digits.",
    }
}

pub(crate) async fn update_user(
    caller: SignedInUser,
    State(app): State<App>,
    JsonBody(change): JsonBody<UserChange>,
) -> Result<Data<SessionView>, UpdateUserError> {
    let SignedInUser { session, user, .. } = caller;
    let id = user.id.clone();
    let update = |user: &User| {
        let (row, now) = (change.apply(user)?, app.clock.now());
        let renaming = user.merchant_id.as_ref().zip(Deed::of_name(user, &row));
        let activity = renaming.map(|(merchant, deed)| app.store.record(Actor::member(user), merchant, deed, now));
        Ok::<_, UpdateUserError>((Some(Update { row, with: activity.into_iter().collect::<Result<_, _>>()? }), ()))
    };
    app.store.update(user, update).await?;
    Ok(Data(session::view_of(&app, &session, &id).await?))
}

impl UserChange {
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
        Ok(changed)
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "updateUser",
        "Change the user",
        "Changes the name and the phone number of the signed-in user, and returns the session. Missing fields are not changed. \
         The e-mail address cannot be changed.",
    )
    .body::<UserChange>(json!({"firstName": "Anna", "phonePrefix": "+46", "phone": "700000000"}))
    .success("The session.", session::example())
}
