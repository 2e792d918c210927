//! The cookie that marks a browser as known to a user. It is no credential: a sign-in without it is told by mail, and a browser
//! with it can ask for codes whatever others have used up.

use http::{HeaderMap, HeaderValue};
use jiff::SignedDuration;
use shared::app::App;
use shared::http::{General, cookie};
use shared::team::model::code::{CodeKey, Purpose};
use shared::values::UserId;

const COOKIE: &str = "__Host-portal_device";
const LIFETIME: SignedDuration = SignedDuration::from_hours(180 * 24);

/// A browser in which a user has signed in.
#[derive(Debug)]
pub(crate) struct Device {
    nonce: String,
    tag: String,
}

impl Device {
    pub(crate) fn new(app: &App, key: &CodeKey, user: &UserId) -> Self {
        let nonce = hex::encode(app.random.bytes::<16>());
        let tag = key.tag(Purpose::Device, &[user.as_str(), &nonce]);
        Self { nonce, tag }
    }

    /// The browser of a request, if the user has signed in with it.
    pub(crate) fn of_user(headers: &HeaderMap, key: &CodeKey, user: &UserId) -> Option<Self> {
        let values = cookie::values(headers, COOKIE);
        let mut devices = values.filter_map(|value| value.split_once('.'));
        let (nonce, tag) = devices.find(|(nonce, tag)| key.is_tag(Purpose::Device, &[user.as_str(), nonce], tag))?;
        Some(Self { nonce: nonce.to_owned(), tag: tag.to_owned() })
    }

    /// The browser of a request, if the user with this address has signed in with it.
    pub(crate) async fn of_address(app: &App, headers: &HeaderMap, email: &str) -> Result<Option<Self>, General> {
        if cookie::values(headers, COOKIE).next().is_none() {
            return Ok(None);
        }
        let key = app.code_key().await?;
        let user = app.store.user_id_by_email(email).await?;
        Ok(user.and_then(|user| Self::of_user(headers, &key, &user)))
    }

    pub(crate) fn nonce(&self) -> &str {
        &self.nonce
    }

    /// Sets or renews the cookie.
    pub(crate) fn set_cookie(&self) -> Option<HeaderValue> {
        cookie::set(COOKIE, &format!("{}.{}", self.nonce, self.tag), LIFETIME)
    }
}
