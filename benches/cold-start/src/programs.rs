//! Builds the measured programs and the local system.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use world::{cargo, workspace_root};

use crate::Failure;

pub(crate) fn build_functions(names: &[&str]) -> Result<(), Failure> {
    let packages = names.iter().flat_map(|name| ["--package", name]);
    cargo().args(["build", "--release", "--locked"]).args(packages).run()
}

pub(crate) fn build_baseline() -> Result<PathBuf, Failure> {
    cargo().args(["build", "--release", "--locked", "--package", "cold-start", "--bin", "baseline"]).run()?;
    Ok(release_binary("baseline"))
}

/// Builds the local system in the mode that `cargo run` uses.
pub(crate) fn build_local() -> Result<PathBuf, Failure> {
    cargo().args(["build", "--locked", "--bin", "local"]).run()?;
    Ok(workspace_root().join("target/debug/local"))
}

pub(crate) fn release_binary(name: &str) -> PathBuf {
    workspace_root().join("target/release").join(name)
}

/// Installs the Node.js function in `target/` and returns its script, or `None` if npm is not installed.
pub(crate) fn install_node_function() -> Result<Option<PathBuf>, Failure> {
    if Command::new("npm").arg("--version").output().is_err() {
        return Ok(None);
    }
    let (from, to) = (workspace_root().join("benches/cold-start/node"), workspace_root().join("target/cold-start"));
    std::fs::create_dir_all(&to)?;
    for file in ["package.json", "package-lock.json", "function.mjs"] {
        std::fs::copy(from.join(file), to.join(file))?;
    }
    Command::new("npm").args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&to).run()?;
    Ok(Some(to.join("function.mjs")))
}

/// Returns the compressed size of a program in bytes, without the headers of a zip file.
pub(crate) fn zip_size(program: &Path) -> io::Result<usize> {
    let mut zip = DeflateEncoder::new(Vec::new(), Compression::default());
    zip.write_all(&std::fs::read(program)?)?;
    Ok(zip.finish()?.len())
}

trait Run {
    /// Runs the command. Fails if its exit status is not 0.
    fn run(&mut self) -> Result<(), Failure>;
}

impl Run for Command {
    fn run(&mut self) -> Result<(), Failure> {
        let status = self.status()?;
        if status.success() { Ok(()) } else { Err(format!("{self:?} exited with {status}").into()) }
    }
}
