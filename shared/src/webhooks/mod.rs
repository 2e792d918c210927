//! Sending webhooks: the secrets that sign messages, and the connection to a merchant's endpoint.

mod secret;
mod sender;

pub use secret::{SecretError, SigningSecret};
pub use sender::{MessageHeaders, Sender};
