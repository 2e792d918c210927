//! `cargo run --bin client-files -- DIRECTORY`: writes what a deployment serves of the clients, a folder for each origin:
//! `dashboard/`, `till/` and `widget/`. Files below `v/` and below a version of the widget never change. `deploy/publish-clients`
//! publishes them.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use local::client_release::Release;
use local::clients::{client_files, widget_files};

/// The page of addresses at which there is nothing.
const NOT_FOUND: &[u8] = include_bytes!("../../../clients/not-found.html");

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: client-files DIRECTORY");
        return ExitCode::FAILURE;
    };
    match write_all(&directory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("client-files: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write_all(directory: &Path) -> Result<(), Box<dyn Error>> {
    let dashboard = Release::new(&client_files("dashboard"));
    let page = dashboard.page().ok_or("the dashboard has no page")?;
    write(&directory.join("dashboard"), "/index.html", page)?;
    for (address, content) in dashboard.kept_files() {
        write(&directory.join("dashboard"), &address, content)?;
    }
    // Its worker keeps the files, and asks for them by their own names.
    for (path, content) in client_files("till") {
        write(&directory.join("till"), &path, &content)?;
    }
    for (path, content) in widget_files().ok_or("the widget has no release")? {
        write(&directory.join("widget"), &path, &content)?;
    }
    for client in ["dashboard", "till", "widget"] {
        write(&directory.join(client), "/not-found.html", NOT_FOUND)?;
    }
    Ok(())
}

fn write(directory: &Path, path: &str, content: &[u8]) -> std::io::Result<()> {
    let file = directory.join(path.trim_start_matches('/'));
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, content)
}
