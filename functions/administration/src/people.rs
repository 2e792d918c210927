//! The people whom a response names by their ids.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::StoreError;
use shared::http::examples;
use shared::team::model::team::User;
use shared::values::UserId;
use utoipa::ToSchema;

/// A user whom a response names by id.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Person {
    /// The id of the user.
    id: UserId,
    /// First name; empty if the user has given none.
    first_name: String,
    /// Last name; empty if the user has given none.
    last_name: String,
    /// The address that the user signs in with.
    email: String,
}

impl From<User> for Person {
    fn from(User { id, first_name, last_name, email, .. }: User) -> Self {
        Self { id, first_name, last_name, email }
    }
}

/// The users with these ids, each once, sorted by id. Without those that do not exist.
pub(crate) async fn people(app: &App, ids: impl Iterator<Item = &UserId>) -> Result<Vec<Person>, StoreError> {
    let ids: BTreeSet<&UserId> = ids.collect();
    let ids: Vec<UserId> = ids.into_iter().cloned().collect();
    let mut people: Vec<Person> = app.store.users(&ids).await?.into_iter().map(|user| user.value.into()).collect();
    people.sort_unstable_by(|one, other| one.id.cmp(&other.id));
    Ok(people)
}

pub(crate) fn example() -> Value {
    json!({"id": examples::ADMINISTRATOR, "firstName": "Root", "lastName": "Lind", "email": "root@portal.example"})
}
