//! What the commands of `admin` do that tests call as well.

pub mod restore;
pub mod table;
