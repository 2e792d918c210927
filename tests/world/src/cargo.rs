use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root folder of the workspace.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Returns a `cargo` command that runs in the root folder of the workspace.
///
/// The variables that cargo sets for the running package are removed: build scripts that depend on them would run again
/// each time.
pub fn cargo() -> Command {
    const PACKAGE_PREFIXES: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];
    let mut cargo = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let is_about_package = name.to_str().is_some_and(|name| PACKAGE_PREFIXES.iter().any(|prefix| name.starts_with(prefix)));
        if is_about_package {
            cargo.env_remove(name);
        }
    }
    cargo.current_dir(workspace_root());
    cargo
}
