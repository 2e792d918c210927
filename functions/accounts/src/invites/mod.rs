//! Invitations to a team.

pub(crate) mod accept;
pub(crate) mod confirm;
pub(crate) mod create;
mod own;
pub(crate) mod resend;
pub(crate) mod withdraw;
