//! Gift cards, by their codes.

pub(crate) mod card;
pub(crate) mod history;
