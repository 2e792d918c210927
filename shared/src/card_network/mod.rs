//! The client of the card network. Nothing outside of this folder knows its field names and its error format.
//!
//! Reads are retried once. Calls that move money are sent once: their outcome is
//! [looked up](CardNetwork::look_up_operation) by reference.

mod cards;
mod client;
mod merchants;
mod offers;
mod outcome;

pub use cards::{
    CardRecord, DeliveryDetails, IssueRequest, IssuedCard, LookupResult, MIN_TIME, RedeemRequest, SubmitResult, disagreements,
    network_code, pass_through, remaining_value,
};
pub use client::{CardNetwork, Credentials, ErrorResponse, Fields, NetworkError};
pub use merchants::{Account, AccountChange, StoreFields, StoreStatus};
pub use offers::{OfferList, RawOffer};
pub use outcome::{Outcome, Refusal};
