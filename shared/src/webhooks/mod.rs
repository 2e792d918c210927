//! Sending webhooks: the secrets that sign messages, and the connection to a merchant's endpoint.

pub mod model;
pub mod rows;
mod secret;
mod sender;
pub mod view;

pub use secret::{SecretError, SigningSecret};
pub use sender::{MessageHeaders, Sender};
