//! Ids in paths.

use std::collections::HashMap;

use axum::RequestPartsExt;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use super::fault::Fault;
use crate::app::App;

/// The parameters of a path, percent-decoded.
#[derive(Debug)]
pub struct PathIds(HashMap<String, String>);

impl PathIds {
    /// The parameter of this name, unless it is blank.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|id| !id.trim().is_empty())
    }
}

impl FromRequestParts<App> for PathIds {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        let path = parts.extract::<Path<HashMap<String, String>>>().await;
        path.map(|Path(ids)| Self(ids)).map_err(|_| Fault::invalid("The address is not valid UTF-8."))
    }
}
