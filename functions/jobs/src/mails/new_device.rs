//! Tells a user that they signed in with a browser that was not known.

use jiff::Timestamp;
use shared::app::App;
use shared::values::ids::UserId;

use crate::mails::letter::{Letter, Line, date_and_time, greeting};
use crate::outcome::Failure;

pub(crate) async fn send(app: &App, user: &UserId, browser: &str, signed_in_at: Timestamp) -> Result<(), Failure> {
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let at = date_and_time(signed_in_at);
    let letter = Letter {
        subject: "You signed in with a new browser".to_owned(),
        greeting: greeting(&user.first_name),
        before: vec![format!("Your account was used to sign in with {browser} for the first time, on {at}.")],
        stands_out: Some(Line::Link { text: "Open the portal", url: app.settings.dashboard_base_url.clone() }),
        after: vec![
            "If this was not you, somebody can read your e-mail. Sign out everywhere in the portal, secure your mailbox, and \
             reply to this e-mail so that we can look into it."
                .to_owned(),
        ],
    };
    letter.send(app, &user.email).await
}
