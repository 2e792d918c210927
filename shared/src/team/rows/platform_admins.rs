//! Who administers the platform. No route changes it, only an operator with access to the table.

use crate::db::{Store, StoreError, Stored, Write};
use crate::team::model::team::User;
use crate::values::ids::UserId;

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlatformAdminChange {
    /// Nobody had the e-mail address: there is a new user without a merchant.
    Created(UserId),
    Changed(UserId),
    /// The user was what was asked for.
    Unchanged(UserId),
}

impl Store {
    /// Lets the user with an e-mail address administer the platform. If nobody has the address, a new user gets this id.
    pub async fn add_platform_admin(&self, email: &str, new_id: &UserId) -> Result<PlatformAdminChange, StoreError> {
        let mut attempts = self.attempts("the user");
        loop {
            let (writes, change) = match self.user_by_email(email).await? {
                None => {
                    let user = User { is_admin: true, ..User::new(new_id.clone(), email) };
                    (self.new_user(&user)?, PlatformAdminChange::Created(user.id))
                }
                Some(user) if user.is_admin => return Ok(PlatformAdminChange::Unchanged(user.value.id)),
                Some(user) => {
                    let changed = User { is_admin: true, ..user.value.clone() };
                    (self.changed_user(&user, &changed).await?, PlatformAdminChange::Changed(changed.id))
                }
            };
            if attempts.committed(self.commit(writes).await).await? {
                return Ok(change);
            }
        }
    }

    /// Takes the administration of the platform from the user with an e-mail address and ends their sessions, in one write.
    /// `None` if nobody has the address.
    pub async fn remove_platform_admin(&self, email: &str) -> Result<Option<PlatformAdminChange>, StoreError> {
        let mut attempts = self.attempts("the user");
        loop {
            let Some(user) = self.user_by_email(email).await? else { return Ok(None) };
            if !user.is_admin {
                return Ok(Some(PlatformAdminChange::Unchanged(user.value.id)));
            }
            let session_generation = user.session_generation.saturating_add(1);
            let changed = User { is_admin: false, session_generation, ..user.value.clone() };
            let writes = self.changed_user(&user, &changed).await?;
            if attempts.committed(self.commit(writes).await).await? {
                return Ok(Some(PlatformAdminChange::Changed(changed.id)));
            }
        }
    }

    /// What the user has made as a member of a team, and nobody has used yet, is over with the change: their membership gets
    /// another stamp.
    async fn changed_user(&self, user: &Stored<User>, changed: &User) -> Result<Vec<Write>, StoreError> {
        let mut writes = vec![Write::replace(user, changed)?];
        if let Some(merchant) = &user.merchant_id {
            let team = self.team(merchant).await?;
            if let Some(member) = team.member(&user.id) {
                let stamped = member.with_powers(member.powers(), self.new_stamp());
                writes.extend([team.counted()?, Write::replace(member, &stamped)?]);
            }
        }
        Ok(writes)
    }
}
