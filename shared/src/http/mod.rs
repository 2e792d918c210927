//! HTTP: route tables, access checks, typed requests and responses, and errors.

pub mod access;
pub mod body;
mod content_disposition;
pub mod context;
pub mod cookie;
pub mod cors;
pub mod description;
mod envelope;
mod error_schemas;
pub mod examples;
pub mod fault;
pub mod idempotency_key;
pub mod identity;
pub mod network_objects;
pub mod openapi;
mod origin;
pub mod path;
pub mod query;
pub mod rate_limit;
pub mod reply;
pub mod routes;
pub mod schemas;
mod stage;
pub mod success;
pub mod upload;
pub mod utc_time;
pub mod web_url;
