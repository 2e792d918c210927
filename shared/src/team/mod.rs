//! Who acts for a merchant: users, their powers, invitations, sessions and tills.

pub mod model;
pub mod rows;
pub mod view;
