//! Tells an administrator of a merchant that the platform has taken down one of its images.

use shared::app::App;
use shared::values::ids::{MerchantId, UserId};

use crate::mails::letter::{Letter, Line, greeting, isolated};
use crate::outcome::Failure;

/// Sends nothing to a user who has left the merchant.
pub(crate) async fn send(app: &App, merchant: &MerchantId, user: &UserId, object_key: &str) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await? else { return Ok(()) };
    let Some(user) = app.store.user(user).await? else { return Ok(()) };
    if user.merchant_id.as_ref() != Some(&merchant.id) {
        return Ok(());
    }
    let image = object_key.rsplit('/').next().unwrap_or_default();
    let letter = Letter {
        subject: "An image of your gift cards was taken down".to_owned(),
        greeting: greeting(&user.first_name),
        before: vec![
            format!("We have taken down an image that {} had published: {}", isolated(&merchant.name), isolated(image)),
            "It has been deleted and can no longer be seen. Gift cards that show it need another image.".to_owned(),
        ],
        stands_out: Some(Line::Link { text: "Open the portal", url: app.settings.dashboard_base_url.clone() }),
        after: vec!["If you think that this is a mistake, please contact us.".to_owned()],
    };
    letter.send(app, &user.email).await
}
