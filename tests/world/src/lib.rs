//! What tests and benchmarks happen in. Everything here panics on an unexpected state, as tests do.
//!
//! - [`System`] is the local system in this process, [`LocalProcess`] is one in a process of its own.
//! - [`Caller`] sends requests to it, [`Browser`] with cookies and an address, [`Authenticator`] makes passkeys. An [`ApiResponse`] is compared with the API
//!   description ([`contract`]).
//! - [`shop`] makes fixtures. [`Receiver`] is a merchant's system that receives webhooks, [`Network`] a card network that
//!   sends anything.
//! - [`ManualClock`] and [`SeededRandom`] take the place of time and chance, [`Histories`] runs random histories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::missing_panics_doc)]
#![allow(clippy::needless_pass_by_value, reason = "callers pass literals")]

#[cfg(feature = "system")]
mod authenticator;
#[cfg(feature = "system")]
mod browser;
#[cfg(feature = "system")]
mod caller;
mod cargo;
#[cfg(feature = "system")]
mod clock;
#[cfg(feature = "system")]
pub mod contract;
mod events;
#[cfg(feature = "system")]
mod external_aws;
mod histories;
mod lists;
mod local_process;
#[cfg(feature = "system")]
mod log;
#[cfg(feature = "system")]
mod network;
#[cfg(feature = "system")]
mod outstanding;
mod path_template;
mod random;
#[cfg(feature = "system")]
mod receiver;
#[cfg(feature = "runtime")]
pub mod runtime;
#[cfg(feature = "system")]
pub mod shop;
mod spreadsheet;
#[cfg(feature = "system")]
mod system;

#[cfg(feature = "system")]
pub use authenticator::Authenticator;
#[cfg(feature = "system")]
pub use browser::Browser;
#[cfg(feature = "system")]
pub use caller::{
    ApiResponse, Caller, client, client_at, default_code, error_body, error_code, file_part, get, outcomes, part, refusal, send,
};
pub use cargo::{cargo, workspace_root};
#[cfg(feature = "system")]
pub use clock::ManualClock;
pub use events::{event, events};
#[cfg(feature = "system")]
pub use external_aws::external_aws;
pub use histories::{Counts, Histories, History, all_cases, seed};
pub use lists::assert_lists;
pub use local_process::LocalProcess;
#[cfg(feature = "system")]
pub use log::Log;
#[cfg(feature = "system")]
pub use network::Network;
#[cfg(feature = "system")]
pub use outstanding::outstanding;
pub use path_template::matches_path_template;
pub use random::SeededRandom;
#[cfg(feature = "system")]
pub use receiver::{Received, Receiver};
pub use spreadsheet::spreadsheet;
#[cfg(feature = "system")]
pub use system::{System, poll_up_to};

/// An image of one pixel. It is not valid UTF-8.
pub const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\x0cIDATx\x9cc\xf8\xff\
    \xff?\0\x05\xfe\x02\xfe\xa75\x81\x84\0\0\0\0IEND\xaeB`\x82";
