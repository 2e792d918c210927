//! The mails that are sent, one file for each.

pub(crate) mod account_change;
pub(crate) mod code;
pub(crate) mod invite;
mod letter;
pub(crate) mod new_device;
mod powers;
pub(crate) mod sign_in_news;
pub(crate) mod status;
pub(crate) mod take_down;
pub(crate) mod team_news;
pub(crate) mod verification;
