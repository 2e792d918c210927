//! The deployment template against the code: the same routes, no permission too few or too many, and log lines that
//! are really written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../cargo.rs"]
mod cargo;
mod dependencies;
mod first_merchant;
mod metrics;
mod policies;
mod routes;
mod scenario;
mod template;

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The event of a name such as `pos/issue`.
fn event(name: &str) -> serde_json::Value {
    let path = root().join("events").join(name).with_extension("json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Every event that there is for a function.
fn events() -> Vec<serde_json::Value> {
    let folders = std::fs::read_dir(root().join("events")).unwrap().map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort_unstable();
    files.iter().map(|file| serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()).collect()
}
