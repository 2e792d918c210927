//! The users that the console can sign in as.

use serde::Serialize;
use shared::db::{Store, StoreError, keys};
use shared::team::model::team::User;
use shared::values::UserId;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KnownUser {
    user_id: UserId,
    name: String,
    email: String,
    merchant: Option<String>,
    /// The role in the merchant's team. `None` without a merchant, or if it is not set.
    role: Option<String>,
    is_platform_administrator: bool,
    /// Whether permissions of their own replace those of the role.
    has_own_permissions: bool,
}

/// Returns the users with these partition keys, sorted by merchant; those without one are last.
pub(crate) async fn known(store: &Store, partitions: &[String]) -> Result<Vec<KnownUser>, StoreError> {
    let ids: Vec<UserId> = partitions.iter().filter_map(|partition| keys::parse_user(partition)).collect();
    let mut known: Vec<KnownUser> = Vec::new();
    for user in store.users(&ids).await? {
        known.push(describe(store, &user).await?);
    }
    known.sort_by_cached_key(|user| (user.merchant.is_none(), user.merchant.clone(), user.user_id.clone()));
    Ok(known)
}

async fn describe(store: &Store, user: &User) -> Result<KnownUser, StoreError> {
    let (merchant, membership) = match &user.merchant_id {
        None => (None, None),
        Some(id) => (store.merchant(id).await?, store.membership(id, &user.id).await?),
    };
    let name = format!("{} {}", user.first_name, user.last_name);
    let role = membership.as_ref().and_then(|member| member.role.as_ref());
    Ok(KnownUser {
        user_id: user.id.clone(),
        name: name.trim().to_owned(),
        email: user.email.clone(),
        merchant: merchant.map(|merchant| merchant.name.clone()),
        role: role.map(ToString::to_string),
        is_platform_administrator: user.is_appointed_admin,
        has_own_permissions: membership.is_some_and(|member| member.permissions.is_some()),
    })
}
