//! Keys: with one, a merchant's own program acts as a member with a list of permissions.
//!
//! The row of a key is in its merchant's partition, so that both are read at once, and has a hash of each secret that is good. A
//! key ends at its time, when it is revoked, when its merchant is closed, and when its maker can no longer grant its permissions;
//! the latter two are written in the transactions that cause them. One that is over never lives again.

pub mod makers;
pub mod model;
pub mod rows;
