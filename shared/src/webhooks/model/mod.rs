//! Webhooks: messages that tell a merchant's own systems what has happened.
//!
//! An [`Event`] is recorded as a [`Message`] in the transaction in which it happens. Its [`MessageBody`] is made once, and each
//! [`Endpoint`] that wants it gets a [`Delivery`], which is attempted until the endpoint has accepted it.

mod address;
mod delivery;
mod endpoint;
mod event;
pub mod event_type;
mod message;
mod readable;
mod url;

pub use address::is_public;
pub use delivery::{Attempt, Delivery, DeliveryState, DeliveryStatus, MAX_ATTEMPT_DURATION, Reply};
pub use endpoint::{
    DisabledBecause, Endpoint, EndpointSettings, EndpointState, EndpointStatus, SealedSecret, Secrets, WAITING_RETENTION,
};
pub use event::{Event, Operation};
pub use event_type::EventType;
pub use message::{MESSAGE_RETENTION, Message, MessageBody};
pub use readable::{Move, Readable};
pub use url::{Hosts, UrlError, WebhookUrl};
