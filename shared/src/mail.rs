//! Mail through SES.

use aws_sdk_ses::Client;
use aws_sdk_ses::error::{BuildError, DisplayErrorContext};
use aws_sdk_ses::types::{Body, Content, Destination, Message};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum MailError {
    #[error("SendEmail failed: {0}")]
    Call(String),
    #[error("a mail cannot be built: {0}")]
    Build(#[from] BuildError),
}

/// A mail in both of its forms.
#[derive(Debug, Clone)]
pub struct Letter {
    pub subject: String,
    pub text: String,
    pub html: String,
}

#[derive(Debug)]
pub struct Mail {
    client: Client,
    from: String,
}

impl Mail {
    pub fn new(client: Client, from: impl Into<String>) -> Self {
        Self { client, from: from.into() }
    }

    pub async fn send(&self, to: &str, letter: &Letter) -> Result<(), MailError> {
        let content = |text: &str| Content::builder().charset("UTF-8").data(text).build();
        let body = Body::builder().text(content(&letter.text)?).html(content(&letter.html)?).build();
        let message = Message::builder().subject(content(&letter.subject)?).body(body).build();
        let to = Destination::builder().to_addresses(to).build();
        let send = self.client.send_email().source(&self.from).destination(to).message(message);
        let failed = |error| MailError::Call(DisplayErrorContext(error).to_string());
        send.send().await.map(|_| ()).map_err(failed)
    }
}
