//! Routes that do not ask who calls.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;

use super::super::fault::Fault;
use super::credential::bearer_tokens;
use super::refusals::{not_for_keys, require_no_browser};
use super::requirement::{Access, Keys, Requirement};
use crate::app::App;

/// Admits all callers.
#[derive(Debug, Clone, Copy)]
pub struct Public;

impl Access for Public {
    const REQUIREMENT: Requirement = Requirement::Public;
    const KEYS: Keys = Keys::Ignored;
}

impl FromRequestParts<App> for Public {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &App) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

/// Admits all callers but keys, which are known by their form: it is for people who sign in or out, and for devices.
#[derive(Debug, Clone, Copy)]
pub struct PublicToPeople;

impl Access for PublicToPeople {
    const REQUIREMENT: Requirement = Requirement::Public;
    const KEYS: Keys = Keys::Refused;
}

impl FromRequestParts<App> for PublicToPeople {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        if !bearer_tokens(&parts.headers).any(|credential| credential.token.is_of_key()) {
            return Ok(Self);
        }
        require_no_browser(&parts.headers)?;
        Err(not_for_keys())
    }
}
