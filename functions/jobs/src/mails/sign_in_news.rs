//! Tells a user what has changed in how they sign in.

use jiff::Timestamp;
use shared::app::App;
use shared::db::SignInNews;
use shared::values::UserId;

use super::letter::{Letter, Line};
use super::words::{Words, isolated};
use crate::outcome::Failure;

pub(crate) async fn send(app: &App, user: &UserId, news: &SignInNews, at: Timestamp) -> Result<(), Failure> {
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let words = Words::of(&user);
    let of_passkey = |id, name| words.at(at, id, &[("name", &isolated(name))]);
    let (subject, what, more) = match news {
        SignInNews::PasskeyAdded { name } => ("passkey-added-subject", of_passkey("passkey-added", name), None),
        SignInNews::PasskeyRemoved { name, turned_codes_on } => {
            let more = turned_codes_on.then_some("passkey-removed-codes-on");
            ("passkey-removed-subject", of_passkey("passkey-removed", name), more)
        }
        SignInNews::PasskeyCopied { name } => {
            ("passkey-refused-subject", of_passkey("passkey-refused", name), Some("passkey-refused-advice"))
        }
        SignInNews::CodesTurnedOff => ("codes-turned-off-subject", words.at(at, "codes-turned-off", &[]), None),
        SignInNews::CodesTurnedOn => ("codes-turned-on-subject", words.at(at, "codes-turned-on", &[]), None),
        SignInNews::CodesTurnedOnByPlatform => {
            ("codes-turned-on-subject", words.at(at, "codes-turned-on-by-platform", &[]), None)
        }
    };
    let letter = Letter {
        words,
        subject: words.text(subject),
        greeting: words.greeting(&user.first_name),
        before: [Some(what), more.map(|id| words.text(id))].into_iter().flatten().map(Into::into).collect(),
        stands_out: Some(Line::portal(words, app)),
        after: vec![words.text("sign-in-unexpected")],
    };
    letter.send(app, &user.email).await
}
