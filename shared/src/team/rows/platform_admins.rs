//! Who administers the platform. No route changes it, only an operator with access to the table.

use crate::db::{Store, StoreError, Stored, Write};
use crate::team::model::passkey::Enrolment;
use crate::team::model::team::User;
use crate::values::UserId;

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
    /// Lets the user with an e-mail address administer the platform, and add a passkey by an enrolment code; who administers it already
    /// begins anew as well. If nobody has the address, a new user gets this id.
    pub async fn add_platform_admin(
        &self,
        email: &str,
        new_id: &UserId,
        enrolment: &Enrolment,
    ) -> Result<PlatformAdminChange, StoreError> {
        let mut attempts = self.attempts("the user");
        loop {
            let (writes, change) = match self.user_by_email(email).await? {
                None => {
                    let user = administrator(&User::new(new_id.clone(), email), enrolment);
                    (self.new_user(&user)?, PlatformAdminChange::Created(user.id))
                }
                Some(user) => {
                    let writes = self.changed_user(&user, &administrator(&user, enrolment)).await?;
                    (writes, PlatformAdminChange::Changed(user.value.id))
                }
            };
            if attempts.committed(self.commit(writes).await).await? {
                return Ok(change);
            }
        }
    }

    /// Lets a platform administrator begin anew, by another enrolment code. `None` if nobody has the address, `Unchanged` for a user who
    /// does not administer the platform.
    pub async fn reset_platform_admin(
        &self,
        email: &str,
        enrolment: &Enrolment,
    ) -> Result<Option<PlatformAdminChange>, StoreError> {
        self.change_platform_admin(email, |user| administrator(user, enrolment)).await
    }

    /// Takes the administration of the platform from the user with an e-mail address. As above for who does not administer it.
    pub async fn remove_platform_admin(&self, email: &str) -> Result<Option<PlatformAdminChange>, StoreError> {
        self.change_platform_admin(email, |user| User { is_appointed_admin: false, ..anew(user) }).await
    }

    async fn change_platform_admin(
        &self,
        email: &str,
        change: impl Fn(&User) -> User,
    ) -> Result<Option<PlatformAdminChange>, StoreError> {
        let mut attempts = self.attempts("the user");
        loop {
            let Some(user) = self.user_by_email(email).await? else { return Ok(None) };
            if !user.is_appointed_admin {
                return Ok(Some(PlatformAdminChange::Unchanged(user.value.id)));
            }
            let writes = self.changed_user(&user, &change(&user)).await?;
            if attempts.committed(self.commit(writes).await).await? {
                return Ok(Some(PlatformAdminChange::Changed(user.value.id)));
            }
        }
    }

    /// The passkeys of the user go with the change. What the user has made as a member of a team, and nobody has used yet, is over with the change: their membership gets
    /// another stamp.
    async fn changed_user(&self, user: &Stored<User>, changed: &User) -> Result<Vec<Write>, StoreError> {
        let mut writes = self.removed_passkeys(user).await?;
        writes.push(Write::replace(user, changed)?);
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

/// The user without passkeys, signed out everywhere, whom mailed codes sign in.
fn anew(user: &User) -> User {
    User { passkey_handle: None, signs_in_by_passkey_alone: false, enrolment: None, ..user.signed_out() }
}

fn administrator(user: &User, enrolment: &Enrolment) -> User {
    User { is_appointed_admin: true, enrolment: Some(enrolment.clone()), ..anew(user) }
}
