//! Mail through SES.

use aws_sdk_ses::Client;
use aws_sdk_ses::error::{BuildError, DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_ses::operation::send_email::SendEmailError;
use aws_sdk_ses::types::{Body, Content, Destination, Message};
use email_address::{EmailAddress, Options};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum MailError {
    #[error("SendEmail failed: {0}")]
    Call(String),
    #[error("a mail cannot be built: {0}")]
    Build(#[from] BuildError),
}

/// Whether this is an e-mail address, `name@host.tld`, and nothing besides it such as a name to display.
pub fn is_address(text: &str) -> bool {
    let plain = Options::default().without_display_text().without_domain_literal().with_required_tld();
    EmailAddress::parse_with_options(text, plain).is_ok()
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
        send.send().await.map(|_| ()).map_err(|error| MailError::Call(cause(&error)))
    }
}

/// What the log may say: the messages of SES name addresses, its codes do not.
fn cause(error: &SdkError<SendEmailError>) -> String {
    error.code().map_or_else(|| DisplayErrorContext(error).to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_that_and_nothing_else() {
        for (text, expected) in [
            ("bo@example.com", true),
            ("bo.ek+cards@shop.example.com", true),
            ("åsa@example.com", true),
            ("Bo <bo@example.com>", false),
            ("bo@example", false),
            ("bo@[127.0.0.1]", false),
            (" bo@example.com", false),
            ("bo", false),
            ("", false),
        ] {
            assert_eq!(is_address(text), expected, "{text}");
        }
    }
}
