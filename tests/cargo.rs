//! Cargo, called from a program that cargo itself has started.

use std::path::Path;
use std::process::Command;

/// Without what cargo tells of the package that it started: crates that look at that would be built anew each time.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let about_the_package = name.to_str().is_some_and(|name| {
            ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        });
        if about_the_package {
            cargo.env_remove(name);
        }
    }
    cargo.current_dir(root);
    cargo
}
