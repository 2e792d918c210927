//! An error of an endpoint, as the API description shows it.

use super::error_schemas::{ErrorKind, code_of};

/// An error of one status.
#[derive(Debug)]
pub struct DescribedError {
    /// Three digits, or a class such as `4XX`.
    pub(super) status: String,
    pub(super) text: String,
    pub(super) kinds: Vec<ErrorKind>,
    /// A message of the first kind. `None` for the general one.
    pub(super) message: Option<&'static str>,
}

impl DescribedError {
    /// An error that the endpoint makes. A code that does not follow from the status is added to the text.
    pub fn of_endpoint(
        status: u16,
        code: &'static str,
        text: &'static str,
        message: &'static str,
        by_access_check: bool,
    ) -> Self {
        let status = status.to_string();
        let mut text = text.trim_start().to_owned();
        if code != code_of(&status) {
            let sentence = text.strip_suffix('.').unwrap_or(&text);
            text = format!("{sentence} (`{code}`).");
        }
        let kind = if by_access_check { ErrorKind::Access(code) } else { ErrorKind::Own(code) };
        Self { status, text, kinds: vec![kind], message: Some(message) }
    }

    /// The errors of the card network that an endpoint passes on, under a message for its refusals and one for its failures.
    pub fn of_card_network(messages: [&'static str; 2]) -> Vec<Self> {
        let refused = "The card network refused the request. Its response is in `details`.";
        let failed = "The card network failed: its own status, 502 without a usable response, or 504 after a timeout.";
        let error = |((status, text), message): ((&str, &str), _)| Self {
            status: status.to_owned(),
            text: text.to_owned(),
            kinds: vec![ErrorKind::CardNetwork],
            message: Some(message),
        };
        [("4XX", refused), ("5XX", failed)].into_iter().zip(messages).map(error).collect()
    }
}
