//! The generated data: a directory for each size.

use std::io;
use std::path::{Path, PathBuf};

use local::generate::{self, Arguments};
use shared::base::clock::Clock;
use tempfile::TempDir;

use crate::error::BenchError;

const DAYS: u32 = 365;
const SEED: u64 = 1;
/// A file that exists once the data of a directory is complete.
const COMPLETE: &str = "complete";

#[derive(Debug)]
pub(crate) struct Data {
    root: PathBuf,
    /// Deletes the data if it is not kept.
    _temporary: Option<TempDir>,
}

impl Data {
    /// Uses a temporary directory without `root`.
    pub(crate) fn open(root: Option<PathBuf>) -> Result<Self, BenchError> {
        let unusable = |source| BenchError::File { path: std::env::temp_dir(), source };
        let temporary = root.is_none().then(TempDir::new).transpose().map_err(unusable)?;
        let root = root.or_else(|| temporary.as_ref().map(|directory| directory.path().to_owned()));
        Ok(Self { root: root.unwrap_or_default(), _temporary: temporary })
    }

    /// Returns the directory of a merchant with this many orders, and generates it if it does not exist.
    pub(crate) async fn of_size(&self, orders: u32) -> Result<PathBuf, BenchError> {
        let directory = self.root.join(orders.to_string());
        let marker = directory.join(COMPLETE);
        if !marker.exists() {
            eprintln!("{orders} orders: generating");
            let arguments = Arguments { data: directory.clone(), orders, days: DAYS, seed: SEED };
            generate::run(&arguments, Clock::system().now()).await?;
            mark(&marker).map_err(|source| BenchError::File { path: marker, source })?;
        }
        Ok(directory)
    }
}

fn mark(path: &Path) -> io::Result<()> {
    std::fs::write(path, "")
}
