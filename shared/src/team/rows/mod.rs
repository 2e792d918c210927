//! The rows of users, memberships, invitations, sessions, challenges and tills.

pub mod challenges;
pub mod passkeys;
pub mod platform_admins;
pub mod sessions;
pub mod team;
pub mod tills;
