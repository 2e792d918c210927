//! Keys of a merchant's own programs: made, listed, rotated and revoked by its team.

pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod revoke;
pub(crate) mod rotate;
mod secret;
mod view;
