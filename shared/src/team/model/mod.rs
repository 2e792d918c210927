//! Members and their powers, tills, browsers, and the codes by which somebody shows who they are.

pub mod browser;
pub mod challenge;
pub mod code;
pub mod passkey;
pub mod team;
pub mod till;
