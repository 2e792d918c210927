//! From a request to a typed handler, and from what it returns to a response.

pub mod access;
pub mod body;
pub mod cookie;
mod cors;
pub mod description;
mod envelope;
pub mod fault;
pub mod invocation;
pub mod path;
pub mod query;
pub mod reply;
pub mod routes;
mod stage;
pub mod upload;
