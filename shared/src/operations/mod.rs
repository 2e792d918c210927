//! Moving money: issue and redeem, by one state machine.
//!
//! 1. Begin: the operation is written as open, in one transaction with the order or the redemption and the caller's
//!    idempotency key.
//! 2. Execute: the call is sent once, under a reference that is also the network's idempotency key. Without a usable
//!    response, the outcome is looked up by the reference.
//! 3. Close: the outcome and all its consequences are written in one transaction, on condition that the operation
//!    has not changed since it was read.
//!
//! A closed operation is deleted after a week: it contains the network's response, with the code of the card. A copy without
//! codes answers for as long as the idempotency key is remembered.
//!
//! A crash in between leaves an open operation in the index of due work. A retry of the request or the sweep
//! [recovers](recover) it: takes it over and looks the outcome up. The result of a lookup is final, and nothing is sent twice.
//!
//! | file | |
//! |---|---|
//! | `operation.rs` | the operation and its states |
//! | `store.rs` | its row and the index of due work |
//! | `idempotency.rs` | the caller's `Idempotency-Key`, and the request that used it before |
//! | `key_row.rs` | its row: used, closed, or both |
//! | `cancel.rs` | close a key, so that nothing begins under it |
//! | `execute.rs` | begin and execute |
//! | `recover.rs` | look the outcome up, record it, or release the operation |
//! | `close.rs` | the transaction that closes an operation |
//! | `certainty.rs` | what is certain about the money of a request |
//! | `tell.rs` | the events of webhooks that follow from an operation |

mod cancel;
mod certainty;
mod close;
mod event_writer;
mod execute;
mod idempotency;
mod key_row;
mod operation;
mod recover;
mod store;

pub use cancel::{CancelError, ClosedKey};
pub use certainty::{Certainty, MoneyMoved};
pub use execute::{CardOperation, Execution, ExecutionError};
pub use idempotency::{EarlierRequest, IdempotencyError, IdempotencyKey, ScopedKey, fingerprint};
pub use key_row::key_is_closed;
pub use operation::{ClosedOperation, Operation, OperationKind, OperationState, Subject, WebhookContext};
pub use recover::{OperationStatus, recover};
