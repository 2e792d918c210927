//! Tells a user what has changed in how they sign in.

use jiff::Timestamp;
use shared::app::App;
use shared::db::jobs::SignInNews;
use shared::values::ids::UserId;

use crate::mails::letter::{Letter, Line, date_and_time, greeting, isolated};
use crate::outcome::Failure;

pub(crate) async fn send(app: &App, user: &UserId, news: &SignInNews, at: Timestamp) -> Result<(), Failure> {
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let told = told(news);
    let mut before = vec![format!("{} It happened on {}.", told.what, date_and_time(at))];
    before.extend(told.more.map(str::to_owned));
    let letter = Letter {
        subject: told.subject.to_owned(),
        greeting: greeting(&user.first_name),
        before,
        stands_out: Some(Line::Link { text: "Open the portal", url: app.settings.dashboard_base_url.clone() }),
        after: vec![
            "If this was not you, somebody else can use your account. Sign out everywhere in the portal, secure your mailbox, \
             and reply to this e-mail so that we can look into it."
                .to_owned(),
        ],
    };
    letter.send(app, &user.email).await
}

struct Told {
    subject: &'static str,
    what: String,
    more: Option<&'static str>,
}

fn told(news: &SignInNews) -> Told {
    let told = |subject, what: &str, more| Told { subject, what: what.to_owned(), more };
    match news {
        SignInNews::PasskeyAdded { name } => told(
            "A passkey was added",
            &format!("The passkey {} can now be used to sign in to your account.", isolated(name)),
            None,
        ),
        SignInNews::PasskeyRemoved { name, turned_codes_on } => told(
            "A passkey was removed",
            &format!("The passkey {} was removed from your account, and you were signed out everywhere.", isolated(name)),
            turned_codes_on.then_some(
                "You can sign in with e-mailed codes again, because the loss of one device could otherwise lock you out.",
            ),
        ),
        SignInNews::PasskeyCopied { name } => told(
            "A passkey was refused",
            &format!("A sign-in with the passkey {} was refused, because there may be a copy of it.", isolated(name)),
            Some("Remove the passkey in the portal, unless you know of the copy."),
        ),
        SignInNews::CodesTurnedOff => {
            told("Sign-in codes are off", "E-mailed codes no longer sign you in: only your passkeys do.", None)
        }
        SignInNews::CodesTurnedOn => told("Sign-in codes are on", "You can sign in with e-mailed codes again.", None),
        SignInNews::CodesTurnedOnByPlatform => told(
            "Sign-in codes are on",
            "The platform has let you sign in with e-mailed codes again.",
            Some("Somebody has told us that you have lost your passkeys."),
        ),
    }
}
