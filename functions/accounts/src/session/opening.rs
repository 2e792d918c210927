//! A session that is about to be opened, however its user has proved who they are.

use http::HeaderMap;
use jiff::Timestamp;
use shared::app::App;
use shared::db::{StoreError, Task, Write};
use shared::http::cookie_token;
use shared::team::model::browser;
use shared::team::model::code::CodeKey;
use shared::team::model::team::{SignInMethod, User};
use shared::team::rows::sessions::{Session, Token};

use super::browser::user_agent;
use super::device::Device;

pub(crate) struct OpenedSession {
    pub(crate) token: Token,
    pub(crate) device: Device,
}

/// What is to be written, with what shows that the user may sign in.
pub(crate) struct Opening {
    token: Token,
    known: Option<Device>,
    pub(crate) writes: Vec<Write>,
}

impl Opening {
    /// The session, a mail if the browser is not known, and the end of the session that the request carries.
    pub(crate) async fn new(
        app: &App,
        headers: &HeaderMap,
        key: &CodeKey,
        user: &User,
        method: SignInMethod,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let user_agent = user_agent(headers);
        let token = Token::issue(app.random.bytes(), user);
        let mut writes = vec![Write::create(&Session::new(user, &token, method, user_agent, now))?];
        let known = Device::of_user(headers, key, &user.id);
        if known.is_none() && user.first_signed_in_at != Some(now) {
            let browser = browser::describe(user_agent.unwrap_or_default());
            let task = Task::NewDeviceMail { user_id: user.id.clone(), browser };
            writes.push(app.store.enqueue(None, task, now)?);
        }
        if let Some(previous) = cookie_token(headers)
            && let Some(session) = app.store.session(&previous).await?
        {
            writes.push(Write::delete(&session)?);
        }
        Ok(Self { token, known, writes })
    }

    /// The session, once the writes are committed.
    pub(crate) fn opened(self, app: &App, key: &CodeKey, user: &User) -> OpenedSession {
        OpenedSession { token: self.token, device: self.known.unwrap_or_else(|| Device::new(app, key, &user.id)) }
    }
}
