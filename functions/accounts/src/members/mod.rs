//! Members of a team.

pub(crate) mod remove;
