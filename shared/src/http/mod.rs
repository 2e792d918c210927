//! HTTP: route tables, access checks, typed requests and responses, and errors.

pub mod access;
pub mod body;
pub mod context;
pub mod cookie;
mod cors;
pub mod description;
mod envelope;
pub mod fault;
pub mod openapi;
pub mod path;
pub mod query;
pub mod reply;
pub mod routes;
mod stage;
pub mod upload;
