//! Tells a user that they signed in with a browser that was not known.

use jiff::Timestamp;
use shared::app::App;
use shared::values::UserId;

use super::letter::{Letter, Line};
use super::words::Words;
use crate::outcome::Failure;

pub(crate) async fn send(app: &App, user: &UserId, browser: Option<&String>, signed_in_at: Timestamp) -> Result<(), Failure> {
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    let words = Words::of(&user);
    let letter = Letter {
        words,
        subject: words.text("device-subject"),
        greeting: words.greeting(&user.first_name),
        before: vec![words.at(signed_in_at, "device-text", &[("browser", &words.browser(browser))]).into()],
        stands_out: Some(Line::portal(words, app)),
        after: vec![words.text("device-unexpected")],
    };
    letter.send(app, &user.email).await
}
