//! `PATCH /api/auth/session/user`: changes the user's name and phone number.
#![expect(clippy::option_option, reason = "null removes a value, a missing field leaves it")]

use axum::extract::State;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use shared::app::App;
use shared::domain::team::User;
use shared::http::body::{JsonBody, non_null};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::Data;
use shared::store::sessions::SignedInUser;
use utoipa::ToSchema;

use crate::person::{checked_name, phone_number, phone_prefix};
use crate::session::{self, SessionView};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UserChange {
    /// First name, without `://`; empty for none.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false, max_length = 80)]
    first_name: Option<String>,
    /// Last name, without `://`; empty for none.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false, max_length = 80)]
    last_name: Option<String>,
    /// Country calling code: a plus sign and one to four digits. Null for none.
    #[serde(default, deserialize_with = "given")]
    #[schema(required = false, value_type = Option<String>)]
    phone_prefix: Option<Option<String>>,
    /// Phone number without the country calling code: at most 20 digits, spaces and dashes. Null for none.
    #[serde(default, deserialize_with = "given")]
    #[schema(required = false, value_type = Option<String>)]
    phone: Option<Option<String>>,
}

/// Tells null from a missing field.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

pub(crate) async fn update_user(
    caller: SignedInUser,
    State(app): State<App>,
    JsonBody(change): JsonBody<UserChange>,
) -> Result<Data<SessionView>, Fault> {
    let SignedInUser { session, user, .. } = caller;
    let id = user.id.clone();
    app.store.update(user, |user| Ok::<_, Fault>((Some(change.apply(user)?.into()), ()))).await?;
    session::view_of(&app, &session, &id).await.map(Data)
}

impl UserChange {
    fn apply(&self, user: &User) -> Result<User, Fault> {
        let mut changed = user.clone();
        if let Some(name) = &self.first_name {
            changed.first_name = checked_name("firstName", name, 0)?;
        }
        if let Some(name) = &self.last_name {
            changed.last_name = checked_name("lastName", name, 0)?;
        }
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
    Description::new("updateUser", 
        "Change the user",
        "Changes the name and the phone number of the signed-in user, and returns the session. Fields that are missing stay as \
         they are. The e-mail address cannot be changed.",
    )
    .body::<UserChange>(json!({"firstName": "Anna", "phonePrefix": "+46", "phone": "700000000"}))
    .success("The session.", session::example())
    .error(400, "A field is invalid.")
    .message("phonePrefix: must be a plus sign and one to four digits.")
}
