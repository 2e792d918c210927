//! DynamoDB: one table, typed rows and conditional writes.
//!
//! A row is an [`Entity`] with a version. New rows are [created](Write::create). Existing rows are
//! [replaced](Write::replace) only if they have not changed since they were read ([`Store::update`] repeats the change
//! on a conflict). Rows that belong together are written in one [transaction](Store::commit).
//!
//! [`keys`] holds every key and the table of access patterns. Each entity has a file of its own.

pub mod activities;
pub mod administration;
mod audit;
pub mod card_history;
pub mod challenges;
pub mod counters;
pub mod creations;
mod due;
mod error;
pub mod exports;
mod fields;
pub mod given_back;
pub mod heartbeats;
mod import;
pub mod jobs;
pub mod keys;
pub mod leases;
pub mod merchants;
pub mod orders;
pub mod pages;
pub mod platform_admins;
mod query;
pub mod redemptions;
mod refusals;
pub mod restores;
mod row;
mod scan;
pub mod segments;
pub mod sessions;
pub mod settlements;
mod table;
mod take_downs;
pub mod tallies;
pub mod team;
pub mod tills;
mod update;
pub mod visits;
pub mod webhooks;
mod write;

pub use error::{CommitError, StoreError};
pub use fields::names as field_names;

pub use query::Range;
pub use row::{Entity, Item, Stored, from_item, item_key, new_rows, to_item};
pub(crate) use row::{entry_item, take};
pub use table::Store;
pub use update::{Attempts, Update};
pub use write::{ActionBudget, MAX_ACTIONS, Write, fill_transaction, pack_transactions};
