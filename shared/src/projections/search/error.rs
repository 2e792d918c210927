//! Errors of searches, and of writing the segments.

use thiserror::Error;

use crate::aws::files::FileError;
use crate::db::StoreError;

#[derive(Debug, Error)]
pub enum SearchError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the object of a search segment is missing")]
    MissingObject,
    #[error("a search segment cannot be packed or unpacked: {0}")]
    Format(#[from] std::io::Error),
}
