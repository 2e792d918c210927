//! Helps a user who has lost all passkeys.

use clap::Subcommand;
use email_address::EmailAddress;
use jiff::Timestamp;
use shared::base::random::Random;
use shared::db::{Job, SignInNews, Store, Task, Write};
use shared::merchants::model::audit::{AuditAction, AuditEntry};
use shared::team::model::team::User;

use crate::operator::operator;
use crate::session::{self, LookupError};

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Let a user sign in by mailed codes again, who has lost all passkeys. The audit trail shows it, and the user is notified
    MailSignIn {
        /// Email address of the user
        #[arg(value_name = "ADDRESS")]
        email: EmailAddress,
    },
}

/// Returns what was done, as a sentence.
pub(crate) async fn mail_sign_in(
    store: &Store,
    random: &Random,
    now: Timestamp,
    email: &EmailAddress,
) -> Result<String, LookupError> {
    let mut attempts = store.attempts("the user");
    loop {
        let user = session::user(store, email).await?;
        if !user.signs_in_by_passkey_alone {
            return Ok(format!("mailed codes already sign user {} in", user.id));
        }
        let changed = User { signs_in_by_passkey_alone: false, ..user.value.clone() };
        let task = Task::SignInNewsMail { user_id: user.id.clone(), news: SignInNews::CodesTurnedOnByPlatform };
        let entry = AuditEntry::new(
            random.uuid(now).to_string(),
            &operator(),
            user.merchant_id.as_ref(),
            AuditAction::MailSignInTurnedOn,
            now,
        );
        let entry = AuditEntry { subject: Some(user.id.to_string()), ..entry };
        let job = Job::new(None, task, now, random);
        let writes = vec![Write::replace(&user, &changed)?, Write::create(&job)?, Write::create(&entry)?];
        if attempts.committed(store.commit(writes).await).await? {
            return Ok(format!("mailed codes sign user {} in again", user.id));
        }
    }
}
