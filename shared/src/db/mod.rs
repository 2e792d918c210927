//! DynamoDB: one table, typed rows and conditional writes.
//!
//! A row is an [`Entity`] with a version. New rows are [created](Write::create). Existing rows are
//! [replaced](Write::replace) only if they have not changed since they were read ([`Store::update`] repeats the change
//! on a conflict). Rows that belong together are written in one [transaction](Store::commit).
//!
//! [`keys`] holds every key and the table of access patterns. The entities are in the `rows` of their subjects, with the methods of
//! [`Store`] that read and write them.

pub mod counters;
pub mod creations;
mod due;
mod error;
mod fields;
pub mod heartbeats;
mod import;
mod jobs;
pub mod keys;
pub mod leases;
pub mod model;
mod pages;
mod query;
mod refusals;
pub mod restores;
mod row;
mod scan;
mod table;
mod update;
mod write;

pub use error::{CommitError, StoreError};
pub(crate) use error::{call, is_written};
pub use fields::names as field_names;
pub use jobs::{Job, JobState, KeyNews, MirroredField, News, SignInNews, Task};
pub use pages::{Cursor, Page, PageCollector, PageRequest, PageStart};
pub use query::Range;
pub use row::{Entity, Item, Stored, from_item, item_key, new_rows, to_item};
pub(crate) use row::{VERSION, entry_item, key_item, take, ttl};
pub use table::Store;
pub use update::{Attempts, Update};
pub use write::{ActionBudget, MAX_ACTIONS, Write, fill_transaction, pack_transactions};
