//! E-mail through Amazon SES.

use aws_sdk_ses::Client;
use aws_sdk_ses::error::BuildError;
use aws_sdk_ses::types::{Body, Content, Destination, Message};
use email_address::{EmailAddress, Options};
use thiserror::Error;

use crate::aws::sdk_error;

#[derive(Debug, Error)]
pub enum MailError {
    #[error("SendEmail failed: {0}")]
    Call(String),
    #[error("the mail could not be built: {0}")]
    Build(#[from] BuildError),
}

/// Returns `true` for a bare e-mail address, `local@domain.tld`. Display names, IP address literals and control characters, which
/// quotes allow, are rejected.
pub fn is_address(text: &str) -> bool {
    let options = Options::default().without_display_text().without_domain_literal().with_required_tld();
    !text.contains(char::is_control)
        && EmailAddress::parse_with_options(text, options).is_ok_and(|address| address.email() == text)
}

/// In bytes, by RFC 5321.
pub const MAX_ADDRESS_BYTES: usize = 254;

/// Whether the portal can write to this address: SES takes only letters of ASCII, which also keeps two addresses from looking
/// alike.
pub fn can_be_mailed(text: &str) -> bool {
    text.len() <= MAX_ADDRESS_BYTES && text.is_ascii() && is_address(text)
}

/// The content of a mail, as plain text and as HTML.
#[derive(Debug, Clone)]
pub struct Email {
    pub subject: String,
    pub text: String,
    pub html: String,
}

#[derive(Debug)]
pub struct Mailer {
    client: Client,
    from: String,
    configuration_set: Option<String>,
}

impl Mailer {
    pub fn new(client: Client, from: impl Into<String>, configuration_set: Option<String>) -> Self {
        Self { client, from: from.into(), configuration_set }
    }

    pub async fn send(&self, to: &str, email: &Email) -> Result<(), MailError> {
        let content = |text: &str| Content::builder().charset("UTF-8").data(text).build();
        let body = Body::builder().text(content(&email.text)?).html(content(&email.html)?).build();
        let message = Message::builder().subject(content(&email.subject)?).body(body).build();
        let to = Destination::builder().to_addresses(to).build();
        let request = self.client.send_email().source(&self.from).destination(to).message(message);
        let request = request.set_configuration_set_name(self.configuration_set.clone());
        let sent = request.send().await;
        // The messages of SES contain e-mail addresses.
        sent.map(|_| ()).map_err(|error| MailError::Call(sdk_error::describe_without_message(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_bare_addresses_only() {
        for (text, expected) in [
            ("bo@example.com", true),
            ("bo.ek+cards@shop.example.com", true),
            ("åsa@example.com", true),
            ("Bo <bo@example.com>", false),
            ("bo@example", false),
            ("bo@[127.0.0.1]", false),
            ("\"bo ek\"@example.com", true),
            ("\"bo\tek\"@example.com", false),
            (" <bo@example.com>", false),
            ("<bo@example.com>", false),
            (" bo@example.com", false),
            ("bo", false),
            ("", false),
        ] {
            assert_eq!(is_address(text), expected, "{text}");
        }
    }
}
