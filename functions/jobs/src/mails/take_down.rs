//! Tells an administrator of a merchant that the platform has taken down one of its images.

use shared::app::App;
use shared::values::{MerchantId, UserId};

use super::letter::{Letter, Line};
use super::member;
use super::words::{Words, isolated};
use crate::outcome::Failure;

pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId, object_key: &str) -> Result<(), Failure> {
    let Some((merchant, user)) = member(app, merchant, user).await? else { return Ok(()) };
    let words = Words::of(&user);
    let image = isolated(object_key.rsplit('/').next().unwrap_or_default());
    let letter = Letter {
        words,
        subject: words.text("image-subject"),
        greeting: words.greeting(&user.first_name),
        before: vec![
            words.with("image-text", &[("shop", &isolated(&merchant.name)), ("image", &image)]).into(),
            words.text("image-means").into(),
        ],
        stands_out: Some(Line::portal(words, app)),
        after: vec![words.text("image-unexpected")],
    };
    letter.send(app, &user.email).await
}
