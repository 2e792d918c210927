//! The merchant of a user who had none.

pub(crate) mod abandon;
pub(crate) mod found;
