//! Payouts: merchants are paid what they are owed, in batches of settlements.
//!
//! 1. A run makes one payout for each merchant and currency, and records what it leaves out.
//! 2. Settlements join the payout, its file is written, and it is sealed: count and sum are fixed.
//! 3. An administrator decides: it is paid, or cancelled.
//! 4. Its settlements follow: they become paid, or pending again. Then the payout is done.
//!
//! A settlement that joins, is paid or is returned changes in the same transaction as its payout, on condition that neither has
//! changed since it was read. So workers that race or return from the dead cannot count a settlement twice.
//!
//! | file | |
//! |---|---|
//! | `payout.rs` | the payout, and the changes that each of its states allows |
//! | `state.rs`, `store.rs` | its states; its rows and lists |
//! | `run.rs`, `plan.rs`, `left_out.rs`, `make.rs` | runs: what they make of a merchant's settlements, and what they leave out |
//! | `advance.rs`, `worker.rs` | the job that goes on with a payout, by these steps: |
//! | `join.rs` | settlements join |
//! | `file.rs`, `seal.rs` | the file is written and can be read; count and sum are fixed |
//! | `decide.rs` | somebody says that it is paid, or cancels it |
//! | `follow.rs` | its settlements are paid or returned |
//! | `restore.rs` | what becomes of it when a table is restored |

mod advance;
mod decide;
mod file;
mod follow;
mod join;
mod left_out;
mod make;
mod payout;
mod plan;
mod restore;
mod run;
mod seal;
mod state;
mod store;
pub mod view;
mod worker;

pub use advance::advance_payout;
pub use decide::{DecidePayoutError, decide_payout};
pub use file::{FileLink, FileLinkError, audited_file_link, file_link};
pub use join::join_settlement;
pub use left_out::{LeftOut, LeftOutReason, NotPayable};
pub use make::make_payouts;
pub use payout::{ConfirmedBy, Decision, DecisionError, JoinError, Payout, WrongState};
pub use plan::{PayoutPlan, PlannedPayout, preview};
pub use restore::carry_over_payout;
pub use run::PayoutRun;
pub use state::{Building, Cancellation, Cause, Decided, Followed, Payment, PayoutState, PayoutStatus, UnknownState, Upload};
pub use store::{LeftOutPage, PayoutFilter, PayoutPage, PayoutSettlement, RunProgress, create_payout};
pub use worker::{PayoutError, Progress};
