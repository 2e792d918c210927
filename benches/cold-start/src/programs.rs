//! Builds what is measured, and what it needs.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use test_support::{cargo, workspace_root};

use crate::Failure;

/// The release build of these functions.
pub(crate) fn build_functions(names: &[&str]) -> Result<(), Failure> {
    let packages = names.iter().flat_map(|name| ["--package", name]);
    cargo().args(["build", "--release", "--locked"]).args(packages).run()
}

/// The release build of the least that a function can do.
pub(crate) fn build_floor() -> Result<PathBuf, Failure> {
    cargo().args(["build", "--release", "--locked", "--package", "cold-start", "--bin", "floor"]).run()?;
    Ok(release("floor"))
}

/// What `cargo run` runs.
pub(crate) fn build_local() -> Result<PathBuf, Failure> {
    cargo().args(["build", "--locked", "--bin", "local"]).run()?;
    Ok(workspace_root().join("target/debug/local"))
}

/// A program of the release build.
pub(crate) fn release(name: &str) -> PathBuf {
    workspace_root().join("target/release").join(name)
}

/// Installs the Node peer below target/; none where there is no npm.
pub(crate) fn install_peer() -> Result<Option<PathBuf>, Failure> {
    if Command::new("npm").arg("--version").output().is_err() {
        return Ok(None);
    }
    let (from, to) =
        (workspace_root().join("benches/cold-start/node"), workspace_root().join("target/cold-start"));
    std::fs::create_dir_all(&to)?;
    for file in ["package.json", "package-lock.json", "peer.mjs"] {
        std::fs::copy(from.join(file), to.join(file))?;
    }
    Command::new("npm").args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&to).run()?;
    Ok(Some(to.join("peer.mjs")))
}

/// The bytes that a program takes in a zip file, but for the few of the file's own.
pub(crate) fn zipped(program: &Path) -> io::Result<usize> {
    let mut zip = DeflateEncoder::new(Vec::new(), Compression::default());
    zip.write_all(&std::fs::read(program)?)?;
    Ok(zip.finish()?.len())
}

trait Run {
    fn run(&mut self) -> Result<(), Failure>;
}

impl Run for Command {
    fn run(&mut self) -> Result<(), Failure> {
        let status = self.status()?;
        if status.success() { Ok(()) } else { Err(format!("{self:?} ended with {status}").into()) }
    }
}
